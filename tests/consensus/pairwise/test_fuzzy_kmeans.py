"""Fuzzy k-means of the rows of the co-association: against the dense matrix of all objects, one by one."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from partita import FuzzyKMeans
from partita import _runs as runs
from partita._labels.ensemble import Ensemble
from partita.consensus.pairwise import _fuzzy_kmeans as module
from partita.exceptions import FewerClustersWarning, NotEnoughMemoryError
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition


def coassociation(X, weights=None):
    C, N = twins.coassociation(X, weights)
    return np.divide(C, N, out=np.zeros_like(C), where=N > 0)


def as_ensemble(X, row_weights, weights=None):
    weights = np.ones(X.shape[1]) if weights is None else weights
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, weights, row_weights)


def dense_fuzzy(S, first, fuzziness, n_iter):
    """Textbook fuzzy c-means of the rows of S, objects one by one; memberships and objective."""
    centers = S[first]
    for _ in range(n_iter + 1):
        D = ((S[:, None] - centers) ** 2).sum(axis=2)
        U = np.zeros_like(D)
        for i, row in enumerate(D):
            if (row < 1e-20).any():
                U[i] = (row < 1e-20) / (row < 1e-20).sum()
            else:
                U[i] = [1 / sum((d / other) ** (1 / (fuzziness - 1)) for other in row) for d in row]
        before, centers = centers, (U**fuzziness).T @ S / (U**fuzziness).sum(axis=0)[:, None]
    return U, float((U**fuzziness * ((S[:, None] - before) ** 2).sum(axis=2)).sum())


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("fuzziness", [1.2, 2.0])
def test_iterations_are_those_of_the_matrix_of_all_objects(missing, fuzziness, rng):
    X = np.unique(noisy_ensemble(sizes=(60, 40), missing=missing, n_clusterings=6, flip=0.4).X, axis=0)
    n_objects, weights = rng.integers(1, 4, len(X)), rng.random(6) + 0.5
    points = module.points_of(as_ensemble(X, n_objects.astype(float), weights))
    assert (points.metric.ndim == 2) == (missing == 0)
    rows = np.array([0, 5])
    first = np.asarray(points.F[rows] if missing else points.F[rows].toarray()).T
    run = FuzzyKMeans(2, fuzziness=fuzziness, tol=0)._go_on(points, module.FuzzyRun(first, [], False), 4)
    row_of = np.repeat(np.arange(len(X)), n_objects)
    S = coassociation(X[row_of], weights)
    U, value = dense_fuzzy(S, [int(np.flatnonzero(row_of == row)[0]) for row in rows], fuzziness, 4)
    assert run.history[-1] == pytest.approx(value, rel=1e-9)
    assert np.allclose(module.memberships(points.distances(run.centers), fuzziness)[row_of], U, atol=1e-8)


def test_through_the_labels_as_with_the_matrix(rng, monkeypatch):
    X = np.unique(noisy_ensemble(sizes=(60, 40), missing=0, n_clusterings=6, flip=0.4).X, axis=0)
    w = rng.random(len(X)) + 0.5
    monkeypatch.setattr(module, "_BLOCK", 200)  # several blocks
    points, S = module.points_of(as_ensemble(X, w)), coassociation(X)
    between = ((S[:, None] - S) ** 2) @ w
    assert np.allclose(points.distances(points.F.toarray().T), between, atol=1e-10)
    assert np.allclose([points.from_row(i) for i in range(len(X))], between, atol=1e-10)
    assert np.allclose(points.norms, S**2 @ w)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_new_objects_by_the_rows_of_their_co_association(missing):
    X = noisy_ensemble(sizes=(60, 40, 20), missing=missing, n_clusterings=5, flip=0.4).X
    new = noisy_ensemble(sizes=(20, 15, 9), missing=0.4, n_clusterings=5, flip=0.4, seed=3).X
    model = FuzzyKMeans(3, fuzziness=1.5, random_state=0).fit(X)
    S = coassociation(np.vstack([X, new]))
    power = model.membership_**1.5
    centers = power.T @ S[: len(X), : len(X)] / power.sum(axis=0)[:, None]
    D = ((S[len(X) :, None, : len(X)] - centers) ** 2).sum(axis=2)
    assert np.allclose(model.predict_proba(new), module.memberships(D, 1.5), atol=1e-3)  # the end is within tol
    assert np.allclose(model.predict_proba(X), model.membership_)


def test_what_is_reported_fits_together():
    X, truth = noisy_ensemble(sizes=(60, 40, 20), missing=0.1)
    model = FuzzyKMeans(3, random_state=0).fit(X)
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    assert (np.diff(model.history_) <= 0).all()
    S, power = coassociation(X), model.membership_**1.2
    centers = power.T @ S / power.sum(axis=0)[:, None]
    value = (power * ((S[:, None] - centers) ** 2).sum(axis=2)).sum()
    assert model.objective_ == pytest.approx(value, rel=1e-5)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_default_is_the_best_of_many_starts(missing):
    X = noisy_ensemble(sizes=(150, 30, 10), missing=missing, flip=0.4).X
    many = FuzzyKMeans(3, n_init=40, keep_starts=True, random_state=7).fit(X)
    assert many.objective_ == min(start.objective for start in many.starts_)
    for seed in range(3):
        assert FuzzyKMeans(3, random_state=seed).fit(X).objective_ <= many.objective_ * (1 + 1e-5)


def test_a_sample_of_many_rows_and_all_of_them(monkeypatch):
    X = noisy_ensemble(sizes=(90, 60, 30), missing=0, flip=0.3).X
    whole = FuzzyKMeans(3, random_state=0).fit(X)
    monkeypatch.setattr(runs, "SAMPLE_SIZE", 60)
    sampled = FuzzyKMeans(3, random_state=0).fit(X)
    assert sampled.objective_ == pytest.approx(whole.objective_, rel=1e-4)
    assert same_partition(sampled.labels_, whole.labels_)


def test_large_fuzziness_makes_all_clusters_the_same():
    X = noisy_ensemble(sizes=(30,) * 6, missing=0, flip=0.6).X
    with pytest.warns(FewerClustersWarning, match="with fuzziness=3 equal memberships are best"):
        model = FuzzyKMeans(6, fuzziness=3.0, random_state=0).fit(X)
    assert np.ptp(model.membership_, axis=1).max() < 1e-3
    assert FuzzyKMeans(6, random_state=0).fit(X).membership_.max(axis=1).mean() > 0.5


def test_clusters_that_are_the_same_are_one():
    X = np.repeat(np.arange(30)[:, None], 3, axis=1)  # no two objects share a label
    with pytest.warns(FewerClustersWarning, match="all clusters of FuzzyKMeans are the same"):
        model = FuzzyKMeans(3, random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert (model.membership_ == 1 / 3).all()
    assert (model.predict(X) == 0).all()
    new = model.predict_proba(np.column_stack([np.arange(29), np.arange(1, 30), np.arange(29)]))
    assert (new == new[0, 0]).all()


def test_too_few_iterations_warn(X):
    with pytest.warns(ConvergenceWarning, match="FuzzyKMeans did not converge in max_iter=1 iterations"):
        FuzzyKMeans(3, max_iter=1, random_state=0).fit(X)


def test_wrong_fuzziness_and_too_many_labels_are_refused(X, monkeypatch):
    with pytest.raises(ValueError, match="'fuzziness' parameter of FuzzyKMeans must be a float in the range"):
        FuzzyKMeans(3, fuzziness=1.0).fit(X)
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1KiB")
    whole = noisy_ensemble(sizes=(60, 40), missing=0, n_clusterings=6, flip=0.4).X
    with pytest.raises(NotEnoughMemoryError, match="a table of all pairs of the 12 labels"):
        FuzzyKMeans(3).fit(whole)


def test_same_bits_for_any_number_of_jobs(X):
    one, four = (FuzzyKMeans(3, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4))
    assert np.array_equal(one.membership_, four.membership_)


@pytest.mark.parametrize("side", [-1, 1])
def test_equal_centres_are_stable_above_the_limit_of_the_fuzziness(side, rng):
    """By eq. P72, from centres close to the mean, the iteration goes back to it, or away."""
    S = coassociation(noisy_ensemble(sizes=(30,) * 5, missing=0, flip=0.3).X)
    z = S - S.mean(axis=0)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    largest = np.linalg.eigvalsh(z.T @ z / len(z))[-1]
    fuzziness = 1 / (1 - 2 * largest) + side * 0.1
    points = module.Points(S, np.ones(len(S)), (S**2).sum(axis=1), np.ones(len(S)), 0.0)
    U = np.full((len(S), 5), 0.2) + 1e-5 * rng.standard_normal((len(S), 5))
    spread = []
    for _ in range(60):
        U = module.memberships(points.distances(points.centers(U**fuzziness)), fuzziness)
        spread.append(np.ptp(U, axis=1).max())
    assert (spread[-1] < 0.1 * spread[5]) == (side > 0)
    assert (spread[-1] > 10 * spread[5]) == (side < 0)
