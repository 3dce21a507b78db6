"""Information-theoretic k-means (Punera and Ghosh, 2007): k-means on soft clusterings with a KL divergence.

    minimise sum_i sum_m w_m KL(s_im || c_{k(i) m}),

s_im the probabilities that clustering m gives object i (left out where it did not see it), w_m the weight of m over
that of all that saw i. For this direction of KL the best centre is the weighted mean of its members; every step lowers
the sum.
"""

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from partita._parameters import Interval
from partita._typing import FloatArray, IntArray
from partita.consensus.soft._soft_ensemble import Soft, SoftConsensus

_SMOOTH = 1e-10
_MIX = 0.1  # of equal probabilities in the first centres, so that none is infinitely far


class ITK(SoftConsensus):
    """Information-theoretic k-means on soft clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; fewer are returned if there are fewer different objects.
    n_init : int, default=10
        Starts, at objects far from each other (k-means++ with the divergence); the best is kept.
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
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
    objective_ : float
        Sum of the divergences from the centres.
    history_ : list of float
        Objective at each iteration of the best start; it never rises.
    n_iter_ : int
    converged_ : bool
    n_features_in_
        Number of clusterings.

    Notes
    -----
    Cost O(n t k) an iteration for t clusters in all clusterings.

    References
    ----------
    K. Punera, J. Ghosh, Soft cluster ensembles, in Advances in Fuzzy Clustering and its Applications, Wiley 2007,
    69-91.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import ITK
    >>> a = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> ITK(n_clusters=2, random_state=0).fit_predict([a, a[:, ::-1]])
    array([0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SoftConsensus._parameter_constraints,
        "n_init": [Interval("int", 1, None)],
        "max_iter": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
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

    def _cluster(self, soft: Soft, n_clusters: int, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        problem = Divergence(soft)
        runs = [self._run(problem, n_clusters, rng) for _ in range(self.n_init)]
        labels, self.history_, self.converged_ = min(runs, key=lambda run: run[1][-1])
        self.objective_, self.n_iter_ = self.history_[-1], len(self.history_)
        return labels

    def _run(
        self, problem: "Divergence", n_clusters: int, rng: np.random.Generator
    ) -> tuple[IntArray, list[float], bool]:
        centers = problem.spread(n_clusters, rng)
        history: list[float] = []
        while True:
            distance = problem.to(centers)
            labels = distance.argmin(axis=1)
            nearest = distance[np.arange(len(labels)), labels]
            history.append(float(problem.soft.row_weights @ nearest))
            converged = len(history) > 1 and history[-2] - history[-1] <= self.tol * max(history[-2], _SMOOTH)
            if converged or len(history) == self.max_iter:
                return labels, history, converged
            centers = problem.means(labels, centers)


class Divergence:
    """KL from rows to centres, by one product: sum s log s - sum s log c."""

    def __init__(self, soft: Soft) -> None:
        self.soft = soft
        share = soft.seen * soft.clustering_weights
        share = share / share.sum(axis=1, keepdims=True)  # w_m of each object
        self.S: Any
        if isinstance(soft.S, np.ndarray):
            self.S = soft.S * share[:, soft.column]
            self.own = (xlogy(soft.S, soft.S) * share[:, soft.column]).sum(axis=1)
        else:
            self.S = sparse.csr_array(soft.S.multiply(share[:, soft.column]))
            self.own = np.zeros(len(soft.row_weights))  # one-hot rows have no entropy

    def to(self, centers: FloatArray) -> FloatArray:
        """Divergence of each row from each centre: (n, k)."""
        return np.asarray(np.maximum(self.own[:, None] - self.S @ np.log(centers + _SMOOTH).T, 0.0))

    def means(self, labels: IntArray, previous: FloatArray) -> FloatArray:
        """Centres: means of their members, weighted by w_m; where a cluster has none, or none was seen, as before."""
        member = np.zeros((len(labels), len(previous)))
        member[np.arange(len(labels)), labels] = self.soft.row_weights
        mass = np.asarray(self.S.T @ member).T
        starts = np.flatnonzero(np.diff(self.soft.column, prepend=-1))
        total = np.add.reduceat(mass, starts, axis=1)[:, self.soft.column]
        return np.asarray(np.divide(mass, total, out=previous.copy(), where=total > 0))

    def row(self, i: int) -> FloatArray:
        """Probabilities of an object; uniform where it was not seen."""
        S, column = self.soft.S, self.soft.column
        own = S[i] if isinstance(S, np.ndarray) else S[[i]].toarray().ravel()
        return np.where(self.soft.seen[i][column], own, self.uniform())

    def uniform(self) -> FloatArray:
        """Equal probabilities in every clustering."""
        column = self.soft.column
        return np.asarray(1 / np.bincount(column)[column])

    def spread(self, n_clusters: int, rng: np.random.Generator) -> FloatArray:
        """Objects, drawn with probability proportional to weight times divergence from those drawn before."""
        nearest = np.ones(len(self.soft.row_weights))
        chosen: list[FloatArray] = []
        for _ in range(n_clusters):
            share = self.soft.row_weights * nearest
            if share.sum() <= _SMOOTH * len(share) and chosen:
                break
            i = int(rng.choice(len(share), p=share / share.sum()))
            chosen.append((1 - _MIX) * self.row(i) + _MIX * self.uniform())
            distance = self.to(np.array([self.row(i)]))[:, 0]
            nearest = distance if len(chosen) == 1 else np.minimum(nearest, distance)
        return np.array(chosen)
