"""Profiles of confidence."""

import numpy as np
import pytest
from matplotlib import pyplot

from partita.plotting import UncertaintyDisplay
from partita.results import ConsensusResult
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


def _result(sizes, *, unlabelled=0, wrong=0.1, seed=0):
    made = noisy_ensemble(sizes, 20, 0.2, 0.1, seed)
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(len(made.X)) < wrong, rng.integers(len(sizes), size=len(made.X)), made.truth)
    labels[:unlabelled] = -1
    return ConsensusResult.from_labels(made.X, labels)


def test_profiles_hold_the_confidence_of_each_cluster_and_doubts_are_counted():
    result = _result((50, 40, 30), unlabelled=3)
    display = UncertaintyDisplay.from_result(result)
    for cluster in range(3):
        own = result.confidence[result.labels == cluster]
        np.testing.assert_array_equal(display.profiles[cluster], np.sort(own)[::-1])
        assert display.sizes[cluster] == len(own)
        assert display.in_doubt[cluster] == sum(value <= 0 for value in own)
    assert display.in_doubt.sum() > 0
    assert display.note == "3 objects without a cluster left out"


def test_large_clusters_are_drawn_by_quantiles_and_counted_in_full():
    result = _result((3000, 500))
    display = UncertaintyDisplay.from_result(result)
    own = result.confidence[result.labels == 0]
    assert len(display.profiles[0]) == 200
    assert display.profiles[0][0] == own.max()
    assert display.profiles[0][-1] == own.min()
    assert (np.diff(display.profiles[0]) <= 0).all()
    assert display.in_doubt.tolist() == result.clusters["in_doubt"].tolist()
    assert display.sizes.tolist() == result.clusters["size"].tolist()


def test_one_cluster_says_that_confidence_is_infinite():
    X = noisy_ensemble().X
    display = UncertaintyDisplay.from_labels(X, np.zeros(len(X), dtype=int)).plot()
    words = [text for text, _ in assert_legible(display.figure_)]
    assert any("infinite" in text for text in words)
    assert not display.ax_.collections


@pytest.mark.parametrize("sizes", [(3, 2), (150, 50), (60, *range(1, 25)), (1000, *([2] * 24)), (5,) * 60])
def test_every_size_is_legible(sizes):
    assert_legible(UncertaintyDisplay.from_result(_result(sizes)).plot().figure_)


def test_heights_follow_sizes_and_have_a_minimum():
    display = UncertaintyDisplay([np.ones(1)] * 3, np.array([900, 99, 1]), np.zeros(3, dtype=int))
    edges = display._edges(300.0)
    heights = np.diff(edges)
    assert edges[-1] == pytest.approx(1)
    assert heights[2] >= 12 / 300
    np.testing.assert_allclose((heights[0] - heights[2]) / (heights[1] - heights[2]), 899 / 98)


def test_every_cluster_has_a_profile_and_both_numbers():
    display = UncertaintyDisplay.from_result(_result((50, 40, 30))).plot()
    assert len(display.ax_.collections) == 3
    words = [text for text, _ in assert_legible(display.figure_)]
    for cluster in range(3):
        assert f"{cluster}  ({display.sizes[cluster]})" in words
        assert f"{display.in_doubt[cluster]}" in words


def test_given_axes_are_used():
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 3), layout="constrained")
    UncertaintyDisplay.from_result(_result((50, 40, 30))).plot(axes[0])
    UncertaintyDisplay.from_result(_result((5,) * 25)).plot(axes[1])
    assert_legible(figure)
