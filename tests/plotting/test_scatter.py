"""Clusters as points."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from sklearn.decomposition import PCA

from partita import check_label_matrix
from partita.plotting import ScatterDisplay
from partita.plotting._scatter import _components, _opacity
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


def _one_hot(X, weights):
    """Indicators with missing labels at the mean, by plain loops."""
    columns = []
    for column, weight in zip(X.T, weights, strict=True):
        for label in np.unique(column[column >= 0]):
            hot = np.where(column >= 0, column == label, np.nan)
            columns.append(np.sqrt(weight) * np.where(np.isnan(hot), np.nanmean(hot), hot))
    return np.column_stack(columns)


@pytest.mark.parametrize("n_rows", [62, 20])  # more objects than labels, and fewer
def test_components_are_those_of_scikit_learn(n_rows):
    X = noisy_ensemble().X[:n_rows]
    weights = np.linspace(0.5, 2, X.shape[1])
    places, shares = _components(check_label_matrix(X).codes, weights)
    model = PCA(2, svd_solver="full").fit(_one_hot(X, weights))
    expected = model.transform(_one_hot(X, weights))
    np.testing.assert_allclose(np.abs(places), np.abs(expected), atol=1e-7)
    np.testing.assert_allclose(shares, model.explained_variance_ratio_, atol=1e-9)
    for component in range(2):
        assert places[np.abs(places[:, component]).argmax(), component] > 0
    np.testing.assert_allclose(places.T @ places, np.diag(np.diag(places.T @ places)), atol=1e-6)


def test_one_kind_of_row_is_one_point():
    places, shares = _components(np.zeros((4, 3), dtype=np.int32), np.ones(3))
    assert not places.any()
    assert not shares.any()


def test_weights_of_clusterings_count():
    X = noisy_ensemble(flip=0.3).X
    labels = np.arange(len(X)) % 2
    heavy = ScatterDisplay.from_labels(X, labels, weights=[50] + [1] * (X.shape[1] - 1))
    plain = ScatterDisplay.from_labels(X, labels)
    assert not np.allclose(np.abs(heavy.coordinates), np.abs(plain.coordinates))


def test_opacity_follows_confidence():
    confidence = np.array([-3.0, 0.0, 1.0, 2.0, 4.0, 100.0, np.nan])
    np.testing.assert_allclose(_opacity(confidence), [0.25, 0.25, 0.5, 0.75, 1, 1, 0.25])
    assert _opacity(np.full(3, np.inf)).tolist() == [1, 1, 1]
    assert _opacity(np.array([-1.0, -2.0])).tolist() == [0.25, 0.25]


def test_coordinates_of_the_user_are_kept_with_their_names():
    X, truth = noisy_ensemble()
    F = np.random.default_rng(0).normal(size=(len(X), 2))
    F[:2, 0] = np.nan
    F[2, 1] = np.inf
    for frame in (pd.DataFrame(F, columns=["long", "wide"]), pl.DataFrame({"long": F[:, 0], "wide": F[:, 1]})):
        display = ScatterDisplay.from_labels(X, truth, coordinates=frame)
        assert display.axis_labels == ("long", "wide")
        assert display.objects.tolist() == list(range(3, len(X)))
        np.testing.assert_array_equal(display.coordinates, F[3:])
        assert display.note == "3 objects without coordinates left out"
    assert ScatterDisplay.from_labels(X, truth, coordinates=F).axis_labels == ("", "")


@pytest.mark.parametrize("shape", [(62, 3), (61, 2), (62,), (2, 62)])
def test_wrong_shapes_are_refused(shape):
    X, truth = noisy_ensemble()
    with pytest.raises(ValueError, match=r"pass one row of two numbers per object, \(62, 2\)"):
        ScatterDisplay.from_labels(X, truth, coordinates=np.zeros(shape))


def test_text_is_refused_as_coordinates():
    X, truth = noisy_ensemble()
    with pytest.raises(ValueError, match="coordinates must be numbers"):
        ScatterDisplay.from_labels(X, truth, coordinates=[["a", "b"]] * 62)


def test_many_objects_are_a_sample_with_every_cluster():
    X, truth = noisy_ensemble((3000, 900, 4))
    display = ScatterDisplay.from_labels(X, truth, max_objects=400)
    assert len(display.objects) == 400
    assert set(display.labels) == {0, 1, 2}
    assert display.note == "a sample of 400 of 3,904 objects, by cluster"


def test_equal_points_are_drawn_once_and_larger():
    display = ScatterDisplay(
        np.array([[0.0, 0], [0, 0], [0, 0], [1, 1]]), np.array([0, 0, 1, 1]), np.array([1.0, 3, 1, 1]), np.arange(4)
    ).plot()
    first, second = display.ax_.collections
    assert len(first.get_offsets()) == 1
    assert len(second.get_offsets()) == 2
    assert first.get_sizes()[0] == pytest.approx(np.sqrt(2) * second.get_sizes()[0])


def _drawn_points(display):
    return sum(len(points.get_offsets()) for points in display.ax_.collections)


@pytest.mark.parametrize(
    ("sizes", "n_clusterings"), [((3, 2), 5), ((150, 50), 5), ((1,) * 5, 5), ((8,) * 25, 100), ((40,) * 60, 10)]
)
def test_every_size_is_legible(sizes, n_clusterings):
    X, truth = noisy_ensemble(sizes, n_clusterings, 0.1, 0.1)
    truth[0] = -1
    display = ScatterDisplay.from_labels(X, truth).plot()
    assert_legible(display.figure_)
    assert _drawn_points(display) == len(np.unique(np.column_stack([display.coordinates, display.labels]), axis=0))
    assert all(points.get_rasterized() for points in display.ax_.collections) == (_drawn_points(display) > 500)


def test_one_cluster_and_unlabelled_objects():
    X, truth = noisy_ensemble()
    labels = np.where(truth == 0, -1, 0)
    display = ScatterDisplay.from_labels(X, labels).plot()
    words = " ".join(text for text, _ in assert_legible(display.figure_))
    assert "grey: no cluster" in words
    assert (display.opacity[display.labels == 0] == 1).all()


def test_numbers_that_would_overlap_are_left_to_a_legend():
    places = np.repeat([[0.0, 0.0], [0.001, 0.0], [5.0, 5.0]], 3, axis=0) + np.arange(9)[:, None] * 1e-6
    display = ScatterDisplay(places, np.repeat([0, 1, 2], 3), np.ones(9), np.arange(9)).plot()
    assert [text.get_text() for text in display.ax_.texts if text.get_text().isdigit()] == ["0", "2"]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["0", "1", "2"]
    assert_legible(display.figure_)


def test_more_than_ten_clusters_have_marks():
    X, truth = noisy_ensemble((5,) * 12)
    display = ScatterDisplay.from_labels(X, truth).plot()
    shapes = {points.get_paths()[0].vertices.tobytes() for points in display.ax_.collections}
    assert len(shapes) == 10
    few = ScatterDisplay.from_labels(*noisy_ensemble()).plot()
    assert len({points.get_paths()[0].vertices.tobytes() for points in few.ax_.collections}) == 1


def test_no_coordinates_at_all_are_said():
    X, truth = noisy_ensemble()
    display = ScatterDisplay.from_labels(X, truth, coordinates=np.full((62, 2), np.nan)).plot()
    assert any("No object has coordinates" in text for text, _ in assert_legible(display.figure_))


def test_given_axes_are_used():
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    ScatterDisplay.from_labels(*noisy_ensemble()).plot(axes[0])
    ScatterDisplay.from_labels(*noisy_ensemble((6,) * 25)).plot(axes[1])
    assert_legible(figure)
