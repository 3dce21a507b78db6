"""The ensembles of the leaderboard: which data, how features are prepared, and three recipes."""

import warnings

import numpy as np
import pandas as pd

from partita import KMeansEnsemble, ensemble_recipe
from partita.datasets import load
from partita.exceptions import SkippedClusteringWarning
from partita.experiments import freeze

MOST_OBJECTS = 20_000
SEED = 0
SYNTHETIC = ("two_clusters_outliers", "spiral", "rings", "image_c", "four_gaussians", "image_1")
COUNTS = ("newsgroups20_bydate",)  # texts that are stored as counts of words
TEXTS = ("webkb", "mini_newsgroups_17", *COUNTS)  # tf-idf; spherical k-means
OF_PAPERS = ("letter_700", "wine_quality_567", "kddcup99_pcc", *TEXTS)  # not tables of the folder
REPLACED = ("wine_quality_white",)  # by wine_quality_567, most of the same objects
# pixels; rows or features already standardised
AS_THEY_ARE = ("digits", "optdigits", "optdigits_1000", "yeast_cellcycle_384_std", "kddcup99_pcc")
MOST_FOR_PCC = 2500  # objects; above, linkages and spectral clustering cost n^2 memory and minutes


def n_kmeans_2_20(n, n_classes):
    return 2, 20


def n_kmeans_k_sqrt(n, n_classes):
    return n_classes, max(n_classes + 1, int(np.sqrt(n)))


KMEANS_RANGES = {"kmeans-2-20": n_kmeans_2_20, "kmeans-k-sqrt": n_kmeans_k_sqrt}
RECIPES = (*KMEANS_RANGES, "pcc-2")


def recipes_for(name, n):
    """The recipes that a data set of n objects gets."""
    if name in TEXTS:
        return tuple(KMEANS_RANGES)
    return RECIPES if n <= MOST_FOR_PCC else tuple(KMEANS_RANGES)


def prepared(data):
    """Features as numbers, and what was done to them."""
    if data.name in TEXTS:
        return (tf_idf(data.features), "tf-idf") if data.name in COUNTS else (data.features, "")
    table = data.features
    # two or three coordinates of a plane or a space have one unit
    standardise = data.name not in AS_THEY_ARE and table.shape[1] > 3
    is_number = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    steps = ["standardised"] if standardise and any(is_number) else []
    steps += [] if all(is_number) else [f"{is_number.count(False)} categorical features coded 0/1"]
    return data.numbers(standardise=standardise), "; ".join(steps)


def tf_idf(counts):
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer().fit_transform(counts)


def made(name, recipe, n_jobs=1):
    """The frozen ensemble of a data set by a recipe."""
    data = load(name)
    features, words = prepared(data)
    n_classes = data.n_classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedClusteringWarning)  # as the papers: such clusterings are left out
        if recipe == "pcc-2":
            options = {"n_repeats": 1}
            labels = ensemble_recipe("pcc-2", features, random_state=SEED, n_jobs=n_jobs, **options).labels
        else:
            options = {"n_clusterings": 20, "n_clusters": KMEANS_RANGES[recipe](features.shape[0], n_classes)}
            options |= {"metric": "cosine"} if name in TEXTS else {}
            labels = KMeansEnsemble(**options, random_state=SEED, n_jobs=n_jobs).fit_transform(features)
    said = "; ".join(part for part in (data.preparation, words) if part)
    truth = data.target.to_numpy(dtype=object, na_value=None)
    return freeze(labels, truth, data=name, recipe=recipe, seed=SEED, options=options, preparation=said)
