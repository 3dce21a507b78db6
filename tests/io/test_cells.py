"""Blanks around cells, words for missing values and repeated ids; what is done is told once."""

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileContentWarning
from partita.io import read_feature_table, read_features, read_labels

FORMATS = ["a.csv", "a.tsv.gz", "a.parquet", "a.xlsx"]


def write(path, frame):
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_blanks_around_labels_and_ids_are_removed_and_told_once(tmp_path, name):
    frame = pd.DataFrame({"id": ["u ", " v", "w", "x"], "a": ["p", "p ", " p", "q\u00a0"], "b": [1, 1, 2, 2]})
    with pytest.warns(FileContentWarning) as told:
        table = read_labels(write(tmp_path / name, frame))
    assert [str(warning.message) for warning in told] == [
        f"{name!r}: blanks around the text of 5 cells are removed (in 'a', 'id')."
    ]
    assert table.ids.tolist() == ["u", "v", "w", "x"]
    assert check_label_matrix(table.labels).codes.tolist() == [[0, 0], [0, 0], [0, 1], [1, 1]]


def test_blanks_around_numbers_and_quotes_need_no_word(tmp_path):
    (tmp_path / "a.csv").write_text("a, b\n1 , 2\n 1, NA\n2,3 \n")
    assert read_labels(tmp_path / "a.csv").labels.to_numpy().tolist()[:1] == [[1, 2]]
    (tmp_path / "b.csv").write_text('a, b\n"x", "u, v"\n"y", "w"\n"y", "w"\n')
    assert read_labels(tmp_path / "b.csv").labels["b"].tolist() == ["u, v", "w", "w"]


@pytest.mark.parametrize("name", FORMATS)
def test_words_for_missing_labels_are_counted_by_column(tmp_path, name):
    frame = pd.DataFrame({"a": ["1", "?", "2", "?", "-"], "b": ["x", "NA", "na", ".", "x"], "c": [1, 2, 2, 1, 1]})
    with pytest.warns(FileContentWarning) as told:
        table = read_labels(write(tmp_path / name, frame))
    assert [str(warning.message) for warning in told] == [
        f"{name!r}: words are read as missing ('a': 2 of '?' and 1 of '-'; 'b': 1 of 'na' and 1 of '.'). If they are "
        "values, pass missing_words=False."
    ]
    assert table.labels["a"].tolist()[::2][:2] == [1, 2]  # numbers, as they would be without the words
    assert table.labels.isna().sum().tolist() == [3, 3, 0]


@pytest.mark.parametrize("name", FORMATS)
def test_words_can_be_added_and_turned_off(tmp_path, name):
    frame = pd.DataFrame({"a": ["x", "?", "NA", "gone"], "b": [1, 999, 2, 2], "c": [1.5, 999.0, 2.5, 2.5]})
    path = write(tmp_path / name, frame)
    as_written = read_labels(path, id_column=False, missing_words=False).labels
    assert as_written["a"].tolist() == ["x", "?", "NA", "gone"]
    with pytest.warns(FileContentWarning, match="'a': 1 of '[?]'"):
        more = read_labels(path, id_column=False, missing=["gone", "999"]).labels
    assert more["a"].isna().tolist() == [False, True, True, True]
    assert more["b"].isna().tolist() == more["c"].isna().tolist() == [False, True, False, False]
    told = read_labels(path, id_column=False, missing=["?"]).labels  # named by the caller, so nothing to tell
    assert told["a"].isna().tolist() == [False, True, True, False]


def test_words_of_a_header_line_do_not_hide_the_names(tmp_path):
    (tmp_path / "a.csv").write_text("run1,run2\n1,?\n?,2\n1,2\n")
    with pytest.warns(FileContentWarning, match="'run1': 1 of '[?]'; 'run2': 1 of '[?]'"):
        table = read_labels(tmp_path / "a.csv")
    assert table.has_header
    assert table.labels.shape == (3, 2)


def test_many_columns_are_told_in_few_words(tmp_path):
    write(tmp_path / "a.csv", pd.DataFrame({f"c{j}": ["?", "x", "x"] for j in range(9)}))
    with pytest.warns(FileContentWarning, match=r"'c4': 1 of '\?'; and 4 more columns\)"):
        read_labels(tmp_path / "a.csv", id_column=False)


def test_ids_that_occur_twice_are_told(tmp_path):
    path = write(tmp_path / "a.csv", pd.DataFrame({"id": ["u", "v", "u", "w", "x", "y"], "a": 1}))
    with pytest.warns(FileContentWarning, match="1 row has an id that an earlier row has, such as 'u'; every row is"):
        assert len(read_labels(path).labels) == 6


def test_features_have_the_same_words_and_ids(tmp_path):
    path = write(tmp_path / "f.csv", pd.DataFrame({"id": ["t", "u ", "w"], "x": ["1.5", "?", "2"], "y": [1, 2, 3.5]}))
    with pytest.warns(FileContentWarning) as told:
        table = read_feature_table(path, impute="mean")
    assert sorted(str(warning.message).split(": ")[1][:14] for warning in told) == ["blanks around ", "words are read"]
    assert table.features["x"].tolist() == [1.5, 1.75, 2]
    assert table.ids.tolist() == ["t", "u", "w"]
    (tmp_path / "l.csv").write_text("id,a\nw,1\nt,1\nu,2\n")
    labels = read_labels(tmp_path / "l.csv")
    with pytest.warns(FileContentWarning, match="blanks|words are read as missing"):
        beside = read_features(path, labels)
    assert beside["y"].tolist() == [3.5, 1, 2]
    assert np.isnan(beside["x"].iloc[2])
