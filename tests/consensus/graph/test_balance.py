"""Balance where it is asked for: rows of equal labels are divided, into whole objects and only where needed."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partita import CSPA, HBGF, HGPA, KMeansEnsemble, SoftCSPA, SoftHBGF
from partita._optional import available
from partita.consensus.graph import _balance as module
from partita.consensus.graph._graph_partition import GraphPartition, PartitionerSettings
from partita.exceptions import PartitionerWarning
from tests.ensembles import noisy_ensemble, same_partition

pytestmark = pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")

STRICT = [(CSPA, "metis"), (HBGF, "metis"), (HGPA, "kahypar"), (SoftCSPA, "metis"), (SoftHBGF, "metis")]
strict = pytest.mark.parametrize(("method", "partitioner"), STRICT)


@pytest.fixture(scope="module")
def iris():
    """The recipe "bce": 20 k-means with three clusters. There are some ten distinct rows, the largest of 57 objects."""
    X = KMeansEnsemble(20, 3, random_state=0).fit_transform(load_iris().data)
    assert np.unique(X, axis=0, return_counts=True)[1].max() > 50
    return X


def opened(X, sample_weight, n_clusters=3):
    """Rows as a method sees them."""
    from partita._labels.validation import check_label_matrix

    return CSPA(n_clusters)._open(check_label_matrix(X), sample_weight)


@strict
def test_few_distinct_rows_are_balanced_like_their_objects(method, partitioner, iris):
    model = method(3, partitioner=partitioner, imbalance=0.05, random_state=0).fit(iris)
    sizes = np.bincount(model.labels_)
    assert model.partitioner_ == partitioner
    assert len(sizes) == 3
    assert sizes.max() <= 1.05 * 50 + 1


@strict
def test_rows_stay_whole_where_the_imbalance_allows_it(method, partitioner, iris):
    labels = method(3, partitioner=partitioner, imbalance=0.3, random_state=0).fit(iris).labels_
    assert len(np.unique(labels)) == 3
    assert len(np.unique(np.column_stack([iris, labels]), axis=0)) == len(np.unique(iris, axis=0))


@strict
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_balance_does_not_depend_on_the_scale_of_weights(method, partitioner, scale, iris):
    make = lambda **more: method(3, partitioner=partitioner, imbalance=0.05, random_state=0, **more)  # noqa: E731
    weight = 1.0 + np.arange(150) % 2
    plain = make(weights=np.ones(20)).fit(iris, sample_weight=weight).labels_
    scaled = make(weights=np.full(20, scale)).fit(iris, sample_weight=scale * weight).labels_
    assert same_partition(plain, scaled)


def test_a_row_is_divided_into_whole_objects_of_about_equal_weight():
    X = np.repeat([[0, 0], [1, 1], [0, 1]], [6, 3, 1], axis=0)
    weight = np.array([1.0, 1, 1, 1, 1, 1, 5, 0, 1, 2])
    rows = opened(X, weight)
    pieces = np.array([{6.0: 3, 2.0: 1}[w] for w in rows.ensemble.row_weights])
    split = module.split_rows(rows, weight, pieces)
    place = split.row_of_object
    assert np.array_equal(split.ensemble.codes[place], rows.ensemble.codes[rows.row_of_object])
    assert np.allclose(np.bincount(place, weights=weight), split.ensemble.row_weights)
    assert split.n_objects.tolist() == np.bincount(place).tolist()
    assert sorted(split.ensemble.row_weights) == [1, 2, 2, 2, 2, 5]  # an object of weight 5 is not divided
    assert place[7] == place[6]  # an object without weight stays with one that has some
    assert len(np.unique(place)) == 6


def test_objects_without_labels_or_weight_keep_their_place():
    X = np.array([[0, 0], [-1, -1], [0, 0], [0, 0], [0, 0], [1, 1], [2, 1]])
    weight = np.array([1.0, 1, 1, 0, 1, 1, 0])
    with pytest.warns(UserWarning, match="1 of 7 objects"):
        rows = opened(X, weight, n_clusters=2)
    split = module.split_rows(rows, weight, np.where(rows.ensemble.row_weights == 3, 3, 1))
    assert (split.row_of_object < 0).tolist() == [False, True, False, False, False, False, True]
    assert split.ensemble.row_weights.tolist() == [1, 1, 1, 1]


def test_the_number_of_rows_is_bounded_whatever_the_number_of_objects():
    X = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [50_000, 20_000, 900, 3], axis=0)
    split = module.split_heavy_rows(opened(X, np.ones(len(X))), np.ones(len(X)))
    assert 3 * 50 <= split.ensemble.n_rows <= 4 + 3 * 50
    assert split.ensemble.row_weights.max() <= len(X) / 150 + 1
    assert split.ensemble.row_weights.sum() == len(X)


def test_imbalance_is_kept_up_to_one_object():
    X = np.repeat([[0, 0], [1, 1], [0, 1]], [10, 11, 9], axis=0)
    rows = opened(X, np.ones(30), n_clusters=3)
    kept = lambda labels, made="metis", imbalance=0.0: module.keeps_imbalance(  # noqa: E731
        rows, GraphPartition(np.array(labels), made), PartitionerSettings("metis", imbalance, n_objects=30)
    )
    assert kept([0, 1, 2])
    assert not kept([0, 1, 0])
    assert not kept([0, 1, 2], made="spectral")
    assert kept([0, 0, 0], made="none")
    two = opened(X, np.ones(30), n_clusters=2)
    settings = PartitionerSettings("metis", 0.05, n_objects=30)
    assert not module.keeps_imbalance(two, GraphPartition(np.array([0, 0, 1]), "metis"), settings)


@pytest.mark.parametrize("absent", [False, True])
def test_the_balance_of_weights_is_that_of_copies(absent, monkeypatch):
    """A part may exceed the mean by one copy, and not by the mean weight of objects; weight 0 does not lower it."""
    judged = []

    def spy(rows, found, settings):
        judged.append((1 / settings.n_objects) * rows.ensemble.row_weights.sum())
        return True

    monkeypatch.setattr(module, "keeps_imbalance", spy)
    X, weight = np.repeat([[0, 0], [1, 1], [0, 1], [1, 2]], 3, axis=0), np.arange(12) % 4 + 1
    model = CSPA(2, partitioner="metis", random_state=0)
    model.fit(np.repeat(X, weight, axis=0))
    extra = [0] * 5 if absent else []
    model.fit(np.vstack([X, X[: len(extra)]]), sample_weight=np.append(weight, extra))
    assert judged == pytest.approx([1, 1])


@pytest.mark.parametrize("method", [CSPA, HBGF, SoftCSPA])
def test_metis_that_finds_no_partition_is_named_and_the_result_is_whole(method, monkeypatch):
    from partita.consensus.graph import _graph_partition

    monkeypatch.setattr(_graph_partition, "metis_parts", lambda *args: None)
    X, truth = noisy_ensemble()
    with pytest.warns(
        PartitionerWarning, match="'metis' found no partition into n_clusters=3 clusters, and 'spectral'"
    ):
        model = method(3, partitioner="metis", random_state=0).fit(X)
    assert model.partitioner_ == "spectral"
    assert same_partition(model.labels_, truth)
    assert method(3, random_state=0).fit(X).partitioner_ == "spectral"  # nothing to say where it was not asked for
