"""Distinct rows of a code matrix, exactly, in one pass: pack, hash, compare."""

import numpy as np

from partita._kernels._jit import jit

_BATCH = 128  # rows packed before they are looked up, so that the look-ups overlap in the processor


@jit
def _mix(word):
    """Spread the bits of a word over all its bits (the finaliser of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@jit
def _hash(key):
    value = np.uint64(0x9E3779B97F4A7C15)
    for w in range(key.shape[0]):
        value = _mix(value ^ key[w])
    return value


@jit
def _find(key, hashed, keys, table, tags):
    """Slot of the hash table that holds ``key``, or the empty one where it belongs.

    The upper half of the hash, kept beside the table, spares most comparisons of unequal keys.
    """
    mask = np.uint64(table.shape[0] - 1)
    slot = hashed & mask
    tag = np.uint32(hashed >> np.uint64(32))
    while True:
        known = table[slot]
        if known < 0:
            tags[slot] = tag
            return slot
        if tags[slot] == tag:
            same = True
            for w in range(key.shape[0]):
                if keys[known, w] != key[w]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + np.uint64(1)) & mask


@jit
def distinct_rows(codes, starts, shift, keys, first, inverse):
    """Number the distinct rows by first appearance.

    codes   IN  (n, m) int32, -1 = missing
    starts  IN  (n_words + 1,) int64, word w of a key holds columns starts[w] to starts[w + 1] - 1
    shift   IN  (m,) int64, the bit of its word where column j begins
    keys    OUT (n, n_words) uint64, packed distinct rows (the first n_distinct are set)
    first   OUT (n,) int64, row of first appearance (the first n_distinct are set)
    inverse OUT (n,) int64, distinct row of each row
    Returns n_distinct. The table starts small, to stay in the cache, and grows when half full.
    """
    n = codes.shape[0]
    n_words = keys.shape[1]
    batch = np.empty((_BATCH, n_words), dtype=np.uint64)
    hashes = np.empty(_BATCH, dtype=np.uint64)
    table = np.full(1 << 12, -1, dtype=np.int32)
    tags = np.empty(table.shape[0], dtype=np.uint32)
    n_distinct = 0
    for i0 in range(0, n, _BATCH):
        i1 = min(n, i0 + _BATCH)
        for i in range(i0, i1):
            for w in range(n_words):
                word = np.uint64(0)
                for j in range(starts[w], starts[w + 1]):
                    word |= np.uint64(codes[i, j] + 1) << np.uint64(shift[j])
                batch[i - i0, w] = word
            hashes[i - i0] = _hash(batch[i - i0])
        if 2 * (n_distinct + _BATCH) > table.shape[0]:
            table = np.full(4 * table.shape[0], -1, dtype=np.int32)
            tags = np.empty(table.shape[0], dtype=np.uint32)
            for known in range(n_distinct):
                table[_find(keys[known], _hash(keys[known]), keys, table, tags)] = known
        for i in range(i0, i1):
            key = batch[i - i0]
            slot = _find(key, hashes[i - i0], keys, table, tags)
            if table[slot] < 0:
                table[slot] = n_distinct
                for w in range(n_words):
                    keys[n_distinct, w] = key[w]
                first[n_distinct] = i
                n_distinct += 1
            inverse[i] = table[slot]
    return n_distinct
