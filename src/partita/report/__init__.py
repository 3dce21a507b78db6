"""A result as one page: all that a reader needs to judge it, in a file that opens anywhere (extra ``report``)."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
