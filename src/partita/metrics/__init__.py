"""How good, and how certain, a partition is.

Names end in ``_score`` (higher is better) or ``_distance`` (lower is better, 0 when equal). Of two scores LOWER is
better; they keep the names that they are known by: ``davies_bouldin_score`` and ``pac_score``.

- External metrics compare two partitions. The first argument is the truth where there is one, as in scikit-learn.
- Internal indices judge a partition by features: ``f(X, labels)``, or ``validity_report`` for all of them.
- ``coassociation``, ``pac_score``, ``consensus_cdf``, ``item_consensus`` and ``cluster_consensus`` show how far the
  clusterings of an ensemble agree; ``relation_matrix`` and its neighbours do this for a soft consensus.
- ``mann_whitney_test`` and ``paired_t_test`` test whether one method's results are better than another's.

Objects that are -1 (or NaN, None) are left out, and a LeftOutWarning says how many there are.
Definitions: docs/theory/indices.md.
"""

from partita.metrics._coassociation import Coassociation, CoassociationBlock, coassociation
from partita.metrics._contingency import Contingency, contingency
from partita.metrics._correlation import goodman_kruskal_score, weighted_goodman_kruskal_score
from partita.metrics._dunn import dunn_score, dunn_scores
from partita.metrics._ensemble_quality import (
    ConsensusCDF,
    cluster_consensus,
    consensus_cdf,
    item_consensus,
    pac_score,
)
from partita.metrics._feature_ranking import rank_features
from partita.metrics._information import (
    average_nmi_score,
    jensen_shannon_distance,
    normalized_mutual_info_score,
)
from partita.metrics._internal import calinski_harabasz_score, davies_bouldin_score
from partita.metrics._mann_whitney import MannWhitneyTest, mann_whitney_test
from partita.metrics._matching import (
    class_weighted_f1_score,
    consistency_index,
    f1_score,
    micro_precision,
)
from partita.metrics._paired_t_test import PairedTTest, paired_t_test
from partita.metrics._pairs import (
    PairCounts,
    adjusted_rand_score,
    fowlkes_mallows_score,
    jaccard_score,
    pair_counts,
    pair_f1_score,
    rand_score,
)
from partita.metrics._perplexity import perplexity
from partita.metrics._relations import effective_n_clusters, membership_entropy, relation_matrix, soft_centroids
from partita.metrics._report import validity_report
from partita.metrics._silhouette import silhouette_samples, silhouette_score
from partita.metrics._vat import vat

__all__ = [
    "Coassociation",
    "CoassociationBlock",
    "ConsensusCDF",
    "Contingency",
    "MannWhitneyTest",
    "PairCounts",
    "PairedTTest",
    "adjusted_rand_score",
    "average_nmi_score",
    "calinski_harabasz_score",
    "class_weighted_f1_score",
    "cluster_consensus",
    "coassociation",
    "consensus_cdf",
    "consistency_index",
    "contingency",
    "davies_bouldin_score",
    "dunn_score",
    "dunn_scores",
    "effective_n_clusters",
    "f1_score",
    "fowlkes_mallows_score",
    "goodman_kruskal_score",
    "item_consensus",
    "jaccard_score",
    "jensen_shannon_distance",
    "mann_whitney_test",
    "membership_entropy",
    "micro_precision",
    "normalized_mutual_info_score",
    "pac_score",
    "pair_counts",
    "pair_f1_score",
    "paired_t_test",
    "perplexity",
    "rand_score",
    "rank_features",
    "relation_matrix",
    "silhouette_samples",
    "silhouette_score",
    "soft_centroids",
    "validity_report",
    "vat",
    "weighted_goodman_kruskal_score",
]
