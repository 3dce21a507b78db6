"""Similarity of distinct rows by probability trajectories (Huang, Lai and Wang, 2016).

Rows are the nodes of a graph that keeps the strongest co-associations of each row. A walk goes to a neighbour in
proportion to its co-association and its weight. Two rows are alike if walks from them visit the same rows:

    A_rq = S_rq if S_rq is among the K largest of row r or of row q, else 0;   P_rq = w_q A_rq / sum over b of w_b A_rb
                                                                                                      (eqs. L23, L24)
    Z_rq = cos([P_r., P^2_r., .., P^T_r.], [P_q., .., P^T_q.])                                              (eq. L25)

The sums of all powers, I_T = sum over q of P^q P^q', are made without powers: I_T = P (E + I_(T-1)) P' with E the
identity, two products of a sparse matrix with a dense one per step. Where the graph is dense, one eigendecomposition
gives the sum, as for the walks among clusters (eq. L15).
"""

import math
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._parameters import Interval, StrOptions, common
from partita._runs import progress
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray
from partita.consensus.label_space._row_tree import TreeOfRows, agreement_of_cells, similarities, symmetrise
from partita.consensus.label_space._trajectories import trajectory_similarity

_MOST = 20  # of neighbours and steps by default, as in the authors' program
_TIE = 1e-12  # by which equal co-associations may differ
_ROWS = 128  # rows of co-associations at a time: 128 x t numbers beside the matrix
_COLUMNS = 64  # of a dense factor at a time: of 16 to 256, the fastest on 1,800 rows
# Of n_rows x n_rows numbers that are held at a time. Peaks of 1,200 to 4,000 rows: 3.2 to 3.4 by the decomposition, of
# which 3 are whole matrices and the rest blocks of rows, 2.1 to 2.4 step by step. Which way it goes is known later.
_MATRICES = 3.5
# A multiplication of a sparse product takes as long as 18 of the dense decomposition, which needs 15 n^3 of them: with
# 1,800 rows, 55 neighbours and 20 steps 4 s against 2.7 s; from 2,700 rows on the sparse way is ahead.
_SPARSE_COST, _DENSE_COST = 18.0, 15.0

Number = int | Literal["auto"]


class WalkingRows(TreeOfRows):
    """What PTA and PTGP share: the graph of the rows, its walks, and new rows."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "weights", "random_state", "verbose"),
        "neighbours": [Interval("int", 1, None), StrOptions({"auto"})],
        "steps": [Interval("int", 1, None), StrOptions({"auto"})],
    }

    neighbours: Number
    steps: Number
    verbose: bool | int
    neighbours_: int
    steps_: int

    def _compare_rows(self, ensemble: Ensemble) -> FloatArray:
        """Z of all pairs of rows; sets ``neighbours_`` and ``steps_``."""
        default = walk_length(ensemble.n_rows)
        self.neighbours_ = default if self.neighbours == "auto" else int(self.neighbours)
        self.steps_ = default if self.steps == "auto" else int(self.steps)
        return row_trajectories(ensemble, self.neighbours_, self.steps_, show=bool(self.verbose))

    def _label_rows(self, codes: Codes) -> Array:
        """Cluster of the fitted row with the same labels, else of the highest mean co-association (eq. P12)."""
        return self._label_like_rows(codes)


def walk_length(n_rows: int) -> int:
    """Neighbours and steps by default: half the root of the number of rows, at least 1 and at most 20."""
    return max(1, min(_MOST, math.isqrt(n_rows) // 2))


def row_trajectories(ensemble: Ensemble, neighbours: int, steps: int, *, show: bool) -> FloatArray:
    """Z of all pairs of rows, (n_rows, n_rows); 1 on the diagonal (eqs. L23 to L25)."""
    ensure_rows(ensemble.n_rows)
    A = strongest(row_coassociation(ensemble, show=show), neighbours)
    A *= ensemble.row_weights
    A *= ensemble.row_weights[:, None]  # P is the same for any scale of its rows
    return similarity_of_walks(A, steps, show=show)


def ensure_rows(n_rows: int) -> None:
    """Refuse matrices of all pairs of rows that do not fit in memory."""
    ensure_memory(
        int(_MATRICES * 8 * n_rows**2),
        purpose=f"walks among {n_rows} distinct rows",
        instead="use a method that is linear in the objects, such as LWGP or ECPCS, or fewer clusterings or objects.",
    )


def row_coassociation(ensemble: Ensemble, *, show: bool) -> FloatArray:
    """S = C / N between different rows, 0 on the diagonal."""
    n, agreement = ensemble.n_rows, agreement_of_cells(ensemble)
    S = np.empty((n, n))
    with progress(n, "co-association", show=show) as bar:
        for lo in range(0, n, _ROWS):
            block = ensemble.with_rows(ensemble.codes[lo : lo + _ROWS])
            S[lo : lo + _ROWS] = similarities(block, ensemble, agreement)
            bar.update(block.n_rows)
    np.fill_diagonal(S, 0.0)
    return S


def strongest(S: FloatArray, neighbours: int) -> FloatArray:
    """A: S where it is at least the K-th largest entry of either row, else 0 (eq. L23). S is overwritten."""
    if neighbours >= len(S):
        return S
    least, at = np.empty(len(S)), len(S) - neighbours
    for lo in range(0, len(S), _ROWS):
        check_stop()
        least[lo : lo + _ROWS] = np.partition(S[lo : lo + _ROWS], at, axis=1)[:, at] - _TIE
    for lo in range(0, len(S), _ROWS):
        check_stop()
        part = S[lo : lo + _ROWS]
        part[np.minimum(least[lo : lo + _ROWS, None], least) > part] = 0.0
    return S


def similarity_of_walks(A: FloatArray, steps: int, *, show: bool = False) -> FloatArray:
    """Cosines of trajectories of walks on a symmetric graph; 0 for nodes without neighbours, 1 on the diagonal.

    A is overwritten.
    """
    n, n_edges = len(A), np.count_nonzero(A)
    if 2 * steps * _SPARSE_COST * n_edges * n <= _DENSE_COST * n**3:
        Z = _sparse_walks(A, steps, show=show)
    else:
        Z = trajectory_similarity(A, steps)
    np.fill_diagonal(Z, 1.0)
    return Z


def _sparse_walks(A: FloatArray, steps: int, *, show: bool) -> FloatArray:
    """The same, step by step: I_T = P (E + I_(T-1)) P'. Sums of non-negative terms: nothing cancels."""
    n, degree = len(A), A.sum(axis=1)
    P: Any = sparse.csr_array(A)
    P.data /= np.repeat(degree, np.diff(P.indptr))
    inner, half, own = A, np.empty((n, n)), np.arange(n)  # P has what is needed of A
    inner[:] = 0.0
    with progress(steps, "steps of the walks", show=show) as bar:
        for _ in range(steps):
            inner[own, own] += 1.0
            _times(P, inner, out=half)
            _times(P, half, out=inner)  # (P (P I)')' = P I P'
            bar.update(1)
    length = np.sqrt(np.where(degree > 0, inner[own, own], 1.0))
    inner /= length
    inner /= length[:, None]
    symmetrise(inner)
    return np.clip(inner, 0.0, 1.0, out=inner)


def _times(P: Any, X: FloatArray, out: FloatArray) -> None:
    """(P X)', a few columns of X at a time: twice as fast, since they stay in the cache."""
    for lo in range(0, len(X), _COLUMNS):
        check_stop()
        out[lo : lo + _COLUMNS] = (P @ np.ascontiguousarray(X[:, lo : lo + _COLUMNS])).T
