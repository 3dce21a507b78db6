"""What CSPA, HGPA, MCLA and HBGF have in common: what they find, balance, weights, and their parameters."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import CSPA, HBGF, HGPA, MCLA
from partita.exceptions import FewerClustersWarning, PartitionerWarning
from tests.ensembles import noisy_ensemble, same_partition

METHODS = [CSPA, HGPA, MCLA, HBGF]
BY_NAME = [
    (CSPA, "metis"), (CSPA, "spectral"), (MCLA, "metis"), (MCLA, "spectral"), (HBGF, "metis"), (HBGF, "spectral"),
    (HGPA, "kahypar"), (HGPA, "clique"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_unanimous_clusterings_are_recovered(method):
    X, truth = noisy_ensemble(sizes=(40, 20, 12, 6), flip=0, missing=0.3)
    model = method(4, random_state=0).fit(np.column_stack([X, truth]))
    assert same_partition(model.labels_, truth)
    assert np.bincount(model.labels_).tolist() == [40, 20, 12, 6]


@pytest.mark.parametrize(("method", "partitioner"), BY_NAME)
def test_every_partitioner_recovers_unanimous_clusters_of_like_sizes(method, partitioner):
    X, truth = noisy_ensemble(sizes=(24, 20, 18), flip=0, missing=0.3)
    model = method(3, partitioner=partitioner, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    assert model.partitioner_ == partitioner
    assert model.n_clusters_ == 3


@pytest.mark.parametrize("method", METHODS)
def test_unbalanced_clusters_are_recovered_with_the_defaults(method):
    X, truth = noisy_ensemble(sizes=(2000, 300, 60), n_clusterings=20, flip=0.1, missing=0.3)
    model = method(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95


@pytest.mark.parametrize(("method", "partitioner"), [(CSPA, "metis"), (HBGF, "metis"), (HGPA, "kahypar")])
def test_a_strict_imbalance_gives_balanced_clusters(method, partitioner):
    X, _ = noisy_ensemble(sizes=(150, 30, 20), n_clusterings=20)
    model = method(4, partitioner=partitioner, imbalance=0.05, random_state=0).fit(X)
    sizes = np.bincount(model.labels_)
    assert len(sizes) == 4
    assert sizes.max() <= np.ceil(1.05 * 50)


@pytest.mark.parametrize("method", [HBGF, MCLA])
def test_many_objects_with_few_distinct_rows(method):
    X, truth = noisy_ensemble(sizes=(100, 60, 40), n_clusterings=20, missing=0.3)
    labels = method(3, random_state=0).fit(np.tile(X, (500, 1))).labels_
    assert adjusted_rand_score(np.tile(truth, 500), labels) > 0.95


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_labels(method):
    X = noisy_ensemble(flip=0.5, missing=0.3).X
    assert np.array_equal(*(method(4, random_state=7).fit(X).labels_ for _ in range(2)))


@pytest.mark.parametrize("method", METHODS)
def test_copies_and_sample_weights_are_the_same(method, rng):
    X = np.unique(noisy_ensemble(missing=0.2).X, axis=0)
    row_weights = rng.integers(1, 4, len(X))
    weighted = method(3, random_state=0).fit(X, sample_weight=row_weights).labels_
    copied = method(3, random_state=0).fit(np.repeat(X, row_weights, axis=0)).labels_
    assert same_partition(np.repeat(weighted, row_weights), copied)


@pytest.mark.parametrize(("method", "partitioner"), BY_NAME)
@pytest.mark.parametrize("scale", [1e-300, 1e160, 1e300])
def test_the_scale_of_weights_does_not_matter(method, partitioner, scale, rng):
    X = noisy_ensemble(sizes=(24, 20, 18), n_clusterings=4, flip=0.3, missing=0.1).X
    objects, clusterings = rng.integers(1, 4, len(X)).astype(float), np.array([1.0, 2.0, 1.0, 3.0])
    make = lambda weights: method(3, partitioner=partitioner, weights=weights, random_state=0)  # noqa: E731
    plain = make(clusterings).fit(X, sample_weight=objects).labels_
    assert same_partition(plain, make(scale * clusterings).fit(X, sample_weight=scale * objects).labels_)


@pytest.mark.parametrize(("method", "partitioner"), BY_NAME)
def test_weights_of_every_magnitude_at_once(method, partitioner, rng):
    X = noisy_ensemble(sizes=(24, 20, 18), n_clusterings=6).X
    weight = 10.0 ** rng.uniform(-300, 300, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitionerWarning)  # no partition of such weights is balanced
        warnings.simplefilter("ignore", FewerClustersWarning)
        model = method(3, partitioner=partitioner, weights=10.0 ** rng.uniform(-300, 300, 6), random_state=0)
        labels = model.fit(X, sample_weight=weight).labels_
    assert (labels >= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_fewer_clusters_than_asked_are_never_silent(method):
    X = np.repeat([[0, 0], [1, 1], [2, 2]], 5, axis=0)
    with pytest.warns(FewerClustersWarning, match="n_clusters=5 exceeds the 3 distinct rows"):
        assert method(5, random_state=0).fit(X).n_clusters_ == 3


def test_meta_clusters_without_objects_are_never_silent(rng):
    X = rng.integers(8, size=(40, 8))
    with pytest.warns(FewerClustersWarning, match="25 clusters were asked for, and MCLA found"):
        assert MCLA(25, random_state=0).fit(X).n_clusters_ < 25


@pytest.mark.parametrize("method", METHODS)
def test_objects_without_weight_join_their_cluster(method):
    X, truth = noisy_ensemble(missing=0.2)
    weight = np.ones(len(X))
    weight[::5] = 0
    assert same_partition(method(3, random_state=0).fit(X, sample_weight=weight).labels_, truth)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_partition_is_recorded(method):
    X = noisy_ensemble().X
    model = method(1).fit(X)
    assert (model.partitioner_, model.n_clusters_) == ("none", 1)
    assert not model.labels_.any()


@pytest.mark.parametrize(
    ("method", "bad"),
    [
        (CSPA, {"partitioner": "kahypar"}),
        (HGPA, {"partitioner": "metis"}),
        (MCLA, {"imbalance": -0.1}),
        (HBGF, {"n_clusters": 0}),
        (CSPA, {"pairs": "some"}),
    ],
)
def test_a_wrong_parameter_is_named(method, bad, X):
    with pytest.raises(ValueError, match=next(iter(bad))):
        method(**bad).fit(X)


@pytest.mark.parametrize("method", METHODS)
def test_a_new_object_joins_the_cluster_with_the_largest_share_of_its_labels(method):
    X, truth = noisy_ensemble(missing=0.2)
    model = method(3, random_state=0).fit(X[::2])
    new = np.vstack([X[1::2], np.full(X.shape[1], -1)])
    found = model.predict(new)
    assert same_partition(found[:-1], truth[1::2])
    assert found[-1] == -1
    i = 7
    votes = np.zeros(3)
    for j in np.flatnonzero(new[i] >= 0):
        with_label = X[::2][:, j] == new[i, j]
        votes += np.bincount(model.labels_[with_label], minlength=3) / with_label.sum()
    assert found[i] == votes.argmax()


@pytest.mark.parametrize("method", METHODS)
def test_verbose_changes_nothing(method, X):
    assert np.array_equal(*(method(3, random_state=0, verbose=verbose).fit(X).labels_ for verbose in (False, True)))
