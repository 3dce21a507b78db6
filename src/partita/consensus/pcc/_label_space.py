"""PCC with the l2 divergence over all pairs, at a cost that is linear in the number of objects.

    f(Y) = sum_{i<j} N_ij (y_i.y_j)^2 - 2 C_ij (y_i.y_j) + C_ij^2 / N_ij

The first two terms are sums over the clusterings of |G_m|^2 and |B_ml|^2 (eq. P31; see the kernels). The third does not
depend on Y and is only counted when the objective itself is asked for.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from partita._kernels import agreement, pcc_labels
from partita._labels.ensemble import Ensemble
from partita._runs import progress
from partita._stopping import until_stopped
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.pairwise._memberships import row_labels
from partita.consensus.pcc._problem import own_totals, scale_of, totals_of_all_pairs

_STAGES = (1000, 10_000)  # rows that enter before those inside are moved: few of many rows, so it costs little
_STAGE_SWEEPS = 15  # over those inside: a limit of the time, as later rows move them again; rows at rest cost little
_STAGE_GAP = 1e-4  # about the relative gap below which a row stays where it is meanwhile: the default tol of a fit
_ROWS = 256  # rows of pairs between two reports of progress: enough work for a call of the kernel, and a smooth bar


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """l2 over all pairs of objects, through the labels."""

    ensemble: Ensemble
    labels: pcc_labels.RowLabels
    own_totals: FloatArray  # (n_rows,) N_ii
    scale: float
    isolated: Array  # (n_rows,) bool

    interior: ClassVar[bool] = False
    constant: ClassVar[float | None] = None  # see constant_of_l2

    def start_at(self, Y: FloatArray) -> "LabelRun":
        """A run that begins at given memberships."""
        run = self._at_zero(Y.shape[1])
        run.sums.Y[:] = Y
        run.refresh()
        return run

    def start_by_insertion(self, n_clusters: int, seed: int) -> "LabelRun":
        """A run that begins where rows that enter in random order fit best with those already in (eq. P32).

        The first rows decide where the clusters are, with little information; so after each stage those that are in
        are moved until they fit each other. Without that, some starts took ten times as many sweeps as others.
        """
        run = self._at_zero(n_clusters)
        order = np.random.default_rng(seed).permutation(len(self.isolated))
        gaps = np.empty(len(order))
        n_inside = 0
        for stage in (*_STAGES, len(order)):
            until_stopped(pcc_labels.insert_rows, self.labels, run.sums, order[n_inside:stage], seed + n_inside)
            n_inside = min(stage, len(order))
            if n_inside == len(order):
                break
            inside = order[:n_inside]
            threshold = _STAGE_GAP * self.ensemble.row_weights[inside].sum() * self.own_totals[inside].mean()
            for _ in range(_STAGE_SWEEPS):
                run.sweep(inside, threshold, gaps)
        return run

    def _at_zero(self, n_clusters: int) -> "LabelRun":
        ensemble = self.ensemble
        n_tables = ensemble.n_clusterings if ensemble.has_missing else 1
        return LabelRun(self, pcc_labels.zero_sums(ensemble.n_rows, ensemble.n_cells, n_tables, n_clusters))


class LabelRun(NamedTuple):
    """Memberships, and the sums over labels and clusterings that follow from them."""

    problem: LabelSpace
    sums: pcc_labels.LabelSums

    @property
    def Y(self) -> FloatArray:  # noqa: N802
        """Present memberships, (n_rows, n_clusters)."""
        return np.asarray(self.sums.Y)

    def sweep(self, rows: IntArray, threshold: float, gaps: FloatArray) -> None:
        """Improve rows whose gap exceeds the threshold."""
        until_stopped(pcc_labels.sweep_labels, self.problem.labels, self.sums, rows, threshold, gaps)

    def refresh(self) -> None:
        """Compute the sums over labels and clusterings again."""
        pcc_labels.sum_memberships(self.problem.labels, self.sums)

    def objective(self) -> float:
        """The part of f that depends on Y."""
        ensemble, (Y, B, G) = self.problem.ensemble, self.sums
        square = (Y**2).sum(axis=1)
        together = ensemble.cell_weights @ (B**2).sum(axis=1)  # sum_ij C_ij y_i.y_j
        squares = (G**2).sum(axis=(1, 2))  # |G|^2
        weights = ensemble.clustering_weights
        both = weights.sum() * squares[0] if len(G) == 1 else weights @ squares  # sum_ij N_ij (y_i.y_j)^2
        # an object with itself is not a pair, and below weight 1 a row has none of its own
        itself = ensemble.row_weights * np.minimum(ensemble.row_weights, 1)
        own = itself @ (self.problem.own_totals * (square**2 - 2 * square))
        return float(0.5 * (both - 2 * together - own))


def label_space(ensemble: Ensemble) -> LabelSpace:
    """The problem of all pairs of an ensemble."""
    totals = totals_of_all_pairs(ensemble)
    return LabelSpace(ensemble, row_labels(ensemble), own_totals(ensemble), scale_of(totals, ensemble), totals == 0)


def constant_of_l2(ensemble: Ensemble, *, show: bool = False) -> float:
    """sum_{i<j} C_ij^2 / N_ij over all pairs of objects: O(n^2 m / 64), and only for the objective's value."""
    groups = ensemble.columns
    total = 0.0 if groups.has_missing else groups.total
    n = ensemble.n_rows
    across = 0.0
    with progress(n, "objective", show=show) as bar:
        for lo in range(0, n, _ROWS):
            hi = min(n, lo + _ROWS)
            across += agreement.sum_of_squares(groups.columns, groups.weights, total, ensemble.row_weights, lo, hi)
            bar.update(hi - lo)
    within = ensemble.row_weights * np.maximum(ensemble.row_weights - 1, 0) / 2  # equal rows agree in all they have
    return float(across + within @ own_totals(ensemble))
