"""The clusterings of an ensemble: base clusterers run in threads, each with its own seed; failures are noted.

A clustering that fails or does not converge is left out of the ensemble and noted in the manifest (eqs. R1 to R4).
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from partita._memory import ensure_memory
from partita._runs import Progress, in_order, progress, warn
from partita._typing import Array, IntArray
from partita.exceptions import SkippedClusteringWarning, Stopped

OK, FAILED, NOT_CONVERGED = "ok", "failed", "not converged"


class FoundClusters(NamedTuple):
    """What a base clusterer found among the objects it was given."""

    labels: Array  # negative: in no cluster
    place: Callable[[Any], Array] | None = None  # labels of new objects; None: the label of the nearest object
    converged: bool = True
    n_iter: int = 1


BaseClusterer = Callable[[Any, Sequence[Any], int], list[FoundClusters]]  # (X, numbers of clusters or None, seed)


class ClusteringTask(NamedTuple):
    """One call of a base clusterer: one sample of objects, one seed, one or more numbers of clusters."""

    algorithm: str
    cluster: BaseClusterer
    n_clusters: tuple[int | None, ...]
    n_sampled: int
    seed: int


class BaseClustering(NamedTuple):
    """One clustering of the ensemble, or the reason why it was left out."""

    algorithm: str
    n_clusters: int | None  # requested
    seed: int
    sample: IntArray | None  # objects it saw; None: all
    cluster_names: Array  # the clusterer's own labels of the clusters 0, 1, ...
    labels: IntArray  # cluster of each object it saw; -1: in no cluster
    place: Callable[[Any], Array] | None  # the clusterer's own labels of new objects
    n_iter: int
    status: str
    message: str

    @property
    def is_usable(self) -> bool:
        """Whether it is part of the ensemble."""
        return self.status == OK

    def place_new(self, X: Any) -> IntArray:
        """Clusters of new objects by the clusterer itself."""
        if self.place is None:
            raise TypeError(f"{self.algorithm} cannot place new objects.")
        return _number_labels(np.asarray(self.place(X)), self.cluster_names)

    def without_objects(self) -> "BaseClustering":
        """What placing new objects needs: no labels of the fitted objects if the clusterer places by itself."""
        if self.place is None:
            return self
        return self._replace(sample=None, labels=np.empty(0, dtype=np.int64))


def ensure_labels_fit(n_objects: int, n_clusterings: int) -> None:
    """Refuse, before any work, a label matrix for which there is no memory; it is held by column, then as a whole."""
    ensure_memory(
        16 * n_objects * int(n_clusterings),
        purpose=f"{n_clusterings} clusterings of {n_objects} objects",
        instead="make fewer clusterings.",
    )


# ----------------------------------------------------------------------------------------------------------------- runs
def run_tasks(X: Any, tasks: list[ClusteringTask], *, n_jobs: int | None, show: bool) -> list[BaseClustering]:
    """Run all tasks; the result does not depend on the number of threads.

    Each task computes in one thread, because sums over several threads depend on their number. OpenMP has one limit
    per thread, so it is set in each task; BLAS has one limit for the whole process, which is set here.
    """
    control = ThreadpoolController()
    with (
        progress(len(tasks), "clusterings", show=show) as bar,
        control.limit(limits=1, user_api="blas"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # what matters is noted in the manifest; threads share the filters
        run = partial(_run_task, X, control=control, bar=bar)
        return [clustering for clusterings in in_order(run, tasks, n_jobs) for clustering in clusterings]


def _run_task(X: Any, task: ClusteringTask, *, control: ThreadpoolController, bar: Progress) -> list[BaseClustering]:
    sample = _draw_objects(X.shape[0], task.n_sampled, task.seed)
    seen = X if sample is None else X[sample]
    try:
        with control.limit(limits=1, user_api="openmp"):
            found = task.cluster(seen, task.n_clusters, task.seed)
        _check_shapes(found, seen.shape[0])
        clusterings = [_note(task, k, sample, clusters) for k, clusters in zip(task.n_clusters, found, strict=True)]
    except Stopped:
        raise
    except Exception as error:  # a base clusterer may raise anything; the other clusterings are kept
        reason = f"{type(error).__name__}: {error}"
        nothing = FoundClusters(np.empty(0, dtype=np.int64))
        failed = [_note(task, k, sample, nothing) for k in task.n_clusters]
        clusterings = [clustering._replace(status=FAILED, message=reason) for clustering in failed]
    bar.update(1)
    return clusterings


def _draw_objects(n: int, n_sampled: int, seed: int) -> IntArray | None:
    """A random sample of objects, without replacement, in their order (eq. R1)."""
    if n_sampled >= n:
        return None
    # a random stream of its own: clusterers start from the seed itself
    return np.sort(np.random.default_rng([seed, 1]).choice(n, n_sampled, replace=False))


def _check_shapes(found: list[FoundClusters], n: int) -> None:
    for clusters in found:
        if np.shape(clusters.labels) != (n,):
            raise ValueError(f"the clusterer gave labels of shape {np.shape(clusters.labels)} for {n} objects")


def _note(task: ClusteringTask, k: int | None, sample: IntArray | None, found: FoundClusters) -> BaseClustering:
    names = np.unique(found.labels[found.labels >= 0])
    labels = _number_labels(found.labels, names)
    status, message = OK, ""
    if not found.converged:
        status, message = NOT_CONVERGED, "the clusterer stopped before it converged; raise max_iter"
    elif len(names) == 0:
        status, message = FAILED, "the clusterer found no cluster"
    return BaseClustering(
        task.algorithm, k, task.seed, sample, names, labels, found.place, found.n_iter, status, message
    )


def _number_labels(labels: Array, names: Array) -> IntArray:
    """Labels as positions in the sorted names; -1 for labels that are not among them (eq. R4)."""
    if len(names) == 0:
        return np.full(len(labels), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(names, labels), len(names) - 1)
    return np.where(names[place] == labels, place, -1).astype(np.int64)


# -------------------------------------------------------------------------------------------------------------- results
def label_columns(clusterings: list[BaseClustering], n: int) -> IntArray:
    """The label matrix: one column per clustering, -1 where it did not see an object."""
    columns = np.full((n, len(clusterings)), -1, dtype=np.int64)
    for j, clustering in enumerate(clusterings):
        columns[slice(None) if clustering.sample is None else clustering.sample, j] = clustering.labels
    return columns


def manifest_of(clusterings: list[BaseClustering], n: int) -> pd.DataFrame:
    """One row per clustering, including those that were left out."""
    return pd.DataFrame(
        {
            "name": _distinct_names(clusterings),
            "algorithm": [clustering.algorithm for clustering in clusterings],
            "n_clusters": pd.array([clustering.n_clusters for clustering in clusterings], dtype="Int64"),
            "n_found": [len(clustering.cluster_names) for clustering in clusterings],
            "n_sampled": [n if clustering.sample is None else len(clustering.sample) for clustering in clusterings],
            "seed": [clustering.seed for clustering in clusterings],
            "n_iter": [clustering.n_iter for clustering in clusterings],
            "status": [clustering.status for clustering in clusterings],
            "message": [clustering.message for clustering in clusterings],
        }
    )


def _distinct_names(clusterings: list[BaseClustering]) -> list[str]:
    """Algorithm, number of clusters and seed; clusterings that have these in common are numbered."""
    names: list[str] = []
    times: dict[str, int] = {}
    for clustering in clusterings:
        number = "" if clustering.n_clusters is None else f"_k{clustering.n_clusters}"
        name = f"{clustering.algorithm}{number}_seed{clustering.seed}"
        times[name] = times.get(name, 0) + 1
        names.append(name if times[name] == 1 else f"{name}_{times[name]}")
    return names


def warn_skipped(clusterings: list[BaseClustering]) -> None:
    """Say how many clusterings were left out, and the reason of the first; refuse if none is usable (eq. R3)."""
    left_out = [clustering for clustering in clusterings if not clustering.is_usable]
    if not left_out:
        return
    first = left_out[0]
    reason = f"{first.algorithm} with n_clusters={first.n_clusters} {first.status}: {first.message}"
    if len(left_out) == len(clusterings):
        raise ValueError(f"all {len(clusterings)} clusterings failed or did not converge. {reason}")
    warn(
        f"{len(left_out)} of {len(clusterings)} clusterings were left out; manifest_ gives the reasons. {reason}",
        SkippedClusteringWarning,
    )
