"""Features in groups far from each other, kinds of k-means, and the base clusterers that are installed."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from partita._optional import available
from partita.generation._base_clusterers import BASE_CLUSTERERS

needs_metis = pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")
KMEANS = [{}, {"algorithm": "minibatch"}, {"metric": "cosine"}, {"metric": "cosine", "algorithm": "minibatch"}]
every_kmeans = pytest.mark.parametrize("options", KMEANS, ids=str)
INSTALLED = [name for name in BASE_CLUSTERERS if name != "metis" or available("pymetis")]
every_clusterer = pytest.mark.parametrize("name", INSTALLED)


def blobs(sizes=(20, 15, 10), n_features=2):
    centers = 7.0 * np.eye(len(sizes), n_features)
    return make_blobs(sizes, centers=centers, random_state=0)
