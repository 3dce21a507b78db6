"""The factor of the co-association through the labels."""

import numpy as np
import pytest

from partita.metrics._label_factor import through_labels
from tests import twins
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("missing", [0, 0.4])
def test_the_factor_gives_the_coassociation_with_expected_totals(missing, rng):
    X = noisy_ensemble(missing=missing).X
    weights = rng.random(X.shape[1]) + 0.1
    C, N = twins.coassociation(X, weights)
    A = through_labels(as_ensemble(X, weights))
    observed = (X >= 0) @ weights
    assert np.allclose((A @ A.T).toarray(), C * weights.sum() / np.outer(observed, observed))
    if missing == 0:
        assert np.allclose((A @ A.T).toarray(), C / N)
