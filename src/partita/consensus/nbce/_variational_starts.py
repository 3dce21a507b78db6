"""How "vb" and "cvb" start: from clusters that a search found, begun with few clusters and with many (eq. N33)."""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import IntArray
from partita.consensus.models._em import STARTS
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._label_search import LabelledRows, search_labels

_ALONE = 20  # clusters of a single start


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


def numbered_starts(n_clusters: int, n_rows: int, seeds: IntArray) -> list[tuple[int, int]]:
    """A number of clusters and a seed for each start; the numbers are spread evenly on the log scale."""
    most = max(1, min(n_clusters, n_rows))
    sizes = np.geomspace(min(2, most), most, len(seeds)) if len(seeds) > 1 else np.array([min(most, _ALONE)])
    return list(zip(np.rint(sizes).astype(int).tolist(), seeds.tolist(), strict=True))


def search_from(
    ensemble: Ensemble, model: NBCEModel, K: int, settings: VariationalSettings, start: tuple[int, int]
) -> LabelledRows:
    """Search from a start with the given number of clusters, and seed."""
    n_clusters, seed = start
    labels = STARTS[settings.init](ensemble, n_clusters, seed).labels.astype(np.int64)
    return search_labels(ensemble, model, labels, K, settings.estimate, seed)


def minus_reached(run: Any) -> float:
    """What the best of several searches, or runs, has lowest."""
    return -float(run.joint if isinstance(run, LabelledRows) else run.history[-1])
