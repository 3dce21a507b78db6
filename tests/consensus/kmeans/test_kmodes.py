"""k-modes against enumeration and explicit modes."""

import numpy as np
import pytest

from partita import KModes
from tests.consensus.kmeans.test_kcc import E16, E16M
from tests.consensus.kmeans.utility_reference import best_of_all, objective
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("X", [E16, E16M], ids=["complete", "holes"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_optimum_of_all_partitions_is_found(X, k):
    best = best_of_all(X, k, "modes")
    for seed in range(5):
        assert KModes(k, random_state=seed).fit(X).objective_ == best


def differing(X, model, weights, w):
    """Weighted number of observed labels that are not the mode of their cluster."""
    wrong = (model.modes_[model.labels_] != X) & (X >= 0)
    return w @ wrong @ weights


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_objective_counts_labels_that_differ_from_the_modes(missing, rng):
    X = noisy_ensemble(missing=missing, flip=0.4).X
    weights, w = rng.integers(1, 4, X.shape[1]).astype(float), rng.integers(1, 4, len(X)).astype(float)
    model = KModes(4, weights=weights, random_state=0).fit(X, sample_weight=w)
    assert model.objective_ == pytest.approx(differing(X, model, weights, w))
    assert model.objective_ == pytest.approx(objective(X, model.labels_, "modes", weights, w))
    assert np.all(np.diff(model.history_) <= 0)
    repeated = KModes(4, weights=weights, random_state=0).fit(np.repeat(X, w.astype(int), axis=0))
    assert repeated.objective_ == pytest.approx(model.objective_)


def test_modes_are_labels_as_given():
    X = {"a": ["x", "x", "y", "y"], "b": [5, 5, 7, 7]}
    model = KModes(2, random_state=0).fit(X)
    assert model.modes_.tolist() == [["x", 5], ["y", 7]]
    assert model.predict({"a": ["y", None], "b": [None, 5]}).tolist() == [1, 0]
    assert KModes(1).fit(np.array([[2, 2], [2, 2], [3, 2]])).modes_.tolist() == [[2, 2]]


def test_the_default_is_as_good_as_the_best_of_many_starts():
    X = noisy_ensemble(sizes=(80, 20, 8, 5), missing=0.2, flip=0.5).X
    many = KModes(5, n_init=60, keep_starts=True, random_state=9).fit(X)
    assert many.objective_ == min(start.objective for start in many.starts_)
    assert KModes(5, random_state=0).fit(X).objective_ <= many.objective_ * (1 + 1e-3)
