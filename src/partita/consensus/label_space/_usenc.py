"""The consensus of U-SENC (Huang et al., 2020): the bipartite graph of objects and clusters, by one transfer cut.

All clusters count the same, e = 1 (eqs. L5 to L8). It is the spectral cut of HBGF, with the vectors shrunk by their
singular values, k-means on the objects alone, and no matrix over the objects.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import FloatArray
from partita.consensus.label_space._embedded_rows import EmbeddedRows


class USENC(EmbeddedRows):
    """Consensus function of ultra-scalable ensemble clustering: LWGP with clusters that all count the same.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
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
    singular_values_ : ndarray of shape (n_clusters + 1,)
        Leading singular values of the normalised graph, as in :class:`LWGP`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings, t labels and k clusters: r (m^2 + m k) + t^3, linear in the number of
    objects. The paper's clusterings come from a spectral method of its own; any clusterings may be given here.

    References
    ----------
    D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, Ultra-scalable spectral clustering and ensemble clustering,
    IEEE TKDE 32 (2020) 1212-1226.

    Examples
    --------
    >>> from partita import USENC
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> USENC(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _cell_weights(self, ensemble: Ensemble) -> FloatArray:
        return np.ones(ensemble.n_cells) * ensemble.cell_weights
