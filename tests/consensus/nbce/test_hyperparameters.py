"""Newton steps for alpha0 and beta, against a bounded search and finite differences (eq. N54)."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from partita.consensus.nbce import _hyperparameters as module
from partita.consensus.nbce._joint import HIGHEST, LOWEST, Occupancy, log_joint
from partita.consensus.nbce._nbce import NBCE
from tests.consensus.nbce.nbce_reference import N_LABELS, PRIORS, WEIGHTS, expected_occupancy, make_model, random_labels
from tests.ensembles import noisy_ensemble


def search_bounded(occupancy, model, name):
    """The highest joint over one parameter, by a bounded search and the ends."""

    def value(log):
        return log_joint(occupancy, model._replace(**{name: float(np.exp(log))}))

    ends = np.log(LOWEST), np.log(HIGHEST)
    found = minimize_scalar(lambda log: -value(log), bounds=ends, method="bounded", options={"xatol": 1e-9})
    return max(value(log) for log in (*ends, found.x))


def make_occupancy(rng, model, *, certain):
    X, truth = random_labels(rng, 40), rng.integers(3, size=40)
    X = np.where((rng.random(X.shape) < 0.6) & (X >= 0), truth[:, None] % N_LABELS, X)
    gamma = certain * np.eye(6)[truth] + (1 - certain) * rng.dirichlet(np.ones(6), size=40)
    return expected_occupancy(X, gamma, model)


@pytest.mark.parametrize("certain", [1.0, 0.8])
@pytest.mark.parametrize("prior", PRIORS)
def test_newton_steps_end_where_a_bounded_search_does(prior, certain, rng):
    for _ in range(5):
        for start in (0.02, 0.5, 30.0):
            model = make_model(N_LABELS, prior, weights=WEIGHTS, alpha0=start, beta=start)
            occupancy = make_occupancy(rng, model, certain=certain)
            for name in ("alpha0", "beta"):
                found = module.estimate_parameters(occupancy, model, name == "alpha0", name == "beta")
                assert log_joint(occupancy, found) >= search_bounded(occupancy, model, name) - 1e-9


@pytest.mark.parametrize("prior", PRIORS)
def test_slopes_are_differences_of_the_joint(prior, rng):
    model, step = make_model(N_LABELS, prior, weights=WEIGHTS, alpha0=1.3, beta=0.4), 1e-3
    occupancy = make_occupancy(rng, model, certain=0.8)
    of_size = module._slopes_of_sticks if prior == "tsb" else module._slopes_of_weights
    slopes = {
        "alpha0": of_size(occupancy.size, 1.3),
        "beta": module.slopes_of_labels(occupancy.label_size, model, 0.4),
    }
    for name, found in slopes.items():
        now = getattr(model, name)
        low, mid, high = (log_joint(occupancy, model._replace(**{name: now + d})) for d in (-step, 0.0, step))
        assert found[0] == pytest.approx((high - low) / (2 * step), rel=1e-4)
        assert found[1] == pytest.approx((high - 2 * mid + low) / step**2, rel=1e-3)


def test_empty_clusters_need_no_columns(rng):
    model = make_model(N_LABELS, weights=WEIGHTS)
    size, label_size = make_occupancy(rng, model, certain=1.0)
    full = module.estimate_parameters(Occupancy(size, label_size), model, True, True)
    assert (size[3:] == 0).all()
    assert module.estimate_parameters(Occupancy(size, label_size[:, :3]), model, True, True) == full


def test_estimates_of_a_fit_are_at_the_maximum_of_its_bound():
    X = noisy_ensemble(sizes=(40, 30, 20), flip=0.35, n_clusterings=8).X
    fit = NBCE("vb", truncation=3, tol=1e-12, max_iter=5000, random_state=0).fit(X)
    model = make_model(X.max(axis=0) + 1, alpha0=fit.alpha0_, beta=fit.beta_)
    occupancy = expected_occupancy(X, np.pad(fit.membership_, ((0, 0), (0, 3 - fit.n_clusters_))), model)
    for name in ("alpha0", "beta"):
        assert log_joint(occupancy, model) == pytest.approx(search_bounded(occupancy, model, name), abs=1e-6)
