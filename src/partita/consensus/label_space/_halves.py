"""How far two halves of the clusterings agree on k clusters, for every k.

The clusterings are split at random into two halves. Each half embeds a sample of the objects by its own transfer cut
and cuts it into k = 2, 3, ... clusters. With H the mean entropy of the two partitions, I their mutual information and
E its expected value for independent ones,

    shared(k) = I - E,   apart(k) = H - shared(k)        nats, means over the splits                        (eq. L19)

Clusters that are there are found by both halves; clusters that a half invents are found by one. All that leaves the
sample are tables of the cells, sums in the embedding and tables of the two partitions.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from partita._labels.tables import entropy_weights
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._cell_memberships import CellMemberships
from partita.consensus.label_space._transfer_cut import cut_cells, leading_vectors, membership_graph

STEPS = 12  # Lloyd's steps: most halves have stopped by then, and the others hardly move
_TINY = np.finfo(np.float64).tiny


class HalvesAgreement(NamedTuple):
    """Agreement of two halves of the clusterings, for every number of clusters; means over the splits."""

    numbers: IntArray  # (K - 1,) 2, 3, ..., K
    shared: FloatArray  # (K - 1,) information that the partitions of two halves share, beyond chance, in nats
    apart: FloatArray  # (K - 1,) information of a partition that the other one does not have
    rand: FloatArray  # (K - 1,) adjusted Rand index of the two partitions


class ClusteringWeights(Protocol):
    """Weights of the clusterings and of their cells, with rows or without."""

    @property
    def clustering_weights(self) -> FloatArray:
        """(m,)."""
        ...

    @property
    def cell_weights(self) -> FloatArray:
        """(t,)."""
        ...


class HalfPoints(NamedTuple):
    """The sampled rows, embedded by many halves."""

    vectors: FloatArray  # (n_halves, n_rows, K)
    weights: FloatArray  # (n_halves, n_rows) 0 for rows that the half does not label


def compare_halves(
    sample: CellMemberships,
    entropies: FloatArray,
    seen: FloatArray,
    *,
    theta: float,
    max_clusters: int,
    n_splits: int,
    rng: np.random.Generator,
) -> HalvesAgreement:
    """Split the clusterings ``n_splits`` times; ``entropies`` and ``seen`` (t, m) are those of all objects (eq. L3)."""
    halves = [
        embed_half(sample, chosen, entropies, seen, theta, max_clusters)
        for chosen in draw_halves(len(sample.clustering_weights), n_splits, rng)
    ]
    points = HalfPoints(np.stack([F for F, _ in halves]), np.stack([w for _, w in halves]))
    weights = np.minimum(points.weights[::2], points.weights[1::2])
    return agreement_by_number(
        tables_of_halves(labels, weights, k) for k, labels in enumerate(cut_halves(points, max_clusters, rng), start=2)
    )


def agreement_by_number(tables: Iterable[FloatArray]) -> HalvesAgreement:
    """Agreement from the tables of all splits, (n_splits, k, k), for k = 2, 3, ..."""
    shared, apart, rand = np.array([agreement(of_splits) for of_splits in tables]).T
    return HalvesAgreement(np.arange(2, len(shared) + 2), shared, apart, rand)


def draw_halves(n_clusterings: int, n_splits: int, rng: np.random.Generator) -> list[IntArray]:
    """Clusterings of each half, those of one split after another."""
    splits = [np.array_split(rng.permutation(n_clusterings), [n_clusterings // 2]) for _ in range(n_splits)]
    return [np.sort(chosen) for split in splits for chosen in split]


def embed_half(
    sample: CellMemberships, chosen: IntArray, entropies: FloatArray, seen: FloatArray, theta: float, n_vectors: int
) -> tuple[FloatArray, FloatArray]:
    """Rows in the embedding of some clusterings, (n_rows, n_vectors), and their weights, 0 where none labels the row.

    The weights of the cells come from the chosen clusterings alone: the other half must not speak through them.
    """
    check_stop()
    rows = np.flatnonzero(sample.seen[:, chosen].any(axis=1))
    vectors, weights = np.zeros((sample.n_rows, n_vectors)), np.zeros(sample.n_rows)
    if not len(rows):
        return vectors, weights
    H = sample.H[rows][:, np.isin(sample.cell_clustering, chosen)]
    present = np.asarray(H.sum(axis=0)).ravel() > 0
    cells = np.flatnonzero(np.isin(sample.cell_clustering, chosen))[present]
    edges, H = half_edges(cells, chosen, entropies, seen, sample, theta), H[:, present]
    embedded = embed_sample(H, sample.row_weights[rows], edges, n_vectors)
    vectors[rows, : embedded.shape[1]], weights[rows] = embedded, sample.row_weights[rows]
    return vectors, weights


def half_edges(
    cells: IntArray,
    chosen: IntArray,
    entropies: FloatArray,
    seen: FloatArray,
    layout: ClusteringWeights,
    theta: float,
) -> FloatArray:
    """Weight of the edges of some cells, from the chosen clusterings alone (eq. L4)."""
    both, weights = np.ix_(cells, chosen), layout.clustering_weights[chosen]
    return entropy_weights(entropies[both], seen[both], weights, theta) * layout.cell_weights[cells]


def embed_sample(H: Any, row_weights: FloatArray, edges: FloatArray, n_vectors: int) -> FloatArray:
    """Rows of f (eq. L7), from the pairs of cells or, where there are fewer of them, the pairs of sampled rows."""
    if H.shape[0] >= H.shape[1]:
        return cut_cells(membership_graph(H, row_weights, edges), edges, n_vectors).embed_memberships(H)
    B = H * edges
    degree = np.maximum(np.asarray(B.sum(axis=1)).ravel(), _TINY)
    # S = diag(w / dx)^1/2 B D^-1/2 with D = B' w; of S = U diag(s) V' the left vectors give f = s U / (w dx)^1/2
    S = B * (1 / np.sqrt(np.maximum(np.asarray(B.T @ row_weights), _TINY)))
    product = S @ S.T
    root = np.sqrt(row_weights / degree)
    normal = root[:, None] * (product if isinstance(product, np.ndarray) else product.toarray()) * root
    squared, U = leading_vectors(normal, n_vectors)
    return np.asarray(U * np.sqrt(squared.clip(0.0, 1.0)) / np.sqrt(row_weights * degree)[:, None])


# ------------------------------------------------------------------------------------------- k-means of all halves
def cut_halves(points: HalfPoints, max_clusters: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Clusters of the rows, (n_halves, n_rows), for k = 2, 3, ...: k-means on the leading k vectors, rows of length 1.

    Every k has one start of plain k-means++, on purpose: where k is wrong, k-means has many answers that are nearly as
    good, and the halves find different ones. More starts, greedy ones, or starting k from the clusters of k - 1 hide
    that, and the numbers that they led to were worse. All halves move at a time.
    """
    for k in range(2, max_clusters + 1):
        P = leading_directions(points.vectors, k)
        centers = plus_plus(P, points.weights, k, rng)
        labels = np.full(points.weights.shape, -1)
        for _ in range(STEPS):
            check_stop()
            before, labels = labels, nearest_centers(P, centers)
            if np.array_equal(labels, before):
                break
            centers = means_of(*sums_of_clusters(P, points.weights, labels, k), centers)
        yield labels


def leading_directions(vectors: FloatArray, k: int) -> FloatArray:
    """The leading k entries of every vector, (n_halves, n, k), scaled to length 1."""
    P = vectors[:, :, :k]
    return np.asarray(P / np.sqrt(np.maximum(np.einsum("bnd,bnd->bn", P, P), _TINY))[:, :, None])


def plus_plus(P: FloatArray, weights: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Centres for every half, (n_halves, k, d): rows drawn by their weighted squared distance from the others."""
    halves, squared = np.arange(len(P)), np.einsum("bnd,bnd->bn", P, P)
    centers, shares = np.empty((len(P), k, P.shape[2])), weights
    nearest = np.full(weights.shape, np.inf)
    for j in range(k):
        total = np.cumsum(shares, axis=1)
        drawn = (total <= rng.random((len(P), 1)) * total[:, -1:]).sum(axis=1)
        centers[:, j] = P[halves, np.minimum(drawn, P.shape[1] - 1)]
        own = np.einsum("bd,bd->b", centers[:, j], centers[:, j])[:, None]
        distance = own + squared - 2 * (P @ centers[:, j, :, None])[:, :, 0]
        nearest = np.minimum(nearest, np.maximum(distance, 0.0))
        shares = weights * nearest
    return centers


def nearest_centers(P: FloatArray, centers: FloatArray) -> IntArray:
    """Nearest centre of each row, the first one among equals."""
    half = np.einsum("bkd,bkd->bk", centers, centers)[:, None] / 2
    return np.asarray((half - P @ centers.swapaxes(1, 2)).argmin(axis=2))


def sums_of_clusters(P: FloatArray, weights: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Sum of the rows of each cluster, (n_halves, k, d), and its weight."""
    member = (labels[:, None] == np.arange(k)[:, None]) * weights[:, None]
    return member @ P, member.sum(axis=2)


def means_of(total: FloatArray, mass: FloatArray, centers: FloatArray) -> FloatArray:
    """Means from sums; an empty cluster keeps its centre."""
    return np.where(mass[:, :, None] > 0, total / np.maximum(mass, _TINY)[:, :, None], centers)


# -------------------------------------------------------------------------------------------- agreement of partitions
def tables_of_halves(labels: IntArray, weights: FloatArray, k: int) -> FloatArray:
    """Tables of the partitions of the two halves of each split, (n_splits, k, k)."""
    return np.stack(
        [
            np.bincount(a * k + b, weights=w, minlength=k * k).reshape(k, k)
            for a, b, w in zip(labels[::2], labels[1::2], weights, strict=True)
        ]
    )


def agreement(tables: FloatArray) -> tuple[float, float, float]:
    """Shared and unshared information and adjusted Rand index of pairs of partitions, means over the splits."""
    tables = tables[tables.sum(axis=(1, 2)) > 0]  # two halves that label no object in common say nothing
    if not len(tables):
        return 0.0, 0.0, 0.0
    n, rows, columns = tables.sum(axis=(1, 2)), tables.sum(axis=2), tables.sum(axis=1)
    H = (_entropy(rows, n) + _entropy(columns, n)) / 2
    information = 2 * H - _entropy(tables.reshape(len(tables), -1), n)
    chance = ((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1) / (2 * n)  # Miller and Madow (eq. L19)
    shared = information - chance
    return float(shared.mean()), float((H - shared).mean()), float(_adjusted_rand(tables, rows, columns, n).mean())


def _entropy(counts: FloatArray, n: FloatArray) -> FloatArray:
    """Entropy of each line of counts, in nats."""
    share = counts / n[:, None]
    return np.asarray(-(share * np.log(np.maximum(share, _TINY))).sum(axis=1))


def _adjusted_rand(tables: FloatArray, rows: FloatArray, columns: FloatArray, n: FloatArray) -> FloatArray:
    """Adjusted Rand index of each table; 1 if both partitions are one cluster, or all objects apart."""

    def pairs(counts: FloatArray) -> FloatArray:
        return counts * (counts - 1) / 2

    together, of_rows = pairs(tables).sum(axis=(1, 2)), pairs(rows).sum(axis=1)
    of_columns = pairs(columns).sum(axis=1)
    expected = of_rows * of_columns / np.maximum(pairs(n), _TINY)
    best = (of_rows + of_columns) / 2
    return np.asarray(
        np.divide(together - expected, best - expected, out=np.ones(len(n)), where=np.abs(best - expected) > 1e-12)
    )
