"""The partition of least expected distance from the clusterings of an ensemble, or from samples of a posterior.

``problem.py`` is the loss, ``descent.py`` one run downhill, ``tree.py`` and ``search.py`` the starts and how they
compete, ``samples.py`` the estimate from samples. Equations are in docs/theory/median.md.
"""
