"""The layout of label codes that the agreement kernels read; importable without numba."""

from typing import Any, NamedTuple


class CodeColumns(NamedTuple):
    """Label codes by clustering: group g holds rows starts[g] to starts[g + 1] - 1 of codes."""

    codes: Any  # (m, n) unsigned integer; the largest value of the type means missing
    starts: Any  # (n_groups + 1,) int64
    missing: Any  # that largest value, as a scalar of the type
