"""Small problems of Bayesian cluster ensembles, with and without features, and single steps on them."""

import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp, psi, xlogy

from partita._kernels.families import BERNOULLI, GAUSSIAN, POISSON
from partita._labels.ensemble import Ensemble
from partita.consensus.models import _bce_steps as module
from partita.consensus.models._em import by_clustering

EXACT = {"n_steps": 20_000, "tol": 1e-13}
FAMILIES = np.array([GAUSSIAN, GAUSSIAN, POISSON, BERNOULLI])


def problem_of(
    X, F=None, weights=None, feature_weights=None, row_weights=None, families=FAMILIES, smoothing=0.0, floor=1e-6
):
    """Labels X and, unless None, features F of the given families."""
    weights = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    row_weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0) + 1, weights, row_weights)
    columns = module.BCEColumns(ensemble.layout, smoothing)
    if F is None:
        return module.label_problem(ensemble, columns)
    feature_weights = np.ones(F.shape[1]) if feature_weights is None else np.asarray(feature_weights, dtype=float)
    columns = columns._replace(
        families=np.asarray(families), feature_weights=feature_weights, smallest_variance=np.full(F.shape[1], floor)
    )
    return module.BCEProblem(ensemble, np.ascontiguousarray(F), columns)


def state_of(alpha, beta):
    """Parameters of labels alone."""
    none = np.empty((0, len(alpha)))
    return module.BCEState(np.asarray(alpha, dtype=float), np.vstack([b.T for b in beta]), none, none)


def random_beta(n_labels, k, rng, concentration=1.0):
    return [rng.dirichlet(np.full(size, concentration), size=k) for size in n_labels]


def random_state(n_labels, families, k, rng, scale=1.0):
    """Parameters of labels and features."""
    table = np.vstack([rng.dirichlet(np.ones(size), size=k).T for size in n_labels])
    location = np.array(
        [rng.random(k) if family == BERNOULLI else 3 * rng.random(k) + 0.1 for family in families]
    ).reshape(-1, k)
    return module.BCEState(scale * (rng.random(k) + 0.5), table, location, rng.random(location.shape) + 0.3)


def noisy_features(truth, rng, missing=0.2):
    """Two Gaussian features, one count and one truth value, all of them better than chance."""
    F = np.column_stack(
        [
            truth * 2.0 + rng.normal(size=len(truth)),
            truth - 0.3 * rng.normal(size=len(truth)),
            rng.poisson(1.0 + 2 * truth),
            rng.random(len(truth)) < 0.2 + 0.3 * truth,
        ]
    ).astype(float)
    return np.where(rng.random(F.shape) < missing, np.nan, F)


def tables_of(table, problem):
    return by_clustering(table, problem.columns.layout, np.arange(table.shape[1]))


def expect(problem, state, gamma=None, *, n_steps, tol):
    """E-step from gamma (or from the start): gamma, bounds, statistics."""
    gamma = module.flat_gamma(problem, state.alpha) if gamma is None else gamma.copy()
    bounds = np.empty(len(gamma))
    sums = module.e_step(problem, state, gamma, bounds, n_steps=n_steps, tol=tol)
    return gamma, bounds, sums


def update(problem, state, sums):
    """M-step."""
    return module.m_step(state, sums, columns=problem.columns, n=problem.n)


# the same steps of one row, slow and plain


def log_density(family, y, location, spread):
    if family == GAUSSIAN:
        return stats.norm.logpdf(y, location, np.sqrt(spread))
    return stats.poisson.logpmf(y, location) if family == POISSON else stats.bernoulli.logpmf(int(y), location)


def local_logs(x, y, problem, state):
    """Log probability of what each observed column shows, in each cluster; its weight; and which column it is."""
    logs, weights, names = [], [], []
    layout, columns = problem.columns.layout, problem.columns
    for j in np.flatnonzero(x >= 0):
        cell = layout.first_cell[j] + x[j]
        logs.append([-np.inf if p == 0 else np.log(p) for p in state.table[cell]])
        weights.append(layout.cell_weights[cell])
        names.append(("label", j))
    for d in np.flatnonzero(~np.isnan(y)):
        logs.append(log_density(columns.families[d], y[d], state.location[d], state.spread[d]))
        weights.append(columns.feature_weights[d])
        names.append(("feature", d))
    return np.array(logs).reshape(-1, len(state.alpha)), np.array(weights), names


def phi_of(logs, gamma):
    shifted = logs + psi(gamma) - psi(gamma.sum())
    return np.exp(shifted - logsumexp(shifted, axis=1, keepdims=True))


def settle_slowly(logs, u, alpha, gamma, n_steps):
    """gamma, phi and bound of one object after some steps of the fixed point   (eqs. M28, M29, M41)."""
    for _ in range(n_steps):
        before, gamma = gamma, alpha + u @ phi_of(logs, gamma)
        if np.abs(gamma - before).max() < 1e-13:
            break
    phi, e = phi_of(logs, gamma), psi(gamma) - psi(gamma.sum())
    bound = gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ e
    bound += (u @ (phi * (e + np.where(phi > 0, logs, 0)) - xlogy(phi, phi))).sum()
    bound -= gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ e
    return gamma, phi, bound
