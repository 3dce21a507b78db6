"""The page of ``partita app``: a small server on this computer that reads a file, finds the consensus and shows it.

Extra ``app``. Nothing here is public: the command line starts it, and the page in ``static`` asks it.
"""
