"""Leiden clusterings of cells over resolutions, numbers of neighbours and seeds, by scanpy.

scanpy and the two packages that implement Leiden (igraph and leidenalg, both under the GPL) are called if they are
installed, and never required.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from partita._checks import check_choice
from partita._numbering import number_by_size
from partita._optional import available
from partita._runs import progress
from partita._typing import IntArray
from partita.exceptions import MissingExtraError

FLAVORS = ("igraph", "leidenalg")
_N_ITERATIONS = 2  # of Leiden: more cost time, and change little
_MANY_CELLS = 8192  # from which on scanpy looks for approximate neighbours


class LeidenTask(NamedTuple):
    """One clustering: its graph, resolution and seed."""

    graph: Any  # (n, n) CSR, weights of the edges
    resolution: float
    seed: int
    flavor: str


def check_leiden(flavor: str) -> None:
    """Refuse, before any work, a flavor that is unknown or not installed."""
    check_choice("flavor", flavor, FLAVORS)
    needed = ["scanpy", "igraph"] + (["leidenalg"] if flavor == "leidenalg" else [])
    absent = [module for module in needed if not available(module)]
    if absent:
        raise MissingExtraError(
            f"Leiden clusterings need {' and '.join(absent)}, not installed here; run: pip install "
            f"{' '.join(absent)}. Or pass method='kmeans', which needs nothing more."
        )


def leiden_table(
    graphs: dict[str, Any], resolutions: Sequence[float], seeds: Sequence[int], *, flavor: str, n_jobs: int | None,
    verbose: bool,
) -> tuple[IntArray, pd.DataFrame]:  # fmt: skip
    """Labels of all clusterings, (n, m), and one row of settings for each.

    ``graphs`` are the weights of edges, by the number of neighbours or another name.
    """
    settings = list(product(graphs, resolutions, seeds))
    tasks = [LeidenTask(graphs[graph], resolution, seed, flavor) for graph, resolution, seed in settings]
    columns = []
    with progress(len(tasks), "Leiden clusterings", show=verbose) as bar:
        for labels in _run(tasks, n_jobs):
            columns.append(labels)
            bar.update(1)
    table = pd.DataFrame(
        {
            "algorithm": "leiden",
            "neighbors": [graph for graph, _, _ in settings],
            "resolution": [resolution for _, resolution, _ in settings],
            "seed": [seed for _, _, seed in settings],
            "n_found": [int(labels.max()) + 1 for labels in columns],
        },
        index=[f"leiden_n{graph}_r{resolution:.12g}_s{seed}" for graph, resolution, seed in settings],
    )
    return np.column_stack(columns), table


def _run(tasks: list[LeidenTask], n_jobs: int | None) -> Iterator[IntArray]:
    """Labels of the tasks in their order; in processes, because neither package lets another thread run."""
    if n_jobs in (None, 1) or len(tasks) == 1:
        yield from map(cluster, tasks)
        return
    from joblib import Parallel, delayed

    yield from Parallel(n_jobs=n_jobs, return_as="generator")(delayed(cluster)(task) for task in tasks)


def cluster(task: LeidenTask) -> IntArray:
    """Cluster of each cell, the largest being 0."""
    import anndata
    import scanpy

    n = task.graph.shape[0]
    cells = anndata.AnnData(obs=pd.DataFrame(index=pd.RangeIndex(n).astype(str)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a default of scanpy that is not used here
        scanpy.tl.leiden(
            cells, task.resolution, adjacency=task.graph, random_state=task.seed, flavor=task.flavor, directed=False,
            n_iterations=_N_ITERATIONS, key_added="leiden",
        )  # fmt: skip
    return number_by_size(cells.obs["leiden"].astype(int).to_numpy(dtype=np.int64))


# --------------------------------------------------------------------------------------------------------------- graphs
def neighbor_graphs(features: Any, n_neighbors: Sequence[int], seed: int, *, verbose: bool) -> dict[str, Any]:
    """Graphs of nearest neighbours, as scanpy makes them, by their number; the AnnData of the user stays as it is."""
    import anndata
    import scanpy

    cells = anndata.AnnData(obs=pd.DataFrame(index=pd.RangeIndex(features.shape[0]).astype(str)))
    cells.obsm["features"] = features
    graphs = {}
    with progress(len(n_neighbors), "graphs of neighbours", show=verbose) as bar:
        for number in n_neighbors:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of libraries below scanpy, about themselves
                scanpy.pp.neighbors(
                    cells, n_neighbors=number, use_rep="features", random_state=seed,
                    transformer=_nearest(cells.n_obs, number, seed),
                )  # fmt: skip
            graphs[str(number)] = cells.obsp["connectivities"]
            bar.update(1)
    return graphs


def _nearest(n_cells: int, n_neighbors: int, seed: int) -> Any:
    """What finds the neighbours of many cells, None for scanpy's exact search of few.

    Settings are those of scanpy and of UMAP. The distances come as a ``csr_matrix``: scanpy 1.11 does not read the
    ``csr_array`` that pynndescent 0.7 gives.
    """
    if n_cells < _MANY_CELLS:
        return None
    from pynndescent import PyNNDescentTransformer

    class Distances(PyNNDescentTransformer):  # type: ignore[misc]
        def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
            return sparse.csr_matrix(super().fit_transform(X, y, **options))

    return Distances(
        n_neighbors=n_neighbors,
        metric="euclidean",
        random_state=seed,
        n_trees=min(64, 5 + round(n_cells**0.5 / 20)),
        n_iters=max(5, round(np.log2(n_cells))),
    )


def own_graph(adata: Any, neighbors_key: str | None) -> dict[str, Any]:
    """The graph that the user has made."""
    key = "neighbors" if neighbors_key is None else neighbors_key
    known = adata.uns.get(key)
    place = known.get("connectivities_key", "connectivities") if hasattr(known, "get") else "connectivities"
    if (known is None and neighbors_key is not None) or place not in adata.obsp:
        raise KeyError(
            f"n_neighbors=None takes the graph of adata, and there is none under {key!r}; run "
            "scanpy.pp.neighbors(adata) first, or pass numbers of neighbours."
        )
    return {"own": adata.obsp[place]}
