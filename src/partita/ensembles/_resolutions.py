"""Clusterings of growing resolution as a layered graph: which clusters are split, merged or kept (a clustering tree).

Between clusters q of one clustering and r of the next, over the objects that both label:

    in-proportion = n_qr / n_r,    out-proportion = n_qr / n_q                                                (eq. I93)

    stability of cluster q = mean over the other clusterings l of (1 / J^2) sum over r in l of n_qr / n_r     (eq. I94)

with J the number of clusters r of l that share objects with q: 1 if every clustering has this cluster.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.ensemble import Ensemble
from partita._labels.tables import cluster_tables
from partita._memory import ensure_memory
from partita._typing import FloatArray, IntArray
from partita.ensembles._distinct import Clusterings, read_clusterings


@dataclass(frozen=True, eq=False)
class ResolutionTree:
    """Clusters of successive clusterings, and how their objects go from one to the next.

    Attributes
    ----------
    clusterings : list of str
        Names, in the order of the levels.
    nodes : DataFrame
        One row per cluster: ``node`` (its number), ``level``, ``clustering``, ``cluster`` (its label), ``size`` (its
        objects), ``stability`` (1 if every other clustering has the same cluster) and ``parent`` (the node of the level
        before with which it shares most objects; -1 if there is none).
    edges : DataFrame
        One row per pair of clusters of successive levels that share objects: ``source``, ``target`` (nodes), ``count``
        (objects in both), ``in_proportion`` (of those of the target), ``out_proportion`` (of those of the source), both
        among the objects that the two clusterings label, and ``is_main`` (the edge from the parent).
    """

    clusterings: list[str]
    nodes: pd.DataFrame = field(repr=False)
    edges: pd.DataFrame = field(repr=False)


def resolution_tree(X: Any, *, order: Any = None) -> ResolutionTree:
    """How clusters split and merge over clusterings of growing resolution.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1. Two clusterings are
        compared on the objects that both label.
    order : "given", list of names or list of positions, optional
        Clusterings to use, in the order of the levels; by default all of them, by number of clusters, and equal ones as
        they come. "given" leaves them in the order of the columns.

    Returns
    -------
    ResolutionTree
        ``nodes`` and ``edges``, two tables; ``partita.plotting.ResolutionTreeDisplay`` draws them.

    Notes
    -----
    It is a tree only where each clustering refines the one before. Cost O(r m^2 + t^2) for r distinct rows of m labels
    and t clusters in all.

    References
    ----------
    L. Zappia and A. Oshlack, "Clustering trees: a visualization for evaluating clusterings at multiple resolutions",
    GigaScience 7, 2018.

    V. Y. Kiselev et al., "SC3: consensus clustering of single-cell RNA-seq data", Nature Methods 14, 2017.

    Examples
    --------
    >>> from partita import resolution_tree
    >>> tree = resolution_tree({"fine": [0, 0, 1, 1, 2, 2], "coarse": ["a", "a", "b", "b", "b", "b"]})
    >>> tree.clusterings
    ['coarse', 'fine']
    >>> tree.nodes[["level", "cluster", "size", "parent"]].values.tolist()
    [[0, 'a', 2, -1], [0, 'b', 4, -1], [1, 0, 2, 0], [1, 1, 2, 1], [1, 2, 2, 1]]
    >>> tree.edges[["source", "target", "count", "out_proportion"]].values.tolist()
    [[0.0, 2.0, 2.0, 1.0], [1.0, 3.0, 2.0, 0.5], [1.0, 4.0, 2.0, 0.5]]
    """
    read = read_clusterings(X)
    levels = read_order(order, read)
    codes = np.ascontiguousarray(read.codes[:, levels])
    n_labels = read.matrix.n_labels[levels]
    cells = Ensemble(codes, n_labels, np.ones(len(levels)), read.n_objects.astype(np.float64))
    t = cells.n_cells
    ensure_memory(4 * 8 * t * t, purpose=f"tables of {t} x {t} clusters", instead="pass fewer clusterings as order.")
    together = cluster_tables(cells).together
    edges = _edges(together, cells.first_cell, n_labels)
    nodes = pd.DataFrame(
        {
            "node": np.arange(t),
            "level": cells.cell_clustering,
            "clustering": [read.names[levels[level]] for level in cells.cell_clustering],
            "cluster": pd.Series([label for j in levels for label in read.matrix.labels[j].tolist()], dtype=object),
            "size": np.diag(together).astype(np.int64),
            "stability": stability_index(together, cells.first_cell, n_labels),
            "parent": _parents(edges, t),
        }
    )
    return ResolutionTree([read.names[j] for j in levels], nodes, edges)


def read_order(order: Any, read: Clusterings) -> list[int]:
    """Clusterings of the levels, by their places."""
    names, m = read.names, len(read.names)
    if order is None:
        return [int(j) for j in np.argsort(read.matrix.n_labels, kind="stable")]
    if isinstance(order, str):
        if order != "given":
            raise ValueError(
                f"the order {order!r:.60} is not known; pass 'given', a list of names or positions, or None."
            )
        return list(range(m))
    if not isinstance(order, list | tuple | np.ndarray | pd.Index) or np.ndim(order) != 1 or len(order) == 0:
        raise ValueError(
            f"the order {order!r:.60} is not allowed; pass 'given', a list of names or positions, or None."
        )
    places = [_place(one, names, read.matrix.kept.tolist()) for one in order]
    if len(set(places)) < len(places):
        raise ValueError(f"the order {order!r:.60} names a clustering twice; pass each once.")
    return places


def _place(one: Any, names: list[str], kept: list[int]) -> int:
    """Place of a clustering that is named, or given by its column."""
    if isinstance(one, int | np.integer) and not isinstance(one, bool) and int(one) in kept:
        return kept.index(int(one))
    if isinstance(one, str) and names.count(one) == 1:
        return names.index(one)
    shown = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    raise ValueError(f"order has {one!r:.60}, which is no clustering; pass names among {shown}, or columns from 0.")


# ------------------------------------------------------------------------------------------------------ what is counted
def _edges(together: FloatArray, first_cell: IntArray, n_labels: IntArray) -> pd.DataFrame:
    """Pairs of clusters of successive levels that share objects (eq. I93)."""
    parts = []
    for level in range(len(n_labels) - 1):
        here, after = first_cell[level], first_cell[level + 1]
        table = together[here : here + n_labels[level], after : after + n_labels[level + 1]]
        source, target = np.nonzero(table)
        count = table[source, target]
        main = table.argmax(axis=0)  # the first among equals
        parts.append(
            pd.DataFrame(
                {
                    "source": here + source,
                    "target": after + target,
                    "count": count.astype(np.int64),
                    "in_proportion": count / table.sum(axis=0)[target],
                    "out_proportion": count / table.sum(axis=1)[source],
                    "is_main": main[target] == source,
                }
            )
        )
    columns = ["source", "target", "count", "in_proportion", "out_proportion", "is_main"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({name: [] for name in columns})


def _parents(edges: pd.DataFrame, n_nodes: int) -> IntArray:
    parents = np.full(n_nodes, -1)
    main = edges[edges["is_main"].astype(bool)]
    parents[main["target"].to_numpy(np.int64)] = main["source"].to_numpy(np.int64)
    return parents


def stability_index(together: FloatArray, first_cell: IntArray, n_labels: IntArray) -> FloatArray:
    """How far the other clusterings have each cluster, (t,); NaN if none labels its objects (eq. I94)."""
    total, number = np.zeros(len(together)), np.zeros(len(together))
    for level, (first, width) in enumerate(zip(first_cell, n_labels, strict=True)):
        block = together[:, first : first + width]  # every cluster against those of this clustering
        for other, (start, size) in enumerate(zip(first_cell, n_labels, strict=True)):
            if other == level:
                continue
            here = block[start : start + size]
            seen = here.sum(axis=0)  # objects of the clusters of this level that the other clustering labels, too
            share = np.divide(here, seen, out=np.zeros_like(here), where=seen > 0).sum(axis=1)
            pieces = (here > 0).sum(axis=1)
            known = pieces > 0
            total[start : start + size][known] += share[known] / pieces[known] ** 2
            number[start : start + size] += known
    return np.asarray(np.divide(total, number, out=np.full(len(together), np.nan), where=number > 0))
