"""The kernel of distances to clusters, against SciPy."""

import numpy as np
from scipy.spatial.distance import cdist

from partita._kernels import internal
from partita.metrics._clustered import check_clustered
from tests.metrics.points import METRIC_NAMES, datasets, every_dataset, every_metric


@every_dataset
@every_metric
def test_kernel_is_its_twin(dataset, metric):
    """Smallest, largest and sum of the distances to each cluster; many clusters and chunks, blocks anywhere."""
    clusters = check_clustered(*datasets()[dataset])
    D = cdist(clusters.points, clusters.points, metric=metric)
    n, k = len(D), clusters.n_clusters
    lo, hi = n // 3, n
    out = [np.full((hi - lo, k), value) for value in (np.inf, 0.0, 0.0)]
    columns = np.ascontiguousarray(clusters.points.T)
    internal.distances_to_clusters(columns, clusters.starts, lo, hi, METRIC_NAMES.index(metric), *out)
    for found, fold in zip(out, (np.min, np.max, np.sum), strict=True):
        expected = np.column_stack([fold(D[lo:hi][:, clusters.cluster == c], axis=1) for c in range(k)])
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_sums_do_not_depend_on_the_block(rng):
    X, starts = rng.normal(size=(5, 1500)), np.array([0, 700, 701, 1500])
    blocks = []
    for lo, hi in ((0, 1500), (37, 38), (900, 1300)):
        out = [np.full((hi - lo, 3), value) for value in (np.inf, 0.0, 0.0)]
        internal.distances_to_clusters(X, starts, lo, hi, internal.EUCLIDEAN, *out)
        blocks.append(out)
    for whole, one, some in zip(*blocks, strict=True):
        assert np.array_equal(whole[37:38], one)
        assert np.array_equal(whole[900:1300], some)
