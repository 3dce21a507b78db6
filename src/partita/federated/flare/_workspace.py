"""The folders in which NVFlare runs at the server and at a site, with the settings and the policy of each.

They are written anew for each run, by the code that the party installed: a kit brings keys and the server's address,
and nothing in it, nor in a job, can change what a site allows.
"""

import json
from pathlib import Path
from typing import Any

from partita.federated.flare._certificates import Kit

PROJECT = "partita"
SCHEME = "grpc"
APP = "app"
LOG = "log.txt"
_APPS = "partita.federated.flare._app"
COORDINATOR = f"{_APPS}.CoordinatorApp"
SITE = f"{_APPS}.SiteApp"
CONTROLLER = "nvflare.collab.runtime.controller.CollabController"
EXECUTOR = "nvflare.collab.runtime.executor.CollabExecutor"
_WATCHES = "partita.federated.flare._steward"
# Seconds between two requests of a site for a task. Collab has two tasks, at the start; all later messages are calls.
_TASK_INTERVAL = 0.5
_FIRST_TASKS = 0.1
# The role under which the server submits its one job; sites let it submit and do nothing else.
ROLE = "coordinator"
_FORBIDDEN = (
    "clone_job", "manage_job", "download_job", "view", "operate", "shell_commands", "byoc", "server-predeployed-flwr"
)  # fmt: skip


def server_workspace(folder: Path, kit: Kit, *, local: bool, grace: float) -> None:
    """Write the folder of the server; it listens on 127.0.0.1 if `local`, else on all addresses of the machine."""
    # NVFlare listens on a loopback address if this is one, and else on all addresses: it has no other choice.
    host = "127.0.0.1" if local else kit.server
    server = {
        "name": PROJECT,
        "service": {"target": f"{host}:{kit.port}", "scheme": SCHEME},
        "admin_server": host,
        "admin_port": kit.port,
        **_security(kit),
        "max_num_clients": len(kit.sites),
        # A site that is gone is noticed by its closed connection; this only forgets sites that left without a word.
        "heart_beat_timeout": 60,
        "shutdown_period": 1.0,
        "check_engine_frequency": 0.2,
        "admin_timeout": 10.0,
    }
    _startup(folder, kit, "fed_server.json", {"servers": [server]})
    _local(folder, [CONTROLLER, COORDINATOR], _server_resources(folder))
    _watch(folder, "Steward", sites=list(kit.sites), grace=grace)


def site_workspace(folder: Path, kit: Kit, *, grace: float) -> None:
    """Write the folder of a site."""
    server = {
        "name": PROJECT,
        "service": {"target": f"{kit.server}:{kit.port}", "scheme": SCHEME},
        "identity": "server",
    }
    client = {"fqsn": kit.name, "is_leaf": True, **_security(kit)}
    _startup(folder, kit, "fed_client.json", {"servers": [server], "client": client})
    resources = {"allow_log_streaming": False, "client": {"retry_timeout": 30}, "components": _site_components()}
    _local(folder, [EXECUTOR, SITE], resources)
    _watch(folder, "Guard", grace=grace)


def job_folder(folder: Path, sites: tuple[str, ...]) -> Path:
    """Write the job: names of installed classes, and no code. All settings of the run stay at the server."""
    job = folder / "job"
    controller = _part("controller", CONTROLLER, server_obj_id="coordinator", sync_task_timeout=60)
    _write(
        job / APP / "config" / "config_fed_server.json",
        {
            "format_version": 2,
            "server": {"task_request_interval": _TASK_INTERVAL},
            "workflows": [controller],
            "components": [_part("coordinator", COORDINATOR)],
        },
    )
    executor = {"tasks": ["*"], "executor": {"path": EXECUTOR, "args": {"client_obj_id": "site"}}}
    _write(
        job / APP / "config" / "config_fed_client.json",
        {
            "format_version": 2,
            "default_task_fetch_interval": _FIRST_TASKS,
            "executors": [executor],
            "components": [_part("site", SITE)],
        },
    )
    meta = {
        "name": PROJECT,
        "resource_spec": {},
        "min_clients": len(sites),
        "mandatory_clients": list(sites),
        "deploy_map": {APP: ["server", *sites]},
    }
    _write(job / "meta.json", meta)
    return job


def _security(kit: Kit) -> dict[str, str]:
    return {
        "ssl_private_key": kit.key.name,
        "ssl_cert": kit.certificate.name,
        "ssl_root_cert": kit.authority.name,
        "connection_security": "mtls",
    }


def _startup(folder: Path, kit: Kit, name: str, content: dict[str, Any]) -> None:
    startup = folder / "startup"
    startup.mkdir(parents=True)
    for file in (kit.certificate, kit.key, kit.authority):
        (startup / file.name).symlink_to(file.resolve())  # a key stays where its owner put it
    # The one job is the server's own, and sites judge it by its classes: there is no third party who would sign it.
    _write(startup / name, {"format_version": 2, "require_signed_jobs": False, **content})


def _local(folder: Path, classes: list[str], resources: dict[str, Any]) -> None:
    """Write policy and settings; `classes` are the only ones that a job may name."""
    policy = {"format_version": 2, "class_list_enforcement_mode": "enforce", "class_allow_list": classes}
    _write(folder / "local" / "resources.json", {**policy, **resources})
    permissions = {ROLE: {"submit_job": "any", **dict.fromkeys(_FORBIDDEN, "none")}}
    _write(folder / "local" / "authorization.json", {"format_version": "1.0", "permissions": permissions})
    _write(folder / "local" / "log_config.json", _log_config())
    (folder / "transfer").mkdir()


def _watch(folder: Path, name: str, **args: Any) -> None:
    """Add our watch to the parent process; files of this name are not read by the processes of jobs."""
    watch = _part("watch", f"{_WATCHES}.{name}", folder=str(folder), **args)
    _write(folder / "local" / "watch__p_resources.json", {"components": [watch]})


def _server_resources(folder: Path) -> dict[str, Any]:
    storage = "nvflare.app_common.storages.filesystem_storage.FilesystemStorage"
    snapshots = {"path": storage, "args": {"root_dir": str(folder / "snapshots"), "uri_root": "/"}}
    persistor = "nvflare.app_common.state_persistors.storage_state_persistor.StorageStatePersistor"
    manager = "nvflare.apis.impl.job_def_manager.SimpleJobDefManager"
    launcher = "nvflare.app_common.job_launcher.server_process_launcher.ServerProcessJobLauncher"
    scheduler = "nvflare.app_common.job_schedulers.job_scheduler.DefaultJobScheduler"
    return {
        "snapshot_persistor": {"path": persistor, "args": {"uri_root": "/", "storage": snapshots}},
        "components": [
            _part("job_scheduler", scheduler, max_jobs=1, min_schedule_interval=1.0),
            _part("job_manager", manager, uri_root=str(folder / "jobs"), job_store_id="job_store"),
            _part("job_store", storage),
            _part("process_launcher", launcher),
        ],
    }


def _site_components() -> list[dict[str, Any]]:
    manager = "nvflare.app_common.resource_managers.gpu_resource_manager.GPUResourceManager"
    consumer = "nvflare.app_common.resource_consumers.gpu_resource_consumer.GPUResourceConsumer"
    launcher = "nvflare.app_common.job_launcher.client_process_launcher.ClientProcessJobLauncher"
    return [
        _part("resource_manager", manager, num_of_gpus=0, mem_per_gpu_in_GiB=0, expiration_period=300),
        _part("resource_consumer", consumer),
        _part("process_launcher", launcher),
    ]


def _log_config() -> dict[str, Any]:
    """All that NVFlare tells goes to a file: the operator's terminal shows our lines only."""
    style = {
        "()": "nvflare.fuel.utils.log_utils.BaseFormatter",
        "fmt": "%(asctime)s %(name)s %(levelname)s %(message)s",
    }
    handler = {
        "class": "logging.handlers.RotatingFileHandler", "level": "INFO", "formatter": "plain", "filename": LOG,
        "mode": "a", "maxBytes": 20 << 20, "backupCount": 2,
    }  # fmt: skip
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": style},
        "handlers": {"file": handler},
        # Collab tells every call in two lines; a run has thousands.
        "loggers": {"root": {"level": "INFO", "handlers": ["file"]}, "nvflare.collab": {"level": "WARNING"}},
    }


def _part(identity: str, path: str, **args: Any) -> dict[str, Any]:
    return {"id": identity, "path": path, "args": args}


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
