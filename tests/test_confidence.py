"""``confidence_`` and ``votes_`` of every consensus estimator: those of its labels, computed when asked for."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from partita import EAC, GBCE, ITK, ConsensusClustering, KMeansEnsemble, LabelKMeans
from partita.metrics import label_confidence, label_votes
from tests.ensembles import noisy_ensemble
from tests.registry import ESTIMATORS

every = pytest.mark.parametrize("name", ESTIMATORS)
DATA = noisy_ensemble()
WEIGHTS = np.where(np.arange(62) % 7 == 0, 0.0, np.arange(62) % 3 + 1.0)


def make(name, **parameters):
    entry = ESTIMATORS[name]
    return entry.make(n_clusters=3, **parameters) if entry.takes_k else entry.make(**parameters)


@every
def test_they_are_those_of_the_labels(name):
    model = make(name).fit(DATA.X, sample_weight=WEIGHTS)
    confidence, votes = model.confidence_, model.votes_
    assert confidence.shape == (62,)
    assert votes.shape == (62, model.n_clusters_)
    assert np.allclose(votes.sum(axis=1), 1)
    known = model.labels_ >= 0
    assert np.allclose(confidence, label_confidence(DATA.X, model.labels_, sample_weight=WEIGHTS), equal_nan=True)
    assert np.allclose(votes, label_votes(DATA.X, model.labels_, sample_weight=WEIGHTS))
    sure = known & (confidence > 5)
    assert np.array_equal(votes[sure].argmax(axis=1), model.labels_[sure])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.confidence_, confidence, equal_nan=True)


def test_objects_without_labels_are_not_judged():
    X = DATA.X.copy()
    X[[3, 8]] = -1
    with pytest.warns(UserWarning, match="2 of 62 objects"):
        model = EAC(3).fit(X)
    assert np.flatnonzero(np.isnan(model.confidence_)).tolist() == [3, 8]
    assert np.allclose(model.votes_[[3, 8]], np.bincount(model.labels_[model.labels_ >= 0]) / 60)


def test_an_object_without_weight_that_shares_no_label_is_not_judged():
    X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [7, 7]])
    model = EAC(2).fit(X, sample_weight=[1, 1, 1, 1, 0])
    assert model.labels_[4] == -1
    assert np.isnan(model.confidence_).tolist() == [False] * 4 + [True]
    assert model.votes_[4].tolist() == [0.5, 0.5]


def test_weights_of_clusterings_are_those_of_the_estimator():
    weights = np.arange(15) % 3 / 2
    model = LabelKMeans(3, weights=weights, random_state=0).fit(DATA.X)
    assert np.allclose(model.confidence_, label_confidence(DATA.X, model.labels_, weights=weights), equal_nan=True)
    assert not np.allclose(model.confidence_, label_confidence(DATA.X, model.labels_), equal_nan=True)


def test_they_need_a_fit_and_follow_the_last_one():
    model = EAC(3)
    assert not hasattr(model, "confidence_")
    with pytest.raises(NotFittedError):
        _ = model.votes_
    first = model.fit(DATA.X).confidence_
    assert model.confidence_ is first  # computed once
    assert model.fit(DATA.X[:40]).confidence_.shape == (40,)


def test_of_soft_clusterings_the_most_probable_clusters_count(rng):
    codes = np.where(DATA.X < 0, 0, DATA.X)
    blocks = [0.8 * np.eye(3)[column] + 0.2 / 3 for column in codes.T]
    model = ITK(3, weights=np.arange(15) % 2, random_state=0).fit(blocks, sample_weight=WEIGHTS)
    expected = label_confidence(codes, model.labels_, weights=np.arange(15) % 2, sample_weight=WEIGHTS)
    assert np.allclose(model.confidence_, expected)
    assert np.allclose(model.votes_.sum(axis=1), 1)


def test_features_beside_labels_do_not_change_what_the_labels_say(rng):
    X = DATA.X.copy()
    X[5] = -1  # features only
    features = DATA.truth[:, None] + 0.1 * rng.standard_normal((62, 1))
    model = GBCE(3, n_init=2, random_state=0).fit(X, features=features)
    assert model.labels_[5] >= 0
    assert np.isnan(model.confidence_[5])
    kept = np.arange(62) != 5
    expected = label_confidence(X, model.labels_, weights=np.full(15, 1.0))
    assert np.allclose(model.confidence_[kept], expected[kept])


def test_consensus_clustering_has_those_of_its_consensus(rng):
    F = np.repeat([[0.0], [9.0]], 20, axis=0) + rng.standard_normal((40, 1))
    model = ConsensusClustering(KMeansEnsemble(8, (2, 4)), n_clusters=2, random_state=0)
    assert not hasattr(model, "confidence_")
    model.fit(F)
    assert np.array_equal(model.confidence_, model.consensus_.confidence_)
    assert model.votes_.shape == (40, 2)
