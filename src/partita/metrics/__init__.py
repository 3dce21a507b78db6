"""How good, and how certain, a partition is.

Names end in ``_score`` (higher is better) or ``_distance`` (lower is better, 0 when equal). Of two scores LOWER is
better; they keep the names that they are known by: ``davies_bouldin_score`` and ``pac_score``.

- External metrics compare two partitions. The first argument is the truth where there is one, as in scikit-learn.
- Internal indices judge a partition by features: ``f(X, labels)``, or ``validity_report`` for all of them.
- ``coassociation``, ``pac_score``, ``consensus_cdf``, ``item_consensus`` and ``cluster_consensus`` show how far the
  clusterings of an ensemble agree; ``relation_matrix`` and its neighbours do this for a soft consensus.
- ``expected_loss`` is the mean distance of a partition from the clusterings of an ensemble; LOWER is better.
- ``label_confidence`` and ``label_votes`` tell which objects a consensus, of any method, is least sure of.
- ``mann_whitney_test`` and ``paired_t_test`` test whether one method's results are better than another's.

Objects that are -1 (or NaN, None) are left out, and a LeftOutWarning says how many there are.
Definitions: docs/theory/indices.md. The names are listed in ``__init__.pyi`` and loaded on first use.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
