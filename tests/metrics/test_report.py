"""The table of all internal indices: each value is that of the function of the same name (eqs. I45, I46)."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from partita import metrics
from partita.exceptions import LeftOutWarning
from tests.registry import INTERNAL

CENTROIDS = {
    "calinski_harabasz",
    "davies_bouldin",
    "dunn_centroid_centroid",
    "dunn_hybrid_centroid",
    "silhouette_simplified",
    "silhouette_hybrid",
}
GAMMAS = ["goodman_kruskal", "weighted_goodman_kruskal"]


@pytest.fixture
def points(rng):
    return np.concatenate([rng.normal(size=(25, 2)), rng.normal(size=(30, 2)) + 4])


@pytest.fixture
def labels():
    return np.repeat([0, 1, 2], [25, 20, 10])


def test_values_are_those_of_the_functions(points, labels):
    report = metrics.validity_report(points, labels)
    assert report.columns.tolist() == ["index", "value", "better", "n_objects", "n_pairs"]
    assert report["index"].tolist() == [*INTERNAL, *GAMMAS]
    table = report.set_index("index")
    for name, index in INTERNAL.items():
        assert table.loc[name, "value"] == pytest.approx(index(points, labels), rel=1e-12)
        assert table.loc[name, "better"] == index.better
    assert (table["n_objects"] == 55).all()
    assert set(table.index[table["n_pairs"].isna()]) == CENTROIDS
    assert (table["n_pairs"].dropna() == 55 * 54 // 2).all()


def test_gamma_correlates_distance_with_being_apart(points, labels):
    table = metrics.validity_report(points, labels).set_index("index")["value"]
    different = pdist(labels[:, None]) > 0
    expected = metrics.goodman_kruskal_score(pdist(points), different, "neutral")
    assert table["goodman_kruskal"] == pytest.approx(expected, rel=1e-12)
    distances = pdist(points)
    gaps = np.sign(distances[different][:, None] - distances[~different])  # Baker and Hubert: s+ - s- over s+ + s-
    assert table["goodman_kruskal"] == pytest.approx(gaps.sum() / np.abs(gaps).sum(), rel=1e-12)
    weighted = metrics.weighted_goodman_kruskal_score(pdist(points), different, "neutral")
    assert table["weighted_goodman_kruskal"] == pytest.approx(weighted, rel=1e-9)


def test_several_partitions_side_by_side(points, labels):
    other = labels % 2
    partitions = pd.DataFrame({"three": labels, "two": other})
    report = metrics.validity_report(points, partitions)
    assert report.columns.tolist() == ["index", "three", "two", "better", "n_objects", "n_pairs"]
    for name, column in (("three", labels), ("two", other)):
        assert np.array_equal(report[name], metrics.validity_report(points, column)["value"])
    as_dict = metrics.validity_report(points, {"three": labels.tolist(), "two": other.tolist()})
    pd.testing.assert_frame_equal(as_dict, report)
    as_array = metrics.validity_report(points, partitions.to_numpy())
    as_list = metrics.validity_report(points, [labels.tolist(), other.tolist()])
    assert as_array.columns.tolist()[1:3] == as_list.columns.tolist()[1:3] == ["c0", "c1"]
    assert np.array_equal(as_array["c1"], report["two"])
    assert np.array_equal(as_list["c1"], report["two"])


def test_partitions_are_judged_on_the_same_objects(points, labels):
    partial = labels.astype(float)
    partial[:5] = np.nan
    with pytest.warns(LeftOutWarning, match="5 of 55 objects"):
        report = metrics.validity_report(points, {"all": labels, "some": partial})
    alone = metrics.validity_report(points[5:], labels[5:])
    assert np.allclose(report["all"], alone["value"], rtol=1e-10)
    assert np.allclose(report["some"], alone["value"], rtol=1e-10)
    assert (report["n_objects"] == 50).all()


def test_of_many_objects_a_sample_of_pairs(rng):
    X = np.concatenate([rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 3])
    labels = np.repeat([0, 1], 300)
    everything = metrics.validity_report(X, labels, pairwise_limit=None, random_state=0).set_index("index")
    sampled = metrics.validity_report(X, labels, pairwise_limit=200, random_state=0).set_index("index")
    again = metrics.validity_report(X, labels, pairwise_limit=200, random_state=0, n_jobs=2).set_index("index")
    pd.testing.assert_frame_equal(again, sampled, check_exact=True)
    exact = [*CENTROIDS, *GAMMAS]
    assert (sampled.loc[exact, "n_objects"] == 600).all()
    assert (sampled.drop(index=exact)["n_objects"] == 200).all()
    assert (sampled.drop(index=exact)["n_pairs"] == 200 * 199 // 2).all()
    assert (sampled.loc[GAMMAS, "n_pairs"] == 5000).all()
    assert (everything.drop(index=GAMMAS)["n_pairs"].dropna() == 600 * 599 // 2).all()
    assert np.allclose(sampled.loc[list(CENTROIDS), "value"], everything.loc[list(CENTROIDS), "value"], rtol=1e-12)
    for name in ("silhouette_original", "dunn_average_mean"):
        assert sampled.loc[name, "value"] == pytest.approx(everything.loc[name, "value"], rel=0.15)
    few = metrics.validity_report(X, labels, n_pairs=4000, random_state=1).set_index("index")
    assert few.loc["goodman_kruskal", "value"] == pytest.approx(everything.loc["goodman_kruskal", "value"], abs=0.05)


def test_one_cluster_or_clusters_of_one_have_no_value(points):
    for labels in (np.zeros(55, int), np.arange(55)):
        table = metrics.validity_report(points, labels).set_index("index")["value"]
        assert table[GAMMAS].isna().all()
    assert metrics.validity_report(points, np.zeros(55, int))["value"].isna().all()
    assert metrics.validity_report([[1.0]], [0])["value"].isna().all()


def test_wrong_limits_names_and_labels_are_refused(points, labels):
    for limit in (0, 1.5, True):
        with pytest.raises(ValueError, match=f"pairwise_limit={limit} is not allowed; pass a whole number, at least 1"):
            metrics.validity_report(points, labels, pairwise_limit=limit)
    with pytest.raises(ValueError, match="n_pairs=None is not allowed; pass a whole number, at least 1"):
        metrics.validity_report(points, labels, n_pairs=None)
    with pytest.raises(ValueError, match="names must differ from each other and from 'index'"):
        metrics.validity_report(points, {"better": labels})
    with pytest.raises(ValueError, match="X has 55 objects, but labels has 3"):
        metrics.validity_report(points, ["a", "b", "b"])
    with pytest.raises(ValueError, match="none of the 55 objects is labelled"):
        metrics.validity_report(points, {"a": np.r_[np.zeros(5), np.full(50, -1)], "b": np.r_[[-1] * 5, np.zeros(50)]})


def test_a_sample_loses_no_cluster(rng):
    X = np.vstack(
        [rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) + [9, 0], rng.normal(size=(3, 2)) / 10 + [4, 9]]
    )
    labels = np.repeat([0, 1, 2], [400, 400, 3])
    everything = metrics.validity_report(X, labels, pairwise_limit=None).set_index("index")["value"]
    for seed in range(5):
        found = metrics.validity_report(X, labels, pairwise_limit=50, random_state=seed).set_index("index")["value"]
        assert found["silhouette_original"] == pytest.approx(everything["silhouette_original"], rel=0.1)
        assert found["dunn_centroid_mean"] == pytest.approx(everything["dunn_centroid_mean"], rel=0.5)


def test_gamma_leaves_out_pairs_that_are_tied_in_both():
    X, labels = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.5]]), [0, 0, 0, 1, 1, 0]
    found = metrics.validity_report(X, labels).set_index("index")["value"]
    i, j = np.triu_indices(6, 1)
    distance, apart = np.abs(X[i, 0] - X[j, 0]), (np.array(labels)[i] != np.array(labels)[j]).astype(float)
    assert found["goodman_kruskal"] == metrics.goodman_kruskal_score(distance, apart, "neutral")
    assert found["goodman_kruskal"] != metrics.goodman_kruskal_score(distance, apart, "concordant")
    weighted = metrics.weighted_goodman_kruskal_score(distance, apart, "neutral")
    assert found["weighted_goodman_kruskal"] == pytest.approx(weighted, rel=1e-12)
