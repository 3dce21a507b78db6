"""Stability under resampled clusterings: similarities by a plain loop, known cases, threads, words, methods."""

import numpy as np
import pandas as pd
import pytest

from partita import EAC, GBCE, LWGP, NBCE, PCC, ConsensusResult, combine
from partita.results._stability import (
    Refits,
    _about_the_clusters,
    _about_the_number,
    _middle,
    best_jaccard,
    most_similar,
    plan_refits,
    share_that_stays,
)
from tests.ensembles import noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")
DATA = noisy_ensemble(n_clusterings=8)


def test_similarities_by_a_plain_loop(rng):
    labels, again = rng.integers(-1, 4, size=80), rng.integers(-1, 3, size=80)
    expected = []
    for q in range(5):  # cluster 4 has no object
        both = (labels >= 0) & (again >= 0)
        sets = [set(np.flatnonzero(both & (again == r))) for r in range(3)]
        own = set(np.flatnonzero(both & (labels == q)))
        expected.append(max(len(own & other) / max(len(own | other), 1) for other in sets))
    assert np.allclose(best_jaccard(labels, again, 5), expected)


def test_clear_clusters_are_always_found_again():
    X = np.repeat(np.repeat([[0], [1], [2]], 20, axis=0), 6, axis=1)
    X[:6, 0] = 2
    found = combine(X, n_clusters=3, random_state=0).stability(10)
    assert (found.clusters["stability"] == 1).all()
    assert (found.clusters["recovered"] == 1).all()
    assert found.n_objects == 60
    assert found.n_resamples == 10
    again = "every cluster is found again (similarity of at least 0.75) in all resamples."
    assert found.words[1] == f"At 3 clusters, {again}"


def test_a_cluster_that_is_not_there_is_told():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((90, 8)) < 0.15, rng.integers(2, size=(90, 8)), np.repeat([0, 1], [50, 40])[:, None])
    invented = np.repeat([0, 1, 2], [50, 20, 20])  # cuts the second cluster at random
    found = ConsensusResult.from_labels(X, invented).stability(12)
    assert found.clusters["stability"][0] > 0.9
    assert (found.clusters["stability"][1:] < 0.75).all()
    assert "clusters 1, 2 are found again (similarity of at least 0.75) in less than 90% of" in " ".join(found.words)


def test_threads_do_not_change_anything_and_seeds_do():
    result = combine(DATA.X, n_clusters=3, random_state=0)
    one, two = result.stability(6), result.stability(6, n_jobs=2)
    assert one.clusters.equals(two.clusters)
    assert one.numbers.equals(two.numbers)
    assert not one.clusters.equals(result.stability(6, random_state=5).clusters)


@pytest.mark.parametrize(
    ("numbers", "interval"), [([3] * 20, (3, 3)), ([2, *[3] * 18, 9], (3, 3)), ([2, 3, 3, 4], (2, 4))]
)
def test_the_interval_leaves_out_a_twentieth_on_each_side(numbers, interval):
    assert _middle(np.array(numbers)) == interval


def test_the_method_itself_is_run_again():
    refits = plan_refits(EAC(threshold=0.6, linkage="single"), 4, 500)
    assert (refits.clusters.n_clusters, refits.clusters.threshold, refits.clusters.linkage) == (4, None, "single")
    assert (refits.number.n_clusters, refits.number.threshold) == (None, 0.6)
    refits = plan_refits(PCC(8), 3, 500)
    assert isinstance(refits.clusters, PCC)
    assert refits.clusters.n_clusters == 3
    assert isinstance(refits.number, LWGP)
    assert [plan_refits(PCC(8), k, n).number.max_clusters for k, n in [(3, 500), (9, 500), (9, 50)]] == [10, 18, 7]
    assert plan_refits(LWGP(), 3, 500).number.max_clusters == 10
    assert plan_refits(LWGP(max_clusters=30), 3, 500).number.max_clusters == 30
    assert plan_refits(NBCE(), 3, 500).number is None
    assert isinstance(plan_refits(GBCE(3), 3, 500).clusters, LWGP)


@pytest.mark.parametrize("model", [EAC(), EAC(threshold=0.5), LWGP(max_clusters=5, random_state=0)])
def test_methods_that_find_the_number(model):
    found = ConsensusResult.from_estimator(model.fit(DATA.X)).stability(4)
    assert found.numbers["share"].sum() == pytest.approx(1)
    assert len(found.clusters) == model.n_clusters_


def test_few_clusterings_are_told():
    X = np.where(DATA.X < 0, 0, DATA.X)
    assert "one clustering only" in " ".join(combine(X[:, :1], n_clusters=3).stability(2).words)
    assert "only 3 clusterings" in " ".join(combine(X[:, :3], n_clusters=3).stability(2).words)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "x"])
def test_numbers_of_resamples_that_are_none(wrong):
    with pytest.raises(ValueError, match="n_resamples"):
        combine(DATA.X, n_clusters=3).stability(wrong)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({3: 1.0}, "The number of clusters is 3 in all 30 resamples of the clusterings."),
        (
            {2: 1.0},
            "The number of clusters is 2 in all 30 resamples of the clusterings, and never 3. A resample has fewer "
            "different clusterings than there are, and can lead to fewer clusters.",
        ),
        ({3: 29 / 30, 4: 1 / 30}, "The number of clusters is 3 in 97% of 30 resamples of the clusterings."),
        (
            {2: 0.4, 3: 0.6},
            "The number of clusters is from 2 to 3 in 100% of 30 resamples of the clusterings, and 3 in 60%.",
        ),
    ],
)
def test_words_on_the_number_are_true(found, words):
    table = pd.DataFrame({"n_clusters": list(found), "share": list(found.values())})
    numbers = np.repeat(list(found), np.rint(30 * np.array(list(found.values()))).astype(int))
    assert _about_the_number(table, _middle(numbers), Refits(None, None, "NBCE"), 3, 30) == words


def test_words_on_the_clusters_are_those_of_the_table():
    table = pd.DataFrame(
        {
            "cluster": [0, 1, 2],
            "stability": [0.99, 0.8, 0.9],
            "recovered": [1.0, 0.6, 0.95],
            "dissolved": [0, 0.33, 0.05],
        }
    )
    assert _about_the_clusters(table, Refits(None, None, "LWGP")) == [
        "At 3 clusters, cluster 1 is found again (similarity of at least 0.75) in less than 90% of the resamples; the "
        "least stable one, cluster 1, is found again in 60% and dissolves (similarity of at most 0.5) in 33%."
    ]


def test_words_name_the_method_that_stands_for_another():
    found = ConsensusResult.from_labels(DATA.X, DATA.truth).stability(3)
    assert found.words[1].startswith("At 3 clusters, found by LWGP, ")


def test_intervals_of_clusters_and_objects_that_stay():
    result = combine(DATA.X, n_clusters=3, random_state=0)
    found = result.stability(12)
    clusters = found.clusters
    assert (clusters["low"] <= clusters["stability"]).all()
    assert (clusters["stability"] <= clusters["high"]).all()
    assert found.objects["object"].tolist() == list(range(62))
    assert found.objects["cluster"].tolist() == result.labels.tolist()
    sure = result.confidence >= np.median(result.confidence)
    assert found.objects["stays"][sure].mean() >= found.objects["stays"][~sure].mean()


def test_objects_that_stay_by_a_plain_loop(rng):
    labels = rng.integers(3, size=40)
    resamples = [rng.integers(-1, 4, size=40) for _ in range(5)]
    matched = [most_similar(labels, again, 3)[1] for again in resamples]
    found = share_that_stays(labels, resamples, matched)
    for i in range(40):
        known = [(again, which) for again, which in zip(resamples, matched, strict=True) if again[i] >= 0]
        expected = np.mean([again[i] == which[labels[i]] for again, which in known]) if known else np.nan
        assert found[i] == pytest.approx(expected, nan_ok=True)
