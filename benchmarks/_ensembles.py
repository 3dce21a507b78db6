"""Label matrices for benchmarks, the same for every contestant."""

import numpy as np


def voronoi_ensemble(n, n_clusterings, *, low=2, high=10, missing=0.0, seed=0):
    """Clusterings of planar blobs: each object goes to the nearest of k random objects, k uniform in low..high.

    Like k-means with one step, it gives many equal rows, as real ensembles do, and costs seconds for a million.
    """
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2)) + 6 * rng.normal(size=(8, 2))[rng.integers(8, size=n)]
    X = np.empty((n, n_clusterings), dtype=np.int32)
    for m in range(n_clusterings):
        centers = points[rng.choice(n, size=rng.integers(low, high + 1), replace=False)]
        for lo in range(0, n, 100_000):
            block = points[lo : lo + 100_000]
            X[lo : lo + 100_000, m] = ((block[:, None] - centers) ** 2).sum(axis=-1).argmin(axis=1)
    if missing:
        X[rng.random(X.shape) < missing] = -1
    return X


def noisy_ensemble(n, n_clusterings, *, n_distinct=None, n_labels=8, flip=0.3, seed=0):
    """A truth with flipped labels: nearly all rows differ; ``n_distinct`` of them are drawn and repeated."""
    rng = np.random.default_rng(seed)
    n_rows = n_distinct or n
    truth = rng.integers(n_labels, size=n_rows)
    flipped = rng.random((n_rows, n_clusterings)) < flip
    rows = np.where(flipped, rng.integers(n_labels, size=flipped.shape), truth[:, None]).astype(np.int32)
    return rows if n_distinct is None else rows[np.r_[np.arange(n_rows), rng.integers(n_rows, size=n - n_rows)]]
