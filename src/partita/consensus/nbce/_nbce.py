"""Nonparametric Bayesian cluster ensembles (Wang, Domeniconi and Laskey, 2010): how many clusters is found, too.

A Dirichlet-process mixture over the rows of labels, truncated at K clusters; the model is in ``_nbce_joint.py``, the
three ways of inference in ``_nbce_gibbs.py``, ``_nbce_vb.py`` and ``_nbce_cvb.py``.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from partita._labels.ensemble import Ensemble
from partita._labels.partitions import number_by_size
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions
from partita._runs import Progress, draw_seeds, in_order, progress, warn_not_converged
from partita._sampling import best_sample, check_burn_in, compare_chains
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import STARTS, block_edges
from partita.consensus.models._label_model import LabelModel
from partita.consensus.models._multinomial_mixture import as_rows, posterior
from partita.consensus.nbce import _cvb as cvb
from partita.consensus.nbce import _vb as vb
from partita.consensus.nbce._gibbs import GibbsChain, GibbsPlan, GibbsSampler, run_chain
from partita.consensus.nbce._joint import NBCEModel, count, log_joint, means, predictive
from partita.consensus.nbce._search import Search
from partita.metrics._coassociation import coassociation

_TOLERANCES = {"vb": 1e-6, "cvb": 1e-4}
_FIRST = {"alpha0": 1.0, "beta": 0.5}  # where "auto" starts
_OF_OTHER_FITS = (  # what one way of inference leaves behind and another does not set
    "log_joint_", "log_joint_trace_", "n_clusters_trace_", "r_hat_", "coassignment_", "lower_bound_",
    "_samples", "_copies", "_sample_models", "_predictive",
)  # fmt: skip


class NBCE(LabelModel):
    """Nonparametric Bayesian cluster ensemble: finds the number of clusters.

    Parameters
    ----------
    inference : {"gibbs", "vb", "cvb"}, default="gibbs"
        Collapsed Gibbs sampling, variational Bayes, or collapsed variational Bayes.
    prior : {"tsb", "fsd"}, default="tsb"
        Of the clusters' weights: truncated stick breaking or finite symmetric Dirichlet. "vb" always uses "fsd".
    truncation : int, default=100
        Largest number of clusters (at most the number of objects).
    alpha0 : float or "auto", optional
        Concentration: the larger, the more clusters. "auto": sampled (Gibbs, under Gamma(1, 1)) or of highest bound.
        Default 1 for Gibbs sampling and "cvb", "auto" for "vb".
    beta : float or "auto", optional
        Parameter of the symmetric Dirichlet over the labels of a clustering in a cluster. Default 0.5 for Gibbs
        sampling and "cvb", "auto" for "vb".
    n_sweeps : int, default=1000
        Sweeps over the objects, of each chain.
    burn_in : int, optional
        Sweeps that are not used; default half.
    thin : int, default=5
        Every how many sweeps a sample is kept.
    n_chains : int, default=2
        Chains, from different starts.
    swap_labels : bool, default=True
        Propose swaps of two labels after each sweep ("tsb"), without which labels mix poorly.
    consensus : {"map", "binder", "vi"}, default="map"
        What Gibbs sampling returns: the sample of the highest joint probability, improved as long as single moves, or
        the end of a small cluster, raise it further; or the sample of least expected Binder loss, or variation of
        information, against all samples.
    coassignment : bool, default=False
        Compute ``coassignment_``, n x n.
    second_order : bool, default=False
        Second-order instead of zero-order collapsed variational Bayes. Zero order is too kind to small clusters; at the
        end those whose absence raises the bound are taken out. A sweep takes two or three times as long.
    init : {"kmeans", "random"}, default="kmeans"
        Starts of "vb" and "cvb": clusters of a short k-means on the labels, or label probabilities at random.
    n_init : int, default=10
        Starts of "vb" and "cvb", from 2 clusters to as many as allowed; after 20 iterations the one with the highest
        bound goes on. With more than 3,000 distinct rows they compete on a sample of 3,000 objects.
    tol : float, optional
        Convergence: relative rise of the bound ("vb", default 1e-6), largest change of a probability ("cvb", 1e-4).
    max_iter : int, default=500
        Iterations of "vb" and "cvb" a start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed.
    n_jobs : int, optional
        Chains, or starts, at a time, in threads. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Consensus, clusters by decreasing size; -1 for objects without any label. With "binder" and "vi" they need not
        be the most probable clusters in ``membership_``.
    n_clusters_ : int
        Clusters that have objects.
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Posterior probability of each of these clusters: q(z) for "vb" and "cvb"; for Gibbs given the consensus, with
        pi and theta at their conditional means.
    weights_ : ndarray of shape (n_clusters_,)
        Posterior mean of the clusters' shares.
    theta_ : list of ndarray of shape (n_clusters_, k_j)
        Posterior mean of the probability of each label in each cluster.
    alpha0_, beta_ : float
        Their values, given or estimated (Gibbs: those of the best sample).
    log_joint_ : float
        Gibbs: log p(Y, Z) of the consensus "map" before its clusters are numbered by size.
    log_joint_trace_, n_clusters_trace_ : ndarray of shape (n_chains, n_sweeps)
        Gibbs: log p(Y, Z) and number of clusters of every sweep.
    r_hat_ : dict
        Gibbs: potential scale reduction, over halves of chains, of "n_clusters" and "log_joint"; 1 if chains agree.
    samples_ : ndarray of shape (n_kept, n_samples)
        Gibbs: kept assignments of all chains, -1 for objects without any label or without weight.
    coassignment_ : ndarray of shape (n_samples, n_samples)
        If asked for: posterior probability that two objects are in one cluster (from the samples, or from q(z)); NaN
        for objects without any label or without weight.
    lower_bound_ : float
        "vb", "cvb": lower bound of log p(Y).
    history_ : list of float
        Lower bound of every iteration of "vb", where it never falls, or of every sweep over all rows of "cvb"; Gibbs:
        log p(Y, Z) of every sweep of the best chain.
    n_iter_ : int
    converged_ : bool
        Gibbs: whether both R-hat are below 1.1.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``score_samples`` and ``perplexity`` use the predictive density: pi and theta at their posterior means, averaged
    over the samples of Gibbs sampling.

    "vb" and "cvb" work on distinct rows: O(r m K) an iteration. Equal rows share one q(z), so "cvb" updates them
    together; its fixed points are those of objects updated one by one. Gibbs sampling draws every object: O(n m K') a
    sweep for K' occupied clusters; ``sample_weight`` must then be whole numbers, and an object of weight 2 is drawn
    twice.

    With a single clustering the model is not identifiable.

    References
    ----------
    P. Wang, C. Domeniconi, K. B. Laskey, Nonparametric Bayesian clustering ensembles, ECML PKDD 2010, 435-450.

    Examples
    --------
    >>> from partita import NBCE
    >>> X = {"a": [0, 0, 0, 0, 1, 1, 1, 1], "b": list("uuuuvvvv"), "c": [5, 5, 5, 6, 6, 6, 6, None]}
    >>> model = NBCE(random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "inference": [StrOptions({"gibbs", "vb", "cvb"})],
        "prior": [StrOptions({"tsb", "fsd"})],
        "truncation": [Interval("int", 1, None)],
        "alpha0": [None, StrOptions({"auto"}), Interval("real", 1e-6, 1e6)],
        "beta": [None, StrOptions({"auto"}), Interval("real", 1e-6, 1e6)],
        "n_sweeps": [Interval("int", 1, None)],
        "burn_in": [None, Interval("int", 0, None)],
        "thin": [Interval("int", 1, None)],
        "n_chains": [Interval("int", 1, None)],
        "swap_labels": ["boolean"],
        "consensus": [StrOptions({"map", "binder", "vi"})],
        "coassignment": ["boolean"],
        "second_order": ["boolean"],
        "init": [StrOptions(set(STARTS))],
        "n_init": [Interval("int", 1, None)],
        "tol": [None, Interval("real", 0, None)],
        "max_iter": [Interval("int", 1, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "n_jobs": [None, Interval("int", None, None)],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        inference: Literal["gibbs", "vb", "cvb"] = "gibbs",
        prior: Literal["tsb", "fsd"] = "tsb",
        truncation: int = 100,
        *,
        alpha0: Any = None,
        beta: Any = None,
        n_sweeps: int = 1000,
        burn_in: int | None = None,
        thin: int = 5,
        n_chains: int = 2,
        swap_labels: bool = True,
        consensus: Literal["map", "binder", "vi"] = "map",
        coassignment: bool = False,
        second_order: bool = False,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 10,
        tol: float | None = None,
        max_iter: int = 500,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.inference = inference
        self.prior = prior
        self.truncation = truncation
        self.alpha0 = alpha0
        self.beta = beta
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.n_chains = n_chains
        self.swap_labels = swap_labels
        self.consensus = consensus
        self.coassignment = coassignment
        self.second_order = second_order
        self.init = init
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return self.inference == "gibbs"

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        self._warn_one_clustering(rows.ensemble)
        for name in _OF_OTHER_FITS:
            self.__dict__.pop(name, None)
        self._members, self._layout = rows.row_of_object, rows.ensemble.layout
        model = self._model(rows.ensemble)
        fit = {"gibbs": self._fit_gibbs, "vb": self._fit_vb, "cvb": self._fit_cvb}[self.inference]
        steps = self.n_sweeps * self.n_chains if self.inference == "gibbs" else (self.n_init + 1) * self.max_iter
        with progress(steps, "nonparametric Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            return fit(rows.ensemble, model, bar)

    def _model(self, ensemble: Ensemble) -> NBCEModel:
        prior = "fsd" if self.inference == "vb" else self.prior
        values = {name: _FIRST[name] if isinstance(given, str) else given for name, given in self._given().items()}
        return NBCEModel(ensemble.layout, prior, **values)

    def _given(self) -> dict[str, float | str]:
        """alpha0 and beta, or "auto"."""
        default = {"alpha0": "auto", "beta": "auto"} if self.inference == "vb" else _FIRST
        given = {"alpha0": self.alpha0, "beta": self.beta}
        return {name: default[name] if value is None else value for name, value in given.items()}

    @property
    def _estimate(self) -> tuple[bool, bool]:
        given = self._given()
        return given["alpha0"] == "auto", given["beta"] == "auto"

    def _close(self, rows: LabelledRows, found: Consensus) -> None:
        super()._close(rows, found)
        if self.coassignment and self.inference != "gibbs":
            n = len(self.labels_)
            ensure_memory(24 * n * n, purpose=f"co-assignments of {n} objects", instead="leave coassignment=False.")
            member = np.where(rows.row_of_object[:, None] >= 0, self.membership_, np.nan)
            self.coassignment_ = member @ member.T
            known = np.flatnonzero(rows.row_of_object >= 0)
            self.coassignment_[known, known] = 1.0

    # -------------------------------------------------------------------------------------------- Gibbs sampling

    def _fit_gibbs(self, ensemble: Ensemble, model: NBCEModel, bar: Progress) -> Consensus:
        plan = self._plan()
        objects = np.repeat(np.arange(ensemble.n_rows), _as_copies(ensemble.row_weights))
        n_clusters = min(self.truncation, len(objects))
        drawn = ensemble.with_rows(ensemble.codes[objects])
        seeds = draw_seeds(self.random_state, 2 * self.n_chains)

        def run(number: int) -> GibbsChain:
            z = self._start_chain(ensemble, model, objects, n_clusters, number, int(seeds[2 * number]))
            return run_chain(GibbsSampler(drawn, model, z, n_clusters), plan, int(seeds[2 * number + 1]), bar)

        chains = list(in_order(run, list(range(self.n_chains)), self.n_jobs))
        best = max(chains, key=lambda chain: chain.best_log_joint)
        self._remember_chains(chains, best, plan)
        self._samples, self._copies = np.vstack([chain.samples for chain in chains]), objects
        self._sample_models = [model for chain in chains for model in chain.models]
        self._ensemble, self._n_components = ensemble, n_clusters
        if self.coassignment:
            self.coassignment_ = self._coassignment()
        return self._consensus_of_samples(ensemble, best, objects)

    def _plan(self) -> GibbsPlan:
        burn_in = check_burn_in(self.n_sweeps, self.burn_in, self.thin)
        return GibbsPlan(self.n_sweeps, burn_in, self.thin, self.swap_labels, *self._estimate)

    def _start_chain(
        self, ensemble: Ensemble, model: NBCEModel, objects: IntArray, n_clusters: int, number: int, seed: int
    ) -> IntArray:
        """Chains start at clusters of k-means and at random clusters in turn, ten at most."""
        few = min(n_clusters, 10)
        if number % 2 or self.init == "random":
            return np.random.default_rng(seed).integers(few, size=len(objects))
        labels = STARTS["kmeans"](ensemble, few, seed).labels[objects].astype(np.int64)
        return number_by_size(labels, ties="number")

    def _remember_chains(self, chains: list[GibbsChain], best: GibbsChain, plan: GibbsPlan) -> None:
        self.log_joint_trace_ = np.array([chain.log_joint for chain in chains])
        self.n_clusters_trace_ = np.array([chain.n_clusters for chain in chains])
        traces = {"n_clusters": self.n_clusters_trace_, "log_joint": self.log_joint_trace_}
        self.r_hat_, self.converged_ = compare_chains(traces, plan.burn_in)
        self.n_iter_, self.history_ = plan.n_sweeps, best.log_joint.tolist()
        self.log_joint_ = best.best_log_joint
        self.alpha0_, self.beta_ = best.best_model.alpha0, best.best_model.beta

    def _consensus_of_samples(self, ensemble: Ensemble, best: GibbsChain, objects: IntArray) -> Consensus:
        each = np.ones(len(objects))
        if (ensemble.codes == ensemble.codes[0]).all():  # objects that are all alike are one cluster
            z, model = np.zeros(len(objects), dtype=np.int64), best.best_model
        elif self.consensus == "map":
            z, model = best.best, best.best_model
        else:
            place = best_sample(self._samples, each, self.consensus)
            z, model = number_by_size(self._samples[place].astype(np.int64), ties="number"), self._sample_models[place]
        counts = count(z, ensemble.codes[objects], each, model.layout, self._n_components)
        if self.consensus == "map":
            self.log_joint_ = log_joint(counts, model)
        occupied = np.flatnonzero(counts.size > 0)
        self._set_clusters(*means(counts, model), occupied, model)
        membership = self._label_rows(ensemble.codes)
        labels = (
            membership.argmax(axis=1) if self.consensus == "map" else np.searchsorted(occupied, z[self._first_copy])
        )
        return Consensus(labels, membership, self._prior_of(), most_probable=self.consensus == "map")

    def _coassignment(self) -> FloatArray:
        n = len(self._members)
        ensure_memory(24 * n * n, purpose=f"co-assignments of {n} objects", instead="leave coassignment=False.")
        there = np.flatnonzero(self._members >= 0)
        samples = np.ascontiguousarray(self._samples[:, self._first_copy].T)
        together = coassociation(samples, form="dense").counts / len(self._samples)
        probabilities = np.full((n, n), np.nan)
        probabilities[np.ix_(there, there)] = together
        return probabilities

    @property
    def _first_copy(self) -> IntArray:
        """Place of each row among the objects that were drawn."""
        return np.searchsorted(self._copies, np.arange(len(self._ensemble.codes)))

    @property
    def samples_(self) -> IntArray:
        """Kept assignments of all chains, in the samplers' own numbering of clusters."""
        check_is_fitted(self, "_samples")
        of_rows = self._samples[:, self._first_copy]
        return np.where(self._members >= 0, of_rows[:, self._members], -1).astype(np.int64)

    # -------------------------------------------------------------------------------------------- variational Bayes

    def _fit_vb(self, ensemble: Ensemble, model: NBCEModel, bar: Progress) -> Consensus:
        run = vb.fit(ensemble, model, self._search(ensemble), bar)
        state: vb.VBState = run.state
        self._remember_bounds(run.history, len(run.history), run.converged, state.model)
        log_table, log_weights = vb.expected_logs(state)
        log_table *= model.cell_weight[:, None]
        used = np.unique(_most_probable(ensemble, log_table, log_weights))
        self._set_clusters(*vb.means(state), used, state.model)
        self._log_table, self._log_weights = log_table[:, used].copy(), log_weights[used].copy()
        membership = self._label_rows(ensemble.codes)
        return Consensus(membership.argmax(axis=1), membership, self._prior_of())

    def _fit_cvb(self, ensemble: Ensemble, model: NBCEModel, bar: Progress) -> Consensus:
        solution = cvb.fit(ensemble, model, self._search(ensemble), bar, second_order=self.second_order)
        self._remember_bounds(solution.history, solution.n_iter, solution.converged, solution.model)
        used = np.unique(solution.gamma.argmax(axis=1))
        self._set_clusters(*means(solution.counts, solution.model), used, solution.model)
        membership = solution.gamma[:, used] / solution.gamma[:, used].sum(axis=1, keepdims=True)
        return Consensus(membership.argmax(axis=1), membership, self._prior_of())

    def _search(self, ensemble: Ensemble) -> Search:
        tol = _TOLERANCES[self.inference] if self.tol is None else self.tol
        n_clusters = min(self.truncation, int(max(1, ensemble.row_weights.sum())))
        seeds = draw_seeds(self.random_state, self.n_init + 1)
        return Search(n_clusters, self.init, seeds, tol, self.max_iter, self._estimate, self.n_jobs)

    def _remember_bounds(self, history: list[float], n_iter: int, converged: bool, model: NBCEModel) -> None:
        if not converged:
            warn_not_converged(f"inference={self.inference!r}", self.max_iter)
        self.history_, self.lower_bound_ = history, history[-1]
        self.n_iter_, self.converged_ = n_iter, converged
        self.alpha0_, self.beta_ = model.alpha0, model.beta

    # ------------------------------------------------------------------------------------------------ fitted models

    def _set_clusters(self, table: FloatArray, weights: FloatArray, used: IntArray, model: NBCEModel) -> None:
        """Means of theta and pi; rows are placed in the clusters of the consensus, the ``used`` ones."""
        log_table, log_weights = np.log(table) * model.cell_weight[:, None], np.log(np.maximum(weights, 1e-300))
        self._predictive = (log_table, log_weights)
        self._table, self._weights = table[:, used], weights[used]
        self._log_table, self._log_weights = log_table[:, used].copy(), log_weights[used].copy()

    def _prior_of(self) -> FloatArray:
        return np.asarray(self._weights / self._weights.sum())

    def _placed(self, codes: Codes) -> Ensemble:
        return self._layout.with_rows(codes)

    def _label_rows(self, codes: Codes) -> FloatArray:
        rows = as_rows(self._placed(codes))
        return posterior(rows, self._log_table, self._log_weights)[0]

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        """Log of the predictive density, averaged over the samples."""
        rows = as_rows(self._placed(codes))
        values = [posterior(rows, *tables)[1] for tables in self._predictives()]
        return np.asarray(logsumexp(values, axis=0) - np.log(len(values)))

    def _predictives(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        if not hasattr(self, "_samples"):
            yield self._predictive
            return
        codes = self._ensemble.codes[self._copies]
        for z, model in zip(self._samples, self._sample_models, strict=True):
            counts = count(z.astype(np.int64), codes, np.ones(len(codes)), model.layout, self._n_components)
            yield predictive(counts, model)

    @property
    def weights_(self) -> FloatArray:
        """Mean share of each cluster, in the order of ``labels_``."""
        return np.asarray(self._weights[self._placement.order])

    @property
    def theta_(self) -> list[FloatArray]:
        """Mean probability of each label in each cluster, one array a clustering."""
        return self._by_clustering(self._table)


def _as_copies(counts: FloatArray) -> IntArray:
    """Whole numbers of copies of each row."""
    copies = np.rint(counts).astype(np.int64)
    if (copies != counts).any():
        wrong = counts[copies != counts][0]
        raise ValueError(
            f"sample_weight contains {wrong}: Gibbs sampling draws every object, so weights must be whole numbers; "
            "use inference='vb' or 'cvb' for fractions."
        )
    return copies


def _most_probable(ensemble: Ensemble, log_table: FloatArray, log_weights: FloatArray) -> Array:
    """Most probable cluster of each row, in blocks: with K = 100 the probabilities would take more than the labels."""
    labels = []
    for lo, hi in block_edges(ensemble.n_rows, len(log_table)):
        rows = as_rows(ensemble.with_rows(ensemble.codes[lo:hi], ensemble.row_weights[lo:hi]))
        labels.append(posterior(rows, log_table, log_weights)[0].argmax(axis=1))
    return np.concatenate(labels)
