"""The papers' greedy steps: the largest gap, gradients that never drift, and the same end as by blocks."""

import numpy as np
import pytest

from partita import PCC, coassociation
from partita._kernels import pcc_greedy, pcc_pairs
from partita.consensus.pcc._greedy import make_steps
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
    gaps = np.empty(len(X))
    step = make_steps(run.problem, run, limit=1e-9, at_once=1)
    before, n_steps = run.objective(), 0
    while n_steps < 500:
        run.sweep(np.arange(len(X)), np.inf, gaps)
        at = run.Y
        done, largest = step(1)
        assert largest == pytest.approx(gaps.max(), rel=1e-6, abs=1e-9)
        if done == 0:
            break
        n_steps += 1
        moved = np.flatnonzero((at != run.Y).any(axis=1))
        assert len(moved) == 1
        assert gaps[moved[0]] == pytest.approx(gaps.max(), rel=1e-6, abs=1e-9)
        now = run.objective()
        assert now <= before + 1e-10 * abs(before)
        before = now
    assert n_steps > 50
    assert np.allclose(run.Y.sum(axis=1), 1, atol=1e-12)
    assert run.Y.min() >= 0


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_over_all_pairs_never_drift(divergence, weighted, rng):
    """Kept up to date over hundreds of steps = computed from scratch, with copies and weights of rows (eq. P29)."""
    X = noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X
    ensemble = reference.rows_of(X, rng.integers(1, 5, size=len(X)) if weighted else None)
    run = all_pairs(ensemble, 3, reference.KINDS[divergence]).start_at(rng.dirichlet(np.ones(3), size=len(X)))
    work = pcc_greedy.GreedyWork(*(np.empty(len(X)) for _ in range(6)))
    kept, fresh = np.empty((3, len(X))), np.empty((3, len(X)))
    chosen, stop = np.empty(300, np.int64), np.zeros(1, dtype=np.uint8)
    done, _ = pcc_greedy.greedy_all(run.problem.pairs, run.Y_t, work, kept, 1e-9, 300, chosen, stop)
    pcc_greedy.greedy_all(run.problem.pairs, run.Y_t, work, fresh, 1e-9, 0, chosen, stop)
    assert done > 50
    assert np.allclose(kept, fresh, rtol=1e-8, atol=1e-8)


@both
def test_a_step_over_chosen_pairs_changes_only_what_neighbours_know(divergence, rng):
    """Gradients and heap after many steps at once = from scratch; a step touches the row and its neighbours only."""
    X = noisy_ensemble(sizes=(30, 20, 14), n_clusterings=6).X
    counts = coassociation(X, form="pairs", pairs=8, random_state=0)
    problem = chosen_pairs(counts, reference.rows_of(X), reference.KINDS[divergence])
    Y, n = rng.dirichlet(np.ones(3), size=len(X)), len(X)
    work = pcc_greedy.GreedyWork(*(np.empty(problem.longest) for _ in range(6)))
    heap, gradient, chosen = np.empty(2 * 64), np.empty((n, 3)), np.empty(200, np.int64)
    stop = np.zeros(1, dtype=np.uint8)
    steps = [problem.pairs, Y, work, heap, gradient, 1e-12]
    pcc_greedy.greedy_chosen(*steps, 0, chosen, stop)
    first = gradient.copy()
    pcc_greedy.greedy_chosen(*steps, 1, chosen, stop)
    near = np.append(
        counts.counts.indices[counts.counts.indptr[chosen[0]] : counts.counts.indptr[chosen[0] + 1]], chosen[0]
    )
    assert set(np.flatnonzero((gradient != first).any(axis=1))) <= set(near)
    pcc_greedy.greedy_chosen(*steps, 200, chosen, stop)
    kept, kept_heap = gradient.copy(), heap.copy()
    pcc_greedy.greedy_chosen(*steps, 0, chosen, stop)
    assert np.allclose(kept, gradient, rtol=1e-8, atol=1e-8)
    assert np.allclose(kept_heap[1:], heap[1:], rtol=1e-6, atol=1e-8)


@both
@pytest.mark.parametrize("copies", [0.0, 12.0])
def test_length_of_a_step(divergence, copies, rng):
    """Slope and bend are derivatives; the step ends left of the root, at the closed form for l2 (eqs. P27, P28)."""
    kind, m = reference.KINDS[divergence], 40
    n = rng.integers(1, 9, size=m).astype(float)
    c = np.minimum(rng.integers(0, 9, size=m), n)
    a, e, w = rng.uniform(0.2, 0.8, size=m), rng.uniform(-0.19, 0.19, size=m), rng.uniform(0.5, 3, size=m)
    work, own = pcc_greedy.GreedyWork(c, n, w, e, a, np.empty(m)), np.array([copies, 0.5, 0.3])

    def value(eps):
        pairs = sum(w[j] * pcc_pairs._value(kind, c[j], n[j], a[j] + eps * e[j]) for j in range(m))
        return pairs + 0.5 * pcc_pairs._value(kind, copies, copies, 0.5 + eps * 0.3)

    def slope_and_bend(eps):
        return pcc_greedy._slope_and_bend(kind, work, m, own, eps)

    for eps in np.linspace(0, 1, 11):
        slope, bend = slope_and_bend(eps)
        assert slope == pytest.approx((value(eps + 1e-6) - value(eps - 1e-6)) / 2e-6, rel=1e-4, abs=1e-4)
        near = slope_and_bend(eps + 1e-6)[0] - slope_and_bend(eps - 1e-6)[0]
        assert bend == pytest.approx(near / 2e-6, rel=1e-4, abs=1e-4)
    if slope_and_bend(0.0)[0] > 0:
        e *= -1
        own[2] *= -1
    first, bend = slope_and_bend(0.0)
    found = pcc_greedy._step_length(kind, work, m, own, 1.0, -first)
    last = slope_and_bend(found)[0]
    assert last <= 0
    assert found == 1 or last >= 0.011 * first
    if divergence == "l2" and found < 1:
        assert found == pytest.approx(-first / bend, rel=0.011)


@both
@pytest.mark.parametrize("sparse_pairs", [False, True])
def test_a_step_ends_left_of_the_lowest_point(divergence, sparse_pairs, rng):
    """At the end of a step the slope along it is at most 1 % of the first and not positive, or the cluster is empty."""
    X = noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X
    C, N = reference.counts(X)
    counts = coassociation(X, form="pairs", pairs=1.0, random_state=0)
    ensemble, kind = reference.rows_of(X), reference.KINDS[divergence]
    problem = chosen_pairs(counts, ensemble, kind) if sparse_pairs else all_pairs(ensemble, 3, kind)
    run = problem.start_at(rng.dirichlet(np.ones(3), size=len(X)))
    step = make_steps(problem, run, limit=1e-9, at_once=1)
    for _ in range(40):
        at = run.Y
        step(1)
        row = int(np.flatnonzero((at != run.Y).any(axis=1))[0])
        change = run.Y[row] - at[row]
        first = reference.gradient(divergence, C, N, at)[row] @ change
        last = reference.gradient(divergence, C, N, run.Y)[row] @ change
        emptied = run.Y[row][change < 0].max() == 0
        assert last <= 1e-9 * abs(first)
        assert emptied or last >= 0.011 * first


@both
def test_block_reaches_what_greedy_reaches(divergence):
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=15, flip=0.2, missing=0.2).X
    start = PCC(3, divergence="l2", random_state=0).fit(X).membership_ * 0.8 + 0.2 / 3
    greedy = PCC(3, divergence=divergence, solver="greedy", init=start, tol=1e-6, max_iter=10**6).fit(X)
    block = PCC(3, divergence=divergence, init=start, tol=1e-6).fit(X)
    assert block.objective_ == pytest.approx(greedy.objective_, rel=1e-6)
