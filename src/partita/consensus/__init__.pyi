# The methods and the rooms they live in: the one list, read by type checkers and, at run time, by lazy_loader.
from .graph import (
    CSPA as CSPA,
)
from .graph import (
    HBGF as HBGF,
)
from .graph import (
    HGPA as HGPA,
)
from .graph import (
    MCLA as MCLA,
)
from .kmeans import (
    QMI as QMI,
)
from .kmeans import (
    LabelKMeans as LabelKMeans,
)
from .models import (
    BCE as BCE,
)
from .models import (
    GBCE as GBCE,
)
from .models import (
    MultinomialMixture as MultinomialMixture,
)
from .nbce import (
    NBCE as NBCE,
)
from .pairwise import (
    EAC as EAC,
)
from .pairwise import (
    AspectModel as AspectModel,
)
from .pairwise import (
    BaumEagon as BaumEagon,
)
from .pairwise import (
    MultiEAC as MultiEAC,
)
from .pairwise import (
    NMFConsensus as NMFConsensus,
)
from .pcc import (
    PCC as PCC,
)
from .pcc import (
    PEACE as PEACE,
)
from .soft import (
    ITK as ITK,
)
from .soft import (
    SoftCSPA as SoftCSPA,
)
from .soft import (
    SoftHBGF as SoftHBGF,
)
from .soft import (
    SoftMCLA as SoftMCLA,
)
from .voting import (
    CumulativeVoting as CumulativeVoting,
)
from .voting import (
    SupraConsensus as SupraConsensus,
)
from .voting import (
    majority_vote as majority_vote,
)
from .voting import (
    supra_consensus as supra_consensus,
)
