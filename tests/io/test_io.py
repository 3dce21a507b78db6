"""Files: what is recognised, what is refused, and that nothing is ever half-written."""

import gzip
import os
import stat

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError, MissingExtraError
from partita.io import check_output, read_labels, replacing, write_table

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
def test_text(tmp_path, name, separator, header):
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
    "a hole in the first line": ([["x", ""], ["z", "v"], ["y", "u"]], False),
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
    told = read_labels(tmp_path / "a.csv", id_column=False, header=not expected)
    assert len(told.labels) == len(rows) - (not expected)


def test_ids_are_recognised_or_told(tmp_path, rng):
    labels = rng.integers(0, 3, size=(20, 2)).astype(str).tolist()
    numbered = [[str(i), *row] for i, row in enumerate(labels)]
    path = write(tmp_path / "a.csv", [["first", "p", "q"], *numbered])
    assert read_labels(path).id_name == "first"  # all different, though its name says nothing
    assert read_labels(path, id_column=False).labels.shape == (20, 3)
    assert read_labels(path, id_column="q").labels.columns.tolist() == ["first", "p"]
    short = write(tmp_path / "b.csv", [["p", "q"], ["0", "1"], ["1", "1"], ["2", "1"]])
    assert read_labels(short).ids is None  # three different labels are no proof
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


LATE = "a,b\n" + "1,2\n" * 1500 + "1,2,3\n"  # ragged behind the lines that are looked at first

REFUSED = {
    "ragged late": (
        "a.csv",
        LATE.encode(),
        FileFormatError,
        "cannot be read as a table: Expected 2 fields in line 1502",
    ),
    "no file": ("none.csv", None, FileNotFoundError, "there is no file"),
    "a folder": (".", None, IsADirectoryError, "is a folder"),
    "unknown name": ("a.xlsx", b"x", FileFormatError, "format of 'a.xlsx' is not known by its name; CSV, TSV"),
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
    "repeated names": ("a.csv", b"a,a\n1,2\n1,2\n", FileFormatError, "more than one column called 'a'"),
    "not text": ("a.csv", bytes(range(256)), FileFormatError, "not a text file"),
    "not gzip": ("a.csv.gz", b"a,b\n", FileFormatError, "not a text file"),
    "not Parquet": ("a.parquet", b"a,b\n", FileFormatError, "not a Parquet file"),
    "not NumPy": ("a.npy", b"a,b\n", FileFormatError, "cannot be read"),
    "empty NumPy": ("a.npy", b"", FileFormatError, "cannot be read"),
    "ids only": ("a.csv", b"id,x\nu,1\nv,1\nw,2\n", None, None),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path, case):
    name, content, error, message = REFUSED[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    if error is None:  # the last column stays a clustering, whatever is taken as ids
        assert read_labels(tmp_path / name).labels.shape == (3, 1)
        return
    with pytest.raises(error, match=message):
        read_labels(tmp_path / name)


def test_refused_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object))
    with pytest.raises(FileFormatError, match="save plain number or string arrays"):
        read_labels(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", one=np.eye(2), two=np.eye(3))
    with pytest.raises(FileFormatError, match=r"one called 'labels'; it holds one \(2, 2\), two \(3, 3\)"):
        read_labels(tmp_path / "b.npz")


RESULT = pd.DataFrame({"cell": ["a", "b"], "label": [1, 0]})


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.npz"])
def test_written_tables_come_back(tmp_path, name):
    write_table(tmp_path / name, RESULT)
    assert os.listdir(tmp_path) == [name]
    if name == "o.npz":
        found = np.load(tmp_path / name)
        assert found["label"].tolist() == [1, 0]
        assert found["cell"].tolist() == ["a", "b"]
    else:
        back = (
            pd.read_parquet(tmp_path / name)
            if "parquet" in name
            else pd.read_csv(tmp_path / name, sep=None, engine="python")
        )
        assert back["cell"].tolist() == ["a", "b"]
        assert back["label"].tolist() == [1, 0]


def test_npy_keeps_the_labels(tmp_path):
    write_table(tmp_path / "o.npy", RESULT)
    assert np.load(tmp_path / "o.npy").tolist() == [1, 0]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "o.csv"
    target.write_text("old")
    target.chmod(0o640)

    def fail_half_way():
        with replacing(target) as beside:
            beside.write_text("half of the n")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail_half_way()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["o.csv"]
    with replacing(target) as beside:
        beside.write_text("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_outputs_are_refused_before_any_work(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* make it first"):
        check_output(tmp_path / "none" / "o.csv")
    with pytest.raises(FileFormatError, match=r"format of 'o.doc'"):
        check_output(tmp_path / "o.doc")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="name a file to write"):
        check_output(tmp_path / "d.csv")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="cannot be written"):
        check_output(tmp_path / "o.csv")


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'writing Parquet needs pyarrow.*pip install "partita\[parquet\]"'):
        check_output(tmp_path / "o.parquet")
