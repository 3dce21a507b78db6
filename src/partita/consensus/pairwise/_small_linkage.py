"""The kernels of evidence accumulation again, in NumPy: the same bits without a compiler, for small problems.

Each function takes the steps of its kernel in ``_kernels/agreement.py`` or ``_kernels/linkage.py`` in the same order,
so sums round and ties break in the same way; the tests compare them bit by bit.
"""

from typing import Any

import numpy as np

from partita._kernels._ready import is_ready
from partita._labels.ensemble import WeightedColumns
from partita._typing import Array, FloatArray, IntArray
from partita.metrics._small_agreement import SMALL, count_rows


def is_small(n_rows: int) -> bool:
    """Whether NumPy is the quicker way: few rows, and kernels that are not ready."""
    return n_rows <= SMALL and not is_ready("linkage", "merge_tree")


def is_ordinary(D: Array) -> bool:
    """Whether all distances are numbers from 0 on; the kernel orders others in its own way (by their bits)."""
    return bool(D.dtype == np.float64 and D.min() >= 0 and D.max() < np.inf)


def dissimilarity_rows(groups: WeightedColumns, lo: int, hi: int) -> FloatArray:
    """1 - C / N (1 where N = 0) of rows lo..hi-1 with all rows."""
    count = count_rows(groups, groups.weights, lo, hi, seen=False)
    if not groups.has_missing:
        return 1.0 - count / groups.total
    return 1.0 - _divide(count, count_rows(groups, groups.weights, lo, hi, seen=True))


def _divide(count: FloatArray, common: FloatArray) -> FloatArray:
    return np.divide(count, common, out=np.zeros_like(count), where=common > 0)


# --------------------------------------------------------------------------------------------------------- linkage
def chain_link(D: FloatArray, row_weights: FloatArray, method: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges by the nearest-neighbour chain, as ``nn_chain``; D is overwritten."""
    n = len(D)
    left, right, height = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1)
    np.fill_diagonal(D, np.inf)
    names, size, dead = np.arange(n), row_weights.astype(np.float64), np.zeros(n, dtype=bool)
    path: list[int] = []
    for step in range(n - 1):
        if not path:
            path.append(int(dead.argmin()))  # the first that lives
        x, y = _follow(D, path)
        if names[x] > names[y]:
            x, y = y, x
        left[step], right[step], height[step] = names[x], names[y], D[x, y]
        # the union takes the slot of y and the name of x
        union = _merge_rows(D, x, y, size, method)
        dead[x] = True
        union[dead] = np.inf
        union[y] = np.inf
        D[y], D[:, y], D[:, x] = union, union, np.inf
        names[y] = names[x]
        size[y] += size[x]
    return left, right, height


def _follow(D: FloatArray, path: list[int]) -> tuple[int, int]:
    """Follow nearest neighbours until two are each other's, and take them from the path.

    The one before is preferred among equally near ones, then the first.
    """
    while True:
        x = path[-1]
        row = D[x]
        y = int(row.argmin())
        if len(path) > 1 and row[path[-2]] <= row[y]:
            y = path[-2]
            del path[-2:]
            return x, y
        path.append(y)


def _merge_rows(D: FloatArray, x: int, y: int, size: FloatArray, method: str) -> FloatArray:
    """Lance-Williams update: distances of the union of x and y."""
    to_x, to_y, of_x, of_y = D[x], D[y], size[x], size[y]
    if method == "average":
        return np.asarray(of_x / (of_x + of_y) * to_x + of_y / (of_x + of_y) * to_y)
    if method == "complete":
        return np.asarray(np.where(to_x > to_y, to_x, to_y))
    between = to_x[y] * to_x[y]
    squared = ((size + of_x) * to_x * to_x + (size + of_y) * to_y * to_y - size * between) / (size + of_x + of_y)
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def single_link(groups: WeightedColumns) -> tuple[IntArray, IntArray, FloatArray]:
    """Merges of single linkage by Prim's walk, as ``prim`` and ``prim_with_holes``."""
    n = groups.n_rows
    S = count_rows(groups, groups.weights, 0, n, seen=False)
    if groups.has_missing:
        S = _divide(S, count_rows(groups, groups.weights, 0, n, seen=True))
    full = 1.0 if groups.has_missing else np.inf  # only ``prim_with_holes`` sets objects of similarity 1 aside
    order, similarity = np.zeros(n, dtype=np.int64), np.ones(n)
    ids, best = np.arange(1, n), np.full(n - 1, -1.0)
    waiting: list[int] = []
    for n_inside in range(1, n):
        np.maximum(best, S[order[n_inside - 1], ids], out=best)
        for place in np.flatnonzero(best >= full)[::-1]:
            waiting.append(int(ids[place]))
            ids, best = _without(ids, best, int(place))
        if waiting:
            order[n_inside] = waiting.pop()
            continue
        place = int(best.argmax())
        order[n_inside], similarity[n_inside] = ids[place], best[place]
        ids, best = _without(ids, best, place)
    found = similarity[1:] if groups.has_missing else similarity[1:] / groups.total
    return order[:-1], order[1:], 1 - found


def _without(ids: IntArray, best: FloatArray, place: int) -> tuple[IntArray, FloatArray]:
    """All but one place; the last one fills the gap."""
    ids[place], best[place] = ids[-1], best[-1]
    return ids[:-1], best[:-1]


def merge_tree(left: IntArray, right: IntArray, height: FloatArray, n_objects: FloatArray) -> FloatArray:
    """Tree in SciPy's form of merges sorted by height, as the kernel of that name."""
    n = len(n_objects)
    parent, members = list(range(2 * n - 1)), n_objects.tolist()
    rows: list[tuple[Any, ...]] = []
    for new, (x, y, merged_at) in enumerate(zip(left.tolist(), right.tolist(), height.tolist(), strict=True), start=n):
        a, b = _root(parent, x), _root(parent, y)
        parent[a] = parent[b] = new
        members.append(members[a] + members[b])
        rows.append((min(a, b), max(a, b), merged_at, members[new]))
    return np.array(rows, dtype=np.float64).reshape(n - 1, 4)


def _root(parent: list[int], node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
