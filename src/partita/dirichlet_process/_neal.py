"""Neal's algorithm 2: Gibbs sampling of assignments and means in turn (eqs. D16 to D21).

For each point i, without it (its cluster is forgotten if it was alone there),

    p(z_i = c)    prop. to  n_c N(x_i | mu_c, sigma I)                 clusters that have points
    p(z_i = new)  prop. to  alpha N(x_i | 0, (rho + sigma) I),         and then mu_new | x_i

and after each sweep all means given their points, then the parameters that are to be estimated. Model and equations
are in ``_dp_gaussian_model.py``.

Points move one at a time, so two clusters that should be one lose and win points like a coin: with n points it takes
about n sweeps until one is gone. From the best sample we therefore climb in log p(x, z) by moves of single points and
by mergers of two clusters (eqs. D24 to D26).
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammaln

from partita._kernels import neal as kernel
from partita._kernels.neal import NealModel
from partita._runs import Progress, plus_plus
from partita._sampling import SamplingPlan
from partita._typing import Codes, FloatArray, IntArray
from partita.dirichlet_process._dp_gaussian_model import (
    GaussianClusters,
    NealPriors,
    draw_means,
    draw_model,
    log_hyper_prior,
    log_points_joint,
    posterior_means,
    summarise_clusters,
)
from partita.dirichlet_process._dp_means import nearest_center

_NEW = 8  # new clusters for which random numbers are drawn at a time: most sweeps open fewer, and more would be wasted
_MANY = 10  # clusters of the chains that do not start from one: the others show whether the start matters
_CLIMBS = 100  # limit of the rounds of a climb, which ends before it where nothing rises any more
_GAIN = 1e-9  # rise of log p(x, z) for which two clusters are merged: less may be rounding


class NealMode(NamedTuple):
    """An assignment of high posterior probability."""

    z: IntArray
    model: NealModel
    log_joint: float
    log_posterior: float  # with the prior of the estimated parameters


class NealChain(NamedTuple):
    """What one chain found."""

    samples: Codes  # (n_kept, n)
    clusters: list[GaussianClusters]  # of the kept samples
    models: list[NealModel]  # of the kept samples
    log_joint: FloatArray  # (n_sweeps,)
    n_clusters: IntArray  # (n_sweeps,)
    parameters: FloatArray  # (n_sweeps, 3): alpha, sigma, rho
    best: NealMode


class NealSampler:
    """One chain: points, assignments, means and parameters."""

    def __init__(
        self, points: FloatArray, z: IntArray, model: NealModel, priors: NealPriors, rng: np.random.Generator
    ) -> None:
        self.rng, self.priors, self.model = rng, priors, model
        self.data = kernel.NealPoints(points, np.einsum("ij,ij->i", points, points))
        self.z = z.astype(np.int64)
        self.clusters = summarise_clusters(points, self.z, int(self.z.max()) + 1)
        self.means = draw_means(self.clusters, model, rng)

    def sweep(self) -> None:
        """Draw all assignments, all means, and the parameters."""
        self.draw_assignments()
        self.clusters = summarise_clusters(self.data.points, self.z, len(self.means))
        self.means = draw_means(self.clusters, self.model, self.rng)
        self.model = draw_model(self.model, self.priors, self.clusters, self.means, self.rng)

    def draw_assignments(self) -> None:
        """Draw every point by eq. D16; clusters without points are forgotten."""
        n, d = self.data.points.shape
        uniform = self.rng.random(n)
        state, place, n_slots = neal_state(self.z, self.means), 0, len(self.means)
        while True:
            normal = self.rng.standard_normal((_NEW, d))
            place, n_slots = kernel.sweep_neal(self.data, state, self.model, n_slots, place, uniform, normal)
            if place == n:
                break
            if n_slots == len(state.size):
                state = neal_state(self.z, state.means.T)
        there = state.size[:n_slots] > 0
        self.means = state.means.T[:n_slots][there]
        if not there.all():
            self.z = (np.cumsum(there) - 1)[self.z]


def neal_state(z: IntArray, means: FloatArray) -> kernel.NealState:
    """State of the kernels, with room for as many clusters more."""
    k, d = means.shape
    wide = np.empty((d, 2 * k + _NEW))
    wide[:, :k] = means.T
    return kernel.NealState(z, np.bincount(z, minlength=2 * k + _NEW), wide)


def start_points(points: FloatArray, number: int, rng: np.random.Generator) -> IntArray:
    """Chains start in turn from points that are nearest to one of ten, far from each other, and from one cluster."""
    if number % 2:
        return np.zeros(len(points), dtype=np.int64)
    rows = plus_plus(
        np.ones(len(points)),
        _MANY,
        lambda row: nearest_center(points, points[[row]])[1],
        rng,
        first=int(rng.integers(len(points))),
    )
    return np.unique(nearest_center(points, points[rows])[0], return_inverse=True)[1].reshape(-1)


def start_model(points: FloatArray, z: IntArray, given: NealModel, priors: NealPriors) -> NealModel:
    """Given values, and for those to be estimated about the mean of their posterior."""
    clusters = summarise_clusters(points, z, int(z.max()) + 1)
    alpha, sigma, rho = given
    if priors.sigma is not None:
        sigma = (priors.sigma.rate + 0.5 * clusters.within) / (priors.sigma.shape + 0.5 * points.size)
    if priors.rho is not None:
        squares = float((clusters.centroid**2).sum())
        rho = (priors.rho.rate + 0.5 * squares) / (priors.rho.shape + 0.5 * clusters.centroid.size)
    return NealModel(alpha, sigma, rho)


def run_neal_chain(sampler: NealSampler, plan: SamplingPlan, bar: Progress) -> NealChain:
    """Sample, keep every ``thin``-th sample after the burn-in, and climb from the best."""
    samples = np.empty((len(plan.kept), len(sampler.z)), dtype=np.int32)
    clusters: list[GaussianClusters] = []
    models: list[NealModel] = []
    trace, n_clusters = np.empty(plan.n_sweeps), np.empty(plan.n_sweeps, dtype=np.int64)
    parameters = np.empty((plan.n_sweeps, 3))
    best = NealMode(sampler.z, sampler.model, -np.inf, -np.inf)
    for t in range(plan.n_sweeps):
        sampler.sweep()
        trace[t], n_clusters[t] = log_points_joint(sampler.clusters, sampler.model), len(sampler.means)
        parameters[t] = sampler.model
        value = trace[t] + log_hyper_prior(sampler.model, sampler.priors)
        if t >= plan.burn_in and value > best.log_posterior:
            best = NealMode(sampler.z.copy(), sampler.model, trace[t], value)
        if t in plan.kept:
            samples[len(models)] = sampler.z
            models.append(sampler.model)
            clusters.append(sampler.clusters)
        bar.update(1)
    mode = climb_points(sampler.data, best.z, best.model, sampler.priors)
    return NealChain(samples, clusters, models, trace, n_clusters, parameters, mode)


def climb_points(data: kernel.NealPoints, z: IntArray, model: NealModel, priors: NealPriors) -> NealMode:
    """Raise log p(x, z) until no move of one point and no merger of two clusters raises it further (eqs. D25, D26)."""
    z = z.copy()
    for _ in range(_CLIMBS):
        z = _move_points(data, z, model)
        merged = _merge(data.points, z, model)
        if merged is None:
            break
        z = merged
    value = log_points_joint(summarise_clusters(data.points, z, int(z.max()) + 1), model)
    return NealMode(z, model, value, value + log_hyper_prior(model, priors))


def _move_points(data: kernel.NealPoints, z: IntArray, model: NealModel) -> IntArray:
    for _ in range(_CLIMBS):
        clusters = summarise_clusters(data.points, z, int(z.max()) + 1)
        state = neal_state(z, posterior_means(clusters, model)[0])
        total = np.zeros(state.means.shape)
        total[:, : len(clusters.size)] = (clusters.centroid * clusters.size[:, None]).T
        n_moved = kernel.climb_neal(data, state, model, total, len(clusters.size))
        z = np.unique(state.z, return_inverse=True)[1].reshape(-1)
        if n_moved == 0:
            break
    return z


def _merge(points: FloatArray, z: IntArray, model: NealModel) -> IntArray | None:
    """The assignment after the best merger of two clusters, or None if none raises log p(x, z)."""
    gain = merger_gains(summarise_clusters(points, z, int(z.max()) + 1), model)
    a, b = np.unravel_index(int(np.argmax(gain)), gain.shape)
    if not gain[a, b] > _GAIN:
        return None
    joined = np.where(z == b, a, z)
    return np.where(joined > b, joined - 1, joined)


def merger_gains(clusters: GaussianClusters, model: NealModel) -> FloatArray:
    """By how much log p(x, z) rises if clusters a < b become one, eq. D26: (k, k), -inf elsewhere."""
    size, d = clusters.size.astype(np.float64), clusters.centroid.shape[1]
    both, product = size[:, None] + size, size[:, None] * size
    apart = cdist(clusters.centroid, clusters.centroid, "sqeuclidean")
    weighted = size * (clusters.centroid**2).sum(axis=1)
    squared = (weighted[:, None] + weighted) / both - product / both**2 * apart  # |xbar|^2 of both together

    def of_mean(n: FloatArray, length: FloatArray) -> FloatArray:
        total = model.sigma + model.rho * n
        return np.asarray(gammaln(n) - 0.5 * (d * np.log(total) + n * length / total))

    alone = of_mean(size, weighted / size)
    gain = of_mean(both, squared) - alone[:, None] - alone
    gain -= 0.5 * (d * np.log(model.sigma) + product / both * apart / model.sigma) + np.log(model.alpha)
    return np.where(np.triu(np.ones(gain.shape, dtype=bool), 1), gain, -np.inf)
