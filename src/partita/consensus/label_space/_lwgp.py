"""Locally weighted graph partitioning (Huang, Wang and Lai, 2018): the bipartite cut with clusters that count more.

A cluster of a clustering is reliable where the other clusterings do not scatter its objects. Its edges weigh
e_c = exp(-H(c) / theta), with H(c) the mean entropy of the clusterings among its objects (eqs. L3, L4); the graph of
objects and clusters is then cut by the transfer cut (eqs. L5 to L8).
"""

from typing import Any, ClassVar

from partita._labels.ensemble import Ensemble
from partita._labels.tables import cluster_entropies, cluster_tables, entropy_weights
from partita._parameters import Interval
from partita._typing import FloatArray
from partita.consensus.label_space._embedded_rows import EmbeddedRows
from partita.consensus.label_space._transfer_cut import ensure_cells

THETA = Interval("real", 1e-3, float("inf"))


class LWGP(EmbeddedRows):
    """Locally weighted graph partitioning.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    theta : float, default=0.4
        How much clusters count whose objects the other clusterings scatter: the less, the smaller theta. The paper
        advises 0.2 to 1. With ``float("inf")`` all clusters count the same, as in :class:`USENC`.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of k-means.
    n_jobs : int, optional
        Threads that embed blocks of rows; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Present by convention; there is no step long enough for a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    cluster_weights_ : list of ndarray
        For each clustering that is used, the weight e in (0, 1] of each of its labels that has objects, in the order
        of the labels; without the clustering's own weight.
    singular_values_ : ndarray of shape (n_clusters + 1,)
        Leading singular values of the normalised graph. The first is 1, and there are as many ones as parts of the
        ensemble that share no label; a large gap after the k-th speaks for k clusters.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings, t labels and k clusters: r (m^2 + m k) + t^3, linear in the number of
    objects; t^2 numbers. A missing label is an edge that is not there.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai, Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48 (2018) 1460-1473.

    Z. Li, X.-M. Wu, S.-F. Chang, Segmentation using superpixels: a bipartite graph partitioning approach, CVPR 2012.

    Examples
    --------
    >>> from partita import LWGP
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> LWGP(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {**EmbeddedRows._parameter_constraints, "theta": [THETA]}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        theta: float = 0.4,
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _cell_weights(self, ensemble: Ensemble) -> FloatArray:
        index = local_weights(ensemble, self.theta)
        self.cluster_weights_ = split_cells(index, ensemble)
        return index * ensemble.cell_weights


def local_weights(ensemble: Ensemble, theta: float) -> FloatArray:
    """The ensemble-driven cluster index of every cell, (t,) (eq. L4)."""
    ensure_cells(ensemble.n_cells)
    tables = cluster_tables(ensemble)
    return entropy_weights(cluster_entropies(tables), tables.seen, tables.clustering_weights, theta)


def split_cells(values: FloatArray, ensemble: Ensemble) -> list[FloatArray]:
    """Values of the cells, one array per clustering."""
    return [values[ensemble.cell_clustering == m] for m in range(ensemble.n_clusterings)]
