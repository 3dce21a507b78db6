"""The search for clusters of the highest joint, against enumeration and joints counted anew (eq. N53)."""

import numpy as np
import pytest
from scipy.special import gammaln

from partita._kernels import nbce_search as kernel
from partita.consensus.nbce import _label_search as module
from partita.consensus.nbce._joint import HIGHEST, LOWEST, log_joint
from partita.consensus.nbce._variational_starts import start_sizes
from tests.consensus.nbce.nbce_reference import (
    HOLES,
    N_LABELS,
    PRIORS,
    WEIGHTS,
    Posterior,
    expected_occupancy,
    make_ensemble,
    make_model,
    random_labels,
)

ROW_WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.choice([1.0, 2.0, 5.0, 40.0], size=n),
    "any": lambda rng, n: rng.random(n) * 3 + 0.1,
}


def joint_of(X, z, row_weights, model, K):
    """log p(Y, Z) counted anew, clusters numbered by their weight."""
    size = np.bincount(z, weights=row_weights, minlength=K)
    rank = np.argsort(np.argsort(-size, kind="stable"))
    return log_joint(expected_occupancy(X, np.eye(K)[rank[z]], model, row_weights), model)


def prepared(X, row_weights, model, z, K, seed=0):
    ensemble = make_ensemble(X, model, row_weights)
    prior = kernel.SearchModel(model.alpha0, model.beta, float(K), model.prior == "tsb")
    return module.search_rows(ensemble), module.search_state(ensemble, z, K, seed), prior


def constant(row_weights, model):
    """What the kernel leaves out of eq. N6."""
    n = row_weights.sum()
    return gammaln(model.alpha0) - gammaln(model.alpha0 + n) if model.prior == "fsd" else 0.0


@pytest.mark.parametrize("kind", ROW_WEIGHTS)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("prior", PRIORS)
def test_joint_is_the_one_counted_anew(prior, weights, kind, rng):
    model = make_model(N_LABELS, prior, alpha0=1.7, beta=0.3, weights=weights)
    for K in (4, 9):
        X, row_weights, z = random_labels(rng), ROW_WEIGHTS[kind](rng, 20), rng.integers(4, size=20)
        own = kernel.joint_of_search(*prepared(X, row_weights, model, z, K)) + constant(row_weights, model)
        assert own == pytest.approx(joint_of(X, z, row_weights, model, K), rel=1e-10)


@pytest.mark.parametrize("heat", [0.0, 3.0])
@pytest.mark.parametrize("kind", ROW_WEIGHTS)
@pytest.mark.parametrize("prior", PRIORS)
def test_changes_that_were_accepted_add_up_to_the_rise_of_the_joint(prior, kind, heat, rng):
    """Every move changes the tables and says by how much; one wrong number would not add up."""
    model = make_model(N_LABELS, prior, alpha0=1.7, beta=0.2, weights=WEIGHTS)
    for K, n_sweeps in ((4, 1), (30, 1), (30, 12)):
        X, row_weights, z = random_labels(rng, 60), ROW_WEIGHTS[kind](rng, 60), rng.integers(4, size=60)
        rows, state, prior_of_search = prepared(X, row_weights, model, z, K)
        kernel.joint_of_search(rows, state, prior_of_search)
        rise = kernel.search_clusters(rows, state, prior_of_search, n_sweeps, 30, heat, np.zeros(1, dtype=np.uint8))
        before, after = (joint_of(X, labels, row_weights, model, K) for labels in (z, state.z))
        assert rise == pytest.approx(after - before, abs=1e-7)
        assert rise > 0
        assert state.z.max() < K


@pytest.mark.parametrize("kind", ROW_WEIGHTS)
@pytest.mark.parametrize("prior", PRIORS)
def test_tables_are_those_of_the_clusters(prior, kind, rng):
    """After a search without heat, whose last state is its best one."""
    model = make_model(N_LABELS, prior, beta=0.2, weights=WEIGHTS)
    X, row_weights, z = random_labels(rng, 60), ROW_WEIGHTS[kind](rng, 60), rng.integers(8, size=60)
    rows, state, prior_of_search = prepared(X, row_weights, model, z, 20)
    kernel.joint_of_search(rows, state, prior_of_search)
    kernel.search_clusters(rows, state, prior_of_search, 3, 30, 0.0, np.zeros(1, dtype=np.uint8))
    kept = {
        name: getattr(state, name).copy() for name in ("n_rows", "size", "label_size", "observed", "value", "prior")
    }
    kernel.joint_of_search(rows, state, prior_of_search)
    for name, value in kept.items():
        assert np.allclose(value, getattr(state, name), atol=1e-8), name


@pytest.mark.parametrize(("alpha0", "beta"), [(1.0, 0.5), (3.0, 0.05), (0.3, 2.0)])
@pytest.mark.parametrize("weights", [None, [1, 2, 0.5]])
@pytest.mark.parametrize("prior", PRIORS)
def test_finds_the_highest_joint_of_all_assignments(prior, weights, alpha0, beta):
    """Of those whose clusters are numbered by size."""
    model = make_model([2, 2, 2], prior, alpha0=alpha0, beta=beta, weights=weights)
    for K in (2, 4):
        exact = Posterior(HOLES, K, model)
        size = (exact.Z[:, :, None] == np.arange(K)).sum(axis=1)
        highest = exact.log_joint[(np.diff(size, axis=1) <= 0).all(axis=1)].max()
        for seed in range(3):
            z = np.zeros(6, dtype=np.int64)
            found = module.search_labels(make_ensemble(HOLES, model), model, z, K, estimate=(False, False), seed=seed)
            assert found.joint == pytest.approx(highest, rel=1e-10)
            assert found.joint == pytest.approx(joint_of(HOLES, found.labels, np.ones(6), model, K), rel=1e-10)
            assert found.model == model


def test_seed_decides_and_parameters_are_those_of_the_clusters(rng):
    X, model = random_labels(rng, 60), make_model(N_LABELS)
    ensemble, z = make_ensemble(X, model), rng.integers(4, size=60)
    one, other = (module.search_labels(ensemble, model, z, 9, estimate=(True, True), seed=5) for _ in range(2))
    assert np.array_equal(one.labels, other.labels)
    assert one.model == other.model
    assert one.joint == log_joint(module.hard_occupancy(ensemble, one.labels, 9), one.model)
    for factor in (0.9, 1.1):
        for name in ("alpha0", "beta"):
            near = one.model._replace(**{name: np.clip(factor * getattr(one.model, name), LOWEST, HIGHEST)})
            assert log_joint(module.hard_occupancy(ensemble, one.labels, 9), near) <= one.joint + 1e-9


def test_starts_have_few_clusters_and_many():
    assert start_sizes(100, 500, 3) == [2, 6, 20]
    assert start_sizes(100, 500, 1) == [20]
    assert start_sizes(3, 500, 4) == [2, 2, 3, 3]
    assert start_sizes(100, 1, 2) == [1, 1]
