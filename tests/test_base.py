"""The contract of the base class: soft memberships, numbering, new objects, and what a fitted model remembers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from partita import EAC
from partita._numbering import number_by_size, order_by_size, rank_of
from partita.base import BaseConsensus, Consensus
from partita.exceptions import UnlabelledObjectsWarning
from tests.ensembles import partitions, same_partition


class FirstColumn(BaseConsensus):
    """Soft toy: 0.8 for the label of the first clustering, the rest shared; the last of four clusters is unused."""

    def __init__(self, weights=None):
        self.weights = weights

    def _fit_rows(self, rows):
        membership = np.full((len(rows.ensemble.codes), 4), 0.2 / 3)
        membership[np.arange(len(membership)), rows.ensemble.codes[:, 0]] = 0.8
        return Consensus(rows.ensemble.codes[:, 0].astype(int), membership, np.array([0.4, 0.3, 0.2, 0.1]))


def test_membership_follows_the_numbering_of_the_clusters():
    labels = np.array([2, 0, 2, 2, 0, 1])
    model = FirstColumn().fit(labels.reshape(-1, 1))
    assert model.labels_.tolist() == [0, 1, 0, 0, 1, 2]
    assert (model.n_clusters_, model.n_components_) == (3, 4)
    assert np.array_equal(model.membership_.argmax(axis=1), model.labels_)
    assert np.allclose(model.membership_.sum(axis=1), 1)


def test_objects_without_label_get_the_prior():
    X = np.array([[2], [-1], [2], [1], [-1]])
    with pytest.warns(UnlabelledObjectsWarning, match="2 of 5"):
        model = FirstColumn().fit(X)
    assert model.labels_.tolist() == [0, -1, 0, 1, -1]
    assert np.allclose(model.membership_[[1, 4]], [0.3, 0.4, 0.2, 0.1])  # the larger cluster was number 1


def test_methods_say_what_they_lack():
    class Nothing(BaseConsensus):
        weights = None

    with pytest.raises(NotImplementedError, match="Nothing must implement _fit_rows"):
        Nothing().fit([[0, 1]])


class Nearest(BaseConsensus):
    """Hard toy: the label of the first clustering; new rows go to the cluster of their first known label."""

    def __init__(self, weights=None):
        self.weights = weights

    def _fit_rows(self, rows):
        return Consensus(rows.ensemble.codes[:, 0].astype(int))

    def _label_rows(self, codes):
        return codes[np.arange(len(codes)), (codes >= 0).argmax(axis=1)].astype(int)


def test_new_objects_are_placed_in_the_numbering_of_labels():
    model = Nearest().fit({"a": ["u", "v", "v", "w"], "b": [1, 2, 2, 3]})
    assert model.labels_.tolist() == [1, 0, 0, 2]
    assert model.predict({"a": ["v", None, "never"], "b": [None, 1, None]}).tolist() == [0, 1, -1]


def test_labels_of_objects_without_weight_are_not_labels_of_the_fit():
    """The method sees the labels that occur with weight, numbered without gaps; others are new to it."""
    X = {"a": ["u", "v", "w", "w"]}
    model = Nearest().fit(X, sample_weight=[1, 0, 1, 1])
    assert model.labels_.tolist() == [1, -1, 0, 0]
    assert model._placement.encoder.n_labels.tolist() == [2]
    assert model.predict({"a": ["v", "w"]}).tolist() == [-1, 0]


def test_a_clustering_without_weight_is_not_asked():
    model = Nearest(weights=[1, 0]).fit({"a": [0, 0, 1], "b": [5, 6, 7]})
    assert model._placement.encoder.columns.tolist() == [0]
    assert model.predict({"a": [None], "b": [5]}).tolist() == [-1]


def test_a_fitted_model_keeps_no_training_codes(rng):
    labels = rng.integers(3, size=(2000, 6))
    model = FirstColumn().fit(labels)
    kept = [value for value in vars(model._placement.encoder).values() if isinstance(value, np.ndarray)]
    assert max(value.size for value in kept) <= labels.shape[1]
    assert model._judged.ensemble.n_rows <= 3**6  # distinct rows only, for confidence_
    model.labels_ = model.membership_ = model._judged = None
    assert len(pickle.dumps(model)) < 5000


def test_a_warning_points_at_the_line_of_the_user():
    with pytest.warns(UnlabelledObjectsWarning) as caught:
        FirstColumn().fit(np.array([[0], [-1]]))
    assert caught[0].filename == __file__


@given(partitions(min_label=-1))
def test_numbering_by_size_keeps_the_partition_and_sorts_the_sizes(labels):
    numbered = number_by_size(labels)
    assert same_partition(labels, numbered)
    size = np.bincount(numbered[numbered >= 0], minlength=1)
    assert (np.diff(size) <= 0).all()
    firsts = [np.flatnonzero(numbered == c)[0] for c in range(len(size)) if size[c]]
    for c in range(len(firsts) - 1):  # equally large clusters by first appearance
        assert size[c] > size[c + 1] or firsts[c] < firsts[c + 1]


def test_ties_by_number_and_weights():
    labels = np.array([1, 1, 0, 0, 2])
    assert number_by_size(labels).tolist() == [0, 0, 1, 1, 2]
    assert number_by_size(labels, ties="number").tolist() == [1, 1, 0, 0, 2]
    assert number_by_size(labels, np.array([1.0, 1, 1, 1, 5])).tolist() == [1, 1, 2, 2, 0]


def test_clusters_without_objects_are_left_out_or_come_last_by_mass():
    labels, size = np.array([2, 2, 0]), np.array([1.0, 0.0, 2.0, 0.0])
    assert order_by_size(labels, 4, size).tolist() == [2, 0]
    assert order_by_size(labels, 4, size, mass=np.array([1.0, 0.2, 2.0, 0.7])).tolist() == [2, 0, 3, 1]
    assert rank_of(np.array([2, 0]), 4).tolist() == [1, -1, 0, -1]


class Tied(BaseConsensus):
    """Soft toy: the label of the first clustering, but rows that lack the second are as near to cluster 0."""

    def __init__(self, weights=None):
        self.weights = weights

    def _fit_rows(self, rows):
        Y = self._label_rows(rows.ensemble.codes)
        return Consensus(rows.ensemble.codes[:, 0].astype(int), Y, np.full(3, 1 / 3))

    def _label_rows(self, codes):
        Y = np.eye(3)[codes[:, 0]]
        Y[codes[:, 1] < 0] = (Y[codes[:, 1] < 0] + np.eye(3)[0]) / 2
        return Y


def test_a_cluster_that_loses_its_ties_comes_last_and_is_not_counted():
    X = np.array([[0, 0], [0, 0], [1, -1], [2, 0]])
    model = Tied().fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    assert (model.n_clusters_, model.n_components_) == (2, 3)
    assert model.membership_[2].tolist() == [0.5, 0.0, 0.5]


def test_a_cluster_of_objects_without_weight_comes_before_those_without_objects():
    X = np.array([[0, 0], [0, 0], [1, 0], [2, 0]])
    model = Tied().fit(X, sample_weight=[1, 1, 0, 1])
    assert model.labels_.tolist() == [0, 0, 2, 1]
    assert (model.n_clusters_, model.n_components_) == (3, 3)
    assert Nearest().fit(X, sample_weight=[1, 0, 1, 1]).labels_.tolist() == [0, 0, 1, 2]


def test_clusterings_of_one_name_are_two_clusterings(X):
    X = np.abs(X[:, :2])
    frame = pd.DataFrame(X, columns=["a", "a"])
    model = EAC(3).fit(frame)
    assert (model.labels_ == EAC(3).fit(X).labels_).all()
    assert (model.predict(frame) == model.labels_).all()
    assert not hasattr(model, "feature_names_in_")
