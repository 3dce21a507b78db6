"""Nonparametric Bayesian cluster ensembles (Wang, Domeniconi and Laskey, 2010): the number of clusters is found.

A Dirichlet-process mixture over the rows of labels, truncated at K clusters. The model is in ``_joint.py``; the three
ways of inference, in ``_gibbs.py``, ``_vb.py`` and ``_cvb.py``, all return the posterior of ``_posterior.py``.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions, common
from partita._runs import Progress, draw_seeds, progress
from partita._sampling import make_plan
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import ClusterTotals, Consensus, LabelledRows
from partita.consensus.models._em import STARTS, warn_one_clustering
from partita.consensus.models._label_model import LabelModel
from partita.consensus.nbce._cvb import cvb
from partita.consensus.nbce._gibbs import GibbsSettings, gibbs
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._posterior import NBCEPosterior
from partita.consensus.nbce._variational_starts import VariationalSettings
from partita.consensus.nbce._vb import vb
from partita.metrics._coassociation import coassociation

_TOLERANCES = {"vb": 1e-6, "cvb": 1e-4}  # of the bound, relatively, and of a probability: less costs iterations
_VALUES = {"alpha0": 1.0, "beta": 0.5}  # defaults, as the paper gives none, and where "auto" starts
_RANGE = Interval("real", 1e-6, 1e6)  # of alpha0 and beta: far beyond, differences of log gamma functions lose digits


class NBCE(LabelModel):
    """Nonparametric Bayesian cluster ensemble: finds the number of clusters.

    Parameters
    ----------
    inference : {"gibbs", "vb", "cvb"}, default="gibbs"
        Collapsed Gibbs sampling, variational Bayes, or collapsed variational Bayes.
    prior : {"tsb", "fsd"}, default="tsb"
        Of the clusters' weights: truncated stick breaking or finite symmetric Dirichlet. "vb" always uses "fsd".
    truncation : int, default=100
        Largest number of clusters K: the number of objects, if that is less.
    alpha0 : float or "auto", optional
        Concentration, from 1e-6 to 1e6: the larger, the more clusters. "auto": sampled (Gibbs, under Gamma(1, 1)) or of
        highest bound. Default 1 for Gibbs sampling and "cvb", "auto" for "vb".
    beta : float or "auto", optional
        Parameter, from 1e-6 to 1e6, of the symmetric Dirichlet over the labels of a clustering in a cluster. Default
        0.5 for Gibbs sampling and "cvb", "auto" for "vb".
    n_sweeps : int, default=250
        Sweeps of each chain. A sweep draws every object, proposes 25 times to split or merge clusters, and shares out
        the objects of equal rows between two clusters.
    burn_in : int, optional
        Sweeps that are not used; default half.
    thin : int, default=5
        A sample is kept every ``thin`` sweeps.
    n_chains : int, default=4
        Chains, from starts that lie far apart, so that R-hat tells whether they agree.
    n_temperatures : int, optional
        Replicas of each chain whose likelihood has a power from 1 down to 0.5, and which exchange it: they cross
        between modes where a single chain does not, and cost as many sweeps. Default 6 for at most 2,000 objects with
        mostly different rows whose clusterings have a total weight of 50 or more, else 1 (no tempering).
    consensus : {"map", "binder", "vi"}, default="map"
        Which clustering Gibbs sampling returns: the sweep of the highest joint probability with clusters numbered by
        size, improved as long as moving one object, or removing a small cluster, raises it further; or the
        partition of least expected Binder loss, or variation of information, against all samples, searched for among
        all partitions into at most ``truncation`` clusters.
    coassignment : bool, default=False
        Compute ``coassignment_``, n x n.
    second_order : bool, default=False
        Second-order instead of zero-order collapsed variational Bayes. Zero order favours small clusters; those whose
        absence raises the bound are taken out. A sweep takes two or three times as long.
    init : {"kmeans", "random"}, default="kmeans"
        Start from the clusters of a short k-means on the labels, or at random. Chains of Gibbs sampling start in turn
        from 10 clusters, a single one, 30, and 3 random ones.
    n_init : int, default=3
        Number of starts of "vb" and "cvb", with 2 to 20 clusters. From each, an annealed search moves rows, merges and
        splits clusters by the bound, the iterations run to their end, and the highest bound is kept. With more than
        3,000 distinct rows the searches compete on a sample of 3,000 objects, and the best one goes on with all rows.
    max_iter : int, default=500
        Largest number of iterations of "vb" and "cvb".
    tol : float, optional
        Relative rise of the lower bound ("vb", default 1e-6), or largest change of a probability ("cvb", default 1e-4),
        below which a start has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the chains, or starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Consensus, clusters by decreasing size; -1 for objects without any label. With "binder" and "vi" they need not
        be the most probable clusters in ``membership_``.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    membership_ : ndarray of shape (n_samples, n_components_)
        Posterior probability of each of these clusters: q(z) for "vb" and "cvb"; for Gibbs given the consensus, with
        pi and theta at their conditional means.
    weights_ : ndarray of shape (n_components_,)
        Posterior mean of the clusters' shares.
    theta_ : list of ndarray of shape (n_components_, k_j)
        Posterior mean of the probability of each label in each cluster.
    alpha0_, beta_ : float
        Their values, given or estimated (Gibbs: those of the sample that is the consensus).
    log_joint_ : float
        Gibbs: log p(Y, Z) of ``labels_`` as they are numbered.
    log_joint_trace_, n_clusters_trace_ : ndarray of shape (n_chains, n_sweeps)
        Gibbs: log p(Y, Z) and number of clusters of every sweep.
    r_hat_ : dict
        Gibbs: potential scale reduction, over halves of chains, of "n_clusters" and "log_joint"; 1 if chains agree.
        Above 1.2 there is a warning.
    ess_ : dict
        Gibbs: effective number of draws of both, of all chains together after the burn-in; NaN if they never change.
    samples_ : ndarray of shape (n_kept, n_samples)
        Gibbs: kept assignments of all chains, -1 for objects without any label or without weight.
    coassignment_ : ndarray of shape (n_samples, n_samples)
        With ``coassignment=True``: posterior probability that two objects are in one cluster (from the samples, or
        from q(z)); NaN for objects without any label or without weight.
    lower_bound_ : float
        "vb", "cvb": lower bound of log p(Y).
    history_ : list of float
        Lower bound after each iteration of the kept start of "vb", where it never falls, or after each sweep over all
        rows of "cvb", where it may; then of "cvb" one higher value for each cluster that was taken out, at the fixed
        point without it. Gibbs: log p(Y, Z) after each sweep of the best chain.
    n_iter_ : int
        Number of iterations or sweeps: the length of ``history_``. Of "cvb" the number of all sweeps, also those over
        the rows that still move, after which no bound is computed: ``history_`` usually has fewer values.
    converged_ : bool
        "vb", "cvb": whether the kept start converged within ``max_iter``, also after the last cluster was taken out.
        Gibbs: whether both R-hat are below 1.1.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``score_samples`` and ``perplexity`` use the predictive density: pi and theta at their posterior means, averaged
    over the samples of Gibbs sampling.

    "vb" and "cvb" work on distinct rows: O(r m K) per iteration, "cvb" with the clusters that a search found instead of
    K, O(r m k) per sweep of a search. Equal rows share one q(z), so "cvb" updates them together; its fixed points are
    those of objects updated one by one. Where "vb" estimates ``beta`` it is small (0.01 to 0.04 on k-means ensembles)
    and fine clusters, 15 to 20 for ecoli, have the highest bound: they are the model's, not a failure of the search.

    Gibbs sampling draws every object: O(r m K' + n m) per sweep for r distinct rows and K' clusters with objects, times
    ``n_temperatures``; ``sample_weight`` must then be whole numbers, and an object of weight 2 is drawn twice; weights
    that make more than 1e6 objects of fewer rows are refused.

    Attributes that are marked "Gibbs", or "vb" and "cvb", exist after that inference only.

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
        "alpha0": [None, StrOptions({"auto"}), _RANGE],
        "beta": [None, StrOptions({"auto"}), _RANGE],
        "n_sweeps": [Interval("int", 1, None)],
        "burn_in": [None, Interval("int", 0, None)],
        "thin": [Interval("int", 1, None)],
        "n_chains": [Interval("int", 1, None)],
        "n_temperatures": [None, Interval("int", 1, None)],
        "consensus": [StrOptions({"map", "binder", "vi"})],
        "coassignment": ["boolean"],
        "second_order": ["boolean"],
        "init": [StrOptions(set(STARTS))],
        "tol": [None, Interval("real", 0, None)],
        **common("n_init", "max_iter", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        inference: Literal["gibbs", "vb", "cvb"] = "gibbs",
        prior: Literal["tsb", "fsd"] = "tsb",
        truncation: int = 100,
        *,
        alpha0: Any = None,
        beta: Any = None,
        n_sweeps: int = 250,
        burn_in: int | None = None,
        thin: int = 5,
        n_chains: int = 4,
        n_temperatures: int | None = None,
        consensus: Literal["map", "binder", "vi"] = "map",
        coassignment: bool = False,
        second_order: bool = False,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 3,
        max_iter: int = 500,
        tol: float | None = None,
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
        self.n_temperatures = n_temperatures
        self.consensus = consensus
        self.coassignment = coassignment
        self.second_order = second_order
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---------------------------------------------------------------------------------------------------------- fit
    def _one_row_per_object(self) -> bool:
        return self.inference == "gibbs"

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        warn_one_clustering(self, rows.ensemble)
        n_objects = len(rows.row_of_object)
        if self.coassignment:
            purpose = f"co-assignments of {n_objects} objects"
            ensure_memory(24 * n_objects**2, purpose=purpose, instead="leave coassignment=False.")
        sweeps, iterations = int(self.n_sweeps) * int(self.n_chains), (int(self.n_init) + 1) * int(self.max_iter)
        steps = sweeps if self.inference == "gibbs" else iterations
        with progress(steps, "nonparametric Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            found = self._infer(rows.ensemble, bar)
        return self._keep(rows, found)

    def _keep(self, rows: LabelledRows, found: NBCEPosterior) -> Consensus:
        """What a fitted model has of its posterior, and the clusters of the rows."""
        self._posterior = found.for_objects(rows.row_of_object)
        self.alpha0_, self.beta_ = found.model.alpha0, found.model.beta
        self.history_, self.n_iter_, self.converged_ = found.history, found.n_iter, found.converged
        return Consensus(found.labels, found.membership, found.pi / found.pi.sum(), found.most_probable)

    def _infer(self, ensemble: Ensemble, bar: Progress) -> NBCEPosterior:
        """The posterior, by the chosen inference."""
        model, estimate = self._prior_model(ensemble.layout)
        truncation = int(self.truncation)
        if self.inference == "gibbs":
            plan, n_chains = make_plan(self.n_sweeps, self.burn_in, self.thin), int(self.n_chains)
            sampling = GibbsSettings(
                truncation, plan, n_chains, self.n_temperatures, estimate, self.consensus, self.init, self.n_jobs
            )
            return gibbs(ensemble, model, sampling, draw_seeds(self.random_state, 2 * n_chains), bar)
        settings = self._variational(estimate)
        seeds = draw_seeds(self.random_state, self.n_init + 1)
        if self.inference == "vb":
            return vb(ensemble, model, settings, seeds, bar)
        return cvb(ensemble, model, settings, seeds, bar, second_order=self.second_order)

    def _prior_model(self, layout: Ensemble) -> tuple[NBCEModel, tuple[bool, bool]]:
        """The model with its first alpha0 and beta, and whether they are to be estimated."""
        alpha0, beta = self._parameter("alpha0"), self._parameter("beta")
        prior: Literal["tsb", "fsd"] = "fsd" if self.inference == "vb" else self.prior
        model = NBCEModel(layout, prior, alpha0 or _VALUES["alpha0"], beta or _VALUES["beta"])
        return model, (alpha0 is None, beta is None)

    def _variational(self, estimate: tuple[bool, bool]) -> VariationalSettings:
        """What "vb" and "cvb" are told."""
        tol = _TOLERANCES[self.inference] if self.tol is None else self.tol
        return VariationalSettings(int(self.truncation), estimate, self.init, self.max_iter, tol, self.n_jobs)

    def _parameter(self, name: Literal["alpha0", "beta"]) -> float | None:
        """Value of alpha0 or beta; None if it is to be estimated."""
        given = getattr(self, name)
        if given is None:
            return None if self.inference == "vb" else _VALUES[name]
        return None if isinstance(given, str) else float(given)

    def _close(self, rows: LabelledRows, found: Consensus, totals: ClusterTotals | None = None) -> None:
        super()._close(rows, found, totals)
        self._coassignment = self._find_coassignment(rows.row_of_object >= 0) if self.coassignment else None

    def _find_coassignment(self, known: Array) -> FloatArray:
        """Probability that two objects are in one cluster, eq. N22; NaN for those that took no part."""
        if self._posterior.samples is None:
            member = np.where(known[:, None], self.membership_, np.nan)
            together = member @ member.T
            together[known, known] = 1.0
            return np.asarray(together)
        samples = np.ascontiguousarray(self._posterior.samples[:, known].T)
        together = np.full((len(known), len(known)), np.nan)
        together[np.ix_(known, known)] = coassociation(samples, form="dense").counts / samples.shape[1]
        return together

    # -------------------------------------------------------------------------------------------------- new objects
    def _label_rows(self, codes: Codes) -> FloatArray:
        return self._posterior.place(self._posterior.model.layout.with_rows(codes))

    def _log_likelihood(self, codes: Codes) -> FloatArray:
        return self._posterior.log_density(self._posterior.model.layout.with_rows(codes))

    # --------------------------------------------------------------------------------------------------- attributes
    @property
    def weights_(self) -> FloatArray:
        """Mean share of each cluster, in the order of ``labels_``."""
        return np.asarray(self._posterior.pi[self._placement.order])

    @property
    def theta_(self) -> list[FloatArray]:
        """Mean probability of each label in each cluster, one array per clustering."""
        return self._by_clustering(self._posterior.theta)

    @property
    def lower_bound_(self) -> float:
        """Lower bound of log p(Y), by "vb" and "cvb"."""
        return float(self._of_inference("lower_bound"))

    @property
    def log_joint_(self) -> float:
        """Log p(Y, Z) of the best assignment, by Gibbs sampling."""
        return float(self._of_inference("log_joint"))

    @property
    def log_joint_trace_(self) -> FloatArray:
        """Log p(Y, Z) of every sweep of every chain."""
        return np.asarray(self._of_inference("log_joint_trace"))

    @property
    def n_clusters_trace_(self) -> IntArray:
        """Number of clusters after every sweep of every chain."""
        return np.asarray(self._of_inference("n_clusters_trace"))

    @property
    def r_hat_(self) -> dict[str, float]:
        """Potential scale reduction of the traces."""
        return dict(self._of_inference("r_hat"))

    @property
    def ess_(self) -> dict[str, float]:
        """Effective number of draws of the traces."""
        return dict(self._of_inference("ess"))

    @property
    def samples_(self) -> IntArray:
        """Kept assignments of all chains, in the samplers' own numbering of clusters."""
        return np.asarray(self._of_inference("samples"), dtype=np.int64)

    @property
    def coassignment_(self) -> FloatArray:
        """Posterior probability that two objects are in one cluster."""
        check_is_fitted(self, "_posterior")
        if self._coassignment is None:
            raise AttributeError("coassignment_ is not computed by default; pass coassignment=True.")
        return self._coassignment

    def _of_inference(self, name: str) -> Any:
        """What one inference finds and another does not."""
        check_is_fitted(self, "_posterior")
        value = getattr(self._posterior, name)
        if value is None:
            raise AttributeError(f"{name}_ does not exist after inference={self.inference!r}.")
        return value
