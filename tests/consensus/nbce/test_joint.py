"""The collapsed model of NBCE against urns, integrals and enumeration (eqs. N4 to N9, N39, N40)."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import beta as beta_distribution

from partita.consensus.nbce import _joint as joint
from tests.consensus.nbce import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import PRIORS, THREE, labels_with_holes, make_model, occupancy_of


@pytest.mark.parametrize("alpha0", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_probabilities_of_all_assignments_sum_to_one(prior, alpha0):
    model = make_model([2], prior, alpha0=alpha0)
    for n, n_clusters in product(range(5), range(1, 6)):
        sizes = [np.bincount(z, minlength=n_clusters).astype(float) for z in reference.assignments(n, n_clusters)]
        assert sum(np.exp(joint.log_assignment_prior(size, model)) for size in sizes) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_prior_of_an_assignment_is_that_of_urns_and_sticks(prior, rng):
    for alpha0, n_clusters in product([0.1, 1.0, 9.0], [1, 2, 7]):
        model, z = make_model([2], prior, alpha0=alpha0), rng.integers(n_clusters, size=12)
        value = joint.log_assignment_prior(np.bincount(z, minlength=n_clusters).astype(float), model)
        assert value == pytest.approx(reference.log_prior(z, n_clusters, model), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("prior", PRIORS)
def test_prior_of_two_clusters_is_an_integral(prior):
    """Also of fractions of objects, as variational inference has them."""
    for sizes in ([3.0, 2.0], [0.0, 4.0], [1.7, 0.4]):
        model = make_model([2], prior, alpha0=1.6)
        density = beta_distribution(*((1, 1.6) if prior == "tsb" else (0.8, 0.8))).pdf
        integral = quad(lambda v, n, density: density(v) * v ** n[0] * (1 - v) ** n[1], 0, 1, args=(sizes, density))[0]
        assert joint.log_assignment_prior(np.array(sizes), model) == pytest.approx(np.log(integral), rel=1e-6)


@pytest.mark.parametrize("beta", [0.05, 0.5, 3.0])
def test_likelihood_is_that_of_urns(beta, rng):
    X, z = labels_with_holes(14, rng), rng.integers(4, size=14)
    X[3] = -1
    model = make_model(THREE, beta=beta, weights=[1.0, 0.4, 2.7])
    value = joint.log_label_likelihood(occupancy_of(X, z, 6, model), model)
    assert value == pytest.approx(reference.log_likelihood(X, z, model), rel=1e-11)
    assert joint.log_joint(occupancy_of(X, z, 6, model), model) == pytest.approx(
        reference.log_joint(X, z, 6, model), rel=1e-11
    )


def test_likelihood_is_a_distribution_over_labels(rng):
    """Given an assignment, all possible label matrices together have probability 1."""
    z, model = np.array([0, 1, 0]), make_model([3, 2], beta=0.7)
    rows = list(product(range(3), range(2)))
    logs = [joint.log_label_likelihood(occupancy_of(Y, z, 2, model), model) for Y in product(rows, repeat=3)]
    assert logsumexp(logs) == pytest.approx(0, abs=1e-11)


def test_a_label_that_no_object_has_still_counts():
    X, z = np.array([[0, 1], [1, 0]]), np.array([0, 0])
    few, many = make_model([2, 2]), make_model([2, 3])
    values = [joint.log_label_likelihood(occupancy_of(X, z, 1, model), model) for model in (few, many)]
    assert values[1] == pytest.approx(reference.log_likelihood(X, z, many))
    assert values[1] < values[0]


def test_integer_weight_is_the_clustering_repeated(rng):
    X, z, times = labels_with_holes(11, rng), rng.integers(3, size=11), np.array([2, 1, 3])
    narrow, wide = make_model(THREE, weights=times), make_model(np.repeat(THREE, times))
    value = joint.log_label_likelihood(occupancy_of(X, z, 3, narrow), narrow)
    repeated = np.repeat(X, times, axis=1)
    assert value == pytest.approx(joint.log_label_likelihood(occupancy_of(repeated, z, 3, wide), wide), rel=1e-12)


def test_occupancy_is_that_of_a_double_loop(rng):
    X, z = labels_with_holes(20, rng), rng.integers(4, size=20)
    model = make_model(THREE)
    occupancy = occupancy_of(X, z, 5, model)
    expected = reference.expected_occupancy(X, np.eye(5)[z], model)
    assert np.array_equal(occupancy.size, expected.size)
    assert np.array_equal(occupancy.label_size, expected.label_size)


@pytest.mark.parametrize("alpha0", [0.3, 4.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_mean_weight_is_the_probability_of_the_next_object(prior, alpha0, rng):
    for n_clusters in (1, 2, 6):
        z, model = rng.integers(n_clusters, size=9), make_model([2], prior, alpha0=alpha0)
        weights = joint.mean_weights(np.bincount(z, minlength=n_clusters).astype(float), model)
        before = reference.log_prior(z, n_clusters, model)
        after = [reference.log_prior(np.append(z, k), n_clusters, model) for k in range(n_clusters)]
        assert np.allclose(weights, np.exp(np.array(after) - before), rtol=1e-10)
        assert weights.sum() == pytest.approx(1, abs=1e-13)


def test_mean_of_theta_is_the_probability_of_the_next_label(rng):
    X, z, model = labels_with_holes(9, rng), rng.integers(3, size=9), make_model(THREE, beta=0.8)
    table = joint.mean_table(occupancy_of(X, z, 4, model).label_size, model)
    before = reference.log_likelihood(X, z, model)
    for k, j in product(range(4), range(3)):
        block = table[model.layout.first_cell[j] : model.layout.first_cell[j] + THREE[j], k]
        for label in range(THREE[j]):
            row = np.full(3, -1)
            row[j] = label
            after = reference.log_likelihood(np.vstack([X, row]), np.append(z, k), model)
            assert block[label] == pytest.approx(np.exp(after - before), rel=1e-10)
        assert block.sum() == pytest.approx(1, abs=1e-13)
