"""The AnnData that is passed: whether it is one, what its fields are called, and a copy of it if one is asked for."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from partita._optional import require

CONSENSUS = frozenset({"params", "choice", "membership_kind"})  # what uns holds of each
ENSEMBLE = frozenset({"params", "table"})
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


def check_key_added(adata: Any, key_added: Any, ours: frozenset[str]) -> None:
    """Refuse what cannot be the name of a field in a file, and one under which something else keeps its facts."""
    if not isinstance(key_added, str) or not key_added.strip() or "/" in key_added:
        raise ValueError(f"key_added={key_added!r:.60} is not allowed; pass a name, without '/'.")
    if key_added in adata.uns and not are_facts(adata.uns[key_added], ours):
        raise ValueError(f"key_added={key_added!r}, but uns[{key_added!r}] holds something else; pass another name.")


def are_facts(value: Any, ours: frozenset[str]) -> bool:
    """Whether a value of uns was written by a consensus, or by an ensemble."""
    return hasattr(value, "keys") and ours <= set(value.keys())


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
