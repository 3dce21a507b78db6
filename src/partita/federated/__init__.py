"""Consensus of objects, or of clusterings, that their owners do not pool.

``simulate`` runs a federated fit in one process; ``partita federate`` runs it between machines.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
