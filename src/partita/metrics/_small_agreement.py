"""The kernels of agreement again, in NumPy: the same numbers without a compiler, for small problems."""

import numpy as np

from partita._kernels._ready import is_ready
from partita._labels.ensemble import WeightedColumns
from partita._typing import Array

# rows up to which NumPy takes less than loading numba: 0.1 s for 2000 rows and 100 clusterings, against about 1 s
SMALL = 2000
_ROWS = 64  # rows compared at a time: 128 KiB of counts, which the second cache holds


def is_small(n_rows: int) -> bool:
    """Whether NumPy is the quicker way: few rows, and a kernel that is not ready."""
    return n_rows <= SMALL and not is_ready("agreement", "count_rows")


def count_rows(columns: WeightedColumns, weights: Array, lo: int, hi: int, *, seen: bool) -> Array:
    """Weight of the clusterings in which rows lo..hi-1 agree with each row or, if ``seen``, label both.

    Group by group, as the kernel does, so that real weights add up to the same bits. ``weights`` are those of the
    groups, in the type of the result.
    """
    out = np.empty((hi - lo, columns.n_rows), dtype=weights.dtype)
    for start in range(lo, hi, _ROWS):
        stop = min(hi, start + _ROWS)
        part = out[start - lo : stop - lo]
        for g, weight in enumerate(weights):
            count = _count_group(columns, g, start, stop, seen=seen)
            if g == 0:
                np.multiply(count, weight, out=part)
            else:
                part += weight * count
    return out


def _count_group(columns: WeightedColumns, g: int, lo: int, hi: int, *, seen: bool) -> Array:
    """Clusterings of one group that agree on, or label, rows lo..hi-1 and each row: at most 255, a byte."""
    codes, starts, missing = columns.columns
    count = np.zeros((hi - lo, codes.shape[1]), dtype=np.uint8)
    for column in codes[starts[g] : starts[g + 1]]:
        here = column[lo:hi, None]
        together = (here != missing) & (column != missing) if seen else here == column
        if columns.has_missing and not seen:
            together &= here != missing
        count += together.view(np.uint8)
    return count
