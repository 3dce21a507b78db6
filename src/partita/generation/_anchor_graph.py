"""The graph of objects and representatives: its cut, and clusters of the objects in the embedding (eqs. R59 to R62).

The graph is known by the links of each object and one scale. Its cut is a table with one row per representative, so
that nothing of the size of objects times representatives, or objects times vectors, is ever held.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from partita._runs import block_edges
from partita._typing import FloatArray, IntArray
from partita.consensus.label_space._transfer_cut import TransferCut, cut_cells, unit_rows
from partita.generation._representatives import Links, Representatives, make_representatives

# added to all weights, as in eq. R13: an object far from all representatives still has a place, and a representative
# that is near to such objects only still has a degree
LEAST_WEIGHT = 1e-6
_FITTED = 20_000  # objects on which k-means of the embedding runs: some 300 for each of 60 clusters, at bounded cost
_STEPS = 100  # Lloyd's steps from k-means++; most runs end before


class AnchorGraph(NamedTuple):
    """Representatives and how objects are joined to them."""

    representatives: Representatives
    n_neighbours: int
    scale: float  # 1 / (2 sigma^2)

    def link(self, X: FloatArray) -> Links:
        """Links of objects."""
        return self.representatives.link(X, self.n_neighbours)

    def weights(self, links: Links) -> Any:
        """Sparse rows of B for some objects (eq. R59)."""
        n, width = links.shape
        data = np.exp(-links.squared * self.scale) + LEAST_WEIGHT
        start = np.arange(0, n * width + 1, width)
        shape = n, len(self.representatives.points)
        return sparse.csr_array((data.ravel(), links.nearest.ravel(), start), shape=shape)


def make_graph(X: FloatArray, n_representatives: int, n_neighbours: int, seed: int) -> tuple[AnchorGraph, Links]:
    """The graph of the objects, and their links; sigma is the mean distance of links (eq. R59)."""
    representatives = make_representatives(X, n_representatives, n_neighbours, seed)
    links = representatives.link(X, n_neighbours)
    edges = block_edges(len(X), 0)
    sigma = sum(float(np.sqrt(links.squared[lo:hi]).sum()) for lo, hi in edges) / links.squared.size
    squared = 2.0 * sigma * sigma
    return AnchorGraph(representatives, n_neighbours, 1.0 / squared if squared > 0 else 1.0), links


# ------------------------------------------------------------------------------------------------------------- the cut
def cut_graph(graph: AnchorGraph, links: Links, n_vectors: int) -> TransferCut:
    """Transfer cut of the graph: one row of the map per representative, 0 where no object has a link (eq. R60)."""
    W = pair_weights(graph, links)
    joined = np.flatnonzero(W.diagonal() > 0)
    W = W[np.ix_(joined, joined)]
    found = cut_cells(W, np.ones(len(joined)), min(n_vectors, len(joined)))
    cell_map = np.zeros((len(graph.representatives.points), found.cell_map.shape[1]))
    cell_map[joined] = found.cell_map
    return TransferCut(found.singular_values, np.ones(len(cell_map)), cell_map)


def pair_weights(graph: AnchorGraph, links: Links) -> FloatArray:
    """W = B' diag(1 / dx) B, (p, p) (eq. R60)."""
    from partita._kernels.representatives import add_link_pairs

    p, width = len(graph.representatives.points), links.shape[1]
    half = np.zeros((p, p))
    add_link_pairs(links.nearest, links.squared, graph.scale, LEAST_WEIGHT, np.empty(width), half)
    return half + half.T - np.diag(half.diagonal())


# -------------------------------------------------------------------------------------------------------- the clusters
class EmbeddedClusters(NamedTuple):
    """Centres of clusters in the embedding, as a table over the representatives."""

    graph: AnchorGraph
    table: FloatArray  # (p, v + k) coordinates of the representatives, and their products with the centres
    half: FloatArray  # (k,) half the squared lengths of the centres

    def place(self, X: FloatArray) -> IntArray:
        """Clusters of objects."""
        return self.place_links(self.graph.link(X))

    def place_links(self, links: Links) -> IntArray:
        """Nearest centre of each object, at a cost of K (v + k) per object (eq. R62)."""
        from partita._kernels.representatives import nearest_embedded

        labels = np.empty(len(links.nearest), dtype=np.int64)
        work = np.empty(self.table.shape[1])
        nearest_embedded(*links, self.graph.scale, LEAST_WEIGHT, self.table, self.half, work, labels)
        return labels

    def keep(self, used: IntArray) -> "EmbeddedClusters":
        """The same with some of the centres only."""
        v = self.table.shape[1] - len(self.half)
        columns = np.concatenate([np.arange(v), v + used])
        return self._replace(table=np.ascontiguousarray(self.table[:, columns]), half=self.half[used])


class EmbeddedKMeans(NamedTuple):
    """k-means of embedded objects: clusters, the label of each object, Lloyd's steps."""

    clusters: EmbeddedClusters
    labels: IntArray
    n_iter: int


def cluster_embedded(graph: AnchorGraph, links: Links, cell_map: FloatArray, k: int, seed: int) -> EmbeddedKMeans:
    """k-means of the rows of B @ cell_map, of unit length, fitted to a sample if there are many (eqs. R61, R62)."""
    n = len(links.nearest)
    sample = slice(None) if n <= _FITTED else np.random.default_rng([seed, 3]).choice(n, _FITTED, replace=False)
    points = unit_rows(np.asarray(graph.weights(links.take(sample)) @ cell_map))
    model = KMeans(k, n_init=1, max_iter=_STEPS, random_state=seed).fit(points)
    centers = model.cluster_centers_
    table = np.ascontiguousarray(np.column_stack([cell_map, cell_map @ centers.T]))
    found = EmbeddedClusters(graph, table, np.einsum("ij,ij->i", centers, centers) / 2)
    used, labels = np.unique(found.place_links(links), return_inverse=True)
    # a centre without objects is dropped, so that new objects are not placed there
    return EmbeddedKMeans(found.keep(used), labels.astype(np.int64), int(model.n_iter_))
