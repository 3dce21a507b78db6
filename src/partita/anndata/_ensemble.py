"""Many clusterings of the cells of an AnnData, by Leiden or k-means."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from partita._checks import check_choice, check_count
from partita._runs import check_run, draw_seeds
from partita._typing import IntArray
from partita.anndata._cells import ENSEMBLE, check_cells, check_key_added
from partita.anndata._leiden import check_leiden, leiden_table, neighbor_graphs, own_graph
from partita.anndata._representation import representation
from partita.generation import KMeansEnsemble
from partita.generation._base_clusterings import OK
from partita.generation._feature_ensemble import FeatureEnsemble


def ensemble(
    adata: Any,
    *,
    method: Any = "leiden",
    resolutions: Sequence[float] = (0.25, 0.5, 1.0, 1.5, 2.0),
    n_neighbors: Any = (10, 15, 30),
    n_seeds: int = 2,
    n_clusterings: int = 30,
    n_clusters: Any = "auto",
    use_rep: str | None = None,
    n_pcs: int | None = None,
    neighbors_key: str | None = None,
    flavor: str = "igraph",
    key_added: str = "ensemble",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    copy: bool = False,
) -> Any:
    """Make many clusterings of the cells, for :func:`consensus` to combine.

    Parameters
    ----------
    adata : AnnData
        Cells; normally after ``scanpy.pp.pca``. Its own graph of neighbours is never changed.
    method : {"leiden", "kmeans"} or generator, default="leiden"
        "leiden" needs scanpy and igraph (``pip install scanpy igraph``). "kmeans" needs neither. Or a generator of
        partita, such as ``ProjectionEnsemble()``, which keeps its own parameters.
    resolutions : list of float, default=(0.25, 0.5, 1.0, 1.5, 2.0)
        Of Leiden: a clustering for each, with each number of neighbours and each seed.
    n_neighbors : int, list of int or None, default=(10, 15, 30)
        Of Leiden: neighbours in the graphs, which are made from the representation. None takes the graph that is in
        ``adata``, such as one that corrects for batches.
    n_seeds : int, default=2
        Of Leiden: seeds that are drawn from ``random_state``.
    n_clusterings : int, default=30
        Of k-means.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Of k-means, as in :class:`partita.KMeansEnsemble`.
    use_rep : str, optional
        What the clusterings are made from: a key of ``adata.obsm``, or "X". By default "X_pca" or, where there is none
        and there are at most 50 variables, "X".
    n_pcs : int, optional
        Columns of it that are used; by default all.
    neighbors_key : str, optional
        Name of the graph in ``adata`` for ``n_neighbors=None``, as in scanpy.
    flavor : {"igraph", "leidenalg"}, default="igraph"
        Package that runs Leiden. Both are under the GPL.
    key_added : str, default="ensemble"
        Name under which the clusterings are written. An ensemble that is there already is replaced, and nothing else.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all clusterings.
    n_jobs : int, optional
        Processes for Leiden, threads for k-means; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.
    copy : bool, default=False
        Leave ``adata`` as it is and return a copy with the clusterings.

    Returns
    -------
    None, or AnnData with ``copy=True``. These fields are set:

    ``adata.obsm[key_added]`` : DataFrame
        One column of categories per clustering; missing where a clustering has not seen a cell.
    ``adata.uns[key_added]`` : dict
        ``params``, and ``table``: one row of settings per clustering.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from partita.anndata import consensus, ensemble
    >>> cells = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0], [9]], 30, axis=0)
    >>> adata = anndata.AnnData(cells)
    >>> ensemble(adata, method="kmeans", n_clusterings=10, n_clusters=(2, 5))
    >>> adata.obsm["ensemble"].shape
    (60, 10)
    >>> consensus(adata, "ensemble")
    >>> adata.obs["consensus"].value_counts().tolist()
    [30, 30]
    """
    check_cells(adata, copy=copy)
    check_key_added(adata, key_added, ENSEMBLE)
    check_run(n_jobs, verbose)
    if key_added in adata.obs:
        raise ValueError(f"key_added={key_added!r} is a column of obs; pass another name, or keys could mean both.")
    if not isinstance(adata.obsm.get(key_added, pd.DataFrame()), pd.DataFrame):
        raise ValueError(f"key_added={key_added!r}, but obsm[{key_added!r}] holds no ensemble; pass another name.")
    if method == "leiden":
        check_leiden(flavor)
        seeds = draw_seeds(random_state, check_count(n_seeds, "n_seeds")).tolist()
        levels = _resolutions(resolutions)
        graphs, name = _graphs(adata, n_neighbors, neighbors_key, (use_rep, n_pcs), seeds[0], verbose=verbose)
        labels, table = leiden_table(graphs, levels, seeds, flavor=flavor, n_jobs=n_jobs, verbose=verbose)
    else:
        kmeans = KMeansEnsemble(n_clusterings, n_clusters, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        generator = _generator(method, kmeans)
        features, name = representation(adata, use_rep, n_pcs)
        labels, table = _generated(generator, features)
    params: dict[str, Any] = {"method": method if isinstance(method, str) else repr(method), "use_rep": name}
    params |= {"flavor": flavor} if method == "leiden" else {}
    params |= {"random_state": int(random_state)} if isinstance(random_state, Integral) else {}
    written = adata.copy() if copy else adata
    written.obsm[key_added] = _category_frame(labels, table.index, adata.obs_names)
    written.uns[key_added] = {"params": params, "table": table}
    return written if copy else None


# -------------------------------------------------------------------------------------------------------------- Leiden
def _graphs(
    adata: Any,
    n_neighbors: Any,
    neighbors_key: str | None,
    features: tuple[str | None, int | None],
    seed: int,
    *,
    verbose: bool,
) -> tuple[dict[str, Any], str]:
    """Graphs of neighbours by their number, and what they are made from: ``features`` are use_rep and n_pcs."""
    if n_neighbors is None:
        return own_graph(adata, neighbors_key), "neighbors" if neighbors_key is None else neighbors_key
    if neighbors_key is not None:
        raise ValueError(f"neighbors_key={neighbors_key!r} names a graph of adata; pass n_neighbors=None with it.")
    numbers = _neighbors(n_neighbors, adata.n_obs)
    values, name = representation(adata, *features)
    return neighbor_graphs(values, numbers, seed, verbose=verbose), name


def _neighbors(n_neighbors: Any, n_cells: int) -> list[int]:
    """Different numbers of neighbours, each of which the cells have."""
    given = [n_neighbors] if isinstance(n_neighbors, Integral) else _several("n_neighbors", n_neighbors)
    numbers = list(dict.fromkeys(check_count(number, "n_neighbors") for number in given))
    if min(numbers) < 2 or max(numbers) >= n_cells:
        raise ValueError(f"n_neighbors={n_neighbors!r:.60} is not allowed; pass numbers from 2 to {n_cells - 1}.")
    return numbers


def _resolutions(resolutions: Any) -> list[float]:
    given = [resolutions] if isinstance(resolutions, Real) else _several("resolutions", resolutions)
    for level in given:
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < np.inf:
            raise ValueError(f"resolutions={resolutions!r:.60} is not allowed; pass numbers above 0, such as (0.5, 1).")
    return list(dict.fromkeys(float(level) for level in given))


def _several(name: str, values: Any) -> list[Any]:
    given = list(values) if np.iterable(values) and not isinstance(values, str) else []
    if not given:
        raise ValueError(f"{name}={values!r:.60} is not allowed; pass one or more numbers.")
    return given


# ------------------------------------------------------------------------------------------------------ other ensembles
def _generator(method: Any, kmeans: KMeansEnsemble) -> FeatureEnsemble:
    if isinstance(method, FeatureEnsemble):
        return clone(method)  # type: ignore[no-any-return]
    check_choice("method", method, ("leiden", "kmeans"))
    return kmeans


def _generated(generator: FeatureEnsemble, features: Any) -> tuple[IntArray, pd.DataFrame]:
    """Labels of the clusterings that a generator makes, and one row of settings for each."""
    labels = generator.fit_transform(features)
    made = generator.manifest_[generator.manifest_["status"] == OK].set_index("name")
    table = made[["algorithm", "n_clusters", "n_found", "n_sampled", "seed"]].rename_axis(None)
    number = table["n_clusters"]  # as plain numbers, which every version of anndata can write
    return labels, table.assign(n_clusters=number.astype(float) if number.isna().any() else number.astype("int64"))


def _category_frame(labels: IntArray, names: Any, cells: pd.Index) -> pd.DataFrame:
    """Labels as categories "0", "1", ..., by the names of clusterings and cells."""
    columns = {
        name: pd.Categorical.from_codes(
            column, categories=pd.Index([str(label) for label in range(int(column.max()) + 1)])
        )
        for name, column in zip(names, labels.T, strict=True)
    }
    frame = pd.DataFrame(columns)
    frame.index = cells
    return frame
