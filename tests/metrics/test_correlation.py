"""Goodman and Kruskal's gamma and its weighted form (eqs. I40, I41, I42, I43, I44)."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy.stats import kendalltau

from partita._kernels import internal
from partita.metrics import goodman_kruskal_score, weighted_goodman_kruskal_score

two_series = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*(npst.arrays(np.int64, n, elements=st.integers(-4, 4)) for _ in range(2)))
)
both_ties = pytest.mark.parametrize("double_ties", ["concordant", "neutral"])
both_scores = pytest.mark.parametrize("score", [goodman_kruskal_score, weighted_goodman_kruskal_score])


def correlate_slowly(a, b, double_ties):
    """GK and WGK by a loop over pairs, straight from the definition."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    gk = wgk = below = 0.0
    for i, j in combinations(range(len(a)), 2):
        gap_a, gap_b = a[i] - a[j], b[i] - b[j]
        if gap_a == 0 and gap_b == 0:
            w = w_hat = float(double_ties == "concordant")
        elif gap_a == 0 or gap_b == 0:
            w = w_hat = 0.0
        else:
            r = (gap_a / np.ptp(a)) / (gap_b / np.ptp(b))
            w = np.sign(r)
            w_hat = min(r, 1 / r) if r > 0 else max(r, 1 / r)
        gk, wgk, below = gk + w, wgk + w_hat, below + abs(w)
    return (gk / below, wgk / below) if below else (0.0, 0.0)


@both_ties
@given(pair=two_series)
def test_scores_are_loops_over_pairs(double_ties, pair):
    gk, wgk = correlate_slowly(*pair, double_ties)
    assert goodman_kruskal_score(*pair, double_ties) == pytest.approx(gk, abs=1e-12)
    assert weighted_goodman_kruskal_score(*pair, double_ties) == pytest.approx(wgk, abs=1e-12)


@both_ties
@given(pair=two_series, slope=st.sampled_from([0.25, 1.0, 3.0]), shift=st.integers(-9, 9))
def test_symmetry_bound_and_affine_maps(double_ties, pair, slope, shift):
    a, b = pair
    for score in (goodman_kruskal_score, weighted_goodman_kruskal_score):
        value = score(a, b, double_ties)
        assert abs(value) <= 1 + 1e-12
        assert score(b, a, double_ties) == pytest.approx(value, abs=1e-12)
        assert score(slope * a + shift, b, double_ties) == pytest.approx(value, abs=1e-12)
        order = np.argsort(b, kind="stable")
        assert score(a[order], b[order], double_ties) == pytest.approx(value, abs=1e-12)
        if double_ties == "neutral":
            assert score(-slope * a, b, double_ties) == pytest.approx(-value, abs=1e-12)


def test_scores_of_squares_and_reversals_by_hand():
    numbers = np.arange(1, 5)
    by_hand = (3 / 5 + 1 + 5 / 7 + 4 / 5 + 5 / 6 + 1) / 6  # 0.825
    assert weighted_goodman_kruskal_score(numbers, numbers**2) == pytest.approx(by_hand, abs=1e-12)
    assert goodman_kruskal_score(numbers, numbers**2) == 1
    assert weighted_goodman_kruskal_score(numbers, 7 - 2 * numbers) == pytest.approx(-1)
    assert goodman_kruskal_score(numbers, numbers[::-1]) == -1


@both_scores
def test_with_ties_values_of_one_do_not_mean_affine(score):
    """Neutral pairs hide what is not affine; pairs tied in both count as ordered alike, even in a decreasing map."""
    assert score([0, 0, 1], [0, 1, 1]) == 1
    assert score([1, 1, 2], [2, 2, 1]) == pytest.approx(-1 / 3)
    assert score([1, 1, 2], [2, 2, 1], "neutral") == -1


@both_scores
def test_pairs_that_cannot_be_compared_count_as_nothing(score):
    assert score([1], [2]) == 0
    assert score([1, 1], [1, 2]) == 0  # all pairs neutral
    assert score([1, 1], [2, 2]) == 1
    assert score([1, 1], [2, 2], double_ties="neutral") == 0


def test_without_ties_gamma_is_kendalls_tau(rng):
    a, b = rng.normal(size=(2, 600))
    assert goodman_kruskal_score(a, b) == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)


@both_scores
def test_threads_and_blocks_change_nothing(score, rng):
    a, b = rng.normal(size=700), rng.integers(5, size=700)
    assert score(a, b, n_jobs=2) == score(a, b, n_jobs=1)


def test_kernel_is_its_twin(rng):
    a, b = rng.integers(6, size=(2, 40)).astype(float)
    n_pairs, weighted = np.empty((30, 3), dtype=np.int64), np.empty(30)
    internal.concordance_rows(a, b, np.ptp(a), np.ptp(b), 10, 40, n_pairs, weighted)
    for i in range(10, 40):
        products = np.sign(a[i] - a[i + 1 :]) * np.sign(b[i] - b[i + 1 :])
        tied = (a[i] == a[i + 1 :]) & (b[i] == b[i + 1 :])
        assert n_pairs[i - 10].tolist() == [(products > 0).sum(), (products < 0).sum(), tied.sum()]
        x, y = np.abs(a[i] - a[i + 1 :]) / np.ptp(a), np.abs(b[i] - b[i + 1 :]) / np.ptp(b)
        ratio = np.divide(np.minimum(x, y), np.maximum(x, y), out=np.zeros(len(x)), where=np.maximum(x, y) > 0)
        assert weighted[i - 10] == pytest.approx((products * ratio).sum(), abs=1e-12)


@both_scores
def test_numbers_of_any_size(score):
    huge, tiny = np.array([-1.7e308, 0.0, 1.7e308]), np.array([0.0, 5e-324, 1e-323])
    assert score(huge, [1, 2, 3]) == pytest.approx(1)
    assert score(tiny, [1, 2, 3]) == pytest.approx(1)
    assert np.isfinite(score([0.0, 5e-324, 1.7e308], [0.0, 5e-324, 1.7e308]))
    near = [1.0, np.nextafter(1.0, 2.0), 2.0]
    assert score(near, near) == pytest.approx(1)


@both_scores
def test_wrong_series_and_ties_are_refused(score):
    with pytest.raises(ValueError, match="double_ties='half' is not known; choose 'concordant' or 'neutral'"):
        score([1, 2], [1, 2], "half")
    with pytest.raises(ValueError, match="a has 2 values and b has 3; pass two series of equal length"):
        score([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match=r"b\[1\] is NaN; drop missing values first"):
        score([1, 2], [1, np.nan])
    with pytest.raises(ValueError, match=r"a\[0\] is infinite"):
        score([np.inf, 2], [1, 2])
    with pytest.raises(ValueError, match="a must be numbers, received"):
        score(["x", "y"], [1, 2])
    with pytest.raises(ValueError, match=r"b has shape \(1, 2\)"):
        score([1, 2], [[1, 2]])
    with pytest.raises(ValueError, match=r"a has shape \(0,\); pass a series of at least one number"):
        score([], [])
