"""EM of models of labels: tables of label probabilities, where they start, the best of several starts, and the loop.

The grid of blocks depends on the problem alone, and blocks are added up in their order, so the number of threads never
changes a sum (eq. M52).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import Progress, warn
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.kmeans._lloyd import SHORT_ITER, SHORT_TOL, run_k_means
from partita.exceptions import IdentifiabilityWarning

START_NOISE = 0.1  # share of what all objects have in a start: no label is impossible in any cluster
_RARE = 1e-12  # share of a label that no object of weight, or none of a sample, has
SHARE = 0.01  # of what all objects have, mixed into clusters of a sample: labels absent from it stay possible
_GROWTH = 1.3  # of the stretch of updates, as long as the bound rises: a larger one is taken back more often
_LONGEST = 50.0  # largest stretch of an update: a longer one is more likely to be taken back, at the cost of an E-step


def warn_one_clustering(estimator: Any, ensemble: Ensemble) -> None:
    """Warn that one clustering shows a model of labels only how frequent its labels are (eq. M4)."""
    if ensemble.n_clusterings == 1:
        warn(
            f"{type(estimator).__name__} is not identifiable from a single clustering: every model with the right "
            "label frequencies fits it equally well. Pass two or more clusterings.",
            IdentifiabilityWarning,
        )


# ---------------------------------------------------------------------- tables with one row per label: (n_cells, k)
def column_sums(table: FloatArray, layout: Ensemble) -> FloatArray:
    """Sum of a table over the labels of each clustering: (n_clusterings, k)."""
    return np.asarray(np.add.reduceat(table, layout.first_cell, axis=0))


def normalise(mass: FloatArray, layout: Ensemble, previous: FloatArray) -> FloatArray:
    """Probabilities of the labels of each clustering; a cluster without mass there keeps its previous ones (eq. M8)."""
    total = column_sums(mass, layout)[layout.cell_clustering]
    return np.divide(mass, total, out=previous.copy(), where=total > 0)


def by_clustering(table: FloatArray, layout: Ensemble, order: IntArray) -> list[FloatArray]:
    """The table as one (k, labels) array per clustering, clusters in the given order."""
    return [np.ascontiguousarray(part[:, order].T) for part in np.split(table, layout.first_cell[1:])]


def shares(ensemble: Ensemble) -> FloatArray:
    """Share of each label among those of its clustering: (n_cells,)."""
    return shares_of(ensemble.cell_mass, ensemble)


def shares_of(mass: FloatArray, layout: Ensemble) -> FloatArray:
    """The same from the weight of each label."""
    total = column_sums(mass[:, None], layout)[layout.cell_clustering, 0]
    share = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return np.asarray(np.maximum(share, _RARE))


def penalty(table: FloatArray, smoothing: float, cell_weights: FloatArray) -> float:
    """What smoothing adds to the bound: eps sum_j u_j sum log of the label probabilities (eqs. M33, M57)."""
    if not smoothing:
        return 0.0
    logs = np.log(np.maximum(table, np.finfo(float).tiny))  # a share can be 0 where others weigh far more
    return smoothing * float(cell_weights @ logs.sum(axis=1))


# ------------------------------------------------------------------------------------------------------------ starts
def kmeans_labels(ensemble: Ensemble, n_clusters: int, seed: int) -> Array:
    """Cluster of each row by a short k-means (eq. M5)."""
    return run_k_means(ensemble, min(n_clusters, ensemble.n_rows), seed, max_iter=SHORT_ITER, tol=SHORT_TOL).labels


def random_labels(ensemble: Ensemble, n_clusters: int, seed: int) -> Array:
    """Cluster of each row, drawn at random."""
    return np.random.default_rng(seed).integers(n_clusters, size=ensemble.n_rows)


STARTS = {"kmeans": kmeans_labels, "random": random_labels}


def with_every_label(state: Any, ensemble: Ensemble, share: float = SHARE) -> Any:
    """The state of a sample with a little of what all objects have."""
    return state._replace(table=(1 - share) * state.table + share * shares(ensemble)[:, None])


def minus_bound(run: Any) -> float:
    """What the best of several runs has lowest."""
    return -float(run.history[-1])


# -------------------------------------------------------------------------------------------------------------- loop
class EMRun(NamedTuple):
    """Where a climb ended."""

    state: Any
    stats: Any  # of that state
    history: list[float]
    converged: bool


class Memory(Protocol):
    """An array, or what stands for arrays that are elsewhere."""

    def copy(self) -> Any:
        """What it holds now."""
        ...

    def __setitem__(self, place: Any, values: Any) -> None:
        """Hold this instead."""
        ...


class Stretch(NamedTuple):
    """How to go further than an update: over-relaxed EM (Salakhutdinov and Roweis, 2003; eq. M37)."""

    beyond: Callable[[Any, Any, float], Any]  # (old, updated, factor) -> state; factor 1 is the update itself
    memory: Memory  # what an E-step starts from, to be restored when a stretched update was too long


def climb(
    expect: Callable[[Any], tuple[Any, float]],
    update: Callable[[Any, Any], Any],
    state: Any,
    *,
    tol: float,
    max_iter: int,
    n: float,
    bar: Progress | None = None,
    stretch: Stretch | None = None,
) -> EMRun:
    """Alternate until the bound rises by less than ``tol``, relatively; statistics and bound are of the last state.

    The rise is relative to the bound or, because that can be 0, to the number ``n`` of objects if that is larger
    (eq. M7).

    With ``stretch`` updates go beyond what EM proposes, further and further until the bound falls; then that update is
    taken back and the plain one made. The bound never falls from one iteration to the next, and a run ends by a plain
    update.
    """
    stats, bound = expect(state)
    history, factor = [bound], 1.0
    while len(history) < max_iter:
        plain = update(state, stats)
        before = stretch.memory.copy() if stretch and factor > 1 else None
        state = stretch.beyond(state, plain, factor) if stretch and factor > 1 else plain
        stats, bound = expect(state)
        if stretch and before is not None and bound < history[-1]:
            stretch.memory[:] = before
            state, factor = plain, 1.0
            stats, bound = expect(state)
        rise = bound - history[-1]
        history.append(bound)
        if bar is not None:
            bar.update(1)
        settled = rise <= tol * max(abs(history[-2]), n)
        if settled and factor == 1:
            return EMRun(state, stats, history, True)
        factor = 1.0 if settled or stretch is None else min(_GROWTH * factor, _LONGEST)
    return EMRun(state, stats, history, False)
