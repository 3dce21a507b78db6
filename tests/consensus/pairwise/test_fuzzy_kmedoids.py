"""Fuzzy k-medoids: all sets of medoids of tiny data, steps against the dense matrix of all objects."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from partita import FuzzyKMedoids, KMeansEnsemble, LabelBlocks
from partita import _runs as runs
from partita._labels.ensemble import Ensemble
from partita.consensus.pairwise import _fuzzy_kmedoids as module
from tests import twins
from tests.ensembles import noisy_ensemble


def distance(X, weights=None):
    C, N = twins.coassociation(X, weights)
    return 1 - np.divide(C, N, out=np.zeros_like(C), where=N > 0)


def cost(D, fuzziness):
    """Lowest sum of u^f D of all objects, by the memberships of the textbook."""
    D = D[D.min(axis=1) > 1e-12]  # objects at a medoid cost nothing
    u = 1 / ((D[:, :, None] / D[:, None, :]) ** (1 / (fuzziness - 1))).sum(axis=2)
    return (u**fuzziness * D).sum()


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("fuzziness", [1.1, 2.0])
def test_the_best_of_all_sets_of_medoids_is_found(missing, fuzziness, rng):
    for seed in range(3):
        X = noisy_ensemble(sizes=(8, 6, 4), n_clusterings=6, flip=0.3, missing=missing, seed=seed).X
        weight, weights = rng.integers(1, 4, len(X)), rng.integers(1, 3, 6)
        D = np.repeat(distance(X, weights), weight, axis=0)
        best = min(cost(D[:, chosen], fuzziness) for chosen in combinations(range(len(X)), 3))
        model = FuzzyKMedoids(3, fuzziness=fuzziness, weights=weights, random_state=0).fit(X, sample_weight=weight)
        assert model.objective_ == pytest.approx(best, rel=1e-9)
        assert cost(D[:, model.medoids_], fuzziness) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_steps_are_those_of_the_matrix_of_all_objects(missing, rng):
    X = np.unique(noisy_ensemble(missing=missing, flip=0.4, n_clusterings=8).X, axis=0)
    n_objects, f = rng.integers(1, 4, len(X)), 1.5
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0) + 1, np.ones(8), n_objects.astype(float))
    distances, row_of = module.pair_distances(ensemble), np.repeat(np.arange(len(X)), n_objects)
    D = distance(X)
    medoids = np.array([0, 3, 7])
    assert np.allclose(distances.columns(medoids), D[:, medoids])
    power = module.memberships(D[:, medoids], f) ** f
    assert np.allclose(distances.sums(power), D[:, row_of] @ power[row_of])
    assert module.objective(distances, medoids, f) == pytest.approx(cost(D[row_of][:, medoids], f))
    row, value = module.best_swap(distances, medoids, 1, f, rng)
    assert value == pytest.approx(cost(D[row_of][:, [0, row, 7]], f))
    tried = module._candidates(distances, D[:, medoids], 1, f, rng)
    assert value <= min(cost(D[row_of][:, [0, j, 7]], f) for j in tried) * (1 + 1e-9) or len(X) > 64


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_default_is_the_best_of_many_starts(missing):
    X = noisy_ensemble(sizes=(150, 30, 10), missing=missing, flip=0.4).X
    many = FuzzyKMedoids(3, n_init=40, keep_starts=True, random_state=7).fit(X)
    assert many.objective_ == min(start.objective for start in many.starts_)
    for seed in range(3):
        assert FuzzyKMedoids(3, random_state=seed).fit(X).objective_ <= many.objective_ * (1 + 1e-9)


def test_swaps_improve_the_published_iteration():
    X = noisy_ensemble(sizes=(40,) * 6, missing=0, flip=0.4).X
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0) + 1, np.ones(15), np.ones(len(X)))
    distances, ends = module.pair_distances(ensemble), []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        first = rng.choice(len(X), 6, replace=False)
        run = module.alternate(distances, first, 1.1, 1e-9, 100)
        better = module.swap_medoids(distances, run, 1.1, 1e-9, 100, rng)
        assert better.history[: len(run.history)] == run.history
        assert (np.diff(better.history) < 0).all()
        ends.append((run.history[-1], better.history[-1]))
    assert np.mean(ends, axis=0)[1] < 0.97 * np.mean(ends, axis=0)[0]


def test_a_sample_of_many_rows_and_all_of_them(monkeypatch):
    X, truth = noisy_ensemble(sizes=(90, 60, 30), missing=0, flip=0.2)
    whole = FuzzyKMedoids(3, random_state=0).fit(X)
    monkeypatch.setattr(runs, "SAMPLE_SIZE", 60)
    sampled = FuzzyKMedoids(3, random_state=0).fit(X)
    assert sampled.objective_ == pytest.approx(whole.objective_, rel=1e-3)
    assert adjusted_rand_score(truth, sampled.labels_) > 0.95


def test_what_is_reported_fits_together():
    X, truth = noisy_ensemble(sizes=(60, 40, 20), missing=0.1)
    model = FuzzyKMedoids(3, random_state=0).fit(X)
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    assert model.objective_ == model.history_[-1] == min(model.history_)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert list(model.labels_[model.medoids_]) == [0, 1, 2]
    D = distance(X)[:, model.medoids_]
    assert np.allclose(model.membership_, module.memberships(D, 1.1))
    assert model.objective_ == pytest.approx((model.membership_**1.1 * D).sum())


def test_new_objects_by_their_distances_from_the_medoids():
    X = noisy_ensemble(sizes=(60, 40, 20), missing=0.1).X
    new = noisy_ensemble(sizes=(20, 15, 9), missing=0.4, seed=3).X
    model = FuzzyKMedoids(3, random_state=0).fit(X)
    D = distance(np.vstack([X, new]))[len(X) :][:, model.medoids_]
    assert np.allclose(model.predict_proba(new), module.memberships(D, 1.1))


def test_the_same_medoids_give_the_same_clusters_for_all_seeds():
    features = StandardScaler().fit_transform(load_iris().data)
    X = KMeansEnsemble(n_clusterings=20, random_state=0).fit_transform(features)
    models = [FuzzyKMedoids(3, random_state=seed).fit(X) for seed in range(6)]
    assert len({tuple(sorted(model.medoids_)) for model in models}) == 1
    for model in models:
        assert np.array_equal(model.labels_, models[0].labels_)
        assert np.array_equal(model.membership_, models[0].membership_)


def test_too_few_iterations_warn(X):
    with pytest.warns(ConvergenceWarning, match="FuzzyKMedoids did not converge in max_iter=1 iterations"):
        FuzzyKMedoids(3, max_iter=1, random_state=0).fit(X)


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (FuzzyKMedoids(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)


def test_medoids_of_labels_in_blocks():
    X = noisy_ensemble(sizes=(60, 40, 20), missing=0.1).X
    model = FuzzyKMedoids(3, random_state=0).fit(X)
    medoids, labels = model.medoids_, model.labels_
    model.fit(LabelBlocks.from_iterable(lambda: [X[:50], X[50:]]))
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.medoids_, medoids)
