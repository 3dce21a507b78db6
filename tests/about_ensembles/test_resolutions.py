"""The tree of resolutions by plain loops: edges, proportions, stability, orders."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from partita import resolution_tree
from tests.ensembles import label_matrices, noisy_ensemble


def members(X, tree):
    """Objects of each node."""
    names = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    return [set(np.flatnonzero(names[row.clustering] == row.cluster)) for row in tree.nodes.itertuples()]


def labelled(X, name):
    return set(np.flatnonzero(X[:, int(name[1:])] >= 0))


@given(label_matrices(max_rows=10, max_columns=4))
def test_edges_and_stability_by_plain_loops(X):
    X = X[:, (X >= 0).any(axis=0)]
    tree = resolution_tree(X)
    sets, nodes = members(X, tree), tree.nodes
    assert nodes["size"].tolist() == [len(one) for one in sets]
    found = {(e.source, e.target): e for e in tree.edges.itertuples()}
    for a in range(len(nodes)):
        for b in range(len(nodes)):
            together = sets[a] & sets[b]
            if nodes["level"][b] != nodes["level"][a] + 1 or not together:
                assert (a, b) not in found
                continue
            both = labelled(X, nodes["clustering"][a]) & labelled(X, nodes["clustering"][b])
            edge = found[a, b]
            assert edge.count == len(together)
            assert edge.in_proportion == pytest.approx(len(together) / len(sets[b] & both))
            assert edge.out_proportion == pytest.approx(len(together) / len(sets[a] & both))
            assert edge.is_main == (nodes["parent"][b] == a)
    for a in range(len(nodes)):
        values = []
        for level in range(len(tree.clusterings)):
            others = [b for b in range(len(nodes)) if nodes["level"][b] == level and sets[a] & sets[b]]
            if level == nodes["level"][a] or not others:
                continue
            seen = labelled(X, nodes["clustering"][a])
            values.append(sum(len(sets[a] & sets[b]) / len(sets[b] & seen) for b in others) / len(others) ** 2)
        expected = np.mean(values) if values else np.nan
        assert nodes["stability"][a] == pytest.approx(expected, nan_ok=True)


def test_parents_are_the_largest_parts():
    tree = resolution_tree({"two": [0, 0, 0, 0, 1, 1], "three": [0, 0, 1, 1, 1, 2]})
    assert tree.nodes["parent"].tolist() == [-1, -1, 0, 0, 1]
    sums = tree.edges.groupby("target")["in_proportion"].sum()
    np.testing.assert_allclose(sums, 1)


def test_a_cluster_that_all_have_is_stable():
    tree = resolution_tree({"a": [0, 0, 1, 1, 1], "b": [5, 5, 6, 6, 7], "c": [2, 2, 1, 3, 4]})
    stable = tree.nodes[tree.nodes["stability"] == 1]
    assert stable["cluster"].tolist() == [0, 5, 2]


def test_orders():
    X = pd.DataFrame({"k3": [0, 1, 2, 2], "k2": [0, 0, 1, 1], "k4": [0, 1, 2, 3]})
    assert resolution_tree(X).clusterings == ["k2", "k3", "k4"]
    assert resolution_tree(X, order="given").clusterings == ["k3", "k2", "k4"]
    assert resolution_tree(X, order=["k4", "k2"]).clusterings == ["k4", "k2"]
    assert resolution_tree(X, order=[2, 0]).clusterings == ["k4", "k3"]
    one = resolution_tree(X, order=["k2"])
    assert one.edges.empty
    assert one.nodes["stability"].isna().all()


@pytest.mark.parametrize("order", ["size", ["k9"], [7], [], ["k2", 1], 5, [1.5]])
def test_wrong_orders_are_refused(order):
    X = pd.DataFrame({"k3": [0, 1, 2, 2], "k2": [0, 0, 1, 1]})
    with pytest.raises(ValueError, match="order"):
        resolution_tree(X, order=order)


def test_many_equal_objects_give_the_same_shares():
    X = noisy_ensemble(n_clusterings=4).X
    one, many = resolution_tree(X), resolution_tree(np.vstack([X] * 50))
    np.testing.assert_allclose(one.nodes["stability"], many.nodes["stability"])
    np.testing.assert_allclose(50 * one.edges["count"], many.edges["count"])


def test_an_order_without_length_is_refused():
    with pytest.raises(ValueError, match="is not allowed; pass 'given'"):
        resolution_tree([[0, 0, 1], [0, 1, 2]], order=np.array(1))
