"""How good, and how certain, a partition is.

Names end in ``_score`` (higher is better) or ``_distance`` (lower is better, 0 when equal). The first argument
is the truth where there is one, as in scikit-learn. Objects that are -1 (or NaN, None) in one of two partitions
are left out, and a LeftOutWarning says how many they are.
"""

from partita.metrics._contingency import Contingency, contingency
from partita.metrics._information import (
    average_nmi_score,
    jensen_shannon_distance,
    normalized_mutual_info_score,
)
from partita.metrics._matching import (
    class_weighted_f1_score,
    consistency_index,
    f1_score,
    micro_precision,
)
from partita.metrics._models import PairedTTest, paired_t_test, perplexity
from partita.metrics._pairs import (
    PairCounts,
    adjusted_rand_score,
    fowlkes_mallows_score,
    jaccard_score,
    pair_counts,
    pair_f1_score,
    rand_score,
)

__all__ = [
    "Contingency",
    "PairCounts",
    "PairedTTest",
    "adjusted_rand_score",
    "average_nmi_score",
    "class_weighted_f1_score",
    "consistency_index",
    "contingency",
    "f1_score",
    "fowlkes_mallows_score",
    "jaccard_score",
    "jensen_shannon_distance",
    "micro_precision",
    "normalized_mutual_info_score",
    "pair_counts",
    "pair_f1_score",
    "paired_t_test",
    "perplexity",
    "rand_score",
]
