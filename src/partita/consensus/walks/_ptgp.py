"""Probability trajectory based graph partitioning (Huang, Lai and Wang, 2016): rows and clusters, cut as one graph.

A row is joined to each cluster of the clusterings, its own and all others, by the mean similarity of trajectories with
the rows of that cluster; the graph is cut by the transfer cut (eqs. L25, L27).
"""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._parameters import common
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.label_space._embedded_rows import cluster_points
from partita.consensus.label_space._row_tree import agreement_of_cells
from partita.consensus.label_space._transfer_cut import (
    components,
    cut_cells,
    ensure_cells,
    keep_heaviest,
    membership_graph,
    unit_rows,
)
from partita.consensus.walks._row_walks import Number, WalkingRows


class PTGP(WalkingRows):
    """Probability trajectory based graph partitioning.

    Distinct rows of labels are compared by where random walks from them lead, as in :class:`PTA`. The graph of rows and
    clusters, joined by the mean of this similarity, is cut by its leading vectors and k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    neighbours : int or "auto", default="auto"
        Links that are kept for each distinct row, ties included. "auto" is half the root of the number of distinct
        rows, at least 1 and at most 20.
    steps : int or "auto", default="auto"
        Steps of the random walks; "auto" as for ``neighbours``.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of k-means.
    n_jobs : Ignored
        Present by convention; all starts are computed together.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    neighbours_, steps_ : int
        The numbers that were used.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings, t labels, K neighbours and T steps: r^2 (m + K T), or r^3 if that is less,
    and r t^2 + t^3; up to 3.5 times r^2 numbers. On one core 2,500 rows (m = 20) took 5 s and 5,000 rows 25 s; by the
    same exponent, 2.4, it would be 12 minutes for 20,000 rows (not measured). For more than some thousand distinct rows
    use :class:`LWGP` or :class:`ECPCS`, whose cost is linear in them.

    The method is defined on distinct rows: how many objects share a row matters for the walks, but not for the cut,
    where each row counts once. With a handful of distinct rows it makes little sense: two rows whose only links lead to
    each other are not alike, rows with the same links cannot be told apart, and fewer clusters than asked for may be
    found. A new row gets the cluster of the row with the same labels, else that of the highest mean co-association.

    References
    ----------
    D. Huang, J.-H. Lai, C.-D. Wang, Robust ensemble clustering using probability trajectories, IEEE TKDE 28 (2016)
    1312-1326.

    Examples
    --------
    >>> from partita import PTGP
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> PTGP(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # starts are drawn by the position of rows
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **WalkingRows._parameter_constraints,
        **common("n_init", "n_jobs"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        neighbours: Number = "auto",
        steps: Number = "auto",
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.neighbours = neighbours
        self.steps = steps
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        ensure_cells(ensemble.n_cells)
        B = mean_similarity(self._compare_rows(ensemble), ensemble)
        used = np.asarray(ensemble.indicator.sum(axis=0)) > 0  # labels of objects without weight only are no vertices
        labels = self._cut_rows(np.ascontiguousarray(B[:, used]), ensemble.cell_weights[used], rows.n_clusters)
        self._keep_rows(rows, labels, agreement_of_cells(ensemble))
        return Consensus(labels)

    def _cut_rows(self, B: FloatArray, cell_weights: FloatArray, k: int) -> IntArray:
        """Transfer cut of rows that count once each."""
        each_once = np.ones(len(B))
        W = membership_graph(B, each_once, cell_weights)
        part = components(W)
        if part.max() + 1 >= k:  # every cut between components is free (eq. L9)
            group = keep_heaviest(part, W.sum(axis=1), k)
            return np.asarray(group[B.argmax(axis=1)])
        points = unit_rows(cut_cells(W, cell_weights, k).embed_memberships(B))
        return cluster_points(points, each_once, k, n_init=self.n_init, random_state=self.random_state)[0]


def mean_similarity(Z: FloatArray, ensemble: Ensemble) -> FloatArray:
    """B_rc: mean of Z_rq over the rows q that have label c, (n_rows, t) (eq. L27); 0 for a label that none has."""
    H = ensemble.indicator
    return np.asarray((H.T @ Z).T / np.maximum(H.sum(axis=0), 1))
