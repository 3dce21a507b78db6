"""Labels in any container and of any type become named columns of codes; what is not labels is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from scipy import sparse

from partita import check_label_matrix
from partita._labels.columns import named_columns
from partita.exceptions import FeaturesWarning, LabelMatrixError
from tests.ensembles import label_matrices

CODES = [[0, 0], [0, -1], [1, 1], [-1, 1]]  # what each container below must come to

CONTAINERS = {
    "int64": np.array([[3, 5], [3, -1], [7, 6], [-1, 6]]),
    "int8": np.array([[3, 5], [3, -1], [7, 6], [-1, 6]], dtype=np.int8),
    "uint64": np.ma.array(
        np.array([[2**64 - 2, 5], [2**64 - 2, 0], [2**64 - 1, 6], [0, 6]], dtype=np.uint64),
        mask=[[0, 0], [0, 1], [0, 0], [1, 0]],
    ),
    "float16": np.array([[3, 5], [3, np.nan], [7, 6], [np.nan, 6]], dtype=np.float16),
    "numpy bytes": np.array([[b"a", b"x"], [b"a", b""], [b"b", b"y"], [b"-1", b"y"]]),
    "columns of one name": pd.DataFrame([[3, 5], [3, None], [7, 6], [None, 6]], columns=["a", "a"]),
    "float": np.array([[3, 5], [3, np.nan], [7, 6], [np.nan, 6]]),
    "float32": np.array([[3, 5], [3, np.nan], [7, 6], [-1, 6]], dtype=np.float32),
    "fractions": np.array([[0.5, 1], [0.5, np.nan], [1.5, 2], [-1, 2]]),
    "wide integers": np.array([[-(10**15), 5], [-(10**15), -1], [10**15, 6], [-1, 6]]),
    "strings": np.array([["a", "x"], ["a", ""], ["b", "y"], ["-1", "y"]]),
    "strings with nan": np.array([["a", "x"], ["a", "nan"], ["b", "y"], ["None", "y"]]),
    "bytes": pd.DataFrame({"p": [b"a", b"a", b"b", None], "q": [b"x", None, b"y", b"y"]}),
    "objects": np.array([["a", 1], ["a", None], ["b", 2], [np.nan, 2]], dtype=object),
    "mixed in one column": np.array([[1, "x"], [1, pd.NA], ["b", "y"], [-1, "y"]], dtype=object),
    "booleans and text": pd.DataFrame({"p": [False, False, True, None], "q": ["x", None, "y", "y"]}),
    "pandas nullable": pd.DataFrame({"p": [3, 3, 7, None], "q": [5, None, 6, 6]}).astype("Int64"),
    "pandas strings": pd.DataFrame({"p": ["a", "a", "b", None], "q": ["x", None, "y", "y"]}, dtype="string"),
    "pandas categories": pd.DataFrame({"p": ["a", "a", "b", None], "q": ["x", None, "y", "y"]}, dtype="category"),
    "integer categories": pd.DataFrame({"p": [3, 3, 7, None], "q": [5, None, 6, 6]}).astype("Int64").astype("category"),
    "polars": pl.DataFrame({"p": [3, 3, 7, None], "q": ["x", None, "y", "y"]}),
    "polars categories": pl.DataFrame({"p": ["a", "a", "b", None], "q": ["x", None, "y", "y"]}).cast(pl.Categorical),
    "polars floats": pl.DataFrame({"p": [3.0, 3.0, 7.0, None], "q": [5.0, float("nan"), 6.0, 6.0]}),
    "dict of lists": {"p": [3, 3, 7, None], "q": ["x", None, "y", "y"]},
    "list of lists": [[3, 3, 7, None], ["x", None, "y", "y"]],
    "list of arrays": [np.array([3, 3, 7, -1]), np.array([5, -1, 6, 6])],
    "list of series": [pd.Series([3, 3, 7, None]), pl.Series(["x", None, "y", "y"])],
    "list of mixtures": [[1, 1, "b", None], ["x", None, 2, 2]],
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_of_labels_comes_to_the_same_codes(container):
    matrix = check_label_matrix(CONTAINERS[container])
    expected = np.array(CODES)
    if container == "list of mixtures":  # numbers sort before text
        expected = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    assert np.array_equal(matrix.codes, expected)
    assert matrix.codes.dtype == np.int32
    assert matrix.codes.flags.c_contiguous
    assert matrix.n_labels.tolist() == [2, 2]
    assert matrix.has_missing


@given(label_matrices(max_label=6, min_label=-3))
def test_codes_lead_back_to_the_labels(X):
    if (X == -1).all(axis=0).any():
        X = np.column_stack([X[:, ~(X == -1).all(axis=0)], X.max(axis=1) + 10])
    matrix = check_label_matrix(X)
    for j in range(X.shape[1]):
        seen = matrix.codes[:, j] >= 0
        assert np.array_equal(seen, X[:, j] != -1)
        assert np.array_equal(matrix.labels[j][matrix.codes[seen, j]], X[seen, j])
        assert np.array_equal(np.unique(matrix.codes[seen, j]), np.arange(len(matrix.labels[j])))


def test_names_are_those_of_the_columns_or_numbered():
    assert check_label_matrix(pd.DataFrame({"a": [1, 2], 7: [1, 1]})).names == ["a", "7"]
    assert check_label_matrix({"u": [1, 2]}).names == ["u"]
    assert check_label_matrix(np.ones((2, 2), int)).names == ["c0", "c1"]


@pytest.mark.parametrize("column", [[0, -1, 0, -1, None], ["a", "-1", "a", "-1", None], [0.0, -1.0, 0.0, -1.0, np.nan]])
def test_minus_one_is_missing_a_singleton_or_a_cluster_as_asked_for(column):
    X = {"hdbscan": column}
    assert check_label_matrix(X).codes.ravel().tolist() == [0, -1, 0, -1, -1]
    singletons = check_label_matrix(X, noise="singleton")
    assert singletons.codes.ravel().tolist() == [0, 1, 0, 2, -1]
    assert singletons.n_labels.tolist() == [3]
    both = check_label_matrix({"a": ["x", "-1", -1, None]}, noise="cluster")
    assert both.codes.ravel().tolist() == [1, 0, 0, -1]
    cluster = check_label_matrix(X, noise="cluster").codes.ravel()
    assert cluster[1] == cluster[3] != cluster[0] == cluster[2]
    assert cluster[4] == -1


def test_columns_of_many_fractions_are_suspected_to_be_features(rng):
    with pytest.warns(FeaturesWarning, match="column 'c0' has 50 different fractional numbers for 50 objects"):
        check_label_matrix(rng.random((50, 1)))


def test_a_list_with_more_items_than_labels_is_suspected_to_hold_rows():
    with pytest.warns(UserWarning, match="read as 5 clusterings of 2 objects"):
        check_label_matrix([[0, 1]] * 5)


REFUSED = {
    "1-D": (np.arange(4), r"1 dimension.*shape \(4,\).*reshape\(-1, 1\)"),
    "3-D": (np.zeros((2, 2, 2), int), r"3 dimension"),
    "flat list": ([0, 1, 1], r"flat list \(X\[0\]=0 is not a column\).*\[labels\]"),
    "list of strings": (["ab", "cd"], r"flat list"),
    "no rows": (np.empty((0, 3), int), r"0 sample\(s\).*no rows"),
    "no columns": (np.empty((3, 0), int), r"0 feature\(s\).*no clustering"),
    "empty list": ([], r"no clustering"),
    "empty frame": (pd.DataFrame(), r"no clustering"),
    "ragged": ([[0, 1, 1], [0, 1]], r"ragged columns: column 'c1' has 2 labels and another has 3"),
    "infinity": (np.array([[0, 1], [1, np.inf]]), r"row 1 of column 'c1' is infinity"),
    "infinity among objects": (np.array([["a"], [-np.inf]], dtype=object), r"row 1 .* infinity"),
    "nested column": ([[[0, 1], [1, 0]], [[0, 1], [1, 0]]], r"shape \(2, 2\); a column has one label per object"),
    "dict of a number": ({"a": 1}, r"a is 1; it must be a sequence of labels"),
    "dict of text": ({"a": "abc"}, r"a is 'abc'; it must be a sequence of labels"),
    "a number": (3, r"X is a int, which is not a label table"),
    "a string": ("labels.csv", r"X is a str"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_table_of_labels_is_refused(case):
    X, message = REFUSED[case]
    with pytest.raises(LabelMatrixError, match=message):
        check_label_matrix(X)


def test_sparse_complex_and_unhashable_labels_are_refused():
    with pytest.raises(TypeError, match="sparse"):
        check_label_matrix(sparse.eye_array(3, format="dok"))
    with pytest.raises(ValueError, match="Complex data not supported"):
        check_label_matrix(np.ones((3, 1), complex))
    with pytest.raises(TypeError, match=r"row 1 of column 'a' is \{\}: a label argument must be a string"):
        check_label_matrix({"a": [1, {}, 2]})


def test_columns_of_a_frame_are_the_same_one_by_one_and_all_at_once():
    frame = pd.DataFrame(
        {
            "a": [3, 1, 3],
            "b": [0.5, np.nan, 2.0],
            "c": ["x", None, "y"],
            "d": np.array([1, 2, 2], dtype=np.uint8),
            "e": pd.array([1, None, 2], dtype="Int64"),
            "f": [True, False, True],
        }
    )
    _, columns = named_columns(frame)
    for name, column in zip(frame.columns, columns, strict=True):
        alone = named_columns({name: frame[name]})[1][0]
        assert column.dtype == alone.dtype
        assert [None if pd.isna(value) else value for value in column] == [
            None if pd.isna(value) else value for value in alone
        ]
