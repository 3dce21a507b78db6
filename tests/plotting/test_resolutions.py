"""The tree of resolutions: crossings by a plain loop, places that keep their distance, pictures without overlap."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from partita import resolution_tree
from partita.plotting import ResolutionTreeDisplay
from partita.plotting._layered_layout import Layers, _order_layers, count_crossings, place_nodes
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


def nested(numbers, n=200):
    """Clusterings of which each refines the one before: objects in a row, cut into more and more parts."""
    return {f"k{k}": np.arange(n) * k // n for k in numbers}


def crossings(table, first, second):
    """Pairs of edges that cross, weighted, one by one."""
    place, after = np.argsort(first), np.argsort(second)
    edges = [(a, b) for a, b in product(range(table.shape[0]), range(table.shape[1])) if table[a, b] > 0]
    total = 0.0
    for (a, b), (c, d) in combinations(edges, 2):
        if (place[a] - place[c]) * (after[b] - after[d]) < 0:
            total += table[a, b] * table[c, d]
    return total


def test_crossings_by_a_plain_loop(rng):
    tables = [rng.integers(3, size=(4, 5)).astype(float), rng.integers(3, size=(5, 3)).astype(float)]
    orders = [rng.permutation(4), rng.permutation(5), rng.permutation(3)]
    expected = crossings(tables[0], orders[0], orders[1]) + crossings(tables[1], orders[1], orders[2])
    assert count_crossings(tables, orders) == pytest.approx(expected)


def test_orders_are_between_the_best_of_all_and_the_first_one(rng):
    found, before = 0.0, 0.0
    for _ in range(8):
        table = rng.integers(4, size=(4, 4)) * (rng.random((4, 4)) < 0.5).astype(float)
        every = product(permutations(range(4)), permutations(range(4)))
        best = min(count_crossings([table], [np.array(a), np.array(b)]) for a, b in every)
        ours, given = (count_crossings([table], o) for o in (_order_layers([table], [4, 4]), [np.arange(4)] * 2))
        assert best <= ours <= given
        found, before = found + ours, before + given
    assert found < 0.35 * before


def test_a_tree_has_no_crossings(rng):
    """Names of the clusters are shuffled: the order is found again."""
    X = {name: rng.permutation(labels.max() + 1)[labels] for name, labels in nested([1, 2, 4, 8, 16]).items()}
    display = ResolutionTreeDisplay.from_labels(X)
    nodes, edges = display.tree.nodes, display.tree.edges
    for level in range(4):
        part = edges[nodes["level"].to_numpy()[edges["source"]] == level]
        ends = display.x[part[["source", "target"]].to_numpy()]
        assert all((a[0] - b[0]) * (a[1] - b[1]) >= 0 for a, b in combinations(ends.tolist(), 2))


def test_neighbours_keep_their_distance(X):
    display = ResolutionTreeDisplay.from_labels(X)
    for _, level in display.tree.nodes.groupby("level"):
        assert np.diff(np.sort(display.x[level["node"]])).min(initial=2.0) >= 1 - 1e-9


def test_a_chain_is_drawn_upright():
    x = place_nodes(Layers(np.array([0, 1, 2]), np.array([0, 1]), np.array([1, 2]), np.ones(2)))
    np.testing.assert_allclose(x, 0)


def test_many_clusterings_are_represented():
    X = noisy_ensemble((10,) * 6, n_clusterings=30, missing=0).X
    X[:, 15:] = np.minimum(X[:, 15:], 3)
    display = ResolutionTreeDisplay.from_labels(X)
    assert display.note == "2 of 30 clusterings: of each number of clusters the one that agrees best"
    assert display.tree.nodes.groupby("level").size().tolist() == [4, 6]
    many = ResolutionTreeDisplay.from_labels(nested(range(2, 22)), max_levels=5)
    assert many.tree.clusterings == ["k2", "k7", "k12", "k16", "k21"]
    assert ResolutionTreeDisplay.from_labels(X, order=list(range(14))).note == ""


CASES = {
    "two of two": {"a": [0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 1]},
    "one clustering": {"a": [0, 0, 1]},
    "one cluster": {"a": [0, 0, 0], "b": [0, 0, 0]},
    "25 clusters, 12 resolutions": nested(np.linspace(2, 25, 12).astype(int), 1000),
    "noisy": noisy_ensemble((20, 20, 10, 5), n_clusterings=8, flip=0.3, missing=0.3).X,
    "long names": {f"a very long name of a clustering {k}": labels for k, labels in nested([2, 3, 9]).items()},
    "text": {"a": ["left", "left", "right", "$x$"], "b": ["a rather long label", "b", "c", "d"]},
    "many clusters": nested([2, 80], 800),
    "without common objects": [[0, 1, None, None], [None, None, 0, 1]],
}


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_legible(name):
    display = ResolutionTreeDisplay.from_labels(CASES[name]).plot()
    assert_legible(display.figure_)


@pytest.mark.parametrize("size", [(4.5, 3), (6, 4), (14, 9)])
def test_given_axes_are_used(size):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    display = ResolutionTreeDisplay.from_labels(nested([2, 3, 5])).plot(ax)
    assert display.ax_ is ax
    assert_legible(figure)


def test_places_can_be_given():
    tree = resolution_tree({"a": [0, 1]})
    assert ResolutionTreeDisplay(tree, [3, 4]).x.tolist() == [3, 4]
    with pytest.raises(ValueError, match="one place per node"):
        ResolutionTreeDisplay(tree, [3])
    with pytest.raises(ValueError, match="max_levels=0"):
        ResolutionTreeDisplay.from_labels({"a": [0, 1]}, max_levels=0)
