"""Information bottleneck of an ensemble: clusters that keep the most information about the clusterings.

    maximise   sum_m v_m T_m I(z; x_m) - I(z; i) / beta                                                     (eq. M68)

over probabilities q(z | i) of k clusters z for every object i, with I(z; x_m) over the objects that clustering m labels
and T_m their share. For finite beta the solution satisfies (eq. M69)

    q(z | i) prop. to q(z) exp(beta sum_m v_m log p_m(x_im | z)),

and alternating these equations is EM of the mixture of multinomials with clusterings of weight beta v_m (eq. M70). For
infinite beta clusters are hard, and single objects move between them (eq. M71).
"""

import math
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import xlogy

from partita._kernels import itk
from partita._labels.ensemble import Ensemble, match_rows
from partita._labels.membership import one_hot
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, Round, draw_seeds, progress, race, sample_for_starts, warn_not_converged
from partita._stopping import until_stopped
from partita._typing import Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.models._em import START_NOISE, STARTS, EMRun, column_sums, minus_bound, with_every_label
from partita.consensus.models._mixture import MixtureModel, as_rows, log_tables, posterior, run_mixture
from partita.consensus.models._starts import HEAT, SEARCH_SIZE, as_state, best_clusters, label_mass

_SHARP = 1e4  # weight of a clustering in searches for hard clusters: their sizes count for nothing beside it
_LEAST = 1e-12  # smallest rise, in nats per object, by which an object moves: above rounding
_IMPOSSIBLE = -1e9  # log of a probability of 0: beyond any sum of logs of others, and they still have seven digits
_SMALLEST, _LARGEST = 1e-6, 1e9  # of a finite beta: a larger one is infinite, as clusters are hard up to rounding


class InformationBottleneck(SoftConsensusMixin, BaseConsensus):
    """Clusters that keep the most information about the clusterings, by the information bottleneck.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    beta : float, default=inf
        How much a unit of information about the clusterings is worth in units of information about the objects, from
        1e-6. Infinite: hard clusters of the largest mean mutual information with the clusterings. Finite:
        probabilities, and the smaller, the softer; with beta equal to the number of clusterings they are those of
        :class:`MultinomialMixture`, and at 1 or a little above all clusters become the same.
    init : {"kmeans", "random"}, default="kmeans"
        Where a start begins its search for good hard clusters: at clusters of a short k-means, or at random ones.
    n_init : int, default=10
        Number of starts; the best one is kept. Each is an annealed search by moves of objects, merges and splits of
        clusters, and then single moves (infinite ``beta``) or the self-consistent equations. With more than 1,500
        distinct rows the starts run on a sample of 1,500 objects, and the best goes on with all rows.
    max_iter : int, default=1000
        Largest number of iterations, or of passes over all rows, of each start.
    tol : float, default=1e-8
        Relative rise of the objective below which a start has converged, for finite ``beta``.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering; they are divided by their sum.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        q(z | i); 0 and 1 for infinite ``beta``. Objects without any label have equal probabilities.
    labels_ : ndarray of shape (n_samples,)
        Most probable cluster, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    information_ : float
        Mean mutual information of the clusters with the clusterings, in nats: the sum of v_m T_m I(z; x_m).
    compression_ : float
        I(z; i), the information that the clusters have about the objects; for hard ones, the entropy of their sizes.
    objective_ : float
        The first minus the second divided by ``beta``: it is made as large as possible.
    history_ : list of float
        Objective at the start and after each iteration, or pass, of the kept start; it never falls.
    n_iter_ : int
        Length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A missing label is left out of the sums of its clustering. Hard clusters of complete labels have the objective of
    :class:`ITK` on these labels; with missing labels ITK lets the other labels of the object count more instead.

    A new object gets the cluster of the fitted objects with the same labels, else that in which its labels are most
    probable.

    Cost O(r m k) per iteration or pass for r distinct rows, m clusterings, k clusters; O(r (m + k)) memory.

    The coordinated conditional information bottleneck of the second reference looks for clusters of features that
    differ from known ones. Here the clusterings themselves are what is to be kept.

    References
    ----------
    N. Tishby, F. C. Pereira, W. Bialek, The information bottleneck method, Allerton 1999, 368-377.

    D. Gondek, T. Hofmann, Non-redundant data clustering, ICDM 2004, 75-82.

    N. Slonim, Y. Weiss, Maximum likelihood and the information bottleneck, NIPS 15 (2002) 335-342.

    Examples
    --------
    >>> from partita import InformationBottleneck
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> InformationBottleneck(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "beta": [Interval("real", _SMALLEST, math.inf)],
        "init": [StrOptions(set(STARTS))],
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        beta: float = math.inf,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-8,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        problem = bottleneck(rows.ensemble, float(self.beta))
        *seeds, sample_seed = draw_seeds(self.random_state, int(self.n_init) + 1).tolist()
        few = problem.sample(sample_seed)
        with progress(None, "information bottleneck", show=bool(self.verbose)) as bar:
            found = best_clusters(
                few.scaled, rows.n_clusters, self.init, seeds, int(self.n_init), self.n_jobs, problem.heat
            )
            run = self._run_hard if problem.is_hard else self._run_soft
            best = run(problem, few, [one.labels for one in found], rows.n_clusters, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        return self._keep(problem, best)

    def _run_hard(
        self, problem: "Bottleneck", few: "Bottleneck", starts: list[IntArray], k: int, bar: Progress
    ) -> "BottleneckRun":
        """Single moves from every start; on all rows from the best of a sample."""
        move = partial(move_rows, n_clusters=k, max_iter=int(self.max_iter), bar=bar)
        best: BottleneckRun = race(starts, [Round(partial(move, few), 1)], self.n_jobs, lowest=minus_bound)[0]
        if few is problem:
            return best
        return move(problem, problem.scaled.sum_over_labels(best.log_table).argmax(axis=1))

    def _run_soft(
        self, problem: "Bottleneck", few: "Bottleneck", starts: list[IntArray], k: int, bar: Progress
    ) -> "BottleneckRun":
        """The self-consistent equations from every start, as EM (eq. M70)."""
        run = partial(run_mixture, model=MixtureModel(), tol=self.tol, max_iter=int(self.max_iter), bar=bar)
        states = [as_state(few.scaled, labels, k, START_NOISE) for labels in starts]
        best: EMRun = race(states, [Round(partial(run, few.scaled), 1)], self.n_jobs, lowest=minus_bound)[0]
        if few is not problem:
            best = run(problem.scaled, with_every_label(best.state, problem.scaled), n_jobs=self.n_jobs)
        logs = log_tables(best.state, problem.scaled.cell_weights)
        membership = posterior(as_rows(problem.scaled), *logs)[0]
        history = [problem.entropy + bound / (problem.total * problem.beta) for bound in best.history]
        return BottleneckRun(membership, history, best.converged, *logs)

    def _keep(self, problem: "Bottleneck", best: "BottleneckRun") -> Consensus:
        """What a fitted model has of its run, and the clusters of the rows."""
        self._rows, self._row_labels = problem.scaled, best.membership.argmax(axis=1)
        self._logs = best.log_table, best.log_weights
        self.history_, self.converged_, self.n_iter_ = best.history, best.converged, len(best.history)
        self.objective_ = best.history[-1]
        self.information_, self.compression_ = (
            problem.information(best.membership),
            problem.compression(best.membership),
        )
        k = best.membership.shape[1]
        return Consensus(best.membership.argmax(axis=1), best.membership, np.full(k, 1 / k))

    def _label_rows(self, codes: Codes) -> FloatArray:
        new = self._rows.with_rows(codes)
        log_table, log_weights = self._logs
        if log_weights is None:
            equal = match_rows(self._rows.codes, codes)  # clusters may tie for a row, as where they share no clustering
            labels = np.where(equal >= 0, self._row_labels[equal], new.sum_over_labels(log_table).argmax(axis=1))
            return one_hot(labels, log_table.shape[1])
        return posterior(as_rows(new), log_table, log_weights)[0]


class BottleneckRun(NamedTuple):
    """Where a start ended, and the logs by which rows are placed."""

    membership: FloatArray  # (n_rows, k)
    history: list[float]
    converged: bool
    log_table: FloatArray  # (n_cells, k), times the weight of the clustering
    log_weights: FloatArray | None = None  # (k,) of finite beta


# --------------------------------------------------------------------------------------------------------- objective
class Bottleneck(NamedTuple):
    """Rows whose clusterings weigh beta v_m, or far more than the sizes of clusters if beta is infinite."""

    scaled: Ensemble
    v: FloatArray  # (n_clusterings,) weights that sum to 1
    beta: float
    heat: float  # of searches for hard clusters

    @property
    def is_hard(self) -> bool:
        """Whether beta is infinite."""
        return math.isinf(self.beta)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.scaled.row_weights.sum())

    @property
    def cell_weights(self) -> FloatArray:
        """V of each label's clustering."""
        return np.asarray(self.v[self.scaled.cell_clustering])

    @property
    def entropy(self) -> float:
        """Information of clusters that determine all labels: sum_m v_m T_m H(x_m)."""
        return -self.gain((self.scaled.cell_mass / self.total)[:, None])

    def gain(self, mass: FloatArray) -> float:
        """Sum over clusters and clusterings of v_m (sum_a n log n - N log N) for shares n of labels (eq. M71)."""
        of_cells = self.cell_weights @ xlogy(mass, mass).sum(axis=1)
        totals = column_sums(mass, self.scaled)
        return float(of_cells - self.v @ xlogy(totals, totals).sum(axis=1))

    def information(self, membership: FloatArray) -> float:
        """Sum_m v_m T_m I(z; x_m)."""
        share = membership * (self.scaled.row_weights / self.total)[:, None]
        return self.entropy + self.gain(np.asarray(self.scaled.indicator.T @ share))

    def compression(self, membership: FloatArray) -> float:
        """I(z; i)."""
        share = self.scaled.row_weights / self.total
        q = share @ membership
        return float(share @ xlogy(membership, membership).sum(axis=1) - xlogy(q, q).sum())

    def sample(self, seed: int) -> "Bottleneck":
        """A sample of the rows if there are many, else itself."""
        few = sample_for_starts(self.scaled, seed, SEARCH_SIZE)
        return self if few is self.scaled else self._replace(scaled=few)


def bottleneck(ensemble: Ensemble, beta: float) -> Bottleneck:
    """The problem of an ensemble."""
    beta = math.inf if beta > _LARGEST else beta
    v = ensemble.clustering_weights / ensemble.clustering_weights.sum()
    mean_weight = _SHARP if math.isinf(beta) else beta / len(v)
    scaled = Ensemble(ensemble.codes, ensemble.n_labels, v * (mean_weight * len(v)), ensemble.row_weights)
    return Bottleneck(scaled, v, beta, HEAT * max(mean_weight, 1.0))


# ------------------------------------------------------------------------------------------------------- single moves
def move_rows(problem: Bottleneck, start: IntArray, *, n_clusters: int, max_iter: int, bar: Progress) -> BottleneckRun:
    """Rows move, one after another, to the cluster of the largest rise, until none gains (eq. M71)."""
    rows, labels = problem.scaled, start.astype(np.int64)
    share = rows.row_weights / problem.total
    values = np.repeat(share, np.diff(rows.row_starts)) * problem.v[rows.row_clusterings]
    plain = rows.with_rows(rows.codes, share)
    weighted = label_mass(plain, labels, n_clusters) * problem.cell_weights[:, None]
    mass, total = np.ascontiguousarray(weighted.T), np.ascontiguousarray(column_sums(weighted, rows).T)
    n_rows = np.bincount(labels, minlength=n_clusters).astype(np.int64)
    lists = rows.row_starts, rows.row_cells.astype(np.int64), values, rows.cell_clustering.astype(np.int64)
    history, moved = [problem.entropy + problem.gain(label_mass(plain, labels, n_clusters))], True
    while moved and len(history) < max_iter:
        moved = bool(until_stopped(itk.move_rows, *lists, _LEAST, 1, labels, n_rows, mass, total))
        if moved:
            history.append(problem.entropy + problem.gain(label_mass(plain, labels, n_clusters)))
        bar.update(1)
    table = place_table(label_mass(plain, labels, n_clusters), problem)
    return BottleneckRun(one_hot(labels, n_clusters), history, not moved, table)


def place_table(mass: FloatArray, problem: Bottleneck) -> FloatArray:
    """v_m log p_m(a | z): a new row joins the cluster of the largest sum over its labels (eq. M71).

    A label that no object of a cluster has is worse than any other; where no object of a cluster has a label of the
    clustering, nothing speaks against it, as in the objective.
    """
    total = column_sums(mass, problem.scaled)[problem.scaled.cell_clustering]
    p = np.divide(mass, total, out=np.ones_like(mass), where=total > 0)
    logs = np.log(p, out=np.full_like(p, _IMPOSSIBLE), where=p > 0)
    return np.asarray(logs * problem.cell_weights[:, None])
