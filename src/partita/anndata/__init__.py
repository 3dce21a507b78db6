"""Consensus of the clusterings of cells in an AnnData, in the manner of scanpy (extra ``anndata``).

``ensemble`` makes many clusterings, ``consensus`` combines those that are in the object, ``plot`` draws the result on
an embedding, and ``result`` gives all tables, plots and the report, also after the object was written and read back.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
