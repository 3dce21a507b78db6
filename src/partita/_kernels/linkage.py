"""Agglomerative trees (eq. P3): nearest-neighbour chain, and the tree that sorted merges make."""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

AVERAGE, COMPLETE, WARD = 0, 1, 2
METHODS = {"average": AVERAGE, "complete": COMPLETE, "ward": WARD}
_BLOCK = 2048  # entries searched one by one once their minimum is known: 8 or 16 KiB, which the first cache holds


class LinkageChain(NamedTuple):
    """State of a nearest-neighbour chain over n objects, between two calls of ``nn_chain``.

    Clusters live in slots, at first one per object; the dead ones are swept out now and then.
    A merge writes the *row* of the new cluster only: writing its column as well would touch one
    cache line per cluster at every merge. So of two clusters the younger one's row is right, and a
    row is brought up to date (``_refresh``) before it is read.
    """

    D: Any  # (n, n) float, distances between slots, +inf on the diagonal
    bits: Any  # the same memory as integers: non-negative floats sort as integers do
    cursor: Any  # (5,) int64: merges done, slots in use, merges since the sweep, chain length, first slot
    path: Any  # (n,) int64, slots on the chain
    dead: Any  # (n,) integer as wide as D: 0 for a living slot, else all bits but the sign
    ids: Any  # (n,) int64, name of a slot's cluster: the smallest object in it
    size: Any  # (n,) float64, weight of a slot's cluster
    stamp: Any  # (n,) int64, merges (since the sweep) that a slot's row includes
    merged: Any  # (n,) int64, slot of each merge since the sweep
    born: Any  # (n,) int64, merge since the sweep that made a slot's cluster, or -1


def start_chain(D: Any, size: Any) -> LinkageChain:
    """State of a chain that starts with one object per cluster; D is overwritten, size is not."""
    n = D.shape[0]
    integer = np.int64 if D.dtype == np.float64 else np.int32
    np.fill_diagonal(D, np.inf)
    return LinkageChain(
        D=D,
        bits=D.view(integer),
        cursor=np.array([0, n, 0, 0, 0], dtype=np.int64),
        path=np.empty(n, dtype=np.int64),
        dead=np.zeros(n, dtype=integer),
        ids=np.arange(n, dtype=np.int64),
        size=size.astype(np.float64),
        stamp=np.zeros(n, dtype=np.int64),
        merged=np.empty(n, dtype=np.int64),
        born=np.full(n, -1, dtype=np.int64),
    )


@helper
def _refresh(chain, x, n_merges):
    """Bring row x up to date: copy the distances to younger clusters from their rows."""
    row = chain.D[x]
    for k in range(chain.stamp[x], n_merges):
        s = chain.merged[k]
        if chain.born[s] == k:
            row[s] = chain.D[s, x]
    chain.stamp[x] = n_merges


@helper
def _sweep(chain, n_slots, n_merges, n_path):
    """Move the living clusters to the front of all arrays; returns how many they are."""
    place = np.empty(n_slots, dtype=np.int64)
    n_live = 0
    for x in range(n_slots):
        place[x] = -1
        if chain.dead[x] == 0:
            _refresh(chain, x, n_merges)
            place[x] = n_live
            n_live += 1
    for x in range(n_slots):
        if place[x] >= 0:
            source = chain.D[x]
            target = chain.D[place[x]]
            for j in range(n_slots):
                if place[j] >= 0:
                    target[place[j]] = source[j]
            chain.ids[place[x]] = chain.ids[x]
            chain.size[place[x]] = chain.size[x]
    for x in range(n_live):
        chain.dead[x] = 0
        chain.stamp[x] = 0
        chain.born[x] = -1
    for k in range(n_path):
        chain.path[k] = place[chain.path[k]]
    return n_live


@helper
def _merge_rows(D, n_slots, x, y, size, method):
    """Lance-Williams update of row y, which becomes the union of x and y."""
    rx = D[x]
    ry = D[y]
    nx = size[x]
    ny = size[y]
    share = D.dtype.type(nx / (nx + ny))
    rest = D.dtype.type(ny / (nx + ny))
    if method == AVERAGE:
        for j in range(n_slots):
            ry[j] = share * rx[j] + rest * ry[j]
    elif method == COMPLETE:
        for j in range(n_slots):
            ry[j] = rx[j] if rx[j] > ry[j] else ry[j]
    else:
        dxy2 = rx[y] * rx[y]
        for j in range(n_slots):
            nj = size[j]
            squared = ((nj + nx) * rx[j] * rx[j] + (nj + ny) * ry[j] * ry[j] - nj * dxy2) / (nj + nx + ny)
            ry[j] = np.sqrt(max(squared, 0.0))


@helper
def _nearest(bits, dead, n_slots, x, y):
    """Nearest living neighbour of x; y (or -1) is preferred among equals, then the first.

    Non-negative floats sort as integers, and the minimum of integers runs in SIMD. ``dead`` has
    all bits but the sign set where a cluster is dead, which makes its distance the largest.
    """
    row = bits[x]
    integer = dead.dtype.type  # numba would widen to 64 bits, and halve what fits a register
    best = np.int64(row[y]) if y >= 0 else np.int64(-1)
    block = -1
    for j0 in range(0, n_slots, _BLOCK):
        low = integer(np.iinfo(dead.dtype).max)
        for j in range(j0, min(n_slots, j0 + _BLOCK)):
            entry = integer(row[j] | dead[j])
            low = entry if entry < low else low
        if best < 0 or low < best:
            best = np.int64(low)
            block = j0
    if block < 0:
        return y
    j = block
    while (row[j] | dead[j]) != best:
        j += 1
    return j


@jit
def nn_chain(chain, method, n_steps, left, right, height):
    """Agglomerate by following nearest neighbours until two are each other's.

    Right for every reducible linkage; the merges come out unsorted. Resumed where it stopped, up
    to ``n_steps`` merges per call, so that the caller can show progress.

    chain  WORK
    method IN   AVERAGE, COMPLETE or WARD
    left, right, height OUT (n - 1,) int64, int64, float64: the clusters merged, by name
    """
    D = chain.D
    path, dead, ids, size = chain.path, chain.dead, chain.ids, chain.size
    n = D.shape[0]
    cursor = chain.cursor
    n_done, n_slots, n_merges, n_path, first = cursor[0], cursor[1], cursor[2], cursor[3], cursor[4]
    gone = np.iinfo(dead.dtype).max
    for _ in range(min(n_steps, n - 1 - n_done)):
        if 2 * (n - n_done) < n_slots and n_slots > 64:
            n_slots = _sweep(chain, n_slots, n_merges, n_path)
            n_merges = 0
            first = 0
        if n_path == 0:
            while dead[first] != 0:
                first += 1
            path[0] = first
            n_path = 1
        while True:
            x = path[n_path - 1]
            before = path[n_path - 2] if n_path > 1 else -1
            _refresh(chain, x, n_merges)
            y = _nearest(chain.bits, dead, n_slots, x, before)
            if y == before:
                break
            path[n_path] = y
            n_path += 1
        _refresh(chain, y, n_merges)  # it may have been read before the last merge
        n_path -= 2
        if ids[x] > ids[y]:
            x, y = y, x
        left[n_done] = ids[x]
        right[n_done] = ids[y]
        height[n_done] = D[x, y]
        # The union takes the slot of y and the name of x.
        _merge_rows(D, n_slots, x, y, size, method)
        D[y, y] = np.inf
        ids[y] = ids[x]
        size[y] += size[x]
        dead[x] = gone
        chain.born[x] = -1
        chain.born[y] = n_merges
        chain.merged[n_merges] = y
        n_merges += 1
        chain.stamp[y] = n_merges
        n_done += 1
    cursor[0], cursor[1], cursor[2], cursor[3], cursor[4] = n_done, n_slots, n_merges, n_path, first


@jit
def merge_tree(left, right, height, n_objects, tree):
    """Turn merges sorted by height into a tree in SciPy's form.

    left, right IN  (n - 1,) int64, any leaf of each of the two clusters
    height      IN  (n - 1,) float64, non-decreasing
    n_objects   IN  (n,) float64, objects in each leaf
    tree        OUT (n - 1, 4) float64: two clusters (smaller number first), height, objects
    """
    n = n_objects.shape[0]
    parent = np.empty(2 * n - 1, dtype=np.int64)
    members = np.empty(2 * n - 1, dtype=np.float64)
    for a in range(2 * n - 1):
        parent[a] = a
    for a in range(n):
        members[a] = n_objects[a]
    for k in range(n - 1):
        a = left[k]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        b = right[k]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        new = n + k
        parent[a] = new
        parent[b] = new
        members[new] = members[a] + members[b]
        tree[k, 0] = min(a, b)
        tree[k, 1] = max(a, b)
        tree[k, 2] = height[k]
        tree[k, 3] = members[new]


@jit
def prim_matrix(D, start, order, height):
    """Prim's algorithm on a full distance matrix: order of entry, and distance at entry.

    D      IN  (n, n) float64
    order  OUT (n,) int64
    height OUT (n,) float64, height[0] = 0
    """
    n = D.shape[0]
    nearest = np.empty(n, dtype=np.float64)
    outside = np.empty(n, dtype=np.bool_)
    for j in range(n):
        nearest[j] = np.inf
        outside[j] = True
    order[0] = start
    height[0] = 0.0
    outside[start] = False
    for k in range(1, n):
        row = D[order[k - 1]]
        best = -1
        for j in range(n):
            if outside[j]:
                if row[j] < nearest[j]:
                    nearest[j] = row[j]
                if best < 0 or nearest[j] < nearest[best]:
                    best = j
        order[k] = best
        height[k] = nearest[best]
        outside[best] = False
