"""Run cells of the leaderboard in processes of their own, each with one thread and a time limit.

A worker runs one cell after another, so that libraries are loaded and kernels compiled once; one that exceeds the limit
is ended and replaced. Ensembles come in order of their distinct rows: a method that timed out on one is not tried on
those that have at least as many distinct rows and objects.
"""

import sys
import time
import warnings
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks._answer_cells import is_timeout, key
from partita._workers import Lost, run_in_processes
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
def run_tasks(tasks, cells, store, *, limit, jobs, module=CONTESTANTS):
    """Run what is neither done nor hopeless; cells are stored as they come, and added to ``cells``."""
    waiting = [task for task in tasks if not is_done(task, cells, limit)]
    progress = Progress(len(waiting))

    def possible():
        """Tasks, looked at when a worker is free: what timed out meanwhile tells about larger ones."""
        for task in waiting:
            if is_hopeless(task, cells, limit):
                progress.skip()
            else:
                yield task

    run, ready = partial(run_task, module), partial(prepare, module)
    for task, figures in run_in_processes(run, possible(), jobs=jobs, limit=limit, prepare=ready):
        if isinstance(figures, Lost):
            figures = {"error": figures.why, **({"timeout": limit} if figures.late else {})}
        cell = {**task.head, **figures}
        cells[key(cell)] = cell
        store.add(cell)
        progress.show(cell)


def prepare(module):
    """What a process does before its first cell."""
    warnings.simplefilter("ignore")
    import_module(module).prepare()


def run_task(module, task):
    """The figures of a cell."""
    return run_cell(load_frozen(task.path), chosen(module)[task.head["method"], task.head["mode"]])


@lru_cache(maxsize=1)
def chosen(module):
    """The contestants of a module by name and mode."""
    return {(one.name, one.mode): one for one in import_module(module).contestants()}


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
