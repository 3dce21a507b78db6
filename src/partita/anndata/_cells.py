"""The AnnData that is passed: whether it is one, what its fields are called, and a copy of it if one is asked for."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from partita._optional import require

_SHOWN = 12  # names that an error lists


def check_cells(adata: Any, *, copy: bool = False) -> None:
    """Refuse what is no AnnData, or cannot be copied in memory."""
    anndata = require("anndata", extra="anndata", purpose="partita.anndata")
    if not isinstance(adata, anndata.AnnData):
        raise TypeError(f"adata is of type {type(adata).__name__}; pass an AnnData, or use partita.combine for labels.")
    if copy and adata.isbacked:
        raise ValueError(
            f"copy=True, but adata is backed by {str(adata.filename)!r}; pass copy=False, or adata.to_memory()."
        )


def check_key_added(key_added: Any) -> None:
    """Refuse what cannot be the name of a field in a file."""
    if not isinstance(key_added, str) or not key_added.strip() or "/" in key_added:
        raise ValueError(f"key_added={key_added!r:.60} is not allowed; pass a name, without '/'.")


def near_names(name: str, names: Iterable[Any]) -> str:
    """The names that are most like the one that is missing, in words; all of them if none is near."""
    all_names = [str(known) for known in names]
    lower = {known.lower(): known for known in reversed(all_names)}
    near = [lower[word] for word in get_close_matches(name.lower(), list(lower), n=5, cutoff=0.5)]
    if near:
        return f"near names: {listed(near)}"
    return f"there are: {listed(all_names)}" if all_names else "there is none"


def listed(names: Iterable[Any]) -> str:
    """Names in quotes; of many the first ones."""
    all_names = [repr(str(name)) for name in names]
    more = len(all_names) - _SHOWN
    return ", ".join(all_names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
