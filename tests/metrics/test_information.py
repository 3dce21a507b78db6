"""Mutual information by hand; the J criterion as the best of all matchings (eqs. I15, I16, I17, I18)."""

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from partita import metrics
from partita.exceptions import LeftOutWarning, NotEnoughMemoryError
from tests.ensembles import noisy_ensemble


def test_nmi_by_hand():
    a, b = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    p = np.array([[2, 1], [0, 3]]) / 6
    outer = p.sum(1, keepdims=True) * p.sum(0)
    information = (p[p > 0] * np.log(p[p > 0] / outer[p > 0])).sum()
    entropy = lambda q: -(q * np.log(q)).sum()  # noqa: E731
    expected = information / np.sqrt(entropy(p.sum(0)) * entropy(p.sum(1)))
    assert metrics.normalized_mutual_info_score(a, b) == pytest.approx(expected)
    assert metrics.normalized_mutual_info_score([0, 0], [0, 0]) == 1
    assert metrics.normalized_mutual_info_score([0, 0], [0, 1]) == 0


def test_average_nmi_is_the_mean_over_clusterings_on_their_own_objects(X, truth, rng):
    weights = rng.random(X.shape[1])
    scores = []
    for column in X.T:
        seen = column >= 0
        scores.append(metrics.normalized_mutual_info_score(column[seen], truth[seen]))
    assert metrics.average_nmi_score(X, truth) == pytest.approx(np.mean(scores))
    assert metrics.average_nmi_score(X, truth, weights=weights) == pytest.approx(np.average(scores, weights=weights))


def test_average_nmi_leaves_out_what_cannot_be_compared():
    X = {"a": [0, 0, 1, None], "b": [None, None, None, 1], "one": [5, 5, 5, 5]}
    with pytest.warns(LeftOutWarning, match="1 of 4 objects have no consensus label"):
        assert metrics.average_nmi_score(X, [0, 0, 1, -1]) == pytest.approx(np.mean([1, 0]))
    assert metrics.average_nmi_score({"one": [5, 5]}, [1, 1]) == 1
    with pytest.raises(ValueError, match="X has 4 objects, but labels has 2"):
        metrics.average_nmi_score(X, [0, 1])
    with pytest.warns(LeftOutWarning, match="1 of 2"), pytest.raises(ValueError, match="cannot be compared"):
        metrics.average_nmi_score({"b": [None, 1]}, [1, -1])


@pytest.mark.parametrize(("k", "q"), [(1, 1), (3, 3), (2, 4), (4, 2)])
def test_jensen_shannon_is_the_best_of_all_matchings(k, q, rng):
    Z, Y = rng.dirichlet(np.ones(k), size=15), rng.dirichlet(np.ones(q), size=15)
    size = max(k, q)
    Zp, Yp = np.pad(Z, ((0, 0), (0, size - k))), np.pad(Y, ((0, 0), (0, size - q)))
    by_force = min(
        np.mean([jensenshannon(z, y, base=2) ** 2 for z, y in zip(Zp, Yp[:, list(order)], strict=True)])
        for order in permutations(range(size))
    )
    assert metrics.jensen_shannon_distance(Z, Y) == pytest.approx(by_force, abs=1e-12)


def test_jensen_shannon_ends_of_its_range(rng):
    Y = rng.dirichlet(np.ones(4), size=20)
    assert metrics.jensen_shannon_distance(Y, Y[:, [2, 0, 3, 1]]) == pytest.approx(0, abs=1e-15)
    assert metrics.jensen_shannon_distance(Y, np.roll(Y, 1, axis=0)) > 0
    apart = metrics.jensen_shannon_distance([[1.0, 0, 0]] * 2, np.eye(3)[[1, 2]])
    assert apart == pytest.approx(1 / 2)  # one of the two can be matched
    hard = noisy_ensemble().truth
    assert metrics.jensen_shannon_distance(hard, np.eye(3)[hard]) == 0


def test_jensen_shannon_leaves_out_rows_without_membership():
    Y = np.array([[0.5, 0.5], [np.nan, np.nan], [1, 0]])
    with pytest.warns(LeftOutWarning, match="1 of 3 objects have no membership"):
        assert metrics.jensen_shannon_distance(Y, np.array([[0.5, 0.5], [1, 0], [1, 0]])) == 0


@pytest.mark.parametrize(
    ("membership", "message"),
    [
        ([[0.5, 0.6]], "not probabilities"),
        ([[1.5, -0.5]], "not probabilities"),
        ([[[0.5, 0.5]]], r"shape \(1, 1, 2\); pass one row per object"),
        ([["a", "b"]], "membership_true must be numbers"),
        ([[0.5, 0.5], [1.0]], "membership_true must be numbers"),
        ([[np.nan, 1.0]], "a row may be NaN throughout"),
    ],
)
def test_what_is_not_a_membership_is_refused(membership, message):
    with pytest.raises(ValueError, match=message):
        metrics.jensen_shannon_distance(membership, [[0.5, 0.5]])


def test_memberships_of_many_clusters_are_refused_before_any_work(monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    with pytest.raises(NotEnoughMemoryError, match="memberships of 1000 x 1000 clusters"):
        metrics.jensen_shannon_distance(np.arange(1000), np.zeros(1000, dtype=int))
