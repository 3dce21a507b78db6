"""Labels of any number of objects: in blocks on one machine, or on the workers of a Dask cluster.

``LabelBlocks`` is one more container that ``fit``, ``predict``, ``predict_proba`` and ``combine`` take.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
