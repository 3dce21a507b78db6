"""Label files: what is recognised and what is refused."""

import gzip

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError
from partita.io import read_labels

ROWS = [["cell-01", "0", "x"], ["cell-02", "0", ""], ["cell-03", "1", "y"], ["cell-04", "", "y"]]
CODES = [[0, 0], [0, -1], [1, 1], [-1, 1]]


def write(path, rows, separator=","):
    text = "\n".join(separator.join(row) for row in rows) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "separator"),
    [
        ("a.csv", ","),
        ("a.csv", ";"),
        ("a.tsv", "\t"),
        ("a.csv", "|"),
        ("a.txt", "\t"),
        ("a.csv.gz", ","),
        ("A.TSV", "\t"),
    ],
)
@pytest.mark.parametrize("header", [["cell", "run 1", "run 2"], ["", "run 1", "run 2"], None])
def test_text_files_with_any_separator_and_header(tmp_path, name, separator, header):
    table = read_labels(write(tmp_path / name, ([header] if header else []) + ROWS, separator))
    assert check_label_matrix(table.labels).codes.tolist() == CODES
    assert list(table.ids) == [row[0] for row in ROWS]
    assert list(table.labels.columns) == (["run 1", "run 2"] if header else ["c0", "c1"])
    assert table.has_header == bool(header)


def test_leading_zeros_of_ids_stay(tmp_path):
    rows = [["id", "a", "b"], ["001", "1", "2"], ["002", "1", "2"], ["010", "2", "NA"]]
    table = read_labels(write(tmp_path / "a.csv", rows))
    assert list(table.ids) == ["001", "002", "010"]
    assert table.id_name == "id"


def test_blank_lines_byte_order_mark_and_windows_line_ends(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeff\r\n\r\ncell,a,b\r\nu,1,2\r\n\r\nv,1,\r\nw,2,2\r\n".encode())
    table = read_labels(path)
    assert table.labels.shape == (3, 2)
    assert list(table.ids) == ["u", "v", "w"]


HEADERS = {
    "numbers below names": ([["a", "b"], ["1", "2"], ["1", "3"]], True),
    "numbers only": ([["1", "2"], ["1", "3"], ["2", "2"]], False),
    "text that recurs": ([["x", "u"], ["x", "v"], ["y", "u"]], False),
    "text below other text": ([["run1", "run2"], ["x", "v"], ["y", "u"], ["x", "u"]], True),
    "a missing label in the first line": ([["x", ""], ["z", "v"], ["y", "u"]], False),
    "numbered columns": ([["0", "1", "2"], ["4", "4", "3"], ["4", "3", "3"]], True),
    "an empty name above numbers": ([["a", "b", ""], ["1", "1", ""], ["1", "3", ""]], True),
    "negative one": ([["-1", "1"], ["1", "1"], ["1", "-1"]], False),
}


@pytest.mark.parametrize("case", HEADERS)
def test_header_is_recognised(tmp_path, case):
    rows, expected = HEADERS[case]
    table = read_labels(write(tmp_path / "a.csv", rows), id_column=False)
    assert table.has_header is expected
    assert len(table.labels) == len(rows) - expected
    given = read_labels(tmp_path / "a.csv", id_column=False, header=not expected)
    assert len(given.labels) == len(rows) - (not expected)


def test_ids_are_recognised_or_given(tmp_path, rng):
    labels = rng.integers(0, 3, size=(20, 2)).astype(str).tolist()
    numbered = [[str(i), *row] for i, row in enumerate(labels)]
    path = write(tmp_path / "a.csv", [["first", "p", "q"], *numbered])
    assert read_labels(path).id_name == "first"  # all different, though its name is not one of ids
    assert read_labels(path, id_column=False).labels.shape == (20, 3)
    assert read_labels(path, id_column="q").labels.columns.tolist() == ["first", "p"]
    short = write(tmp_path / "b.csv", [["p", "q"], ["0", "1"], ["1", "1"], ["2", "1"]])
    assert read_labels(short).ids is None  # three different labels may be a clustering
    assert read_labels(short, id_column=True).id_name == "p"
    assert read_labels(short).object_ids().tolist() == [0, 1, 2]


def test_ids_that_look_missing_stay(tmp_path):
    rows = [["id", "a", "b"], ["NA", "0", "0"], ["null", "0", "0"], ["x3", "1", "1"]]
    assert list(read_labels(write(tmp_path / "a.csv", rows)).ids) == ["NA", "null", "x3"]


def test_ids_of_two_objects(tmp_path):
    assert read_labels(write(tmp_path / "a.csv", [["id", "a"], ["x", "0"], ["y", "1"]])).labels.shape == (2, 1)


def test_a_separator_at_the_end_of_lines_makes_no_clustering(tmp_path):
    table = read_labels(write(tmp_path / "a.csv", [["a", "b", ""], ["0", "0", ""], ["1", "1", ""], ["1", "1", ""]]))
    assert table.labels.columns.tolist() == ["a", "b"]
    assert len(table.labels) == 3


def test_an_empty_line_of_one_column_is_an_object_without_label(tmp_path):
    (tmp_path / "a.csv").write_text("a\n0\n\n1\n1\n\n\n")
    assert check_label_matrix(read_labels(tmp_path / "a.csv").labels).codes.ravel().tolist() == [0, -1, 1, 1]


def test_one_column(tmp_path):
    table = read_labels(write(tmp_path / "a.csv", [["label"], ["0"], ["1"], ["1"]]))
    assert table.labels.shape == (3, 1)


def test_columns_are_chosen(tmp_path):
    path = write(tmp_path / "a.csv", [["cell", "p", "q"], *ROWS])
    assert read_labels(path, columns=["q"]).labels.columns.tolist() == ["q"]
    with pytest.raises(FileFormatError, match=r"'a.csv' has no column 'z'; it has 'p', 'q'"):
        read_labels(path, columns=["q", "z"])
    with pytest.raises(FileFormatError, match=r"no column 'z'; it has 'cell', 'p', 'q'"):
        read_labels(path, id_column="z")


def test_parquet(tmp_path):
    frame = pd.DataFrame({"p": [0, 0, 1, None], "q": ["x", None, "y", "y"]}, index=["a", "b", "c", "d"])
    frame.to_parquet(tmp_path / "a.parquet")
    table = read_labels(tmp_path / "a.parquet")
    assert list(table.ids) == ["a", "b", "c", "d"]
    assert check_label_matrix(table.labels).codes.tolist() == CODES


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_numpy(tmp_path, name):
    X = np.array([[0, 5], [0, -1], [1, 6], [-1, 6]])
    np.save(tmp_path / "a.npy", X)
    np.savez(tmp_path / "a.npz", labels=X, other=X.T)
    assert check_label_matrix(read_labels(tmp_path / name).labels).codes.tolist() == CODES


LATE = "a,b\n" + "1,2\n" * 1500 + "1,2,3\n"  # ragged after the lines by which the file is recognised

REFUSED = {
    "ragged late": (
        "a.csv",
        LATE.encode(),
        FileFormatError,
        "cannot be read as a table: Expected 2 fields in line 1502",
    ),
    "no file": ("none.csv", None, FileNotFoundError, "there is no file"),
    "a folder": (".", None, IsADirectoryError, "is a folder"),
    "unknown name": ("a.xlsx", b"x", FileFormatError, "format of 'a.xlsx' is not known from its name; use CSV, TSV"),
    "empty": ("a.csv", b"", FileFormatError, "'a.csv' is empty"),
    "only blanks": ("a.csv", b"\n\n  \n", FileFormatError, "is empty"),
    "names only": ("a.csv", b"run1,run2\n", FileFormatError, "no rows"),
    "ragged": (
        "a.csv",
        b"a,b\n1,2\n1,2,3\n",
        FileFormatError,
        "row 3 has 3 fields and the first row has 2",
    ),
    "more columns than names": (
        "a.csv",
        b"a,b\n1,2,3\n1,2,3\n",
        FileFormatError,
        "row 2 has 3 fields and the first row has 2",
    ),
    "repeated names": ("a.csv", b"a,a\n1,2\n1,2\n", FileFormatError, "more than one column named 'a'"),
    "not text": ("a.csv", bytes(range(256)), FileFormatError, "not a text file"),
    "not gzip": ("a.csv.gz", b"a,b\n", FileFormatError, "not a text file"),
    "not Parquet": ("a.parquet", b"a,b\n", FileFormatError, "not a Parquet file"),
    "not NumPy": ("a.npy", b"a,b\n", FileFormatError, "cannot be read"),
    "empty NumPy": ("a.npy", b"", FileFormatError, "cannot be read"),
    "ids only": ("a.csv", b"id,x\nu,1\nv,1\nw,2\n", None, None),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unreadable_files_are_refused(tmp_path, case):
    name, content, error, message = REFUSED[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    if error is None:  # the last column stays a clustering, whatever is taken as ids
        assert read_labels(tmp_path / name).labels.shape == (3, 1)
        return
    with pytest.raises(error, match=message):
        read_labels(tmp_path / name)


def test_unreadable_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object))
    with pytest.raises(FileFormatError, match="save plain number or string arrays"):
        read_labels(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", one=np.eye(2), two=np.eye(3))
    with pytest.raises(FileFormatError, match=r"one named 'labels'; it holds one \(2, 2\), two \(3, 3\)"):
        read_labels(tmp_path / "b.npz")
