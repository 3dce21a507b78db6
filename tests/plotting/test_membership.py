"""Heatmap of memberships."""

import numpy as np
import pytest
from matplotlib import pyplot

from partita import PCC
from partita.plotting import MembershipDisplay
from partita.results import ConsensusResult
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


def _random_memberships(n, k, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(k, 0.2), n)


def test_objects_are_sorted_by_cluster_and_certainty():
    Y = _random_memberships(60, 4)
    display = MembershipDisplay.from_membership(Y)
    expected = sorted(range(60), key=lambda i: (Y[i].argmax(), -Y[i].max(), i))
    assert display.order.tolist() == expected
    np.testing.assert_array_equal(display.membership, Y[expected])
    np.testing.assert_array_equal(display.labels, Y[expected].argmax(axis=1))


def test_objects_without_a_cluster_come_last():
    Y = np.array([[np.nan, np.nan], [0.2, 0.8], [1.0, 0.0]])
    display = MembershipDisplay.from_membership(Y)
    assert display.order.tolist() == [2, 1, 0]
    assert display.labels.tolist() == [0, 1, -1]
    assert MembershipDisplay.from_membership(Y, [-1, 0, 0]).order.tolist() == [2, 1, 0]


def test_result_with_empty_components_shows_their_columns():
    X = noisy_ensemble(flip=0.3).X
    result = ConsensusResult.from_estimator(PCC(6, random_state=0).fit(X))
    display = MembershipDisplay.from_result(result)
    assert display.kind == "probabilities"
    assert display.membership.shape == (len(X), result.estimator.n_components_)
    np.testing.assert_array_equal(display.membership, result.membership[display.order])


def test_votes_are_called_votes(X):
    display = MembershipDisplay.from_labels(X, n_clusters=3).plot()
    words = " ".join(text for text, _ in assert_legible(display.figure_))
    assert "votes, objects sorted" in words
    assert "share of the votes" in words


def test_many_objects_are_a_sample_by_cluster():
    Y = _random_memberships(5000, 3)
    display = MembershipDisplay.from_membership(Y, max_objects=300, seed=1)
    assert len(display.order) == len(set(display.order.tolist())) == 300
    assert display.note == "a sample of 300 of 5,000 objects, by cluster"
    np.testing.assert_array_equal(display.membership, Y[display.order])
    other = MembershipDisplay.from_membership(Y, max_objects=300, seed=2)
    assert set(other.order) != set(display.order)


def test_few_objects_have_their_names():
    display = MembershipDisplay.from_membership(_random_memberships(40, 3)).plot()
    words = [text for text, _ in assert_legible(display.figure_)]
    assert {str(i) for i in range(40)} <= set(words)


@pytest.mark.parametrize(("n", "k"), [(5, 2), (41, 1), (200, 25), (2000, 60)])
def test_every_size_is_legible(n, k):
    assert_legible(MembershipDisplay.from_membership(_random_memberships(n, k)).plot().figure_)


def test_drawn_image_holds_the_memberships_and_is_rasterised():
    Y = _random_memberships(100, 3)
    display = MembershipDisplay.from_membership(Y).plot()
    (image,) = [image for child in display.ax_.child_axes for image in child.images]
    np.testing.assert_array_equal(image.get_array(), display.membership.T)
    assert image.get_rasterized()
    assert image.get_clim() == (0, 1)


def test_given_axes_are_used():
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    MembershipDisplay.from_membership(_random_memberships(100, 12)).plot(axes[0])
    MembershipDisplay.from_membership(_random_memberships(10, 2)).plot(axes[1])
    assert_legible(figure)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 1], "one whole number per object"),
        ([0, 1, 2], "membership has 2 columns"),
        ([0.5, 1, 0], "one whole number per object"),
        ([0, 1, -2], "-1 for none"),
    ],
)
def test_wrong_labels_are_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        MembershipDisplay.from_membership(np.full((3, 2), 0.5), labels)


def test_wrong_kind_and_memberships_are_refused():
    with pytest.raises(ValueError, match="kind='shares' is not known"):
        MembershipDisplay.from_membership([[1.0, 0.0]], kind="shares")
    with pytest.raises(ValueError, match="must sum to 1"):
        MembershipDisplay.from_membership([[1.0, 1.0]])
