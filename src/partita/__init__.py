"""Consensus clustering: many clusterings of the same objects in, one out.

Public names are resolved on first use, so that ``import partita`` costs nothing
and loads neither numba nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

# public name -> module that defines it
_HOME = {
    "Coassociation": "partita._coassociation",
    "EAC": "partita.consensus",
    "LabelKMeans": "partita.consensus",
    "LabelMatrix": "partita._validation",
    "check_label_matrix": "partita._validation",
    "coassociation": "partita._coassociation",
    "vat": "partita._vat",
    "warm_up": "partita._kernels",
}
_ROOMS = ("consensus", "datasets", "exceptions", "io", "metrics")

__all__ = [
    "EAC",
    "Coassociation",
    "LabelKMeans",
    "LabelMatrix",
    "__version__",
    "check_label_matrix",
    "coassociation",
    "consensus",
    "datasets",
    "exceptions",
    "io",
    "metrics",
    "vat",
    "warm_up",
]

if TYPE_CHECKING:
    from partita import consensus, datasets, exceptions, io, metrics
    from partita._coassociation import Coassociation, coassociation
    from partita._kernels import warm_up
    from partita._validation import LabelMatrix, check_label_matrix
    from partita._vat import vat
    from partita.consensus import EAC, LabelKMeans


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _ROOMS:
        value = import_module(f"partita.{name}")
    else:
        raise AttributeError(f"module 'partita' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
