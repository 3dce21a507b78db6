"""Trees in SciPy's form: the order of their leaves, their top, and their lines. No recursion: a tree can be a chain."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from partita._typing import FloatArray, IntArray


def average_linkage(D: FloatArray) -> FloatArray:
    """Tree of average linkage of a symmetric matrix of dissimilarities; without merges if there is one object."""
    if len(D) < 2:
        return np.empty((0, 4))
    return np.asarray(linkage(squareform(D, checks=False), "average"))


def leaf_order(tree: FloatArray, values: FloatArray) -> IntArray:
    """Leaves from one side to the other; at each merge the branch with the smaller mean of ``values`` comes first."""
    n = len(tree) + 1
    children = tree[:, :2].astype(np.int64).tolist()
    size, total = [1] * n, np.asarray(values, dtype=np.float64).tolist()
    for node, (left, right) in enumerate(children):
        if total[left] * size[right] > total[right] * size[left]:
            children[node] = [right, left]
        size.append(size[left] + size[right])
        total.append(total[left] + total[right])
    start = [0] * (2 * n - 1)
    for node in reversed(range(len(tree))):
        left, right = children[node]
        start[left] = start[n + node]
        start[right] = start[n + node] + size[left]
    return np.argsort(np.array(start[:n]))


def tree_lines(tree: FloatArray, order: IntArray, floor: float = 0.0) -> FloatArray:
    """Lines of a tree, (n_merges, 4, 2): up from one branch, across, and down to the other; leaf i is at place i + 0.5.

    The first coordinate goes along the leaves, the second is the height; leaves are at the height ``floor``.
    """
    n = len(tree) + 1
    place, height = np.empty(2 * n - 1), np.full(2 * n - 1, floor)
    place[order] = np.arange(n) + 0.5
    height[n:] = tree[:, 2]
    children = tree[:, :2].astype(np.int64)
    for node, (left, right) in enumerate(children.tolist()):
        place[n + node] = (place[left] + place[right]) / 2
    left, right = children.T
    along = np.column_stack([place[left], place[left], place[right], place[right]])
    up = np.column_stack([height[left], height[n:], height[n:], height[right]])
    return np.stack([along, up], axis=2)


class TreeTop(NamedTuple):
    """The last merges of a tree: its leaves are branches of the whole one."""

    tree: FloatArray  # (n_branches - 1, 4)
    branch: IntArray  # (n_leaves,) branch of each leaf of the whole tree
    size: IntArray  # (n_branches,) leaves of each branch


def top_of_tree(tree: FloatArray, n_branches: int) -> TreeTop:
    """The last ``n_branches - 1`` merges."""
    n, n_below = len(tree) + 1, len(tree) + 1 - n_branches
    ends = tree[:n_below, :2].astype(np.int64)
    made = n + np.arange(n_below)
    graph = sparse.coo_array(
        (np.ones(2 * n_below, dtype=np.int8), (np.tile(made, 2), ends.T.ravel())), shape=(n + n_below, n + n_below)
    )
    branch = connected_components(graph, directed=False)[1]  # of every node below the top
    number = np.concatenate([branch, n_branches + np.arange(n_branches - 1)])
    top = tree[n_below:].copy()
    top[:, :2] = number[top[:, :2].astype(np.int64)]
    of_leaf = branch[:n].astype(np.int64)
    return TreeTop(top, of_leaf, np.bincount(of_leaf, minlength=n_branches))


def node_clusters(tree: FloatArray, clusters: IntArray) -> IntArray:
    """Cluster of every leaf and then of every merge whose leaves are all in one; -1 where they are not."""
    of_node = np.asarray(clusters, dtype=np.int64).tolist()
    for left, right in tree[:, :2].astype(np.int64).tolist():
        of_node.append(of_node[left] if of_node[left] == of_node[right] else -1)
    return np.array(of_node, dtype=np.int64)
