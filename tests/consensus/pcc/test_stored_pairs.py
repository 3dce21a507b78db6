"""PCC on stored pairs: line searches, dense against sparse, real weights, memory."""

import numpy as np
import pytest
from scipy import sparse

from partita import PCC
from partita._kernels import pcc_blocks, pcc_pairs
from partita.consensus.pcc._stored_pairs import _plain
from partita.exceptions import NotEnoughMemoryError
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble

both = pytest.mark.parametrize("divergence", ["kl", "l2"])
over_all_pairs = pytest.mark.parametrize("case", reference.OVER_ALL_PAIRS)


@both
@pytest.mark.parametrize("copies", [0.0, 6.0])
def test_line_search_of_blocks_never_raises_the_bound(divergence, copies, rng):
    """Slopes and second derivatives by differences; the step ends where the sum is lower (eq. P59)."""
    kind, m, square = reference.KINDS[divergence], 40, 0.6
    for _ in range(20):
        n = rng.integers(1, 9, size=m).astype(float)
        c = np.minimum(rng.integers(0, 9, size=m), n)
        a, e = rng.uniform(0.21, 0.79, size=m), rng.uniform(-0.2, 0.2, size=m)
        own_e = rng.uniform(-0.5, 0.3)
        row = pcc_blocks.block_row(m, 1, dense=True)._replace(c=c, d=n - c, a=a, e=e)

        def value(eps, c=c, n=n, a=a, e=e, own_e=own_e):
            own = 0.5 * pcc_pairs._value(kind, copies, copies, square + eps * own_e)
            return own + sum(pcc_pairs._value(kind, *entry) for entry in zip(c, n, a + eps * e, strict=True))

        slopes, bends = np.transpose(
            [pcc_blocks._derivatives_at(kind, row, m, copies, square, own_e, eps) for eps in (0.0, 0.3, 1.0)]
        )
        for eps, slope, bend in zip((0.0, 0.3, 1.0), slopes, bends, strict=True):
            assert slope == pytest.approx((value(eps + 1e-6) - value(eps - 1e-6)) / 2e-6, rel=1e-4, abs=1e-3)
            ahead, behind = value(eps + 1e-4), value(eps - 1e-4)
            assert bend == pytest.approx((ahead - 2 * value(eps) + behind) / 1e-8, rel=1e-3)
        assert (np.diff(slopes) >= 0).all()
        if slopes[0] < 0:
            step = pcc_blocks._line_search(kind, row, m, copies, square, own_e, slopes[0], bends[0])
            assert 0 < step <= 1
            assert value(step) <= value(0.0)
            assert value(1.0) - value(0.0) <= slopes[0] + bends[0] / 3 + bends[2] / 6 + 1e-9


@both
def test_all_pairs_stored_are_all_pairs(divergence, rng):
    """Sparse with every pair = dense over objects, from the same start."""
    X = noisy_ensemble(sizes=(12, 9, 6), n_clusterings=7, missing=0.2).X
    X = np.unique(X, axis=0)
    init = rng.dirichlet(np.ones(3), size=len(X))
    dense = PCC(3, divergence=divergence, init=init, solver="greedy").fit(X)
    everything = sparse.csr_array(np.ones((len(X), len(X))))
    stored = PCC(3, divergence=divergence, init=init, solver="greedy", pairs=everything).fit(X)
    assert dense.n_iter_ == stored.n_iter_
    assert np.allclose(dense.membership_, stored.membership_, atol=1e-9)
    block = PCC(3, divergence=divergence, init=init, pairs=everything).fit(X)
    assert block.objective_ == pytest.approx(dense.objective_, rel=1e-5)


@over_all_pairs
def test_real_weights_of_clusterings(case, rng):
    """Sums of real weights round; where all clusterings agree that must not look like a doubt."""
    X = reference.copied(rng)
    for seed in range(4):
        weights = np.random.default_rng(seed).uniform(0.5, 3, size=X.shape[1])
        model = PCC(4, weights=weights, random_state=0, n_init=1, **reference.CONFIGURATIONS[case]).fit(X)
        C, N = reference.counts(X, weights)
        C = np.where(N - C <= 1e-12 * N, N, C)
        assert model.converged_
        kind = reference.divergence_of(case)
        assert model.objective_ == pytest.approx(reference.objective(kind, C, N, model.membership_), rel=1e-8)
        assert model.kkt_gap_ == pytest.approx(reference.kkt_gap(kind, C, N, model.membership_), abs=1e-8)


@pytest.mark.parametrize("light", [5e-9, 1e-10, 1e-12, 1e-14, 1e-20, 1e-200])
@pytest.mark.parametrize("options", [{}, {"solver": "greedy"}, {"pairs": 8}])
def test_clustering_of_negligible_weight_does_no_harm(light, options):
    """KL is infinite where y_i.y_j = 0 and C_ij > 0, however small C_ij is: such pairs do not count (eq. P39)."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((25, 4)) < 0.3, -1, rng.integers(0, 3, (25, 4)))
        X[(X < 0).all(axis=1), 1] = 0
        model = PCC(3, weights=[light, 1, 1, 1], random_state=seed, n_init=2, **options).fit(X)
        history = np.array(model.history_)
        assert model.converged_
        assert np.isfinite(history).all()
        assert (np.diff(history) <= 1e-12 * history[:-1]).all()
        if not options:
            C, N = reference.counts(X, np.array([0.0, 1, 1, 1]))
            assert model.objective_ == pytest.approx(reference.objective("kl", C, N, model.membership_), rel=1e-7)


def test_only_negligible_pairs_and_shares_are_changed():
    C, N = np.array([[0.5, 1e-9, 2e-8, 1e-9, 1.0]]), np.array([[1.0, 1.0, 2e-8, 1e-9, 1.0 + 1e-9]])
    given = C.copy(), N.copy()
    plain_C, plain_N = _plain(C, N)
    assert plain_C.tolist() == [[0.5, 0.0, 2e-8, 0.0, 1.0 + 1e-9]]
    assert plain_N.tolist() == [[1.0, 1.0, 2e-8, 0.0, 1.0 + 1e-9]]
    assert np.array_equal(C, given[0])
    assert np.array_equal(N, given[1])


def test_more_pairs_than_memory_is_refused_and_l2_is_not(X, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "10kB")
    with pytest.raises(
        NotEnoughMemoryError, match=r"all pairs of 60 distinct rows needs .* pairs=30 .* divergence='l2'"
    ):
        PCC(3, init="random", random_state=0).fit(X)
    PCC(3, divergence="l2", random_state=0).fit(X)
