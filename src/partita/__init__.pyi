# The public names and where they live: the one list, read by type checkers and, at run time, by lazy_loader.
from . import (
    blocks as blocks,
    consensus as consensus,
    datasets as datasets,
    dirichlet_process as dirichlet_process,
    exceptions as exceptions,
    experiments as experiments,
    federated as federated,
    generation as generation,
    io as io,
    metrics as metrics,
    plotting as plotting,
    report as report,
    results as results,
    selection as selection,
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
    CumulativeVoting as CumulativeVoting,
    EAC as EAC,
    ECPCS as ECPCS,
    GBCE as GBCE,
    HBGF as HBGF,
    HGPA as HGPA,
    ITK as ITK,
    LWEA as LWEA,
    LWGP as LWGP,
    LabelKMeans as LabelKMeans,
    MCLA as MCLA,
    MultiEAC as MultiEAC,
    MultinomialMixture as MultinomialMixture,
    NBCE as NBCE,
    NMFConsensus as NMFConsensus,
    PCC as PCC,
    PEACE as PEACE,
    QMI as QMI,
    SoftCSPA as SoftCSPA,
    SoftHBGF as SoftHBGF,
    SoftLWGP as SoftLWGP,
    SoftMCLA as SoftMCLA,
    SupraConsensus as SupraConsensus,
    USENC as USENC,
    majority_vote as majority_vote,
    supra_consensus as supra_consensus,
)

# end: written by make tables
from .blocks import LabelBlocks as LabelBlocks
from .consensus_clustering import (
    ConsensusClustering as ConsensusClustering,
)
from .dirichlet_process import (
    DPGaussianMixture as DPGaussianMixture,
    DPMeans as DPMeans,
    dp_means_path as dp_means_path,
)
from .experiments import (
    ensemble_recipe as ensemble_recipe,
)
from .generation import (
    KMeansEnsemble as KMeansEnsemble,
    MixedEnsemble as MixedEnsemble,
    NoisyEnsemble as NoisyEnsemble,
    SampledEnsemble as SampledEnsemble,
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
