"""Ensembles of random projections and of random subsets of the features."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import LWGP, ProjectionEnsemble
from partita.generation._base_clusterers import cluster_by_kmeans
from partita.generation._projection_ensemble import draw_projection, draw_subspace
from tests.generation.cases import blobs

every_kind = pytest.mark.parametrize("kind", ["projection", "subspace"])


def view_of(clustering):
    return clustering.place.args[0]


def test_projections_keep_squared_distances_on_average(rng):
    x = rng.standard_normal((1, 6))
    lengths = [(draw_projection(6, 3, np.random.default_rng(seed)).see(x) ** 2).sum() for seed in range(4000)]
    assert np.mean(lengths) == pytest.approx((x**2).sum(), rel=0.06)


def test_subspaces_are_different_features_all_equally_often():
    drawn = [draw_subspace(8, 3, np.random.default_rng(seed)).columns for seed in range(4000)]
    assert all(len(set(columns)) == 3 for columns in drawn)
    counts = np.bincount(np.concatenate(drawn), minlength=8)
    assert (abs(counts - 1500) < 5 * np.sqrt(1500)).all()


@every_kind
def test_each_clustering_is_k_means_of_its_own_view(kind, rng):
    F = rng.standard_normal((80, 6))
    generator = ProjectionEnsemble(4, (3, 6), kind=kind, n_components=2, random_state=0)
    X = generator.fit_transform(F)
    assert generator.manifest_["algorithm"].tolist() == [kind] * 4
    for column, clustering in zip(X.T, generator._clusterings, strict=True):
        view = view_of(clustering)
        seen = F @ view.matrix if kind == "projection" else F[:, view.columns]
        assert seen.shape == (80, 2)
        by_hand = cluster_by_kmeans(seen, [clustering.n_clusters], clustering.seed)[0].labels
        assert adjusted_rand_score(by_hand, column) == 1
    assert len({view_of(clustering)[0].tobytes() for clustering in generator._clusterings}) > 1


@every_kind
def test_sparse_features_give_the_same(kind, text):
    options = {"kind": kind, "n_components": 10, "random_state": 0}
    dense = ProjectionEnsemble(5, 4, **options)
    X = dense.fit_transform(text)
    of_sparse = ProjectionEnsemble(5, 4, **options)
    Z = of_sparse.fit_transform(sparse.csr_array(text))
    assert all(adjusted_rand_score(one, two) == 1 for one, two in zip(X.T, Z.T, strict=True))
    assert (of_sparse.transform(sparse.csr_array(text)) == Z).all()


@every_kind
def test_new_objects_and_those_that_were_not_seen_are_placed_by_the_view(kind, rng):
    F = rng.standard_normal((60, 5))
    generator = ProjectionEnsemble(4, 3, kind=kind, sample_fraction=0.6, random_state=0)
    X = generator.fit_transform(F)
    assert ((X >= 0).sum(axis=0) == 36).all()
    placed = generator.transform(F)
    assert (placed >= 0).all()
    assert (placed[X >= 0] == X[X >= 0]).all()
    assert (pickle.loads(pickle.dumps(generator)).transform(F) == placed).all()


@every_kind
def test_the_consensus_finds_clusters_that_no_view_has_to_show(kind):
    F, truth = blobs((60, 50, 40), n_features=8)
    X = ProjectionEnsemble(40, (3, 6), kind=kind, random_state=0).fit_transform(F)
    assert adjusted_rand_score(truth, LWGP(3, random_state=0).fit_predict(X)) > 0.95


@every_kind
def test_threads_change_nothing_and_float32_stays(kind, rng):
    F = rng.standard_normal((200, 7)).astype(np.float32)
    one = ProjectionEnsemble(6, 4, kind=kind, random_state=0)
    X = one.fit_transform(F)
    assert view_of(one._clusterings[0]).see(F).dtype == np.float32
    for n_jobs in (2, 4):
        assert (ProjectionEnsemble(6, 4, kind=kind, random_state=0, n_jobs=n_jobs).fit_transform(F) == X).all()
    assert not np.array_equal(ProjectionEnsemble(6, 4, kind=kind, random_state=1).fit_transform(F), X)


@pytest.mark.parametrize(("kind", "d", "expected"), [("projection", 64, 8), ("projection", 2, 2), ("subspace", 5, 3)])
def test_default_dimensions(kind, d, expected, rng):
    generator = ProjectionEnsemble(1, 2, kind=kind, random_state=0).fit(rng.standard_normal((20, d)))
    view = view_of(generator._clusterings[0])
    assert view.see(rng.standard_normal((4, d))).shape == (4, expected)


@every_kind
def test_wrong_parameters_are_refused(kind, rng):
    F = rng.standard_normal((20, 3))
    with pytest.raises(ValueError, match="n_components=4 exceeds the 3 features; pass at most 3"):
        ProjectionEnsemble(2, 2, kind=kind, n_components=4).fit(F)
    with pytest.raises(ValueError, match="'kind' parameter"):
        ProjectionEnsemble(2, 2, kind="cut").fit(F)


@parametrize_with_checks([ProjectionEnsemble(5, kind=kind, random_state=0) for kind in ("projection", "subspace")])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
def test_objects_far_from_the_origin_are_placed_where_they_were(rng, offset):
    F = rng.standard_normal((200, 3)) + offset
    ensemble = ProjectionEnsemble(5, 4, random_state=0)
    np.testing.assert_array_equal(ensemble.fit_transform(F), ensemble.transform(F))
