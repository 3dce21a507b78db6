"""Which clusterings of an AnnData are meant, and their labels as one table."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from partita.anndata._cells import listed, near_names


def label_table(adata: Any, keys: Any, outputs: Sequence[str] = (), missing: Any = ()) -> pd.DataFrame:
    """Labels of the cells, one column per clustering, with the names of the cells as index.

    ``outputs`` are the columns that will be written: a pattern passes over them, a name of them is refused. ``missing``
    are labels that stand for none.
    """
    columns: dict[str, Any] = {}
    for key in _key_list(keys):
        for name, values in _columns_of(adata, key, outputs).items():
            if name in columns:
                raise ValueError(f"the clustering {name!r} is meant twice; name it once, and use weights= to weigh it.")
            columns[name] = values
    words = _words(missing)
    table = pd.DataFrame(
        {name: values if words is None else _without(values, words) for name, values in columns.items()}
    )
    table.index = adata.obs_names
    return table


def _key_list(keys: Any) -> list[str]:
    given = [keys] if isinstance(keys, str) else keys
    try:
        names = list(given)
    except TypeError:
        names = [None]
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"keys={keys!r:.80} is not allowed; pass names of obs columns, a pattern such as 'leiden_*', or the key of "
            "an ensemble in obsm."
        )
    return names


def _columns_of(adata: Any, key: str, outputs: Sequence[str]) -> dict[str, Any]:
    """The clusterings behind one key: a column of obs, a table of obsm, or the columns of obs that fit a pattern."""
    in_obs, in_obsm = key in adata.obs, key in adata.obsm
    if in_obs and in_obsm:
        raise ValueError(f"{key!r} is a column of obs and a table of obsm as well; rename one of them.")
    if in_obs:
        if key in outputs:
            raise ValueError(f"{key!r} is one of the keys, and would be overwritten; pass another key_added.")
        return {key: _column(adata.obs, key)}
    if in_obsm:
        return _of_table(adata.obsm[key], key)
    fitting = [str(name) for name in adata.obs.columns if fnmatchcase(str(name), key) and str(name) not in outputs]
    if fitting:
        return {name: _column(adata.obs, name) for name in fitting}
    raise KeyError(_not_found(adata, key))


def _column(obs: pd.DataFrame, name: str) -> Any:
    values = obs[name]
    if isinstance(values, pd.DataFrame):
        raise ValueError(f"obs has {values.shape[1]} columns of the name {name!r}; give each a name of its own.")
    return values.array


def _of_table(table: Any, key: str) -> dict[str, Any]:
    """Columns of an ensemble in obsm."""
    if isinstance(table, pd.DataFrame):
        return {str(name): _column(table, name) for name in table.columns}
    values = np.asarray(table.toarray() if hasattr(table, "toarray") else table)
    whole = values.ndim == 2 and (values.dtype.kind != "f" or bool((np.isnan(values) | (values % 1 == 0)).all()))
    if not whole:
        raise ValueError(
            f"obsm[{key!r}] has no labels (shape {values.shape}, dtype {values.dtype}); pass the key of an ensemble, "
            "one column of labels per clustering."
        )
    return {f"{key}_{j}": values[:, j] for j in range(values.shape[1])}


def _not_found(adata: Any, key: str) -> str:
    where = f"{key!r} is neither a column of obs nor a key of obsm"
    begins = [name for name in adata.obs.columns if str(name).startswith(key)]
    if any(sign in key for sign in "*?["):
        return f"no column of obs fits the pattern {key!r}; obs has {listed(adata.obs.columns) or 'no columns'}."
    if begins:
        return f"{where}; for {listed(begins)} pass {key + '*'!r}."
    return f"{where}; {near_names(key, [*adata.obs.columns, *adata.obsm.keys()])}."


def _words(missing: Any) -> set[str] | None:
    """Labels that stand for none, as text."""
    given = [missing] if isinstance(missing, str | int | float) else list(missing)
    return {str(word) for word in given} or None


def _without(values: Any, words: set[str]) -> Any:
    """The labels with None in place of those that stand for none."""
    labels = pd.Series(values).astype(object)
    return labels.where(~labels.astype(str).isin(words), None).array
