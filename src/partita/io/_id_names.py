"""Which names of columns say that the column holds the names of objects."""

import re

# Whole names that usually stand above ids, and may also stand above something else; "" is what pandas writes above an
# index, and "unnamed" what the readers make of it.
_USUAL = frozenset(
    ["", "unnamed", "index", "name", "names", "object", "sample", "cell", "item", "subject", "patient", "participant"]
    + ["case", "record", "row", "rowname", "rownames", "row_names", "key"]
)
_LAST_WORDS = frozenset(["id", "ids", "uuid", "guid", "barcode", "identifier"])  # as in customer_id, cellBarcode
_GROUPS = frozenset(["cluster", "label", "group", "class", "community", "segment", "batch", "module"])  # cluster_id


def ends_in_id(name: str) -> bool:
    """Whether the last word of the name is "id" or the like: the column holds names or codes, and no measurement."""
    return _words(name)[-1] in _LAST_WORDS


def is_id_name(name: str) -> bool:
    """Whether a column of this name usually holds the names of objects."""
    words = _words(name)
    return "_".join(words) in _USUAL or name.startswith("Unnamed") or (ends_in_id(name) and words[0] not in _GROUPS)


def is_certain_id_name(name: str) -> bool:
    """Whether a column of this name can hold nothing but the names of objects, even where they recur."""
    return "_".join(_words(name)) in ("id", "ids", "object_id", "sample_id", "cell_id")


def _words(name: str) -> list[str]:
    """Words of a name in snake_case, camelCase, with blanks or dots, in lower case."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.split(r"[^a-z0-9]+", apart.strip().lower())
