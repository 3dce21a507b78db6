"""Baum-Eagon and the aspect model against plain NumPy over all objects: T-11 and T-40."""

import numpy as np
import pytest
from scipy import sparse

from partita import PCC, AspectModel, BaumEagon
from partita.base import LabelledRows
from partita.consensus.pairwise import _aspect_model, _baum_eagon
from partita.consensus.pairwise._pair_counts import count_rows_of
from tests import pcc_reference as reference
from tests import twins
from tests.consensus.pcc.test_pcc import rows_of
from tests.ensembles import noisy_ensemble


def one_row_each(ensemble):
    n = ensemble.n_rows
    return LabelledRows(ensemble, np.arange(n), np.ones(n, int), ensemble.codes[:0], np.full(n, -1))


@pytest.mark.parametrize("pair_weights", ["ones", "totals"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_baum_eagon_objective_and_step(pair_weights, diagonal, rng):
    """Weighted distinct rows = all objects, in the objective and in one growth transform."""
    X = np.unique(noisy_ensemble(sizes=(8, 6, 5), n_clusterings=6, missing=0.3).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    model = BaumEagon(3, pair_weights=pair_weights, diagonal=diagonal)
    counts = count_rows_of(one_row_each(rows_of(X, weight)), "all", 0)
    W, S = model._weigh(counts)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    full = np.repeat(X, weight, axis=0)
    C, N = twins.coassociation(full)
    full_S = np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    full_W = N.copy() if pair_weights == "totals" else (N > 0) * 1.0
    if not diagonal:
        np.fill_diagonal(full_W, 0)
    full_Y = np.repeat(Y, weight, axis=0)
    objective = (full_W * (full_S - full_Y @ full_Y.T) ** 2).sum()
    assert _baum_eagon._squared_error(W, S, Y, counts.weight) == pytest.approx(objective)
    G = (full_W * (full_S - full_Y @ full_Y.T)) @ full_Y + full_W.sum(axis=1, keepdims=True)
    ours = _baum_eagon._times(W, S, Y) + W.sum(axis=1, keepdims=True)
    assert np.allclose(np.repeat(ours, weight, axis=0), G)
    if pair_weights == "totals" and not diagonal:  # twice PCC's l2
        assert objective == pytest.approx(2 * reference.objective("l2", *reference.counts(full), full_Y))


def test_baum_eagon_ends_where_pcc_is_stationary():
    X = noisy_ensemble(sizes=(15, 10, 8), n_clusterings=8, missing=0.1).X
    model = BaumEagon(3, pair_weights="totals", diagonal=False, tol=1e-10, max_iter=50_000, random_state=0).fit(X)
    assert reference.kkt_gap("l2", *reference.counts(X), model.membership_) < 0.02
    best = PCC(3, divergence="l2", random_state=0).fit(X)
    assert model.objective_ == pytest.approx(2 * best.objective_, rel=0.01)


@pytest.mark.parametrize("estimator", [BaumEagon, AspectModel])
def test_all_pairs_stored_are_all_pairs(estimator):
    X = np.unique(noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X, axis=0)
    options = {"diagonal": False} if estimator is BaumEagon else {}
    everything = sparse.csr_array(np.ones((len(X), len(X))))
    dense = estimator(3, random_state=0, **options).fit(X)
    stored = estimator(3, random_state=0, pairs=everything, **options).fit(X)
    assert dense.history_[-1] == pytest.approx(stored.history_[-1], rel=1e-3)


def test_aspect_model_is_em_over_all_objects(rng):
    """Likelihood and one step of EM with responsibilities written out."""
    X = np.unique(noisy_ensemble(sizes=(6, 5, 4), n_clusterings=6, missing=0.3).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    counts = count_rows_of(one_row_each(rows_of(X, weight)), "all", 0)
    C = counts.counts * counts.multiplicity(diagonal=False)
    p = rng.dirichlet(np.ones(3))
    B = rng.dirichlet(np.ones(3), size=len(X))
    B /= counts.weight @ B
    full_C = reference.counts(np.repeat(X, weight, axis=0))[0]
    full_B = np.repeat(B, weight, axis=0)
    R = p * full_B[:, None] * full_B[None]
    P = R.sum(axis=-1)
    R = R / P[..., None]
    ratio, likelihood = _aspect_model._over_probability(C, B * np.sqrt(p), counts.weight)
    assert likelihood == pytest.approx((full_C * np.log(P)).sum())
    new_B = np.einsum("ij,ijr->ir", full_C, R)
    assert np.allclose(np.repeat(p * B * (ratio @ B), weight, axis=0), new_B)


def test_aspect_weights_follow_the_clusters(X):
    model = AspectModel(3, random_state=0).fit(X)
    assert model.aspect_weights_.sum() == pytest.approx(1)
    assert np.argmax(model.aspect_weights_) == 0


def test_an_object_that_is_never_together_has_a_uniform_membership():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
    model = AspectModel(2, random_state=0).fit(X)
    assert np.allclose(model.membership_[4], 0.5)
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))


def test_objects_without_pairs_keep_numbers():
    X = np.array([[0, -1], [0, -1], [1, -1], [-1, 0]])
    for options in ({"diagonal": False}, {"pairs": 1.0}, {"diagonal": False, "n_clusters": 1}):
        model = BaumEagon(**{"n_clusters": 2, "random_state": 0, **options}).fit(X)
        assert np.isfinite(model.membership_).all()
    apart = AspectModel(2, random_state=0).fit(np.arange(4).reshape(-1, 1))
    assert apart.aspect_weights_.sum() == pytest.approx(1)
    with pytest.warns(UserWarning, match="max_iter=5"):
        assert BaumEagon(2, max_iter=5, random_state=0).fit(noisy_ensemble().X).n_iter_ == 5
