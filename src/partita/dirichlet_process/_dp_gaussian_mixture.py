"""The Dirichlet-process mixture of Gaussians as an estimator.

The model is in ``_dp_gaussian_model.py``, its sampler in ``_neal.py``.
"""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._features import check_points, refuse_magnitude
from partita._kernels.neal import NealModel
from partita._memory import ensure_memory
from partita._numbering import order_by_size, rank_of
from partita._parameters import Interval, StrOptions, common
from partita._partition_search.samples import estimate_partition
from partita._runs import Progress, draw_seeds, in_order, progress
from partita._sampling import SamplingPlan, compare_chains, make_plan
from partita._stopping import whole_or_nothing
from partita._typing import FloatArray, IntArray
from partita.dirichlet_process._dp_gaussian_model import (
    log_density,
    log_points_joint,
    membership,
    mixture_of,
    posterior_means,
    scaled_priors,
    summarise_clusters,
)
from partita.dirichlet_process._neal import NealChain, NealSampler, run_neal_chain, start_model, start_points
from partita.metrics._coassociation import coassociation

_ALPHAS = Interval("real", 1e-6, 1e6)  # far beyond, differences of log gamma functions lose digits
_VARIANCES = Interval("real", 1e-100, 1e100)  # squares of features, up to 1e140, over a variance stay within float64


class DPGaussianMixture(ClusterMixin, BaseEstimator):
    """Dirichlet-process mixture of spherical Gaussians, by Neal's algorithm 2.

    Points of a cluster are N(mu, sigma I), means of clusters N(m0, rho I), and the next point opens a cluster with
    probability alpha / (n + alpha).

    Parameters
    ----------
    alpha : float or "auto", default=1.0
        Concentration, from 1e-6 to 1e6: the larger, the more clusters. "auto": sampled, under Gamma(1, 1).
    sigma : float or "auto", default="auto"
        Variance (of each feature) within clusters, from 1e-100 to 1e100. "auto": sampled, under InvGamma(1, v / 10)
        with v the mean variance of a feature.
    rho : float or "auto", default="auto"
        Variance (of each feature) of the clusters' means, from 1e-100 to 1e100. "auto": sampled, under InvGamma(1, w)
        with w the mean square of X - m0.
    prior_mean : {"data", "zero"} or array-like of shape (n_features,), default="data"
        m0, the mean of the clusters' means; "data": the mean of X.
    n_sweeps : int, default=500
        Sweeps over the points, of each chain.
    burn_in : int, optional
        Sweeps that are not used; default half.
    thin : int, default=1
        A sample is kept every ``thin`` sweeps.
    n_chains : int, default=2
        Chains; they start in turn from about ten clusters and from one.
    consensus : {"map", "binder", "vi"}, default="map"
        Which clustering to return: the sample of the highest posterior probability, improved as long as a move of one
        point or a merger of two clusters raises log p(x, z) further; or the partition of least expected Binder
        loss, or variation of information, against all samples, searched for among all partitions.
    coassignment : bool, default=False
        Compute ``coassignment_``, n x n.
    random_state : int, RandomState, Generator or None
        Seed of the chains.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The consensus, clusters by decreasing size. At the border of two clusters a point need not be in the one that
        is more probable for a new point in its place, which ``predict`` returns.
    n_clusters_ : int
        Number of clusters that have objects.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Posterior means of the clusters' means, given the consensus.
    weights_ : ndarray of shape (n_clusters_,)
        Share of the points in each cluster.
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Probability of each cluster of the consensus, prop. to n_c N(x | centre_c, sigma + variance of mu_c).
    alpha_, sigma_, rho_ : float
        Given, or those of the sample that the consensus comes from, or is nearest to.
    alpha_trace_, sigma_trace_, rho_trace_ : ndarray of shape (n_chains, n_sweeps)
        Their values after every sweep.
    prior_mean_ : ndarray of shape (n_features,)
        m0.
    log_joint_ : float
        log p(x, z) of the consensus, with the means integrated out, at alpha_, sigma_ and rho_.
    log_joint_trace_, n_clusters_trace_ : ndarray of shape (n_chains, n_sweeps)
        log p(x, z) and number of clusters after every sweep.
    r_hat_ : dict
        Potential scale reduction, over halves of chains, of "n_clusters" and "log_joint"; 1 if chains agree.
    converged_ : bool
        Whether both R-hat are below 1.1.
    samples_ : ndarray of shape (n_kept, n_samples)
        Kept assignments of all chains, in the sampler's own numbering of clusters.
    coassignment_ : ndarray of shape (n_samples, n_samples)
        With ``coassignment=True``: share of the kept samples in which two points are together.
    history_ : list of float
        log p(x, z) after each sweep of the best chain.
    n_iter_ : int
        Number of sweeps of each chain; the length of ``history_``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    DPMeans : The limit for small variances, without any sampling.

    Notes
    -----
    Cost O(n k d) per sweep of a chain with k clusters, and 4 n bytes for each sample that is kept.

    Points move one at a time, so chains from different starts can take about n sweeps to agree on the number of
    clusters; a warning says when they do not. The consensus "map" is not affected, as clusters are merged at the end.

    Points that are all equal are one cluster, whatever the parameters.

    References
    ----------
    R. M. Neal, Markov chain sampling methods for Dirichlet process mixture models, Journal of Computational and
    Graphical Statistics 9 (2000) 249-265, algorithm 2.

    M. D. Escobar, M. West, Bayesian density estimation and inference using mixtures, Journal of the American
    Statistical Association 90 (1995) 577-588 (alpha).

    Examples
    --------
    >>> from partita.dirichlet_process import DPGaussianMixture
    >>> X = [[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [9.0, 9.1], [9.2, 9.0], [0.0, 0.3]]
    >>> model = DPGaussianMixture(sigma=0.1, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 0])
    >>> model.predict([[8.0, 9.0]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [StrOptions({"auto"}), _ALPHAS],
        "sigma": [StrOptions({"auto"}), _VARIANCES],
        "rho": [StrOptions({"auto"}), _VARIANCES],
        "prior_mean": [StrOptions({"data", "zero"}), "array-like"],
        "n_sweeps": [Interval("int", 1, 10**9)],  # traces of more sweeps than this fit in no memory
        "burn_in": [None, Interval("int", 0, None)],
        "thin": [Interval("int", 1, None)],
        "n_chains": [Interval("int", 1, None)],
        "consensus": [StrOptions({"map", "binder", "vi"})],
        "coassignment": ["boolean"],
        **common("random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        alpha: Any = 1.0,
        sigma: Any = "auto",
        rho: Any = "auto",
        *,
        prior_mean: Any = "data",
        n_sweeps: int = 500,
        burn_in: int | None = None,
        thin: int = 1,
        n_chains: int = 2,
        consensus: Literal["map", "binder", "vi"] = "map",
        coassignment: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.alpha = alpha
        self.sigma = sigma
        self.rho = rho
        self.prior_mean = prior_mean
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.n_chains = n_chains
        self.consensus = consensus
        self.coassignment = coassignment
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Sample the clusterings of the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        X = check_points(X, self)
        plan = self._plan(len(X))
        self.prior_mean_ = self._find_prior_mean(X)
        points = X - self.prior_mean_
        with progress(int(self.n_sweeps) * int(self.n_chains), "DP Gaussian mixture", show=bool(self.verbose)) as bar:
            chains = self._sample(points, plan, bar)
        best = max(chains, key=lambda chain: chain.best.log_posterior)
        self._remember_chains(chains, best, plan)
        self._set_clusters(points, *self._choose(points, chains, best))
        if self.coassignment:
            self.coassignment_ = self._coassignment()
        elif hasattr(self, "coassignment_"):  # of a fit before this one
            del self.coassignment_
        return self

    def _plan(self, n: int) -> SamplingPlan:
        plan = make_plan(self.n_sweeps, self.burn_in, self.thin)
        n_kept = len(plan.kept) * int(self.n_chains)  # held by the chains, and then put together
        ensure_memory(8 * n_kept * n, purpose=f"{n_kept} samples of {n} points", instead="raise thin.")
        if self.coassignment:
            ensure_memory(24 * n * n, purpose=f"co-assignments of {n} points", instead="leave coassignment=False.")
        return plan

    def _find_prior_mean(self, X: FloatArray) -> FloatArray:
        if isinstance(self.prior_mean, str):
            return X.mean(axis=0) if self.prior_mean == "data" else np.zeros(X.shape[1])
        try:
            mean = np.array(self.prior_mean, dtype=np.float64)
        except (TypeError, ValueError):
            mean = np.empty(0)
        if mean.shape != (X.shape[1],) or not np.isfinite(mean).all():
            raise ValueError(
                f"prior_mean={self.prior_mean!r:.60} does not fit X; pass {X.shape[1]} finite numbers, one per "
                "feature, or 'data' or 'zero'."
            )
        refuse_magnitude(float(np.abs(mean).max()), 0.0, "prior_mean")
        return mean

    def _sample(self, points: FloatArray, plan: SamplingPlan, bar: Progress) -> list[NealChain]:
        values = (self.alpha, self.sigma, self.rho)
        auto_alpha, auto_sigma, auto_rho = (isinstance(value, str) for value in values)
        given = NealModel(*(1.0 if isinstance(value, str) else float(value) for value in values))
        priors = scaled_priors(points, (auto_alpha, auto_sigma, auto_rho))
        seeds = draw_seeds(self.random_state, self.n_chains)

        def run(number: int) -> NealChain:
            rng = np.random.default_rng(int(seeds[number]))
            z = start_points(points, number, rng)
            sampler = NealSampler(points, z, start_model(points, z, given, priors), priors, rng)
            return run_neal_chain(sampler, plan, bar)

        return list(in_order(run, range(self.n_chains), self.n_jobs))

    def _remember_chains(self, chains: list[NealChain], best: NealChain, plan: SamplingPlan) -> None:
        self.log_joint_trace_ = np.array([chain.log_joint for chain in chains])
        self.n_clusters_trace_ = np.array([chain.n_clusters for chain in chains])
        parameters = np.array([chain.parameters for chain in chains])
        self.alpha_trace_, self.sigma_trace_, self.rho_trace_ = np.moveaxis(parameters, 2, 0).copy()
        traces = {"n_clusters": self.n_clusters_trace_, "log_joint": self.log_joint_trace_}
        mixing = compare_chains(traces, plan.burn_in)
        self.r_hat_, self.converged_ = mixing.r_hat, mixing.agree
        self.n_iter_, self.history_ = plan.n_sweeps, best.log_joint.tolist()
        self.samples_ = np.vstack([chain.samples for chain in chains])
        self._kept = [pair for chain in chains for pair in zip(chain.clusters, chain.models, strict=True)]

    def _choose(self, points: FloatArray, chains: list[NealChain], best: NealChain) -> tuple[IntArray, NealModel]:
        """The consensus, and the parameters of its sample, or of the sample nearest to it."""
        if (points == points[0]).all():
            return np.zeros(len(points), dtype=np.int64), best.best.model
        if self.consensus == "map":
            return best.best.z, best.best.model
        found = estimate_partition(self.samples_, self.consensus, len(points), self.n_jobs)
        return found.labels, self._kept[found.nearest][1]

    def _set_clusters(self, points: FloatArray, z: IntArray, model: NealModel) -> None:
        n_clusters = int(z.max()) + 1
        self.labels_ = rank_of(order_by_size(z, n_clusters), n_clusters)[z]
        clusters = summarise_clusters(points, self.labels_, n_clusters)
        self.alpha_, self.sigma_, self.rho_ = model
        self.log_joint_ = log_points_joint(clusters, model)
        self.n_clusters_, self.weights_ = n_clusters, clusters.size / len(points)
        self.cluster_centers_ = posterior_means(clusters, model)[0] + self.prior_mean_
        self._mixture = mixture_of(clusters, model, new=False)
        self.membership_ = membership(points, self._mixture)

    def _coassignment(self) -> FloatArray:
        together = coassociation(np.ascontiguousarray(self.samples_.T), form="dense").counts
        return np.asarray(together / len(self.samples_))

    def _place(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(check_points(X, self, reset=False) - self.prior_mean_)

    def predict(self, X: Any) -> IntArray:
        """Most probable cluster of the consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each cluster of the consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters_)
            As ``membership_``; rows sum to 1.
        """
        return membership(self._place(X), self._mixture)

    def score_samples(self, X: Any) -> FloatArray:
        """Log of the predictive density of each row.

        The density of the next point, averaged over all kept samples, with the clusters' means integrated out:
        prop. to n_c in each cluster, and to alpha in a new one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        points = self._place(X)
        total = np.full(len(points), -np.inf)
        for clusters, model in self._kept:
            np.logaddexp(total, log_density(points, mixture_of(clusters, model, new=True)), out=total)
        return np.asarray(total - np.log(len(self._kept)))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of ``score_samples``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        score : float
        """
        return float(self.score_samples(X).mean())
