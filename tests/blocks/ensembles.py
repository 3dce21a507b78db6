"""Ensembles in blocks for the tests."""

import numpy as np


def noisy_labels(n: int, m: int = 6, *, flip: float = 0.3, holes: float = 0.1, seed: int = 0, k: int = 4):
    """Labels of k clusters of unequal sizes, some flipped, some missing (NaN), one object without any."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, size=n, p=np.arange(k, 0, -1) / np.arange(k, 0, -1).sum())
    X = np.where(rng.random((n, m)) < flip, rng.integers(k + 1, size=(n, m)), truth[:, None]).astype(float)
    X[rng.random(X.shape) < holes] = np.nan
    X[7] = np.nan
    return X, truth


def kmeans_labels(n: int, m: int, *, seed: int = 0, holes: float = 0.05):
    """Labels of k-means with random numbers of clusters, of unequal Gaussian blobs; nearly all rows are different."""
    from sklearn.cluster import KMeans
    from sklearn.datasets import make_blobs

    sizes = np.maximum((n * np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])).astype(int), 1)
    points, truth = make_blobs(sizes.tolist(), n_features=5, cluster_std=2.4, random_state=seed)
    rng = np.random.default_rng(seed)
    numbers = rng.integers(6, 18, size=m)
    X = np.column_stack(
        [KMeans(k, n_init=1, max_iter=15, random_state=j).fit_predict(points) for j, k in enumerate(numbers)]
    ).astype(float)
    X[rng.random(X.shape) < holes] = np.nan
    order = rng.permutation(len(X))
    return X[order], truth[order]
