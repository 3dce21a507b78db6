"""Points with clusters that the tests of internal indices share."""

import numpy as np
import pytest

METRIC_NAMES = ("euclidean", "sqeuclidean", "cityblock", "chebyshev")


def datasets():
    """Random data, with singletons, duplicates, clusters of equal points and clusters that coincide."""
    rng = np.random.default_rng(5)
    plain = rng.normal(size=(40, 3)), rng.integers(4, size=40)
    singletons = rng.normal(size=(12, 2)), np.r_[np.zeros(6, int), 1, 2, 3, 4, 4, 4]
    duplicates = rng.integers(0, 3, size=(30, 2)).astype(float), rng.integers(3, size=30)
    repeated = np.repeat(rng.normal(size=(3, 2)), [4, 1, 5], axis=0), np.repeat([0, 1, 2], [4, 1, 5])
    alone = rng.normal(size=(6, 2)), np.arange(6)
    coincident = np.array([[0.0], [2.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    large = rng.normal(size=(1100, 2)), np.r_[np.arange(700), rng.integers(700, size=400)]
    return {
        "plain": plain,
        "singletons": singletons,
        "duplicates": duplicates,
        "repeated": repeated,
        "alone": alone,
        "coincident": coincident,
        "large": large,
    }


every_dataset = pytest.mark.parametrize("dataset", datasets())

small_datasets = pytest.mark.parametrize("dataset", [name for name in datasets() if name != "large"])

every_metric = pytest.mark.parametrize("metric", METRIC_NAMES)


def distance(x, y, metric):
    gap = np.abs(x - y)
    return {
        "euclidean": np.sqrt((gap**2).sum()),
        "sqeuclidean": (gap**2).sum(),
        "cityblock": gap.sum(),
        "chebyshev": gap.max(),
    }[metric]
