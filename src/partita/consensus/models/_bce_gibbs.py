"""Bayesian cluster ensembles by collapsed Gibbs sampling: chains over the clusters of all labels (eqs. M62 to M67).

theta and beta are integrated out, beta under a symmetric Dirichlet prior; what is drawn is the cluster z_ij of every
label of every object, and alpha and the parameter of the prior where they are not given. Copies of a row are different
objects with draws of their own, and have the same posterior: a row's membership is the mean over them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln
from sklearn.utils.validation import check_is_fitted

from partita._kernels import bce_gibbs as kernel
from partita._kernels.bce import LARGEST_ALPHA, SMALLEST_ALPHA
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._runs import Progress, draw_seeds, in_order, progress
from partita._sampling import Mixing, SamplingPlan, compare_chains, make_plan
from partita._typing import FloatArray, IntArray
from partita.consensus.models._em import STARTS
from partita.consensus.models._starts import SEARCH_SIZE, search_clusters

FIRST_ALPHA, FIRST_BETA = 0.1, 0.1  # where chains start if these are sampled
BETAS = (1e-4, 1e4)  # range of beta: beyond, differences of log gamma functions lose digits
_AT_RANDOM = (0.0, 0.2, 0.4, 0.6)  # share of the labels that the first, second, ... chain draws at random in its start
_MOST_DRAWN = 10**6  # objects that weights may make of fewer rows: a sweep of so many takes seconds
_TOLD = "membership_ and all parameters are those of the chain of the highest mean log joint"


class GibbsPrior(NamedTuple):
    """Parameters of the Dirichlet priors; None where they are sampled."""

    alpha: float | None
    beta: float | None


class GibbsSettings(NamedTuple):
    """How to sample."""

    plan: SamplingPlan
    n_chains: int
    prior: GibbsPrior
    init: str
    n_jobs: int | None


class GibbsMeans(NamedTuple):
    """Sums, then means, over kept samples; clusters of all of them are numbered alike."""

    membership: FloatArray  # (n_rows, k) theta
    table: FloatArray  # (n_cells, k) beta
    alpha: FloatArray  # (k,)

    def add(self, other: "GibbsMeans", row_weights: FloatArray) -> "GibbsMeans":
        """The sum with another one, whose clusters are numbered so that memberships agree best (eq. M66)."""
        order = matching(self.membership, other.membership, row_weights)
        return GibbsMeans(*(mine + its[..., order] for mine, its in zip(self, other, strict=True)))

    def over(self, n: int) -> "GibbsMeans":
        """The mean of n samples."""
        return GibbsMeans(*(part / n for part in self))


class GibbsChain(NamedTuple):
    """What one chain has drawn."""

    means: GibbsMeans
    traces: dict[str, FloatArray]  # (n_sweeps,) each


class BCESamples(NamedTuple):
    """What all chains together tell."""

    means: GibbsMeans
    traces: dict[str, FloatArray]  # (n_chains, n_sweeps) each
    best: int  # the chain of the highest mean log joint
    mixing: Mixing


# ------------------------------------------------------------------------------------------------------------- chains
def sample_bce(
    ensemble: Ensemble, n_clusters: int, settings: GibbsSettings, seeds: IntArray, bar: Progress
) -> BCESamples:
    """Several chains, each with a seed of its start and one of its draws."""
    objects = objects_to_draw(ensemble, n_clusters)

    def run(number: int) -> GibbsChain:
        of_start, of_draws = seeds[2 * number : 2 * number + 2].tolist()
        z = start_chain(ensemble, objects, n_clusters, settings.init, number, of_start)
        return run_chain(BCESampler(ensemble, objects, z, n_clusters, settings.prior, of_draws), settings.plan, bar)

    chains = list(in_order(run, range(settings.n_chains), settings.n_jobs))
    traces = {name: np.array([chain.traces[name] for chain in chains]) for name in chains[0].traces}
    mixing = compare_chains(traces, settings.plan.burn_in, told=_TOLD)
    best = int(traces["log_joint"][:, settings.plan.burn_in :].mean(axis=1).argmax())
    return BCESamples(_join(chains, best, mixing, ensemble.row_weights), traces, best, mixing)


def _join(chains: list[GibbsChain], best: int, mixing: Mixing, row_weights: FloatArray) -> GibbsMeans:
    """Mean of all chains, or of the best one alone where they disagree (eq. M67)."""
    means = chains[best].means
    if mixing.disagree:
        return means
    for number, chain in enumerate(chains):
        if number != best:
            means = means.add(chain.means, row_weights)
    return means.over(len(chains))


def matching(mean: FloatArray, sample: FloatArray, row_weights: FloatArray) -> IntArray:
    """Cluster of the sample behind each cluster of the mean: the matching of the largest common membership."""
    order: IntArray = linear_sum_assignment((mean * row_weights[:, None]).T @ sample, maximize=True)[1]
    return order


def run_chain(sampler: "BCESampler", plan: SamplingPlan, bar: Progress) -> GibbsChain:
    """All sweeps of a chain."""
    kept, total, rows = set(plan.kept), None, sampler.ensemble.row_weights
    trace: list[dict[str, float]] = []
    for sweep in range(plan.n_sweeps):
        sampler.sweep()
        trace.append(sampler.summary())
        if sweep in kept:
            now = sampler.means()
            total = now if total is None else total.add(now, rows)
        bar.update(1)
    assert total is not None  # make_plan refuses plans without a sample
    return GibbsChain(total.over(len(kept)), {name: np.array([one[name] for one in trace]) for name in trace[0]})


def start_chain(ensemble: Ensemble, objects: IntArray, n_clusters: int, init: str, number: int, seed: int) -> IntArray:
    """Hard clusters for all labels of an object; further chains draw more and more of the labels at random."""
    if ensemble.n_rows <= SEARCH_SIZE:
        labels = search_clusters(ensemble, n_clusters, init, seed).labels
    else:
        labels = STARTS[init](ensemble, n_clusters, seed)
    lengths = np.diff(ensemble.row_starts)
    z = np.repeat(labels[objects].astype(np.int64), lengths[objects])
    rng = np.random.default_rng(seed)
    drawn = rng.random(len(z)) < _AT_RANDOM[number % len(_AT_RANDOM)]
    return np.where(drawn, rng.integers(n_clusters, size=len(z)), z)


def objects_to_draw(ensemble: Ensemble, n_clusters: int) -> IntArray:
    """Row of each object, as often as its weight says."""
    copies = np.rint(ensemble.row_weights).astype(np.int64)
    if (copies != ensemble.row_weights).any():
        wrong = ensemble.row_weights[copies != ensemble.row_weights][0]
        raise ValueError(
            f"sample_weight adds up to {wrong} for equal rows of labels: Gibbs sampling draws every object, so weights "
            "must be whole numbers; use inference='vb' for fractions."
        )
    n_drawn = int(copies.sum())
    if n_drawn > max(_MOST_DRAWN, ensemble.n_rows):
        raise ValueError(
            f"sample_weight adds up to {n_drawn:.3g} objects, and Gibbs sampling draws each of them in every sweep: "
            f"more than {_MOST_DRAWN:.0e} are refused. Use inference='vb', which takes weights as they are, or divide "
            "the weights."
        )
    ensure_memory(
        n_drawn * (24 * ensemble.n_clusterings + 16 * n_clusters),  # of each chain: clusters, random numbers, counts
        purpose=f"Gibbs sampling of {n_drawn} objects",
        instead="use inference='vb'.",
    )
    return np.repeat(np.arange(ensemble.n_rows), copies)


# ------------------------------------------------------------------------------------------------------- one chain
class BCESampler:
    """The state of a chain, and its moves."""

    def __init__(
        self, ensemble: Ensemble, objects: IntArray, z: IntArray, n_clusters: int, prior: GibbsPrior, seed: int
    ) -> None:
        self.ensemble, self.prior = ensemble, prior
        self.rng = np.random.default_rng(seed)
        self.alpha = np.full(n_clusters, FIRST_ALPHA if prior.alpha is None else prior.alpha)
        self.beta = FIRST_BETA if prior.beta is None else prior.beta
        lengths = np.diff(ensemble.row_starts)[objects]
        self.rows = kernel.DrawnRows(
            ensemble.row_starts, ensemble.row_cells, ensemble.row_clusterings, ensemble.clustering_weights,
            ensemble.n_labels.astype(np.float64), objects, np.cumsum(lengths) - lengths,
        )  # fmt: skip
        cells = np.zeros((ensemble.n_cells, n_clusters)), np.zeros((ensemble.n_clusterings, n_clusters))
        self.state = kernel.DrawnLabels(z, np.zeros((len(objects), n_clusters)), *cells)
        kernel.count_labels(self.rows, self.state)
        # objects with labels of equal weight in all have the same term in p(z): their numbers are enough
        self.observed, self.n_observed = np.unique(self.state.counts.sum(axis=1).round(9), return_counts=True)
        self.first = np.searchsorted(objects, np.arange(ensemble.n_rows))  # object of each row

    def sweep(self) -> None:
        """Every label, one group of labels of every object, then the parameters that are sampled."""
        of_labels, of_groups = self.rng.random(len(self.state.z)), self.rng.random((len(self.rows.row_of), 2))
        kernel.sweep_labels(self.rows, self.alpha, self.beta, of_labels, of_groups, self.state)
        if self.prior.alpha is None and len(self.alpha) > 1:
            self._draw_alpha()
        if self.prior.beta is None:
            self._draw_beta()

    def _draw_alpha(self) -> None:
        """One alpha_h after another, by slice sampling of its log, under Gamma(1, 1) priors (eq. M65)."""
        limits = np.log([SMALLEST_ALPHA, LARGEST_ALPHA])
        for h in range(len(self.alpha)):
            held, n_held = np.unique(self.state.counts[:, h].round(9), return_counts=True)
            others = self.alpha.sum() - self.alpha[h]

            def log_density(x: float, held: Any = held, n_held: Any = n_held, others: float = others) -> float:
                a = np.exp(x)
                in_cluster = n_held @ (gammaln(a + held) - gammaln(a))
                of_total = self.n_observed @ (gammaln(a + others) - gammaln(a + others + self.observed))
                return float(in_cluster + of_total + x - a)  # x is the log of the derivative of exp

            self.alpha[h] = np.exp(slice_step(log_density, float(np.log(self.alpha[h])), self.rng, limits))

    def _draw_beta(self) -> None:
        """The same for beta."""

        def log_density(x: float) -> float:
            return self._log_labels(float(np.exp(x))) + x - float(np.exp(x))

        self.beta = float(np.exp(slice_step(log_density, float(np.log(self.beta)), self.rng, np.log(BETAS))))

    def _log_labels(self, beta: float) -> float:
        """Log p(labels | z), by the label sizes of the clusters."""
        extra, ensemble = beta * self.rows.n_labels[:, None], self.ensemble
        of_cells = (gammaln(self.state.label_size + beta) - gammaln(beta)).sum(axis=1)
        of_totals = (gammaln(extra) - gammaln(self.state.total + extra)).sum(axis=1)
        return float(ensemble.cell_weights @ of_cells + ensemble.clustering_weights @ of_totals)

    def log_joint(self) -> float:
        """Log p(labels, z), given alpha and beta (eq. M62)."""
        total = self.alpha.sum()
        of_objects = (gammaln(self.alpha + self.state.counts) - gammaln(self.alpha)).sum()
        of_totals = self.n_observed @ (gammaln(total) - gammaln(total + self.observed))
        return float(of_objects + of_totals) + self._log_labels(self.beta)

    def summary(self) -> dict[str, float]:
        """What is watched over the sweeps; it does not depend on the numbering of the clusters."""
        share = self.state.counts.sum(axis=0)
        share = share / share.sum()
        watched = {"log_joint": self.log_joint(), "concentration": float(share @ share)}
        if self.prior.alpha is None and len(self.alpha) > 1:
            watched["alpha"] = float(self.alpha.sum())
        return watched | ({"beta": self.beta} if self.prior.beta is None else {})

    def means(self) -> GibbsMeans:
        """Means of theta and beta given z; those of the copies of a row are one (eq. M66)."""
        held = self.state.counts + self.alpha
        theta = np.add.reduceat(held / held.sum(axis=1, keepdims=True), self.first, axis=0)
        extra = self.beta * self.rows.n_labels
        total = (self.state.total + extra[:, None])[self.ensemble.cell_clustering]
        table = (self.state.label_size + self.beta) / total
        return GibbsMeans(theta / self.ensemble.row_weights[:, None], table, self.alpha.copy())


def slice_step(
    log_density: Callable[[float], float], x: float, rng: np.random.Generator, limits: FloatArray, width: float = 1.0
) -> float:
    """One draw of slice sampling: step out, then shrink (Neal 2003)."""
    level = log_density(x) + np.log1p(-rng.random())
    low = x - width * rng.random()
    high = low + width
    while low > limits[0] and log_density(low) > level:
        low -= width
    while high < limits[1] and log_density(high) > level:
        high += width
    low, high = max(low, limits[0]), min(high, limits[1])
    while True:
        new = low + (high - low) * rng.random()
        if log_density(new) > level or high - low < 1e-12:  # the second is rounding: x itself is in the slice
            return float(new)
        low, high = (new, high) if new < x else (low, new)


# ------------------------------------------------------------------------------------------------------ the estimator
class SampledMixin:
    """What an estimator needs to sample, and has of its samples."""

    inference: Any
    alpha: Any
    beta: Any
    n_sweeps: int
    burn_in: int | None
    thin: int
    n_chains: int
    init: Any
    keep_starts: bool
    random_state: Any
    n_jobs: int | None
    verbose: bool | int
    _samples: BCESamples | None = None  # of the last fit, if it was Gibbs sampling

    def _sample(self, ensemble: Ensemble, n_clusters: int) -> BCESamples:
        """Chains of Gibbs sampling (eqs. M62 to M67)."""
        if self.keep_starts:
            raise ValueError("keep_starts=True is for inference='vb': sampling has chains. Pass keep_starts=False.")
        plan, n_chains = make_plan(int(self.n_sweeps), self.burn_in, int(self.thin)), int(self.n_chains)
        given = (None if isinstance(value, str) else float(value) for value in (self.alpha, self.beta))
        settings = GibbsSettings(plan, n_chains, GibbsPrior(*given), self.init, self.n_jobs)
        seeds = draw_seeds(self.random_state, 2 * n_chains)
        with progress(plan.n_sweeps * n_chains, "Bayesian cluster ensemble", show=bool(self.verbose)) as bar:
            return sample_bce(ensemble, n_clusters, settings, seeds, bar)

    @property
    def log_joint_(self) -> float:
        """Highest log p(labels, z), by Gibbs sampling."""
        return float(self._of_samples("log_joint_").traces["log_joint"].max())

    @property
    def log_joint_trace_(self) -> FloatArray:
        """Log p(labels, z) of every sweep of every chain."""
        return self._of_samples("log_joint_trace_").traces["log_joint"]

    @property
    def r_hat_(self) -> dict[str, float]:
        """Potential scale reduction of the traces."""
        return self._of_samples("r_hat_").mixing.r_hat

    @property
    def ess_(self) -> dict[str, float]:
        """Effective number of draws of the traces."""
        return self._of_samples("ess_").mixing.ess

    def _of_samples(self, name: str) -> BCESamples:
        """What Gibbs sampling found."""
        check_is_fitted(self, "_state")
        if self._samples is None:
            raise AttributeError(f"{name} does not exist after inference='vb'.")
        return self._samples


def refuse_sampling(estimator: Any, purpose: str) -> None:
    """Refuse Gibbs sampling where variational EM alone is possible; forget the samples of an earlier fit."""
    if estimator.inference == "gibbs":
        raise ValueError(f"{purpose} is not possible with BCE(inference='gibbs'); pass inference='vb'.")
    estimator.__dict__.pop("_samples", None)
