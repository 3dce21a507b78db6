"""The posterior of NBCE: predictive densities (eq. N41), samples of objects and places of new rows."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from partita.consensus.nbce._nbce import NBCE
from partita.consensus.nbce._posterior import ClusterLogs, NBCEPosterior, mean_logs, place, predictive_logs
from tests import twins
from tests.consensus.nbce import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import PRIORS, QUICK, THREE, labels_with_holes, make_model, occupancy_of
from tests.ensembles import noisy_ensemble


def predictive_densities(rows, occupancy, model):
    size, label_size = occupancy
    log_theta, log_pi = predictive_logs(size, label_size[:, size > 0], model)
    logs = np.tile(log_pi, (len(rows), 1))
    for i, row in enumerate(rows):
        for j, label in enumerate(row):
            if label >= 0:
                logs[i] += log_theta[model.layout.first_cell[j] + label]
    return np.exp(logsumexp(logs, axis=1))


@pytest.mark.parametrize("z", [[0, 2, 2, 0, 2, 4], [0, 1, 2, 3, 4, 0], [3] * 6])
@pytest.mark.parametrize("prior", PRIORS)
def test_predictive_density_is_a_distribution_over_rows(prior, z, rng):
    X, model = labels_with_holes(6, rng), make_model(THREE, prior, alpha0=1.7)
    occupancy = occupancy_of(X, z, 5, model)
    rows = list(product(*map(range, THREE)))
    assert predictive_densities(rows, occupancy, model).sum() == pytest.approx(1, abs=1e-12)
    holes = [(label, -1, 3) for label in range(3)]
    assert predictive_densities(holes, occupancy, model).sum() == pytest.approx(
        predictive_densities([(-1, -1, 3)], occupancy, model)[0], rel=1e-12
    )


@pytest.mark.parametrize("prior", PRIORS)
def test_predictive_density_is_a_ratio_of_joints(prior, rng):
    X, z = labels_with_holes(7, rng), np.array([0, 2, 2, 0, 2, 1, 4])
    model, rows = make_model(THREE, prior, alpha0=2.3), labels_with_holes(5, rng)
    before = reference.log_joint(X, z, 6, model)
    for row, density in zip(rows, predictive_densities(rows, occupancy_of(X, z, 6, model), model), strict=True):
        after = [reference.log_joint(np.vstack([X, row]), np.append(z, k), 6, model) for k in range(6)]
        assert density == pytest.approx(np.exp(logsumexp(after) - before), rel=1e-10)


def test_predictive_density_of_integer_weights_is_that_of_clusterings_repeated(rng):
    X, rows, z, times = labels_with_holes(7, rng), labels_with_holes(5, rng), rng.integers(3, size=7), [2, 1, 3]
    narrow, wide = make_model(THREE, "tsb", weights=times), make_model(np.repeat(THREE, times), "tsb")
    long, long_rows = (np.repeat(labels, times, axis=1) for labels in (X, rows))
    one = predictive_densities(rows, occupancy_of(X, z, 4, narrow), narrow)
    assert np.allclose(one, predictive_densities(long_rows, occupancy_of(long, z, 4, wide), wide), rtol=1e-11)


def test_score_of_a_row_is_its_predictive_density():
    """Averaged over the samples; every row of labels together has probability 1."""
    X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, -1, 2], [1, 1, 2]])
    rows = np.array([[a, b, c] for a in range(2) for b in range(2) for c in range(3)])
    for way in QUICK.values():
        scores = NBCE(random_state=0, **way).fit(X).score_samples(rows)
        assert np.exp(logsumexp(scores)) == pytest.approx(1, abs=1e-9)


def test_score_of_gibbs_is_the_mean_over_samples():
    X = noisy_ensemble(sizes=(12, 8), n_clusterings=5, flip=0.3).X
    model = NBCE(prior="fsd", truncation=4, n_sweeps=12, thin=3, n_chains=2, random_state=0).fit(X)
    assert len(model.samples_) == 4
    densities = []
    for z in model.samples_:
        size = np.bincount(z, minlength=4)
        theta = []
        for x in X.T:
            mass = np.array([np.bincount(x[(z == k) & (x >= 0)], minlength=x.max() + 1) for k in range(4)]) + 0.5
            theta.append(mass / mass.sum(axis=1, keepdims=True))
        pi = (0.25 + size) / (1 + len(X))
        densities.append(np.exp(twins.mixture_posterior(X, pi, theta, np.ones(5))[1]))
    assert np.allclose(model.score_samples(X), np.log(np.mean(densities, axis=0)), rtol=1e-9)


def test_rows_are_placed_by_the_means_of_theta_and_pi(rng):
    """Bayes' rule with weights of clusterings, an empty row at pi; logs of some clusters place as those alone."""
    weights = np.array([1.0, 0.5, 2.0])
    X, model = labels_with_holes(6, rng), make_model(THREE, weights=weights)
    X[0] = -1
    theta, pi = [rng.dirichlet(np.ones(size), size=4) for size in THREE], rng.dirichlet(np.ones(4))
    logs = mean_logs(np.vstack([table.T for table in theta]), pi, model)
    rows = reference.make_ensemble(X, model)
    expected = twins.mixture_posterior(X, pi, theta, weights)[0]
    assert np.allclose(place(rows, logs), expected, rtol=1e-10)
    assert np.allclose(place(rows, logs)[0], pi)
    some = place(rows, logs.of(np.array([2, 0])))
    assert np.allclose(some, expected[:, [2, 0]] / expected[:, [2, 0]].sum(axis=1, keepdims=True), rtol=1e-10)


def test_what_a_model_keeps_is_one_sample_entry_per_object():
    """Objects of one row share its samples, an object without a row has -1, and nothing else is kept by row."""
    model = make_model([2])
    logs = ClusterLogs(np.zeros((2, 2)), np.log([0.5, 0.5]))
    found = NBCEPosterior(
        labels=np.array([0, 1]),
        membership=np.eye(2),
        theta=np.full((2, 2), 0.5),
        pi=np.array([0.5, 0.5]),
        model=model,
        placing=logs,
        predictive=[logs],
        history=[],
        n_iter=3,
        converged=True,
        samples=np.array([[0, 1], [1, 1], [0, 0]], dtype=np.int16),
    )
    kept = found.for_objects(np.array([1, -1, 0, 1]))
    assert kept.samples.tolist() == [[1, -1, 0, 1], [1, -1, 1, 1], [0, -1, 0, 0]]
    assert kept.samples.dtype == np.int16
    assert (len(kept.labels), len(kept.membership)) == (0, 0)
    assert found._replace(samples=None).for_objects(np.array([0, 1])).samples is None
