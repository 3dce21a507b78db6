# The public names and where they live: the one list, read by type checkers and, at run time, by lazy_loader.
from . import (
    blocks as blocks,
    consensus as consensus,
    datasets as datasets,
    dirichlet_process as dirichlet_process,
    ensembles as ensembles,
    exceptions as exceptions,
    experiments as experiments,
    federated as federated,
    generation as generation,
    io as io,
    metrics as metrics,
    model_files as model_files,
    plotting as plotting,
    report as report,
    results as results,
    selection as selection,
    testing as testing,
    text as text,
)
from ._kernels._warm_up import (
    warm_up as warm_up,
)
from ._labels.validation import (
    LabelMatrix as LabelMatrix,
    check_label_matrix as check_label_matrix,
)

# begin: written by make tables
from .consensus import (
    AspectModel as AspectModel,
    BCE as BCE,
    BaumEagon as BaumEagon,
    CSPA as CSPA,
    ConstrainedNMF as ConstrainedNMF,
    CumulativeVoting as CumulativeVoting,
    DREC as DREC,
    EAC as EAC,
    ECPCS as ECPCS,
    FuzzyKMeans as FuzzyKMeans,
    FuzzyKMedoids as FuzzyKMedoids,
    GBCE as GBCE,
    HBGF as HBGF,
    HGPA as HGPA,
    ITK as ITK,
    InformationBottleneck as InformationBottleneck,
    KCC as KCC,
    KModes as KModes,
    LCE as LCE,
    LWEA as LWEA,
    LWGP as LWGP,
    LabelKMeans as LabelKMeans,
    MCLA as MCLA,
    MatchedVoting as MatchedVoting,
    MedianPartition as MedianPartition,
    MultiEAC as MultiEAC,
    MultinomialMixture as MultinomialMixture,
    NBCE as NBCE,
    NMFConsensus as NMFConsensus,
    PCC as PCC,
    PEACE as PEACE,
    PTA as PTA,
    PTGP as PTGP,
    QMI as QMI,
    RobustClusters as RobustClusters,
    SoftCSPA as SoftCSPA,
    SoftHBGF as SoftHBGF,
    SoftHGPA as SoftHGPA,
    SoftLWGP as SoftLWGP,
    SoftMCLA as SoftMCLA,
    SupraConsensus as SupraConsensus,
    USENC as USENC,
    lac_memberships as lac_memberships,
    majority_vote as majority_vote,
    register_method as register_method,
    supra_consensus as supra_consensus,
)

# end: written by make tables
from ._stopping import limits as limits
from .blocks import LabelBlocks as LabelBlocks
from .consensus_clustering import (
    ConsensusClustering as ConsensusClustering,
)
from .dirichlet_process import (
    DPGaussianMixture as DPGaussianMixture,
    DPMeans as DPMeans,
    dp_means_path as dp_means_path,
)
from .ensembles import (
    align_labels as align_labels,
    diversity as diversity,
    enough_clusterings as enough_clusterings,
    resolution_tree as resolution_tree,
    select_clusterings as select_clusterings,
)
from .experiments import (
    ensemble_recipe as ensemble_recipe,
)
from .generation import (
    AnchorEnsemble as AnchorEnsemble,
    KMeansEnsemble as KMeansEnsemble,
    MixedEnsemble as MixedEnsemble,
    NoisyEnsemble as NoisyEnsemble,
    ProjectionEnsemble as ProjectionEnsemble,
    SampledEnsemble as SampledEnsemble,
    USpecEnsemble as USpecEnsemble,
    WeakEnsemble as WeakEnsemble,
)
from .metrics import (
    Coassociation as Coassociation,
    coassociation as coassociation,
    effective_n_clusters as effective_n_clusters,
    membership_entropy as membership_entropy,
    relation_matrix as relation_matrix,
    soft_centroids as soft_centroids,
    validity_report as validity_report,
    vat as vat,
)
from .model_files import (
    load_model as load_model,
    save_model as save_model,
)
from .results import (
    Choice as Choice,
    ConsensusResult as ConsensusResult,
    combine as combine,
)
from .selection import (
    choose_n_clusters as choose_n_clusters,
)
from .text import (
    make_text_features as make_text_features,
)

__version__: str
