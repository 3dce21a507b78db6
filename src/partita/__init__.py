"""Consensus clustering: many clusterings of the same objects in, one out.

Public names are listed in ``__init__.pyi`` and resolved on first use, so that ``import partita`` costs nothing and
loads neither numba nor scikit-learn.
"""

import lazy_loader as _lazy

__version__ = "0.1.0"

__getattr__, _, __all__ = _lazy.attach_stub(__name__, __file__)
__all__ = [*__all__, "__version__"]


def __dir__() -> list[str]:
    return __all__
