"""What the methods for soft clusterings share: both kinds of input, weights, and new objects."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from partita import ITK, SoftCSPA, SoftHBGF, SoftMCLA
from partita.consensus.soft._soft_consensus import mean_profiles
from partita.consensus.soft._soft_input import stack_clusterings
from partita.exceptions import FewerClustersWarning, UnlabelledObjectsWarning
from tests.consensus.soft.soft_clusterings import one_hot_blocks, posteriors
from tests.ensembles import noisy_ensemble, same_partition

METHODS = [SoftCSPA, SoftMCLA, SoftHBGF, ITK]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_probabilities_of_blobs_are_recovered(method, missing):
    blocks, truth = posteriors(missing=missing, n_clusterings=10)
    blocks[1] = blocks[1][:, :2] + blocks[1][:, 2:] / 2  # clusterings may have different numbers of clusters
    assert same_partition(method(3, random_state=0).fit(blocks).labels_, truth)
    named = {f"c{m}": block.tolist() for m, block in enumerate(blocks)}
    assert same_partition(method(3, random_state=0).fit(named).labels_, truth)


@pytest.mark.parametrize("method", METHODS)
def test_objects_that_no_clustering_saw_have_no_label(method):
    blocks, truth = posteriors()
    for block in blocks:
        block[5] = np.nan
    with pytest.warns(UnlabelledObjectsWarning):
        labels = method(3, random_state=0).fit(blocks).labels_
    assert np.flatnonzero(labels < 0).tolist() == [5]
    assert same_partition(np.delete(labels, 5), np.delete(truth, 5))


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_zero_silence_clusterings_and_objects(method, rng):
    blocks, truth = posteriors()
    nonsense = rng.dirichlet(np.ones(4), size=len(truth))
    weights = [0, *np.ones(6)]
    sample_weight = np.ones(len(truth))
    sample_weight[::4] = 0
    kept = sample_weight > 0
    model = method(3, weights=weights, random_state=0).fit([nonsense, *blocks], sample_weight=sample_weight)
    plain = method(3, random_state=0).fit([block[kept] for block in blocks])
    assert np.array_equal(model.labels_[kept], plain.labels_)
    assert same_partition(model.labels_, truth)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_scale_of_weights_does_not_matter(method, soft, scale, rng):
    X = posteriors(missing=0.2)[0] if soft else noisy_ensemble(n_clusterings=6, flip=0.3).X
    objects, clusterings = rng.integers(1, 4, 62).astype(float), rng.integers(1, 4, 6).astype(float)
    plain = method(3, weights=clusterings, random_state=0).fit(X, sample_weight=objects)
    scaled = method(3, weights=scale * clusterings, random_state=0).fit(X, sample_weight=scale * objects)
    assert same_partition(plain.labels_, scaled.labels_)
    assert same_partition(plain.predict(X), scaled.predict(X))


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_every_magnitude_at_once(method, rng):
    blocks, _ = posteriors(missing=0.2)
    objects, clusterings = 10.0 ** rng.uniform(-300, 300, 62), 10.0 ** rng.uniform(-300, 300, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)  # most objects have next to no weight
        labels = method(3, weights=clusterings, random_state=0).fit(blocks, sample_weight=objects).labels_
    assert (labels >= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_fewer_clusters_than_asked_are_never_silent(method):
    blocks = [np.repeat(np.eye(2), 3, axis=0)] * 3
    with pytest.warns(FewerClustersWarning, match=f"8 clusters were asked for, and {method.__name__} found "):
        assert method(8, random_state=0).fit(blocks).n_clusters_ <= 6


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_weight_is_a_number_of_copies(method, rng):
    blocks, _ = posteriors()
    row_weights = rng.integers(1, 4, 62)
    weighted = method(3, random_state=0).fit(blocks, sample_weight=row_weights).labels_
    copied = method(3, random_state=0).fit([np.repeat(block, row_weights, axis=0) for block in blocks]).labels_
    assert same_partition(np.repeat(weighted, row_weights), copied)


@pytest.mark.parametrize("method", METHODS)
def test_clusters_are_numbered_by_size_and_first_appearance(method):
    a = np.array([[0.1, 0.9], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.8, 0.2], [0.2, 0.8]])
    assert method(2, random_state=0).fit([a, a]).labels_.tolist() == [0, 1, 1, 0, 1, 0]
    assert method(2, random_state=0).fit([a[1:], a[1:]]).labels_.tolist() == [0, 0, 1, 0, 1]


def test_profiles_are_mean_probabilities_over_objects_that_were_seen(rng):
    blocks, truth = posteriors(missing=0.3)
    weights, row_weights = rng.random(6) + 0.5, rng.random(62)
    profiles = mean_profiles(stack_clusterings(blocks, weights, row_weights), truth)
    for m, block in enumerate(blocks):
        for k in range(3):
            saw = (truth == k) & ~np.isnan(block[:, 0])
            mean = np.average(block[saw], axis=0, weights=row_weights[saw])
            assert np.allclose(profiles[3 * m : 3 * m + 3, k], weights[m] * mean)


@pytest.mark.parametrize("method", METHODS)
def test_new_soft_objects_join_their_cluster(method):
    blocks, truth = posteriors(missing=0.2)
    for block in blocks:
        block[1] = np.nan
    model = method(3, random_state=0).fit([block[::2] for block in blocks])
    found = model.predict([block[1::2] for block in blocks])
    assert found[0] == -1  # no clustering saw it
    assert same_partition(np.append(model.labels_, found[1:]), np.append(truth[::2], truth[1::2][1:]))
    again = pickle.loads(pickle.dumps(model)).predict({f"c{m}": block[1::2].tolist() for m, block in enumerate(blocks)})
    assert np.array_equal(again, found)


@pytest.mark.parametrize("method", METHODS)
def test_new_soft_objects_are_placed_as_objects_without_weight(method):
    blocks, _ = posteriors(missing=0.2)
    weights, sample_weight = [1, 2, 0, 1, 1, 1], np.ones(62)
    sample_weight[::4] = 0
    model = method(3, weights=weights, random_state=0).fit(blocks, sample_weight=sample_weight)
    assert np.array_equal(model.predict(blocks)[::4], model.labels_[::4])


@pytest.mark.parametrize("method", METHODS)
def test_one_hot_objects_are_placed_as_labels(method):
    X = noisy_ensemble(missing=0.2).X
    on_labels, on_rows = (method(3, random_state=0).fit(data) for data in (X, one_hot_blocks(X)))
    assert np.array_equal(on_labels.predict(X), on_rows.predict(one_hot_blocks(X)))


@pytest.mark.parametrize("method", METHODS)
def test_an_object_that_shares_no_cluster_with_the_others_is_in_none(method):
    a = np.array([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.1, 0.9, 0], [0.2, 0.8, 0], [0, 0, 1]])
    model = method(2, random_state=0).fit([a, a], sample_weight=[1, 1, 1, 1, 0])
    assert model.labels_.tolist() == [0, 0, 1, 1, -1]
    assert model.predict([a, a]).tolist() == [0, 0, 1, 1, -1]


@pytest.mark.parametrize("method", METHODS)
def test_new_objects_must_be_of_the_kind_that_was_fitted(method, X):
    blocks = posteriors()[0]
    with pytest.raises(NotFittedError):
        method().predict(blocks)
    with pytest.raises(ValueError, match="label matrix, but soft clusterings were fitted; pass one"):
        method(3, random_state=0).fit(blocks).predict(X)
    with pytest.raises(ValueError, match="soft clusterings, but labels were fitted; pass a label matrix"):
        method(3, random_state=0).fit(X).predict(blocks)


@pytest.mark.parametrize("method", METHODS)
def test_a_second_fit_replaces_the_kind_of_the_first(method, X):
    blocks = posteriors()[0]
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    model = method(3, random_state=0).fit(table).fit(blocks)
    assert model.n_features_in_ == 6
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(blocks).shape == (62,)
    assert np.array_equal(model.fit(X).predict(X), method(3, random_state=0).fit(X).predict(X))
