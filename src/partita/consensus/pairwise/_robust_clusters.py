"""Robust clusters (Kellam et al., 2001; Swift et al., 2004): what the clusterings agree on, and nothing else.

Clusters are the connected components of the pairs of objects that a share of the clusterings, all by default, puts
together (eq. P77):

    i and j are linked if S_ij >= agreement

They are those of single linkage, which holds no matrix. Where all must agree and no label is missing, they are the
distinct rows of labels.
"""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._numbering import sum_per_row
from partita._parameters import Interval, common
from partita._typing import Array
from partita.base import Consensus, LabelledRows
from partita.consensus.pairwise._evidence_accumulation import EAC, _tree_of, cut_tree


class RobustClusters(EAC):
    """Groups of objects that the clusterings agree on.

    Two objects are linked if all clusterings that label both, or a share of them, put them together; clusters are the
    connected components. Objects that are linked with none stay alone: each is a cluster of its own, and
    ``is_robust_`` tells them from the others.

    Parameters
    ----------
    agreement : float in [0, 1], default=1.0
        Smallest share of the clusterings, by their weights, that must put two objects together.
    min_size : int, default=2
        Smallest weight of a robust cluster: its number of objects, if all have the weight 1.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size, so that the robust ones come first: ``labels_ < n_robust_``. -1 for objects without
        any label.
    n_clusters_ : int
        Number of all clusters, those of one object included.
    n_robust_ : int
        Number of robust clusters, of at least ``min_size``.
    is_robust_ : ndarray of shape (n_samples,), bool
        Whether each object is in a robust cluster. False for objects without label, and for those without weight unless
        they have the labels of an object with a weight.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    It is ``EAC(linkage="single", threshold=agreement)`` without the tree. Cost with n objects, r distinct rows and m
    clusterings: O(n m) if all must agree and no label is missing, else O(r^2 m / 64) byte comparisons; no matrix.
    Chains of pairs join objects that no clustering puts together: with a low agreement one cluster may hold nearly all.

    References
    ----------
    P. Kellam, X. Liu, N. Martin, C. Orengo, S. Swift, A. Tucker, Comparing, contrasting and combining clusters in viral
    gene expression data, 6th Workshop on Intelligent Data Analysis in Medicine and Pharmacology (2001) 56-62.

    S. Swift, A. Tucker, V. Vinciotti, N. Martin, C. Orengo, X. Liu, P. Kellam, Consensus clustering and functional
    interpretation of gene-expression data, Genome Biology 5 (2004), article 94.

    Examples
    --------
    >>> from partita import RobustClusters
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"]}
    >>> model = RobustClusters().fit(X)
    >>> model.labels_
    array([1, 1, 2, 0, 0, 0])
    >>> model.is_robust_
    array([ True,  True, False,  True,  True,  True])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("weights", "random_state", "verbose"),
        "agreement": [Interval("real", 0, 1)],
        "min_size": [Interval("int", 1, None)],
    }

    # what EAC leaves open and this method fixes
    n_clusters = None
    linkage: Any = "single"
    cut: Any = "threshold"
    threshold = None
    ward: Any = "raw"
    allow_one = False
    max_clusters: Any = "sqrt"

    def __init__(
        self,
        *,
        agreement: float = 1.0,
        min_size: int = 2,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.agreement = agreement
        self.min_size = min_size
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        labels = np.arange(ensemble.n_rows)
        if self.agreement < 1 or ensemble.has_missing:  # else rows that differ are apart
            merges = self._merge_rows(rows)
            tree = _tree_of(merges, rows.n_objects)
            n_merges = np.searchsorted(tree[:, 2], 1 - self.agreement + merges.tolerance, side="right")
            labels = cut_tree(tree, int(n_merges))
        self._ensemble, self._row_labels = ensemble, labels
        return Consensus(labels)

    def _close(self, rows: LabelledRows, found: Consensus, totals: Any = None) -> None:
        super()._close(rows, found, totals)
        size = rows.scale.report(sum_per_row(found.labels, rows.ensemble.row_weights, found.n_clusters), objects=1)
        self.n_robust_ = int(np.count_nonzero(size >= self.min_size))

    @property
    def is_robust_(self) -> Array:
        """Whether each object is in a robust cluster; these are the largest ones."""
        check_is_fitted(self, "_judged")
        counted = self._judged.row_of_object < self._judged.ensemble.n_rows  # the others have no weight
        return np.asarray(counted & (self.labels_ >= 0) & (self.labels_ < self.n_robust_))
