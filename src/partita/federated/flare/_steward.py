"""What partita adds to NVFlare's parent processes: it starts the one job at the server, and watches the connections.

NVFlare's administrator console is not used: no administrator has a certificate, so nobody can log in to it.
"""

import json
import logging
import os
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import psutil
from nvflare.apis.event_type import EventType
from nvflare.apis.fl_component import FLComponent
from nvflare.apis.fl_constant import SystemComponents
from nvflare.private.fed.server.job_meta_validator import JobMetaValidator

from partita.federated.flare._files import STATUS, write_json
from partita.federated.flare._workspace import PROJECT, ROLE

_LOOK = 0.1  # seconds between two looks at the connections
# When a site is lost, NVFlare ends the processes of the others within seconds. Those lost later than this, after the
# first one, were ended by it.
_TOGETHER = 0.5
_logger = logging.getLogger(__name__)


class _Watch(FLComponent):  # type: ignore[misc]
    """Looks again and again, from the moment at which NVFlare is up, and writes what changed to the status file."""

    def __init__(self, folder: str, grace: float) -> None:
        super().__init__()
        self._folder = Path(folder)
        self._grace = grace
        self._told = ""

    def handle_event(self, event_type: str, fl_ctx: Any) -> None:
        """Start to watch once the process is up."""
        if event_type == EventType.SYSTEM_START:
            threading.Thread(target=self._watch, args=[fl_ctx.get_engine()], daemon=True).start()

    def _watch(self, engine: Any) -> None:
        while True:
            try:
                status = self._status(engine)
            except Exception as error:
                _logger.exception("the watch failed")
                status = {"ended": f"{type(error).__name__}: {error}"}
            if (told := json.dumps(status)) != self._told:
                self._told = told
                write_json(self._folder / STATUS, status)
            if status.get("ended"):
                return
            time.sleep(_LOOK)

    def _status(self, engine: Any) -> dict[str, Any]:
        raise NotImplementedError


class Steward(_Watch):
    """At the server: submits the job when all sites are there, and notes the sites whose connection is gone."""

    def __init__(self, folder: str, sites: list[str], grace: float) -> None:
        super().__init__(folder, grace)
        self._sites = sites
        self._job: str | None = None
        self._seen: dict[str, float] = {}  # when a site was last connected: its job, or before that its own process
        self._started: set[str] = set()  # sites whose job was connected once
        self._lost: dict[str, str] = {}

    def _status(self, engine: Any) -> dict[str, Any]:
        joined = {client.name for client in engine.get_clients()}
        connected = [name for name in self._sites if name in joined]
        if self._job is None and len(connected) == len(self._sites):
            self._job = _submit(self._folder, engine)
            self._seen = dict.fromkeys(self._sites, time.monotonic())
        ended = self._look(engine, self._job) if self._job is not None else None
        return {"connected": connected, "job": self._job, "lost": self._lost, "ended": ended}

    def _look(self, engine: Any, job: str) -> str | None:
        """Note lost sites; return how NVFlare ended the job, if it did."""
        now, agents = time.monotonic(), engine.server.cell.core_cell.agents
        self._started.update(name for name in self._sites if f"{name}.{job}" in agents)
        here = [name for name in self._sites if (f"{name}.{job}" if name in self._started else name) in agents]
        self._seen.update(dict.fromkeys(here, now))
        # NVFlare learns from a site that its process ended, and fails the job: no connection will come back.
        failed = job in engine.exception_run_processes
        since = {name: seen for name, seen in self._seen.items() if now - seen > (_LOOK if failed else self._grace)}
        if since and not self._lost:
            first = min(since.values())
            self._lost = {name: "died, or lost its connection" for name in since if since[name] <= first + _TOGETHER}
        manager = engine.get_component(SystemComponents.JOB_MANAGER)
        with engine.new_context() as context:
            meta = manager.get_job(job, context).meta
        if not str(meta["status"]).startswith("FINISHED"):
            return None
        if not self._lost:
            why = "could not start its part of the run; its log tells why"
            self._lost = dict.fromkeys([name for name in self._sites if name not in self._started], why)
        refused = [str(detail) for detail in meta.get("job_deploy_detail", []) if not str(detail).endswith(": OK")]
        return "; ".join([str(meta["status"]), *refused])


class Guard(_Watch):
    """At a site: notes when the server is gone, and when the process of the job ended."""

    def __init__(self, folder: str, grace: float) -> None:
        super().__init__(folder, grace)
        self._job: psutil.Process | None = None
        self._seen = time.monotonic()

    def _status(self, engine: Any) -> dict[str, Any]:
        now = time.monotonic()
        if "server" in engine.client.cell.core_cell.agents:
            self._seen = now
        gone = "the server is gone" if now - self._seen > self._grace else None
        ended = None
        # The process itself, not NVFlare's list of jobs: that one first tries for seconds to tell the server.
        self._job = self._job or next(iter(psutil.Process().children()), None)
        if self._job is not None and not (self._job.is_running() and self._job.status() != psutil.STATUS_ZOMBIE):
            ended = "the process that answers here ended: it was killed, or the server stopped the run"
        return {"job": self._job.pid if self._job else None, "gone": gone, "ended": ended}


def _submit(folder: Path, engine: Any) -> str:
    """Give the job to NVFlare, as its console would, and return its number."""
    archive = folder / "job.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in sorted((folder / "job").rglob("*")):
            zipped.write(file, os.path.join(PROJECT, file.relative_to(folder / "job")))
    valid, error, meta = JobMetaValidator().validate(PROJECT, str(archive))
    if not valid:
        raise RuntimeError(f"NVFlare refused the job: {error}")
    meta.update(submitter_name="server", submitter_org=PROJECT, submitter_role=ROLE, job_folder_name=PROJECT)
    manager = engine.get_component(SystemComponents.JOB_MANAGER)
    with engine.new_context() as context:
        job: str = manager.create(meta, str(archive), context)["job_id"]
    return job
