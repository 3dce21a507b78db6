"""What LWGP and U-SENC share: one transfer cut, rows scaled to length 1, weighted k-means, and new rows.

Beyond some thousand distinct rows the starts of k-means run on a sample of the objects, and the best one continues on
all rows. If the graph falls into at least as many components as clusters are asked for, every cut between components is
free: the heaviest components are then clusters of their own, and the others together are the last one (eq. L9).
"""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import common
from partita._runs import draw_seeds, in_order
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._weighted_kmeans import nearest_center, polish, weighted_kmeans
from partita.consensus.label_space._transfer_cut import (
    TransferCut,
    cell_graph,
    components,
    cut_cells,
    keep_heaviest,
    unit_rows,
)
from partita.consensus.pairwise._counted_objects import CountsObjects

SAMPLE = 2000  # objects on which the starts compete: the clusters of starts on 20,000 rows; 500 at times gave others
_STEPS = 30  # of Lloyd on all rows after the starts: each takes 0.1 s on 1,000,000 rows and 8 clusters
_BLOCK = 2**16  # rows embedded at a time: what a thread needs at least to be worth its start


class EmbeddedRows(CountsObjects):
    """Clusters of rows in the embedding of a transfer cut; subclasses say how much each cell counts."""

    _ties_by_codes: ClassVar[bool] = True  # starts are drawn by the position of rows
    _parameter_constraints: ClassVar[dict[str, Any]] = common(
        "n_clusters", "n_init", "weights", "random_state", "n_jobs", "verbose"
    )

    n_clusters: Any  # a number; None where the method finds it
    n_init: int
    random_state: Any
    n_jobs: int | None
    singular_values_: FloatArray

    def _cell_weights(self, ensemble: Ensemble) -> FloatArray:
        """e: weight of the edges of each cell, (t,)."""
        raise NotImplementedError(f"{type(self).__name__} must implement _cell_weights.")

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        cell_weights = self._cell_weights(ensemble)
        W = cell_graph(ensemble, cell_weights)
        part = components(W)
        cut, k = self._cut_graph(rows, W, cell_weights, int(part.max()) + 1)
        self.singular_values_ = cut.singular_values
        if part.max() + 1 >= k:  # eq. L9
            self._cut, self._centers = cut_between_components(cut, part, W, k), np.eye(k)
            labels = nearest_center(embed_rows(self._cut, ensemble, self.n_jobs), self._centers)
        else:
            self._cut = cut.take(k)
            labels, self._centers = self._cluster_rows(ensemble, k)
        self._layout = ensemble.layout
        return Consensus(labels)

    def _cut_graph(
        self, rows: LabelledRows, W: FloatArray, cell_weights: FloatArray, n_components: int
    ) -> tuple[TransferCut, int]:
        """The transfer cut, and the number of clusters."""
        return cut_cells(W, cell_weights, rows.n_clusters), rows.n_clusters

    def _cluster_rows(self, ensemble: Ensemble, k: int) -> tuple[IntArray, FloatArray]:
        """Weighted k-means on the embedded rows (eq. L8)."""
        points = embed_rows(self._cut, ensemble, self.n_jobs)
        return cluster_points(points, ensemble.row_weights, k, n_init=self.n_init, random_state=self.random_state)

    def _label_rows(self, codes: Codes) -> Array:
        points = embed_rows(self._cut, self._layout.with_rows(codes), self.n_jobs)
        return nearest_center(points, self._centers)


def cut_between_components(cut: TransferCut, part: IntArray, W: FloatArray, k: int) -> TransferCut:
    """An embedding with one axis per cluster: the k - 1 heaviest components, and all others (eq. L9)."""
    group = one_hot(keep_heaviest(part, W.sum(axis=1), k), k)
    return cut._replace(cell_map=cut.cell_weights[:, None] * group)


def embed_rows(cut: TransferCut, ensemble: Ensemble, n_jobs: int | None) -> FloatArray:
    """Rows of the embedding, scaled to length 1 (eq. L8); block by block, in threads."""
    points = np.empty((ensemble.n_rows, cut.cell_map.shape[1]))

    def embed(lo: int) -> None:
        block = ensemble.with_rows(ensemble.codes[lo : lo + _BLOCK])
        points[lo : lo + _BLOCK] = unit_rows(cut.embed(block))

    for _ in in_order(embed, range(0, ensemble.n_rows, _BLOCK), n_jobs):
        pass
    return points


def cluster_points(
    points: FloatArray, weights: FloatArray, k: int, *, n_init: int, random_state: Any
) -> tuple[IntArray, FloatArray]:
    """Weighted k-means, by starts on a sample if there are many points: labels, and the centres of the clusters."""
    seed, sample_seed = draw_seeds(random_state, 2).tolist()
    few, few_weights = points, weights
    if len(points) > SAMPLE:
        drawn = np.random.default_rng(sample_seed).multinomial(SAMPLE, weights / weights.sum())
        chosen = np.flatnonzero(drawn)
        few, few_weights = points[chosen], drawn[chosen].astype(np.float64)
    best = weighted_kmeans(few, few_weights, k, n_init=n_init, seed=seed)
    labels, centers = polish(points, weights, best.centers, _STEPS)
    used, labels = np.unique(labels, return_inverse=True)
    return labels.astype(np.int64), centers[used]  # new rows join clusters with objects only
