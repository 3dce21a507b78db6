"""PCC with l2 over all pairs on parts of the rows: the descent of ``pcc/_label_space.py``, part after part (eq. B7).

A row sees the others through sums over labels and clusterings alone (eq. P31). Each part in turn gets these sums, moves
its rows, and hands the sums on: sweeps over all parts are sweeps over all rows. Memberships stay with their parts.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._kernels import pcc_labels
from partita._labels.ensemble import Ensemble
from partita._runs import progress, warn_not_converged
from partita._stopping import until_stopped
from partita._typing import Array, FloatArray
from partita.base import LabelledRows
from partita.blocks._engine import Sums, add_up
from partita.blocks.beyond._parts import Fitted, RowParts, weight_of_objects
from partita.consensus.kmeans._one_hot_space import sum_per_clustering
from partita.consensus.pairwise._memberships import FittedMemberships, row_labels
from partita.consensus.pcc._problem import own_totals

_SKIP = 0.5  # share of the tolerance below which the gap of a row is left as it is, as in memory
_REFRESH = 8  # sweeps between two refreshes of the sums, as in memory
_SMALL = 0.5  # mass, in objects, of a cluster that is taken out: as in memory for many objects


class SweepValues(NamedTuple):
    """What a part gets."""

    B: FloatArray  # (n_cells, k)
    G: FloatArray  # (m or 1, k, k)
    threshold: float


def place_part(rows: Ensemble, fitted: FittedMemberships) -> tuple[Sums, dict[str, Array]]:
    """Memberships that fit best with those of a sample."""
    Y = fitted.of_rows(rows.codes)
    return sums_of_rows(rows, Y, len(fitted.sums.G)), {"Y": Y}


def sums_of_rows(rows: Ensemble, Y: FloatArray, n_tables: int) -> Sums:
    """B, G, the mass of the clusters, and what pairs of an object with itself take from the objective."""
    sums = pcc_labels.zero_sums(0, rows.n_cells, n_tables, Y.shape[1])
    pcc_labels.sum_memberships(row_labels(rows), sums._replace(Y=np.ascontiguousarray(Y)))
    square, itself = (Y**2).sum(axis=1), rows.row_weights * np.minimum(rows.row_weights, 1)
    own = itself @ (own_totals(rows) * (square**2 - 2 * square))
    return {"B": sums.B, "G": sums.G, "mass": rows.row_weights @ Y, "own": np.array([own])}


def refresh_part(rows: Ensemble, n_tables: int, kept: dict[str, Array]) -> tuple[Sums, dict[str, Array]]:
    """The sums of a part again, from its memberships."""
    return sums_of_rows(rows, kept["Y"], n_tables), kept


def sweep_part(rows: Ensemble, values: SweepValues, kept: dict[str, Array]) -> tuple[Sums, dict[str, Array]]:
    """Move the rows of a part once; the sums of all parts change with them."""
    sums = pcc_labels.LabelSums(np.array(kept["Y"]), values.B.copy(), values.G.copy())
    order, gaps = np.random.default_rng(0).permutation(rows.n_rows), np.full(rows.n_rows, np.inf)
    until_stopped(pcc_labels.sweep_labels, row_labels(rows), sums, order, values.threshold, gaps)
    return {"B": sums.B, "G": sums.G, "gap": np.array([gaps.max(initial=0.0)])}, {"Y": sums.Y}


def take_clusters(rows: Ensemble, clusters: Array, kept: dict[str, Array]) -> tuple[Sums, dict[str, Array]]:
    """Memberships without some clusters; rows that were in these alone are in all others alike."""
    Y = kept["Y"][:, clusters]
    total = Y.sum(axis=1, keepdims=True)
    Y = np.where(total > 1e-9, Y / np.maximum(total, 1e-9), 1 / Y.shape[1])
    return {}, {"Y": Y}


# -------------------------------------------------------------------------------------------------------------- the fit
class Descent:
    """Memberships of all parts, and their sums."""

    def __init__(self, parts: RowParts, fitted: FittedMemberships) -> None:
        self.parts = parts
        self.n_tables = len(fitted.sums.G)
        told, self.kept = zip(*parts.each(place_part, fitted), strict=True)
        self.sums = add_up(told)

    def sweep(self, threshold: float) -> float:
        """One pass over all rows; returns the largest gap that a row had."""
        worst, kept = 0.0, []
        for number, before in enumerate(self.kept):
            values = SweepValues(self.sums["B"], self.sums["G"], threshold)
            told, handle = self.parts.one(number, sweep_part, values, before)
            self.sums = {**self.sums, "B": told["B"], "G": told["G"]}
            worst = max(worst, float(told["gap"][0]))
            kept.append(handle)
        self._replace(kept)
        return worst

    def refresh(self) -> None:
        """The sums again, so that rounding does not add up."""
        told, kept = zip(*self.parts.each(refresh_part, self.n_tables, self.kept), strict=True)
        self._replace(kept)
        self.sums = add_up(told)

    def take(self, clusters: Array) -> None:
        """Leave out all other clusters."""
        _, kept = zip(*self.parts.each(take_clusters, clusters, self.kept), strict=True)
        self._replace(kept)
        self.refresh()

    def objective(self) -> float:
        """The part of f that depends on the memberships, right after a refresh."""
        layout, B, G = self.parts.layout, self.sums["B"], self.sums["G"]
        together = layout.cell_weights @ (B**2).sum(axis=1)
        squares, weights = (G**2).sum(axis=(1, 2)), layout.clustering_weights
        both = weights.sum() * squares[0] if len(G) == 1 else weights @ squares
        return float(0.5 * (both - 2 * together - self.sums["own"][0]))

    def _replace(self, kept: Any) -> None:
        for handle in self.kept:
            self.parts.drop(handle)
        self.kept = tuple(kept)


def fit_pcc(estimator: Any, parts: RowParts, sample: LabelledRows) -> Fitted:
    """Memberships of a sample, placed for all rows, and sweeps over all parts."""
    if estimator.divergence not in ("l2", "mahalanobis"):
        raise ValueError(
            f"PCC(divergence={estimator.divergence!r:.60}) looks at all pairs of distinct rows, which do not fit in "
            "memory; pass divergence='l2'."
        )
    estimator._fit_rows(sample)
    mass = weight_of_objects(parts)
    observed, scale = sum_per_clustering(mass, parts.layout), mean_pairs(parts, mass)
    descent = Descent(parts, _with_tables(estimator._fitted, bool((observed < parts.n).any())))
    limit, max_iter = estimator.tol * scale, estimator._limit(sample.ensemble)
    estimator._history, estimator.n_iter_, gap = [descent.objective()], 0, np.inf
    with progress(None, "PCC, sweeps", show=bool(estimator.verbose)) as bar:
        while True:
            gap = _descend(estimator, descent, limit, max_iter, bar)
            heavy = np.flatnonzero(descent.sums["mass"] > _SMALL)
            if len(heavy) == len(descent.sums["mass"]):
                break
            descent.take(heavy)
    return _conclude(estimator, descent, gap / scale)


def mean_pairs(parts: RowParts, mass: FloatArray) -> float:
    """S = max(1, mean_i sum_j N_ij), the mean over objects (eq. P24)."""
    weights, observed = parts.layout.clustering_weights, sum_per_clustering(mass, parts.layout)
    return max(1.0, float(weights @ (observed * (observed - 1))) / parts.n)


def _with_tables(fitted: FittedMemberships, has_missing: bool) -> FittedMemberships:
    """One table per clustering, if a label is missing anywhere."""
    m = fitted.ensemble.n_clusterings
    if not has_missing or len(fitted.sums.G) == m:
        return fitted
    return fitted._replace(sums=fitted.sums._replace(G=np.repeat(fitted.sums.G, m, axis=0)))


def _descend(estimator: Any, descent: Descent, limit: float, max_iter: int, bar: Any) -> float:
    """Sweep until the largest gap is within the limit, confirmed by a pass that changes nothing (eq. P30)."""
    gap = np.inf
    while estimator.n_iter_ < max_iter:
        estimator.n_iter_ += 1
        gap = descent.sweep(_SKIP * limit)
        bar.update(1)
        if gap <= limit or estimator.n_iter_ % _REFRESH == 0:
            descent.refresh()
            estimator._history.append(descent.objective())
        if gap <= limit:
            gap = descent.sweep(np.inf)
            if gap <= limit:
                return gap
    descent.refresh()
    estimator._history.append(descent.objective())
    return descent.sweep(np.inf)


def _conclude(estimator: Any, descent: Descent, gap: float) -> Fitted:
    """Keep what was found."""
    k = descent.sums["B"].shape[1]
    sums = pcc_labels.LabelSums(np.empty((0, k)), descent.sums["B"], descent.sums["G"])
    # no row is kept; the one row of memberships stands for rows that are equal to none
    estimator._fitted = FittedMemberships(descent.parts.layout, np.zeros((1, k)), sums)
    estimator._scale, estimator._constant = descent.parts.columns.scale, np.nan
    estimator.kkt_gap_, estimator.converged_ = float(gap), bool(gap <= estimator.tol)
    if not estimator.converged_:
        told = f"gap {gap:.1e}, tol={estimator.tol}"
        warn_not_converged("PCC", estimator._limit(descent.parts.layout), gap=told, unit="sweeps")
    return Fitted(k, np.full(k, 1 / k), kept=list(descent.kept))
