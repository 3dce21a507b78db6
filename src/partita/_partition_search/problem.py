"""The expected distance of a partition as a sum over its clusters, in the form that the kernels take (eq. V5)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from partita._kernels import partition_moves as kernel
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._typing import Codes, FloatArray, IntArray

Loss = Literal["vi", "binder"]

_WHOLE = 2**20  # sum of whole weights up to which x log2 x is looked up: a table of 8 MiB
_SPARE = 8  # empty slots for new clusters, at least; there are twice as many when they are full


@dataclass(frozen=True, eq=False)
class Problem:
    """The loss on the rows of an ensemble: ``constant`` plus what the clusters add (eq. V5)."""

    ensemble: Ensemble
    rows: kernel.MoveRows
    constant: float


def make_problem(ensemble: Ensemble, loss: Loss, a: float, *, has_missing: bool | None = None) -> Problem:
    """Entries of the rows and their coefficients (eq. V5)."""
    has_missing = ensemble.has_missing if has_missing is None else has_missing
    weights, is_vi = ensemble.row_weights, loss == "vi"
    labelled = weights @ (ensemble.codes >= 0)
    nu = labelled if is_vi else labelled**2
    counted = np.where(nu > 0, ensemble.clustering_weights, 0.0)  # one that labels nothing here has no loss
    scale = np.divide(counted / counted.sum(), nu, out=np.zeros_like(counted), where=nu > 0)
    of_totals = (2.0 - a) * (scale if has_missing else np.array([scale.sum()]))
    coef = np.concatenate([-2.0 * scale[ensemble.cell_clustering], of_totals])
    start, entries = _list_entries(ensemble, has_missing=has_missing)
    values, counts = np.unique(weights, return_counts=True)
    rows = kernel.MoveRows(
        start, entries, weights, coef, float(values[counts.argmax()]), is_vi, _logs(weights, is_vi=is_vi)
    )
    constant = a * float(scale[ensemble.cell_clustering] @ _f(ensemble.cell_mass, is_vi=is_vi))
    return Problem(ensemble, rows, constant)


def _list_entries(ensemble: Ensemble, *, has_missing: bool) -> tuple[IntArray, Codes]:
    """Labels of each row, and after them the clusterings that label it: one entry for all if no label is missing."""
    t, starts = ensemble.n_cells, ensemble.row_starts
    n_each = np.diff(starts)
    own = n_each if has_missing else np.ones_like(n_each)
    new_starts = np.concatenate([[0], np.cumsum(n_each + own)]).astype(np.int64)
    entries = np.empty(new_starts[-1], dtype=np.int32)
    row, place = np.repeat(np.arange(len(n_each)), n_each), np.arange(starts[-1])
    first = new_starts[row] + place - starts[row]
    entries[first] = ensemble.row_cells
    if has_missing:
        entries[first + n_each[row]] = t + ensemble.row_clusterings
    else:
        entries[new_starts[1:] - 1] = t
    return new_starts, entries


def _f(x: FloatArray, *, is_vi: bool) -> FloatArray:
    if not is_vi:
        return np.square(x)
    return x * np.log2(x, out=np.zeros_like(x), where=x > 0)


def _logs(weights: FloatArray, *, is_vi: bool) -> FloatArray:
    """Values x log2 x of all sums that occur, where these are whole numbers and not too many."""
    total = weights.sum() + 2 * weights.max() + 1
    if not is_vi or total > _WHOLE or (weights != np.rint(weights)).any():
        return np.empty(0)
    return _f(np.arange(total + 1, dtype=np.float64), is_vi=True)


def make_state(problem: Problem, z: IntArray, seed: int, n_slots: int = 0) -> kernel.MoveState:
    """Tables of a partition, with empty slots for more clusters."""
    n, n_entries = len(z), len(problem.rows.coef)
    n_used = int(z.max()) + 1
    n_slots = max(n_slots, min(n, n_used + max(_SPARE, n_used // 4)), n_used) + 2
    ensure_memory(
        2 * 8 * n_entries * n_slots,
        purpose=f"tables of {n_entries} labels x {n_slots} clusters",
        instead="limit the number of clusters (max_clusters), or use fewer clusterings.",
    )
    mass, step = np.empty((n_entries, n_slots)), np.empty((n_entries, n_slots))
    memory = np.empty(n_slots), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    generator = np.array([seed], dtype=np.uint64)
    z = z.astype(np.int64)
    state = kernel.MoveState(z, np.empty(n_slots, dtype=np.int64), mass, step, np.empty(n_slots), *memory, generator)
    kernel.fill_tables(problem.rows, state)
    return state
