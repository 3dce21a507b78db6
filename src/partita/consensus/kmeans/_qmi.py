"""Quadratic mutual information between the consensus and the clusterings (Topchy, Jain and Punch, 2003).

The consensus C maximises sum_m I_2(C, clustering m), with I_2 = 2 U and the category utility

    U = sum_r p_r sum_j p(j | r)^2 - sum_j p_j^2.

With every label an indicator, centred by its mean, sum_m U = (T - W) / n for the total and within-cluster sums of
squares T and W: maximising it is k-means. A missing label is 0 after centring, that is, the mean.
"""

from typing import Any, ClassVar

from partita._labels.ensemble import Ensemble
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._label_kmeans import LabelKMeans


class QMI(LabelKMeans):
    """Consensus of largest quadratic mutual information with the clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; fewer are returned if there are fewer distinct rows of labels.
    n_init : int, default=10
        Starts (k-means++); the best is kept.
    max_iter : int, default=300
        Iterations a start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a run has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    mutual_information_ : float
        Sum over the clusterings of the quadratic mutual information with the consensus, 2 (T - W) / n.
    objective_ : float
        W, the weighted sum of squared distances to the centres; what k-means lowers.
    history_ : list of float
        W at each iteration of the best start; it never rises.
    cluster_centers_ : list of ndarray of shape (n_clusters_, k_j)
        Share of each label of each clustering in each cluster.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Missing labels are replaced by the mean of their clustering, so that ``mutual_information_`` is the one of the
    completed indicators. Cost O(r m k) an iteration for r distinct rows.

    References
    ----------
    A. Topchy, A. K. Jain, W. Punch, Combining multiple weak clusterings, ICDM 2003, 331-338.

    Examples
    --------
    >>> from partita import QMI
    >>> X = {"a": [0, 0, 0, 1, 1], "b": ["u", "u", "v", "v", "v"], "c": [5, 5, 5, 6, None]}
    >>> model = QMI(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1])
    """

    coding = "onehot"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: kinds for name, kinds in LabelKMeans._parameter_constraints.items() if name != "coding"
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        found = super()._fit_rows(rows)
        total = self._total_sum_of_squares(rows.ensemble)
        self.mutual_information_ = 2 * (total - self.objective_) / float(rows.ensemble.row_weights.sum())
        return found

    def _total_sum_of_squares(self, ensemble: Ensemble) -> float:
        """T: the squared distance of an observed label from its clustering's mean mu is 1 - 2 mu[label] + |mu|^2."""
        cells, total = self._cells, 0.0
        codes, row_weights = ensemble.codes, ensemble.row_weights
        for j, weight in enumerate(ensemble.clustering_weights):
            mean = cells.mean[cells.start[j] : cells.missing[j]]
            seen = codes[:, j] >= 0
            total += weight * float(row_weights[seen] @ (1 - 2 * mean[codes[seen, j]] + mean @ mean))
        return total
