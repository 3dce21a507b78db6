"""Run a federation at the server: wait for the sites, run the algorithm, return its result."""

import os
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

from partita._optional import require
from partita.exceptions import FederationError, SiteError
from partita.federated._messages import MAX_MESSAGE
from partita.federated.flare._certificates import Kit, read_kit
from partita.federated.flare._children import Child, Workspace
from partita.federated.flare._files import OUTCOME, PROGRESS, RUN, STATUS, read_json, read_result, write_json
from partita.federated.flare._tls import check_certificates, refusals
from partita.federated.flare._workspace import job_folder, server_workspace

_LOOK = 0.05  # seconds between two looks at what the processes of NVFlare tell
_TELL = 5.0  # seconds between two lines on how far the run is
_LAST_WORDS = 3.0  # seconds for the coordinator to tell why, after NVFlare ended the job


def run_server(
    kit: str | os.PathLike[str],
    algorithm: str,
    settings: Mapping[str, Any],
    *,
    combine: str | None = None,
    timeout: float = 600.0,
    join_timeout: float = 600.0,
    modes: Mapping[str, Any] | None = None,
    max_message: int = MAX_MESSAGE,
    local: bool = False,
    grace: float = 5.0,
    workspace: str | os.PathLike[str] | None = None,
    tell: Callable[[str], None] = print,
) -> Any:
    """Run an algorithm over the sites of a federation, each on its own machine, and return its result.

    Parameters
    ----------
    kit : path
        The kit of the server, from `make_certificates`.
    algorithm : str
        "module:function" of installed code, called as ``function(settings, engine)`` at the server. What it returns is
        returned: arrays, numbers, text, bytes, None, and lists and dicts of these.
    settings : mapping
        What JSON can hold; it stays at the server, unless `combine` is given.
    combine : str, optional
        "module:function" of installed code, called as ``function(question, replies)``. With it the first site leads:
        the algorithm that the operator of that site named runs there, with these settings; this server sends its
        messages to all sites and returns to it what `combine` makes of their replies. The result stays at that site.
    timeout : float, default 600
        Seconds that a site has for each reply.
    join_timeout : float, default 600
        Seconds to wait for all sites to join.
    modes : mapping, optional
        What server and sites must have been started with alike, such as ``{"by": "rows"}``; see ``_modes.py``.
    max_message : int, default 1 GiB
        Bytes of the longest message.
    local : bool, default False
        Listen on 127.0.0.1 only.
    grace : float, default 5
        Seconds that a site whose connection is gone has to come back.
    workspace : path, optional
        Folder to make for NVFlare's files and logs, which is kept. Without it, a temporary one that is removed at the
        end, unless the run failed.
    tell : callable
        Called with each line for the operator.

    Returns
    -------
    object
        What the algorithm returned; an empty dict if the first site leads.

    Raises
    ------
    SiteError
        If a site does not join, dies, does not reply in time, or replies with an error; all such sites are named.
    """
    require("nvflare", extra="federated", purpose="running a federation over a network")
    own = read_kit(kit, "server")
    check_certificates(own)
    run = {
        "algorithm": algorithm,
        "settings": dict(settings),
        "combine": combine,
        "lead": combine is not None,
        "modes": dict(modes or {}),
        "sites": list(own.sites),
        "timeout": timeout,
        "max_message": max_message,
    }
    _check_port(own, local)
    with Workspace("server", workspace) as space:
        server_workspace(space.folder, own, local=local, grace=grace)
        job_folder(space.folder, own.sites)
        write_json(space.folder / RUN, run)
        with Child("server", space.folder, own.name, max_message) as child:
            _wait_for_sites(child, own, join_timeout, tell)
            return _wait_for_end(child, tell)


def _check_port(own: Kit, local: bool) -> None:
    """Raise OSError if the server cannot listen; NVFlare would start without."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1" if local else "", own.port))
        except OSError as error:
            raise OSError(f"the server cannot listen on port {own.port}: {error.strerror}") from error


def _wait_for_sites(child: Child, own: Kit, seconds: float, tell: Callable[[str], None]) -> None:
    """Return once all sites joined; tell the operator who is missing and which connections were refused."""
    end, told, n_refused = time.monotonic() + seconds, "", 0
    while True:
        status = _status(child)
        if status.get("job"):
            tell(f"server: all {len(own.sites)} sites are connected; the run starts")
            return
        missing = [name for name in own.sites if name not in status.get("connected", [])]
        there = len(own.sites) - len(missing)
        line = f"server: waiting for {', '.join(missing)} ({there} of {len(own.sites)} connected)"
        if line != told:
            tell(line)
            told = line
        refused = refusals(child.output())
        for words in refused[n_refused:]:
            tell(f"server: {words}")
        n_refused = len(refused)
        if time.monotonic() > end:
            raise SiteError(dict.fromkeys(missing, f"did not join within {seconds:g} seconds"))
        time.sleep(_LOOK)


def _wait_for_end(child: Child, tell: Callable[[str], None]) -> Any:
    """Return what the algorithm returned, or raise what it raised; tell the operator how far it is."""
    ended, told, last = None, 0, time.monotonic()
    while (outcome := read_json(child.folder / OUTCOME)) is None:
        status = _status(child)
        made = int((read_json(child.folder / PROGRESS) or {}).get("n_exchanges", 0))
        if made > told and time.monotonic() - last > _TELL:
            tell(f"server: {made} exchanges so far")
            told, last = made, time.monotonic()
        if status.get("ended") or status.get("lost"):  # the coordinator usually says more, within a moment
            ended = ended or time.monotonic()
            if time.monotonic() - ended > _LAST_WORDS:
                raise _stopped(status)
        time.sleep(_LOOK)
    if outcome["sites"]:
        raise SiteError(outcome["sites"])
    if outcome["failed"]:
        raise FederationError(f"the algorithm failed: {outcome['failed']}")
    return read_result(child.folder)


def _stopped(status: Mapping[str, Any]) -> Exception:
    """What to raise when the job ended without a word of the coordinator."""
    if status.get("lost"):
        return SiteError(status["lost"])
    return FederationError(f"the run ended without a result: {status['ended']}")


def _status(child: Child) -> dict[str, Any]:
    if child.ended is not None:
        raise FederationError(f"NVFlare's server process ended (exit code {child.ended}): {child.last_words()}")
    return read_json(child.folder / STATUS) or {}
