"""What fuzzy methods share: memberships and costs at the minimum, similarities against a slow twin."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.pairwise import _fuzzy as module
from partita.exceptions import FewerClustersWarning, NotEnoughMemoryError
from tests import twins
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("fuzziness", [1.1, 1.5, 2.0, 3.0])
def test_memberships_are_the_lowest(fuzziness, rng):
    D = rng.random((5, 3)) + 0.1
    Y = module.memberships(D, fuzziness)
    assert np.allclose(Y.sum(axis=1), 1)
    assert np.allclose(module.cost_of(D, fuzziness), (Y**fuzziness * D).sum(axis=1))
    slope = fuzziness * Y ** (fuzziness - 1) * D  # a convex problem: lowest where all slopes are equal
    assert np.allclose(slope, slope[:, :1])
    for _ in range(20):
        other = rng.dirichlet(np.ones(3), 5)
        assert (module.cost_of(D, fuzziness) <= (other**fuzziness * D).sum(axis=1)).all()


def test_ties_do_not_depend_on_rounding():
    distance = np.array([[0.3, 0.1 + 0.2, 0.7], [0.1 + 0.2, 0.3, 0.7]])
    assert len(np.unique(distance[0])) == 3
    Y = module.final_memberships(distance, 1.1)
    assert (Y[:, 0] == Y[:, 1]).all()
    assert np.allclose(Y, module.memberships(distance, 1.1), atol=1e-12)


def test_an_object_on_centres_belongs_to_these():
    D = np.array([[0.0, 1.0, 0.0], [1e-300, 1.0, 1.0], [2.0, 2.0, 2.0]])
    Y = module.memberships(D, 1.1)
    assert np.allclose(Y, [[0.5, 0, 0.5], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])
    assert module.cost_of(D, 1.1)[0] == 0


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_similarities_of_new_rows(missing, rng, monkeypatch):
    X = noisy_ensemble(missing=missing, flip=0.4).X
    weights = rng.random(X.shape[1]) + 0.5
    C, N = twins.coassociation(X, weights)
    S = np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    ensemble = Ensemble(X[:40].astype(np.int32), X.max(axis=0) + 1, weights, np.ones(40))
    monkeypatch.setattr(module, "_BLOCK", 200)  # several blocks
    assert np.allclose(module.similarity_to(X[40:].astype(np.int32), ensemble), S[40:, :40])
    assert np.allclose(module.dense_similarity(ensemble, "it"), S[:40, :40])


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch):
    X = noisy_ensemble().X.astype(np.int32)
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1KiB")
    with pytest.raises(NotEnoughMemoryError, match="FuzzyKMeans on 62 distinct rows with missing labels"):
        module.dense_similarity(Ensemble(X, X.max(axis=0) + 1, np.ones(15), np.ones(62)), "FuzzyKMeans")


def test_equal_memberships_warn():
    with pytest.warns(FewerClustersWarning, match="with fuzziness=2 equal memberships are best"):
        module.warn_if_equal(np.full((4, 2), 0.5), "FuzzyKMeans", 2.0)
    module.warn_if_equal(np.ones((4, 1)), "FuzzyKMeans", 2.0)
