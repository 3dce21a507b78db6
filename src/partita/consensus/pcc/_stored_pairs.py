"""PCC on stored pairs: all of them (dense), or chosen ones (sparse)."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._kernels import pcc_blocks, pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._stopping import until_stopped
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.pcc._problem import pairs_of_copies, scale_of, totals_of_all_pairs
from partita.metrics._coassociation import Coassociation, coassociation_of_codes

# Shares this near to 0 or 1 are 0 or 1, because sums of real weights round, and pairs whose share of the largest N is
# no larger do not count: KL does not settle at lower barriers. Measured with 25 to 1,000 objects: from 2e-8 on it does.
_NEGLIGIBLE = 1e-8  # (eq. P39)


@dataclass(frozen=True, eq=False)
class PairSpace:
    """KL or l2 over stored pairs."""

    pairs: pcc_pairs.StoredPairs
    longest: int  # largest number of neighbours of a row
    scale: float
    isolated: Array  # (n_rows,) bool

    constant: ClassVar[float | None] = 0.0

    @property
    def interior(self) -> bool:
        """KL is infinite where objects that are together share no cluster."""
        return bool(self.pairs.kind == pcc_pairs.KL)

    def start_at(self, Y: FloatArray) -> "PairRun":
        """A run that begins at given memberships."""
        n_clusters = Y.shape[1]
        dense = len(self.pairs.indptr) == 0
        neighbours = np.empty((n_clusters, 1 if dense else self.longest))  # dense: Y_t itself holds them
        row = pcc_pairs.PairRow(neighbours, *(np.empty(self.longest) for _ in range(3)))
        block = pcc_blocks.block_row(self.longest, n_clusters, dense=dense)
        return PairRun(self, np.array(Y.T, order="C"), row, block)


class PairRun(NamedTuple):
    """Memberships and work space for the kernels."""

    problem: PairSpace
    Y_t: FloatArray  # (n_clusters, n_rows): the transpose of Y, as the kernels need it
    row: pcc_pairs.PairRow  # work space of the objective
    block: pcc_blocks.BlockRow  # work space of the sweeps

    @property
    def Y(self) -> FloatArray:  # noqa: N802
        """Present memberships, (n_rows, n_clusters)."""
        return np.ascontiguousarray(self.Y_t.T)

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold."""
        until_stopped(pcc_blocks.sweep_pairs, self.problem.pairs, self.Y_t, self.block, rows, threshold, gaps)

    def refresh(self) -> None:
        """Nothing is carried over from sweep to sweep."""

    def objective(self) -> float:
        """The value of f."""
        return float(until_stopped(pcc_pairs.objective_pairs, self.problem.pairs, self.Y_t, self.row))


def all_pairs(ensemble: Ensemble, n_clusters: int, kind: int) -> PairSpace:
    """All pairs of rows, as bytes where they fit."""
    groups = ensemble.columns
    n = ensemble.n_rows
    small = groups.total <= 255 and np.all(groups.weights == np.floor(groups.weights))
    ensure_memory(
        n * n * (1 if small else 12) * (2 if groups.has_missing else 1) + 8 * n * (2 * int(n_clusters) + 6),
        purpose=f"PCC over all pairs of {n} distinct rows",
        instead="draw a sample, for instance pairs=30 per object, or use divergence='l2', which stores no pairs.",
    )
    C, N = coassociation_of_codes(groups)
    C, N = _plain(C, N[:1, :1] if N.strides == (0, 0) else N)
    nothing = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    pairs = pcc_pairs.StoredPairs(C, N, *nothing, ensemble.row_weights, pairs_of_copies(ensemble), kind)
    totals = totals_of_all_pairs(ensemble)
    return PairSpace(pairs, n, scale_of(totals, ensemble), totals == 0)


def chosen_pairs(counts: Coassociation, ensemble: Ensemble, kind: int) -> PairSpace:
    """The pairs of one symmetric sparse pattern."""
    C, N = counts
    indptr, indices = C.indptr.astype(np.int64), C.indices.astype(np.int32)
    totals = N.astype(np.float64) @ ensemble.row_weights
    C, N = _plain(C.data[None, :], N.data[None, :])
    pairs = pcc_pairs.StoredPairs(C, N, indptr, indices, ensemble.row_weights, np.zeros(ensemble.n_rows), kind)
    return PairSpace(pairs, int(np.diff(indptr).max(initial=1)), scale_of(totals, ensemble), totals == 0)


def _plain(C: Any, N: Any) -> tuple[Any, Any]:
    """Bytes, or float64: two signatures of the kernels, whatever the type of the counts.

    Sums of real weights round, and N - C = 1e-15 where it should be 0 would be a barrier that KL never crosses. So
    would be a pair that only clusterings of negligible weight label.
    """
    if C.dtype == np.uint8:
        return np.ascontiguousarray(C), np.ascontiguousarray(N, dtype=np.uint8)
    C, N = C.astype(np.float64), np.ascontiguousarray(N, dtype=np.float64)
    C[C <= _NEGLIGIBLE * N] = 0.0
    np.copyto(C, N, where=N - C <= _NEGLIGIBLE * N)
    least = _NEGLIGIBLE * N.max(initial=0.0)
    light = (N > 0) & (least >= N)
    return (np.where(light, 0.0, C), np.where(light, 0.0, N)) if light.any() else (C, N)
