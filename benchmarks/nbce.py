"""Nonparametric Bayesian cluster ensembles: Gibbs sweeps with log tables against a plain NumPy sampler."""

import numpy as np

from benchmarks._ensembles import noisy_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita._labels.ensemble import layout_of
from partita.consensus.nbce._gibbs_chain import make_replicas
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._partition_sampler import PAIRS

_K = 100
_OBJECTS = (1, 0, 0)  # a pass over the objects, and no other moves


def _start(X, prior):
    model = NBCEModel(layout_of(X.max(axis=0) + 1), prior, 1.0, 0.5)
    return model, np.random.default_rng(0).integers(10, size=len(X))


def _sweeps(prior, n_sweeps, moves=_OBJECTS):
    def run(X):
        model, z = _start(X, prior)
        objects = model.layout.with_rows(np.ascontiguousarray(X, dtype=np.int32))
        sampler = make_replicas(objects, model, z, _K, seed=1)[0]
        return sampler.sweep(n_sweeps, moves)[0][-1, 0]

    return run


def _numpy_sweeps(prior, n_sweeps):
    """One object at a time, all clusters at once."""

    def run(X):
        model, z = _start(X, prior)
        size, label_size = np.bincount(z, minlength=_K).astype(float), np.zeros((model.layout.n_cells, _K))
        cells = X + model.layout.first_cell
        for row, k in zip(cells, z, strict=True):
            label_size[row, k] += 1
        rng = np.random.default_rng(1)
        for _ in range(n_sweeps):
            uniform = rng.random(len(X))
            for i, row in enumerate(cells):
                size[z[i]] -= 1
                label_size[row, z[i]] -= 1
                logs = np.log(_prior(size, model)) + np.log(model.beta + label_size[row]).sum(axis=0)
                logs -= np.log(model.beta * model.n_labels[:, None] + size).sum(axis=0)
                shares = np.exp(logs - logs.max()).cumsum()
                z[i] = min(int(np.searchsorted(shares, uniform[i] * shares[-1], side="right")), _K - 1)
                size[z[i]] += 1
                label_size[row, z[i]] += 1
        return float(len(np.unique(z)))

    return run


def _prior(size, model):
    if model.prior == "fsd":
        return size + model.alpha0 / _K
    beyond = size[::-1].cumsum()[::-1]
    v = np.append((1 + size[:-1]) / (1 + model.alpha0 + beyond[:-1]), 1.0)
    rest = np.cumprod((model.alpha0 + beyond[1:]) / (1 + model.alpha0 + beyond[:-1]))
    return v * np.concatenate([[1.0], rest])


def _case(prior, flip):
    return Case(
        f"5,000 x 20, K = 100, {prior}, flips {flip}, 3 sweeps",
        lambda: noisy_ensemble(5_000, 20, flip=flip),
        [
            Contestant("partita", _sweeps(prior, 3)),
            Contestant("NumPy, one object at a time", _numpy_sweeps(prior, 3), repeat=1),
        ],
        answer=lambda value: round(value, 3),
        agree=False,  # random numbers are used in another order
    )


BENCHMARK: Benchmark = [
    _case("tsb", 0.3),
    _case("fsd", 0.3),
    _case("tsb", 0.8),
    Case(
        "5,000 x 20, K = 100, tsb, flips 0.3",
        lambda: noisy_ensemble(5_000, 20),
        [
            Contestant("partita, 500 passes over the objects", _sweeps("tsb", 500)),
            Contestant("partita, 500 sweeps with all moves", _sweeps("tsb", 500, (1, PAIRS, 1))),
        ],
        answer=lambda value: round(value, 3),
    ),
]
