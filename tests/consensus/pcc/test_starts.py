"""Where PCC starts: never at the uniform point, and where the user says."""

import numpy as np
import pytest

from partita import PCC
from partita.consensus.pcc import _starts as starts
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble

both = pytest.mark.parametrize("divergence", ["kl", "l2"])


@both
def test_the_uniform_point_is_stationary_and_no_start_is_there(divergence):
    """A gap of 0 is not enough: the objective there is far above what a start reaches (eq. C24)."""
    X = noisy_ensemble(missing=0.1).X
    C, N = reference.counts(X)
    uniform = np.full((len(X), 3), 1 / 3)
    assert reference.kkt_gap(divergence, C, N, uniform) < 1e-12
    stuck = PCC(3, divergence=divergence, init=uniform).fit(X)
    assert stuck.kkt_gap_ < 1e-12
    for init in ("auto", "random", "insertion", "l2", "eac"):
        found = PCC(3, divergence=divergence, init=init, random_state=0).fit(X)
        assert found.objective_ < 0.67 * stuck.objective_


def test_an_interior_start_is_taken_as_it_is(X, rng):
    init = rng.dirichlet(np.ones(3), size=len(X))
    X, first = np.unique(X, axis=0, return_index=True)
    model = PCC(3, init=init[first]).fit(X)
    assert model.history_[0] == pytest.approx(reference.objective("kl", *reference.counts(X), init[first]))


def test_starts_of_the_users_own(X, truth):
    by_labels = PCC(3, init=truth).fit(X)
    by_membership = PCC(3, init=np.eye(3)[truth]).fit(X)
    assert np.array_equal(by_labels.membership_, by_membership.membership_)
    with pytest.raises(ValueError, match=r"init has shape \(4,\); pass one of 'random'"):
        PCC(3, init=[0, 1, 2, 0]).fit(X)
    with pytest.raises(ValueError, match="init has 3 clusters, more than n_clusters=2; raise n_clusters"):
        PCC(2, init=truth).fit(X)
    with pytest.raises(ValueError, match="not probabilities"):
        PCC(3, init=np.ones((len(X), 3))).fit(X)


@pytest.mark.parametrize("name", starts.NAMES)
def test_starts_are_memberships(name):
    ensemble = reference.rows_of(np.unique(noisy_ensemble(missing=0.2).X, axis=0))
    Y = starts.start_memberships(name, ensemble, 4, 0)
    assert Y.shape == (ensemble.n_rows, 4)
    assert np.allclose(Y.sum(axis=1), 1)
    assert (Y >= 0).all()
    assert np.array_equal(Y, starts.start_memberships(name, ensemble, 4, 0))
    assert (name == "eac") == np.array_equal(Y, starts.start_memberships(name, ensemble, 4, 1))
    assert (starts.smooth(Y) > 0).all()
    assert np.allclose(starts.smooth(Y).sum(axis=1), 1)
