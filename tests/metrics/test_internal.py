"""Internal indices against naive loops over points, scikit-learn and values by hand: T-35 of the catalogue."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn import metrics as sk
from sklearn.datasets import load_iris

from partita import metrics
from partita._kernels import internal
from partita.exceptions import LeftOutWarning, NotEnoughMemoryError
from partita.metrics._clustered import check_clustered

METRIC_NAMES = ("euclidean", "sqeuclidean", "cityblock", "chebyshev")
SEPARATIONS = ("single", "complete", "average", "centroid", "hybrid", "hausdorff")


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


def separate_slowly(p, q, separation, metric):
    """Distance between two clusters, by its definition."""
    across = [[distance(x, y, metric) for y in q] for x in p]
    if separation == "single":
        return min(min(row) for row in across)
    if separation == "complete":
        return max(max(row) for row in across)
    if separation == "average":
        return sum(sum(row) for row in across) / (len(p) * len(q))
    if separation == "centroid":
        return distance(p.mean(axis=0), q.mean(axis=0), metric)
    if separation == "hybrid":
        to_q = sum(distance(x, q.mean(axis=0), metric) for x in p)
        to_p = sum(distance(y, p.mean(axis=0), metric) for y in q)
        return (to_q + to_p) / (len(p) + len(q))
    return max(max(min(row) for row in across), max(min(row) for row in np.transpose(across)))


def diameter_slowly(p, diameter, metric):
    within = [distance(x, y, metric) for x, y in combinations(p, 2)]
    if diameter == "max":
        return max(within, default=0.0)
    if diameter == "mean":
        return sum(within) / len(within) if within else 0.0
    return 2 * np.mean([distance(x, p.mean(axis=0), metric) for x in p]) if within else 0.0


def dunn_slowly(X, labels, separation, diameter, metric):
    clusters = [X[labels == c] for c in np.unique(labels)]
    apart = min(separate_slowly(p, q, separation, metric) for p, q in combinations(clusters, 2))
    wide = max(diameter_slowly(p, diameter, metric) for p in clusters)
    if wide < 1e-12:
        return np.inf if apart > 1e-12 else np.nan
    return apart / wide


def silhouette_slowly(X, labels, variant, metric):
    """Silhouette of each point, by its definition."""
    values = []
    for i, x in enumerate(X):
        if np.sum(labels == labels[i]) == 1:
            values.append(0.0)
            continue
        to = {}
        for c in np.unique(labels):
            others = X[(labels == c) & (np.arange(len(X)) != i)]
            if variant in ("simplified", "hybrid"):
                to[c] = distance(x, X[labels == c].mean(axis=0), metric)
            else:
                to[c] = np.mean([distance(x, y, metric) for y in others])
        a = to.pop(labels[i])
        b = min(to.values())
        if variant in ("alternative", "hybrid"):
            values.append(b / (a + 1e-6))
        else:
            values.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return np.array(values)


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


@small_datasets
@every_metric
def test_all_forms_of_dunn_are_naive_loops(dataset, metric):
    X, labels = datasets()[dataset]
    table = metrics.dunn_scores(X, labels, metric=metric)
    assert table.shape == (6, 3)
    for separation in SEPARATIONS:
        for diameter in ("max", "mean", "centroid"):
            expected = dunn_slowly(X, labels, separation, diameter, metric)
            assert table.loc[separation, diameter] == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)
            alone = metrics.dunn_score(X, labels, separation, diameter, metric=metric)
            assert alone == pytest.approx(table.loc[separation, diameter], rel=1e-15, nan_ok=True)


def test_dunn_by_hand():
    X, labels = np.array([[0.0], [1.0], [9.0], [11.0]]), [0, 0, 1, 1]
    table = metrics.dunn_scores(X, labels)
    assert table["max"].tolist() == [4, 5.5, 4.75, 4.75, 4.75, 5]
    assert (table["max"] == table["mean"]).all()  # clusters of two points
    assert (table["max"] == table["centroid"]).all()
    assert metrics.dunn_score(X, labels) == table.loc["single", "max"]


@small_datasets
@every_metric
@pytest.mark.parametrize("variant", ["original", "simplified", "alternative", "hybrid"])
def test_silhouettes_are_naive_loops(dataset, metric, variant):
    X, labels = datasets()[dataset]
    values = metrics.silhouette_samples(X, labels, variant, metric=metric)
    assert np.allclose(values, silhouette_slowly(X, labels, variant, metric), rtol=1e-8, atol=1e-10)
    assert metrics.silhouette_score(X, labels, variant, metric=metric) == pytest.approx(values.mean(), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_as_in_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(200, 4)) + 5, rng.integers(2 + seed, size=200)
    assert metrics.calinski_harabasz_score(X, labels) == pytest.approx(sk.calinski_harabasz_score(X, labels), rel=1e-10)
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels), rel=1e-10)
    assert metrics.silhouette_score(X, labels) == pytest.approx(sk.silhouette_score(X, labels), rel=1e-10)
    ours, theirs = metrics.silhouette_samples(X, labels), sk.silhouette_samples(X, labels)
    assert np.allclose(ours, theirs, rtol=1e-10, atol=1e-10)
    city = sk.silhouette_score(X, labels, metric="cityblock")
    assert metrics.silhouette_score(X, labels, metric="cityblock") == pytest.approx(city, rel=1e-10)


@pytest.mark.parametrize("dataset", ["plain", "singletons", "duplicates", "large"])
def test_spread_is_spread_within_plus_spread_between(dataset):
    """T = W + B, and the index is tr B / tr W (n - k) / (k - 1)."""
    X, labels = datasets()[dataset]
    n, names = len(X), np.unique(labels)
    T = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    W, B = np.zeros_like(T), np.zeros_like(T)
    for c in names:
        points = X[labels == c]
        center = points.mean(axis=0)
        W += (points - center).T @ (points - center)
        B += len(points) * np.outer(center - X.mean(axis=0), center - X.mean(axis=0))
    assert np.allclose(T, W + B, rtol=1e-10)
    expected = np.trace(B) / np.trace(W) * (n - len(names)) / (len(names) - 1)
    assert metrics.calinski_harabasz_score(X, labels) == pytest.approx(expected, rel=1e-10)


def test_edges_of_the_variance_ratio(rng):
    X = rng.normal(size=(6, 2))
    assert np.isnan(metrics.calinski_harabasz_score(X, np.arange(6)))
    three_points, labels = np.repeat(X[:3] / 3, 7, axis=0), np.repeat([0, 1, 2], 7)
    assert metrics.calinski_harabasz_score(three_points, labels) == np.inf
    assert np.isnan(metrics.calinski_harabasz_score(np.ones((21, 2)), labels))  # 0 / 0


def test_edges_of_davies_bouldin(rng):
    X = rng.normal(size=(6, 2))
    assert metrics.davies_bouldin_score(X, np.arange(6)) == 0
    assert metrics.davies_bouldin_score(np.repeat(X, 3, axis=0), np.repeat(np.arange(6), 3)) == 0
    assert metrics.davies_bouldin_score([[0.0], [2.0], [1.0], [1.0]], [0, 0, 1, 1]) == np.inf
    assert metrics.davies_bouldin_score([[1.0], [1.0], [3.0]], [0, 1, 2]) == np.inf  # all alone, two at one place
    far = np.array([[0.0], [2.0], [1.0], [1.0], [1e9], [1e9]])
    assert metrics.davies_bouldin_score(far, [0, 0, 1, 1, 2, 2]) == np.inf


def test_small_units_are_not_taken_for_zero(rng):
    X, labels = rng.normal(size=(30, 2)), np.arange(30) % 3
    assert metrics.davies_bouldin_score(1e-9 * X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels))


def test_edges_of_dunn(rng):
    X = rng.normal(size=(5, 2))
    assert (metrics.dunn_scores(X, np.arange(5)) == np.inf).all(axis=None)
    assert (metrics.dunn_scores(np.repeat(X, 3, axis=0), np.repeat(np.arange(5), 3)) == np.inf).all(axis=None)
    assert metrics.dunn_scores(np.ones((4, 1)), [0, 0, 1, 1]).isna().all(axis=None)  # 0 / 0
    assert metrics.dunn_scores(X, np.zeros(5)).isna().all(axis=None)


def test_edges_of_the_silhouette():
    X, labels = [[0.0], [0.0], [0.0], [5.0]], [0, 0, 1, 2]
    for variant in ("original", "simplified", "alternative", "hybrid"):
        assert metrics.silhouette_samples(X, labels, variant).tolist() == [0, 0, 0, 0]  # a = b = 0, and singletons
        assert metrics.silhouette_score([[0.0], [1.0]], [0, 1], variant) == 0
        assert np.isnan(metrics.silhouette_samples(X, [1, 1, 1, 1], variant)).all()
    assert metrics.silhouette_score([[0.0], [0.0], [3.0], [3.0]], [0, 0, 1, 1], "alternative") == 3e6


def test_a_point_at_two_centroids_is_at_both(rng):
    """Means that differ by rounding only are one place: a = b = 0, and the silhouette is 0."""
    X, labels = np.array([[0.0], [1.0], [-2.0], [1.0], [2.0], [0.0], [1.0]]), [1, 0, 2, 0, 1, 3, 1]
    for shift in rng.normal(size=50):
        values = metrics.silhouette_samples(X + shift, labels, "simplified")
        assert np.allclose(values, silhouette_slowly(X, np.array(labels), "simplified", "euclidean"))
        assert values[6] == 0


def test_silhouettes_of_objects_left_out_are_nan():
    with pytest.warns(LeftOutWarning, match="1 of 4"):
        values = metrics.silhouette_samples([[0.0], [7.0], [1.0], [9.0]], [0, -1, 0, 1])
    assert np.isnan(values).tolist() == [False, True, False, False]
    assert np.array_equal(values[[0, 2, 3]], metrics.silhouette_samples([[0.0], [1.0], [9.0]], [0, 0, 1]))


def test_iris():
    """The three species: stored values of the indices that scikit-learn has, Dunn by a double loop."""
    X, y = load_iris(return_X_y=True)
    assert metrics.calinski_harabasz_score(X, y) == pytest.approx(487.33, abs=0.01)
    assert metrics.davies_bouldin_score(X, y) == pytest.approx(0.7514, abs=1e-4)
    assert metrics.silhouette_score(X, y) == pytest.approx(0.5034, abs=1e-4)
    assert metrics.dunn_score(X, y) == pytest.approx(dunn_slowly(X, y, "single", "max", "euclidean"), rel=1e-12)


def test_refused_choices(rng):
    X, labels = rng.normal(size=(4, 1)), [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"separation='far' is not known; choose 'single', .* or 'hausdorff'"):
        metrics.dunn_score(X, labels, "far")
    with pytest.raises(ValueError, match="diameter=None is not known; choose 'max', 'mean' or 'centroid'"):
        metrics.dunn_score(X, labels, diameter=None)
    with pytest.raises(ValueError, match="variant='new' is not known; choose 'original'"):
        metrics.silhouette_score(X, labels, "new")
    for function in (metrics.dunn_score, metrics.dunn_scores, metrics.silhouette_samples):
        with pytest.raises(ValueError, match="metric='cosine' is not known; choose 'euclidean'"):
            function(X, labels, metric="cosine")


def test_more_clusters_than_memory_are_refused(monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    X, labels = rng.normal(size=(500, 1)), np.arange(500)
    for score in (metrics.dunn_score, metrics.davies_bouldin_score):
        with pytest.raises(NotEnoughMemoryError, match=r"500 x 500 .*; merge clusters"):
            score(X, labels)


def test_features_are_ranked_by_their_bins(rng):
    y = np.repeat(["a", "b", "c"], 20)
    X = pd.DataFrame(
        {
            "noise": rng.random(60),
            "constant": np.ones(60),
            "exact": np.repeat([0.0, 5.0, 10.0], 20),
            "near": np.repeat([0.0, 5.0, 10.0], 20) + 2 * rng.normal(size=60),
        }
    )
    ranking = metrics.rank_features(X, y)
    assert ranking.columns.tolist() == ["feature", "ari", "rank"]
    assert ranking["feature"].tolist()[:2] == ["exact", "near"]
    assert ranking["rank"].tolist() == [1, 2, 3, 4]
    assert ranking["ari"][0] == 1
    assert ranking.set_index("feature").loc["constant", "ari"] == 0
    bins = pd.cut(X["near"], 3, labels=False)  # equal width, closed on the other side: no value is at an edge
    assert ranking["ari"][1] == pytest.approx(sk.adjusted_rand_score(y, bins))


def test_number_of_bins():
    X = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]])
    assert metrics.rank_features(X, [0, 0, 1, 1])["feature"].tolist() == [0, 1]
    assert metrics.rank_features(X, [0, 1, 2, 3])["ari"].tolist() == [1, 0]
    assert metrics.rank_features(X, [0, 0, 1, 1], n_bins=1)["ari"].tolist() == [0, 0]
    assert metrics.rank_features(X, [0, 0, 1, 1], n_bins=1)["rank"].tolist() == [1, 1]
    with pytest.warns(LeftOutWarning, match="1 of 4"):
        assert metrics.rank_features(X, [0, 1, 1, None])["ari"].tolist() == [1, -0.5]
    assert metrics.rank_features(X, [5, 5, 5, 5])["ari"].tolist() == [1, 1]  # one class, one bin
    for wrong in (0, 2.5, True):
        with pytest.raises(ValueError, match=f"n_bins={wrong} must be a whole number, at least 1"):
            metrics.rank_features(X, [0, 0, 1, 1], n_bins=wrong)
    with pytest.raises(ValueError, match="X has 4 objects and y 2"):
        metrics.rank_features(X, [0, 1])


@pytest.mark.parametrize("variant", ["original", "simplified", "alternative", "hybrid"])
def test_silhouettes_hold_no_table_of_clusters(variant, monkeypatch, rng):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    assert metrics.silhouette_score(rng.normal(size=(500, 1)), np.arange(500), variant) == 0


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8, 1e12])
def test_davies_bouldin_beside_a_far_cluster_is_that_of_scikit_learn(far):
    X = np.array([0, 1, 2, 3, 4, 5, far])[:, None]
    labels = [0, 0, 0, 1, 1, 1, 2]
    # (2/3 + 2/3) / 3 for the near ones, and nothing for the far one
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(2 * (4 / 9) / 3, rel=1e-2 if far < 1e4 else 1e-5)
    assert metrics.davies_bouldin_score(X, labels) == pytest.approx(sk.davies_bouldin_score(X, labels), rel=1e-6)


def test_an_outlier_does_not_take_the_digits_of_others():
    X, labels = np.array([0, 1e-5, 1, 1 + 1e-5, 1e9])[:, None], [0, 0, 1, 1, 2]
    assert metrics.dunn_score(X, labels, "centroid", "centroid") == pytest.approx(1e5, rel=1e-6)


def test_numbers_that_cannot_be_squared_are_refused(rng):
    X, labels = rng.normal(size=(6, 2)), [0, 0, 0, 1, 1, 1]
    for score in (metrics.silhouette_score, metrics.dunn_score, metrics.davies_bouldin_score):
        with pytest.raises(ValueError, match="whose squares overflow; divide X"):
            score(X * 1e160, labels)
        with pytest.raises(ValueError, match="whose square is 0; multiply X"):
            score(X * 1e-160, labels)
