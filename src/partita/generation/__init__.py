"""Ensembles of clusterings: from features, from a partition, from a soft partition, and as the papers made them.

| name                  | from                  | what                                                       |
|-----------------------|-----------------------|------------------------------------------------------------|
| KMeansEnsemble        | features              | k-means with random centres, numbers of clusters, samples  |
| MixedEnsemble         | features              | several algorithms, every number of clusters               |
| NoisyEnsemble         | a partition           | copies with labels changed or lost                         |
| SampledEnsemble       | a soft partition      | partitions drawn from its probabilities                    |
| ensemble_recipe       | features or labels    | the ensembles of the papers' experiments                   |
| make_text_features    | documents             | tf-idf features                                            |
| ConsensusClustering   | features              | an ensemble and its consensus in one call                  |
"""

from partita.generation._consensus_clustering import ConsensusClustering
from partita.generation._feature_recipes import NUMBERS_OF_CLUSTERS
from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble
from partita.generation._noisy_ensemble import NoisyEnsemble
from partita.generation._recipe_ensemble import RecipeEnsemble
from partita.generation._recipes import RECIPES, ensemble_recipe, recipe_input
from partita.generation._sampled_ensemble import SampledEnsemble
from partita.generation._text import make_text_features

__all__ = [
    "NUMBERS_OF_CLUSTERS",
    "RECIPES",
    "ConsensusClustering",
    "KMeansEnsemble",
    "MixedEnsemble",
    "NoisyEnsemble",
    "RecipeEnsemble",
    "SampledEnsemble",
    "ensemble_recipe",
    "make_text_features",
    "recipe_input",
]
