"""The contract of the base class that no shipped method exercises yet: soft memberships."""

import numpy as np
import pytest

from partita.base import BaseConsensus, Consensus
from partita.exceptions import UnlabelledObjectsWarning


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
    assert model.n_clusters_ == 4
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
