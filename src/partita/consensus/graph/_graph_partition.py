"""One small function that partitions a graph: with METIS where it is installed, spectrally, or with the better of both.

METIS balances the parts. Within the allowed imbalance it is run from strict to generous, because a generous limit alone
makes it cut off very small parts. Of all partitions with the most parts the one of the lowest normalised cut, sum over
the parts of cut / volume, is kept (eqs. G4 to G11).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from partita._labels.membership import one_hot
from partita._optional import available
from partita._runs import progress, warn
from partita._stopping import check_stop
from partita._typing import FloatArray, IntArray
from partita.consensus.graph._metis import metis_parts
from partita.consensus.graph._spectral import cluster_rows, embed_factor, embed_graph
from partita.exceptions import PartitionerWarning

Partitioner = Literal["auto", "metis", "spectral", "kahypar", "clique"]
GENEROUS = 2.0  # allowed excess of a part over the mean, relative: three times the mean, so that unequal parts fit
_LIBRARIES = {"metis": "pymetis", "kahypar": "mtkahypar"}  # of the partitioners that balance the parts
_LADDER = (0.03, 0.1, 0.3, 1.0)  # imbalances to try below the allowed one: about three times as much at each step
_MANY_ENTRIES = 200_000  # stored entries of W up to which "auto" runs METIS: beyond, a run takes seconds


Cut = Callable[[IntArray, int], float]  # (labels, number of parts) to normalised cut


class GraphPartition(NamedTuple):
    """A partition of the vertices of a graph."""

    labels: IntArray  # (n_vertices,) part of each vertex
    partitioner: str  # who made it: "metis", "spectral", "kahypar", "clique", or "none" if there was nothing to cut


class PartitionerSettings(NamedTuple):
    """How a graph is cut."""

    partitioner: Partitioner = "auto"
    imbalance: float = GENEROUS  # how much heavier than the mean METIS or Mt-KaHyPar may make a part, relatively
    seed: int = 0
    verbose: bool = False
    n_objects: float = math.inf  # weight of all objects over that of the lightest, which counts as one (eq. G2)


def partition_graph(
    W: Any,
    n_parts: int,
    vertex_weights: FloatArray,
    settings: PartitionerSettings,
    also: Sequence[IntArray] = (),
) -> GraphPartition:
    """Partition the vertices of a graph with symmetric, non-negative weights W into ``n_parts`` parts.

    "auto" keeps the best of METIS and spectral, by the normalised cut; it runs METIS if W has at most 200,000 stored
    entries (each edge is stored twice). ``also`` holds partitions from a spectral embedding of another form of the
    same graph.
    """
    W = sparse.csr_array(W, dtype=np.float64)
    if len(vertex_weights) <= n_parts or n_parts <= 1:
        return nothing_to_cut(len(vertex_weights), n_parts)
    candidates = metis_partitions(W, n_parts, vertex_weights, settings)
    if settings.partitioner != "metis" or not candidates:
        candidates.append(GraphPartition(_spectral(W, n_parts, vertex_weights, settings.seed), "spectral"))
        candidates += [GraphPartition(labels, "spectral") for labels in also]
    return best_partition(candidates, partial(normalised_cut, W))


def best_partition(candidates: Sequence[GraphPartition], cut: Cut, n_counted: int | None = None) -> GraphPartition:
    """The candidate of the most parts and, among those, of the lowest normalised cut; the first among equals (eq. G5).

    Parts are counted over the first ``n_counted`` vertices, by default all.
    """

    def rank(found: GraphPartition) -> tuple[int, float]:
        check_stop()
        used, labels = np.unique(found.labels, return_inverse=True)
        return -len(np.unique(labels[:n_counted])), cut(labels, len(used))

    return min(candidates, key=rank)


def partition_factor(A: Any, n_parts: int, row_weights: FloatArray, seed: int, *, votes: Any = None) -> GraphPartition:
    """Spectral partition of the graph W = A A' of weighted rows, without forming it (eq. G10).

    ``votes``, of the shape of A, says how strongly each column draws each row to its group; by default A.
    """
    if len(row_weights) <= n_parts or n_parts <= 1:
        return nothing_to_cut(len(row_weights), n_parts)
    U, V = embed_factor(A, row_weights, n_parts, seed)
    candidates = [GraphPartition(cluster_rows(U, row_weights, n_parts, seed), "spectral")]
    if len(V) >= n_parts:  # k-means on rows splits a part far larger than the others; on columns it does not
        of_columns = cluster_rows(V, np.ones(len(V)), n_parts, seed)
        joined = join_columns(A if votes is None else votes, of_columns, n_parts)
        candidates.append(GraphPartition(joined, "spectral"))
    return best_partition(candidates, partial(cut_of_factor, A, row_weights))


def join_columns(votes: Any, of_columns: IntArray, n_parts: int) -> IntArray:
    """Part of each row: the part whose columns have the largest sum in the row."""
    return np.asarray((votes @ one_hot(of_columns, n_parts)).argmax(axis=1))


def nothing_to_cut(n: int, n_parts: int) -> GraphPartition:
    """One part, or a part for each vertex."""
    return GraphPartition(np.arange(n) if n_parts > 1 else np.zeros(n, dtype=np.int64), "none")


# ------------------------------------------------------------------------------------------------------------ METIS
def metis_partitions(
    W: Any, n_parts: int, vertex_weights: FloatArray, settings: PartitionerSettings
) -> list[GraphPartition]:
    """Partitions by METIS, from strict to generous, with all parts; none if it is not asked for or not installed."""
    asked = settings.partitioner == "metis" or (settings.partitioner == "auto" and W.nnz <= _MANY_ENTRIES)
    if not asked or not check_installed("metis", "spectral", settings.partitioner):
        return []
    steps = imbalances_to_try(settings.imbalance)
    found = []
    with progress(len(steps), "METIS", show=settings.verbose) as bar:
        for imbalance in steps:
            labels = metis_parts(W, n_parts, vertex_weights, imbalance, settings.seed)
            found += [] if labels is None else [GraphPartition(labels, "metis")]
            bar.update(1)
    return found


def imbalances_to_try(imbalance: float) -> list[float]:
    """From strict to the one that is allowed (eq. G6)."""
    return [*(step for step in _LADDER if step < imbalance), imbalance]


def is_installed(name: str) -> bool:
    """Whether this is a partitioner that balances the parts, and can be used."""
    return name in _LIBRARIES and available(_LIBRARIES[name])


def check_installed(name: str, instead: str, asked: str) -> bool:
    """Whether a partitioner can be used; warn if the user asked for it by name and it cannot."""
    if is_installed(name):
        return True
    if asked == name:
        warn(
            f"partitioner={name!r} needs {_LIBRARIES[name]}, which is not installed; {instead!r} is used instead. "
            f'To install it: pip install "partita[graph]"',
            PartitionerWarning,
        )
    return False


def _spectral(W: Any, n_parts: int, vertex_weights: FloatArray, seed: int) -> IntArray:
    each = np.ones(len(vertex_weights))  # edges already count every object of their rows
    return cluster_rows(embed_graph(W, each, n_parts, seed), vertex_weights, n_parts, seed)


# --------------------------------------------------------------------------------------------------- normalised cut
def normalised_cut(W: Any, labels: IntArray, n_parts: int) -> float:
    """Sum over the parts of the weight of edges that leave it, over that of all its edges."""
    member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), n_parts))
    return cut_between((member.T @ W @ member).toarray())


def cut_of_factor(A: Any, row_weights: FloatArray, labels: IntArray, n_parts: int) -> float:
    """The normalised cut of the graph A A' of weighted rows, without forming it."""
    member = np.zeros((len(labels), n_parts))
    member[np.arange(len(labels)), labels] = row_weights
    of_columns = np.asarray(A.T @ member)
    return cut_between(of_columns.T @ of_columns)


def cut_between(between: FloatArray) -> float:
    """The normalised cut from the weights of the edges between all pairs of parts, (n_parts, n_parts)."""
    volume = between.sum(axis=1)
    leaving = volume - np.diag(between)
    return float(np.divide(leaving, volume, out=np.zeros_like(leaving), where=volume > 0).sum())
