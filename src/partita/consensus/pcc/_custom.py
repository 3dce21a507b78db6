"""PCC with a user-defined divergence (eq. P21), in NumPy: slower than the kernels, and the same steps."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._kernels.pcc_blocks import newton_point
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.pcc._divergences import PairDivergence
from partita.consensus.pcc._problem import pairs_of_copies, scale_of, totals_of_all_pairs
from partita.metrics._coassociation import Coassociation, coassociation_of_codes

_EDGE = 1e-12  # shares are kept this far from 0 and 1, where a divergence may be infinite
_BEND_EDGE = 1e-4  # and this far where slopes are differenced, so that both arguments are inside
_BEND_STEP = 1e-5  # of that difference: balances the rounding of slopes against their curvature
_MODEL_GAP = 1e-3  # gap that the quadratic model is left with, relative to the row's, as in the kernels
_BRACKET = 1e-6  # width of the bracket at which a line search ends: a step need not be exact, and halvings cost time
_SHORTEST = 1e-14  # width at which a search without any falling step ends: what is left is rounding
_TRACE = 1e-15  # memberships below this become 0, as in the kernels


@dataclass(frozen=True, eq=False)
class CustomSpace:
    """All pairs, or sparse ones, under any divergence."""

    divergence: PairDivergence
    C: Any  # (n_rows, n_rows), dense or CSR
    N: Any  # the same
    row_weights: FloatArray
    copies: FloatArray  # (n_rows,) (w - 1) N_ii where w > 1, else 0
    scale: float
    isolated: Array  # (n_rows,) bool

    interior: ClassVar[bool] = True
    constant: ClassVar[float | None] = 0.0

    def start_at(self, Y: FloatArray) -> "CustomRun":
        """A run that begins at given memberships."""
        return CustomRun(self, np.array(Y))

    def neighbours(self, i: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """The other rows that share a pair with row i, their shares and (weighted) totals."""
        if isinstance(self.C, np.ndarray):
            others = np.flatnonzero((self.N[i] > 0) & (np.arange(len(self.row_weights)) != i))
            c, n = self.C[i, others], self.N[i, others]
        else:
            part = slice(self.C.indptr[i], self.C.indptr[i + 1])
            others, c, n = self.C.indices[part], self.C.data[part], self.N.data[part]
        return others, np.minimum(c / n, 1.0), n * self.row_weights[others]


class RowBound(NamedTuple):
    """What one row sees at its present y: a sum of totals * d(shares, V y), convex in y (eq. P26)."""

    divergence: PairDivergence
    V: FloatArray  # (m, n_clusters) memberships of the neighbours
    shares: FloatArray  # (m,)
    totals: FloatArray  # (m,)
    a: FloatArray  # (m,) V y

    def slope(self, a: FloatArray) -> FloatArray:
        """First derivatives of the terms in a."""
        return self.totals * self.divergence.derivative(self.shares, np.clip(a, _EDGE, 1 - _EDGE))

    def bend(self) -> FloatArray:
        """Second derivatives at the present a, by differences of the first."""
        middle = np.clip(self.a, _BEND_EDGE, 1 - _BEND_EDGE)
        above = self.divergence.derivative(self.shares, middle + _BEND_STEP)
        below = self.divergence.derivative(self.shares, middle - _BEND_STEP)
        return self.totals * np.maximum((above - below) / (2 * _BEND_STEP), 0)

    def step_along(self, e: FloatArray) -> float:
        """A step in [0, 1] along a change e of a at which the sum still falls, near the lowest point."""
        if e @ self.slope(self.a + e) <= 0:
            return 1.0
        left, right = 0.0, 1.0
        while right - left > _BRACKET or (left == 0 and right > _SHORTEST):
            middle = (left + right) / 2
            if e @ self.slope(self.a + middle * e) <= 0:
                left = middle
            else:
                right = middle
        return left


class CustomRun(NamedTuple):
    """Memberships during a run."""

    problem: CustomSpace
    Y: FloatArray  # (n_rows, n_clusters)

    def refresh(self) -> None:
        """Nothing is carried over from sweep to sweep."""

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold; own copies enter through their bound, as in the kernels."""
        for i in rows.tolist():
            bound, y = self._bound(i), self.Y[i]
            g = bound.V.T @ bound.slope(bound.a)
            used = y > 0
            gaps[i] = g[used].max() - g.min()
            if gaps[i] > threshold:
                used[g.argmin()] = True
                self._improve(i, bound, g, np.flatnonzero(used), _MODEL_GAP * gaps[i])

    def objective(self) -> float:
        """The value of f."""
        problem, total = self.problem, 0.0
        for i, y in enumerate(self.Y):
            others, shares, totals = problem.neighbours(i)
            a = np.clip(self.Y[others] @ y, _EDGE, 1 - _EDGE)
            total += problem.row_weights[i] * (totals @ problem.divergence.value(shares, a)) / 2
            if problem.copies[i] > 0:
                own = np.clip(np.array([y @ y]), _EDGE, 1 - _EDGE)
                value = float(problem.divergence.value(np.ones(1), own)[0])
                total += problem.row_weights[i] * problem.copies[i] * value / 2
        return float(total)

    def _bound(self, i: int) -> RowBound:
        problem, y = self.problem, self.Y[i]
        others, shares, totals = problem.neighbours(i)
        V = self.Y[others]
        a = V @ y
        if problem.copies[i] > 0:  # the bound at y: neighbour 2 y, share 1, weight copies / 2, at y.y
            V, a = np.vstack([V, 2 * y]), np.append(a, y @ y)
            shares, totals = np.append(shares, 1.0), np.append(totals, problem.copies[i] / 2)
        return RowBound(problem.divergence, V, shares, totals, a)

    def _improve(self, i: int, bound: RowBound, g: FloatArray, support: IntArray, tolerance: float) -> None:
        """Step towards the minimum of a quadratic model over the clusters of the support (eq. P30)."""
        W = bound.V[:, support]
        H = W.T @ (bound.bend()[:, None] * W)
        target = np.empty_like(g)
        newton_point(H, g, support, len(support), self.Y[i], tolerance, target)
        direction = target - self.Y[i]
        y = np.maximum(self.Y[i] + bound.step_along(bound.V @ direction) * direction, 0)
        y[y < _TRACE] = 0
        self.Y[i] = y / y.sum()


def custom_space(divergence: PairDivergence, ensemble: Ensemble, counts: Coassociation | None = None) -> CustomSpace:
    """The problem of all pairs, or of the chosen ones whose counts are given."""
    n = ensemble.n_rows
    if counts is None:
        ensure_memory(18 * n * n, purpose=f"all pairs of {n} distinct rows", instead="draw pairs, e.g. pairs=30.")
        counts = coassociation_of_codes(ensemble.columns)
        copies, totals = pairs_of_copies(ensemble), totals_of_all_pairs(ensemble)
    else:
        copies, totals = np.zeros(n), counts.totals.astype(np.float64) @ ensemble.row_weights
    scale = scale_of(totals, ensemble)
    return CustomSpace(divergence, *counts, ensemble.row_weights, copies, scale, totals == 0)
