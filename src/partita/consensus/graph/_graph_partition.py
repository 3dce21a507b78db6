"""One small function that partitions a graph: METIS where it is installed, or spectral.

METIS balances the parts. Within the allowed imbalance it is run from strict to generous, because a generous limit alone
makes it cut off crumbs; of all partitions the one with the lowest normalised cut, sum over the parts of
cut / volume, is kept.
"""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from partita._optional import available
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._spectral import cluster_rows, embed_factor, embed_graph
from partita.exceptions import PartitionerWarning

Partitioner = Literal["auto", "metis", "spectral"]
GENEROUS = 2.0  # allowed excess of a part over the mean, relative: three times the mean
_LADDER = (0.03, 0.1, 0.3, 1.0)  # imbalances to try below the one that is allowed
_WHOLE = 1e9  # largest sum of whole weights
_EDGE = 10_000  # METIS wants whole weights: the heaviest edge
_MANY_EDGES = 200_000  # from here on METIS takes seconds a run, and "auto" does without it


class Parts(NamedTuple):
    """A partition and who made it."""

    labels: IntArray
    partitioner: str


def partition_graph(
    W: Any,
    n_parts: int,
    weight: FloatArray,
    *,
    partitioner: Partitioner = "auto",
    imbalance: float = GENEROUS,
    seed: int = 0,
    also: Sequence[IntArray] = (),
) -> Parts:
    """Partition the vertices of a graph with symmetric, non-negative weights W into ``n_parts`` parts.

    ``weight`` is that of the vertices, ``imbalance`` how much heavier than the mean METIS may make a part (0.05 is the
    papers' choice). "auto" takes the best of METIS and spectral, by the normalised cut; METIS up to 200,000 edges.
    ``also`` are partitions from a spectral embedding of another form of the same graph.
    """
    W = sparse.csr_array(W, dtype=np.float64)
    if len(weight) <= n_parts or n_parts <= 1:
        return nothing_to_cut(len(weight), n_parts)
    candidates = by_metis(W, n_parts, weight, partitioner, imbalance, seed)
    if partitioner != "metis" or not candidates:
        candidates.append(Parts(_spectral(W, n_parts, weight, seed), "spectral"))
        candidates += [Parts(labels, "spectral") for labels in also]
    return min(candidates, key=lambda parts: normalised_cut(W, parts.labels, n_parts))


def nothing_to_cut(n: int, n_parts: int) -> Parts:
    """One part, or a part for each vertex."""
    return Parts(np.arange(n) if n_parts > 1 else np.zeros(n, dtype=np.int64), "none")


def by_metis(
    W: Any, n_parts: int, weight: FloatArray, partitioner: Partitioner, imbalance: float, seed: int
) -> list[Parts]:
    """Partitions by METIS, from strict to generous; none if it is not wanted or not installed."""
    wanted = partitioner == "metis" or (partitioner == "auto" and W.nnz <= _MANY_EDGES)
    if not wanted or not check_installed("pymetis", "metis", "spectral", partitioner):
        return []
    return [Parts(_metis(W, n_parts, weight, step, seed), "metis") for step in imbalances_to_try(imbalance)]


def imbalances_to_try(imbalance: float) -> list[float]:
    """From strict to what is allowed."""
    return [*(step for step in _LADDER if step < imbalance), imbalance]


def whole_weights(weight: FloatArray) -> IntArray:
    """Weights as whole numbers, which the partitioners want: scaled so that the least is 1, or the sum is small."""
    smallest = weight[weight > 0].min(initial=np.inf)
    scale = min(1 / min(smallest, 1.0), _WHOLE / max(weight.sum(), 1.0))
    return np.where(weight > 0, np.maximum(np.rint(weight * scale), 1), 0).astype(np.int64)


def partition_factor(A: Any, n_parts: int, weight: FloatArray, seed: int) -> Parts:
    """Spectral partition of the graph W = A A' of weighted rows, without forming it."""
    if len(weight) <= n_parts or n_parts <= 1:
        return nothing_to_cut(len(weight), n_parts)
    U, V = embed_factor(A, weight, n_parts, seed)
    candidates = [cluster_rows(U, weight, n_parts, seed)]
    if len(V) >= n_parts:  # k-means on rows splits a part far larger than the others; on columns it does not
        of_columns = cluster_rows(V, np.ones(len(V)), n_parts, seed)
        candidates.append(np.asarray(((A > 0) @ np.eye(n_parts)[of_columns]).argmax(axis=1)))
    best = min(candidates, key=lambda labels: cut_of_factor(A, weight, labels, n_parts))
    return Parts(best, "spectral")


def check_installed(module: str, name: str, instead: str, asked: str) -> bool:
    """Whether a partitioner can be used; warn if it was asked for by name and cannot."""
    if available(module):
        return True
    if asked == name:
        warnings.warn(
            f"partitioner={name!r} needs {module}, which is not installed; {instead!r} is used instead. "
            f'To install it: pip install "partita[graph]"',
            PartitionerWarning,
            stacklevel=2,
        )
    return False


def normalised_cut(W: Any, labels: IntArray, n_parts: int) -> float:
    """Sum over the parts of the weight of edges that leave it, over that of all its edges; infinite if one is empty."""
    member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), n_parts))
    return _cut_between((member.T @ W @ member).toarray(), np.unique(labels), n_parts)


def cut_of_factor(A: Any, weight: FloatArray, labels: IntArray, n_parts: int) -> float:
    """The normalised cut of the graph A A' of weighted rows, without forming it."""
    member = np.zeros((len(labels), n_parts))
    member[np.arange(len(labels)), labels] = weight
    of_columns = np.asarray(A.T @ member)
    return _cut_between(of_columns.T @ of_columns, np.unique(labels), n_parts)


def _cut_between(between: FloatArray, used: IntArray, n_parts: int) -> float:
    if len(used) < n_parts:
        return float("inf")
    volume = between.sum(axis=1)
    leaving = volume - np.diag(between)
    return float(np.divide(leaving, volume, out=np.zeros_like(leaving), where=volume > 0).sum())


def _spectral(W: Any, n_parts: int, weight: FloatArray, seed: int) -> IntArray:
    each = np.ones(len(weight))  # edges already count every object of their rows
    return cluster_rows(embed_graph(W, each, n_parts, seed), weight, n_parts, seed)


def _metis(W: Any, n_parts: int, weight: FloatArray, imbalance: float, seed: int) -> IntArray:
    import pymetis

    graph = W.copy()  # what follows would change the caller's graph
    graph.setdiag(0)
    graph.eliminate_zeros()
    heaviest, total = graph.data.max(initial=0.0), graph.data.sum()
    scale = min(_EDGE / heaviest, _WHOLE / total) if heaviest > 0 else 1.0  # METIS adds up in 32 bits
    edges = np.maximum(np.rint(graph.data * scale), 1).astype(np.int64)
    found = pymetis.part_graph(
        n_parts,
        adjacency=pymetis.CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32)),
        vweights=whole_weights(weight),
        eweights=edges,
        options=pymetis.Options(ufactor=max(1, round(1000 * imbalance)), seed=seed),
        recursive=False,
    )
    return np.asarray(found.vertex_part, dtype=np.int64)
