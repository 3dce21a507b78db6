"""Baum-Eagon against plain NumPy over all objects, and against PCC with l2."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import PCC, BaumEagon
from partita.consensus.pairwise._pair_counts import PairSums, all_counts
from partita.consensus.pairwise._squared_error import LabelGrowth, StoredGrowth
from tests import twins
from tests.consensus.pairwise.test_pair_counts import one_row_each
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import rows_of
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("pair_weights", ["ones", "totals"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_baum_eagon_objective_and_step(pair_weights, diagonal, missing, rng):
    """Weighted distinct rows, from labels or from pairs = all objects, in the objective and in one growth transform
    (eqs. P47, P49, P63).
    """
    X = np.unique(noisy_ensemble(sizes=(8, 6, 5), n_clusterings=6, missing=missing, flip=0.4).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    model = BaumEagon(3, pair_weights=pair_weights, diagonal=diagonal)
    problem = model._choose_problem(one_row_each(rows_of(X, weight)), 0)
    assert isinstance(problem, StoredGrowth if missing else LabelGrowth)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    full = np.repeat(X, weight, axis=0)
    C, N = twins.coassociation(full)
    full_S = np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    full_W = N.copy() if pair_weights == "totals" else (N > 0) * 1.0
    if not diagonal:
        np.fill_diagonal(full_W, 0)
    full_Y = np.repeat(Y, weight, axis=0)
    objective = (full_W * (full_S - full_Y @ full_Y.T) ** 2).sum()
    error, growth = problem.measure(Y)
    assert error == pytest.approx(objective)
    assert np.allclose(np.repeat(problem.row_sums[:, 0], weight), full_W.sum(axis=1))
    G = (full_W * (full_S - full_Y @ full_Y.T)) @ full_Y + full_W.sum(axis=1, keepdims=True)
    for exponent in (1.0, 2.5):
        grown = full_Y * G**exponent
        expected = grown / grown.sum(axis=1, keepdims=True)
        assert np.allclose(np.repeat(problem.transform(Y, growth, exponent), weight, axis=0), expected)
    if pair_weights == "totals" and not diagonal:  # eq. P48
        assert objective == pytest.approx(2 * reference.objective("l2", *reference.counts(full), full_Y))


def test_labels_of_real_weights_are_the_pairs(rng):
    """Weights of objects below and above 1, and of clusterings: from labels as from stored pairs (eq. P63)."""
    ensemble = rows_of(rng.integers(3, size=(30, 5)), rng.uniform(0.2, 3, size=30), rng.uniform(0.5, 2, size=5))
    counts, Y = all_counts(ensemble), rng.dirichlet(np.ones(4), size=30)
    for diagonal in (True, False):
        W = counts.totals.copy()
        stored = StoredGrowth(
            PairSums((W if diagonal else counts.without_self(W), counts.similarity()), counts.row_weights)
        )
        linear = LabelGrowth(ensemble, u=ensemble.clustering_weights.sum(), diagonal=diagonal)
        assert linear.measure(Y)[0] == pytest.approx(stored.measure(Y)[0])
        assert np.allclose(linear.measure(Y)[1], stored.measure(Y)[1])


def test_starts_on_a_sample_reach_what_starts_on_all_rows_reach():
    X = noisy_ensemble(sizes=(300, 250, 200), n_clusterings=12, missing=0.1).X
    sampled = BaumEagon(3, random_state=0).fit(X)
    on_all = BaumEagon(3, n_init=1, keep_starts=True, random_state=0).fit(X)
    assert sampled.objective_ <= on_all.objective_ * 1.001


def test_baum_eagon_ends_where_pcc_is_stationary():
    X = noisy_ensemble(sizes=(15, 10, 8), n_clusterings=8, missing=0.1).X
    model = BaumEagon(3, pair_weights="totals", diagonal=False, tol=1e-10, max_iter=50_000, random_state=0).fit(X)
    assert reference.kkt_gap("l2", *reference.counts(X), model.membership_) < 0.02
    best = PCC(3, divergence="l2", random_state=0).fit(X)
    assert model.objective_ == pytest.approx(2 * best.objective_, rel=0.01)


def test_history_has_one_value_per_iteration(X):
    model = BaumEagon(3, random_state=0).fit(X)
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    assert model.n_iter_ % 10 == 0
    assert (np.diff(model.history_) <= 1e-12 * model.history_[0]).all()
    with pytest.warns(ConvergenceWarning, match="BaumEagon did not converge in max_iter=5 iterations"):
        stopped = BaumEagon(2, max_iter=5, random_state=0).fit(X)
    assert stopped.n_iter_ == len(stopped.history_) == 5


@pytest.mark.parametrize("options", [{"diagonal": False}, {"pairs": 1.0}, {"diagonal": False, "n_clusters": 1}])
def test_an_object_without_any_pair_is_uniform(options):
    X = np.array([[0, -1], [0, -1], [1, -1], [-1, 0]])
    model = BaumEagon(**{"n_clusters": 2, "random_state": 0, **options}).fit(X)
    assert np.isfinite(model.membership_).all()
    assert np.allclose(model.membership_[3], 1 / model.n_clusters_)
    if model.n_clusters_ > 1:
        assert not np.allclose(model.membership_[0], 1 / model.n_clusters_)


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (BaumEagon(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)
