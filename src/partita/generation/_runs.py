"""Runs of base clusterers: tasks with seeds of their own, in threads; one that fails is noted and left out."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from partita._runs import Progress, in_order, progress
from partita._typing import Array, IntArray
from partita.exceptions import SkippedClusteringWarning

OK, FAILED, NOT_CONVERGED = "ok", "failed", "not converged"


class Found(NamedTuple):
    """What a base clusterer found among the objects it was given."""

    labels: Array  # negative: in no cluster
    place: Callable[[Any], Array] | None = None  # labels of new objects; None: that of the nearest object
    converged: bool = True
    n_iter: int = 1


Clusterer = Callable[[Any, Sequence[Any], int], list[Found]]  # (X, numbers of clusters or None, seed)


class Task(NamedTuple):
    """One call of a base clusterer: one sample of objects, one seed, one or more numbers of clusters."""

    algorithm: str
    cluster: Clusterer
    n_clusters: tuple[int | None, ...]
    n_sampled: int
    seed: int


class Run(NamedTuple):
    """One clustering, or the reason why there is none."""

    algorithm: str
    n_clusters: int | None  # asked for
    seed: int
    sample: IntArray | None  # objects it saw; None: all
    names: Array  # what the clusterer calls its clusters 0, 1, ...
    labels: IntArray  # of the objects it saw; -1 in no cluster
    place: Callable[[Any], Array] | None
    n_iter: int
    status: str
    message: str

    @property
    def has_labels(self) -> bool:
        """Whether there is a clustering to be used."""
        return self.status == OK


def run_tasks(X: Any, tasks: list[Task], *, n_jobs: int | None, show: bool) -> list[Run]:
    """Run all tasks; the result does not depend on the number of threads.

    Each task computes in one thread, since sums over several depend on their number. OpenMP's limit belongs to a
    thread, so it is set in each task; BLAS has one for the whole process, which is set here.
    """
    control = ThreadpoolController()
    with (
        progress(len(tasks), "clusterings", show=show) as bar,
        control.limit(limits=1, user_api="blas"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # what matters is noted in the manifest; threads share the filters
        run = partial(_run, X, control=control, bar=bar)
        return [one for several in in_order(run, tasks, n_jobs) for one in several]


def _run(X: Any, task: Task, *, control: ThreadpoolController, bar: Progress) -> list[Run]:
    sample = _draw(X.shape[0], task.n_sampled, task.seed)
    seen = X if sample is None else X[sample]
    try:
        with control.limit(limits=1, user_api="openmp"):
            found = task.cluster(seen, task.n_clusters, task.seed)
        _check_labels(found, seen.shape[0])
        runs = [_note(task, k, sample, one) for k, one in zip(task.n_clusters, found, strict=True)]
    except Exception as error:  # a base clusterer may raise anything, and must not take the others with it
        reason = f"{type(error).__name__}: {error}"
        nothing = Found(np.empty(0, dtype=np.int64))
        runs = [_note(task, k, sample, nothing)._replace(status=FAILED, message=reason) for k in task.n_clusters]
    bar.update(1)
    return runs


def _check_labels(found: list[Found], n: int) -> None:
    for one in found:
        if np.shape(one.labels) != (n,):
            raise ValueError(f"gave labels of shape {np.shape(one.labels)} for {n} objects")


def _draw(n: int, n_sampled: int, seed: int) -> IntArray | None:
    """A random sample of objects, without replacement, in their order."""
    if n_sampled >= n:
        return None
    # a stream of its own: clusterers start from the seed itself
    return np.sort(np.random.default_rng([seed, 1]).choice(n, n_sampled, replace=False))


def _note(task: Task, k: int | None, sample: IntArray | None, found: Found) -> Run:
    names = np.unique(found.labels[found.labels >= 0])
    labels = _number(found.labels, names)
    status, message = OK, ""
    if not found.converged:
        status, message = NOT_CONVERGED, "stopped before it converged; raise max_iter"
    elif len(names) == 0:
        status, message = FAILED, "found no cluster"
    return Run(task.algorithm, k, task.seed, sample, names, labels, found.place, found.n_iter, status, message)


def _number(labels: Array, names: Array) -> IntArray:
    """Labels as places among the names; -1 for others."""
    if len(names) == 0:
        return np.full(len(labels), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(names, labels), len(names) - 1)
    return np.where(names[place] == labels, place, -1).astype(np.int64)


def place_new(run: Run, X: Any, nearest: Callable[[Any, IntArray | None], IntArray]) -> IntArray:
    """Clusters of new objects; ``nearest`` gives the nearest object among a sample of the fitted ones."""
    if run.place is not None:
        return _number(np.asarray(run.place(X)), run.names)
    return np.asarray(run.labels[nearest(X, run.sample)])


def as_columns(runs: list[Run], n: int) -> IntArray:
    """The label matrix: one column a run, -1 where it did not see an object."""
    columns = np.full((n, len(runs)), -1, dtype=np.int64)
    for j, run in enumerate(runs):
        columns[slice(None) if run.sample is None else run.sample, j] = run.labels
    return columns


def as_manifest(runs: list[Run], n: int) -> pd.DataFrame:
    """One row a run, also of those that gave nothing."""
    return pd.DataFrame(
        {
            "name": _names(runs),
            "algorithm": [run.algorithm for run in runs],
            "n_clusters": pd.array([run.n_clusters for run in runs], dtype="Int64"),
            "n_found": [len(run.names) for run in runs],
            "n_sampled": [n if run.sample is None else len(run.sample) for run in runs],
            "seed": [run.seed for run in runs],
            "n_iter": [run.n_iter for run in runs],
            "status": [run.status for run in runs],
            "message": [run.message for run in runs],
        }
    )


def _names(runs: list[Run]) -> list[str]:
    """Algorithm, number of clusters and seed; a number more where that is not enough to tell runs apart."""
    names: list[str] = []
    times: dict[str, int] = {}
    for run in runs:
        name = run.algorithm + (f"_k{run.n_clusters}" if run.n_clusters is not None else "") + f"_seed{run.seed}"
        times[name] = times.get(name, 0) + 1
        names.append(name if times[name] == 1 else f"{name}_{times[name]}")
    return names


def warn_skipped(runs: list[Run]) -> None:
    """Say how many clusterings were left out, and why the first was; refuse if nothing is left."""
    skipped = [run for run in runs if not run.has_labels]
    if not skipped:
        return
    first = f"{skipped[0].algorithm} with n_clusters={skipped[0].n_clusters} {skipped[0].status}: {skipped[0].message}"
    if len(skipped) == len(runs):
        raise ValueError(f"none of {len(runs)} clusterings could be made. {first}")
    warnings.warn(
        f"{len(skipped)} of {len(runs)} clusterings were left out; manifest_ tells why. {first}",
        SkippedClusteringWarning,
        stacklevel=5,
    )
