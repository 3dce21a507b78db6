"""Weak clusterings: lines and hyperplanes."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import LWGP, WeakEnsemble
from partita.generation._weak_ensemble import draw_hyperplane
from tests.generation.cases import blobs

every_kind = pytest.mark.parametrize("kind", ["line", "hyperplanes"])


def planes_of(generator, place):
    return generator._clusterings[place].place.args[0]


def test_cells_are_the_sides_of_all_hyperplanes(rng):
    F = rng.standard_normal((300, 3))
    generator = WeakEnsemble(5, kind="hyperplanes", n_hyperplanes=4, random_state=0)
    X = generator.fit_transform(F)
    for place, column in enumerate(X.T):
        planes = planes_of(generator, place)
        assert len(planes) == 4
        sides = np.column_stack([F @ plane.normal > plane.offset for plane in planes])
        expected = np.unique(sides, axis=0, return_inverse=True)[1].ravel()
        assert adjusted_rand_score(expected, column) == 1
        assert column.max() + 1 == expected.max() + 1 <= 16
    assert generator.manifest_["n_clusters"].isna().all()
    assert (generator.manifest_["n_iter"] == 4).all()


def test_hyperplanes_are_added_until_there_are_enough_cells(rng):
    F = rng.standard_normal((300, 2))
    generator = WeakEnsemble(8, (2, 9), kind="hyperplanes", random_state=0).fit(F)
    manifest = generator.manifest_
    assert (manifest["n_found"] >= manifest["n_clusters"]).all()
    for place, asked in enumerate(manifest["n_clusters"]):
        before = planes_of(generator, place)[:-1]
        sides = np.column_stack([np.zeros(300)] + [F @ plane.normal > plane.offset for plane in before])
        assert len(np.unique(sides, axis=0)) < asked


def test_a_hyperplane_always_separates_objects_and_leaves_whole_what_it_does_not_cut():
    F = np.array([[0.0], [0.1], [10.0], [10.1]])
    cells = np.array([0, 0, 1, 1])
    for seed in range(50):
        plane, after = draw_hyperplane(F, cells, np.random.default_rng(seed))
        above = F @ plane.normal > plane.offset
        assert 0 < above.sum() < 4
        assert sorted(set(after)) == list(range(after.max() + 1))
        assert plane.becomes.shape == (2, 2)
        assert set(plane.becomes.ravel()) == set(after)


def test_every_new_object_falls_into_a_cell_with_objects(rng):
    F = rng.standard_normal((40, 2))
    generator = WeakEnsemble(20, kind="hyperplanes", n_hyperplanes=6, random_state=0)
    X = generator.fit_transform(F)
    placed = generator.transform(rng.uniform(-20, 20, (500, 2)))
    assert (placed >= 0).all()
    assert (placed <= X.max(axis=0)).all()


def test_lines_are_k_means_in_one_dimension(rng):
    F = rng.standard_normal((100, 4))
    generator = WeakEnsemble(4, 3, random_state=0)
    X = generator.fit_transform(F)
    for column, clustering in zip(X.T, generator._clusterings, strict=True):
        along = F @ clustering.place.args[0].matrix
        assert along.shape == (100, 1)
        by_hand = KMeans(3, init="random", n_init=1, max_iter=1000, random_state=clustering.seed).fit(along)
        assert adjusted_rand_score(by_hand.labels_, column) == 1
        order = np.argsort(along.ravel())
        assert (np.diff(column[order]) != 0).sum() == 2  # intervals of the line


@every_kind
def test_the_consensus_of_weak_clusterings_is_strong(kind):
    F, truth = blobs((60, 50, 40), n_features=3)
    X = WeakEnsemble(150, (2, 6), kind=kind, random_state=0).fit_transform(F)
    alone = np.mean([adjusted_rand_score(truth, column) for column in X.T])
    together = adjusted_rand_score(truth, LWGP(3, random_state=0).fit_predict(X))
    assert alone < 0.8
    assert together > 0.95


@every_kind
def test_samples_new_objects_sparse_features_threads_and_pickles(kind, rng):
    F = rng.standard_normal((60, 5)) * (rng.random((60, 5)) < 0.7)
    options = {"kind": kind, "sample_fraction": 0.6, "random_state": 0}
    generator = WeakEnsemble(5, 4, **options)
    X = generator.fit_transform(F)
    assert ((X >= 0).sum(axis=0) == 36).all()
    placed = generator.transform(F)
    assert (placed >= 0).all()
    assert (placed[X >= 0] == X[X >= 0]).all()
    assert (pickle.loads(pickle.dumps(generator)).transform(F) == placed).all()
    for n_jobs in (2, 4):
        assert (WeakEnsemble(5, 4, **options, n_jobs=n_jobs).fit_transform(F) == X).all()
    Z = WeakEnsemble(5, 4, **options).fit_transform(sparse.csr_array(F))
    assert all(adjusted_rand_score(one, two) == 1 for one, two in zip(X.T, Z.T, strict=True))
    assert not np.array_equal(WeakEnsemble(5, 4, kind=kind, random_state=1).fit_transform(F), X)


def test_fewer_different_objects_than_cells():
    F = np.repeat([[0.0], [1.0]], 5, axis=0)
    generator = WeakEnsemble(3, 4, kind="hyperplanes", random_state=0)
    assert (generator.fit_transform(F).max(axis=0) == 1).all()
    assert (generator.manifest_["n_iter"] == 40).all()


def test_float32_is_compared_in_float32(rng):
    F = rng.standard_normal((200, 3)).astype(np.float32)
    generator = WeakEnsemble(6, 5, kind="hyperplanes", random_state=0)
    assert (generator.fit_transform(F) == generator.transform(F)).all()
    assert planes_of(generator, 0)[0].normal.dtype == np.float32


def test_wrong_parameters_are_refused(rng):
    F = rng.standard_normal((20, 3))
    with pytest.raises(ValueError, match="n_hyperplanes=3 is for kind='hyperplanes', not 'line'; leave it out"):
        WeakEnsemble(2, 2, n_hyperplanes=3).fit(F)
    with pytest.raises(ValueError, match="'kind' parameter"):
        WeakEnsemble(2, 2, kind="planes").fit(F)


@parametrize_with_checks([WeakEnsemble(5, kind=kind, random_state=0) for kind in ("line", "hyperplanes")])
def test_scikit_learn(estimator, check):
    check(estimator)
