"""The clusters of a result as a table: size, how well its objects hold together, which one is near, what it is."""

from typing import Any

import numpy as np
import pandas as pd

from partita._confidence import JudgedRows
from partita._typing import FloatArray, IntArray
from partita.metrics._cluster_similarity import cluster_similarity
from partita.metrics._confidence import IN_DOUBT
from partita.results._rows import ResultRows, names_of_labels, rows_of

_MOST_ROWS = 3000  # distinct rows whose pairs are looked at, where labels are missing: about a second
_FEWEST = 2  # objects of a cluster whose pairs are looked at
_NAMED = 2  # labels that are named for a cluster


def cluster_table(estimator: Any, confidence: FloatArray, names: list[str]) -> pd.DataFrame:
    """One row per cluster; the columns are described in ``ConsensusResult.clusters``."""
    judged, labels = estimator._judged, estimator.labels_
    rows, k, inside = rows_of(judged), judged.n_clusters, labels >= 0
    size = np.bincount(labels[inside], minlength=k)
    doubt = np.bincount(labels[inside], weights=confidence[inside] <= IN_DOUBT, minlength=k).astype(np.int64)
    median = pd.Series(confidence[inside]).groupby(labels[inside]).median().reindex(range(k))
    similarity = _similarity(rows, judged, labels)
    return pd.DataFrame(
        {
            "cluster": np.arange(k),
            "size": size,
            "share": size / max(int(inside.sum()), 1),
            "consensus": np.diag(similarity),
            "closest": _closest(similarity),
            "closest_consensus": _highest(similarity),
            "median_confidence": median.to_numpy(),
            "in_doubt": doubt,
            "distinguished_by": distinguishing_labels(rows, names, names_of_labels(estimator)),
        }
    )


def _similarity(rows: ResultRows, judged: JudgedRows, labels: IntArray) -> FloatArray:
    """Mean co-association within and between clusters (eq. I77); of many rows with missing labels, of a sample."""
    if judged.is_sample:
        chosen, every = _some_of_each(rows.labels, max(_MOST_ROWS // rows.n_clusters, _FEWEST)), rows.ensemble
        some = every.with_rows(np.ascontiguousarray(every.codes[chosen]), every.row_weights[chosen])
        return cluster_similarity(some, rows.labels[chosen], rows.n_clusters)
    if rows.ensemble.has_missing and rows.ensemble.n_rows > _MOST_ROWS:
        objects = _some_of_each(labels, max(_MOST_ROWS // rows.n_clusters, _FEWEST))
        few = rows.ensemble.with_rows(np.ascontiguousarray(judged.codes_of(objects)))
        return cluster_similarity(few, labels[objects], rows.n_clusters)
    return cluster_similarity(rows.ensemble, rows.labels, rows.n_clusters)


def _some_of_each(labels: IntArray, most: int) -> IntArray:
    """At most so many objects of every cluster, drawn at random: means over pairs of clusters need no equal shares."""
    order = np.random.default_rng(0).permutation(np.flatnonzero(labels >= 0))
    order = order[np.argsort(labels[order], kind="stable")]
    rank = np.arange(len(order)) - np.searchsorted(labels[order], labels[order])
    return np.sort(order[rank < most])


def _others(similarity: FloatArray) -> FloatArray:
    """Similarity to other clusters; -1 with itself, and where it is not known."""
    others = np.nan_to_num(similarity, nan=-1.0)
    np.fill_diagonal(others, -1.0)
    return others


def _closest(similarity: FloatArray) -> list[int]:
    """For each cluster, the other one with the highest mean co-association; -1 if there is none."""
    others = _others(similarity)
    return [int(row.argmax()) if row.max() >= 0 else -1 for row in others]


def _highest(similarity: FloatArray) -> FloatArray:
    """Mean co-association with the closest other cluster, NaN if there is none."""
    highest = _others(similarity).max(axis=1)
    return np.where(highest >= 0, highest, np.nan)


def distinguishing_labels(rows: ResultRows, names: list[str], labels: list[list[str]]) -> list[str]:
    """For each cluster, the labels that it has and the others have not, in words; "" if there is one cluster.

    A label c of clustering m is as telling as P(c | in the cluster) - P(c | not in it), among the objects that m
    labels (eq. I78). The best label of each of the two best clusterings is named.
    """
    ensemble, counts = rows.ensemble, rows.counts()
    if rows.n_clusters < 2:
        return [""] * rows.n_clusters
    of_clustering = np.add.reduceat(counts.cells, ensemble.first_cell, axis=0)[ensemble.cell_clustering]
    outside = counts.cells.sum(axis=1, keepdims=True) - counts.cells
    inside = _share(counts.cells, of_clustering)
    other = _share(outside, of_clustering.sum(axis=1, keepdims=True) - of_clustering)
    found = []
    for q in range(rows.n_clusters):
        words = []
        for c in _best_cells(inside[:, q] - other[:, q], ensemble.cell_clustering):
            m = int(ensemble.cell_clustering[c])
            label = labels[m][c - ensemble.first_cell[m]]
            words.append(f"{names[m]} = {label} ({inside[c, q]:.0%} of it, {other[c, q]:.0%} of the others)")
        found.append("; ".join(words))
    return found


def _best_cells(telling: FloatArray, cell_clustering: IntArray) -> list[int]:
    """The most telling cells, each of another clustering; those that tell nothing are left out."""
    chosen: list[int] = []
    for cell in np.argsort(-telling, kind="stable").tolist():
        if len(chosen) == _NAMED or telling[cell] <= 0:
            break
        if all(cell_clustering[cell] != cell_clustering[other] for other in chosen):
            chosen.append(cell)
    return chosen


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
