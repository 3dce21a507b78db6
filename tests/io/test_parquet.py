"""Parquet files: an index becomes ids; cells of several values are refused."""

import pandas as pd
import pytest

from partita.exceptions import FileFormatError
from partita.io import read_feature_table, read_labels

NESTED = {
    "lists": [[1, 2], [3]],
    "structs": [{"x": 1}, {"x": 2}],
    "lists of text": [["a"], []],
}


@pytest.mark.parametrize("read", [read_labels, read_feature_table])
@pytest.mark.parametrize("case", NESTED)
def test_nested_columns_are_refused_by_name(tmp_path, read, case):
    pd.DataFrame({"id": ["u", "v"], "deep": NESTED[case], "a": [1, 2]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FileFormatError, match=r"'a\.parquet' has more than one value in a cell, in the column 'deep'"):
        read(tmp_path / "a.parquet")


def test_categories_are_labels_and_ids(tmp_path):
    frame = pd.DataFrame({"id": ["u", "v", "w"], "a": ["x", "y", "x"]}).astype("category")
    frame.to_parquet(tmp_path / "a.parquet")
    table = read_labels(tmp_path / "a.parquet")
    assert table.ids.tolist() == ["u", "v", "w"]
    assert table.labels["a"].tolist() == ["x", "y", "x"]


def test_an_index_of_several_levels_becomes_columns(tmp_path):
    index = pd.MultiIndex.from_tuples([("u", 1), ("v", 1), ("w", 2)], names=["id", None])
    pd.DataFrame({"a": [1, 2, 2]}, index=index).to_parquet(tmp_path / "a.parquet")
    table = read_labels(tmp_path / "a.parquet")
    assert table.ids.tolist() == ["u", "v", "w"]
    assert table.labels.columns.tolist() == ["object_1", "a"]


def test_a_table_without_rows_is_refused(tmp_path):
    pd.DataFrame({"a": []}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FileFormatError, match=r"'a\.parquet' has no rows"):
        read_labels(tmp_path / "a.parquet")
