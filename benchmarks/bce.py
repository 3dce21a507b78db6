"""Bayesian cluster ensembles: distinct rows and look-up against all rows, and against plain NumPy.

An EM iteration is an E-step of five inner steps from all clusters alike, and the M-step without alpha. Contestants
start from the same parameters and must end with the same ones.
"""

import numpy as np
from scipy.special import psi

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import BCE
from partita._labels.ensemble import Ensemble, every_row, find_distinct_rows
from partita.consensus.models import _bce_steps as steps
from partita.consensus.models._label_tables import column_sums

_CLUSTERS = 8
_STEPS = 5


def _start(X):
    """Label probabilities at random, the same for every contestant."""
    n_labels = X.max(axis=0).astype(np.int64) + 1
    layout = steps.lay_out(n_labels)
    table = np.random.default_rng(0).gamma(1.0, size=(layout.n_cells, _CLUSTERS))
    return n_labels, layout, table / column_sums(table, layout)[layout.column]


def _iteration(X, distinct):
    n_labels, layout, table = _start(X)
    found = find_distinct_rows(X, n_labels) if distinct else every_row(len(X))
    ensemble = Ensemble(X[found.first], n_labels, np.ones(X.shape[1]), found.counts.astype(float))
    problem = steps.Problem(steps.as_rows(ensemble), steps.label_columns(ensemble, 0.0))
    none = np.empty((0, _CLUSTERS))
    state = steps.State(np.ones(_CLUSTERS), table, none, none)
    gamma = steps.flat_gamma(problem, state.alpha)
    sums = steps.expect_all(problem, state, gamma, np.empty(len(gamma)), n_steps=_STEPS, tol=0.0)
    return steps.normalise(sums.labels, layout, table)


def _distinct_rows(X):
    return _iteration(X, distinct=True)


def _all_rows(X):
    return _iteration(X, distinct=False)


def _numpy(X):
    """The same equations, one clustering at a time over all objects."""
    n_labels, layout, table = _start(X)
    m = X.shape[1]
    gamma = np.full((len(X), _CLUSTERS), 1.0 + m / _CLUSTERS)
    for _ in range(_STEPS):
        w, moved = np.exp(psi(gamma)), np.ones_like(gamma)
        for j, first in enumerate(layout.first):
            phi = table[first + X[:, j]] * w
            moved += phi / phi.sum(axis=1, keepdims=True)
        gamma = moved
    w, mass = np.exp(psi(gamma)), np.zeros_like(table)
    for j, first in enumerate(layout.first):
        phi = table[first + X[:, j]] * w
        phi /= phi.sum(axis=1, keepdims=True)
        for h in range(_CLUSTERS):
            mass[first : first + n_labels[j], h] = np.bincount(X[:, j], phi[:, h], minlength=n_labels[j])
    return steps.normalise(mass, layout, table)


def _checksum(table):
    """Digits that do not depend on the order of sums."""
    return [round(float(value), 6) for value in np.sort(table.ravel())[::97]]


def _case(name, make, n=1_000_000, m=20):
    contestants = [
        Contestant("partita, distinct rows", _distinct_rows),
        Contestant("partita, all rows", _all_rows, repeat=1),
        Contestant("NumPy, all rows", _numpy, repeat=1),
    ]
    return Case(f"{n:,} x {m}, {name}, an iteration", lambda: make(n, m), contestants, answer=_checksum)


def _few_flips(n, m):
    return noisy_ensemble(n, m, n_distinct=133_470)


def _fit(X):
    return BCE(_CLUSTERS, random_state=0).fit(X)


def _whole_fit(name, make, m):
    return Case(
        f"1,000,000 x {m}, {name}, BCE.fit",
        lambda: make(1_000_000, m),
        [Contestant("partita, 10 starts to convergence", _fit, repeat=1)],
        answer=lambda model: [round(model.lower_bound_), model.n_iter_, bool(model.converged_)],
    )


BENCHMARK: Benchmark = [
    _case("133,470 drawn rows", _few_flips),
    _case("voronoi", voronoi_ensemble),
    _case("voronoi", voronoi_ensemble, m=5),
    _whole_fit("133,470 drawn rows", _few_flips, 20),
    _whole_fit("voronoi", voronoi_ensemble, 20),
    _whole_fit("voronoi", voronoi_ensemble, 5),
]
