"""Formats by suffix, and the column of ids."""

from pathlib import Path

import pytest

from partita.exceptions import FileContentWarning, FileFormatError
from partita.io import read_labels
from partita.io._formats import format_of, is_number, listing
from tests.io.label_files import write


def test_an_unknown_format_is_refused_by_its_name(tmp_path):
    (tmp_path / "a.doc").write_bytes(b"x")
    with pytest.raises(FileFormatError, match=r"format of 'a\.doc' is not known from its name; use CSV, TSV"):
        read_labels(tmp_path / "a.doc")


@pytest.mark.parametrize(
    ("name", "kind"), [("a.csv", ".csv"), ("A.TSV.GZ", ".tsv"), ("my.labels.parquet", ".parquet"), ("a.npz", ".npz")]
)
def test_the_suffix_without_gz_is_the_format(name, kind):
    assert format_of(Path(name)) == kind


@pytest.mark.parametrize("name", ["a", "a.gz", "a.npy.gz", "a.parquet.gz", "csv"])
def test_names_without_a_known_suffix_have_no_format(name):
    with pytest.raises(FileFormatError, match="is not known from its name"):
        format_of(Path(name))


def test_the_last_column_stays_a_clustering_whatever_is_taken_as_ids(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"id,x\nu,1\nv,1\nw,2\n")
    assert read_labels(tmp_path / "a.csv").labels.shape == (3, 1)


def test_ids_are_recognised_or_given(tmp_path, rng):
    labels = rng.integers(0, 3, size=(20, 2)).astype(str).tolist()
    numbered = [[str(i), *row] for i, row in enumerate(labels)]
    path = write(tmp_path / "a.csv", [["first", "p", "q"], *numbered])
    assert read_labels(path).id_name == "first"  # all different, though its name is not one of ids
    assert read_labels(path, id_column=False).labels.shape == (20, 3)
    with pytest.warns(FileContentWarning, match="17 rows have an id that an earlier row has"):
        assert read_labels(path, id_column="q").labels.columns.tolist() == ["first", "p"]
    short = write(tmp_path / "b.csv", [["p", "q"], ["0", "1"], ["1", "1"], ["2", "1"]])
    assert read_labels(short).ids is None  # three different labels may be a clustering
    assert read_labels(short, id_column=True).id_name == "p"
    assert read_labels(short).object_ids().tolist() == [0, 1, 2]


def test_two_objects_have_ids_if_their_column_is_named_so(tmp_path):
    assert read_labels(write(tmp_path / "a.csv", [["id", "a"], ["x", "0"], ["y", "1"]])).labels.shape == (2, 1)


@pytest.mark.parametrize(
    ("cell", "number"), [("1", True), ("-2e3", True), (4, True), ("a", False), ("", False), (None, False)]
)
def test_a_number_is_what_can_be_read_as_one(cell, number):
    assert is_number(cell) is number


def test_a_listing_names_ten_and_counts_the_rest():
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing([str(j) for j in range(13)]).endswith("'8', '9' and 3 more")
