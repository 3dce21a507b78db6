"""DREC: the representation by matrices over the rows, its optimality, the spectral cut, and what does not matter."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partita import DREC
from partita.consensus.label_space import _drec as module
from partita.consensus.label_space._drec import affinity, dense_representation
from partita.exceptions import NotEnoughMemoryError
from tests.consensus.label_space.fixed_ensembles import E16, E16_HOLES, distinct, peak_memory, random_ensemble
from tests.ensembles import noisy_ensemble, same_partition

ENSEMBLES = {"complete": E16, "holes": E16_HOLES, "random": random_ensemble(n=80, m=6, n_labels=4, missing=0.2, seed=1)}


def by_rows(ensemble, lam, passes=5):
    """Z by matrices over the rows, one row at a time."""
    scale = np.sqrt(ensemble.cell_weights / ensemble.clustering_weights.mean())
    H = ensemble.indicator.toarray() * scale
    n, mu = len(H), np.full(len(H), lam)
    for _ in range(passes):
        Z = np.column_stack([np.linalg.solve(H @ H.T + mu[j] * np.eye(n), H @ H[j]) for j in range(n)])
        mu = 2 * lam * np.linalg.norm(H.T - H.T @ Z, axis=0)
    return H, Z


def affinity_by_rows(ensemble, lam):
    U, s, _ = np.linalg.svd(by_rows(ensemble, lam)[1])
    Y = (U * np.sqrt(s))[:, s > 1e-4 * s[0]]
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    return (Y @ Y.T) ** 4


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("lam", [1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_space_of_labels_gives_the_affinity_of_the_rows(name, lam, weighted):
    X = ENSEMBLES[name]
    ensemble, _ = distinct(X, weights=np.linspace(1, 3, X.shape[1]) if weighted else None)
    found = affinity(dense_representation(ensemble, lam), show=False)
    assert np.allclose(found, affinity_by_rows(ensemble, lam), atol=1e-10)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_without_penalty_it_is_the_projection_on_the_rows(name):
    """mu tends to 0, where matrices over the rows cannot be inverted any more."""
    ensemble, _ = distinct(ENSEMBLES[name])
    H = ensemble.indicator.toarray()
    P = H @ np.linalg.pinv(H)
    length = np.sqrt(np.diag(P))
    found = affinity(dense_representation(ensemble, 1e-6), show=False)
    assert np.allclose(found, (P / np.outer(length, length)) ** 4, atol=1e-6)


def test_the_passes_lead_to_a_stationary_point():
    """Many passes: the gradient of sum of |h_j - H'z_j| + lam |Z|^2 by finite differences is 0."""
    H, Z = by_rows(distinct(E16)[0], 2.0, passes=300)

    def objective(Z):
        return np.linalg.norm(H.T - H.T @ Z, axis=0).sum() + 2.0 * (Z**2).sum()

    for place in np.ndindex(Z.shape):
        step = np.zeros_like(Z)
        step[place] = 1e-5
        assert abs(objective(Z + step) - objective(Z - step)) / 2e-5 < 1e-6


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_cut_is_normalised_spectral_clustering(missing):
    X = noisy_ensemble(sizes=(25, 20, 10), n_clusterings=8, flip=0.25, missing=missing, seed=3).X
    ensemble, inverse = distinct(X)
    A = affinity_by_rows(ensemble, 100.0)
    root = 1 / np.sqrt(A.sum(axis=1))
    V = np.linalg.eigh(root[:, None] * A * root)[1][:, -3:]
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    expected = KMeans(3, n_init=20, random_state=0).fit_predict(V)[inverse]
    assert same_partition(DREC(3, random_state=0).fit_predict(X), expected)


def test_copies_of_objects_change_nothing(rng):
    X = noisy_ensemble(sizes=(20, 15, 10), n_clusterings=7, flip=0.3, seed=4).X
    labels = DREC(3, random_state=0).fit_predict(X)
    assert same_partition(DREC(3, random_state=0).fit(X, sample_weight=rng.uniform(0.1, 9, len(X))).labels_, labels)


def test_only_ratios_of_weights_matter():
    ensembles = [distinct(E16, weights=scale * np.array([1.0, 2, 3]))[0] for scale in (1, 7)]
    found = [affinity(dense_representation(ensemble, 10.0), show=False) for ensemble in ensembles]
    assert np.allclose(*found, atol=1e-12)


def test_rows_without_a_common_label_are_cut_for_free():
    X = np.repeat([[0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 3]], [5, 4, 3, 2], axis=0)
    assert same_partition(DREC(3).fit_predict(X), np.repeat([0, 1, 2, 2], [5, 4, 3, 2]))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_memory_is_what_is_asked_for(missing):
    X = random_ensemble(n=1300, m=12, n_labels=5, missing=missing, seed=0)
    n_rows, peak = len(np.unique(X, axis=0)), peak_memory(lambda: DREC(3, random_state=0).fit(X))
    assert n_rows > 1200
    assert peak < module._MATRICES * 8 * n_rows**2


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "60kB")
    with pytest.raises(NotEnoughMemoryError, match=r"the affinity of \d+ distinct rows needs .* such as LWGP"):
        DREC(3).fit(random_ensemble(n=200, m=6, seed=0))
