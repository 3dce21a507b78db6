"""Many clusterings of one spectral embedding by anchors (FSEC): the graph and its cut are made once."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita._typing import FloatArray
from partita.generation._anchor_graph import AnchorGraph, cluster_embedded, cut_graph, make_graph
from partita.generation._base_clusterings import ClusteringTask, FoundClusters, ensure_labels_fit
from partita.generation._cluster_numbers import draw_numbers
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._representatives import Links, check_representatives, usual_number

_AUTO = (10, 50)  # the paper draws from the number of classes to 50
_SMALLEST = 1e-6  # singular value that a vector is divided by: those below are rounding


class _Plan(NamedTuple):
    """What the embedding of all clusterings needs."""

    n_anchors: int
    n_vectors: int
    seed: int


class AnchorEnsemble(FeatureEnsemble):
    """Many clusterings of one spectral embedding of features (FSEC), as a label matrix.

    Every object is joined to the nearest of some anchors; one cut of this graph embeds the objects, and each clustering
    is k-means on the leading vectors of the embedding, as many as it has clusters. The clusterings differ in their
    numbers of clusters, and in starts; they cost little more than one of :class:`USpecEnsemble`, and differ less.

    Parameters
    ----------
    n_clusterings : int, default=20
        Number of clusterings.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from 10 to 50, and from sqrt(n) / 2 to sqrt(n) where these are smaller (eq. R66).
    n_anchors : int or "auto", default="auto"
        Number of anchors, not below the numbers of clusters; all objects if there are fewer. "auto" is the power of 2
        below sqrt(n k), with k the smallest number of clusters, as in the paper, but not below a fifth of the objects
        and 1000 (eq. R64).
    n_neighbours : int, default=5
        Number of anchors that each object is joined to.
    random_state : int, RandomState, Generator or None
        Seed of the anchors and of the clusterings.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    manifest_ : DataFrame
        One row per clustering that was tried: name, algorithm, numbers of clusters requested and found, number of
        objects it saw, seed, iterations, status ("ok", "failed") and message.
    n_iter_ : int
        Largest number of iterations of a clustering.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost n (sqrt(p) + 10 K) d for the links of p anchors, then n K (K + k) per clustering; with "auto" p grows as
    sqrt(n) above a million objects or so. Memory 12 n K bytes and 8 p^2. ``transform`` gives the fitted objects their
    labels. The model is on the theory page about ensembles, eqs. R64 to R66.

    References
    ----------
    Fast spectral ensemble clustering (FSEC), Information Fusion 113 (2025) 102587.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from partita import AnchorEnsemble
    >>> F, truth = make_moons(600, noise=0.05, random_state=0)
    >>> AnchorEnsemble(10, random_state=0).fit_transform(F).shape
    (600, 10)
    """

    sample_fraction = 1.0  # the embedding is one for all clusterings
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "n_clusterings": [Interval("int", 1, None)],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "n_anchors": [Interval("int", 1, None), StrOptions({"auto"})],
        "n_neighbours": [Interval("int", 1, None)],
    }

    def __init__(
        self,
        n_clusterings: int = 20,
        n_clusters: Any = "auto",
        *,
        n_anchors: Any = "auto",
        n_neighbours: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_neighbours = n_neighbours
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        ensure_labels_fit(n_objects, self.n_clusterings)
        *seeds, of_numbers, of_anchors = draw_seeds(self.random_state, self.n_clusterings + 2).tolist()
        numbers = draw_numbers(self.n_clusters, self.n_clusterings, n_objects, of_numbers, auto=_AUTO, instead="")
        self._plan = _Plan(self._count_anchors(n_objects, numbers), max(numbers), of_anchors)
        check_representatives("n_anchors", self._plan.n_anchors, self.n_neighbours, max(numbers), n_objects)
        return [
            ClusteringTask("anchor", self._cluster, (k,), n_objects, seed)
            for k, seed in zip(numbers, seeds, strict=True)
        ]

    def _count_anchors(self, n_objects: int, numbers: list[int]) -> int:
        """Number of anchors (eq. R64)."""
        if self.n_anchors == "auto":
            power = int(2 ** np.floor(np.log2(n_objects * min(numbers)) / 2))
            return min(n_objects, max(power, usual_number(n_objects), *numbers))
        return min(int(self.n_anchors), n_objects)

    def _prepare_fit(self, X: FloatArray) -> Links:
        with threadpool_limits(1), warnings.catch_warnings():  # one thread, as in the clusterings
            warnings.simplefilter("ignore")  # of k-means, if anchors coincide
            graph, links = make_graph(X, self._plan.n_anchors, int(self.n_neighbours), self._plan.seed)
            self._graph: AnchorGraph = graph
            self._cell_map: FloatArray = left_vectors(graph, links, self._plan.n_vectors)
        return links

    def _prepare_new(self, X: FloatArray) -> Links:
        return self._graph.link(X)

    def _cluster(self, links: Links, ks: Sequence[int], seed: int) -> list[FoundClusters]:
        found = [cluster_embedded(self._graph, links, self._cell_map[:, :k], k, seed) for k in ks]
        return [FoundClusters(made.labels, made.clusters.place_links, n_iter=made.n_iter) for made in found]


def left_vectors(graph: AnchorGraph, links: Links, n_vectors: int) -> FloatArray:
    """Map of the anchors whose sums over links are rows of left singular vectors, but for their length (eq. R65)."""
    cut = cut_graph(graph, links, n_vectors)
    values = cut.singular_values[: cut.cell_map.shape[1]]
    return np.ascontiguousarray(cut.cell_map / np.maximum(values, _SMALLEST))
