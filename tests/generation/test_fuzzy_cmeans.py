"""Fuzzy c-means against its two equations."""

import numpy as np
import pytest

from partita import MixedEnsemble
from partita.generation._fuzzy_cmeans import fuzzy_cmeans, memberships
from tests.ensembles import same_partition
from tests.generation.cases import blobs


def objective(F, centers, U):
    return sum(U[i, k] ** 2 * ((F[i] - centers[k]) ** 2).sum() for i in range(len(F)) for k in range(len(centers)))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_fuzzy_cmeans_ends_where_both_equations_hold(F, k):
    found = fuzzy_cmeans(F, k, 0, tol=1e-10, max_iter=5000)
    assert found.converged
    U = np.empty((len(F), k))
    for i, x in enumerate(F):
        d = [((x - c) ** 2).sum() for c in found.centers]
        U[i] = [1 / sum(d[a] / d[b] for b in range(k)) for a in range(k)]
    assert np.allclose(found.membership, U, atol=1e-12)
    assert np.allclose(found.membership.sum(axis=1), 1, atol=1e-12)
    centers = np.array([(U[:, a] ** 2) @ F / (U[:, a] ** 2).sum() for a in range(k)])
    assert np.allclose(found.centers, centers, atol=1e-7)


def test_objective_of_fuzzy_cmeans_never_rises(F):
    found = fuzzy_cmeans(F, 4, 3)
    assert len(found.history) > 3
    assert (np.diff(found.history) <= 1e-9).all()
    assert found.history[-1] == pytest.approx(objective(F, found.centers, found.membership), rel=1e-3)


def test_an_object_on_a_centre_belongs_to_it_alone():
    U = memberships(np.array([[0.0], [1.0], [4.0], [2.0]]), np.array([[0.0], [4.0], [4.0]]))
    assert U[0].tolist() == [1, 0, 0]
    assert U[2].tolist() == [0, 0.5, 0.5]
    assert np.allclose(U[1], np.array([1, 1 / 9, 1 / 9]) / (1 + 2 / 9))
    assert np.allclose(U[3], 1 / 3)


def test_fuzzy_columns_are_the_nearest_centres():
    F, truth = blobs()
    generator = MixedEnsemble(["fuzzy"], [3], n_repeats=4, random_state=0)
    X = generator.fit_transform(F)
    assert all(same_partition(column, truth) for column in X.T)
    seed = int(generator.manifest_["seed"].iloc[0])
    assert X[:, 0].tolist() == fuzzy_cmeans(F, 3, seed).membership.argmax(axis=1).tolist()
