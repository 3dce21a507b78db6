"""How "vb" and "cvb" start: from clusters that a search found, begun with few clusters and with many (eq. N33)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import Round, race
from partita._typing import IntArray
from partita.consensus.models._em import STARTS
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._label_search import ROUNDS, LabelledRows, search_labels

_CLUSTERS = 20  # of a start, at most: a search opens more where they are needed, but closes many more slowly


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


def race_of_searches(
    few: Ensemble, model: NBCEModel, settings: VariationalSettings, K: int, seeds: IntArray, keep: int
) -> list[LabelledRows]:
    """Clusters that searches from several starts found, the best first.

    If all are kept, each goes on until alpha0 and beta have settled; else only those that are best after one search.
    """
    search = partial(search_labels, few, n_clusters=K, estimate=settings.estimate, seed=int(seeds[0]))

    def first(start: tuple[int, int]) -> LabelledRows:
        labels = STARTS[settings.init](few, *start).labels.astype(np.int64)
        return search(model, labels, seed=start[1], n_rounds=ROUNDS if keep == len(seeds) else 1)

    def again(found: LabelledRows) -> LabelledRows:
        return search(found.model, found.labels)

    rounds = [Round(first, keep)]
    if keep < len(seeds) and any(settings.estimate):
        rounds.append(Round(again, keep))
    starts = zip(start_sizes(K, few.n_rows, len(seeds)), seeds.tolist(), strict=True)
    found: list[LabelledRows] = race(starts, rounds, settings.n_jobs, lowest=lambda found: -found.joint)
    return found


def start_sizes(n_clusters: int, n_rows: int, n_starts: int) -> list[int]:
    """Numbers of clusters of the starts, evenly on the log scale."""
    most = max(1, min(n_clusters, n_rows, _CLUSTERS))
    sizes = np.geomspace(min(2, most), most, n_starts) if n_starts > 1 else np.array([most])
    return [int(size) for size in np.rint(sizes)]
