"""How a table of features is read."""

import numpy as np
import pandas as pd
import pytest

from partita.exceptions import FileContentWarning, FileFormatError
from partita.io import read_feature_table


def write(path, header, rows, separator=","):
    lines = ([header] if header else []) + rows
    path.write_text("\n".join(separator.join(map(str, line)) for line in lines) + "\n")
    return path


ROWS = [["u", 1.5, 2], ["v", 0.5, -3], ["w", 1.5, 4e2]]


NUMBERS = [[1.5, 2], [0.5, -3], [1.5, 400]]


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t"), ("a.txt", " ")])
@pytest.mark.parametrize("header", [["plant", "x", "y"], ["", "x", "y"], None])
def test_text_with_ids_and_any_separator_and_header_is_read(tmp_path, name, separator, header):
    table = read_feature_table(write(tmp_path / name, header, ROWS, separator))
    assert table.features.to_numpy().tolist() == NUMBERS
    assert (table.features.dtypes == np.float64).all()
    assert list(table.ids) == ["u", "v", "w"]
    assert table.features.columns.tolist() == (["x", "y"] if header else ["c0", "c1"])


def test_a_first_column_of_different_numbers_is_a_feature(tmp_path):
    rows = [[0.25 * i, i % 3] for i in range(20)]
    table = read_feature_table(write(tmp_path / "a.csv", ["width", "height"], rows))
    assert table.ids is None
    assert table.features.columns.tolist() == ["width", "height"]
    assert table.object_ids().tolist() == list(range(20))
    whole = read_feature_table(write(tmp_path / "b.csv", ["year", "height"], [[1900 + i, i % 3] for i in range(20)]))
    assert whole.ids is None


@pytest.mark.parametrize("name", ["id", "ID", "cell", "sample_id", "index", "barcode"])
def test_different_numbers_under_the_name_of_an_id_are_ids(tmp_path, name):
    table = read_feature_table(write(tmp_path / "a.csv", [name, "x"], [["007", 1], ["008", 2], ["010", 2]]))
    assert list(table.ids) == ["007", "008", "010"]
    assert table.id_name == name
    assert table.features.columns.tolist() == ["x"]


def test_ids_by_name_recur_at_most_in_part(tmp_path):
    with pytest.warns(FileContentWarning, match="1 row has an id that an earlier row has, such as '1'"):
        table = read_feature_table(write(tmp_path / "a.csv", ["sample", "x"], [[1, 1], [1, 2], [2, 2]]))
    assert table.ids.tolist() == ["1", "1", "2"]
    table = read_feature_table(write(tmp_path / "b.csv", ["sample", "x"], [[1, 1], [1, 2], [1, 2], [2, 2]]))
    assert table.ids is None
    assert table.features.shape == (4, 2)


def test_an_id_that_is_dropped_or_chosen_is_a_column_like_others(tmp_path):
    path = write(tmp_path / "a.csv", ["id", "x"], [[1, 1], [2, 2], [3, 2]])
    assert read_feature_table(path, drop=["id"]).features.columns.tolist() == ["x"]
    assert read_feature_table(path, columns=["id", "x"]).features.columns.tolist() == ["id", "x"]


def test_text_that_recurs_is_not_an_id(tmp_path):
    with pytest.raises(FileFormatError, match=r"Text: 'kind' .a, b..* drop=.'kind'.; .* encode=True"):
        read_feature_table(write(tmp_path / "a.csv", ["kind", "x"], [["a", 1], ["a", 2], ["b", 2]]))


def test_ids_are_where_the_caller_says(tmp_path):
    path = write(tmp_path / "a.csv", ["x", "y", "tag"], [[1, 2, "p"], [3, 4, "q"]])
    table = read_feature_table(path, id_column="tag")
    assert list(table.ids) == ["p", "q"]
    assert table.features.columns.tolist() == ["x", "y"]
    first = read_feature_table(write(tmp_path / "b.csv", ["x", "y"], [[1, 2], [3, 4]]), id_column=True)
    assert list(first.ids) == ["1", "3"]
    none = read_feature_table(write(tmp_path / "c.csv", ["id", "y"], [[1, 2], [3, 4]]), id_column=False)
    assert none.features.columns.tolist() == ["id", "y"]
    with pytest.raises(FileFormatError, match="has no column 'zz'"):
        read_feature_table(path, id_column="zz")


def test_columns_are_chosen_in_order_and_dropped_by_name(tmp_path):
    path = write(tmp_path / "a.csv", ["id", "x", "y", "z"], [["u", 1, 2, "k"], ["v", 3, 4, "l"]])
    assert read_feature_table(path, columns=["y", "x"]).features.columns.tolist() == ["y", "x"]
    assert read_feature_table(path, drop=["z"]).features.columns.tolist() == ["x", "y"]
    assert read_feature_table(path, drop=["z"], columns=["y"]).features.columns.tolist() == ["y"]


def test_features_and_ids_come_back_from_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    plain = pd.DataFrame({"x": [1.5, 2.5, 3.5], "n": [1, 2, 2]})
    plain.to_parquet(tmp_path / "a.parquet")
    table = read_feature_table(tmp_path / "a.parquet")
    assert table.ids is None
    assert table.features.to_numpy().tolist() == plain.to_numpy().tolist()
    plain.set_index(pd.Index(["u", "v", "w"], name="cell")).to_parquet(tmp_path / "b.parquet")
    indexed = read_feature_table(tmp_path / "b.parquet")
    assert list(indexed.ids) == ["u", "v", "w"]
    assert indexed.id_name == "cell"
    plain.assign(name=["u", "v", "w"])[["name", "x", "n"]].to_parquet(tmp_path / "c.parquet")
    assert list(read_feature_table(tmp_path / "c.parquet").ids) == ["u", "v", "w"]


def test_npy_has_no_ids(tmp_path):
    F = np.arange(24.0).reshape(12, 2)
    np.save(tmp_path / "a.npy", F)
    np.savez(tmp_path / "b.npz", features=F)
    for name in ("a.npy", "b.npz"):
        table = read_feature_table(tmp_path / name)
        assert table.ids is None
        assert (table.features.to_numpy() == F).all()
        assert table.features.columns.tolist() == ["c0", "c1"]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "Missing values: 'y' .1 of 3..* impute='median'"),
        ("NA", "Missing values: 'y' .1 of 3."),
        ("nan", "Missing values: 'y' .1 of 3."),
        ("abc", "Text: 'y' .abc, "),
        ("inf", "Infinite values: 'y' .1 of 3..* drop=.'y'."),
        ("1,5", "not a table"),
    ],
)
def test_what_is_not_a_number_is_refused_with_its_column(tmp_path, cell, message):
    with pytest.raises(FileFormatError, match=message):
        read_feature_table(write(tmp_path / "a.csv", ["id", "x", "y"], [["u", 1, 2], ["v", 3, cell], ["w", 5, 6]]))


def test_a_file_without_header_or_with_one_is_read_as_requested(tmp_path):
    path = write(tmp_path / "a.csv", None, [[1.5, 2], [3.5, 4], [5.5, 6]])
    assert read_feature_table(path).features.shape == (3, 2)
    assert read_feature_table(path, header=True).features.shape == (2, 2)
