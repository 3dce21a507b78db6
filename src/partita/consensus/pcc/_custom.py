"""PCC with a divergence of the user's own, in NumPy: slower than the kernels, and the same steps."""

from typing import Any

import numpy as np

from partita._kernels.pcc_pairs import newton_point
from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._typing import FloatArray, IntArray
from partita.consensus.pcc._divergences import Divergence
from partita.consensus.pcc._problem import count_copies, scale_of, totals_of_all_pairs
from partita.metrics._coassociation import coassociation_of_codes

_EDGE = 1e-12  # shares are kept this far from 0 and 1, where a divergence may be infinite


class CustomSolver:
    """All pairs, or sparse ones, under any divergence."""

    def __init__(self, ensemble: Ensemble, divergence: Divergence, counts: Any = None) -> None:
        self.divergence, self.w = divergence, ensemble.row_weights
        self.sparse = counts is not None
        n = ensemble.n_rows
        if counts is None:
            ensure_memory(18 * n * n, purpose=f"all pairs of {n} distinct rows", instead="draw pairs, e.g. pairs=30.")
            counts = coassociation_of_codes(ensemble.columns)
            self.copies, totals = count_copies(ensemble), totals_of_all_pairs(ensemble)
        else:
            self.copies, totals = np.zeros(n), counts.totals.astype(np.float64) @ self.w
        self.scale, self.isolated = scale_of(totals, ensemble), totals == 0
        self.C, self.N = counts
        self.Y = np.empty((n, 0))

    def start_at(self, Y: FloatArray) -> "CustomSolver":
        """The same pairs with memberships of their own."""
        fresh = object.__new__(CustomSolver)
        fresh.__dict__.update(self.__dict__)
        fresh.Y = Y.copy()
        return fresh

    def refresh(self) -> None:
        """Nothing is carried over from sweep to sweep."""

    def _row(self, i: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Neighbours, shares and (weighted) totals of row i."""
        if self.sparse:
            part = slice(self.C.indptr[i], self.C.indptr[i + 1])
            others, c, n = self.C.indices[part], self.C.data[part], self.N.data[part]
        else:
            others = np.flatnonzero((self.N[i] > 0) & (np.arange(len(self.w)) != i))
            c, n = self.C[i, others], self.N[i, others]
        return self.Y[others], np.minimum(c / n, 1.0), n * self.w[others]

    def _slope(self, shares: FloatArray, totals: FloatArray, a: FloatArray) -> FloatArray:
        return totals * self.divergence.derivative(shares, np.clip(a, _EDGE, 1 - _EDGE))

    def _bend(self, shares: FloatArray, totals: FloatArray, a: FloatArray) -> FloatArray:
        """Second derivative, by differences of the first."""
        middle = np.clip(a, 1e-4, 1 - 1e-4)
        step = 1e-5
        rise = self.divergence.derivative(shares, middle + step) - self.divergence.derivative(shares, middle - step)
        return totals * np.maximum(rise / (2 * step), 0)

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold; own copies enter through their bound, as in the kernels."""
        for i in rows:
            V, shares, totals = self._row(int(i))
            y = self.Y[i]
            a = V @ y
            if self.copies[i] > 0:  # the bound at y: neighbour 2 y, share 1, weight copies / 2, at y.y
                V, a = np.vstack([V, 2 * y]), np.append(a, y @ y)
                shares, totals = np.append(shares, 1.0), np.append(totals, self.copies[i] / 2)
            g = V.T @ self._slope(shares, totals, a)
            used = y > 0
            gaps[i] = g[used].max() - g.min()
            if gaps[i] > threshold:
                used[g.argmin()] = True
                self._improve(int(i), V, shares, totals, a, g, np.flatnonzero(used), 1e-3 * gaps[i])

    def _improve(
        self, i: int, V: FloatArray, shares: FloatArray, totals: FloatArray, a: FloatArray, g: FloatArray,
        support: IntArray, tolerance: float,
    ) -> None:  # fmt: skip
        W = V[:, support]
        H = W.T @ (self._bend(shares, totals, a)[:, None] * W)
        target = np.empty_like(g)
        newton_point(H, g, support, len(support), self.Y[i], tolerance, target)
        direction = target - self.Y[i]
        e = V @ direction
        left, right = 0.0, 1.0
        if e @ self._slope(shares, totals, a + e) <= 0:
            left = 1.0
        else:
            while right - left > 1e-6 or (left == 0 and right > 1e-14):
                middle = (left + right) / 2
                left, right = (
                    (middle, right) if e @ self._slope(shares, totals, a + middle * e) <= 0 else (left, middle)
                )
        y = np.maximum(self.Y[i] + left * direction, 0)
        y[y < 1e-15] = 0
        self.Y[i] = y / y.sum()

    def objective(self) -> float:
        """The value of f."""
        total = 0.0
        for i in range(len(self.w)):
            V, shares, totals = self._row(i)
            a = np.clip(V @ self.Y[i], _EDGE, 1 - _EDGE)
            total += self.w[i] * (totals @ self.divergence.value(shares, a)) / 2
            if self.copies[i] > 0:
                own = np.clip(np.array([self.Y[i] @ self.Y[i]]), _EDGE, 1 - _EDGE)
                total += self.w[i] * self.copies[i] * float(self.divergence.value(np.ones(1), own)[0]) / 2
        return float(total)
