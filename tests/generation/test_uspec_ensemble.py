"""U-SPEC ensembles."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import LWGP, USENC, ConsensusClustering, USpecEnsemble
from partita.exceptions import NotEnoughMemoryError, SkippedClusteringWarning
from partita.generation import _uspec_ensemble
from tests.generation.cases import blobs

SHAPES = {
    "moons": make_moons(600, noise=0.08, random_state=0),
    "circles": make_circles(600, noise=0.05, factor=0.5, random_state=0),
}


@pytest.mark.parametrize("consensus", [USENC, LWGP])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_consensus_finds_clusters_of_any_shape(shape, consensus):
    F, truth = SHAPES[shape]
    for seed in range(3):
        X = USpecEnsemble(10, random_state=seed).fit_transform(F)
        assert adjusted_rand_score(truth, consensus(2, random_state=0).fit_predict(X)) > 0.97


def test_each_clustering_has_its_own_number_representatives_and_sample(rng):
    F = rng.standard_normal((500, 3))
    generator = USpecEnsemble(6, (5, 9), n_representatives=60, sample_fraction=0.5, random_state=0)
    X = generator.fit_transform(F)
    manifest = generator.manifest_
    assert manifest["n_clusters"].between(5, 9).all()
    assert manifest["n_clusters"].nunique() > 1
    assert (manifest["n_sampled"] == 250).all()
    assert ((X >= 0).sum(axis=0) == 250).all()
    assert (X.max(axis=0) + 1 == manifest["n_found"]).all()
    assert generator.get_feature_names_out().tolist() == manifest["name"].tolist()
    points = [clustering.place.__self__.graph.representatives.points for clustering in generator._clusterings]
    assert {len(one) for one in points} == {60}
    assert not np.array_equal(points[0], points[1])
    placed = generator.transform(F)
    assert (placed >= 0).all()
    assert (placed[X >= 0] == X[X >= 0]).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_fitted_objects_are_placed_at_their_labels_alone_or_together(dtype, rng):
    F = rng.standard_normal((400, 2)).astype(dtype)
    generator = USpecEnsemble(4, random_state=0)
    X = generator.fit_transform(F)
    assert (generator.transform(F) == X).all()
    assert (generator.transform(F[7:8]) == X[7:8]).all()


def test_the_seed_decides_and_threads_change_nothing(rng):
    F = rng.standard_normal((700, 4))
    one = USpecEnsemble(5, random_state=3).fit_transform(F)
    for n_jobs in (1, 2, 4):
        assert (USpecEnsemble(5, random_state=3, n_jobs=n_jobs).fit_transform(F) == one).all()
    assert not np.array_equal(USpecEnsemble(5, random_state=4).fit_transform(F), one)


def test_float32_finds_the_same_clear_clusters():
    F, truth = blobs((60, 50, 40))
    X = USpecEnsemble(3, 3, random_state=0).fit_transform(F.astype(np.float32))
    assert all(adjusted_rand_score(truth, column) == 1 for column in X.T)


@pytest.mark.parametrize(("n", "k", "expected"), [(20_000, 60, 1000), (600, 20, 120), (30, 5, 6), (12, 5, 5)])
def test_representatives_are_a_fifth_of_the_objects_and_a_thousand_at_most(n, k, expected):
    assert USpecEnsemble()._n_points(n, k) == expected
    assert USpecEnsemble(n_representatives=10**6)._n_points(n, k) == n


def test_auto_numbers_of_clusters_are_those_of_the_paper_where_there_are_many_objects():
    tasks = USpecEnsemble(500, random_state=0)._tasks(10_000, 10_000)
    numbers = [task.n_clusters[0] for task in tasks]
    assert (min(numbers), max(numbers)) == (20, 60)


def test_shifts_and_scales_of_all_features_change_nothing(rng):
    F = rng.standard_normal((300, 2))
    one = USpecEnsemble(3, 5, random_state=0).fit_transform(F)
    two = USpecEnsemble(3, 5, random_state=0).fit_transform(1024 * F)
    assert (one == two).all()


def test_fewer_different_objects_than_clusters():
    F = np.repeat([[0.0], [1.0], [5.0]], 10, axis=0)
    generator = USpecEnsemble(3, 5, random_state=0)
    X = generator.fit_transform(F)
    assert (X.max(axis=0) <= 2).all()
    assert all(len(set(map(tuple, X[lo : lo + 10]))) == 1 for lo in (0, 10, 20))


def test_wrong_parameters_are_refused_before_any_work(rng, monkeypatch):
    F = rng.standard_normal((100, 2))
    monkeypatch.setattr(_uspec_ensemble, "make_graph", None)
    with pytest.raises(ValueError, match="n_clusters=30 exceeds n_representatives=20; pass smaller numbers"):
        USpecEnsemble(2, 30, n_representatives=20).fit(F)
    with pytest.raises(ValueError, match="n_clusters=101 exceeds the 100 objects"):
        USpecEnsemble(2, 101).fit(F)
    with pytest.raises(ValueError, match="'n_neighbours' parameter"):
        USpecEnsemble(2, n_neighbours=0).fit(F)
    with pytest.raises(ValueError, match="'n_representatives' parameter"):
        USpecEnsemble(2, n_representatives="many").fit(F)


def test_more_representatives_than_memory_holds_are_refused(rng, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    with pytest.raises(NotEnoughMemoryError, match=r"pairs of 900 representatives, and 5 links .* n_representatives"):
        USpecEnsemble(2, 5, n_representatives=900).fit(rng.standard_normal((1000, 2)))


def test_a_clustering_that_fails_is_noted(rng, monkeypatch):
    cut, calls = _uspec_ensemble.cut_graph, []

    def fails_once(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise np.linalg.LinAlgError("no eigenvalues")
        return cut(*arguments)

    monkeypatch.setattr(_uspec_ensemble, "cut_graph", fails_once)
    generator = USpecEnsemble(3, 4, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="1 of 3 clusterings were left out"):
        X = generator.fit_transform(rng.standard_normal((100, 2)))
    assert X.shape == (100, 2)
    assert generator.manifest_["status"].tolist() == ["ok", "failed", "ok"]
    assert generator.manifest_["message"][1] == "LinAlgError: no eigenvalues"


def test_a_fitted_generator_keeps_no_objects_and_can_be_pickled(rng):
    F = rng.standard_normal((3000, 2))
    generator = USpecEnsemble(2, 5, n_representatives=20, random_state=0)
    X = generator.fit_transform(F)
    stored = pickle.dumps(generator)
    assert len(stored) < 100_000
    assert (pickle.loads(stored).transform(F) == X).all()


def test_a_consensus_of_it_in_one_call():
    F, truth = SHAPES["moons"]
    model = ConsensusClustering(USpecEnsemble(10), n_clusters=2, random_state=0).fit(F)
    assert type(model.base_) is USpecEnsemble
    assert adjusted_rand_score(truth, model.labels_) > 0.97
    assert (model.predict(F) == model.labels_).mean() > 0.99


@parametrize_with_checks([USpecEnsemble(n_clusterings=3, random_state=0)])
def test_scikit_learn(estimator, check):
    check(estimator)
