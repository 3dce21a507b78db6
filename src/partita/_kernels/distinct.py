"""Distinct rows of a code matrix, exactly, in one pass: pack, hash, compare."""

import numpy as np

from partita._kernels._jit import helper, jit

_FIRST_SIZE = 1 << 12  # slots of the first table: 32 KiB with their tags, which the first cache holds
_BATCH = 128  # rows packed before they are looked up, so that the look-ups overlap in the processor


@helper
def _mix(word):
    """Spread the bits of a word over all its bits (the finaliser of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@helper
def _hash(keys, i):
    """Hash of row i; rows are passed by place, because making a view of each costs more than hashing it."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for w in range(keys.shape[1]):
        value = _mix(value ^ keys[i, w])
    return value


@helper
def _empty_table(n_slots):
    """A table of free slots, and room for the tags beside them."""
    table = np.empty(n_slots, dtype=np.int32)
    for slot in range(n_slots):
        table[slot] = -1
    return table, np.empty(n_slots, dtype=np.uint32)


@helper
def _fill(table, tags, keys, n_keys):
    """Enter distinct keys into an empty table (slots hold -1), each at the first free slot from its hash on."""
    mask = table.shape[0] - 1
    for k in range(n_keys):
        hashed = _hash(keys, k)
        slot = np.int64(hashed & np.uint64(mask))
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = k
        tags[slot] = np.uint32(hashed >> np.uint64(32))


@jit
def distinct_rows(codes, starts, shift, keys, first, inverse):
    """Number the distinct rows by first appearance.

    codes   IN  (n, m) int32, -1 = missing
    starts  IN  (n_words + 1,) int64, word w of a key holds columns starts[w] to starts[w + 1] - 1
    shift   IN  (m,) int64, the bit of its word where column j begins
    keys    OUT (n, n_words) uint64, packed distinct rows (the first n_distinct are set)
    first   OUT (n,) int64, row of first appearance (the first n_distinct are set)
    inverse OUT (n,) int64, distinct row of each row
    Returns n_distinct. The hash table starts small, to stay in the cache, and grows when half full. The upper half of
    the hash is kept beside it, which spares most comparisons of unequal keys.
    """
    n = codes.shape[0]
    n_words = keys.shape[1]
    batch = np.empty((_BATCH, n_words), dtype=np.uint64)
    hashes = np.empty(_BATCH, dtype=np.uint64)
    table, tags = _empty_table(_FIRST_SIZE)
    n_distinct = 0
    for i0 in range(0, n, _BATCH):
        i1 = min(n, i0 + _BATCH)
        for i in range(i0, i1):
            value = np.uint64(0x9E3779B97F4A7C15)
            for w in range(n_words):
                word = np.uint64(0)
                for j in range(starts[w], starts[w + 1]):
                    word |= np.uint64(codes[i, j] + 1) << np.uint64(shift[j])
                batch[i - i0, w] = word
                value = _mix(value ^ word)  # as in _hash
            hashes[i - i0] = value
        if 2 * (n_distinct + _BATCH) > table.shape[0]:
            table, tags = _empty_table(4 * table.shape[0])
            _fill(table, tags, keys, n_distinct)
        mask = table.shape[0] - 1
        for i in range(i0, i1):
            b = i - i0
            tag = np.uint32(hashes[b] >> np.uint64(32))
            slot = np.int64(hashes[b] & np.uint64(mask))
            while True:
                known = table[slot]
                if known < 0:
                    known = n_distinct
                    table[slot] = known
                    tags[slot] = tag
                    for w in range(n_words):
                        keys[known, w] = batch[b, w]
                    first[known] = i
                    n_distinct += 1
                    break
                if tags[slot] == tag:
                    same = True
                    for w in range(n_words):
                        same &= keys[known, w] == batch[b, w]
                    if same:
                        break
                slot = (slot + 1) & mask
            inverse[i] = known
    return n_distinct
