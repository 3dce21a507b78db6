"""Objects of weight 0 that share the labels of others are labelled with them, and counted nowhere."""

import numpy as np
import pytest

from partita import EAC, LWEA, LWGP, PTA, SoftLWGP
from partita._labels.validation import check_label_matrix
from partita.consensus.pairwise._counted_objects import objects_of_rows
from tests.ensembles import noisy_ensemble

X = np.array([[0, 0], [0, 0], [1, 1], [1, 2], [1, 2], [0, 0]])
WEIGHT = np.array([1.0, 0, 2, 0, 1, 3])


def test_objects_with_a_weight_are_counted():
    rows = EAC()._open(check_label_matrix(X), WEIGHT)
    of_row = dict(zip(map(tuple, rows.ensemble.codes.tolist()), rows.n_objects.tolist(), strict=True))
    assert of_row == {(0, 0): 2, (1, 1): 1, (1, 2): 1}
    assert sorted(objects_of_rows(rows)) == [1, 2, 3]


@pytest.mark.parametrize("method", [EAC, PTA])
def test_leaves_have_a_weight_or_the_labels_of_one_that_has(method):
    Z = np.vstack([X, [[3, 3], [-1, -1]]])
    with pytest.warns(UserWarning, match="1 of 8 objects have no label"):
        model = method(2).fit(Z, sample_weight=np.append(WEIGHT, [0, 1]))
    assert model.leaves_.tolist() == [0, 1, 2, 3, 4, 5]
    assert model.dendrogram_.shape == (5, 4)
    assert model.dendrogram_[-1, 3] == 6


@pytest.mark.parametrize("method", [EAC, LWEA, LWGP, SoftLWGP])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")
@pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")
def test_copies_without_weight_do_not_change_the_number_of_clusters(method, seed):
    labels = noisy_ensemble((14, 11, 8), 6, 0.3, 0, seed).X
    model = method(random_state=0)
    alone = model.fit(labels).labels_
    weight = np.append(np.ones(len(labels)), np.zeros(20 * len(labels)))
    with_copies = model.fit(np.tile(labels, (21, 1)), sample_weight=weight).labels_
    assert np.array_equal(with_copies, np.tile(alone, 21))


def test_lifetimes_do_not_count_copies_without_weight():
    labels = noisy_ensemble(missing=0, flip=0.3).X
    alone = EAC().fit(labels)
    copied = EAC().fit(np.vstack([labels, labels[:30]]), sample_weight=np.arange(len(labels) + 30) < len(labels))
    assert np.array_equal(copied.lifetimes_, alone.lifetimes_)
    assert len(copied.leaves_) == len(labels) + 30
