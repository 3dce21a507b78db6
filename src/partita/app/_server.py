"""The routes: what is asked, by whom it is answered, and what is answered if that fails."""

import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

import partita
from partita.app import _downloads, _views
from partita.app._datasets import Datasets
from partita.app._errors import OURS, USER_ERRORS, RequestError, sentence_of
from partita.app._fitting import read_asked
from partita.app._jobs import Jobs
from partita.app._plain import encode
from partita.app._prepared import Prepared
from partita.app._runs import NotReadyError, Run, Runs
from partita.app._security import Guard, Keys
from partita.app._tables import table_of
from partita.app._uploads import receive
from partita.app._words import in_page_words

_MOST_JSON = 8 << 20  # bytes of a request: a selection of a million rows has less
_STATIC = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

Endpoint = Callable[[Request], Awaitable[Response]]


class Workspace:
    """All that one start of the app has: files and runs. Gone when it ends."""

    def __init__(self, folder: Path, max_upload: int) -> None:
        self.max_upload = max_upload
        self.jobs = Jobs()
        self.datasets, self.runs = Datasets(folder), Runs(self.jobs)


def build(workspace: Workspace, keys: Keys) -> Starlette:
    """The application behind its guard."""
    guard: Any = Guard
    app = Starlette(
        routes=[*_pages(), *_dataset_routes(workspace), *_run_routes(workspace), *_result_routes(workspace)],
        middleware=[Middleware(guard, keys=keys)],
    )
    app.router.redirect_slashes = False
    return app


# --------------------------------------------------------------------------------------------------------------- pages
def static_files() -> dict[str, Path]:
    """The files of the page, by name; nothing else is ever served."""
    folder = Path(str(files("partita.app"))) / "static"
    return {path.name: path for path in sorted(folder.glob("*")) if path.suffix in _STATIC and path.is_file()}


def _pages() -> list[Route]:
    known = static_files()

    def serve(name: str) -> Response:
        if name not in known:
            return answer({"error": "There is no such file."}, 404)
        return Response(known[name].read_bytes(), media_type=_STATIC[known[name].suffix])

    def start(request: Request) -> Response:
        return serve("index.html")

    def static(request: Request) -> Response:
        return serve(request.path_params["name"])

    return [Route("/", start), Route("/static/{name}", static)]


# ----------------------------------------------------------------------------------------------------------- datasets
def _dataset_routes(space: Workspace) -> list[Route]:
    async def upload(request: Request) -> Any:
        path = await receive(request, space.datasets, space.max_upload)
        return (await run_in_threadpool(space.datasets.add, path)).told()

    def correct(request: Request, body: Any) -> Any:
        dataset = space.datasets.get(request.path_params["key"])
        dataset.correct(body)
        return dataset.told()

    def version(_: Request) -> Any:
        return {"version": partita.__version__, "max_upload": space.max_upload}

    one = "/api/datasets/{key}"
    return [
        _get("/api/version", version),
        _get("/api/datasets", lambda _: space.datasets.list()),
        Route("/api/datasets", _answering(upload), methods=["POST"]),
        _post("/api/datasets/example", lambda _, __: space.datasets.add_example().told()),
        _get(one, lambda request: space.datasets.get(request.path_params["key"]).told()),
        _post(f"{one}/reading", correct),
        _delete(one, lambda request: space.datasets.remove(request.path_params["key"])),
    ]


# ---------------------------------------------------------------------------------------------------------------- runs
def _run_routes(space: Workspace) -> list[Route]:
    def start(_: Request, body: Any) -> Any:
        asked = read_asked(body)
        return space.runs.start(space.datasets.get(str(body.get("dataset"))), asked).told()

    def cancel(request: Request, _: Any) -> Any:
        run = space.runs.get(request.path_params["key"])
        run.cancel()
        run.job.ended.wait(1.5)
        return run.told()

    one = "/api/runs/{key}"
    return [
        _get("/api/runs", lambda _: space.runs.list()),
        _post("/api/runs", start),
        _get(one, lambda request: space.runs.get(request.path_params["key"]).told()),
        _post(f"{one}/cancel", cancel),
        _delete(one, lambda request: space.runs.remove(request.path_params["key"])),
    ]


def _result_routes(space: Workspace) -> list[Route]:
    def of(request: Request, body: Any = None) -> tuple[Run, Prepared, int | None]:
        run = space.runs.get(request.path_params["key"])
        k = _number_of(request.query_params.get("k") if body is None else body.get("k"))
        return run, run.with_number(k), k

    def view(function: Callable[[Run, Prepared, Request], Any]) -> Callable[[Request], Any]:
        def made(request: Request) -> Any:
            run, prepared, _ = of(request)
            return function(run, prepared, request)

        return made

    def select(request: Request, body: Any) -> Any:
        run, prepared, _ = of(request, body if isinstance(body, dict) else {})
        return _views.select(run, prepared, body)

    def download(request: Request) -> Any:
        run, prepared, k = of(request)
        asked = dict(request.query_params)
        file = _downloads.download(run, prepared, request.path_params["what"], asked, k)
        return Response(
            file.content, media_type=file.kind, headers={"content-disposition": f'attachment; filename="{file.name}"'}
        )

    def run_of(request: Request) -> Run:
        return space.runs.get(request.path_params["key"])

    def cancel_comparison(request: Request, _: Any) -> Any:
        run = run_of(request)
        if run.comparison is not None:
            run.comparison.cancel()
            run.comparison.ended.wait(1.5)
        return _views.comparison(run)

    one = "/api/runs/{key}"
    pixels = "application/octet-stream"
    return [
        _get(f"{one}/summary", lambda request: _views.summary(*of(request))),
        _get(f"{one}/objects", view(lambda run, found, asked: _views.objects(run, found, dict(asked.query_params)))),
        _get(
            one + "/object/{row:int}",
            view(lambda _, found, asked: _views.one_object(found, asked.path_params["row"])),
        ),
        _get(f"{one}/heatmap", view(lambda _, found, __: found.heatmap)),
        _get(f"{one}/heatmap/pixels", view(lambda _, found, __: Response(found.pixels, media_type=pixels))),
        _get(f"{one}/membership", view(lambda _, found, __: found.membership)),
        _get(f"{one}/clusters", view(lambda _, found, __: table_of(found.result.clusters))),
        _get(f"{one}/clusterings", view(lambda _, found, __: table_of(found.result.clusterings))),
        _get(f"{one}/annotations", view(lambda _, found, __: _views.annotations(found))),
        _post(f"{one}/selections", select),
        _get(
            one + "/selections/{selection}",
            view(lambda run, found, asked: _views.selection(run, found, asked.path_params["selection"])),
        ),
        _get(f"{one}/compare", lambda request: _views.comparison(run_of(request))),
        _post(f"{one}/compare", lambda request, body: _views.start_comparison(run_of(request), body)),
        _post(f"{one}/compare/cancel", cancel_comparison),
        _get(f"{one}/downloads", view(lambda run, found, _: _downloads.offers(run, found))),
        _get(one + "/download/{what}", download),
    ]


def _number_of(value: Any) -> int | None:
    if value in (None, ""):
        return None
    if not str(value).isdecimal():
        raise RequestError(f"The number of clusters cannot be {value!r:.60}; it is a whole number.")
    return int(str(value)[:9])


# ------------------------------------------------------------------------------------------------------------- answers
def answer(value: Any, status: int = 200) -> Response:
    """A value as JSON; a response as it is."""
    if isinstance(value, Response):
        return value
    return Response(encode(value), status, media_type="application/json")


def _get(path: str, function: Callable[[Request], Any]) -> Route:
    async def endpoint(request: Request) -> Any:
        return await run_in_threadpool(function, request)

    return Route(path, _answering(endpoint), methods=["GET"])


def _delete(path: str, function: Callable[[Request], None]) -> Route:
    async def endpoint(request: Request) -> Any:
        await run_in_threadpool(function, request)
        return {"removed": True}

    return Route(path, _answering(endpoint), methods=["DELETE"])


def _post(path: str, function: Callable[[Request, Any], Any]) -> Route:
    async def endpoint(request: Request) -> Any:
        body = await _read_json(request)
        return await run_in_threadpool(function, request, body)

    return Route(path, _answering(endpoint), methods=["POST"])


async def _read_json(request: Request) -> Any:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MOST_JSON:
            raise RequestError(f"This request has more than {_MOST_JSON >> 20} MB, and files alone may.", 413)
        parts.append(part)
    try:
        return json.loads(b"".join(parts) or b"{}")
    except (ValueError, RecursionError):
        raise RequestError("This request is not JSON.") from None


def _answering(endpoint: Callable[[Request], Awaitable[Any]]) -> Endpoint:
    """Turn what an endpoint raises into an answer of one or two sentences."""

    async def answered(request: Request) -> Response:
        try:
            return answer(await endpoint(request))
        except NotReadyError as wait:
            return answer({"state": wait.job.state, "progress": wait.job.progress()}, 202)
        except RequestError as refusal:
            return answer({"error": str(refusal)}, refusal.status)
        except ClientDisconnect:
            return answer({"error": "The browser has gone."}, 400)
        except USER_ERRORS as error:
            return answer({"error": in_page_words(sentence_of(error))}, 400)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return answer({"error": OURS}, 500)

    return answered
