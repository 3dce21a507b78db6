"""Ensembles of one embedding by anchors."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import USENC, AnchorEnsemble, ConsensusClustering
from partita.generation import _anchor_ensemble
from partita.generation._anchor_graph import cluster_embedded, make_graph


@pytest.mark.parametrize("data", [make_moons, make_circles])
def test_the_consensus_finds_clusters_of_any_shape(data):
    options = {"noise": 0.05, "random_state": 0} | ({"factor": 0.5} if data is make_circles else {})
    F, truth = data(1000, **options)
    X = AnchorEnsemble(15, (2, 20), random_state=0).fit_transform(F)
    assert adjusted_rand_score(truth, USENC(2, random_state=0).fit_predict(X)) > 0.97


def test_all_clusterings_share_one_graph(rng, monkeypatch):
    made = []
    monkeypatch.setattr(_anchor_ensemble, "make_graph", lambda *given: made.append(make_graph(*given)) or made[-1])
    generator = AnchorEnsemble(6, (3, 8), random_state=0)
    X = generator.fit_transform(rng.standard_normal((300, 2)))
    assert len(made) == 1
    graph, links = made[0]
    vectors = _anchor_ensemble.left_vectors(graph, links, generator.manifest_["n_clusters"].max())
    for column, (k, seed) in zip(X.T, generator.manifest_[["n_clusters", "seed"]].to_numpy(), strict=True):
        assert (cluster_embedded(graph, links, vectors[:, :k], k, seed).labels == column).all()


@pytest.mark.parametrize(
    ("n", "numbers", "expected"),
    [
        (10**6, [10, 50], 2048),
        (10**6, [2, 50], 1024),
        (10**5, [10, 50], 1000),
        (100, [10], 20),
        (100, [30], 32),
        (3, [3], 3),
    ],
)
def test_anchors_are_a_power_of_two_below_the_root_of_n_times_k_or_a_fifth_of_few_objects(n, numbers, expected):
    assert AnchorEnsemble()._count_anchors(n, numbers) == expected


def test_the_fitted_objects_are_placed_at_their_labels_alone_or_together(rng):
    F = rng.standard_normal((400, 2))
    generator = AnchorEnsemble(4, random_state=0)
    X = generator.fit_transform(F)
    assert (generator.transform(F) == X).all()
    assert (generator.transform(F[7:8]) == X[7:8]).all()
    assert (pickle.loads(pickle.dumps(generator)).transform(F) == X).all()


def test_the_seed_decides_and_threads_change_nothing(rng):
    F = rng.standard_normal((700, 4))
    one = AnchorEnsemble(5, random_state=3).fit_transform(F)
    for n_jobs in (1, 2, 4):
        assert (AnchorEnsemble(5, random_state=3, n_jobs=n_jobs).fit_transform(F) == one).all()
    assert not np.array_equal(AnchorEnsemble(5, random_state=4).fit_transform(F), one)
    assert AnchorEnsemble(5, random_state=3).fit_transform(F.astype(np.float32)).shape == one.shape


def test_wrong_parameters_are_refused_before_any_work(rng, monkeypatch):
    monkeypatch.setattr(_anchor_ensemble, "make_graph", None)
    F = rng.standard_normal((100, 2))
    with pytest.raises(ValueError, match="n_clusters=30 exceeds n_anchors=20; pass smaller numbers"):
        AnchorEnsemble(2, 30, n_anchors=20).fit(F)
    with pytest.raises(ValueError, match="'n_anchors' parameter"):
        AnchorEnsemble(2, n_anchors=0).fit(F)


def test_a_consensus_of_it_in_one_call():
    F, truth = make_moons(600, noise=0.05, random_state=0)
    model = ConsensusClustering(AnchorEnsemble(15, (2, 20)), n_clusters=2, random_state=0).fit(F)
    assert adjusted_rand_score(truth, model.labels_) > 0.97


@parametrize_with_checks([AnchorEnsemble(n_clusterings=3, random_state=0)])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_too_many_clusters_are_refused_without_advice_that_it_has_not(rng):
    with pytest.raises(ValueError, match=r"n_clusters=100 exceeds the 60 objects .*; pass smaller numbers\.$"):
        AnchorEnsemble(5, n_clusters=100).fit(rng.standard_normal((60, 2)))
