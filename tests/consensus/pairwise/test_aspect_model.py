"""The aspect model against EM with all responsibilities, over all objects."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import AspectModel, coassociation
from partita.consensus.pairwise._aspect_model import Dyads
from partita.consensus.pairwise._pair_counts import row_counts
from tests.consensus.pairwise.test_pair_counts import one_row_each
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import rows_of
from tests.ensembles import noisy_ensemble


def test_aspect_model_is_em_over_all_objects(rng):
    """Likelihood and one step of EM with responsibilities written out (eqs. P51, P52)."""
    X = np.unique(noisy_ensemble(sizes=(6, 5, 4), n_clusterings=6, missing=0.3).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    counts = row_counts(one_row_each(rows_of(X, weight)), "all", 0)
    dyads = Dyads(counts)
    p = rng.dirichlet(np.ones(3))
    B = rng.dirichlet(np.ones(3), size=len(X))
    B /= counts.row_weights @ B
    full_C = reference.counts(np.repeat(X, weight, axis=0))[0]
    full_B = np.repeat(B, weight, axis=0)
    R = p * full_B[:, None] * full_B[None]
    P = R.sum(axis=-1)
    R = R / P[..., None]
    minus_likelihood, growth = dyads.measure(p * B)
    assert -minus_likelihood == pytest.approx((full_C * np.log(P)).sum())
    T = np.einsum("ij,ijr->ir", full_C, R)
    assert np.allclose(np.repeat(p * B * growth, weight, axis=0), T)
    assert np.allclose(np.repeat(dyads.transform(p * B, growth, 1.0), weight, axis=0), T / T.sum())
    assert dyads.n_dyads == pytest.approx(full_C.sum())
    assert np.allclose(dyads.mass, full_C.sum(axis=1)[np.cumsum(weight) - weight])


def test_starts_on_a_sample_reach_what_starts_on_all_rows_reach():
    X = noisy_ensemble(sizes=(300, 250, 200), n_clusterings=12, missing=0.1).X
    sampled = AspectModel(3, random_state=0).fit(X)
    on_all = AspectModel(3, n_init=1, keep_starts=True, random_state=0).fit(X)
    assert sampled.lower_bound_ >= on_all.lower_bound_ * (1 + 1e-6)


def test_aspect_weights_follow_the_clusters(X):
    model = AspectModel(3, random_state=0).fit(X)
    assert model.aspect_weights_.sum() == pytest.approx(1)
    assert np.argmax(model.aspect_weights_) == 0


def test_an_object_that_is_never_together_has_a_uniform_membership():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
    model = AspectModel(2, random_state=0).fit(X)
    assert np.allclose(model.membership_[4], 0.5)
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))


def test_objects_that_are_alone_in_a_sample_keep_finite_numbers():
    X = np.column_stack([np.r_[np.repeat(np.arange(30), 2), 30:600], np.r_[np.arange(60) % 5, 5:575]])
    model = AspectModel(3, n_init=1, random_state=0).fit(X)
    assert np.isfinite(model.membership_).all()
    assert np.allclose(model.membership_[-1], 1 / 3)


@pytest.mark.parametrize("n", [4, 600])
def test_objects_that_are_all_apart_keep_finite_numbers(n):
    apart = AspectModel(2, random_state=0).fit(np.arange(n).reshape(-1, 1))
    assert apart.aspect_weights_.sum() == pytest.approx(1)
    assert np.allclose(apart.membership_, 0.5)


def test_history_has_one_value_per_iteration(X):
    model = AspectModel(3, random_state=0).fit(X)
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    with pytest.warns(ConvergenceWarning, match="AspectModel did not converge in max_iter=3 iterations"):
        stopped = AspectModel(3, max_iter=3, random_state=0).fit(X)
    assert stopped.n_iter_ == len(stopped.history_) == 3


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (AspectModel(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)


def test_the_likelihood_is_that_of_the_weights_of_the_user(X):
    """P(i, j) of one pair is k^2 times less likely where there are k times as many objects of each kind."""
    weight, k = np.linspace(1, 2, len(X)), 2.0**44
    plain, heavy = (AspectModel(3, random_state=0).fit(X, sample_weight=size * weight) for size in (2.0**46, 2.0**90))
    n_dyads = (2.0**46 * weight) @ coassociation(X).counts @ (2.0**46 * weight)
    assert heavy.lower_bound_ == pytest.approx(k**2 * (plain.lower_bound_ - 2 * np.log(k) * n_dyads), rel=1e-6)
