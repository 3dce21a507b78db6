"""Text files of labels: separator, header and missing labels are recognised, what is no table is refused."""

import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError
from partita.io import read_feature_table, read_labels
from tests.io.label_files import CODES, ROWS, write


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


def test_ids_that_look_missing_stay(tmp_path):
    rows = [["id", "a", "b"], ["NA", "0", "0"], ["null", "0", "0"], ["x3", "1", "1"]]
    assert list(read_labels(write(tmp_path / "a.csv", rows)).ids) == ["NA", "null", "x3"]


def test_a_separator_at_the_end_of_lines_makes_no_clustering(tmp_path):
    table = read_labels(write(tmp_path / "a.csv", [["a", "b", ""], ["0", "0", ""], ["1", "1", ""], ["1", "1", ""]]))
    assert table.labels.columns.tolist() == ["a", "b"]
    assert len(table.labels) == 3


def test_an_empty_line_of_one_column_is_an_object_without_label(tmp_path):
    (tmp_path / "a.csv").write_text("a\n0\n\n1\n1\n\n\n")
    assert check_label_matrix(read_labels(tmp_path / "a.csv").labels).codes.ravel().tolist() == [0, -1, 1, 1]


def test_one_column_is_one_clustering(tmp_path):
    table = read_labels(write(tmp_path / "a.csv", [["label"], ["0"], ["1"], ["1"]]))
    assert table.labels.shape == (3, 1)


LATE = "a,b\n" + "1,2\n" * 1500 + "1,2,3\n"  # ragged after the lines by which the file is recognised


REFUSED = {
    "ragged late": ("a.csv", LATE.encode(), "line 1502 has 3 fields"),
    "empty": ("a.csv", b"", "'a.csv' is empty"),
    "only blanks": ("a.csv", b"\n\n  \n", "is empty"),
    "names only": ("a.csv", b"run1,run2\n", "no rows"),
    "ragged": ("a.csv", b"a,b\n1,2\n1,2,3\n", "line 3 has 3 fields and the first row has 2"),
    "more columns than names": ("a.csv", b"a,b\n1,2,3\n1,2,3\n", "line 2 has 3 fields and the first row has 2"),
    "repeated names": ("a.csv", b"a,a\n1,2\n1,2\n", "more than one column named 'a'"),
    "not text": ("a.csv", bytes(range(256)), "not a text file"),
    "not gzip": ("a.csv.gz", b"a,b\n", "cannot be read as a gzip file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_text_that_is_not_a_table_is_refused(tmp_path, case):
    name, content, message = REFUSED[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_labels(tmp_path / name)


@pytest.mark.parametrize("read", [read_labels, read_feature_table])
def test_lines_of_blanks_are_refused_in_words(tmp_path, read):
    (tmp_path / "x.tsv").write_bytes(b"x \n ")
    with pytest.raises(FileFormatError, match=r"x\.tsv"):
        read(tmp_path / "x.tsv")


def test_a_given_separator_is_used_instead_of_the_one_that_would_be_recognised(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;a;b\nx,1;1;2\ny,2;1;3\nz,3;2;3\n")
    assert list(read_labels(path, separator=";").labels.columns) == ["a", "b"]
    path.write_text("a/b\n1/2\n1/3\n2/3\n")
    assert list(read_labels(path).labels.columns) == ["a/b"]
    assert read_labels(path, separator="/").labels.to_numpy().tolist() == [[1, 2], [1, 3], [2, 3]]
    assert list(read_feature_table(path, separator="/").features.columns) == ["a", "b"]
    path.write_text("a\tb\n1\t2\n1\t3\n")
    for tab in ("tab", "\\t", "\t"):
        assert list(read_labels(path, separator=tab).labels.columns) == ["a", "b"]


@pytest.mark.parametrize("separator", ["", "ab", '"', "\n", "é", 3])
def test_what_is_no_separator_is_refused(tmp_path, separator):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"separator=.* is not allowed; pass one character"):
        read_labels(path, separator=separator)
