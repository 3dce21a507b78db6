"""Mixture of multinomials over the rows of labels: the estimator; its steps are in ``_mixture.py``."""

from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from partita._kept_starts import RowStart, kept_starts
from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, Round, draw_seeds, in_order, progress, race, sample_for_starts, warn_not_converged
from partita._typing import Codes, FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import (
    START_NOISE,
    STARTS,
    EMRun,
    minus_bound,
    warn_one_clustering,
    with_every_label,
)
from partita.consensus.models._growing import GrowingMixin, soft_counts
from partita.consensus.models._label_model import UNSEEN, LabelModel
from partita.consensus.models._mixture import MixtureModel, as_rows, log_tables, posterior, run_mixture
from partita.consensus.models._starts import SEARCH_SIZE, as_state, best_clusters, search_clusters, state_of_counts


class MultinomialMixture(GrowingMixin, LabelModel):
    """Mixture model of the labels, fitted by EM.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. They are the components of the mixture.
    missing : {"ignore", "impute"}, default="ignore"
        How the M-step sees missing labels: not at all, or as the old parameters expect them, which is the paper's way.
        Both raise the likelihood of the observed labels and stop at the same points; "ignore" gets there sooner.
    smoothing : float, default=0.0
        Pseudo-count of every label in every component, so that no label is impossible; 0.001 is a good value when new
        objects are to be scored, and the likelihood of BCE with the same value is then comparable. What rises is the
        log-likelihood plus smoothing * sum_j u_j sum log theta_j, with u_j the weight of clustering j.
    init : {"kmeans", "random"}, default="kmeans"
        Where a start begins its search for good hard clusters: at clusters of a short k-means, or at random ones.
    n_init : int, default=4
        Number of starts that are run to the end; the best one is kept. Each is EM from the hard clusters that an
        annealed search by moves of rows, merges and splits has found. With more than 1,500 distinct rows the search
        runs on a sample of 1,500 objects; with more than 3,000, EM of all starts on a sample of 3,000, and the best is
        run again on all.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
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
        Log-likelihood of the observed labels (with smoothing, plus the sum of logs given there).
    history_ : list of float
        Log-likelihood after each iteration of the kept start; it never falls.
    n_iter_ : int
        Number of iterations of the kept start (on all objects, if starts competed on a sample); the length of
        ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
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
        "smoothing": [Interval("real", 0, None)],
        "init": [StrOptions(set(STARTS))],
        **common(
            "n_clusters", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose"
        ),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        missing: Literal["ignore", "impute"] = "ignore",
        smoothing: float = 0.0,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 4,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-6,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.missing = missing
        self.smoothing = smoothing
        self.init = init
        self.n_init = n_init
        self.keep_starts = keep_starts
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
            best = self._keep_runs(rows, bar) if self.keep_starts else self._best_run(rows, bar)
        if not best.converged:
            warn_not_converged(type(self).__name__, self.max_iter)
        return self._keep(ensemble, best)

    def _keep(self, ensemble: Ensemble, best: EMRun) -> Consensus:
        """What a fitted model has of its run, and the clusters of the rows."""
        self._layout, self._state = ensemble.layout, best.state
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_, self.lower_bound_ = len(best.history), best.history[-1]
        membership = self._memberships(ensemble, best)
        return Consensus(membership.argmax(axis=1), membership, self._state.pi)

    def _go_on(self, rows: LabelledRows, membership: FloatArray) -> Consensus:
        first = state_of_counts(*soft_counts(rows, membership), rows.ensemble, START_NOISE)
        run = partial(run_mixture, tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs)
        return self._keep(rows.ensemble, run(rows.ensemble, first, self._model))

    @property
    def _model(self) -> MixtureModel:
        return MixtureModel(self.missing == "impute", self.smoothing)

    def _best_run(self, rows: LabelledRows, bar: Progress) -> EMRun:
        """EM from the best clusters of several searches; on a sample first if there are many rows (eq. M56)."""
        ensemble, k = rows.ensemble, rows.n_clusters
        *seeds, search_seed, sample_seed = draw_seeds(self.random_state, self.n_init + 2).tolist()
        few = sample_for_starts(ensemble, sample_seed)
        fewer = sample_for_starts(few, search_seed, SEARCH_SIZE)
        found = best_clusters(fewer, k, self.init, seeds, self.n_init, self.n_jobs)
        states = [as_state(fewer, one.labels, k, START_NOISE) for one in found]
        states = states if fewer is few else [with_every_label(state, few) for state in states]
        run = partial(run_mixture, model=self._model, tol=self.tol, max_iter=self.max_iter, bar=bar)
        best: EMRun = race(states, [Round(partial(run, few), 1)], self.n_jobs, lowest=minus_bound)[0]
        return best if few is ensemble else run(ensemble, with_every_label(best.state, ensemble), n_jobs=self.n_jobs)

    def _keep_runs(self, rows: LabelledRows, bar: Progress) -> EMRun:
        """Every start, run to its end on all rows; the best one."""
        ensemble, k = rows.ensemble, rows.n_clusters
        seeds = draw_seeds(self.random_state, self.n_init).tolist()

        def run_start(seed: int) -> EMRun:
            labels = search_clusters(ensemble, k, self.init, seed).labels
            state = as_state(ensemble, labels, k, START_NOISE)
            return run_mixture(ensemble, state, self._model, tol=self.tol, max_iter=self.max_iter, bar=bar)

        runs = list(in_order(run_start, seeds, self.n_jobs))
        starts = [
            RowStart(run.history[-1], seed, len(run.history), self._memberships(ensemble, run).argmax(axis=1))
            for run, seed in zip(runs, seeds, strict=True)
        ]
        self.starts_ = kept_starts(starts, rows)
        return min(runs, key=minus_bound)

    @staticmethod
    def _memberships(ensemble: Ensemble, run: EMRun) -> FloatArray:
        return posterior(as_rows(ensemble), *log_tables(run.state, ensemble.cell_weights))[0]

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
