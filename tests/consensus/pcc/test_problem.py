"""Every form of the problem against the definition, and the descent by blocks that solves all of them."""

import numpy as np
import pytest

from partita import coassociation
from partita._kernels import pcc_pairs
from partita.consensus.pcc._custom import custom_space
from partita.consensus.pcc._label_space import constant_of_l2, label_space
from partita.consensus.pcc._problem import descend
from partita.consensus.pcc._stored_pairs import all_pairs, chosen_pairs
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import SquaredEuclidean
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("divergence", ["kl", "l2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_problem_knows_its_gap_and_its_objective(divergence, weighted, rng):
    """Gaps of all rows: dense, sparse and through the labels, against the full problem over all objects."""
    X, ensemble, Y, expected, objective, scale = reference.placed_rows(divergence, weighted, rng)
    everything, gaps = np.arange(len(X)), np.empty(len(X))
    problem = all_pairs(ensemble, 3, reference.KINDS[divergence])
    dense = problem.start_at(Y)
    dense.sweep(everything, np.inf, gaps)
    assert np.allclose(gaps, expected, rtol=1e-9)
    assert problem.scale == pytest.approx(scale)
    assert dense.objective() == pytest.approx(objective, rel=1e-12)
    if divergence == "l2":
        labels = label_space(ensemble).start_at(Y)
        labels.sweep(everything, np.inf, gaps)
        assert np.allclose(gaps, expected, rtol=1e-9)
        assert labels.objective() + constant_of_l2(ensemble) == pytest.approx(dense.objective(), rel=1e-12)
    if not weighted:
        pattern = coassociation(X, form="pairs", pairs=1.0)
        stored = chosen_pairs(pattern, ensemble, reference.KINDS[divergence]).start_at(Y)
        stored.sweep(everything, np.inf, gaps)
        assert np.allclose(gaps, expected, rtol=1e-9)
        assert stored.objective() == pytest.approx(dense.objective(), rel=1e-12)


@pytest.mark.parametrize("make", [lambda rows: all_pairs(rows, 3, pcc_pairs.L2), label_space, custom_space])
def test_runs_of_one_problem_are_independent(make, rng):
    """A run moves its own memberships: not those it was given, and not those of other runs."""
    ensemble = reference.rows_of(np.unique(noisy_ensemble(missing=0.2).X, axis=0))
    problem = make(SquaredEuclidean(), ensemble) if make is custom_space else make(ensemble)
    Y = rng.dirichlet(np.ones(3), size=ensemble.n_rows)
    before, gaps = Y.copy(), np.empty(len(Y))
    one, other = problem.start_at(Y), problem.start_at(Y)
    start = other.objective()
    one.sweep(np.arange(len(Y)), 0.0, gaps)
    assert one.objective() < start
    assert np.array_equal(Y, before)
    assert np.array_equal(other.Y, before)
    assert other.objective() == start


def test_the_end_is_only_accepted_after_a_full_check():
    """A run whose skipped rows go wrong meanwhile: the last gap that counts is that of all rows at once (eq. P30)."""

    class Treacherous:
        scale, isolated = 1.0, np.zeros(5, dtype=bool)
        Y = np.full((5, 2), 0.5)
        sweeps = 0

        def sweep(self, rows, threshold, gaps):
            self.sweeps += 1
            if threshold == np.inf:
                gaps[:] = 0.5 if self.sweeps > 20 else 2.0
            else:
                gaps[rows] = 0.1

        def objective(self):
            return 1.0

        def refresh(self):
            pass

    run = Treacherous()
    found = descend(run, run, tol=1.0, max_iter=100)
    assert found.converged
    assert found.gap == 0.5
    assert run.sweeps > 20
    assert found.n_iter < 100
    stopped = descend(run, run, tol=0.2, max_iter=3)
    assert not stopped.converged
    assert stopped.n_iter == 3
    assert stopped.gap == 0.5
