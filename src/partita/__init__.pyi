# The public names and where they live: the one list, read by type checkers and, at run time, by lazy_loader.
from . import (
    consensus as consensus,
)
from . import (
    datasets as datasets,
)
from . import (
    dirichlet_process as dirichlet_process,
)
from . import (
    exceptions as exceptions,
)
from . import (
    experiments as experiments,
)
from . import (
    generation as generation,
)
from . import (
    io as io,
)
from . import (
    metrics as metrics,
)
from . import (
    selection as selection,
)
from . import (
    text as text,
)
from ._kernels import (
    warm_up as warm_up,
)
from ._labels.validation import (
    LabelMatrix as LabelMatrix,
)
from ._labels.validation import (
    check_label_matrix as check_label_matrix,
)
from .consensus import (
    BCE as BCE,
)
from .consensus import (
    CSPA as CSPA,
)
from .consensus import (
    EAC as EAC,
)
from .consensus import (
    GBCE as GBCE,
)
from .consensus import (
    HBGF as HBGF,
)
from .consensus import (
    HGPA as HGPA,
)
from .consensus import (
    ITK as ITK,
)
from .consensus import (
    MCLA as MCLA,
)
from .consensus import (
    NBCE as NBCE,
)
from .consensus import (
    PCC as PCC,
)
from .consensus import (
    PEACE as PEACE,
)
from .consensus import (
    QMI as QMI,
)
from .consensus import (
    AspectModel as AspectModel,
)
from .consensus import (
    BaumEagon as BaumEagon,
)
from .consensus import (
    CumulativeVoting as CumulativeVoting,
)
from .consensus import (
    LabelKMeans as LabelKMeans,
)
from .consensus import (
    MultiEAC as MultiEAC,
)
from .consensus import (
    MultinomialMixture as MultinomialMixture,
)
from .consensus import (
    NMFConsensus as NMFConsensus,
)
from .consensus import (
    SoftCSPA as SoftCSPA,
)
from .consensus import (
    SoftHBGF as SoftHBGF,
)
from .consensus import (
    SoftMCLA as SoftMCLA,
)
from .consensus import (
    SupraConsensus as SupraConsensus,
)
from .consensus import (
    majority_vote as majority_vote,
)
from .consensus import (
    supra_consensus as supra_consensus,
)
from .consensus_clustering import (
    ConsensusClustering as ConsensusClustering,
)
from .dirichlet_process import (
    DPGaussianMixture as DPGaussianMixture,
)
from .dirichlet_process import (
    DPMeans as DPMeans,
)
from .dirichlet_process import (
    dp_means_path as dp_means_path,
)
from .experiments import (
    ensemble_recipe as ensemble_recipe,
)
from .generation import (
    KMeansEnsemble as KMeansEnsemble,
)
from .generation import (
    MixedEnsemble as MixedEnsemble,
)
from .generation import (
    NoisyEnsemble as NoisyEnsemble,
)
from .generation import (
    SampledEnsemble as SampledEnsemble,
)
from .metrics import (
    Coassociation as Coassociation,
)
from .metrics import (
    coassociation as coassociation,
)
from .metrics import (
    effective_n_clusters as effective_n_clusters,
)
from .metrics import (
    membership_entropy as membership_entropy,
)
from .metrics import (
    relation_matrix as relation_matrix,
)
from .metrics import (
    soft_centroids as soft_centroids,
)
from .metrics import (
    validity_report as validity_report,
)
from .metrics import (
    vat as vat,
)
from .selection import (
    choose_n_clusters as choose_n_clusters,
)
from .text import (
    make_text_features as make_text_features,
)

__version__: str
