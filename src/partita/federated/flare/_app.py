"""What runs in the processes of the job: the coordinator at the server, and one app at each site.

NVFlare builds these two classes by their names; they are the only classes of partita that a job can name. What they run
is written in the workspace of each party by that party (`run.json`), never by the other side.
"""

import logging
import os
import threading
import time
from pathlib import Path
from typing import Any

from nvflare.collab import collab

from partita import __version__
from partita.exceptions import SiteError
from partita.federated._messages import pack, unpack
from partita.federated.flare._engine import FlareEngine, RelayEngine
from partita.federated.flare._files import OUTCOME, RUN, installed, read_json, write_json, write_result

_logger = logging.getLogger(__name__)
_STRANGER = "refused: only the server asks"
_FOREVER = 30 * 86400.0  # seconds that the server waits for a leading site; its death is noticed at once


class CoordinatorApp:
    """Runs the algorithm at the server, or relays the messages of the leading site."""

    def __init__(self) -> None:
        _end_with_parent()
        self._folder = Path()
        self._run: dict[str, Any] = {}
        self._engine: FlareEngine | None = None

    @collab.main  # type: ignore[untyped-decorator]
    def run(self) -> None:
        """Run the algorithm, tell the sites that it is over, and leave the result in the workspace."""
        self._folder = Path(collab.workspace.get_root_dir())
        self._run = read_json(self._folder / RUN) or {}
        proxies = {proxy.name: proxy for proxy in collab.clients}
        engine = FlareEngine(self._folder, self._run, proxies, collab.context.is_aborted)
        self._engine = engine
        try:
            engine.greet(__version__, self._run["modes"])
            result = self._lead(engine) if self._run["lead"] else self._coordinate(engine)
            write_result(self._folder, result)
            outcome: dict[str, Any] = {"failed": None, "sites": {}}
        except SiteError as error:
            outcome = {"failed": "sites", "sites": error.sites}
        except Exception as error:
            _logger.exception("the algorithm failed")
            named = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            outcome = {"failed": f"{named}{error}", "sites": {}}
        engine.tell_end(_words_for_sites(engine.names, outcome))
        write_json(self._folder / OUTCOME, outcome)

    def _coordinate(self, engine: FlareEngine) -> Any:
        return installed(self._run["algorithm"])(self._run["settings"], engine)

    def _lead(self, engine: FlareEngine) -> Any:
        """Let the first site run the algorithm; it sends its messages through `relay`."""
        return engine.lead(engine.names[0], self._run["settings"], _FOREVER)

    @collab.publish  # type: ignore[untyped-decorator]
    def relay(self, question: str, message: bytes) -> dict[str, Any]:
        """Send a message of the leading site to all sites, and return what `combine` makes of their replies."""
        engine = self._engine
        if engine is None or not self._run["lead"] or collab.caller != engine.names[0]:
            return {"refused": "only the leading site of an encrypted run may send messages"}
        try:
            replies = engine.send(question, unpack(message))
            return {"message": pack(installed(self._run["combine"])(question, replies))}
        except SiteError as error:
            return {"sites": error.sites}
        except Exception as error:
            _logger.exception("the replies could not be combined")
            return {"refused": f"it could not combine the replies ({type(error).__name__}: {error})"}


class SiteApp:
    """Answers at a site."""

    def __init__(self) -> None:
        _end_with_parent()
        self._folder = Path()
        self._run: dict[str, Any] = {}
        self._answerer: Any = None
        self._asking = threading.Lock()

    @collab.init  # type: ignore[untyped-decorator]
    def start(self) -> None:
        """Read what this site wants to run."""
        self._folder = Path(collab.workspace.get_root_dir())
        self._run = read_json(self._folder / RUN) or {}

    @collab.publish  # type: ignore[untyped-decorator]
    def hello(self) -> dict[str, Any]:
        """Make the answerer, which may take long, and tell whether the site is ready, and its version.

        Not in `start`: NVFlare would wait for that with a limit of its own, and not tell the server what went wrong.
        """
        if collab.caller != "server":
            return {"fault": _STRANGER}
        try:
            if self._answerer is None:  # once: a second one would have forgotten what the first one released
                self._answerer = installed(self._run["answerer"])(self._run["settings"])
        except Exception as error:
            return {"fault": f"could not start; it {_told(error)}"}
        return {"version": __version__, "modes": self._run["modes"]}

    @collab.publish  # type: ignore[untyped-decorator]
    def ask(self, question: str, message: bytes) -> dict[str, Any]:
        """Answer one question of the coordinator: {"message": bytes}, or {"fault": what happened}."""
        if collab.caller != "server":
            return {"fault": _STRANGER}
        try:
            with self._asking:  # an answerer keeps state, and is asked one question at a time
                reply = pack(self._answerer.answer(question, unpack(message)))
        except Exception as error:
            return {"fault": _told(error)}
        limit = int(self._run["max_message"])
        if len(reply) > limit:
            return {"fault": f"has a reply of {len(reply)} bytes; at most {limit} can be sent"}
        return {"message": reply}

    @collab.publish  # type: ignore[untyped-decorator]
    def lead(self, message: bytes) -> dict[str, Any]:
        """Run the algorithm here. Its result stays here; the server learns that it ended."""
        if collab.caller != "server" or "algorithm" not in self._run or self._run["name"] != self._run["sites"][0]:
            return {"fault": "does not lead: the first site does, in an encrypted run"}
        engine = RelayEngine(self._run, collab.server)
        try:
            write_result(self._folder, installed(self._run["algorithm"])(unpack(message), engine))
        except SiteError as error:
            return {"sites": error.sites}
        except Exception as error:
            return {"fault": _told(error)}
        return {"message": pack({})}

    @collab.publish  # type: ignore[untyped-decorator]
    def end(self, failed: str | None) -> None:
        """Note how the run ended; the site then ends by itself."""
        if collab.caller == "server":
            write_json(self._folder / OUTCOME, {"failed": failed})


def _words_for_sites(names: list[str], outcome: dict[str, Any]) -> dict[str, str | None]:
    """What each site is told about the end: its own fault, but of others only that they failed."""
    if outcome["failed"] is None:
        return dict.fromkeys(names)
    others = ", ".join(outcome["sites"])
    general = f"the run failed because of {others}" if others else "the run failed at the server"
    faults = outcome["sites"]
    return {name: f"the run failed: this site {faults[name]}" if name in faults else general for name in names}


def _told(error: Exception) -> str:
    """What the other side may know of an error: the text of a ValueError is written for it, others may hold data."""
    if isinstance(error, ValueError):
        return f"answered: {error}"
    _logger.error("the answer failed", exc_info=error)
    return f"raised {type(error).__name__} (the site's log has more)"


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="partita-parent").start()
