"""How starts of PCC compete before one of them is run to its end (eqs. P60, P61).

A few starts descend to a coarse gap. The best of them is then changed by moves that no descent makes: two clusters
become one, and another one, or the union, is split in two; a coarse descent follows, and what is lower is kept.
With many rows all this happens on a sample of the objects, and the other rows join where they fit best.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._runs import Round, in_order, race
from partita._typing import Array, FloatArray
from partita.consensus.kmeans._lloyd import SHORT_ITER, SHORT_TOL, run_k_means
from partita.consensus.pairwise._memberships import fitted_memberships
from partita.consensus.pcc._label_space import LabelSpace, constant_of_l2, label_space
from partita.consensus.pcc._problem import PCCProblem, settle
from partita.consensus.pcc._starts import smooth

_STARTS = 4  # compete for each start that is run to its end: one from k-means, the others by insertion
# Measured with 10 to 20 seeds on k-means ensembles of ecoli, segmentation, digits and unbalanced blobs: with coarser
# gaps or 6 to 10 sweeps the values do not tell which end is lower. l2 needs a finer gap, and its sweeps cost little.
_COARSE, _COARSE_L2, _SWEEPS = 1e-2, 1e-3, 25
_PATIENCE, _LONGEST = 3, 12  # times the clusters: moves without success after which a search ends, and moves in all
# Moves tried at once, by the power of the mass in the chance of a split: by pairs, and by objects for small clusters.
_POWERS = (2, 1, 2, 1)
_GAIN = 1e-4  # relative fall of the objective that is success: less is what a coarse descent leaves
_INSIDE = 0.25  # membership from which a row counts as a member of the cluster that is split


class Found(NamedTuple):
    """Memberships after a coarse descent."""

    Y: FloatArray
    objective: float


class Rivals(NamedTuple):
    """The problem that starts compete on."""

    problem: PCCProblem
    labels: LabelSpace  # the same rows
    n_clusters: int
    offset: float  # what the objective of a run leaves out of f

    def begin(self, start: tuple[int, int]) -> FloatArray:
        """Memberships of a start, by its number and seed."""
        number, seed = start
        if number == 0:
            run = run_k_means(self.labels.ensemble, self.n_clusters, seed, max_iter=SHORT_ITER, tol=SHORT_TOL)
            return one_hot(np.asarray(run.labels), self.n_clusters)
        return self.labels.start_by_insertion(self.n_clusters, seed).Y

    def settle(self, Y: FloatArray) -> Found:
        """A coarse descent."""
        interior = self.problem.interior
        run = self.problem.start_at(smooth(Y) if interior else Y)
        settle(self.problem, run, tol=_COARSE if interior else _COARSE_L2, max_iter=_SWEEPS)
        return Found(run.Y, run.objective() + self.offset)


def search_starts(
    make_problem: Callable[[Ensemble], PCCProblem],
    ensemble: Ensemble,
    n_clusters: int,
    seeds: list[int],
    sample_size: int,
    n_jobs: int | None,
) -> list[FloatArray]:
    """Memberships (n_rows, n_clusters) to run to the end, one for each seed, the best first."""
    few = _sample(ensemble, sample_size, seeds[0])
    problem = make_problem(few)
    offset = constant_of_l2(few) if problem.constant is None else problem.constant
    rivals = Rivals(problem, label_space(few), n_clusters, offset)
    starts = [
        (number, int(drawn))
        for seed in seeds
        for number, drawn in enumerate(np.random.default_rng(seed).integers(2**31, size=_STARTS))
    ]
    best = race(
        starts,
        [Round(lambda start: rivals.settle(rivals.begin(start)), keep=len(seeds))],
        n_jobs,
        lowest=lambda found: found.objective,
    )
    moved = [improve_by_moves(rivals, found, seed, n_jobs) for found, seed in zip(best, seeds, strict=True)]
    moved.sort(key=lambda found: found.objective)
    if few is ensemble:
        return [found.Y for found in moved]
    return [fitted_memberships(few, found.Y).of_rows(ensemble.codes) for found in moved]


def _sample(ensemble: Ensemble, size: int, seed: int) -> Ensemble:
    """A sample of the objects, if there are more distinct rows."""
    if ensemble.n_rows <= size:
        return ensemble
    share = ensemble.row_weights / ensemble.row_weights.sum()
    return ensemble.sample(np.random.default_rng(seed).multinomial(size, share).astype(np.int64))


# --------------------------------------------------------------------------------------------------------------- moves
def improve_by_moves(rivals: Rivals, found: Found, seed: int, n_jobs: int | None) -> Found:
    """Try moves, a few from the same memberships, of which the best counts, until the last ones have not helped."""
    rng = np.random.default_rng(seed)
    failed = 0
    for _ in range(_LONGEST * rivals.n_clusters // len(_POWERS)):
        moves = [merge_and_split(rivals.labels, found.Y, rng, power) for power in _POWERS]
        best = min(in_order(rivals.settle, moves, n_jobs), key=lambda trial: trial.objective)
        failed += len(moves)
        if best.objective < found.objective - _GAIN * abs(found.objective):
            found, failed = best, 0
        if failed >= _PATIENCE * rivals.n_clusters:
            break
    return found


def merge_and_split(labels: LabelSpace, Y: FloatArray, rng: np.random.Generator, power: int) -> FloatArray:
    """Merge two clusters that are often together, then split a large cluster that is not, both drawn (eq. P61)."""
    k = Y.shape[1]
    together, mass = agreement_of_clusters(labels, Y)
    chance = np.where(np.eye(k, dtype=bool), 0.0, together)
    left, right = divmod(_draw(chance.ravel(), rng), k)
    Y = Y.copy()
    Y[:, right] += Y[:, left]
    Y[:, left] = 0.0
    together, mass = agreement_of_clusters(labels, Y)
    apart = mass**power * (1 - np.diag(together))  # pairs inside that are not together, if the power is 2
    apart[left] = 0.0
    split = _draw(apart, rng)
    moved = _half_of(labels, Y[:, split], rng)
    Y[moved, left] = Y[moved, split]
    Y[moved, split] = 0.0
    return Y


def agreement_of_clusters(labels: LabelSpace, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of clusterings that put objects of two clusters together, on average, and the mass of each cluster.

    A cluster without mass agrees with all others: to merge it costs nothing.
    """
    ensemble = labels.ensemble
    mass = ensemble.row_weights @ Y
    B = labels.start_at(Y).sums.B  # sum of w y over each label
    together = (B * ensemble.cell_weights[:, None]).T @ B / ensemble.clustering_weights.sum()
    pairs = np.outer(mass, mass)
    share = np.divide(together, pairs, out=np.ones_like(pairs), where=pairs > 0)
    return np.minimum(share, 1.0), mass


def _half_of(labels: LabelSpace, y: FloatArray, rng: np.random.Generator) -> Array:
    """Rows of a cluster that agree more with the second of two drawn rows than with the first."""
    ensemble = labels.ensemble
    rows = np.flatnonzero(y > min(_INSIDE, 0.5 * float(y.max())))
    if len(rows) == 0:  # an empty cluster was drawn: there is nothing to split
        return rows
    codes, weight = ensemble.codes[rows], ensemble.row_weights[rows] * y[rows]

    def agreement(row: int) -> FloatArray:
        same: Any = (codes == codes[row]) & (codes[row] >= 0)
        return np.asarray(same @ ensemble.clustering_weights)

    with_first = agreement(_draw(weight, rng))
    with_second = agreement(_draw(weight * (ensemble.clustering_weights.sum() - with_first), rng))
    return rows[with_second > with_first]


def _draw(chance: FloatArray, rng: np.random.Generator) -> int:
    """A place drawn with probability proportional to its chance; any place if all are 0."""
    total = np.cumsum(np.maximum(chance, 0.0))
    if total[-1] <= 0:
        return int(rng.integers(len(chance)))
    return int(np.searchsorted(total, rng.random() * total[-1], side="right").clip(max=len(chance) - 1))
