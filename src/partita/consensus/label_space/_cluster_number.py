"""The number of clusters of an ensemble, from the agreement of halves of its clusterings.

    score(k) = shared(k) - 4 apart(k) + gap(k) / 4,    gap(k) = (s_k - s_{k+1}) / (1 - s_{k+1})              (eq. L18)

A number is good if two halves of the clusterings find the same k clusters: what they share counts for it, what they do
not share four times against it. The relative gap of the singular values of all clusterings together decides between
numbers that are nearly as good. The constants were chosen on data sets that the leaderboard does not report.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_entropies
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships, cell_memberships
from partita.consensus.label_space._halves import HalvesAgreement, compare_halves

MAX_CLUSTERS = 40  # of the numbers that are compared; also at most the root of the number of objects
N_SPLITS = 10  # of the clusterings into halves
N_SAMPLED = 1000  # objects on which the halves are compared
_APART, _GAP = 4.0, 0.25  # see above


@dataclass(frozen=True, eq=False)
class ClusterNumber:
    """A number of clusters, with what speaks for it and for the others."""

    n_clusters: int
    numbers: IntArray  # (K - 1,) 2, 3, ..., K
    score: FloatArray  # (K - 1,) the highest one is chosen
    gap: FloatArray  # (K - 1,) relative gap of the singular values
    halves: HalvesAgreement | None  # None if there was nothing to compare
    second_value: float = 1.0  # s_2: how nearly the ensemble falls into two parts

    @property
    def runner_up(self) -> int | None:
        """The number with the second highest score, None if there is no other."""
        others = np.flatnonzero(self.numbers != self.n_clusters)
        return int(self.numbers[others[self.score[others].argmax()]]) if len(others) else None


class NumberSettings(NamedTuple):
    """How numbers of clusters are compared."""

    theta: float
    max_clusters: int  # K
    seed: int


def number_limit(n_objects: float, n_rows: int, max_clusters: int | None = None) -> int:
    """K, the largest number that is compared: at most the root of the number of objects, and one per distinct row."""
    limit = min(MAX_CLUSTERS, int(np.sqrt(min(n_objects, 1e12)))) if max_clusters is None else max_clusters
    return max(1, min(max(limit, 2), n_rows))


def choose_number(
    sample: CellMemberships, tables: ClusterTables, singular_values: FloatArray, settings: NumberSettings
) -> ClusterNumber:
    """Compare the numbers 2 to K on a sample of the objects; tables and singular values are those of all objects."""
    numbers = np.arange(2, settings.max_clusters + 1)
    gap = relative_gaps(singular_values, settings.max_clusters)
    second = float(singular_values[1]) if len(singular_values) > 1 else 0.0
    if len(tables.clustering_weights) < 2 or len(numbers) < 2:
        found = int(numbers[gap.argmax()]) if len(numbers) else 1
        return ClusterNumber(found, numbers, gap, gap, None, second)
    halves = compare_halves(
        sample,
        cluster_entropies(tables),
        tables.seen,
        theta=settings.theta,
        max_clusters=settings.max_clusters,
        n_splits=N_SPLITS,
        rng=np.random.default_rng(settings.seed),
    )
    score = halves.shared - _APART * halves.apart + _GAP * gap
    return ClusterNumber(int(numbers[score.argmax()]), numbers, score, gap, halves, second)


def relative_gaps(singular_values: FloatArray, max_clusters: int) -> FloatArray:
    """(s_k - s_{k+1}) / (1 - s_{k+1}) for k = 2, ..., K; 0 where s_{k+1} is 1 (eq. L18)."""
    s = np.concatenate([singular_values, np.zeros(max(0, max_clusters + 1 - len(singular_values)))])
    here, following = s[1:max_clusters], s[2 : max_clusters + 1]
    room = 1 - following
    return np.divide(here - following, room, out=np.zeros(len(here)), where=room > 1e-9)


def sample_objects(ensemble: Ensemble, n_objects: float, rng: np.random.Generator) -> CellMemberships:
    """At most 1,000 objects, drawn by their weights: the distinct rows among them, weighted by how often."""
    share = ensemble.row_weights / ensemble.row_weights.sum()
    if n_objects <= N_SAMPLED:
        return cell_memberships(ensemble.with_rows(ensemble.codes, share * n_objects))
    return cell_memberships(ensemble.sample(rng.multinomial(N_SAMPLED, share).astype(np.int64)))
