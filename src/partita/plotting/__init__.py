"""Pictures of a consensus (extra ``plot``).

``from_labels``, ``from_estimator`` and ``from_result`` compute the data of a display, ``plot`` draws it.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
