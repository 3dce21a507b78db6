"""Checks of consensus estimators, ours and those of other packages: what the tests of partita ask of each method."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
