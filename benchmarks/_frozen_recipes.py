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
TEXTS = ("mini_newsgroups", "webkb_1041")  # tf-idf and spherical k-means
AS_THEY_ARE = ("digits", "optdigits", "optdigits_1000", "yeast_cellcycle_384_std")  # pixels; rows already standardised
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
        return tf_idf(data.features), "tf-idf"
    table = data.features
    # two or three coordinates of a plane or a space have one unit
    scale = unchanged if data.name in AS_THEY_ARE or table.shape[1] <= 3 else standardised
    numbers = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    columns = [
        made
        for (_, column), is_number in zip(table.items(), numbers, strict=True)
        for made in ([scale(column.to_numpy(float))] if is_number else coded(column))
    ]
    steps = ["standardised"] if scale is standardised and any(numbers) else []
    steps += [] if all(numbers) else [f"{numbers.count(False)} categorical features coded 0/1"]
    return np.column_stack(columns), "; ".join(steps)


def unchanged(column):
    return column


def standardised(column):
    """Mean 0 and standard deviation 1; a constant column becomes 0."""
    spread = column.std()
    return (column - column.mean()) / (spread if spread > 0 else 1.0)


def coded(column):
    """A category of two values as one column of 0/1, of more values as one column each.

    These are not standardised, which would give a rare value the weight of many common ones.
    """
    values = sorted(column.unique())
    return [(column == value).to_numpy(float) for value in (values[1:] if len(values) == 2 else values)]


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
