"""How "vb" and "cvb" start: from clusters that a search found, begun with few clusters and with many (eq. N33)."""

from functools import partial
from typing import NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._numbering import number_by_size
from partita._runs import Round, race, sample_for_starts
from partita._typing import IntArray
from partita.consensus.models._em import STARTS
from partita.consensus.nbce._joint import NBCEModel, mean_table, mean_weights
from partita.consensus.nbce._label_search import ROUNDS, LabelledRows, hard_occupancy, search_labels
from partita.consensus.nbce._posterior import mean_logs, place

_CLUSTERS = 20  # of a start, at most: a search opens more where they are needed, but closes many more slowly
_SEARCHED = 10_000  # distinct rows up to which all are searched once more after a sample: they show more clusters


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
    ensemble: Ensemble, model: NBCEModel, settings: VariationalSettings, K: int, seeds: IntArray
) -> list[LabelledRows]:
    """Clusters of the rows that searches from several starts found, the best first; the last seed is of the sample.

    With many rows the starts compete on a sample, and the best one goes on alone, on all rows.
    """
    few = sample_for_starts(ensemble, int(seeds[-1]))
    search = partial(search_labels, n_clusters=K, estimate=settings.estimate)
    n_starts = len(seeds) - 1

    def first(start: tuple[int, int]) -> LabelledRows:
        labels = STARTS[settings.init](few, *start).astype(np.int64)
        return search(few, model, labels, seed=start[1], n_rounds=ROUNDS if few is ensemble else 1)

    def on_all_rows(found: LabelledRows) -> LabelledRows:
        found = found._replace(labels=place_rows(ensemble, few, found, K))
        if ensemble.n_rows > _SEARCHED:
            return found
        return search(ensemble, found.model, found.labels, seed=int(seeds[-1]), n_rounds=1)

    rounds = [Round(first, n_starts)] if few is ensemble else [Round(first, 1), Round(on_all_rows, 1)]
    starts = zip(start_sizes(K, few.n_rows, n_starts), seeds[:-1].tolist(), strict=True)
    found: list[LabelledRows] = race(starts, rounds, settings.n_jobs, lowest=lambda found: -found.joint)
    return found


def place_rows(ensemble: Ensemble, few: Ensemble, found: LabelledRows, K: int) -> IntArray:
    """Most probable cluster of each row, given the clusters of a sample; those of no row are left out."""
    size, label_size = hard_occupancy(few, found.labels, K)
    pi = mean_weights(size, found.model)[: label_size.shape[1]]
    logs = mean_logs(mean_table(label_size, found.model), pi, found.model)
    labels = np.unique(place(ensemble, logs).argmax(axis=1), return_inverse=True)[1]
    return number_by_size(labels, ensemble.row_weights, ties="number")


def start_sizes(n_clusters: int, n_rows: int, n_starts: int) -> list[int]:
    """Numbers of clusters of the starts, evenly on the log scale."""
    most = max(1, min(n_clusters, n_rows, _CLUSTERS))
    sizes = np.geomspace(min(2, most), most, n_starts) if n_starts > 1 else np.array([most])
    return [int(size) for size in np.rint(sizes)]
