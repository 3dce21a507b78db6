"""How "vb" and "cvb" look for a good start: with few clusters and with many; the highest bound decides (eq. N33)."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import best_of
from partita._typing import IntArray

SHORT = 20  # iterations of each start before the best one continues: more cost time for starts that are then dropped
_ALONE = 20  # clusters of a single start: superfluous ones can lose their objects, but none is opened later


class VariationalSettings(NamedTuple):
    """What "vb" and "cvb" share."""

    truncation: int
    estimate: tuple[bool, bool]  # whether alpha0 and beta are estimated
    init: str
    max_iter: int
    tol: float
    n_jobs: int | None

    def n_clusters(self, ensemble: Ensemble) -> int:
        """K: the truncation, or the number of objects if that is less."""
        return min(self.truncation, int(max(1, ensemble.row_weights.sum())))


class HasHistory(Protocol):
    """A run with its bounds."""

    @property
    def history(self) -> list[float]:
        """Bound after each iteration."""


Found = TypeVar("Found", bound=HasHistory)


def best_start(
    run: Callable[[tuple[int, int]], Found], n_clusters: int, n_rows: int, seeds: IntArray, n_jobs: int | None
) -> Found:
    """The run with the highest bound; ``run`` takes a number of clusters and a seed.

    The numbers of clusters are spread evenly on the log scale.
    """
    most = max(1, min(n_clusters, n_rows))
    sizes = np.geomspace(min(2, most), most, len(seeds)) if len(seeds) > 1 else np.array([min(most, _ALONE)])
    starts = zip(np.rint(sizes).astype(int).tolist(), seeds.tolist(), strict=True)
    return best_of(run, starts, n_jobs, lowest=lambda found: -found.history[-1])
