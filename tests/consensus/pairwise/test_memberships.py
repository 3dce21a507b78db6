"""Memberships of new rows: those of equal rows, else the best by l2 among the fitted ones (eq. P36)."""

import numpy as np
import pytest
from scipy.optimize import minimize

from partita import PCC, AspectModel, BaumEagon, NMFConsensus
from partita._labels.ensemble import match_rows
from partita.consensus.pairwise._memberships import fitted_memberships, insert_new_rows
from tests import twins
from tests.consensus.pcc.pcc_reference import rows_of
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("complete", [True, False])
def test_new_rows_minimise_the_squared_error_with_the_fitted_ones(missing, complete, rng):
    X = np.unique(noisy_ensemble(missing=missing).X, axis=0)
    weight, Y = rng.uniform(0.5, 3, size=len(X)), rng.dirichlet(np.ones(3), size=len(X))
    new = rng.integers(0 if complete else -1, 3, size=(6, X.shape[1]))
    found = insert_new_rows(new.astype(np.int32), rows_of(X, weight), fitted_memberships(rows_of(X, weight), Y).sums)
    C, N = (part[:6, 6:] * weight for part in twins.coassociation(np.vstack([new, X])))
    for y, c, n in zip(found, C, N, strict=True):

        def error(z, c=c, n=n):
            return n @ (Y @ z) ** 2 - 2 * c @ (Y @ z)

        best = minimize(
            error, np.full(3, 1 / 3), bounds=[(0, 1)] * 3, constraints={"type": "eq", "fun": lambda z: z.sum() - 1}
        )
        assert y.sum() == pytest.approx(1)
        assert error(y) <= best.fun + 1e-6 * abs(best.fun)


def test_equal_rows_are_found_and_averaged():
    ensemble = rows_of(np.array([[0, 1], [1, 0], [0, 1]]))
    new = np.array([[1, 0], [0, 1], [1, 1], [0, -1]], dtype=np.int32)
    assert match_rows(ensemble.codes, new).tolist() == [1, 0, -1, -1]
    Y = np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
    found = fitted_memberships(ensemble, Y).of_rows(new)
    assert np.array_equal(found[:2], [[0.25, 0.75], [0.75, 0.25]])
    assert np.allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("method", [PCC, BaumEagon, AspectModel, NMFConsensus])
def test_training_labels_give_the_training_memberships(method, X):
    model = method(3, random_state=0).fit(X)
    assert np.array_equal(model.predict_proba(X), model.membership_)
    assert np.array_equal(model.predict(X), model.labels_)
    new = X[:3].astype(object)
    new[0] = "never seen"
    assert np.allclose(model.predict_proba(new)[0], 1 / model.n_clusters_)
    assert model.predict(new)[0] == -1
