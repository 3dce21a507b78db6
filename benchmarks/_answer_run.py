"""Run cells of the leaderboard in processes of their own, each with one thread and a time limit.

A worker runs one cell after another, so that libraries are loaded and kernels compiled once; one that exceeds the limit
is ended and replaced. Ensembles come in order of their distinct rows: a method that timed out on one is not tried on
those that have at least as many distinct rows and objects.
"""

import multiprocessing
import os
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks._answer_cells import is_timeout, key
from benchmarks._harness import PINNED
from partita.experiments import load_frozen

CONTESTANTS = "benchmarks._answer_contestants"  # a module with functions contestants() and prepare()


class Task(NamedTuple):
    """A cell to be run."""

    path: str
    head: dict[str, Any]  # what the cell is the result of
    most_rows: int

    @property
    def line(self):
        return self.head["method"], self.head["mode"], self.head["version"]


# -------------------------------------------------------------------------------------------------- what is to be run
def tasks_of(folder, module=CONTESTANTS, methods=None):
    """All cells, by number of distinct rows."""
    chosen = [one for one in import_module(module).contestants() if methods is None or one.name in methods]
    unknown = set(methods or ()) - {one.name for one in chosen}
    if unknown:
        raise SystemExit(f"there is no method {sorted(unknown)[0]!r} to run")
    ensembles = sorted((ensemble_head(path), str(path)) for path in sorted(Path(folder).glob("*.npz")))
    if not ensembles:
        raise SystemExit(f"{folder} has no frozen ensembles; make them with python -m benchmarks ensembles")
    return [
        Task(path, {**dict(head), "method": one.name, "mode": one.mode, "version": one.version}, one.most_rows)
        for (_, head), path in ensembles
        for one in chosen
    ]


def ensemble_head(path):
    """Size and description of an ensemble, to sort by."""
    frozen = load_frozen(path)
    rows = len(np.unique(frozen.labels, axis=0))
    about = {name: frozen.about[name] for name in ("data", "recipe", "half")}
    head = {"hash": frozen.hash, **about, "n": len(frozen.labels), "rows": rows, "classes": frozen.n_classes}
    return rows, tuple(head.items())


def is_done(task, cells, limit):
    """Whether a cell has a result; a time-out counts if the limit was not lower than it is now."""
    cell = cells.get(key(task.head))
    return cell is not None and (not is_timeout(cell) or cell["timeout"] >= limit)


def is_hopeless(task, cells, limit):
    """Whether the method is known to be too slow for an ensemble of this size.

    Distinct rows alone do not tell: some methods cost by the object, such as the sampler of NBCE.
    """
    rows, n = task.head["rows"], task.head["n"]
    return rows > task.most_rows or any(
        is_timeout(cell) and cell["timeout"] >= limit and cell["rows"] <= rows and cell["n"] <= n
        for cell in cells.values()
        if (cell["method"], cell["mode"], cell["version"]) == task.line
    )


# ------------------------------------------------------------------------------------------------------ the processes
def work(connection, module):
    """Run the cells that come through the connection, until it closes."""
    warnings.simplefilter("ignore")
    source = import_module(module)
    source.prepare()
    chosen = {(one.name, one.mode): one for one in source.contestants()}
    with suppress(EOFError, BrokenPipeError):
        connection.send("ready")
        while True:
            path, method, mode = connection.recv()
            connection.send(run_cell(load_frozen(path), chosen[method, mode]))


def run_cell(frozen, contestant):
    """The figures of one method on one ensemble."""
    start = time.perf_counter()
    try:
        labels = np.asarray(contestant.run(frozen.labels, frozen.n_classes))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    seconds = time.perf_counter() - start
    counted = frozen.truth >= 0
    truth, found = frozen.truth[counted], labels[counted]
    return {
        "ari": round(float(adjusted_rand_score(truth, found)), 4),
        "nmi": round(float(normalized_mutual_info_score(truth, found)), 4),
        "k": len(np.unique(labels)),
        "seconds": round(seconds, 4 if seconds < 1 else 2),
    }


@contextmanager
def _pinned():
    """One thread for the processes that start meanwhile; libraries read the variables when they are loaded."""
    before = {name: os.environ.get(name) for name in PINNED}
    os.environ.update(PINNED)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Worker:
    """A process, the cell it runs, and when that must be done."""

    def __init__(self, module):
        context = multiprocessing.get_context("spawn")
        self.connection, far = context.Pipe()
        self.process = context.Process(target=work, args=(far, module), daemon=True)
        with _pinned():
            self.process.start()
        far.close()
        self.task, self.deadline = None, None
        self.is_ready = False

    def give(self, task, limit):
        self.task, self.deadline = task, time.monotonic() + limit
        self.connection.send((task.path, task.head["method"], task.head["mode"]))

    def end(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_tasks(tasks, cells, store, *, limit, jobs, module=CONTESTANTS):
    """Run what is neither done nor hopeless; cells are stored as they come, and added to ``cells``."""
    run = Run([task for task in tasks if not is_done(task, cells, limit)], cells, store, limit, module)
    if any(not is_hopeless(task, cells, limit) for task in run.waiting):
        run.workers = [Worker(module) for _ in range(min(jobs, len(run.waiting)))]
    try:
        while run.give_work():
            run.listen()
            run.end_late_ones()
    finally:
        for worker in run.workers:
            worker.end()


class Run:
    """The cells that wait, and the workers."""

    def __init__(self, waiting, cells, store, limit, module):
        self.waiting, self.cells, self.store, self.limit, self.module = waiting, cells, store, limit, module
        self.progress = Progress(len(waiting))
        self.workers = []

    def give_work(self):
        """Give cells to the workers that have none; whether any works now, or will."""
        for worker in self.workers:
            if worker.is_ready and worker.task is None:
                task = self.next_task()
                if task is not None:
                    worker.give(task, self.limit)
        return bool(self.workers and self.waiting) or any(worker.task for worker in self.workers)

    def next_task(self):
        while self.waiting:
            task = self.waiting.pop(0)
            if not is_hopeless(task, self.cells, self.limit):
                return task
            self.progress.skip()
        return None

    def listen(self):
        """Take what workers say within half a second."""
        said = wait([worker.connection for worker in self.workers], timeout=0.5)
        for worker in [worker for worker in self.workers if worker.connection in said]:
            try:
                figures = worker.connection.recv()
            except (EOFError, ConnectionResetError):
                self.replace_ended(worker)
                continue
            if worker.is_ready:
                self.finish(worker, figures)
            worker.is_ready = True

    def end_late_ones(self):
        for worker in [one for one in self.workers if one.task and time.monotonic() > one.deadline]:
            self.finish(worker, {"error": f"not done in {self.limit:g} s", "timeout": self.limit})
            self.replace(worker)

    def replace_ended(self, worker):
        """Another worker for one whose process has ended by itself."""
        worker.process.join(5)
        said = f"exit code {worker.process.exitcode}"
        if worker.task is None:
            raise SystemExit(f"a worker ended without work ({said})")
        self.finish(worker, {"error": f"the process ended ({said})"})
        self.replace(worker)

    def replace(self, worker):
        worker.end()
        self.workers.remove(worker)
        if self.waiting:
            self.workers.append(Worker(self.module))

    def finish(self, worker, figures):
        cell = {**worker.task.head, **figures}
        worker.task = None
        self.cells[key(cell)] = cell
        self.store.add(cell)
        self.progress.show(cell)


class Progress:
    """A line per cell: how many are done, and the time left if the others take as long on average."""

    def __init__(self, total):
        self.total, self.done, self.begun = total, 0, time.monotonic()

    def skip(self):
        self.total -= 1

    def show(self, cell):
        self.done += 1
        left = (time.monotonic() - self.begun) / self.done * (self.total - self.done)
        result = cell.get("error") or f"ARI {cell['ari']:.3f}, k {cell['k']}, {cell['seconds']:.2f} s"
        head = f"{self.done}/{self.total} {cell['data']}.{cell['recipe']} {cell['method']} (k {cell['mode']})"
        print(f"{head}: {result}; about {left / 60:.1f} min left", file=sys.stderr, flush=True)
