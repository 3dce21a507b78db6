"""How sure an ensemble is of the cluster of each object, for hard labels of any method: log-odds, and votes.

With C_cq the weight of the objects that have label c (a cell) and are in cluster q, and N_q the weight of cluster q:

    l_i(q) = log(N_q / n) + sum_m v_m log((C_cq + 1/2) / sum_{c' of m} (C_c'q + 1/2)),  c the label of i in m  (eq. I73)
    confidence_i = l_i(own cluster) - max over the others of l_i                                               (eq. I74)
    p_i(q) = sum_m v_m e_c C_cq / |c| / sum_m v_m e_c                                                          (eq. I75)

C and N are sums over objects: those of blocks, or of sites that share no rows, add up.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from partita._features import check_lengths
from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_label_matrix, check_labels, check_sample_weight, check_weights
from partita._labels.weights import to_ordinary_size
from partita._memory import ensure_memory
from partita._typing import Array, Codes, FloatArray, IntArray

IN_DOUBT = 0.0  # log-odds up to which the labels of an object speak for another cluster as much as for its own
_SMOOTHING = 0.5  # added to every count (Jeffreys' prior): a label that a cluster lacks is unlikely and not impossible
_NUMBERS = 2**17  # of a block of rows x clusters: 1 MiB, which stays in the cache of a core


class ClusterCounts(NamedTuple):
    """Weight of each label in each cluster, and of each cluster."""

    cells: FloatArray  # (n_cells, k): C
    sizes: FloatArray  # (k,): N

    def plus(self, other: "ClusterCounts") -> "ClusterCounts":
        """The counts of both sets of objects together."""
        return ClusterCounts(self.cells + other.cells, self.sizes + other.sizes)

    def of(self, clusters: IntArray) -> "ClusterCounts":
        """Those of some clusters, in the given order."""
        return ClusterCounts(self.cells[:, clusters].copy(), self.sizes[clusters].copy())


def label_confidence(X: Any, labels: Any, *, weights: Any = None, sample_weight: Any = None) -> FloatArray:
    """Log-odds of each object's cluster against the best other cluster, by the labels of the ensemble.

    This is not a probability of being right. It ranks objects: those with low values are in the wrong cluster more
    often. It counts the clusterings as if they were independent, which they are not, so that its size means little, and
    it cannot see an error that all clusterings share.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        The ensemble.
    labels : array-like of shape (n_samples,)
        Cluster of each object, found by any method; -1 = none.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each object in the counts; weight 2 is the object twice. One of weight 0 is judged by the
        others.

    Returns
    -------
    confidence : ndarray of shape (n_samples,)
        In nats; negative where the labels speak for another cluster. NaN for objects without a cluster or without any
        label, infinite if there is one cluster only.

    Notes
    -----
    Cost O(n m k), in blocks: no array of n x k is held. Objects with equal labels in one cluster are equally sure.

    Examples
    --------
    >>> from partita.metrics import label_confidence
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 1, 1], "c": [5, 5, 5, 6, 6, None]}
    >>> label_confidence(X, [0, 0, 0, 1, 1, 1]).round(2)
    array([5.21, 5.21, 2.76, 4.69, 4.69, 2.79])
    """
    ensemble, codes = _read(X, labels, weights, sample_weight)
    return judge_rows(ensemble, codes, count_cells(ensemble, codes, int(codes.max()) + 1)).confidence


def label_votes(X: Any, labels: Any, *, weights: Any = None, sample_weight: Any = None) -> FloatArray:
    """Share of each cluster in the votes of an object's labels: a label votes as its objects are spread over clusters.

    This is not a probability of being right: fine clusterings vote nearly unanimously whatever is true, and coarse ones
    vote for several clusters even where the answer is plain.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        The ensemble.
    labels : array-like of shape (n_samples,)
        Cluster of each object, found by any method; -1 = none.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each object in the counts.

    Returns
    -------
    votes : ndarray of shape (n_samples, k)
        One column per cluster, in the order of ``np.unique(labels)``; rows sum to 1. An object without any label has
        the shares of the clusters.

    Examples
    --------
    >>> from partita.metrics import label_votes
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 1, 1], "c": [5, 5, 5, 6, 6, None]}
    >>> label_votes(X, [0, 0, 0, 1, 1, 1]).round(2)[:3]
    array([[1.  , 0.  ],
           [1.  , 0.  ],
           [0.75, 0.25]])
    """
    ensemble, codes = _read(X, labels, weights, sample_weight)
    return row_votes(ensemble, count_cells(ensemble, codes, int(codes.max()) + 1))


def _read(X: Any, labels: Any, weights: Any, sample_weight: Any) -> tuple[Ensemble, Codes]:
    """The objects as rows of an ensemble, and the codes of the partition to judge."""
    matrix, codes = check_label_matrix(X), check_labels(labels, "labels")
    check_lengths(len(matrix.codes), len(codes))
    row_weights = check_sample_weight(sample_weight, len(codes))
    if not row_weights[codes >= 0].any():
        raise ValueError(
            f"none of the {len(codes)} objects has both a cluster and a weight, so there is none to judge."
        )
    given = check_weights(weights, matrix)
    used = given > 0
    objects, clusterings = to_ordinary_size(row_weights), to_ordinary_size(given[used])
    ensemble = Ensemble(
        np.ascontiguousarray(matrix.codes[:, used]), matrix.n_labels[used], clusterings.weights, objects.weights
    )
    return ensemble, codes


# ---------------------------------------------------------------------------------------------------- on rows of labels
def count_cells(ensemble: Ensemble, row_labels: Array, n_clusters: int) -> ClusterCounts:
    """C and N of rows with a cluster; rows of cluster -1 do not count."""
    ensure_memory(
        3 * 8 * ensemble.n_cells * n_clusters,
        purpose=f"a table of {ensemble.n_cells} labels x {n_clusters} clusters",
        instead="merge clusters.",
    )
    inside = row_labels >= 0
    everywhere = bool(inside.all())
    clusters = np.asarray(row_labels if everywhere else row_labels[inside], dtype=np.int64)
    weights = ensemble.row_weights if everywhere else ensemble.row_weights[inside]
    cells = np.empty((ensemble.n_cells, n_clusters))
    for j, (first, width) in enumerate(zip(ensemble.first_cell, ensemble.n_labels, strict=True)):
        column = ensemble.codes[:, j] if everywhere else ensemble.codes[inside, j]
        place = (column.astype(np.int64) + 1) * n_clusters + clusters  # missing labels come first, and are dropped
        table = np.bincount(place, weights=weights, minlength=(width + 1) * n_clusters)
        cells[first : first + width] = table.reshape(width + 1, n_clusters)[1:]
    sizes = np.bincount(clusters, weights=weights, minlength=n_clusters).astype(np.float64)
    return ClusterCounts(cells, sizes)


class RowVerdicts(NamedTuple):
    """How sure the labels of each row are of its cluster."""

    confidence: FloatArray  # (n_rows,) log-odds against the best other one; NaN without a cluster or a counted label
    second: IntArray  # (n_rows,) that other cluster; -1 where there is none


def judge_rows(ensemble: Ensemble, row_labels: Array, counts: ClusterCounts) -> RowVerdicts:
    """Log-odds of each row's cluster against the best other one, and which one that is (eq. I74)."""
    with np.errstate(divide="ignore"):  # a cluster without weight
        prior = np.log(counts.sizes / counts.sizes.sum())
    present, table = np.asarray(counts.cells.any(axis=1)), log_table(ensemble, counts)
    confidence, second = np.full(ensemble.n_rows, np.nan), np.full(ensemble.n_rows, -1)
    for lo, hi, cells in _blocks(ensemble, present, len(prior)):
        scores = _add_up(table, cells) + prior
        own, rows = np.asarray(row_labels[lo:hi], dtype=np.int64), np.arange(hi - lo)
        of_own = scores[rows, own]  # of -1 the last cluster, which is overwritten below
        scores[rows, own] = -np.inf
        judged = (own >= 0) & (cells < ensemble.n_cells).any(axis=0)
        confidence[lo:hi] = np.where(judged, of_own - scores.max(axis=1), np.nan)
        if len(prior) > 1:
            second[lo:hi] = np.where(judged, scores.argmax(axis=1), -1)
    return RowVerdicts(confidence, second)


def row_votes(ensemble: Ensemble, counts: ClusterCounts, cell_weights: FloatArray | None = None) -> FloatArray:
    """Votes of the labels of each row for the clusters (eq. I75); ``cell_weights`` are e, 1 unless given."""
    size = counts.cells.sum(axis=1)
    voice = ensemble.cell_weights if cell_weights is None else ensemble.cell_weights * cell_weights
    voice = np.where(size > 0, voice, 0.0)
    share = np.divide(counts.cells, size[:, None], out=np.zeros_like(counts.cells), where=size[:, None] > 0)
    table = np.column_stack([share * voice[:, None], voice])  # the last column adds up to what the votes are divided by
    ensure_memory(
        2 * 8 * ensemble.n_rows * len(counts.sizes),
        purpose=f"votes of {ensemble.n_rows} rows for {len(counts.sizes)} clusters",
        instead="ask for the confidence, which is one number per object.",
    )
    votes = np.tile(counts.sizes / counts.sizes.sum(), (ensemble.n_rows, 1))
    for lo, hi, cells in _blocks(ensemble, voice > 0, table.shape[1]):
        sums = _add_up(table, cells)
        np.divide(sums[:, :-1], sums[:, -1:], out=votes[lo:hi], where=sums[:, -1:] > 0)
    return votes


def log_table(ensemble: Ensemble, counts: ClusterCounts) -> FloatArray:
    """What each label adds to the log-odds of each cluster, (n_cells, k) (eq. I73); 0 for labels that do not count."""
    present = counts.cells.any(axis=1, keepdims=True)
    smooth = np.where(present, counts.cells + _SMOOTHING, 0.0)
    total = np.add.reduceat(smooth, ensemble.first_cell, axis=0)[ensemble.cell_clustering]
    share = np.divide(smooth, total, out=np.ones_like(smooth), where=present)
    return np.asarray(np.log(share) * ensemble.cell_weights[:, None])


def _blocks(ensemble: Ensemble, counted: Array, width: int) -> Iterator[tuple[int, int, IntArray]]:
    """Blocks of rows, and their cells by clustering, (m, n_rows); n_cells stands for a label that does not count."""
    cell_of = np.append(np.where(counted, np.arange(ensemble.n_cells), ensemble.n_cells), ensemble.n_cells)
    all_counted = bool(counted.all()) and not ensemble.has_missing
    step = max(_NUMBERS // max(width, 1), 1)
    for lo in range(0, ensemble.n_rows, step):
        codes = ensemble.codes[lo : lo + step].T
        cells = codes + ensemble.first_cell[:, None]
        if not all_counted:
            cells = cell_of[np.where(codes < 0, ensemble.n_cells, cells)]
        yield lo, lo + cells.shape[1], cells


def _add_up(table: FloatArray, cells: IntArray) -> FloatArray:
    """Sum of the rows of a table of cells over the labels of each row."""
    padded = np.vstack([table, np.zeros((1, table.shape[1]))])
    sums = np.zeros((cells.shape[1], table.shape[1]))
    part = np.empty_like(sums)
    for of_clustering in cells:
        np.take(padded, of_clustering, axis=0, out=part, mode="clip")  # this mode writes to part without a copy
        sums += part
    return sums
