"""Orders, tops and lines of trees, against SciPy and plain walks through the tree."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

from partita.plotting._tree import average_linkage, leaf_order, node_clusters, top_of_tree, tree_lines


def members(tree, node):
    """Leaves of a node, by a walk with a stack."""
    n, stack, found = len(tree) + 1, [node], []
    while stack:
        top = int(stack.pop())
        if top < n:
            found.append(top)
        else:
            stack += tree[top - n, :2].tolist()
    return found


@pytest.fixture
def tree(rng):
    return linkage(rng.random((30, 3)), "average")


def chain(n):
    """A tree that adds one leaf at a time, far deeper than Python may recurse."""
    merges = np.arange(n - 1)
    left = np.where(merges == 0, 0, n + merges - 1)
    return np.column_stack([left, merges + 1, merges + 1.0, merges + 2]).astype(float)


def test_average_linkage_is_that_of_scipy(rng):
    D = rng.random((8, 8))
    D = D + D.T
    np.fill_diagonal(D, 0)
    np.testing.assert_allclose(average_linkage(D), linkage(D[np.triu_indices(8, 1)], "average"))
    assert average_linkage(np.zeros((1, 1))).shape == (0, 4)


def test_every_branch_is_a_run_of_the_order(tree, rng):
    place = np.argsort(leaf_order(tree, rng.random(30)))
    for node in range(30, 59):
        places = np.sort(place[members(tree, node)])
        np.testing.assert_array_equal(places, np.arange(places[0], places[0] + len(places)))


def test_the_branch_with_the_smaller_mean_comes_first(tree, rng):
    values = rng.random(30)
    place = np.argsort(leaf_order(tree, values))
    for left, right in tree[:, :2]:
        a, b = members(tree, left), members(tree, right)
        assert (place[a].max() < place[b].min()) == (values[a].mean() <= values[b].mean())


def test_without_preference_the_order_is_that_of_scipy(tree):
    np.testing.assert_array_equal(leaf_order(tree, np.zeros(30)), leaves_list(tree))


def test_a_deep_chain_needs_no_recursion():
    deep = chain(5000)
    order = leaf_order(deep, np.arange(5000.0))
    np.testing.assert_array_equal(order, np.arange(5000))
    assert tree_lines(deep, order).shape == (4999, 4, 2)


def test_lines_join_the_middles_of_the_branches(tree):
    order = leaf_order(tree, np.zeros(30))
    lines = tree_lines(tree, order)
    place = np.argsort(order) + 0.5
    for line, (left, right, height, _) in zip(lines, tree, strict=True):
        assert line[1, 1] == line[2, 1] == height
        for leg, child in ((line[:2], left), (line[:1:-1], right)):
            child = int(child)
            assert leg[0, 0] == leg[1, 0]
            if child < 30:
                np.testing.assert_allclose(leg[0], [place[child], 0])
            else:
                np.testing.assert_allclose(leg[0], [lines[child - 30, 1:3, 0].mean(), tree[child - 30, 2]])


def test_leaves_stand_at_the_floor(tree):
    lines = tree_lines(tree, leaf_order(tree, np.zeros(30)), floor=-1.0)
    assert lines[0, 0, 1] == lines[0, 3, 1] == -1.0


@pytest.mark.parametrize("n_branches", [2, 7, 30])
def test_the_top_has_the_branches_of_the_cut(tree, n_branches):
    top = top_of_tree(tree, n_branches)
    flat = fcluster(tree, n_branches, "maxclust")
    pairs = {*zip(top.branch.tolist(), flat.tolist(), strict=True)}
    assert len(pairs) == n_branches == len(top.size)
    np.testing.assert_array_equal(top.size, np.bincount(top.branch))
    np.testing.assert_array_equal(top.tree[:, 2], tree[-(n_branches - 1) :, 2])


def test_the_top_merges_the_same_leaves_as_the_tree(tree):
    top = top_of_tree(tree, 7)
    for step in range(6):
        whole = members(tree, 30 + 23 + step)
        branches = members(top.tree, 7 + step)
        assert sorted(np.flatnonzero(np.isin(top.branch, branches)).tolist()) == sorted(whole)


def test_a_merge_has_a_cluster_if_its_leaves_have_one(tree):
    clusters = fcluster(tree, 4, "maxclust") - 1
    found = node_clusters(tree, clusters)
    for node in range(59):
        inside = set(clusters[members(tree, node)].tolist())
        assert found[node] == (inside.pop() if len(inside) == 1 else -1)
