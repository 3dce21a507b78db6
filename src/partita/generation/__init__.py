"""Ensembles of clusterings: from features, from a partition, from a soft partition (docs/theory/ensembles.md).

| name                  | made from             | content                                                    |
|-----------------------|-----------------------|------------------------------------------------------------|
| KMeansEnsemble        | features              | k-means with random centres, numbers of clusters, samples  |
| MixedEnsemble         | features              | several algorithms, every number of clusters               |
| USpecEnsemble         | features              | spectral clusterings, each by representatives of its own   |
| AnchorEnsemble        | features              | k-means on one spectral embedding by anchors               |
| ProjectionEnsemble    | features              | k-means on random projections or subsets of features       |
| WeakEnsemble          | features              | k-means on random lines, cells between random hyperplanes  |
| NoisyEnsemble         | a partition           | copies with labels changed or lost                         |
| SampledEnsemble       | a soft partition      | partitions drawn from its probabilities                    |
"""

from partita.generation._anchor_ensemble import AnchorEnsemble
from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble
from partita.generation._noisy_ensemble import NoisyEnsemble
from partita.generation._projection_ensemble import ProjectionEnsemble
from partita.generation._sampled_ensemble import SampledEnsemble
from partita.generation._uspec_ensemble import USpecEnsemble
from partita.generation._weak_ensemble import WeakEnsemble

__all__ = [
    "AnchorEnsemble",
    "KMeansEnsemble",
    "MixedEnsemble",
    "NoisyEnsemble",
    "ProjectionEnsemble",
    "SampledEnsemble",
    "USpecEnsemble",
    "WeakEnsemble",
]
