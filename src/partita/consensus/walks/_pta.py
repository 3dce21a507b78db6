"""Probability trajectory accumulation (Huang, Lai and Wang, 2016): a tree of rows that are compared by random walks.

Linkage on 1 - Z, with Z the cosine of the trajectories of two distinct rows (eqs. L23 to L26).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from partita._parameters import StrOptions
from partita.base import Consensus, LabelledRows
from partita.consensus.label_space._row_tree import agreement_of_cells
from partita.consensus.walks._row_walks import Number, WalkingRows


class PTA(WalkingRows):
    """Probability trajectory accumulation.

    Distinct rows of labels are compared by where random walks from them lead, among the strongest links only, so that
    weak and accidental agreement counts little; a hierarchical clustering of this similarity is cut.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    neighbours : int or "auto", default="auto"
        Links that are kept for each distinct row, ties included. "auto" is half the root of the number of distinct
        rows, at least 1 and at most 20.
    steps : int or "auto", default="auto"
        Steps of the random walks; "auto" as for ``neighbours``.
    linkage : {"average", "single", "complete"}, default="average"
        How the similarity of two groups of rows follows from that of rows.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
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
    dendrogram_ : ndarray of shape (n_leaves - 1, 4)
        Tree over the objects in SciPy's form; heights are 1 - Z, and 0 between objects with the same labels.
    leaves_ : ndarray of shape (n_leaves,)
        Object behind each leaf: all objects that have a label, and a weight or the labels of one with a weight.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings, K neighbours and T steps: r^2 (m + K T), or r^3 if that is less; up to 3.5
    times r^2 numbers. On one core 2,500 rows (m = 20) took 5 s, 5,000 rows 24 s and 10,000 rows 125 s; by the same
    exponent, 2.4, it would be 11 minutes for 20,000 rows (not measured). For more than some thousand distinct rows use
    :class:`LWGP` or :class:`ECPCS`, whose cost is linear in them.

    The method is defined on distinct rows: how many objects share a row matters for the walks, but not for the linkage,
    where each row counts once. With a handful of distinct rows it makes little sense: two rows
    whose only links lead to each other are not alike. A new row gets the cluster of the row with the same labels, else
    that of the highest mean co-association.

    References
    ----------
    D. Huang, J.-H. Lai, C.-D. Wang, Robust ensemble clustering using probability trajectories, IEEE TKDE 28 (2016)
    1312-1326.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import PTA
    >>> truth = np.repeat([0, 1], [30, 20])
    >>> wrong = np.random.default_rng(0).random((50, 8)) < 0.1
    >>> X = np.where(wrong, 1 - truth[:, None], truth[:, None])
    >>> (PTA(n_clusters=2).fit_predict(X) == truth).mean()
    np.float64(1.0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **WalkingRows._parameter_constraints,
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        neighbours: Number = "auto",
        steps: Number = "auto",
        linkage: Literal["average", "single", "complete"] = "average",
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.neighbours = neighbours
        self.steps = steps
        self.linkage = linkage
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        D = self._compare_rows(rows.ensemble)
        np.subtract(1.0, D, out=D)
        each_once = np.ones(rows.ensemble.n_rows)  # eq. L26
        grown = self._link(rows, D, each_once, self.linkage, show=bool(self.verbose))
        return Consensus(self._cut(rows, grown, agreement_of_cells(rows.ensemble), rows.n_clusters))
