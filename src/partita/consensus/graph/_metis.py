"""METIS, called so that it finds all the parts and prints nothing.

METIS bisects a graph again and again, and improves all parts together at the end (its k-way scheme). With vertices that
are heavy for a part, or a generous imbalance, a bisection may leave one side empty: METIS then prints a message to the
standard output of the process and returns fewer parts. So heavy vertices are divided into pieces for it, and where
parts are still missing the bisections are called one by one: a call for two parts never prints (eq. G7).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from partita._typing import FloatArray, IntArray
from partita.consensus.graph._whole_weights import whole_graph, whole_weights

# Pieces of vertices that a part of mean weight has, at least. 18,800 random graphs: METIS printed nothing with 5, 10 or
# 20; whole vertices of unequal weight: it printed in 20 fits of 100.
_PIECES = 20
_K_WAY = 2.0  # imbalance up to which the k-way scheme runs: beyond, METIS may put all on one side and print


class VertexPieces(NamedTuple):
    """A graph whose heavy vertices are divided into pieces with the same neighbours."""

    graph: Any  # sparse (n_pieces, n_pieces)
    weights: FloatArray  # (n_pieces,)
    vertex: IntArray  # (n_pieces,) vertex of each piece

    def join(self, labels: IntArray, n_parts: int) -> IntArray:
        """Part of each vertex: the one that has most of its pieces, the first among equals."""
        votes = np.zeros((int(self.vertex[-1]) + 1, n_parts), dtype=np.int64)
        np.add.at(votes, (self.vertex, labels), 1)
        return np.asarray(votes.argmax(axis=1))


def metis_parts(W: Any, n_parts: int, vertex_weights: FloatArray, imbalance: float, seed: int) -> IntArray | None:
    """Part of each vertex by METIS; None where a part is left without a vertex of positive weight.

    W is symmetric and non-negative, with more vertices of positive weight than parts.
    """
    if np.count_nonzero(vertex_weights > 0) <= n_parts or n_parts < 2 or W.shape != 2 * (len(vertex_weights),):
        raise ValueError(
            f"METIS cannot make {n_parts} parts of {len(vertex_weights)} vertices and a graph of {W.shape}."
        )
    imbalance = min(imbalance, n_parts)  # with k - 1 a part may have all
    pieces = divide_vertices(W, vertex_weights, n_parts)
    whole, weights = whole_graph(pieces.graph), whole_weights(pieces.weights)
    for scheme in (_k_way, _one_by_one) if imbalance <= _K_WAY else (_one_by_one,):
        labels = pieces.join(scheme(whole, n_parts, weights, imbalance, seed), n_parts)
        if len(np.unique(labels[vertex_weights > 0])) == n_parts:
            return labels
    return None


def divide_vertices(W: Any, vertex_weights: FloatArray, n_parts: int) -> VertexPieces:
    """Divide vertices heavier than 1/20 of a part, but not below the lightest: equal ones stay whole."""
    lightest = vertex_weights[vertex_weights > 0].min()
    largest = max(vertex_weights.sum() / (n_parts * _PIECES), lightest)
    n_pieces = np.maximum(np.ceil(vertex_weights / largest * (1 - 1e-9)), 1).astype(np.int64)  # less rounding
    vertex = np.repeat(np.arange(len(n_pieces)), n_pieces)
    if len(vertex) == len(n_pieces):
        return VertexPieces(W, vertex_weights, vertex)
    share = 1 / n_pieces[vertex]
    spread = sparse.csr_array((share, (np.arange(len(vertex)), vertex)), shape=(len(vertex), len(n_pieces)))
    return VertexPieces(sparse.csr_array(spread @ W @ spread.T), vertex_weights[vertex] * share, vertex)


def _k_way(graph: Any, n_parts: int, weights: IntArray, imbalance: float, seed: int) -> IntArray:
    return _call(graph, n_parts, weights, imbalance, seed, recursive=False)


def _one_by_one(graph: Any, n_parts: int, weights: IntArray, imbalance: float, seed: int) -> IntArray:
    """Bisections into halves of the parts; where a side has too few vertices, some of its parts get none."""
    each = (1 + imbalance) ** (1 / np.ceil(np.log2(n_parts))) - 1  # so that all levels together keep the imbalance
    labels = np.zeros(len(weights), dtype=np.int64)
    sides = [(np.arange(len(weights)), 0, n_parts)]
    while sides:
        vertices, first, parts = sides.pop()
        labels[vertices] = first
        if parts == 1 or np.count_nonzero(weights[vertices]) < 2:
            continue
        left = parts // 2
        part_of_graph, targets = graph[vertices][:, vertices], [left / parts, 1 - left / parts]
        side = _call(part_of_graph, 2, weights[vertices], each, seed, recursive=True, tpwgts=targets)
        sides += [(vertices[side == 0], first, left), (vertices[side == 1], first + left, parts - left)]
    return labels


def _call(graph: Any, n_parts: int, weights: IntArray, imbalance: float, seed: int, **scheme: Any) -> IntArray:
    import pymetis

    found = pymetis.part_graph(
        n_parts,
        adjacency=pymetis.CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32)),
        vweights=weights,
        eweights=graph.data.astype(np.int64),
        options=pymetis.Options(ufactor=max(1, round(1000 * imbalance)), seed=seed),
        **scheme,
    )
    return np.asarray(found.vertex_part, dtype=np.int64)
