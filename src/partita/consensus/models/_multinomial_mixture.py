"""Mixture of multinomials over the rows of labels (Topchy, Jain and Punch, 2004).

A row x belongs to component h with probability pi_h, and then its labels are independent:

    p(x) = sum_h pi_h prod_{j observed} theta_hj[x_j]                                                (eq. M10)

E-step: r_ih prop. to pi_h prod_j theta_hj[x_ij].                                                    (eq. M11)
M-step: pi_h = mean of r_ih, theta_hj[a] prop. to sum_{i: x_ij = a} r_ih.                            (eq. M12)
"""

from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from partita._kernels import mixture
from partita._labels.ensemble import Ensemble
from partita._parameters import StrOptions, common
from partita._runs import Progress, best_on_sample_then_all, block_edges, in_order, progress, warn_not_converged
from partita._typing import Codes, FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import (
    STARTS,
    EMRun,
    climb,
    column_sums,
    minus_bound,
    normalise,
    warn_one_clustering,
    with_every_label,
)
from partita.consensus.models._label_model import UNSEEN, LabelModel

_TINY = 1e-300  # instead of 0 in logs: near the smallest float, so that it counts as 0


class MixtureState(NamedTuple):
    """Parameters of the mixture."""

    pi: FloatArray  # (k,)
    table: FloatArray  # (n_cells, k) theta


class MixtureStats(NamedTuple):
    """What the M-step needs; additive over blocks of rows."""

    mass: FloatArray  # (k,) sum of r
    label_mass: FloatArray  # (n_cells, k) sum of r over the rows with a label
    log_likelihood: float


def as_rows(ensemble: Ensemble) -> mixture.MixtureRows:
    """Rows as the kernels need them."""
    return mixture.MixtureRows(ensemble.row_starts, ensemble.row_cells, ensemble.row_weights)


def expect_block(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray, block: tuple[int, int]
) -> MixtureStats:
    """E-step of a block of rows."""
    mass, label_mass = np.zeros(len(log_weights)), np.zeros(log_table.shape)
    log_likelihood = mixture.expect_mixture(rows, log_table, log_weights, *block, mass, label_mass)
    return MixtureStats(mass, label_mass, float(log_likelihood))


def add_stats(parts: Any) -> MixtureStats:
    """Sum of the blocks' statistics."""
    first, *others = parts
    mass, label_mass, log_likelihood = first
    for other in others:
        mass += other.mass
        label_mass += other.label_mass
        log_likelihood += other.log_likelihood
    return MixtureStats(mass, label_mass, log_likelihood)


def expect_all(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray, n_jobs: int | None
) -> MixtureStats:
    """E-step of all rows, in blocks."""
    edges = block_edges(len(rows.row_weights), len(log_table))
    return add_stats(in_order(partial(expect_block, rows, log_table, log_weights), edges, n_jobs))


def posterior(
    rows: mixture.MixtureRows, log_table: FloatArray, log_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Membership and log-likelihood of each row."""
    n = len(rows.row_weights)
    membership, log_likelihood = np.empty((n, len(log_weights))), np.empty(n)
    mixture.posterior(rows, log_table, log_weights, 0, n, membership, log_likelihood)
    return membership, log_likelihood


def update_mixture(state: MixtureState, stats: MixtureStats, layout: Ensemble, *, impute: bool = False) -> MixtureState:
    """M-step. With ``impute``, a missing label counts as the old parameters expect it (the paper's way, eq. M13)."""
    mass = stats.label_mass
    if impute:
        missing = stats.mass - column_sums(mass, layout)
        mass = mass + np.maximum(missing, 0.0)[layout.cell_clustering] * state.table
    return MixtureState(stats.mass / stats.mass.sum(), normalise(mass, layout, state.table))


def log_tables(state: MixtureState, cell_weights: FloatArray, floor: float = _TINY) -> tuple[FloatArray, FloatArray]:
    """Logs of theta, times the weight of the clustering, and of pi."""
    log_table = np.log(np.maximum(state.table, floor)) * cell_weights[:, None]
    return log_table, np.log(np.maximum(state.pi, _TINY))


def run_mixture(
    ensemble: Ensemble,
    state: MixtureState,
    n_jobs: int | None,
    *,
    impute: bool,
    tol: float,
    max_iter: int,
    bar: Progress,
) -> EMRun:
    """EM from a state to its end."""
    rows, cell_weights = as_rows(ensemble), ensemble.cell_weights

    def expect(state: MixtureState) -> tuple[MixtureStats, float]:
        stats = expect_all(rows, *log_tables(state, cell_weights), n_jobs)
        return stats, stats.log_likelihood

    step = partial(update_mixture, layout=ensemble.layout, impute=impute)
    n = float(ensemble.row_weights.sum())
    return climb(expect, step, state, tol=tol, max_iter=max_iter, n=n, bar=bar)


class MultinomialMixture(LabelModel):
    """Mixture model of the labels, fitted by EM.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. They are the components of the mixture.
    missing : {"ignore", "impute"}, default="ignore"
        How the M-step sees missing labels: not at all, or as the old parameters expect them, which is the paper's way.
        Both raise the likelihood of the observed labels and stop at the same points; "ignore" gets there sooner.
    init : {"kmeans", "random"}, default="kmeans"
        Start at the clusters of a short k-means on the labels, or at label probabilities from Dirichlet(1).
    n_init : int, default=10
        Number of starts; the best one is kept. With more than 3,000 distinct rows the starts compete on a sample of
        3,000 objects, and the best continues on all.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-6
        Relative rise of the log-likelihood below which a start has converged.
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
        Posterior probability of each component; ``weights_`` for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Most probable component, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    weights_ : ndarray of shape (n_components_,)
        Share of each component: pi.
    theta_ : list of ndarray of shape (n_components_, k_j)
        Probability of each label of each clustering in each component.
    lower_bound_ : float
        Log-likelihood of the observed labels.
    history_ : list of float
        Log-likelihood after each iteration of the kept start; it never falls.
    n_iter_ : int
        Number of iterations of the kept start (on all objects, if starts competed on a sample); the length of
        ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With a single clustering the model is not identifiable: every mixture with the right label frequencies fits equally
    well, and the result is little more than the start.

    Cost O(r m k) per iteration for r distinct rows, m clusterings, k components; O(r m) memory.

    References
    ----------
    A. Topchy, A. K. Jain, W. Punch, A mixture model for clustering ensembles, SDM 2004, 379-390.

    Examples
    --------
    >>> from partita import MultinomialMixture
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> model = MultinomialMixture(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict_proba({"a": [1], "b": ["u"], "c": [None]}).shape
    (1, 2)
    """

    _ties_by_codes: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "missing": [StrOptions({"ignore", "impute"})],
        "init": [StrOptions(set(STARTS))],
        **common("n_clusters", "n_init", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        missing: Literal["ignore", "impute"] = "ignore",
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-6,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.missing = missing
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        warn_one_clustering(self, ensemble)
        with progress((int(self.n_init) + 1) * int(self.max_iter), "mixture model", show=bool(self.verbose)) as bar:
            impute = self.missing == "impute"
            best = best_on_sample_then_all(
                ensemble,
                partial(self._begin, rows.n_clusters),
                partial(run_mixture, impute=impute, tol=self.tol, max_iter=self.max_iter, bar=bar),
                lambda found: with_every_label(found.state, ensemble),
                n_init=self.n_init,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                lowest=minus_bound,
            )
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        self._layout, self._state = ensemble.layout, best.state
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_, self.lower_bound_ = len(best.history), best.history[-1]
        membership = posterior(as_rows(ensemble), *log_tables(self._state, self._layout.cell_weights))[0]
        return Consensus(membership.argmax(axis=1), membership, self._state.pi)

    def _begin(self, n_clusters: int, ensemble: Ensemble, number: int, seed: int) -> MixtureState:
        start = STARTS[self.init](ensemble, n_clusters, seed)
        return MixtureState(start.pi, start.table)

    def _posterior(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        rows = as_rows(self._layout.with_rows(codes))
        return posterior(rows, *log_tables(self._state, self._layout.cell_weights, floor=UNSEEN))

    def _label_rows(self, codes: Codes) -> FloatArray:
        return self._posterior(codes)[0]

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        return self._posterior(codes)[1]

    @property
    def weights_(self) -> FloatArray:
        """Share of each component, in the order of ``labels_``."""
        return np.asarray(self._state.pi[self._placement.order])

    @property
    def theta_(self) -> list[FloatArray]:
        """Probability of each label in each component, one array per clustering."""
        return self._by_clustering(self._state.table)
