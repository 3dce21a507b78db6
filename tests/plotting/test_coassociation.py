"""The co-association display: its numbers against loops over pairs, its pictures against overlap."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage

from partita import EAC, ConsensusResult, vat
from partita.plotting import CoassociationDisplay
from tests.ensembles import noisy_ensemble
from tests.plotting.cases import RESULTS, result_of
from tests.plotting.overlap import assert_legible


def similarity_by_loops(X, weights):
    n = len(X)
    S = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            both = (X[i] >= 0) & (X[j] >= 0)
            if weights[both].sum() > 0:
                S[i, j] = weights[both & (X[i] == X[j])].sum() / weights[both].sum()
    return S


@pytest.mark.parametrize("order", ["dendrogram", "vat", "cluster"])
def test_similarity_is_the_weighted_share_with_gaps_where_unknown(order):
    made = noisy_ensemble((12, 9, 5), 4, missing=0.6)
    weights = np.array([1.0, 2.0, 0.5, 1.0])
    result = ConsensusResult.from_labels(made.X, made.truth, weights=weights)
    display = CoassociationDisplay.from_result(result, order=order)
    expected = similarity_by_loops(made.X, weights)
    assert np.isnan(expected).any()
    np.testing.assert_allclose(display.similarity, expected[np.ix_(display.order, display.order)])
    np.testing.assert_array_equal(np.sort(display.order), np.arange(26))
    np.testing.assert_array_equal(display.labels, result.labels[display.order])


def test_the_tree_of_the_result_is_used_if_all_objects_are_drawn(X):
    fitted = EAC(3).fit(X)
    display = CoassociationDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.tree, fitted.dendrogram_)
    np.testing.assert_array_equal(display.leaves, fitted.leaves_)


def test_otherwise_the_tree_is_average_linkage_of_the_objects_drawn(X, truth):
    display = CoassociationDisplay.from_labels(X, truth, max_objects=20)
    drawn = np.sort(display.order)
    assert len(drawn) == 20
    S = similarity_by_loops(X[drawn], np.ones(X.shape[1]))
    expected = linkage(1 - np.nan_to_num(S)[np.triu_indices(20, 1)], "average")
    np.testing.assert_allclose(np.sort(display.tree[:, 2]), np.sort(expected[:, 2]))
    np.testing.assert_array_equal(display.leaves, drawn)
    assert display.note == "a sample of 20 of 62 objects, by cluster"


def test_clear_clusters_stand_together_in_every_order(X, truth):
    for order in ("dendrogram", "vat", "cluster"):
        display = CoassociationDisplay.from_labels(X, truth, order=order)
        assert (np.diff(display.labels) != 0).sum() <= 4


def test_the_order_of_vat_is_that_of_the_function(X, truth):
    display = CoassociationDisplay.from_labels(X, truth, order="vat")
    D = 1 - np.nan_to_num(similarity_by_loops(X, np.ones(X.shape[1])))
    np.testing.assert_array_equal(display.order, vat(D).order)
    assert display.tree is None


def test_objects_without_any_label_come_last_and_are_in_no_tree():
    display = CoassociationDisplay.from_result(result_of("missing labels"))
    assert (display.labels[-7:] == -1).all()
    assert len(display.leaves) == len(display.order) - 7
    assert np.isnan(display.similarity[-7:]).all()


def test_annotations_follow_the_order(X, truth):
    names = np.array([f"batch {place % 3}" for place in range(len(X))])
    display = CoassociationDisplay.from_labels(X, truth, annotations={"batch": names}, order="cluster")
    (bar,) = display.annotations
    assert [bar.categories[int(code)] for code in bar.values] == names[display.order].tolist()


def test_unknown_options_are_refused(X, truth):
    with pytest.raises(ValueError, match="order='size' is not known"):
        CoassociationDisplay.from_labels(X, truth, order="size")
    with pytest.raises(ValueError, match="max_objects=0"):
        CoassociationDisplay.from_labels(X, truth, max_objects=0)
    with pytest.raises(TypeError, match="unknown"):
        CoassociationDisplay.from_labels(X, truth, unknown=1)


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_are_legible(name):
    display = CoassociationDisplay.from_result(result_of(name)).plot()
    texts = [words for words, _ in assert_legible(display.figure_)]
    assert ("a sample of 2,000 of 100,000 objects, by cluster" in texts) == (name == "100,000 objects")
    assert ("no common clustering" in texts) == bool(np.isnan(display.similarity).any())
    assert display.heatmap_ax_.images[0].get_rasterized()


def test_five_annotations_with_strange_names_are_legible(X, truth, rng):
    n = len(X)
    annotations = pd.DataFrame(
        {
            "$batch$": rng.choice(["a", "b$x$"], n),
            "age": rng.normal(50, 10, n),
            "a very long name of an annotation": rng.choice([f"category {c} with words" for c in range(40)], n),
            "flag": rng.random(n) < 0.5,
            "holes": np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 4, n)),
        }
    )
    display = CoassociationDisplay.from_labels(X, truth, annotations=annotations).plot()
    words = [text for text, _ in assert_legible(display.figure_)]
    assert words.count("missing") == 1
    assert r"\$batch\$" in words


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_given_axes_are_used(layout):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), layout=layout)
    display = CoassociationDisplay.from_result(result_of("evidence accumulation")).plot(axes[0])
    CoassociationDisplay.from_result(result_of("25 clusters, 100 clusterings")).plot(axes[1])
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    assert figure.get_size_inches().tolist() == [9, 4]
    assert_legible(figure)


def test_the_cluster_numbers_are_in_the_bar_or_in_a_legend():
    from matplotlib import pyplot

    result = result_of("25 clusters, 100 clusterings")
    for size in ((8, 6), (4.5, 3)):
        figure, ax = pyplot.subplots(figsize=size, layout="constrained")
        CoassociationDisplay.from_result(result).plot(ax)
        words = [text for text, _ in assert_legible(figure)]
        assert "0" in words
        assert ("24" in words) or ("…" in words)


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_objects_can_be_drawn(n):
    display = CoassociationDisplay.from_labels(np.zeros((n, 2), dtype=int), np.zeros(n, dtype=int)).plot()
    assert_legible(display.figure_)
