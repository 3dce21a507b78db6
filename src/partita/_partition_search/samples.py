"""The estimate of a partition from samples of its posterior (eq. V12)."""

from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble, find_distinct_rows
from partita._partition_search.descent import Limits
from partita._partition_search.problem import Loss, make_problem
from partita._partition_search.search import SearchSettings, nearest_clusterings, search_partition
from partita._runs import progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.metrics._expected_loss import loss_against

_N_INIT, _MAX_ITER = 4, 300  # samples of one posterior differ less than clusterings: few starts suffice


class Estimate(NamedTuple):
    """A partition, and the sample that is nearest to it."""

    labels: IntArray  # (n,) clusters 0, 1, ...
    nearest: int


def estimate_partition(samples: Array, loss: Loss, max_clusters: int, n_jobs: int | None) -> Estimate:
    """The partition of least expected loss against samples (n_samples, n), with at most ``max_clusters`` clusters.

    Never worse than the best of the samples that were compared with all. The seed is fixed: the samples decide.
    """
    codes, first, n_each = distinct_samples(samples)
    n_labels = codes.max(axis=1).astype(np.int64) + 1
    objects = np.ascontiguousarray(codes.T)
    distinct = find_distinct_rows(objects, n_labels)
    ensemble = Ensemble(objects[distinct.first], n_labels, n_each, distinct.n_objects.astype(np.float64))
    best = nearest_clusterings(make_problem(ensemble, loss, 1.0), 1, n_jobs)[0]
    settings = SearchSettings(
        loss, 1.0, Limits(1, min(max_clusters, ensemble.n_rows)), _N_INIT, _MAX_ITER, n_jobs=n_jobs
    )
    start = ensemble.codes[:, best].astype(np.int64)
    with progress(None, "consensus", show=False) as bar:
        found = search_partition(ensemble, settings, 0, bar, start)
    losses = [loss_against(found.labels, sample, ensemble.row_weights, loss, 1.0) for sample in ensemble.codes.T]
    return Estimate(found.labels[distinct.inverse], int(first[int(np.argmin(losses))]))


def distinct_samples(samples: Array) -> tuple[Codes, IntArray, FloatArray]:
    """Samples that differ as partitions, clusters numbered as they appear; place of the first of each, and how many."""
    codes = np.array([_by_appearance(sample) for sample in samples])
    _, first, n_each = np.unique(codes, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    return codes[first[order]], first[order].astype(np.int64), n_each[order].astype(np.float64)


def _by_appearance(sample: Array) -> Codes:
    _, first, inverse = np.unique(sample, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[inverse]
