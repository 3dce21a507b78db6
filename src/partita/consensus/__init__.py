"""Consensus methods, one algorithm per file, grouped by what they share.

The soft forms of the graph methods (SoftCSPA, SoftMCLA, SoftHBGF) share one file.
"""

import lazy_loader as _lazy

from partita.consensus._method_tables import docstring_table as _docstring_table

__doc__ = f"{(__doc__ or '').rstrip()}\n\n{_docstring_table()}\n"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
