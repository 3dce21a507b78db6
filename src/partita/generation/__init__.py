"""Ensembles of clusterings: from features, from a partition, from a soft partition (docs/theory/ensembles.md).

| name                  | made from             | content                                                    |
|-----------------------|-----------------------|------------------------------------------------------------|
| KMeansEnsemble        | features              | k-means with random centres, numbers of clusters, samples  |
| MixedEnsemble         | features              | several algorithms, every number of clusters               |
| NoisyEnsemble         | a partition           | copies with labels changed or lost                         |
| SampledEnsemble       | a soft partition      | partitions drawn from its probabilities                    |
"""

from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble
from partita.generation._noisy_ensemble import NoisyEnsemble
from partita.generation._sampled_ensemble import SampledEnsemble

__all__ = ["KMeansEnsemble", "MixedEnsemble", "NoisyEnsemble", "SampledEnsemble"]
