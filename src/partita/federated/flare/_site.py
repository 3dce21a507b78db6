"""Take part in a federation as a site: answer the server until the run ends."""

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from partita._optional import require
from partita.exceptions import FederationError
from partita.federated._messages import MAX_MESSAGE
from partita.federated.flare._certificates import read_kit
from partita.federated.flare._children import Child, Workspace
from partita.federated.flare._files import OUTCOME, RESULT, RUN, STATUS, read_json, read_result, write_json
from partita.federated.flare._tls import check_certificates, reach_server
from partita.federated.flare._workspace import site_workspace

_LOOK = 0.05  # seconds between two looks at what the processes of NVFlare tell
_LAST_REPLY = 0.3  # seconds for the last reply to reach the server
_LAST_WORDS = 2.0  # seconds for the app to tell how the run ended, after its process is gone


def run_site(
    kit: str | os.PathLike[str],
    answerer: str,
    settings: Mapping[str, Any],
    *,
    algorithm: str | None = None,
    timeout: float = 600.0,
    join_timeout: float = 600.0,
    modes: Mapping[str, Any] | None = None,
    max_message: int = MAX_MESSAGE,
    grace: float = 15.0,
    workspace: str | os.PathLike[str] | None = None,
    tell: Callable[[str], None] = print,
) -> Any:
    """Answer the questions of a federation's server from this site's own data, until the run ends.

    Parameters
    ----------
    kit : path
        The kit of this site, from `make_certificates`.
    answerer : str
        "module:function" of installed code, called as ``function(settings)``; what it returns has
        ``answer(question, values)``.
    settings : mapping
        What JSON can hold, such as the path of the data. It stays at this site.
    algorithm : str, optional
        "module:function" of installed code, for the first site of an encrypted run, which leads: called as
        ``function(settings of the server, engine)``, where ``engine.relay(question, values)`` asks all sites.
    timeout : float, default 600
        Seconds that a leading site waits for an exchange; as at the server.
    join_timeout : float, default 600
        Seconds to wait for the server to be there.
    modes : mapping, optional
        What server and sites must have been started with alike, such as ``{"by": "rows"}``; see ``_modes.py``.
    max_message : int, default 1 GiB
        Bytes of the longest reply that this site sends.
    grace : float, default 15
        Seconds without a connection to the server after which it is taken as gone.
    workspace : path, optional
        Folder to make for NVFlare's files and logs, which is kept. Without it, a temporary one that is removed at the
        end, unless the run failed.
    tell : callable
        Called with each line for the operator.

    Returns
    -------
    object
        What the algorithm returned, at the site that led an encrypted run; None at others.

    Raises
    ------
    ConnectionError
        If the server is not there, is not the one of this federation, refuses the certificate, or is gone.
    FederationError
        If the run failed.
    """
    require("nvflare", extra="federated", purpose="running a federation over a network")
    own = read_kit(kit, "site")
    check_certificates(own)
    run = {
        "answerer": answerer,
        "settings": dict(settings),
        "name": own.name,
        "modes": dict(modes or {}),
        "sites": list(own.sites),
        "timeout": timeout,
        "max_message": max_message,
    }
    if algorithm is not None:
        run["algorithm"] = algorithm
    reach_server(own, join_timeout, tell)
    with Workspace(own.name, workspace) as space:
        site_workspace(space.folder, own, grace=grace)
        write_json(space.folder / RUN, run)
        with Child("site", space.folder, own.name, max_message) as child:
            _wait_for_end(child, own.name, tell)
        tell(f"{own.name}: the run is complete")
        return read_result(space.folder) if (space.folder / RESULT).exists() else None


def _wait_for_end(child: Child, name: str, tell: Callable[[str], None]) -> None:
    """Return when the run is complete; raise with the reason if it is not."""
    told, ended = 0, None
    while (outcome := read_json(child.folder / OUTCOME)) is None:
        status = read_json(child.folder / STATUS)
        stage = 0 if status is None else 2 if status.get("job") else 1
        for words in ("connected; waiting for the run to start", "the run has started")[told:stage]:
            tell(f"{name}: {words}")
        told = max(told, stage)
        if status and status.get("gone"):
            raise ConnectionError(status["gone"])
        if status and status.get("ended"):
            ended = ended or time.monotonic()
            if time.monotonic() - ended > _LAST_WORDS:
                raise FederationError(_refusal(child.folder) or status["ended"])
        if child.ended is not None:
            raise FederationError(f"NVFlare's process ended (exit code {child.ended}): {child.last_words()}")
        time.sleep(_LOOK)
    time.sleep(_LAST_REPLY)
    if outcome["failed"]:
        raise FederationError(outcome["failed"])


def _refusal(folder: Path) -> str | None:
    """Whether the job was ended by this site's own policy, in words."""
    logs = [log.read_text(encoding="utf-8", errors="replace") for log in folder.glob("*/log.txt")]
    if any("is not in allow_list" in log for log in logs):
        return "the server asked for code that this site does not allow; none of it was run"
    return None
