"""Compare rows of labels: how many clusterings agree on two objects, and Prim on top of it.

The label codes are stored with one row per *clustering* and in the smallest unsigned type, so that one
instruction compares 32 or 64 objects. Clusterings come in groups of equal weight, at most 255 per group,
so that the agreements of a group fit a byte.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_SLACK = 1e-9  # relative rounding of sums of weights
_FEW = 40  # share of a chunk, one in 40, up to which pairs are counted one by one; a guess at what SIMD saves
CHUNK = 2048  # objects compared at a time: their codes and counts stay in the second-level cache


class Walk(NamedTuple):
    """State of Prim's walk through n objects, between two calls of ``prim``."""

    n_inside: Any  # (1,) int64, objects in the tree so far; starts at 1
    row: Any  # (m,) codes of the object that entered last
    ids: Any  # (n - 1,) int64, object in each place of the columns; starts as all but the first
    best: Any  # (n - 1,) float64, best similarity to the tree so far; starts at -1
    order: Any  # (n,) int64, objects in order of entry; order[0] is set by the caller
    similarity: Any  # (n,) float64, similarity with which each object entered


def start_walk(row: Any, n: int) -> Walk:
    """State of a walk over n objects that begins at object 0, whose codes are ``row``."""
    return Walk(
        n_inside=np.ones(1, dtype=np.int64),
        row=row,
        ids=np.arange(1, n, dtype=np.int64),
        best=np.full(n - 1, -1.0),
        order=np.zeros(n, dtype=np.int64),
        similarity=np.ones(n),
    )


class HoleWalk(NamedTuple):
    """State of Prim's walk where labels are missing, between two calls of ``prim_with_holes``.

    Places 0 to n_open - 1 of the columns hold objects outside the tree whose best similarity is below 1; those from
    n_taken on hold objects that are similar by 1 to the tree and wait for their turn, the latest first.
    """

    cursor: Any  # (3,) int64: n_inside, n_open, n_taken; starts as 1, n - 1, n - 1
    row: Any  # (m,) codes of the object that entered last
    row_seen: Any  # (1,) float64, weight of the clusterings that label it
    ids: Any  # (n - 1,) int64, object in each place
    seen: Any  # (n - 1,) float64, weight of the clusterings that label it
    best: Any  # (n - 1,) float64, best similarity to the tree so far; starts at 0
    order: Any  # (n,) int64, objects in order of entry
    similarity: Any  # (n,) float64, similarity with which each object entered


def start_walk_with_holes(row: Any, seen: Any) -> HoleWalk:
    """State of a walk that begins at object 0, whose codes are ``row``; ``seen`` is of all objects."""
    n = len(seen)
    return HoleWalk(
        cursor=np.array([1, n - 1, n - 1], dtype=np.int64),
        row=row,
        row_seen=np.array(seen[:1]),
        ids=np.arange(1, n, dtype=np.int64),
        seen=np.array(seen[1:]),
        best=np.zeros(n - 1),
        order=np.zeros(n, dtype=np.int64),
        similarity=np.ones(n),
    )


@helper
def _count_chunk(columns, row, group, j0, j1, seen, acc):
    """Agreements of the codes ``row`` with objects j0..j1-1 over one group, into ``acc``.

    With ``seen`` the clusterings that label both are counted instead of those that agree.
    """
    width = j1 - j0
    for j in range(width):
        acc[j] = 0
    missing = columns.missing
    for k in range(columns.starts[group], columns.starts[group + 1]):
        code = row[k]
        if code == missing:
            continue
        column = columns.codes[k, j0:j1]
        if seen:
            for j in range(width):
                acc[j] += np.uint8(column[j] != missing)
        else:
            for j in range(width):
                acc[j] += np.uint8(column[j] == code)


@helper
def _weigh_chunk(columns, weights, row, j0, j1, seen, acc, out):
    """Weighted agreements (or common clusterings) of ``row`` with objects j0..j1-1, into ``out``."""
    for g in range(weights.shape[0]):
        weight = weights[g]
        _count_chunk(columns, row, g, j0, j1, seen, acc)
        if g == 0:
            for j in range(j1 - j0):
                out[j] = weight * acc[j]
        else:
            for j in range(j1 - j0):
                out[j] += weight * acc[j]


@jit
def count_rows(columns, weights, lo, hi, upper, seen, out):
    """Agreements of objects lo..hi-1 with all objects.

    columns IN  CodeColumns of n objects
    weights IN  (n_groups,) of the type of ``out``
    upper   IN  bool: only objects j >= i, the rest of ``out`` is not touched
    seen    IN  bool: count clusterings that label both (N) instead of those that agree (C)
    out     OUT (hi - lo, n)
    """
    n = columns.codes.shape[1]
    acc = np.empty(CHUNK, dtype=np.uint8)
    row = np.empty(columns.codes.shape[0], dtype=columns.codes.dtype)
    for c0 in range(0, n, CHUNK):
        j1 = min(n, c0 + CHUNK)
        for i in range(lo, hi):
            j0 = max(i, c0) if upper else c0
            if j0 >= j1:
                continue
            for k in range(row.shape[0]):
                row[k] = columns.codes[k, i]
            _weigh_chunk(columns, weights, row, j0, j1, seen, acc, out[i - lo, j0:j1])


@jit
def mirror(square, stop):
    """Copy the upper triangle of a square matrix to the lower one, tile by tile; ``stop`` not 0: return at once."""
    n = square.shape[0]
    tile = 64
    for i0 in range(0, n, tile):
        if stop[0] != 0:
            return
        for j0 in range(i0, n, tile):
            for j in range(j0, min(n, j0 + tile)):
                for i in range(i0, min(n, i0 + tile, j)):
                    square[j, i] = square[i, j]


@jit
def count_pairs(codes, weights, left, right, counts, totals):
    """Agreements and common clusterings of given pairs of objects.

    codes   IN  (n, m) int32, -1 = missing
    weights IN  (m,) of the type of ``counts``
    left, right    IN  (n_pairs,) int32
    counts, totals OUT (n_pairs,)
    """
    for p in range(left.shape[0]):
        i, j = left[p], right[p]
        count = weights[0] * 0
        total = weights[0] * 0
        for k in range(codes.shape[1]):
            a, b = codes[i, k], codes[j, k]
            if a >= 0 and b >= 0:
                total += weights[k]
                if a == b:
                    count += weights[k]
        counts[p] = count
        totals[p] = total


@jit
def dissimilarity_rows(columns, weights, total, lo, hi, out):
    """1 - C / N (1 where N = 0) of objects lo..hi-1 with all objects.

    columns IN  CodeColumns of n objects
    weights IN  (n_groups,) float64
    total   IN  float64: N_ij if nothing is missing, 0 if it has to be counted pair by pair
    out     OUT (hi - lo, n) float
    """
    n = columns.codes.shape[1]
    acc = np.empty(CHUNK, dtype=np.uint8)
    count = np.empty(CHUNK, dtype=np.float64)
    common = np.empty(CHUNK, dtype=np.float64)
    row = np.empty(columns.codes.shape[0], dtype=columns.codes.dtype)
    for j0 in range(0, n, CHUNK):
        j1 = min(n, j0 + CHUNK)
        for i in range(lo, hi):
            for k in range(row.shape[0]):
                row[k] = columns.codes[k, i]
            target = out[i - lo, j0:j1]
            _weigh_chunk(columns, weights, row, j0, j1, False, acc, count)
            if total > 0.0:
                for j in range(j1 - j0):
                    target[j] = 1.0 - count[j] / total
            else:
                _weigh_chunk(columns, weights, row, j0, j1, True, acc, common)
                for j in range(j1 - j0):
                    target[j] = 1.0 - (count[j] / common[j] if common[j] > 0.0 else 0.0)


@jit
def prim(columns, weights, n_steps, walk):
    """Walk the maximum spanning tree of the co-association by Prim's algorithm; no label is missing.

    Resumed where it stopped, up to ``n_steps`` objects per call, so that the caller can show
    progress. No n x n matrix: each step compares one row of labels with those of the objects
    outside the tree, which are kept contiguous by moving the last one into the gap.

    columns  WORK CodeColumns of all objects but the first, permuted as objects leave
    weights  IN   (n_groups,) float64
    walk     WORK, OUT; similarities are left as C, to be divided by N at the end
    """
    acc = np.empty(CHUNK, dtype=np.uint8)
    count = np.empty(CHUNK, dtype=np.float64)
    best = walk.best
    bits = best.view(np.int64)  # non-negative floats sort as integers, and integers reduce in SIMD
    n = walk.order.shape[0]
    for n_inside in range(walk.n_inside[0], min(n, walk.n_inside[0] + n_steps)):
        n_outside = n - n_inside
        top = np.int64(-1)
        place = 0
        for j0 in range(0, n_outside, CHUNK):
            j1 = min(n_outside, j0 + CHUNK)
            _weigh_chunk(columns, weights, walk.row, j0, j1, False, acc, count)
            for j in range(j1 - j0):
                best[j0 + j] = count[j] if count[j] > best[j0 + j] else best[j0 + j]
            chunk_top = np.int64(-1)
            for j in range(j0, j1):
                chunk_top = max(chunk_top, bits[j])
            if chunk_top > top:
                top = chunk_top
                place = j0
        while bits[place] != top:
            place += 1
        walk.order[n_inside] = walk.ids[place]
        walk.similarity[n_inside] = best[place]
        last = n_outside - 1
        for k in range(columns.codes.shape[0]):
            walk.row[k] = columns.codes[k, place]
            columns.codes[k, place] = columns.codes[k, last]
        walk.ids[place] = walk.ids[last]
        best[place] = best[last]
    walk.n_inside[0] = min(n, walk.n_inside[0] + n_steps)


@helper
def _common_of(columns, weights, row, j):
    """Weight of the clusterings that label both ``row`` and object j, added up as in ``_weigh_chunk``."""
    total = 0.0
    for g in range(weights.shape[0]):
        acc = 0
        for k in range(columns.starts[g], columns.starts[g + 1]):
            if row[k] != columns.missing and columns.codes[k, j] != columns.missing:
                acc += 1
        total += weights[g] * acc
    return total


@helper
def _raise_place(columns, weights, walk, j, count):
    """Raise the best similarity of a place to C / N with the object that entered last; whether it rose."""
    both = _common_of(columns, weights, walk.row, j)
    similarity = count / both if both > 0.0 else 0.0
    if similarity > walk.best[j]:
        walk.best[j] = similarity
        return True
    return False


@helper
def _raise_chunk(columns, weights, total, walk, j0, j1, acc, count, common):
    """Raise the best similarities of places j0..j1-1 to those with the object that entered last; whether any may have.

    N_ij is at least the sum of what labels i and what labels j, less the total; so C_ij bounds S_ij from above, and
    N_ij is counted only where that bound exceeds the best so far (eq. P68).
    """
    best, seen, width = walk.best, walk.seen, j1 - j0
    _weigh_chunk(columns, weights, walk.row, j0, j1, False, acc, count)
    least = walk.row_seen[0] - total - _SLACK * total  # rounding must not hide a better one
    n_possible = 0
    for j in range(width):
        n_possible += np.int64(count[j] > best[j0 + j] * (least + seen[j0 + j]))
    if n_possible > width // _FEW:
        _weigh_chunk(columns, weights, walk.row, j0, j1, True, acc, common)
        for j in range(width):
            similarity = count[j] / common[j] if common[j] > 0.0 else 0.0
            best[j0 + j] = similarity if similarity > best[j0 + j] else best[j0 + j]
    elif n_possible > 0:
        for j in range(width):
            if count[j] > best[j0 + j] * (least + seen[j0 + j]):
                _raise_place(columns, weights, walk, j0 + j, count[j])
    return n_possible > 0


@helper
def _note_need(walk, weight, need, j):
    """Smallest C that may raise the best similarity of a place, for each number of labels of the other object."""
    n_columns = need.shape[0] - 1
    known = walk.seen[j] / weight - n_columns - _SLACK * n_columns
    for n_seen in range(n_columns + 1):
        bound = walk.best[j] * (known + n_seen)
        need[n_seen, j] = np.uint8(bound) + 1 if bound > 0.0 else 1


@helper
def _raise_chunk_by_bytes(columns, weights, walk, need, j0, j1, acc):
    """As ``_raise_chunk`` where all clusterings have one weight: counts are compared as bytes."""
    width = j1 - j0
    _count_chunk(columns, walk.row, 0, j0, j1, False, acc)
    enough = need[np.int64(walk.row_seen[0] / weights[0] + 0.5), j0:j1]
    possible = np.uint8(0)
    for j in range(width):
        possible |= np.uint8(acc[j] >= enough[j])
    if possible == 0:
        return False
    for j in range(width):
        if acc[j] >= enough[j] and _raise_place(columns, weights, walk, j0 + j, weights[0] * acc[j]):
            _note_need(walk, weights[0], need, j0 + j)
    return True


@helper
def _highest(bits, j0, j1):
    """Highest of the similarities of places j0..j1-1, as bits."""
    top = np.int64(-1)
    for j in range(j0, j1):
        top = max(top, bits[j])
    return top


@helper
def _fill_place(columns, walk, need, j, last):
    """Let the last open place fill the gap at j."""
    for k in range(columns.codes.shape[0]):
        columns.codes[k, j] = columns.codes[k, last]
    for n_seen in range(need.shape[0]):
        need[n_seen, j] = need[n_seen, last]
    walk.ids[j], walk.seen[j], walk.best[j] = walk.ids[last], walk.seen[last], walk.best[last]


@helper
def _close_places(columns, walk, need, kept, n_open, n_taken):
    """Move objects of similarity 1 from the open places to the waiting ones; returns both counts."""
    codes = columns.codes
    for j in range(n_open - 1, -1, -1):
        if walk.best[j] < 1.0:
            continue
        n_open -= 1
        n_taken -= 1
        for k in range(codes.shape[0]):
            kept[k] = codes[k, j]
        name, seen = walk.ids[j], walk.seen[j]
        _fill_place(columns, walk, need, j, n_open)
        for k in range(codes.shape[0]):
            codes[k, n_taken] = kept[k]
        walk.ids[n_taken], walk.seen[n_taken], walk.best[n_taken] = name, seen, 1.0
    return n_open, n_taken


@helper
def _enter(columns, walk, place, n_inside):
    """The object at a place enters the tree."""
    walk.order[n_inside] = walk.ids[place]
    walk.similarity[n_inside] = walk.best[place]
    walk.row_seen[0] = walk.seen[place]
    for k in range(columns.codes.shape[0]):
        walk.row[k] = columns.codes[k, place]


@jit
def prim_with_holes(columns, weights, total, n_steps, walk):
    """Walk the maximum spanning tree of C / N by Prim's algorithm where labels are missing.

    As ``prim``, with two savings. An object of similarity 1 to the tree is not compared any more; such objects enter
    before all others, the latest first, so that the walk soon reaches every part of the data. And N is counted only
    where C leaves a chance.

    columns WORK CodeColumns of all objects but the first, permuted as objects leave
    weights IN   (n_groups,) float64
    total   IN   float64, weight of all clusterings
    walk    WORK, OUT HoleWalk
    """
    acc = np.empty(CHUNK, dtype=np.uint8)
    count = np.empty(CHUNK, dtype=np.float64)
    common = np.empty(CHUNK, dtype=np.float64)
    kept = np.empty(columns.codes.shape[0], dtype=columns.codes.dtype)
    best = walk.best
    bits = best.view(np.int64)
    one = np.ones(1).view(np.int64)[0]
    n = walk.order.shape[0]
    n_open, n_taken = walk.cursor[1], walk.cursor[2]
    by_bytes = weights.shape[0] == 1 and columns.codes.shape[0] < 255  # C + 1 must fit a byte
    need = np.empty((columns.codes.shape[0] + 1 if by_bytes else 0, n_open), dtype=np.uint8)
    if by_bytes:
        for j in range(n_open):
            _note_need(walk, weights[0], need, j)
    tops = np.empty(n_open // CHUNK + 1, dtype=np.int64)  # highest similarity of each chunk, as bits
    for chunk in range(tops.shape[0]):
        tops[chunk] = _highest(bits, chunk * CHUNK, min(n_open, (chunk + 1) * CHUNK))
    stop = min(n, walk.cursor[0] + n_steps)
    for n_inside in range(walk.cursor[0], stop):
        top = np.int64(-1)
        place = 0
        for j0 in range(0, n_open, CHUNK):
            j1 = min(n_open, j0 + CHUNK)
            if by_bytes:
                raised = _raise_chunk_by_bytes(columns, weights, walk, need, j0, j1, acc)
            else:
                raised = _raise_chunk(columns, weights, total, walk, j0, j1, acc, count, common)
            if raised:
                tops[j0 // CHUNK] = _highest(bits, j0, j1)
            if tops[j0 // CHUNK] > top:
                top = tops[j0 // CHUNK]
                place = j0
        if top >= one:
            n_open, n_taken = _close_places(columns, walk, need, kept, n_open, n_taken)
            for j0 in range(0, n_open, CHUNK):
                tops[j0 // CHUNK] = _highest(bits, j0, min(n_open, j0 + CHUNK))
        if n_taken < n - 1:
            _enter(columns, walk, n_taken, n_inside)
            n_taken += 1
            continue
        while bits[place] != top:
            place += 1
        _enter(columns, walk, place, n_inside)
        n_open -= 1
        _fill_place(columns, walk, need, place, n_open)
        for j in (place, n_open):
            j0 = j - j % CHUNK
            tops[j0 // CHUNK] = _highest(bits, j0, min(n_open, j0 + CHUNK))
    walk.cursor[0], walk.cursor[1], walk.cursor[2] = stop, n_open, n_taken


@jit
def sum_of_squares(columns, weights, total, row_weights, lo, hi):
    """Sum of w_i w_j C_ij^2 / N_ij over objects lo <= i < hi and j > i (0 where N_ij = 0).

    columns    IN CodeColumns of n objects
    weights    IN (n_groups,) float64
    total      IN float64: N_ij if nothing is missing, 0 if it has to be counted pair by pair
    row_weights IN (n,) float64
    """
    n = columns.codes.shape[1]
    acc = np.empty(CHUNK, dtype=np.uint8)
    count = np.empty(CHUNK, dtype=np.float64)
    common = np.empty(CHUNK, dtype=np.float64)
    row = np.empty(columns.codes.shape[0], dtype=columns.codes.dtype)
    everything = 0.0
    for i in range(lo, hi):
        for k in range(row.shape[0]):
            row[k] = columns.codes[k, i]
        part = 0.0
        for j0 in range(i + 1, n, CHUNK):
            j1 = min(n, j0 + CHUNK)
            _weigh_chunk(columns, weights, row, j0, j1, False, acc, count)
            if total > 0.0:
                for j in range(j1 - j0):
                    part += row_weights[j0 + j] * count[j] * count[j] / total
            else:
                _weigh_chunk(columns, weights, row, j0, j1, True, acc, common)
                for j in range(j1 - j0):
                    if common[j] > 0.0:
                        part += row_weights[j0 + j] * count[j] * count[j] / common[j]
        everything += row_weights[i] * part
    return everything
