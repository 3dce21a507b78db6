"""The tree of a consensus: the cut, the top of large trees, and pictures without overlap."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster

from partita import EAC, ConsensusResult, combine
from partita.plotting import DendrogramDisplay, _dendrogram
from tests.ensembles import noisy_ensemble, same_partition
from tests.plotting.overlap import assert_legible

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_a_cut_at_the_line_gives_the_clusters(k):
    fitted = EAC(k).fit(noisy_ensemble(sizes=(20, 15, 10)).X)
    display = DendrogramDisplay.from_estimator(fitted)
    assert display.n_clusters == k
    assert same_partition(fcluster(display.tree, display.cut, "distance"), fitted.labels_)
    np.testing.assert_array_equal(display.clusters, fitted.labels_)


def test_a_small_tree_has_the_names_of_the_objects():
    X = pd.DataFrame(noisy_ensemble(sizes=(6, 4)).X, index=[f"id {place}" for place in range(10)])
    display = DendrogramDisplay.from_labels(X, n_clusters=2)
    assert list(display.names) == list(X.index)
    words = [text for text, _ in assert_legible(display.plot().figure_)]
    assert set(X.index) <= set(words)


def test_of_a_large_tree_the_top_is_drawn_with_the_sizes_of_its_branches():
    made = noisy_ensemble(sizes=(120, 80, 50))
    result = combine(made.X, method="eac", n_clusters=3)
    display = DendrogramDisplay.from_result(result)
    assert display.names is None
    assert len(display.tree) == 29
    assert display.sizes.sum() == 250
    assert "250 objects: 30 branches" in display.note
    for cluster in range(3):
        assert display.sizes[display.clusters == cluster].sum() == (result.labels == cluster).sum()


def test_branches_of_equal_objects_are_not_taken_apart():
    X = np.repeat(noisy_ensemble(sizes=(3, 2), n_clusterings=3, missing=0).X, 50, axis=0)
    n_distinct = len(np.unique(X, axis=0))
    display = DendrogramDisplay.from_labels(X, n_clusters=2)
    assert len(display.sizes) == n_distinct
    assert len(DendrogramDisplay.from_labels(np.repeat(X[:1], 100, axis=0), n_clusters=1).sizes) == 2


def test_a_branch_of_several_clusters_has_none():
    display = DendrogramDisplay.from_labels(noisy_ensemble(sizes=(2,) * 70, n_clusterings=40).X, n_clusters=70)
    assert len(display.sizes) == 60
    assert (display.clusters == -2).any()
    assert_legible(display.plot().figure_)


def test_lifetimes_are_those_of_the_estimator(X):
    fitted = EAC().fit(X)
    display = DendrogramDisplay.from_estimator(fitted)
    np.testing.assert_array_equal(display.lifetimes, fitted.lifetimes_)
    assert display.n_clusters == 2 + int(np.argmax(fitted.lifetimes_[:6]))


def test_labels_are_combined_by_evidence_accumulation_unless_said_otherwise(X):
    display = DendrogramDisplay.from_labels(X)
    np.testing.assert_array_equal(display.lifetimes, EAC().fit(X).lifetimes_)
    assert DendrogramDisplay.from_labels(X, method="lwea", n_clusters=3).lifetimes is None


def test_a_method_without_a_tree_is_refused_and_told_what_to_do(X, truth):
    with pytest.raises(ValueError, match=r"'lwgp' has no tree; use one that has, such as combine\(X, method='eac'\)"):
        DendrogramDisplay.from_result(combine(X, n_clusters=3, random_state=0))
    with pytest.raises(ValueError, match="a partition by itself has no tree"):
        DendrogramDisplay.from_labels(X, truth)
    with pytest.raises(ValueError, match="'given' has no tree"):
        DendrogramDisplay.from_result(ConsensusResult.from_labels(X, truth))


def test_objects_without_a_label_are_no_leaves(X):
    X[:3] = -1
    with pytest.warns(UserWarning, match="label"):
        fitted = EAC(3).fit(X)
    assert DendrogramDisplay.from_estimator(fitted).sizes.sum() == len(X) - 3


def chain_of(n):
    """Labels whose single linkage is one long chain: neighbours share more than others."""
    place = np.arange(n)
    return np.column_stack([(place + shift) // 6 for shift in range(6)])


TREES = {
    "5 objects": lambda: DendrogramDisplay.from_labels([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 2, 2]]),
    "60 objects": lambda: DendrogramDisplay.from_labels(noisy_ensemble((30, 20, 10)).X),
    "200 objects": lambda: DendrogramDisplay.from_labels(noisy_ensemble((120, 80), 5).X),
    "25 clusters": lambda: DendrogramDisplay.from_labels(noisy_ensemble((8,) * 25, 100, 0.3).X, n_clusters=25),
    "1 cluster": lambda: DendrogramDisplay.from_labels(noisy_ensemble().X, n_clusters=1),
    "100,000 objects": lambda: DendrogramDisplay.from_labels(noisy_ensemble((50000, 30000, 20000), 5, 0.05, 0).X),
    "a chain": lambda: DendrogramDisplay.from_labels(chain_of(1500), method=EAC(2, linkage="single")),
    "a chain of names": lambda: DendrogramDisplay.from_labels(chain_of(60), method=EAC(2, linkage="single")),
    "Ward": lambda: DendrogramDisplay.from_labels(noisy_ensemble().X, method=EAC(linkage="ward")),
    "without lifetimes": lambda: DendrogramDisplay.from_labels(noisy_ensemble().X, method="lwea", n_clusters=3),
    "2 objects": lambda: DendrogramDisplay.from_labels([[0, 1], [0, 0]], n_clusters=2),
    "equal objects": lambda: DendrogramDisplay.from_labels(np.zeros((80, 3), dtype=int), n_clusters=1),
    "1 object": lambda: DendrogramDisplay.from_labels(np.zeros((1, 2), dtype=int), n_clusters=1),
}


@pytest.mark.parametrize("name", TREES)
def test_pictures_are_legible(name):
    display = TREES[name]().plot()
    assert_legible(display.figure_)


def test_given_axes_are_used():
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    display = TREES["200 objects"]().plot(axes[0])
    TREES["60 objects"]().plot(axes[1])
    assert display.ax_ is axes[0]
    assert_legible(figure)


def test_the_tree_of_many_rows_is_that_of_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr(_dendrogram, "_MOST_ROWS", 50)
    monkeypatch.setattr(_dendrogram, "MAX_OBJECTS", 40)
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 9)) < 0.3, rng.integers(3, size=(300, 9)), np.arange(300)[:, None] % 3)
    display = DendrogramDisplay.from_labels(X, n_clusters=3)
    assert display.note == "a sample of 40 of 300 objects, by cluster"
    assert len(display.tree) == 39


def test_a_longer_life_that_was_not_considered_is_told():
    truth = np.repeat(np.arange(25), 8)
    rng = np.random.default_rng(0)
    X = np.where(rng.random((200, 12)) < 0.1, rng.integers(25, size=(200, 12)), truth[:, None])
    display = DendrogramDisplay.from_labels(X)
    assert display.note.endswith("numbers up to 14 were considered; 25 clusters have a longer life")
    assert "considered" not in DendrogramDisplay.from_labels(X, n_clusters=25).note
