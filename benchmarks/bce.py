"""Bayesian cluster ensembles: distinct rows and look-up against all rows, and against plain NumPy.

An EM iteration is an E-step of five inner steps from all clusters alike, and the M-step without alpha. Contestants
start from the same parameters and must end with the same ones.
"""

import numpy as np
from scipy.special import psi

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import BCE
from partita._labels.ensemble import Ensemble, every_row, find_distinct_rows, layout_of
from partita.consensus.models import _bce_steps as bce
from partita.consensus.models._em import column_sums, normalise

_CLUSTERS = 8
_STEPS = 5


def _start(X):
    """Label probabilities at random, the same for every contestant."""
    layout = layout_of(X.max(axis=0) + 1)
    table = np.random.default_rng(0).gamma(1.0, size=(layout.n_cells, _CLUSTERS))
    return layout, table / column_sums(table, layout)[layout.cell_clustering]


def _iteration(X, distinct):
    layout, table = _start(X)
    found = find_distinct_rows(X, layout.n_labels) if distinct else every_row(len(X))
    ensemble = Ensemble(X[found.first], layout.n_labels, np.ones(X.shape[1]), found.n_objects.astype(float))
    problem = bce.label_problem(ensemble, bce.BCEColumns(layout, 0.0))
    none = np.empty((0, _CLUSTERS))
    state = bce.BCEState(np.ones(_CLUSTERS), table, none, none)
    gamma = bce.flat_gamma(problem, state.alpha)
    sums = bce.e_step(problem, state, gamma, np.empty(len(gamma)), n_steps=_STEPS, tol=0.0)
    return normalise(sums.labels, layout, table)


def _distinct_rows(X):
    return _iteration(X, distinct=True)


def _all_rows(X):
    return _iteration(X, distinct=False)


def _numpy(X):
    """The same equations, one clustering at a time over all objects."""
    layout, table = _start(X)
    m = X.shape[1]
    gamma = np.full((len(X), _CLUSTERS), 1.0 + m / _CLUSTERS)
    for _ in range(_STEPS):
        w, moved = np.exp(psi(gamma)), np.ones_like(gamma)
        for j, first in enumerate(layout.first_cell):
            phi = table[first + X[:, j]] * w
            moved += phi / phi.sum(axis=1, keepdims=True)
        gamma = moved
    w, mass = np.exp(psi(gamma)), np.zeros_like(table)
    for j, first in enumerate(layout.first_cell):
        phi = table[first + X[:, j]] * w
        phi /= phi.sum(axis=1, keepdims=True)
        for h in range(_CLUSTERS):
            own = np.bincount(X[:, j], phi[:, h], minlength=layout.n_labels[j])
            mass[first : first + layout.n_labels[j], h] = own
    return normalise(mass, layout, table)


def _checksum(table):
    """Digits that do not depend on the order of sums."""
    return [round(float(value), 6) for value in np.sort(table.ravel())[::97]]


def _case(name, make, n=1_000_000, m=20):
    contestants = [
        Contestant("partita, distinct rows", _distinct_rows),
        Contestant("partita, all rows", _all_rows, repeat=1),
        Contestant("NumPy, all rows", _numpy, repeat=1),
    ]
    return Case(f"{n:,} x {m}, {name}, one iteration", lambda: make(n, m), contestants, answer=_checksum)


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
