"""l2 through the labels: insertion in stages, and the part of f that does not depend on Y."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.pcc import _label_space as module
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble


def test_rows_that_enter_in_stages_are_all_placed(monkeypatch, rng):
    monkeypatch.setattr(module, "_STAGES", (10, 25))
    X = rng.integers(-1, 3, size=(60, 8)).astype(np.int32)
    ensemble = Ensemble(X, np.full(8, 3), np.ones(8), np.ones(60))
    run = module.label_space(ensemble).start_by_insertion(3, 0)
    assert np.allclose(run.Y.sum(axis=1), 1)
    running = [np.array(part) for part in run.sums]
    run.refresh()
    for kept, anew in zip(running, run.sums, strict=True):
        assert np.allclose(kept, anew)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_constant_is_what_f_has_at_zero(missing, rng):
    """sum of C^2 / N over all pairs of objects, from weighted rows (eq. P31)."""
    X = np.unique(noisy_ensemble(missing=missing).X, axis=0)
    weight = rng.integers(1, 4, size=len(X))
    C, N = reference.counts(np.repeat(X, weight, axis=0))
    i, j = np.nonzero(np.triu(N > 0, 1))
    expected = (C[i, j] ** 2 / N[i, j]).sum()
    assert module.constant_of_l2(reference.rows_of(X, weight)) == pytest.approx(expected)
