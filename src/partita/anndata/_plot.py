"""A consensus of cells on an embedding that is in the AnnData."""

from typing import Any, cast

import numpy as np
import pandas as pd

from partita._typing import FloatArray, IntArray
from partita.anndata._cells import check_cells, listed
from partita.anndata._consensus import CONFIDENCE, MEMBERSHIP
from partita.anndata._result import cluster_numbers, stored_facts
from partita.anndata._value_display import ValueDisplay
from partita.plotting import ScatterDisplay
from partita.plotting._display import draw_objects, shorten

_MAX_CELLS = 20_000  # that are drawn: more hide each other


class CellDisplay(ScatterDisplay):
    """Cells as points, coloured by cluster and faint where the consensus is in doubt.

    Parameters
    ----------
    *args, **kwargs
        Those of :class:`partita.plotting.ScatterDisplay`.
    names : list of str, default=()
        Names of the clusters 0, 1, ...

    Attributes
    ----------
    coordinates, labels, confidence, objects, axis_labels, note, names
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.
    """

    def __init__(self, *args: Any, names: list[str] | tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = list(names)

    def _name(self, cluster: int) -> str:
        return shorten(self.names[cluster]) if cluster < len(self.names) else str(cluster)


def plot(
    adata: Any,
    key: str = "consensus",
    basis: str = "umap",
    *,
    color: str = "label",
    max_cells: int | None = _MAX_CELLS,
    seed: int = 0,
    ax: Any = None,
) -> Any:
    """Draw a consensus on an embedding of the cells (extra ``plot``).

    Parameters
    ----------
    adata : AnnData
        Cells with a consensus and an embedding.
    key : str, default="consensus"
        The ``key_added`` of :func:`consensus`.
    basis : str, default="umap"
        The embedding: ``adata.obsm["X_umap"]``, of which the first two columns are drawn.
    color : str, default="label"
        "label": cells in the colours of their clusters, faint where the consensus is in doubt. "confidence": how sure
        the consensus is. The name of a cluster, such as "0": its share in the membership of each cell.
    max_cells : int or None, default=20000
        Cells that are drawn; of more a sample, by cluster.
    seed : int, default=0
        Seed of the sample.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Display
        With ``figure_`` and ``ax_`` of matplotlib: ``plot(adata).figure_.savefig("cells.png")``.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from partita.anndata import consensus, plot
    >>> adata = anndata.AnnData(np.zeros((4, 1), dtype=np.float32))
    >>> adata.obs["a"], adata.obs["b"] = [0, 0, 1, 1], [0, 0, 1, 1]
    >>> adata.obsm["X_umap"] = np.array([[0, 0], [0, 1], [5, 5], [5, 6]])
    >>> consensus(adata, ["a", "b"])
    >>> plot(adata).axis_labels
    ('UMAP 1', 'UMAP 2')
    """
    check_cells(adata)
    stored_facts(adata, key)
    column = adata.obs[key]
    labels, names = cluster_numbers(column), _names(column)
    known = [name for name in names if name]
    if color not in ("label", "confidence", *known):
        raise ValueError(
            f"color={color!r:.60} is not known; choose 'label', 'confidence' or a cluster: {listed(known)}."
        )
    places, axes = _coordinates(adata, basis)
    drawn, note = _drawn(places, labels, max_cells, seed)
    shown, options = places[drawn], cast("dict[str, Any]", {"axis_labels": axes, "note": note})
    confidence = adata.obs[key + CONFIDENCE].to_numpy(dtype=np.float64)
    if color == "label":
        return CellDisplay(shown, labels[drawn], confidence[drawn], drawn, names=names, **options).plot(ax)
    if color == "confidence":
        return ValueDisplay(shown, confidence[drawn], drawn, title="Confidence of the clusters", **options).plot(ax)
    share = np.asarray(adata.obsm[key + MEMBERSHIP])[:, names.index(color)]
    title = f"Membership in cluster {shorten(color)}"
    return ValueDisplay(shown, share[drawn], drawn, title=title, limits=(0, 1), **options).plot(ax)


def _names(column: pd.Series) -> list[str]:
    """Names of the clusters by their numbers; clusters that a part of the cells has not are ''."""
    numbered = pd.Series(cluster_numbers(column)), column.astype(str).reset_index(drop=True)
    pairs = {int(number): name for number, name in zip(*numbered, strict=True) if number >= 0}
    return [pairs.get(number, "") for number in range(max(pairs, default=-1) + 1)]


def _coordinates(adata: Any, basis: str) -> tuple[FloatArray, tuple[str, str]]:
    """The first two columns of an embedding, and names of the axes."""
    usable = [
        name
        for name, values in adata.obsm.items()
        if name.startswith("X_") and np.ndim(values) == 2 and values.shape[1] > 1
    ]
    found = next((name for name in (f"X_{basis}", basis) if name in adata.obsm), None)
    if found is None:
        there = f"there are {listed(name.removeprefix('X_') for name in usable)}" if usable else "there is no embedding"
        raise KeyError(f"adata has no embedding {basis!r}, which would be obsm['X_{basis}']; {there}.")
    values = adata.obsm[found]
    if np.ndim(values) != 2 or values.shape[1] < 2:
        raise ValueError(f"obsm[{found!r}] has shape {np.shape(values)}; an embedding has at least two columns.")
    name = found.removeprefix("X_")
    name = name.upper() if len(name) <= 4 else name
    return np.asarray(values)[:, :2].astype(np.float64), (f"{name} 1", f"{name} 2")


def _drawn(places: FloatArray, labels: IntArray, max_cells: int | None, seed: int) -> tuple[IntArray, str]:
    """Cells to draw, and a note if they are not all."""
    known = np.flatnonzero(np.isfinite(places).all(axis=1))
    chosen, note = draw_objects(labels[known], max_cells, seed)
    left_out = len(places) - len(known)
    lost = f"{left_out:,} without coordinates left out" if left_out else ""
    return known[chosen], "; ".join(filter(None, [note.replace("objects", "cells"), lost]))
