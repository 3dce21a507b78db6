"""Consensus clustering: many clusterings of the same objects in, one out.

Public names are resolved on first use, so that ``import partita`` costs nothing
and loads neither numba nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

# public name -> module that defines it
_HOME = {
    "AspectModel": "partita.consensus",
    "BCE": "partita.consensus",
    "BaumEagon": "partita.consensus",
    "CSPA": "partita.consensus",
    "Coassociation": "partita._coassociation",
    "ConsensusClustering": "partita.generation",
    "CumulativeVoting": "partita.consensus",
    "DPGaussianMixture": "partita.mixtures",
    "DPMeans": "partita.mixtures",
    "EAC": "partita.consensus",
    "GBCE": "partita.consensus",
    "HBGF": "partita.consensus",
    "HGPA": "partita.consensus",
    "ITK": "partita.consensus",
    "KMeansEnsemble": "partita.generation",
    "LabelKMeans": "partita.consensus",
    "LabelMatrix": "partita._validation",
    "MCLA": "partita.consensus",
    "MixedEnsemble": "partita.generation",
    "MultiEAC": "partita.consensus",
    "MultinomialMixture": "partita.consensus",
    "NBCE": "partita.consensus",
    "NMFConsensus": "partita.consensus",
    "NoisyEnsemble": "partita.generation",
    "PCC": "partita.consensus",
    "PEACE": "partita.consensus",
    "QMI": "partita.consensus",
    "SampledEnsemble": "partita.generation",
    "SoftCSPA": "partita.consensus",
    "SoftHBGF": "partita.consensus",
    "SoftMCLA": "partita.consensus",
    "SupraConsensus": "partita.consensus",
    "check_label_matrix": "partita._validation",
    "choose_n_clusters": "partita.selection",
    "coassociation": "partita._coassociation",
    "dp_means_path": "partita.mixtures",
    "effective_n_clusters": "partita._relations",
    "ensemble_recipe": "partita.generation",
    "majority_vote": "partita.consensus",
    "make_text_features": "partita.generation",
    "membership_entropy": "partita._relations",
    "relation_matrix": "partita._relations",
    "soft_centroids": "partita._relations",
    "supra_consensus": "partita.consensus",
    "validity_report": "partita.metrics",
    "vat": "partita._vat",
    "warm_up": "partita._kernels",
}
_ROOMS = ("consensus", "datasets", "exceptions", "generation", "io", "metrics", "mixtures", "selection")

__all__ = [
    "BCE",
    "CSPA",
    "EAC",
    "GBCE",
    "HBGF",
    "HGPA",
    "ITK",
    "MCLA",
    "NBCE",
    "PCC",
    "PEACE",
    "QMI",
    "AspectModel",
    "BaumEagon",
    "Coassociation",
    "ConsensusClustering",
    "CumulativeVoting",
    "DPGaussianMixture",
    "DPMeans",
    "KMeansEnsemble",
    "LabelKMeans",
    "LabelMatrix",
    "MixedEnsemble",
    "MultiEAC",
    "MultinomialMixture",
    "NMFConsensus",
    "NoisyEnsemble",
    "SampledEnsemble",
    "SoftCSPA",
    "SoftHBGF",
    "SoftMCLA",
    "SupraConsensus",
    "__version__",
    "check_label_matrix",
    "choose_n_clusters",
    "coassociation",
    "consensus",
    "datasets",
    "dp_means_path",
    "effective_n_clusters",
    "ensemble_recipe",
    "exceptions",
    "generation",
    "io",
    "majority_vote",
    "make_text_features",
    "membership_entropy",
    "metrics",
    "mixtures",
    "relation_matrix",
    "selection",
    "soft_centroids",
    "supra_consensus",
    "validity_report",
    "vat",
    "warm_up",
]

if TYPE_CHECKING:
    from partita import consensus, datasets, exceptions, generation, io, metrics, mixtures, selection
    from partita._coassociation import Coassociation, coassociation
    from partita._kernels import warm_up
    from partita._relations import effective_n_clusters, membership_entropy, relation_matrix, soft_centroids
    from partita._validation import LabelMatrix, check_label_matrix
    from partita._vat import vat
    from partita.consensus import (
        BCE,
        CSPA,
        EAC,
        GBCE,
        HBGF,
        HGPA,
        ITK,
        MCLA,
        NBCE,
        PCC,
        PEACE,
        QMI,
        AspectModel,
        BaumEagon,
        CumulativeVoting,
        LabelKMeans,
        MultiEAC,
        MultinomialMixture,
        NMFConsensus,
        SoftCSPA,
        SoftHBGF,
        SoftMCLA,
        SupraConsensus,
        majority_vote,
        supra_consensus,
    )
    from partita.generation import (
        ConsensusClustering,
        KMeansEnsemble,
        MixedEnsemble,
        NoisyEnsemble,
        SampledEnsemble,
        ensemble_recipe,
        make_text_features,
    )
    from partita.metrics import validity_report
    from partita.mixtures import DPGaussianMixture, DPMeans, dp_means_path
    from partita.selection import choose_n_clusters


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _ROOMS:
        value = import_module(f"partita.{name}")
    else:
        raise AttributeError(f"module 'partita' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
