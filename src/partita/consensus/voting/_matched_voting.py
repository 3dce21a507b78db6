"""Least-squares consensus of matched clusterings (Gordon and Vichi, 2001; Hornik, 2005): a mean of memberships.

The clusters of every clustering are matched to those of the consensus, and memberships Y are sought that are near to
all clusterings after that. With P_b the matching of clustering b, of weight v_b, and o_ib = 1 where it labels i,

    F(Y, P) = sum over i and b of w_i v_b o_ib |e(P_b(x_ib)) - y_i|^2                                        (eq. W1)

is minimised in turns: the best matching for given memberships is a linear assignment (eq. W2), the best memberships for
given matchings are the votes, projected on the simplex (eqs. W3, W4), or, for a hard consensus, their largest (eq. W5).
Where this ends, one clustering at a time is matched to the votes of the others, which is better still (eqs. W6, W7).
"""

from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import StrOptions, common
from partita._runs import Progress, Round, draw_seeds, progress, race, sample_for_starts, warn_not_converged
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus.kmeans._lloyd import SHORT_ITER, SHORT_TOL, run_k_means

_SAME = 1e-9  # relative difference of objectives below which two runs count as the same end
_AGAIN = 2  # runs from the best one, per start, at most
# Of 8 seeds on 16 k-means ensembles of iris, wine and digits, 6 of 128 hard fits miss the best value known without
# these runs, 4 with half of the clusterings matched at random, 3 with three quarters, both until n_init // 2 are in
# vain, and 0 with three quarters until n_init are. On 16 other ensembles this is 1 of 128.
_MATCHED_AT_RANDOM = 0.75


class MatchedRun(NamedTuple):
    """One run from one start."""

    cluster_of: IntArray  # (n_cells,) cluster that each label votes for; -1: matched to none, it votes for no cluster
    membership: FloatArray  # (n_rows, k)
    history: list[float]  # F after each iteration
    converged: bool


class MatchedVoting(SoftConsensusMixin, BaseConsensus):
    """Mean of the clusterings after their clusters are matched to those of the consensus.

    The soft consensus is the least-squares consensus of memberships, the hard one the partition of the least sum of
    squared membership distances: the methods "SE" and "HE" of the R package clue. On hard clusterings the two methods
    of Manhattan distances ("SM", "HM") have the same optimum as "HE".

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the number of distinct rows of labels. Of a clustering with more clusters, those
        that match none have no vote.
    output : {"soft", "hard"}, default="soft"
        Probabilities, or a partition; its ``membership_`` is 0 or 1.
    n_init : int, default=30
        Number of starts, in turns from a short k-means run on the labels, a clustering of the ensemble, and memberships
        at random. Then, from the best one, three quarters of the clusterings are matched at random and improved
        again, until ``n_init`` times in a row improve nothing (at most ``2 * n_init`` times). With more than 3,000
        distinct rows all this happens on a sample of 3,000 objects, and the best one goes on with all.
    max_iter : int, default=100
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
    membership_ : ndarray of shape (n_samples, n_components_)
        Probability of each cluster; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of the largest probability, numbered by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    objective_ : float
        Weighted sum of squared membership distances to the clusterings (eq. W1).
    history_ : list of float
        Objective after each iteration of the last run; it never rises.
    n_iter_ : int
        Number of iterations of the last run, on all rows.
    converged_ : bool
        Whether the last run converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r m k + m q k min(q, k)) per iteration for r distinct rows, m clusterings of up to q clusters and k clusters.
    A clustering that does not label an object has no vote on it. The method suits clusterings with about k clusters
    each; of much finer ones most clusters match none.

    References
    ----------
    A. D. Gordon, M. Vichi, Fuzzy partition models for fitting a set of partitions, Psychometrika 66 (2001) 229-248.
    K. Hornik, A CLUE for CLUster Ensembles, Journal of Statistical Software 14 (2005).

    Examples
    --------
    >>> from partita import MatchedVoting
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> model = MatchedVoting(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.membership_[2].round(3)
    array([0.667, 0.333])
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "output": [StrOptions({"soft", "hard"})],
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        output: Literal["soft", "hard"] = "soft",
        n_init: int = 30,
        max_iter: int = 100,
        tol: float = 1e-9,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.output = output
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _powers_of_weights(self) -> tuple[float, float]:
        return 1, 1

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, k, n_init = rows.ensemble, rows.n_clusters, int(self.n_init)
        *seeds, sample_seed, again_seed = draw_seeds(self.random_state, n_init + 2).tolist()
        few = sample_for_starts(ensemble, sample_seed)
        with progress((n_init + 1) * int(self.max_iter), "matched votes", show=bool(self.verbose)) as bar:

            def run_start(number: int) -> MatchedRun:
                start = _STARTS[number % len(_STARTS)](few, k, seeds[number])
                return self._run(few, match_clusters(few, start), k, bar)

            (best,) = race(range(n_init), [Round(run_start, 1)], self.n_jobs, lowest=lambda run: run.history[-1])
            best = self._go_on(few, best, k, again_seed, bar)
            if few is not ensemble:
                best = self._run(ensemble, best.cluster_of, k, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self.history_ = rows.scale.report(best.history, objects=1, clusterings=1)
        self.n_iter_, self.converged_, self.objective_ = len(best.history), best.converged, self.history_[-1]
        self._cluster_of, self._layout, self._k = best.cluster_of, ensemble.layout, k
        return Consensus(best.membership.argmax(axis=1), best.membership, np.full(k, 1 / k))

    def _go_on(self, few: Ensemble, best: MatchedRun, k: int, seed: int, bar: Progress) -> MatchedRun:
        """The best run after others have begun from it, with some clusterings matched at random."""
        rng, in_vain = np.random.default_rng(seed), 0
        for _ in range(_AGAIN * int(self.n_init)):
            if in_vain >= self.n_init:
                break
            run = self._run(few, match_some_at_random(few, best.cluster_of, k, rng), k, bar)
            gained = best.history[-1] - run.history[-1] > _SAME * best.history[-1]
            best, in_vain = (run, 0) if gained else (best, in_vain + 1)
        return best

    def _run(self, ensemble: Ensemble, cluster_of: IntArray, k: int, bar: Progress) -> MatchedRun:
        return improve_matching(
            ensemble, cluster_of, k, hard=self.output == "hard", max_iter=self.max_iter, tol=self.tol, bar=bar
        )

    def _label_rows(self, codes: Codes) -> Array:
        votes = matched_votes(self._layout.with_rows(codes), self._cluster_of, self._k)
        return memberships(votes, hard=self.output == "hard")


# ------------------------------------------------------------------------------------------------------------ the steps
def improve_matching(
    ensemble: Ensemble, cluster_of: IntArray, k: int, *, hard: bool, max_iter: int, tol: float, bar: Progress
) -> MatchedRun:
    """Memberships and matchings in turns; when the objective has settled, one clustering after another."""
    total = ensemble.row_weights @ label_weight(ensemble)  # of all labels: sum of w_i v_b o_ib
    history: list[float] = []
    one_by_one = False
    while True:
        votes = matched_votes(ensemble, cluster_of, k)
        Y = memberships(votes, hard=hard)
        history.append(float(total + ensemble.row_weights @ row_distance(ensemble, votes, Y)))
        bar.update(1)
        settled = len(history) > 1 and history[-2] - history[-1] <= tol * abs(history[-2])
        if (settled and one_by_one) or len(history) == max_iter:
            return MatchedRun(cluster_of, Y, history, settled)
        one_by_one = one_by_one or settled
        cluster_of = match_one_by_one(ensemble, cluster_of, k, hard=hard) if one_by_one else match_clusters(ensemble, Y)


def match_one_by_one(ensemble: Ensemble, cluster_of: IntArray, k: int, *, hard: bool) -> IntArray:
    """Every clustering in turn is matched to the votes of all others, memberships following: F never rises."""
    cluster_of, known = cluster_of.copy(), label_weight(ensemble)
    votes = matched_votes(ensemble, cluster_of, k)
    for b, (first, n_labels) in enumerate(zip(ensemble.first_cell, ensemble.n_labels, strict=True)):
        rows = np.flatnonzero(ensemble.codes[:, b] >= 0)
        label, own = ensemble.codes[rows, b], ensemble.clustering_weights[b] / known[rows]
        others = votes[rows] - own[:, None] * one_hot(cluster_of[first + label], k)
        gain = _gain_of_match(others, own, hard=hard) * (ensemble.row_weights[rows] * known[rows])[:, None]
        of_labels = np.stack([np.bincount(label, weights=column, minlength=n_labels) for column in gain.T], axis=1)
        chosen, cluster = linear_sum_assignment(of_labels, maximize=True)
        cluster_of[first : first + n_labels] = -1
        cluster_of[first + chosen] = cluster
        votes[rows] = others + own[:, None] * one_hot(cluster_of[first + label], k)
    return cluster_of


def _gain_of_match(others: FloatArray, own: FloatArray, *, hard: bool) -> FloatArray:
    """What F falls by, per weight, if a vote for each cluster joins those of the others, (n_rows, k)."""
    if hard:
        above = others + own[:, None] - others.max(axis=1, keepdims=True)
        return np.asarray(2 * np.maximum(above, 0.0))  # eq. W7
    abstaining = 1 - others.sum(axis=1)
    alone = own**2 + (abstaining**2 - (abstaining - own) ** 2) / others.shape[1]
    return np.asarray(2 * own[:, None] * others + alone[:, None])  # eq. W6


def row_distance(ensemble: Ensemble, votes: FloatArray, Y: FloatArray) -> FloatArray:
    """What each row adds to F, per unit of its weight, less the weight of its labels (eq. W1)."""
    squared = np.einsum("ij,ij->i", Y, Y)
    return np.asarray(label_weight(ensemble) * (squared - 2 * np.einsum("ij,ij->i", votes, Y)))


def match_clusters(ensemble: Ensemble, Y: FloatArray) -> IntArray:
    """Cluster of the consensus that each label is matched to, -1 for none: the largest overlap in all (eq. W2)."""
    overlap = np.asarray(ensemble.indicator.T @ (Y * ensemble.row_weights[:, None]))  # (n_cells, k)
    cluster_of = np.full(ensemble.n_cells, -1, dtype=np.int64)
    for first, n_labels in zip(ensemble.first_cell, ensemble.n_labels, strict=True):
        own = overlap[first : first + n_labels]
        label, cluster = linear_sum_assignment(own, maximize=True)
        cluster_of[first + label] = cluster
    return cluster_of


def match_some_at_random(ensemble: Ensemble, cluster_of: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """The same matchings, but for most of the clusterings, drawn at random, which are matched at random."""
    cluster_of, m = cluster_of.copy(), ensemble.n_clusterings
    for b in rng.choice(m, size=max(1, round(_MATCHED_AT_RANDOM * m)), replace=False):
        first, n_labels = int(ensemble.first_cell[b]), int(ensemble.n_labels[b])
        n_matched = min(n_labels, k)
        cluster_of[first : first + n_labels] = -1
        cluster_of[first + rng.permutation(n_labels)[:n_matched]] = rng.permutation(k)[:n_matched]
    return cluster_of


def matched_votes(ensemble: Ensemble, cluster_of: IntArray, k: int) -> FloatArray:
    """Share of each row's clusterings that vote for each cluster, (n_rows, k); sums may be below 1 (eq. W3)."""
    table = one_hot(cluster_of, k) * ensemble.cell_weights[:, None]
    return np.asarray(ensemble.sum_over_labels(table) / label_weight(ensemble)[:, None])


def label_weight(ensemble: Ensemble) -> FloatArray:
    """Weight of the clusterings that label each row, (n_rows,)."""
    return np.asarray((ensemble.codes >= 0) @ ensemble.clustering_weights)


def memberships(votes: FloatArray, *, hard: bool) -> FloatArray:
    """Memberships nearest to the votes: on the simplex (eq. W4), or its nearest corner (eq. W5)."""
    if hard:
        return one_hot(votes.argmax(axis=1), votes.shape[1])
    missing = 1 - votes.sum(axis=1, keepdims=True)
    # votes are not negative and sum to at most 1: what is missing is spread evenly, and no entry has to be cut off
    return np.asarray(votes + np.maximum(missing, 0.0) / votes.shape[1])


# --------------------------------------------------------------------------------------------------------------- starts
def from_kmeans(ensemble: Ensemble, k: int, seed: int) -> FloatArray:
    """A first partition by a short run of k-means on the labels."""
    labels = run_k_means(ensemble, k, seed, max_iter=SHORT_ITER, tol=SHORT_TOL).labels
    return one_hot(labels.astype(np.int64), k)


def from_clustering(ensemble: Ensemble, k: int, seed: int) -> FloatArray:
    """The k heaviest clusters of one of the clusterings; its other objects belong nowhere at first."""
    chosen = int(np.random.default_rng(seed).integers(ensemble.n_clusterings))
    column = ensemble.codes[:, chosen]
    mass = np.bincount(column + 1, weights=ensemble.row_weights, minlength=int(ensemble.n_labels[chosen]) + 1)[1:]
    place = np.full(len(mass) + 1, -1, dtype=np.int64)  # the last entry is used for missing labels
    heavy = np.argsort(-mass, kind="stable")[:k]
    place[heavy] = np.arange(len(heavy))
    return one_hot(place[column], k)


def at_random(ensemble: Ensemble, k: int, seed: int) -> FloatArray:
    """Memberships that are drawn at random, row by row."""
    return np.random.default_rng(seed).dirichlet(np.ones(k), size=ensemble.n_rows)


_STARTS = (from_kmeans, from_clustering, at_random)  # in turns
