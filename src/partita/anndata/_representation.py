"""What an ensemble of cells is made from: principal components, another embedding, or the expression itself."""

from typing import Any

import numpy as np

from partita._checks import check_count
from partita.anndata._cells import listed, near_names

_FEW_VARIABLES = 50  # up to which the expression itself is taken, as scanpy does


def representation(adata: Any, use_rep: str | None, n_pcs: int | None) -> tuple[Any, str]:
    """Features of the cells, one row per cell, and what they are called."""
    name = _default(adata) if use_rep is None else use_rep
    if name == "X":
        values = _expression(adata)
    elif isinstance(name, str) and name in adata.obsm:
        values = adata.obsm[name]
        values = values if hasattr(values, "toarray") else np.asarray(values)
    else:
        raise KeyError(
            f"use_rep={name!r} is not in obsm; pass 'X' or a key of obsm ({near_names(str(name), adata.obsm)})."
        )
    if n_pcs is None:
        return values, name
    if check_count(n_pcs, "n_pcs") > values.shape[1]:
        raise ValueError(
            f"n_pcs={n_pcs}, but {name} has {values.shape[1]} columns; pass at most these, or None for all."
        )
    return values[:, :n_pcs], name


def _default(adata: Any) -> str:
    if "X_pca" in adata.obsm:
        return "X_pca"
    if adata.n_vars <= _FEW_VARIABLES:
        return "X"
    raise ValueError(
        f"adata has {adata.n_vars} variables and no principal components: run scanpy.pp.pca(adata) first, or pass "
        f"use_rep='X' for the variables themselves, or a key of obsm ({listed(adata.obsm) or 'there is none'})."
    )


def _expression(adata: Any) -> Any:
    if adata.isbacked:
        raise ValueError("use_rep='X', but X is in a file (backed mode); pass adata.to_memory(), or a key of obsm.")
    if adata.X is None:
        raise ValueError(f"use_rep='X', but adata has no X; pass a key of obsm ({listed(adata.obsm) or 'none'}).")
    return adata.X
