"""Information-theoretic k-means (Punera and Ghosh, 2007): k-means on soft clusterings with a KL divergence.

    minimise sum_i w_i sum_m v_im KL(s_im || c_{k(i) m})                                                   (eq. G26),

s_im the probabilities that clustering m gives object i (left out where it did not see it), v_im the weight of m over
that of all clusterings that saw i. For this direction of KL the best centre is the weighted mean of its members, so no
step raises the sum. Where the steps end, single objects still change their cluster if the sum falls when both centres
follow (eq. G40): the steps alone stop at worse partitions.
"""

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from partita._labels.ensemble import match_rows
from partita._labels.membership import one_hot
from partita._labels.weights import WeightScale
from partita._parameters import common
from partita._runs import Progress, Round, plus_plus, progress, race, warn_not_converged
from partita._stopping import until_stopped
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.graph._cell_memberships import CellMemberships
from partita.consensus.soft._soft_consensus import SoftEnsembleConsensus

_SMOOTH = 1e-10  # added in logarithms, so that a centre without probability is far and not infinitely far
_CANDIDATES = 3  # starts per one that is run to its end: they compete for a few iterations
_SHORT = 5  # iterations
_PASSES = 20  # of single moves over all rows between two updates of all: a limit, few passes move anything
_MIX = 0.1  # share of equal probabilities in the first centres: enough that no object is far only by a zero


class ITK(SoftEnsembleConsensus):
    """Information-theoretic k-means on soft clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Fewer are returned, with a warning, if there are fewer different objects.
    n_init : int, default=10
        Number of starts that are run to their end; the best one is kept. They are the best, after five iterations, of
        three times as many.
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
    Starts are objects far from each other: greedy k-means++ with the divergence, that is, of several objects drawn for
    a centre, the one that lowers the sum of divergences most is taken. Cost O(n t k) per iteration, with t the number
    of clusters of all clusterings.

    A new object with the labels of a fitted one gets its cluster. Any other, and after a fit on soft clusterings every
    one, gets the cluster whose mean probabilities agree best with its own, which may differ from ``labels_``.

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

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        found = super()._fit_rows(rows)
        self._row_codes, self._row_labels = rows.ensemble.codes, found.labels
        return found

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster of the fitted row with the same labels, else that of the best agreement (eq. G3)."""
        equal = match_rows(self._row_codes, codes)
        return np.where(equal >= 0, self._row_labels[equal], super()._label_rows(codes))

    def _cluster(self, cells: CellMemberships, n_clusters: int, seed: int) -> IntArray:
        rng = np.random.default_rng(seed)
        divergence = CenterDivergence(cells)
        starts = [divergence.draw_centers(n_clusters, rng) for _ in range(_CANDIDATES * self.n_init)]
        with progress(int(self.n_init), "information-theoretic k-means", show=bool(self.verbose)) as bar:
            begin = partial(run_itk, divergence, max_iter=min(self.max_iter, _SHORT), tol=self.tol)
            go_on = partial(self._run, divergence, bar=bar)
            rounds = [Round(begin, self.n_init), Round(go_on, 1)]
            best: ITKRun = race(starts, rounds, self.n_jobs, lowest=lambda found: found.history[-1])[0]
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self.history_, self.converged_ = best.history, best.converged
        self.objective_, self.n_iter_ = best.history[-1], len(best.history)
        return best.labels

    def _run(self, divergence: "CenterDivergence", begun: "ITKRun", *, bar: Progress) -> "ITKRun":
        """A start that has begun, run to its end."""
        rest = self.max_iter - len(begun.history)
        found = run_itk(divergence, begun.centers, max_iter=rest, tol=self.tol, moves=True) if rest else begun
        bar.update(1)
        return found._replace(history=begun.history + found.history) if rest else begun


class ITKRun(NamedTuple):
    """One run from one start."""

    labels: IntArray
    centers: FloatArray  # where the next iteration begins
    history: list[float]  # objective at each iteration
    converged: bool


def run_itk(
    divergence: "CenterDivergence", centers: FloatArray, *, max_iter: int, tol: float, moves: bool = False
) -> ITKRun:
    """Assign rows to their nearest centres and move the centres to the means, in turn (eq. G27).

    With ``moves``, single rows change their cluster where these steps end (eq. G40).
    """
    history: list[float] = []
    before = np.inf  # objective where the updates ended the last time
    while True:
        distance = divergence.from_centers(centers)
        labels = distance.argmin(axis=1)
        nearest = distance[np.arange(len(labels)), labels]
        history.append(float(divergence.cells.row_weights @ nearest))
        settled = len(history) > 1 and history[-2] - history[-1] <= tol * max(history[-2], _SMOOTH)
        # moves that did not lower the objective were moves of rounding: weights may differ by 600 orders of magnitude
        useful = moves and settled and before - history[-1] > tol * max(history[-1], _SMOOTH)
        moved = useful and divergence.move_single_rows(labels, len(centers), least=tol * history[-1])
        before = history[-1] if settled else before
        converged = settled and not moved
        centers = divergence.means(labels, centers)
        if converged or len(history) == max_iter:
            return ITKRun(labels, centers, history, converged)


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

    def move_single_rows(self, labels: IntArray, n_clusters: int, *, least: float) -> bool:
        """Move rows between clusters, in ``labels``, as long as the objective falls; whether any moved (eq. G40)."""
        from partita._kernels.itk import move_rows  # loads numba

        cells = self.cells
        S = sparse.csr_array(self.S)
        values = S.data * np.repeat(cells.row_weights, np.diff(S.indptr))
        mass = np.asarray((one_hot(labels, n_clusters) * cells.row_weights[:, None]).T @ self.S)
        total = np.add.reduceat(mass, np.flatnonzero(np.diff(cells.cell_clustering, prepend=-1)), axis=1)
        n_rows = np.bincount(labels, minlength=n_clusters)
        lists = S.indptr.astype(np.int64), S.indices.astype(np.int64), values, cells.cell_clustering
        return bool(until_stopped(move_rows, *lists, least, _PASSES, labels, n_rows, mass, total))

    def draw_centers(self, n_clusters: int, rng: np.random.Generator) -> FloatArray:
        """First centres: rows far from each other, mixed with equal probabilities (eq. G28)."""
        rows = plus_plus(
            self.cells.row_weights, n_clusters, self._from_row, rng, n_candidates=2 + int(np.log(n_clusters))
        )
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
