"""The door: what a label matrix, a partition and weights must be, and codes of new objects."""

import numpy as np
import pytest

from partita import check_label_matrix
from partita._labels.validation import check_labels, check_sample_weight
from partita.exceptions import EmptyColumnWarning, LabelMatrixError


def test_a_label_matrix_passes_unchanged():
    matrix = check_label_matrix([[0, 1, 1]])
    assert check_label_matrix(matrix) is matrix


def test_an_unknown_meaning_of_noise_is_refused():
    with pytest.raises(ValueError, match="noise='drop' is not known; choose 'missing', 'singleton' or 'cluster'"):
        check_label_matrix({"hdbscan": [0, -1, 0, -1, None]}, noise="drop")


@pytest.mark.parametrize("hole", [-1, np.nan], ids=["-1", "NaN"])
def test_a_matrix_without_any_label_is_refused(hole):
    with pytest.raises(LabelMatrixError, match=r"all 6 labels of X, shape \(3, 2\), are missing"):
        check_label_matrix(np.full((3, 2), hole))


def test_empty_columns_are_dropped_with_a_warning():
    with pytest.warns(EmptyColumnWarning, match="2 of 4 clusterings have no label at all and were dropped: 'b', 'd'"):
        matrix = check_label_matrix({"a": [1, 2], "b": [None, None], "c": ["x", "x"], "d": [-1, -1]})
    assert matrix.names == ["a", "c"]
    assert matrix.kept.tolist() == [0, 2]
    assert matrix.n_columns_in == 4


def test_new_objects_are_encoded_in_the_numbering_of_the_fitted():
    matrix = check_label_matrix({"a": ["u", "v", None], "b": [1, 2, 2]})
    new = matrix.encode({"a": ["v", "never", "u"], "b": [None, 2, 9]})
    assert new.tolist() == [[1, -1], [-1, 1], [0, -1]]
    with pytest.raises(LabelMatrixError, match="X has 1 clusterings, but 2 were fitted"):
        matrix.encode([[0, 1]])


@pytest.mark.parametrize(("labels", "message"), [([[0, 1]], "one label per object"), ([], "empty")])
def test_a_partition_has_one_dimension_and_an_object(labels, message):
    with pytest.raises(LabelMatrixError, match=message):
        check_labels(labels, "labels_true")


def test_wrong_weights_are_refused_with_their_shape_or_position(X):
    from partita import EAC

    with pytest.raises(ValueError, match=r"weights has shape \(3,\); pass one weight per clustering, shape \(15,\)"):
        EAC(weights=[1, 2, 3]).fit(X)
    with pytest.raises(ValueError, match=r"weights\[1\]=-1.0 is not a weight"):
        EAC(weights=[1, -1] + [1] * 13).fit(X)
    with pytest.raises(ValueError, match=r"weights must be numbers, received \['a'"):
        EAC(weights=["a"] * 15).fit(X)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(2,\)"):
        EAC().fit(X, sample_weight=[1, 2])
    with pytest.raises(ValueError, match=r"sample_weight\[0\]=nan"):
        EAC().fit(X, sample_weight=[np.nan] * len(X))
    with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
        EAC().fit(X, sample_weight=np.zeros(len(X)))


def test_noise_of_a_matrix_that_was_read_before():
    read = check_label_matrix({"a": [0, -1, 1]}, noise="singleton")
    assert check_label_matrix(read) is read  # the default asks for nothing
    assert check_label_matrix(read, noise="singleton") is read
    with pytest.raises(ValueError, match=r"was read with noise='singleton', which noise='cluster' cannot change"):
        check_label_matrix(read, noise="cluster")
    with pytest.raises(ValueError, match="noise='drop' is not known"):
        check_label_matrix(read, noise="drop")


def test_a_matrix_without_labels_that_was_read_before_is_refused_as_well():
    read = check_label_matrix(np.full((3, 2), -1), allow_unlabelled=True)
    with pytest.raises(LabelMatrixError, match=r"all 6 labels of X, shape \(3, 2\), are missing"):
        check_label_matrix(read)


def test_weights_that_add_up_to_infinity_are_refused():
    with pytest.raises(ValueError, match="sample_weight adds up to more than the largest number"):
        check_sample_weight(np.full(3, 1e308), 3)
