# The public names and where they live: read by type checkers and, at run time, by lazy_loader.
from ._coassociation import (
    Coassociation as Coassociation,
    CoassociationBlock as CoassociationBlock,
    coassociation as coassociation,
)
from ._confidence import (
    label_confidence as label_confidence,
    label_votes as label_votes,
)
from ._contingency import (
    Contingency as Contingency,
    contingency as contingency,
)
from ._correlation import (
    goodman_kruskal_score as goodman_kruskal_score,
    weighted_goodman_kruskal_score as weighted_goodman_kruskal_score,
)
from ._dunn import (
    dunn_score as dunn_score,
    dunn_scores as dunn_scores,
)
from ._ensemble_quality import (
    ConsensusCDF as ConsensusCDF,
    cluster_consensus as cluster_consensus,
    consensus_cdf as consensus_cdf,
    item_consensus as item_consensus,
    pac_score as pac_score,
)
from ._expected_loss import (
    expected_loss as expected_loss,
)
from ._feature_ranking import (
    rank_features as rank_features,
)
from ._information import (
    average_nmi_score as average_nmi_score,
    jensen_shannon_distance as jensen_shannon_distance,
    normalized_mutual_info_score as normalized_mutual_info_score,
)
from ._internal import (
    calinski_harabasz_score as calinski_harabasz_score,
    davies_bouldin_score as davies_bouldin_score,
)
from ._mann_whitney import (
    MannWhitneyTest as MannWhitneyTest,
    mann_whitney_test as mann_whitney_test,
)
from ._matching import (
    class_weighted_f1_score as class_weighted_f1_score,
    consistency_index as consistency_index,
    f1_score as f1_score,
    micro_precision as micro_precision,
)
from ._paired_t_test import (
    PairedTTest as PairedTTest,
    paired_t_test as paired_t_test,
)
from ._pairs import (
    PairCounts as PairCounts,
    adjusted_rand_score as adjusted_rand_score,
    fowlkes_mallows_score as fowlkes_mallows_score,
    jaccard_score as jaccard_score,
    pair_counts as pair_counts,
    pair_f1_score as pair_f1_score,
    rand_score as rand_score,
)
from ._perplexity import (
    perplexity as perplexity,
)
from ._relations import (
    effective_n_clusters as effective_n_clusters,
    membership_entropy as membership_entropy,
    relation_matrix as relation_matrix,
    soft_centroids as soft_centroids,
)
from ._report import (
    validity_report as validity_report,
)
from ._silhouette import (
    silhouette_samples as silhouette_samples,
    silhouette_score as silhouette_score,
)
from ._vat import (
    vat as vat,
)
