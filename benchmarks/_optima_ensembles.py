"""The ensembles of the benchmark of optima: k-means of real and made data, few and many clusterings, with holes.

They are made once and kept in files named by a hash of their content, because the best objective ever found belongs to
one label matrix and to no other.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks._frozen_recipes import prepared
from partita import KMeansEnsemble, ensemble_recipe
from partita.datasets import load
from partita.exceptions import SkippedClusteringWarning
from partita.experiments import freeze

SEED = 0
BLOBS = 5_000  # objects
SIZES = (2500, 1200, 600, 300, 150, 100, 80, 70)  # of the unbalanced blobs


class OptimaRecipe(NamedTuple):
    """How an ensemble is made."""

    data: str
    n_clusterings: int
    holes: float = 0.0  # share of missing labels


# iris, wine, digits come with scikit-learn; glass, ecoli, segmentation from the data folder
STARTS = {
    "iris-10": OptimaRecipe("iris", 10),
    "wine-100": OptimaRecipe("wine", 100),
    "glass-10": OptimaRecipe("glass", 10),
    "ecoli-10": OptimaRecipe("ecoli", 10),
    "ecoli-100": OptimaRecipe("ecoli", 100),
    "digits-10": OptimaRecipe("digits", 10),
    "digits-100": OptimaRecipe("digits", 100),
    "segmentation-10": OptimaRecipe("segmentation_2310", 10),
    "blobs-10-holes": OptimaRecipe("blobs", 10, 0.3),
    "blobs-100": OptimaRecipe("blobs", 100),
    "unbalanced-10": OptimaRecipe("unbalanced", 10),
    "unbalanced-100-holes": OptimaRecipe("unbalanced", 100, 0.3),
}
# the recipe of the paper of NBCE: ten k-means with 50 to 200 % of the number of classes
NBCE = {f"{data}-nbce": OptimaRecipe(data, 10) for data in ("ecoli", "glass", "trace", "synthetic_control")}
ALL = {**STARTS, **NBCE}


def made(name):
    """The frozen ensemble of a name."""
    recipe = ALL[name]
    features, truth, said = _data(recipe.data)
    n_classes = len(np.unique(truth))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedClusteringWarning)
        if name in NBCE:
            options = {"n_classes": n_classes}
            labels = ensemble_recipe("nbce", features, random_state=SEED, **options).labels
        else:
            high = 20 if recipe.n_clusterings == 10 else max(n_classes + 1, int(np.sqrt(len(truth))))
            low = 2 if recipe.n_clusterings == 10 else n_classes
            options = {"n_clusterings": recipe.n_clusterings, "n_clusters": (low, high)}
            labels = KMeansEnsemble(**options, random_state=SEED).fit_transform(features)
    labels = np.array(labels)
    if recipe.holes:
        labels[np.random.default_rng(SEED).random(labels.shape) < recipe.holes] = -1
        options["holes"] = recipe.holes
    return freeze(labels, truth, data=name, recipe="optima", seed=SEED, options=options, preparation=said)


def _data(name):
    """Features, classes, and what was done to the features."""
    if name == "blobs":
        features, truth = make_blobs(BLOBS, centers=8, n_features=5, cluster_std=2.5, random_state=SEED)
        return features, truth, ""
    if name == "unbalanced":
        features, truth = make_blobs(SIZES, n_features=4, cluster_std=1.5, random_state=SEED)
        return features, truth, ""
    data = load(name)
    features, words = prepared(data)
    return features, data.target.to_numpy(dtype=object), "; ".join(filter(None, (data.preparation, words)))
