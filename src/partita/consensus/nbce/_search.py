"""How the variational fits look for a good start: with few clusters and with many; the highest bound decides."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import draw_sample, in_order
from partita._typing import IntArray

_ALONE = 20  # clusters of a start that has no other beside it


class Search(NamedTuple):
    """What to try."""

    n_clusters: int  # K
    init: str
    seeds: IntArray  # one a start, and one more
    tol: float
    max_iter: int
    estimate: tuple[bool, bool]  # alpha0, beta
    n_jobs: int | None

    def tasks(self, n_rows: int) -> Iterator[tuple[int, int]]:
        """Number of clusters, spread evenly on the log scale, and seed of each start."""
        most = max(1, min(self.n_clusters, n_rows))
        n_starts = len(self.seeds) - 1
        sizes = np.geomspace(min(2, most), most, n_starts) if n_starts > 1 else np.array([min(most, _ALONE)])
        return zip(np.rint(sizes).astype(int).tolist(), self.seeds[:-1].tolist(), strict=True)

    def few_objects(self, ensemble: Ensemble) -> Ensemble:
        """The ensemble on which starts compete: a sample where there are many rows."""
        drawn = draw_sample(ensemble.row_weights, int(self.seeds[-1]))
        return ensemble if drawn is None else ensemble.sample(drawn)

    def best(self, run: Callable[[tuple[int, int]], Any], n_rows: int) -> Any:
        """The run that ends with the highest bound."""
        return max(in_order(run, list(self.tasks(n_rows)), self.n_jobs), key=lambda found: found.history[-1])
