"""The number of clusters of an ensemble, from the agreement of halves of its clusterings.

    score(k) = shared(k) - 4 apart(k) + gap(k) / 2,    gap(k) = (s_k - s_{k+1}) / (1 - s_{k+1})              (eq. L20)

A number is good if two halves of the clusterings find the same k clusters: what they share counts for it, what they do
not share four times against it. The relative gap of the singular values of all clusterings together decides between
numbers that are nearly as good. The constants were chosen on the development half of the leaderboard.

Clusterings of one cloud without clusters agree as well, and on the same cuts if they are many. The structure is weak if

    s_2 < 0.993   and   shared(k) < 4 max(1, m / 20)^1/2 apart(k)          at the k that is chosen            (eq. L22)

for m clusterings: no cut is nearly free, and the halves do not share much more than they differ in.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_entropies
from partita._runs import warn
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships
from partita.consensus.label_space._chance import FEWEST, LEVEL, agreement_p_value
from partita.consensus.label_space._halves import HalvesAgreement, compare_halves
from partita.exceptions import WeakStructureWarning

MAX_CLUSTERS = 40  # of the numbers that are compared; also at most the root of the number of objects
N_SPLITS = 16  # of the clusterings into halves
N_SAMPLED = 500  # objects on which the halves are compared
_MANY = 1e12  # objects, beyond which their number changes nothing
_APART, _GAP = 4.0, 0.5  # see above
# Weak structure (eq. L22). Chosen on k-means ensembles of Gaussian and uniform clouds (2 to 10 features, 200 to 2,000
# objects, 6 to 100 clusterings), of which 340 of 369 are weak by it, and on ensembles of the development half on which
# LWGP with the true k has an adjusted Rand index of at least 0.6, of which 5 of 192 are. Of clouds drawn afterwards 78
# of 79 are weak; for clusters there were too few new ensembles to say
_CLEAR_CUT, _CLEAR_ODDS = 0.993, 4.0
_FEW = 20  # clusterings; halves of more of them agree better, on a cloud as well


@dataclass(frozen=True, eq=False)
class ClusterNumber:
    """A number of clusters, with what speaks for it and for the others."""

    n_clusters: int
    verdict: str  # "clusters", "weak": one cloud would look like this, "agreed": all clusterings are alike, "chance"
    p_value: float | None = None  # of agreement by chance; None where it was not tested
    numbers: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (K - 1,) 2, 3, ..., K
    score: FloatArray = field(default_factory=lambda: np.empty(0))  # (K - 1,) the highest one is chosen
    gap: FloatArray = field(default_factory=lambda: np.empty(0))  # (K - 1,) relative gap of the singular values
    halves: HalvesAgreement | None = None  # None if nothing was compared

    @property
    def runner_up(self) -> int | None:
        """The number with the second highest score, None if no other was compared."""
        others = np.flatnonzero(self.numbers != self.n_clusters)
        return int(self.numbers[others[self.score[others].argmax()]]) if len(others) else None


class NumberProblem(NamedTuple):
    """What the number of clusters is chosen from: sums over all objects, and a sample of them."""

    tables: ClusterTables
    singular_values: FloatArray  # s_1 >= s_2 >= ... of the transfer cut of all objects
    n_components: int  # parts of the ensemble that share no label
    n_rows: int  # distinct rows
    sample: CellMemberships  # rows of the sampled objects, weighted by how often they were drawn
    sampled_labels: Ensemble  # the labels of the sampled objects, one row per object
    theta: float
    max_clusters: int  # K, see number_limit


def choose_number(problem: NumberProblem, rng: np.random.Generator) -> ClusterNumber:
    """The number of clusters: one if the clusterings agree by chance only, all rows if they agree in everything."""
    if problem.n_rows < 2:
        return ClusterNumber(1, "agreed")
    if problem.n_components == problem.n_rows:  # no two rows share a label: the clusterings do not differ
        return ClusterNumber(problem.n_rows, "agreed")
    p_value = None
    if problem.sampled_labels.n_rows >= FEWEST:
        p_value = agreement_p_value(problem.sampled_labels, rng)
        if p_value > LEVEL:
            return ClusterNumber(1, "chance", p_value)
    return _compare_numbers(problem, p_value, rng)


def _compare_numbers(problem: NumberProblem, p_value: float | None, rng: np.random.Generator) -> ClusterNumber:
    """The number of the highest score (eq. L20)."""
    tables = problem.tables
    halves = compare_halves(
        problem.sample,
        cluster_entropies(tables),
        tables.seen,
        theta=problem.theta,
        max_clusters=problem.max_clusters,
        n_splits=N_SPLITS,
        rng=rng,
    )
    return best_number(halves, problem.singular_values, len(tables.clustering_weights), p_value)


def best_number(
    halves: HalvesAgreement, singular_values: FloatArray, n_clusterings: int, p_value: float | None
) -> ClusterNumber:
    """The number of the highest score, from the agreement of the halves and the singular values."""
    numbers = halves.numbers
    gap = relative_gaps(singular_values, int(numbers[-1]))
    score = halves.shared - _APART * halves.apart + _GAP * gap
    at = int(score.argmax())
    weak = is_weak(singular_values[1], halves.shared[at], halves.apart[at], n_clusterings)
    return ClusterNumber(int(numbers[at]), "weak" if weak else "clusters", p_value, numbers, score, gap, halves)


def is_weak(second_value: float, shared: float, apart: float, n_clusterings: int) -> bool:
    """Whether clusterings of one cloud of points agree as much (eq. L22)."""
    odds = _CLEAR_ODDS * max(1.0, n_clusterings / _FEW) ** 0.5
    return bool(second_value < _CLEAR_CUT and shared < odds * apart)


def warn_weak(number: ClusterNumber) -> None:
    """Say that the clusterings agree no better than those of one cloud of points."""
    if number.verdict == "weak":
        warn(
            f"the clusterings agree, but as they would on one cloud without clusters: {number.n_clusters} clusters may "
            "be cuts through it. If you have the features, choose_n_clusters compares them with data without clusters.",
            WeakStructureWarning,
        )


def number_limit(n_objects: float, n_rows: int, max_clusters: int | None = None) -> int:
    """K, the largest number that is compared: at most the root of the number of objects, and one per distinct row."""
    limit = min(MAX_CLUSTERS, int(np.sqrt(min(n_objects, _MANY)))) if max_clusters is None else max_clusters
    return min(max(limit, 2), n_rows)


def relative_gaps(singular_values: FloatArray, max_clusters: int) -> FloatArray:
    """(s_k - s_{k+1}) / (1 - s_{k+1}) for k = 2, ..., K; 0 where s_{k+1} is 1 (eq. L20)."""
    s = np.concatenate([singular_values, np.zeros(max(0, max_clusters + 1 - len(singular_values)))])
    here, following = s[1:max_clusters], s[2 : max_clusters + 1]
    room = 1 - following
    return np.asarray(np.divide(here - following, room, out=np.zeros(len(here)), where=room > 1e-9))


# ------------------------------------------------------------------------------------------------------- the sample
def count_objects(row_weights: FloatArray, n_objects: IntArray, unit: float = 1.0) -> FloatArray:
    """Objects that each row stands for: those it has, or the whole part of their weight in units of the user."""
    unit = min(unit, _MANY / float(row_weights.sum()))  # more would change no sample, and exceed whole numbers
    return np.maximum(n_objects, np.floor(row_weights * unit * (1 + 1e-9)))


def draw_rows(row_weights: FloatArray, counts: FloatArray, rng: np.random.Generator) -> IntArray:
    """How often each row is drawn: at most 500 objects in all, by weight, and none of them twice.

    An object that is drawn twice would agree with itself in all clusterings. ``counts`` are the objects of each row;
    where they all weigh the same, and are not too many, all are taken. Else the objects lie side by side, each as long
    as its weight and the heaviest of length 1, and points that are at least 1 apart are drawn among them.
    """
    length = row_weights / counts / (row_weights / counts).max()
    if counts.sum() <= N_SAMPLED and length.min() > 1 - 1e-9:
        return counts.astype(np.int64)
    ends = np.cumsum(counts * length)
    n_points = max(int(ends[-1] * (1 + 1e-9)), 1)
    points = rng.choice(n_points, size=min(N_SAMPLED, n_points), replace=False) + rng.random()
    places = np.searchsorted(ends, points * (ends[-1] / n_points), side="right")
    return np.bincount(np.minimum(places, len(ends) - 1), minlength=len(ends))


def one_row_per_object(sample: Ensemble) -> Ensemble:
    """The same objects, each with a row of its own."""
    return sample.with_rows(np.repeat(sample.codes, sample.row_weights.astype(np.int64), axis=0))
