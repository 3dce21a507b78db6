"""Information-theoretic k-means (Punera and Ghosh, 2007): k-means on soft clusterings with a KL divergence.

    minimise sum_i w_i sum_m v_im KL(s_im || c_{k(i) m})                                                   (eq. G26),

s_im the probabilities that clustering m gives object i (left out where it did not see it), v_im the weight of m over
that of all clusterings that saw i. For this direction of KL the best centre is the weighted mean of its members, so no
step raises the sum.
"""

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from partita._labels.membership import one_hot
from partita._labels.weights import WeightScale
from partita._parameters import common
from partita._runs import Progress, best_of, plus_plus, progress, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships
from partita.consensus.soft._soft_consensus import SoftEnsembleConsensus

_SMOOTH = 1e-10  # added in logarithms, so that a centre without probability is far and not infinitely far
_MIX = 0.1  # share of equal probabilities in the first centres: enough that no object is far only by a zero


class ITK(SoftEnsembleConsensus):
    """Information-theoretic k-means on soft clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Fewer are returned, with a warning, if there are fewer different objects.
    n_init : int, default=10
        Number of starts; the best one is kept.
    max_iter : int, default=300
        Largest number of iterations of each start.
    tol : float, default=1e-9
        Relative decrease of the objective below which a start has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
        Number of clusters that have objects.
    objective_ : float
        Sum of the divergences from the centres.
    history_ : list of float
        Objective after each iteration of the kept start; it never rises.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    n_features_in_ : int
        Number of clusterings.
    feature_names_in_
        As in scikit-learn, after a fit on labels.

    Notes
    -----
    Starts are objects far from each other (k-means++ with the divergence). Cost O(n t k) per iteration, with t the
    number of clusters of all clusterings.

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
        **SoftEnsembleConsensus._parameter_constraints,
        **common("n_init", "max_iter", "tol", "n_jobs"),
    }

    history_: list[float]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _powers_of_weights(self) -> tuple[float, float]:
        return 1, 0

    def _report(self, scale: WeightScale) -> None:
        self.history_ = scale.report(self.history_, objects=1)
        self.objective_ = self.history_[-1]

    def _cluster(self, cells: CellMemberships, n_clusters: int, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        divergence = CenterDivergence(cells)
        starts = [divergence.draw_centers(n_clusters, rng) for _ in range(self.n_init)]
        steps = int(self.n_init) * int(self.max_iter)
        with progress(steps, "information-theoretic k-means", show=bool(self.verbose)) as bar:
            run = partial(run_itk, divergence, max_iter=self.max_iter, tol=self.tol, bar=bar)
            best = best_of(run, starts, self.n_jobs, lowest=lambda found: found.history[-1])
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self.history_, self.converged_ = best.history, best.converged
        self.objective_, self.n_iter_ = best.history[-1], len(best.history)
        return best.labels


class ITKRun(NamedTuple):
    """One run from one start."""

    labels: IntArray
    history: list[float]  # objective at each iteration
    converged: bool


def run_itk(divergence: "CenterDivergence", centers: FloatArray, *, max_iter: int, tol: float, bar: Progress) -> ITKRun:
    """Assign rows to their nearest centres and move the centres to the means, in turn (eq. G27)."""
    history: list[float] = []
    while True:
        distance = divergence.from_centers(centers)
        labels = distance.argmin(axis=1)
        nearest = distance[np.arange(len(labels)), labels]
        history.append(float(divergence.cells.row_weights @ nearest))
        converged = len(history) > 1 and history[-2] - history[-1] <= tol * max(history[-2], _SMOOTH)
        if converged or len(history) == max_iter:
            bar.update(max_iter - len(history) + 1)
            return ITKRun(labels, history, converged)
        bar.update(1)
        centers = divergence.means(labels, centers)


class CenterDivergence:
    """KL divergence of rows from centres, by one matrix product: sum s log s - sum s log c."""

    def __init__(self, cells: CellMemberships) -> None:
        self.cells = cells
        share = cells.seen * cells.clustering_weights
        share = share / share.sum(axis=1, keepdims=True)  # v_im
        share = share[:, cells.cell_clustering]
        self.S: Any  # (n_rows, n_cells) probabilities times v_im
        if isinstance(cells.H, np.ndarray):
            self.S = cells.H * share
            self.own = (xlogy(cells.H, cells.H) * share).sum(axis=1)
        else:
            self.S = sparse.csr_array(cells.H.multiply(share))
            self.own = np.zeros(cells.n_rows)  # one-hot rows have no entropy

    def from_centers(self, centers: FloatArray) -> FloatArray:
        """Divergence of each row from each centre: (n_rows, k)."""
        return np.asarray(np.maximum(self.own[:, None] - self.S @ np.log(centers + _SMOOTH).T, 0.0))

    def means(self, labels: IntArray, previous: FloatArray) -> FloatArray:
        """Centres (k, n_cells): means of their members, weighted by w_i v_im.

        A centre without members, or in a clustering that saw none of them, stays as it was.
        """
        clustering = self.cells.cell_clustering
        member = one_hot(labels, len(previous)) * self.cells.row_weights[:, None]
        mass = np.asarray(self.S.T @ member).T
        starts = np.flatnonzero(np.diff(clustering, prepend=-1))
        total = np.add.reduceat(mass, starts, axis=1)[:, clustering]
        return np.asarray(np.divide(mass, total, out=previous.copy(), where=total > 0))

    def draw_centers(self, n_clusters: int, rng: np.random.Generator) -> FloatArray:
        """First centres: rows far from each other, mixed with equal probabilities (eq. G28)."""
        rows = plus_plus(self.cells.row_weights, n_clusters, self._from_row, rng)
        return (1 - _MIX) * np.array([self._row(i) for i in rows]) + _MIX * self._uniform()

    def _from_row(self, row: int) -> FloatArray:
        """Divergence of each row from one of them; 0 where it is only rounding."""
        distance = self.from_centers(self._row(row)[None])[:, 0]
        return np.where(distance > _SMOOTH, distance, 0.0)

    def _row(self, row: int) -> FloatArray:
        """Probabilities of a row; equal ones in clusterings that did not see it."""
        H = self.cells.H
        own = H[row] if isinstance(H, np.ndarray) else H[[row]].toarray().ravel()
        return np.where(self.cells.seen[row][self.cells.cell_clustering], own, self._uniform())

    def _uniform(self) -> FloatArray:
        """Equal probabilities in every clustering, (n_cells,)."""
        clustering = self.cells.cell_clustering
        return np.asarray(1 / np.bincount(clustering)[clustering])
