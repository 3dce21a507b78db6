"""The tracking plot: colours that are carried on, and pictures without overlap."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import EAC, LWGP, ConsensusResult, combine
from partita.plotting import TrackingDisplay
from partita.plotting._tracking import as_in_result, carry_colors
from tests.ensembles import noisy_ensemble, same_partition
from tests.plotting.cases import RESULTS, result_of
from tests.plotting.overlap import assert_legible


def test_rows_are_the_cuts_of_one_tree(X):
    display = TrackingDisplay.from_labels(X, (2, 6))
    assert display.numbers == [2, 3, 4, 5, 6]
    assert display.method == "EAC with Ward linkage"
    for k, colors in zip(display.numbers, display.colors, strict=True):
        assert same_partition(colors, EAC(k, linkage="ward").fit(X).labels_[display.order])


def test_another_consensus_is_fitted_for_every_number(X):
    display = TrackingDisplay.from_labels(X, [3, 5], consensus=LWGP(), random_state=0)
    assert display.method == "LWGP"
    assert [len(np.unique(colors)) for colors in display.colors] == [3, 5]


@given(st.lists(st.integers(0, 5), min_size=4, max_size=30))
def test_a_split_gives_one_new_colour_and_changes_no_other(cells):
    """Clusters of a row are unions of those of the next, which has one more."""
    finest = np.unique(cells, return_inverse=True)[1]
    rows = np.array([np.minimum(finest, k - 1) for k in range(1, finest.max() + 2)])
    colors = carry_colors(rows)
    for before, after in pairwise(colors):
        assert len(set(after.tolist()) - set(before.tolist())) == 1
        assert set(before.tolist()) <= set(after.tolist())


def test_the_larger_part_of_a_split_keeps_the_colour():
    colors = carry_colors(np.array([[0, 0, 0, 0, 0, 1], [2, 2, 1, 1, 1, 0]]))
    np.testing.assert_array_equal(colors, [[0, 0, 0, 0, 0, 1], [2, 2, 0, 0, 0, 1]])


def test_the_colours_of_a_row_are_the_clusters_with_other_names(rng):
    rows = rng.integers(-1, 5, (6, 40))
    for labels, colors in zip(rows, carry_colors(rows), strict=True):
        assert same_partition(labels, colors)


def test_a_colour_is_not_given_to_another_cluster_at_once():
    """Where a cluster disappears its colour rests for one row."""
    colors = carry_colors(np.array([[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], [0, 0, 0, 2, 1, 1]]))
    assert colors[1].tolist() == [0, 0, 0, 0, 2, 2]
    assert colors[2].tolist() == [0, 0, 0, 1, 2, 2]


def test_objects_are_in_the_order_of_their_sequences_of_colours(X):
    display = TrackingDisplay.from_labels(X)
    sequences = list(map(tuple, display.colors.T.tolist()))
    assert sequences == sorted(sequences)


def test_the_number_of_the_result_is_marked_and_reached(X):
    display = TrackingDisplay.from_result(combine(X, n_clusters=12, random_state=0))
    assert display.chosen == 12
    assert display.numbers[-1] == 14
    words = [text for text, _ in assert_legible(display.plot().figure_)]
    assert "result" in words


def test_weights_of_the_clusterings_count(X, truth):
    weights = np.arange(1.0, 16.0)
    display = TrackingDisplay.from_result(ConsensusResult.from_labels(X, truth, weights=weights), [4])
    expected = EAC(4, linkage="ward", weights=weights).fit(X).labels_
    assert same_partition(display.colors[0], expected[display.order])


def test_objects_without_labels_are_not_drawn(X):
    X[:4] = -1
    display = TrackingDisplay.from_labels(X)
    np.testing.assert_array_equal(np.sort(display.order), np.arange(4, len(X)))


def test_a_sample_says_so(X):
    display = TrackingDisplay.from_labels(X, max_objects=30)
    assert display.colors.shape[1] == 30
    assert display.note == "a sample of 30 of 62 objects"
    of_estimator = TrackingDisplay.from_estimator(EAC(3).fit(X), max_objects=30)
    assert of_estimator.note == "a sample of 30 of 62 objects, by cluster"


@pytest.mark.parametrize("numbers", [[1, 2], (2, 1000), "ab", [2.5], []])
def test_wrong_numbers_are_refused(X, numbers):
    with pytest.raises(ValueError, match="numbers="):
        TrackingDisplay.from_labels(X, numbers)


def test_objects_that_are_all_equal_are_refused():
    with pytest.raises(ValueError, match="too equal"):
        TrackingDisplay.from_labels(np.zeros((10, 3), dtype=int))


def test_the_estimator_of_the_user_is_not_changed(X):
    mine = LWGP(random_state=7)
    TrackingDisplay.from_labels(X, [2], consensus=mine, n_jobs=1)
    assert mine.n_jobs is None
    assert not hasattr(mine, "labels_")


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_are_legible(name):
    display = TrackingDisplay.from_result(result_of(name)).plot()
    words = " ".join(text for text, _ in assert_legible(display.figure_))
    assert ("a sample of 2,000 of 100,000 objects" in words) == (name == "100,000 objects")
    assert ("the result has 1 cluster" in words) == (name == "1 cluster")


def test_given_axes_are_used():
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3), layout="constrained")
    display = TrackingDisplay.from_labels(noisy_ensemble().X).plot(axes[0])
    TrackingDisplay.from_result(result_of("evidence accumulation"), [2, 3]).plot(axes[1])
    assert display.ax_ is axes[0]
    assert_legible(figure)


def test_the_row_of_the_result_has_the_colours_of_its_clusters():
    result = combine(noisy_ensemble(sizes=(30, 20, 15, 10), n_clusterings=9, flip=0.05, seed=1).X, random_state=0)
    display = TrackingDisplay.from_result(result)
    row = display.colors[display.numbers.index(result.n_clusters)]
    assert (row == result.labels[display.order]).mean() > 0.95


def test_colours_are_renumbered_one_to_one(rng):
    colors, labels = rng.integers(-1, 5, size=(3, 40)), rng.integers(-1, 4, size=40)
    again = as_in_result(colors, 1, labels)
    assert np.array_equal(again < 0, colors < 0)
    pairs = set(zip(colors.ravel().tolist(), again.ravel().tolist(), strict=True))
    assert len(pairs) == len(np.unique(colors)) == len(np.unique(again))
