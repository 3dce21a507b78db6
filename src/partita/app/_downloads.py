"""Files to take away: tables, figures, the report, and how to do the same without the page."""

import io
import re
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from partita import plotting
from partita._optional import available, require
from partita.app._errors import NotFoundError, RequestError
from partita.app._prepared import Prepared
from partita.app._runs import Run
from partita.app._scripts import command_of, python_of
from partita.io import write_table
from partita.plotting._kinds import KINDS

_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml",
    "png": "image/png",
    "html": "text/html; charset=utf-8",
    "py": "text/x-python; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "zip": "application/zip",
}
_TITLES = {
    "consensus": "Cluster of each object",
    "confidence": "How sure it is of each object",
    "membership": "Membership of each object",
    "objects": "All about the objects, with annotations",
    "clusters": "Clusters",
    "clusterings": "Clusterings",
    "annotations": "Tests of the annotations",
    "methods": "Methods compared",
}
_IN_ZIP = ("figure-coassociation", "figure-membership", "figure-uncertainty")
_DPI = 200
_drawing = threading.Lock()  # matplotlib is not made for several threads


class File(NamedTuple):
    """A file to be saved by the browser."""

    name: str
    kind: str  # media type
    content: bytes


def offers(run: Run, prepared: Prepared) -> dict[str, Any]:
    """What can be had of a result."""
    formats = ["csv", "tsv"]
    formats += ["xlsx"] if available("openpyxl") else []
    formats += ["parquet"] if available("pyarrow") else []
    tables = [{"what": what, "title": _TITLES[what], "formats": formats} for what in _tables(run, prepared)]
    figures = [
        {"what": f"figure-{kind}", "title": _first_large(kind), "words": KINDS[kind].words, "formats": ["svg", "png"]}
        for kind in _figures(prepared)
    ]
    others = [
        {"what": "script", "title": "Python script", "formats": ["py"]},
        {"what": "command", "title": "Command", "formats": ["txt"]},
        {"what": "all", "title": "Everything in one archive", "formats": ["zip"]},
    ]
    if available("jinja2") and available("matplotlib"):
        others.insert(0, {"what": "report", "title": "Report", "formats": ["html"]})
    return {"tables": tables, "figures": figures, "others": others}


def download(run: Run, prepared: Prepared, what: str, asked: dict[str, str], k: int | None) -> File:
    """One file."""
    other = None if prepared is run.own else k
    offered = {one["what"]: one["formats"] for group in offers(run, prepared).values() for one in group}
    if what not in offered:
        raise NotFoundError(f"The download {what!r:.60}")
    form = asked.get("format") or offered[what][0]
    if form not in offered[what]:
        raise RequestError(f"{what} cannot be had as {form!r:.60}; it can as {', '.join(offered[what])}.")
    name = f"{_stem(run.dataset_name)}-{what.removeprefix('figure-')}-k{prepared.result.n_clusters}.{form}"
    return File(name, _TYPES[form], _content(run, prepared, what, form, asked, other))


def _content(run: Run, prepared: Prepared, what: str, form: str, asked: dict[str, str], k: int | None) -> bytes:
    if what.startswith("figure-"):
        return draw(prepared, what.removeprefix("figure-"), form)
    texts = {"script": python_of, "command": command_of}
    if what in texts:
        return texts[what](run.found, run.asked, k, run.file).encode()
    if what == "report":
        return _report(run, prepared, k)
    if what == "all":
        return _archive(run, prepared, k, {"spreadsheet_safe": asked.get("spreadsheet_safe", "")})
    rows = run.selected(asked["selection"]) if asked.get("selection") else None
    return _table_file(_tables(run, prepared)[what](), form, rows if what == "objects" else None, asked)


# -------------------------------------------------------------------------------------------------------------- tables
def _tables(run: Run, prepared: Prepared) -> dict[str, Callable[[], pd.DataFrame]]:
    """The tables that there are, made when they are asked for."""
    result = prepared.result
    made: dict[str, Callable[[], pd.DataFrame]] = {
        "consensus": lambda: _of_objects(prepared, ["label"]),
        "confidence": lambda: _of_objects(prepared, ["label", "confidence", "vote", "second"]),
        "membership": lambda: _membership(prepared),
        "objects": lambda: _objects(prepared),
        "clusters": lambda: result.clusters,
        "clusterings": lambda: result.clusterings,
    }
    if prepared.annotations is not None:
        known = prepared.annotations
        made["annotations"] = lambda: result.test_annotations(known.to_dict("series"))
    compared = run.compared
    if compared is not None:
        made["methods"] = lambda: compared.table
    return made


def _of_objects(prepared: Prepared, columns: list[str]) -> pd.DataFrame:
    frame = prepared.result.to_frame().reset_index(drop=True)[columns]
    name = prepared.found.id_name
    frame.insert(0, f"{name}_id" if name in frame.columns else name, prepared.result.ids)
    return frame


def _membership(prepared: Prepared) -> pd.DataFrame:
    shares = prepared.result.membership
    columns = pd.DataFrame(shares, columns=[f"cluster_{k}" for k in range(shares.shape[1])])
    return pd.concat([_of_objects(prepared, ["label"]), columns], axis=1)


def _objects(prepared: Prepared) -> pd.DataFrame:
    frame = _of_objects(prepared, ["label", "confidence", "vote", "second"])
    if prepared.annotations is None:
        return frame
    beside = prepared.annotations.rename(columns={name: f"{name}_" for name in frame.columns})
    return pd.concat([frame, beside], axis=1)


def _table_file(frame: pd.DataFrame, form: str, rows: Any, asked: dict[str, str]) -> bytes:
    frame = frame if rows is None else frame.iloc[rows]
    with TemporaryDirectory(prefix="partita-table-") as folder:
        path = Path(folder) / f"table.{form}"
        write_table(path, frame, spreadsheet_safe=asked.get("spreadsheet_safe") == "1")
        return path.read_bytes()


# ------------------------------------------------------------------------------------------------------------- figures
def _figures(prepared: Prepared) -> list[str]:
    if not available("matplotlib"):
        return []
    needs = {"dendrogram": "dendrogram_", "convergence": "history_"}  # not every method has them
    estimator = prepared.result.estimator
    return [
        kind for kind, row in KINDS.items() if row.of_result and (kind not in needs or hasattr(estimator, needs[kind]))
    ]


def draw(prepared: Prepared, kind: str, form: str) -> bytes:
    """A figure as a file; drawn without pyplot, so that no window opens and no figure stays."""
    figures = require("matplotlib.figure", extra="plot", purpose="drawing")
    display = getattr(plotting, KINDS[kind].display).from_result(prepared.result)
    with _drawing:
        figure = figures.Figure(figsize=(8, 6), layout="constrained")

        def begin(ax: Any, size: tuple[float, float]) -> Any:
            figure.set_size_inches(size)
            display.figure_, display.ax_ = figure, figure.add_subplot()
            return display.ax_

        display._begin = begin
        buffer = io.BytesIO()
        display.plot().figure_.savefig(buffer, format=form, dpi=_DPI, bbox_inches="tight")
    return buffer.getvalue()


# --------------------------------------------------------------------------------------------------------- larger ones
def _report(run: Run, prepared: Prepared, k: int | None) -> bytes:
    calls = {
        "python": python_of(run.found, run.asked, k, run.file),
        "shell": command_of(run.found, run.asked, k, run.file),
    }
    known = prepared.annotations
    with TemporaryDirectory(prefix="partita-report-") as folder, _drawing:
        path = Path(folder) / "report.html"
        told = None if known is None else known.to_dict("series")
        prepared.result.report(path, annotations=told, random_state=run.asked.seed, calls=calls)
        return path.read_bytes()


def _archive(run: Run, prepared: Prepared, k: int | None, asked: dict[str, str]) -> bytes:
    """All tables, the usual figures, the report and the script."""
    buffer = io.BytesIO()
    known = offers(run, prepared)
    wanted = [one["what"] for one in known["tables"]]
    wanted += [one["what"] for one in known["figures"] if one["what"] in _IN_ZIP]
    wanted += [one["what"] for one in known["others"] if one["what"] != "all"]
    forms = {one["what"]: one["formats"][0] for group in known.values() for one in group}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for what in wanted:
            content = _content(run, prepared, what, forms[what], asked, k)
            archive.writestr(f"{what.removeprefix('figure-')}.{forms[what]}", content)
    return buffer.getvalue()


def _stem(name: str) -> str:
    """A name that any file system and any header takes."""
    stem = name.removesuffix(".gz").rsplit(".", 1)[0]
    return re.sub(r"[^A-Za-z0-9._-]+", "_", stem).strip("._-")[:60] or "partita"


def _first_large(text: str) -> str:
    return text[:1].upper() + text[1:]
