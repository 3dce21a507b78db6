"""Mean ranks and their critical difference."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from scipy import stats

from partita import combine
from partita.metrics import normalized_mutual_info_score
from partita.plotting import RankDisplay
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible

# Demsar 2006, table 5 (a): q of the test of Nemenyi for 2 to 10 methods
_Q = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def _scores(n, k, seed=0, best=1.0):
    noise = np.random.default_rng(seed).normal(size=(n, k))
    return pd.DataFrame(noise + np.linspace(0, best, k), columns=[f"method {j}" for j in range(k)])


@pytest.mark.parametrize("alpha", _Q)
def test_critical_differences_are_those_of_the_published_table(alpha):
    for k, q in zip(range(2, 11), _Q[alpha], strict=True):
        display = RankDisplay([str(j) for j in range(k)], np.arange(k), 30, alpha=alpha)
        assert display.critical_difference / np.sqrt(k * (k + 1) / (6 * 30)) == pytest.approx(q, abs=0.0015)


def test_groups_of_four_methods_worked_out_by_hand():
    """2.291 sqrt(4 * 5 / (6 * 14)) = 1.118: the first three are nearer to each other, and so are the last two."""
    ranks = {"tree": 3.143, "tree+m": 2.000, "tree+cf": 2.893, "tree+m+cf": 1.964}
    display = RankDisplay(list(ranks), list(ranks.values()), 14, alpha=0.10)
    assert display.critical_difference == pytest.approx(1.12, abs=0.01)
    assert display.names == ["tree+m+cf", "tree+m", "tree+cf", "tree"]
    assert display.groups == [(0, 2), (2, 3)]  # the last one differs from the first two


def test_ranks_are_those_of_scipy_and_ties_share_theirs():
    scores = _scores(25, 5).round(0)
    display = RankDisplay.from_scores(scores)
    expected = stats.rankdata(-scores.to_numpy(), axis=1).mean(axis=0)
    order = np.argsort(expected, kind="stable")
    np.testing.assert_allclose(display.mean_ranks, expected[order])
    assert display.names == [f"method {j}" for j in order]
    lower = RankDisplay.from_scores(scores, higher_is_better=False)
    np.testing.assert_allclose(sorted(lower.mean_ranks), sorted(6 - expected))


@pytest.mark.parametrize("digits", [0, 5])
@pytest.mark.parametrize("k", [3, 6])
def test_friedman_is_that_of_scipy(k, digits):
    scores = _scores(20, k).round(digits)
    assert RankDisplay.from_scores(scores).p_value == pytest.approx(
        stats.friedmanchisquare(*scores.to_numpy().T).pvalue
    )


def test_friedman_of_two_methods_and_of_ties_only():
    two = pd.DataFrame({"a": np.arange(10.0), "b": np.arange(10.0) + np.where(np.arange(10) < 8, 1, -1)})
    assert RankDisplay.from_scores(two).p_value == pytest.approx(stats.chi2.sf((8 - 2) ** 2 / 10, 1))
    assert RankDisplay.from_scores({"a": [1, 1], "b": [1, 1]}).p_value == 1.0


def test_groups_are_the_largest_runs_that_do_not_differ(rng):
    for _ in range(50):
        ranks = np.sort(rng.uniform(1, 9, 9))
        display = RankDisplay([str(j) for j in range(9)], ranks, int(rng.integers(5, 200)))
        runs = {
            (i, j)
            for i in range(9)
            for j in range(i + 1, 9)
            if ranks[j] - ranks[i] < display.critical_difference
        }  # fmt: skip
        largest = [(i, j) for i, j in runs if (i - 1, j) not in runs and (i, j + 1) not in runs]
        assert display.groups == sorted(largest)


def test_rows_with_a_missing_score_are_left_out_and_counted():
    scores = _scores(10, 3)
    holes = scores.copy()
    holes.iloc[2, 1] = np.nan
    holes.iloc[5, 0] = np.inf
    display = RankDisplay.from_scores(holes)
    expected = RankDisplay.from_scores(scores.drop(index=[2, 5]))
    np.testing.assert_allclose(display.mean_ranks, expected.mean_ranks)
    assert display.n_datasets == 8
    assert display.note == "2 rows with a missing score left out"


def test_polars_frames_are_read():
    scores = _scores(10, 3)
    assert RankDisplay.from_scores(pl.DataFrame(scores.to_dict("list"))).names == RankDisplay.from_scores(scores).names


def test_methods_are_ranked_by_their_agreement_with_the_clusterings():
    X = noisy_ensemble(flip=0.3).X
    display = RankDisplay.from_labels(X, ["eac", "voting", "mm"], n_clusters=3)
    scores = {}
    for method in ("eac", "voting", "mm"):
        labels = combine(X, method=method, n_clusters=3, random_state=0).labels
        scores[method] = [normalized_mutual_info_score(c[c >= 0], labels[c >= 0]) for c in X.T]
    ranks = pd.DataFrame(scores).rank(axis=1, ascending=False).mean().sort_values()
    np.testing.assert_allclose(display.mean_ranks, ranks)
    assert display.n_datasets == X.shape[1]
    assert "not independent" in display.note
    assert np.isnan(display.p_value)


def test_default_methods_are_six_and_one_clustering_is_enough():
    display = RankDisplay.from_labels(noisy_ensemble(n_clusterings=5).X, n_clusters=3)
    assert len(display.names) == 6
    assert_legible(display.plot().figure_)


@pytest.mark.parametrize(("n", "k"), [(1, 2), (12, 2), (14, 5), (5, 30), (60, 30), (2000, 30)])
def test_every_number_of_methods_is_legible(n, k):
    display = RankDisplay.from_scores(_scores(n, k, best=k / 6)).plot()
    words = " ".join(text for text, _ in assert_legible(display.figure_))
    assert all(name in words for name in display.names)


def test_long_names_with_dollars_are_legible():
    scores = _scores(12, 7)
    scores.columns = ["$\\frac{", "_", *(f"a method of which the name never ends {j}" for j in range(5))]
    assert_legible(RankDisplay.from_scores(scores).plot().figure_)


def test_bars_and_ruler_are_as_long_as_the_ranks():
    display = RankDisplay.from_scores(_scores(30, 6, best=3)).plot()
    bars = [line for line in display.ax_.lines if line.get_linewidth() == 3]
    assert len(bars) == len(display.groups)
    for line, (first, last) in zip(bars, display.groups, strict=True):
        ends = display._at(display.mean_ranks[[first, last]])
        np.testing.assert_allclose(line.get_xdata(), ends + [-3, 3])
    ruler = next(line for line in display.ax_.lines if line.get_linewidth() == 1.5)
    per_rank = display._at(2.0) - display._at(1.0)
    assert np.ptp(ruler.get_xdata()) == pytest.approx(display.critical_difference * per_rank)


def test_given_axes_are_used():
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained")
    RankDisplay.from_scores(_scores(14, 5)).plot(axes[0])
    RankDisplay.from_scores(_scores(14, 20)).plot(axes[1])
    assert_legible(figure)


def test_wrong_scores_are_refused(X):
    with pytest.raises(ValueError, match="two at least"):
        RankDisplay.from_scores({"a": [1, 2]})
    with pytest.raises(ValueError, match="must be numbers"):
        RankDisplay.from_scores({"a": ["x"], "b": [1]})
    with pytest.raises(ValueError, match="no row of the 1"):
        RankDisplay.from_scores({"a": [np.nan], "b": [1]})
    with pytest.raises(ValueError, match="alpha=1"):
        RankDisplay.from_scores({"a": [1], "b": [1]}, alpha=1)
    with pytest.raises(ValueError, match="at least two"):
        RankDisplay.from_labels(X, ["eac"])
    with pytest.raises(ValueError, match="one rank per name"):
        RankDisplay(["a", "b"], [1.0], 3)
