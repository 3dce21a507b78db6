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
# begin: written by make tables
from .consensus import (
    AspectModel as AspectModel,
    BCE as BCE,
    BaumEagon as BaumEagon,
    CSPA as CSPA,
    CumulativeVoting as CumulativeVoting,
    EAC as EAC,
    GBCE as GBCE,
    HBGF as HBGF,
    HGPA as HGPA,
    ITK as ITK,
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
    SoftMCLA as SoftMCLA,
    SupraConsensus as SupraConsensus,
    majority_vote as majority_vote,
    supra_consensus as supra_consensus,
)
# end: written by make tables
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
