"""The papers' greedy steps: the largest gap, gradients that never drift, and the same end as by blocks."""

import numpy as np
import pytest

from partita import PCC, coassociation
from partita._kernels import pcc_pairs
from partita.consensus.pcc._stored_pairs import all_pairs, chosen_pairs
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble

both = pytest.mark.parametrize("divergence", ["kl", "l2"])


@both
@pytest.mark.parametrize("sparse_pairs", [False, True])
def test_greedy_takes_the_largest_gap_and_never_drifts(divergence, sparse_pairs, rng):
    """Step by step: the row chosen is the one a full scan finds; gradients kept up to date equal those from scratch
    (eqs. P27, P29).
    """
    X = noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X
    ensemble = reference.rows_of(X)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    if sparse_pairs:
        counts = coassociation(X, form="pairs", pairs=0.5, random_state=0)
        run = chosen_pairs(counts, ensemble, reference.KINDS[divergence]).start_at(Y)
    else:
        run = all_pairs(ensemble, 3, reference.KINDS[divergence]).start_at(Y)
    tree, gradient = np.empty(64), np.empty((3, len(X)))
    pcc_pairs.start_greedy(run.problem.pairs, run.Y_t, run.row, tree, gradient)
    chosen, gaps = np.empty(1, np.int64), np.empty(len(X))
    before = run.objective()
    n_steps = 0
    while n_steps < 500:
        run.sweep(np.arange(len(X)), np.inf, gaps)
        if pcc_pairs.greedy_pairs(run.problem.pairs, run.Y_t, run.row, tree, gradient, 1e-9, 1, chosen) == 0:
            break
        n_steps += 1
        assert gaps[chosen[0]] == pytest.approx(gaps.max(), rel=1e-6, abs=1e-9)
        now = run.objective()
        assert now <= before + 1e-10 * abs(before)
        before = now
    fresh_tree, fresh = np.empty(64), np.empty((3, len(X)))
    pcc_pairs.start_greedy(run.problem.pairs, run.Y_t, run.row, fresh_tree, fresh)
    assert n_steps > 50
    assert np.allclose(gradient, fresh, rtol=1e-8, atol=1e-8)
    assert np.allclose(run.Y.sum(axis=1), 1, atol=1e-12)
    assert run.Y.min() >= 0


@both
def test_block_reaches_what_greedy_reaches(divergence):
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=15, flip=0.2, missing=0.2).X
    start = PCC(3, divergence="l2", random_state=0).fit(X).membership_ * 0.8 + 0.2 / 3
    greedy = PCC(3, divergence=divergence, solver="greedy", init=start, tol=1e-6, max_iter=10**6).fit(X)
    block = PCC(3, divergence=divergence, init=start, tol=1e-6).fit(X)
    assert block.objective_ == pytest.approx(greedy.objective_, rel=1e-6)
