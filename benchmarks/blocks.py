"""Labels in blocks: time and peak memory of one machine and of Dask workers, and what travels between them.

    python -m benchmarks blocks make FOLDER --objects 100000000 --columns 5 --files 50
    python -m benchmarks blocks run FOLDER --method lwgp             # default: k is found
    python -m benchmarks blocks run FOLDER --method bce --workers 2  # on Dask workers, started here
    python -m benchmarks blocks dask                                 # overhead, bytes per pass, one worker and two

Labels are those of 8 clusters, each clustering with 6 to 14 labels of its own, and a share of the labels at random.
Each run is a process of its own, so that its peak memory is its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_TRUTH = 8
_NOISE = 0.1


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks blocks", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("folder", type=Path)
    make.add_argument("--objects", type=int, default=100_000_000)
    make.add_argument("--columns", type=int, default=5)
    make.add_argument("--files", type=int, default=50)
    make.add_argument("--noise", type=float, default=_NOISE)
    run = commands.add_parser("run")
    run.add_argument("folder", type=Path)
    run.add_argument("--method", default="lwgp")
    run.add_argument("--jobs", type=int, default=1)
    run.add_argument("--workers", type=int, default=0)
    run.add_argument("--max-memory", help="what PARTITA_MAX_MEMORY is set to")
    commands.add_parser("dask")
    child = commands.add_parser("child")
    child.add_argument("settings")
    chosen = parser.parse_args(arguments)
    if chosen.command == "make":
        make_files(chosen.folder, chosen.objects, chosen.columns, chosen.files, chosen.noise)
    elif chosen.command == "run":
        print_runs([run_one(chosen.folder, chosen.method, chosen.jobs, chosen.workers, chosen.max_memory)])
    elif chosen.command == "dask":
        compare_dask()
    else:
        print(json.dumps(fit_here(json.loads(chosen.settings))))


# --------------------------------------------------------------------------------------------------------------- data
def make_files(folder, n_objects, n_columns, n_files, noise):
    """One NPY file of int8 labels per part, and the clusters they come from."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    widths = rng.integers(6, 15, size=n_columns)
    maps = [rng.permutation(np.arange(_TRUTH) % width) for width in widths]
    (folder / "truth").mkdir(exist_ok=True)
    for number, part in enumerate(np.array_split(np.zeros(n_objects, dtype=np.int8), n_files)):
        rng = np.random.default_rng([1, number])
        truth = rng.integers(_TRUTH, size=len(part), dtype=np.int8)
        labels = np.empty((len(part), n_columns), dtype=np.int8)
        for j, (width, place) in enumerate(zip(widths, maps, strict=True)):
            labels[:, j] = place[truth]
            flipped = rng.random(len(part)) < noise
            labels[flipped, j] = rng.integers(width, size=int(flipped.sum()), dtype=np.int8)
        np.save(folder / f"part-{number:04d}.npy", labels)
        np.save(folder / "truth" / f"part-{number:04d}.npy", truth)


# --------------------------------------------------------------------------------------------------------------- runs
def run_one(folder, method, jobs=1, workers=0, max_memory=None):
    """One fit in a process of its own; what it tells of itself."""
    settings = {"folder": str(folder), "method": method, "jobs": jobs, "workers": workers}
    environment = dict(os.environ)
    if max_memory:
        environment["PARTITA_MAX_MEMORY"] = max_memory
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks", "blocks", "child", json.dumps(settings)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        raise SystemExit(told.stderr[-2000:])
    return json.loads(told.stdout.splitlines()[-1])


def fit_here(settings):
    """Fit in this process, on workers if asked for; the kernels are compiled before."""
    import partita

    partita.warm_up()
    how = measure_passes if settings.get("passes") else measure
    if not settings["workers"]:
        return how(settings, None)
    with dask_workers(settings["workers"]) as client:
        client.run(partita.warm_up)
        return how(settings, client)


def measure(settings, client):
    from sklearn.metrics import adjusted_rand_score

    from partita import LabelBlocks, consensus
    from partita.consensus._methods import METHODS

    made = getattr(consensus, METHODS[settings["method"]].estimator)
    parameters = {"random_state": 0, "n_jobs": settings["jobs"]}
    if settings["method"] not in ("lwgp", "nbce"):
        parameters["n_clusters"] = _TRUTH
    if settings["method"] == "nbce":
        parameters["inference"] = "vb"
    known = made().get_params()
    model = made(**{name: value for name, value in parameters.items() if name in known})
    blocks = LabelBlocks.from_files(settings["folder"], client=client)
    before, start = bytes_of_loopback(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(blocks)
    seconds = time.perf_counter() - start
    moved, peak = bytes_of_loopback() - before, peak_memory()
    first = sorted((Path(settings["folder"]) / "truth").glob("*.npy"))[0]
    truth = np.load(first)
    return {
        **settings,
        "objects": len(model.labels_),
        "clusters": model.n_clusters_,
        "seconds": seconds,
        "peak_mib": peak / 2**20,
        "iterations": int(getattr(model, "n_iter_", 0)),
        "loopback_mib": moved / 2**20,
        "ari": float(adjusted_rand_score(truth[:1_000_000], model.labels_[: len(truth)][:1_000_000])),
        "beyond_memory": type(model._judged).__name__ == "JudgedParts",
        "limit": os.environ.get("PARTITA_MAX_MEMORY", ""),
    }


def peak_memory():
    """Largest resident memory of this process so far, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def bytes_of_loopback():
    """What went over the loopback interface so far."""
    import psutil

    return psutil.net_io_counters(pernic=True)["lo"].bytes_sent


@contextmanager
def dask_workers(n_workers):
    """A scheduler and workers on 127.0.0.1, one thread each."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder:
        file, quiet = Path(folder) / "scheduler.json", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        here = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
        started = [subprocess.Popen([sys.executable, "-m", "dask", "scheduler", "--port", "0", *here], **quiet)]
        try:
            while not file.exists():
                time.sleep(0.1)
            started += [
                subprocess.Popen(
                    [sys.executable, "-m", "dask", "worker", "--nthreads", "1", "--local-directory", folder, *here],
                    **quiet,
                )
                for _ in range(n_workers)
            ]
            with Client(scheduler_file=str(file)) as client:
                client.wait_for_workers(n_workers)
                yield client
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


# --------------------------------------------------------------------------------------------------------------- Dask
_PASSES = {"mixture": 10, "BCE": 3}


def compare_dask():
    """Seconds and bytes of a pass over all rows beyond memory, as n grows: in one process, one worker, two."""
    print("method, objects, where: seconds per pass, bytes on the wire per pass, ratio to one process")
    with tempfile.TemporaryDirectory() as folder:
        for n in (250_000, 1_000_000, 4_000_000):
            data = Path(folder) / str(n)
            make_files(data, n, 10, 16, 0.3)
            passes = {workers: run_passes(data, workers) for workers in (0, 1, 2)}
            for method in passes[0]:
                for workers, measured in passes.items():
                    seconds, moved = measured[method]
                    ratio = seconds / passes[0][method][0]
                    where = f"{workers} workers" if workers else "one process"
                    print(f"{method}, {n:,}, {where}: {seconds:.3f} s, {moved / 1024:.0f} KiB, {ratio:.2f}", flush=True)


def run_passes(folder, workers):
    """The E-steps of the mixture and of BCE, some times each, in a process of its own."""
    settings = {"folder": str(folder), "passes": True, "workers": workers}
    command = [sys.executable, "-m", "benchmarks", "blocks", "child", json.dumps(settings)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise SystemExit(told.stderr[-2000:])
    return json.loads(told.stdout.splitlines()[-1])


def measure_passes(settings, client):
    from partita import BCE, LabelBlocks
    from partita.blocks._fit import engine_for
    from partita.blocks._journal import Journal
    from partita.blocks.beyond._models import expect_memberships, expect_mixture
    from partita.blocks.beyond._parts import make_parts
    from partita.consensus.models._bce_steps import BCEState

    model, blocks = BCE(_TRUTH, random_state=0), LabelBlocks.from_files(settings["folder"], client=client)
    parts = make_parts(blocks, model, engine_for(blocks, model), Journal())
    rng, t = np.random.default_rng(0), parts.layout.n_cells
    table, none = rng.random((t, _TRUTH)), np.empty((0, _TRUTH))
    questions = {
        "mixture": (expect_mixture, (np.log(table), np.full(_TRUTH, -2.0))),
        "BCE": (expect_memberships, (BCEState(np.full(_TRUTH, 0.1), table, none, none), 0.0, 5)),
    }
    measured = {}
    for name, (function, values) in questions.items():
        parts.total(name, function, values)  # the first one loads what is needed
        before, start = bytes_of_loopback(), time.perf_counter()
        for _ in range(_PASSES[name]):
            parts.total(name, function, values)
        moved = bytes_of_loopback() - before
        measured[name] = ((time.perf_counter() - start) / _PASSES[name], moved / _PASSES[name])
    return measured


def print_runs(runs):
    for run in runs:
        where = f"{run['workers']} workers" if run["workers"] else "one process"
        if run["beyond_memory"]:
            where += f", beyond {run['limit']}"
        passes = max(run["iterations"], 1)
        print(
            f"{run['method']}, {run['objects']:,} objects, {where}: {run['seconds']:.1f} s, peak {run['peak_mib']:.0f} "
            f"MiB, {run['clusters']} clusters, ARI {run['ari']:.4f}, {run['iterations']} iterations, "
            f"{run['seconds'] / passes:.2f} s and {run['loopback_mib'] / passes:.2f} MiB on the wire per iteration",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
