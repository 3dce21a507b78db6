"""The ensemble itself: how diverse it is, which clusterings to keep, whether there are enough, and how they relate."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
