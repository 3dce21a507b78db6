"""Start NVFlare's parent process of one party: `python -m partita.federated.flare._process server FOLDER server`.

Its standard input is a pipe from the process that started it. When that one ends, however it ends, the pipe closes, and
this one ends too, with the processes of the job.
"""

import argparse
import os
import sys
import threading

# To deploy, start and stop the job, and what the server asks around it.
_REQUESTS = (
    "AbortAppProcessor",
    "AbortTaskProcessor",
    "CancelResourceProcessor",
    "CheckResourceProcessor",
    "ClientStatusProcessor",
    "DeployProcessor",
    "NotifyJobStatusProcessor",
    "ScopeInfoProcessor",
    "ShutdownClientProcessor",
    "StartJobProcessor",
)


def main(role: str, folder: str, name: str) -> int:
    """Run until the federation ends; return NVFlare's exit code."""
    from nvflare.fuel.f3.mpm import MainProcessMonitor

    _end_with_pipe()
    options = ["secure_train=true", "org=partita", "config_folder=config"]
    if role == "server":
        from nvflare.private.fed.app.server.server_train import main as run

        args = argparse.Namespace(workspace=folder, fed_server="fed_server.json", set=options)
    else:
        from nvflare.private.fed.app.client.client_train import main as run

        _keep_requests()
        # The heartbeat is how long a site needs at most to notice that the server forgot it.
        options = [*options, f"uid={name}", "heart_beat_interval=5"]
        args = argparse.Namespace(workspace=folder, fed_client="fed_client.json", set=options, local_rank=0)
    code = MainProcessMonitor.run(main_func=run, run_dir=folder, shutdown_grace_time=0, cleanup_grace_time=1, args=args)
    return int(code or 0)


def _keep_requests() -> None:
    """Answer only the server's requests that a run needs.

    NVFlare's sites also know requests to list and read files, to tell about the machine and to change its logs. They
    ask the site's policy only if the server says that they should: without these requests, nothing is left to its word.
    """
    from nvflare.private.fed.client.client_req_processors import ClientRequestProcessors

    known = ClientRequestProcessors.request_processors
    ClientRequestProcessors.request_processors = [part for part in known if type(part).__name__ in _REQUESTS]
    if len(ClientRequestProcessors.request_processors) != len(_REQUESTS):
        raise RuntimeError(
            "this version of NVFlare has other requests than the one that partita was written for, which is 2.9"
        )


def _end_with_pipe() -> None:
    import psutil

    def watch() -> None:
        sys.stdin.buffer.read()
        for child in psutil.Process().children(recursive=True):
            child.kill()  # also one that was stopped and cannot end by itself
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="partita-pipe").start()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
