"""Label files of every kind, chosen columns, and what cannot be read."""

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError
from partita.io import read_labels
from tests.io.label_files import CODES, ROWS, write


def test_columns_are_chosen(tmp_path):
    path = write(tmp_path / "a.csv", [["cell", "p", "q"], *ROWS])
    assert read_labels(path, columns=["q"]).labels.columns.tolist() == ["q"]
    with pytest.raises(FileFormatError, match=r"'a.csv' has no column 'z'; it has 'p', 'q'"):
        read_labels(path, columns=["q", "z"])
    with pytest.raises(FileFormatError, match=r"no column 'z'; it has 'cell', 'p', 'q'"):
        read_labels(path, id_column="z")


def test_labels_and_ids_come_back_from_parquet(tmp_path):
    frame = pd.DataFrame({"p": [0, 0, 1, None], "q": ["x", None, "y", "y"]}, index=["a", "b", "c", "d"])
    frame.to_parquet(tmp_path / "a.parquet")
    table = read_labels(tmp_path / "a.parquet")
    assert list(table.ids) == ["a", "b", "c", "d"]
    assert check_label_matrix(table.labels).codes.tolist() == CODES


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_the_labels_of_numpy_files_are_read(tmp_path, name):
    X = np.array([[0, 5], [0, -1], [1, 6], [-1, 6]])
    np.save(tmp_path / "a.npy", X)
    np.savez(tmp_path / "a.npz", labels=X, other=X.T)
    assert check_label_matrix(read_labels(tmp_path / name).labels).codes.tolist() == CODES


REFUSED = {
    "no file": ("none.csv", None, FileNotFoundError, "there is no file"),
    "a folder": (".", None, IsADirectoryError, "is a folder"),
    "not Parquet": ("a.parquet", b"a,b\n", FileFormatError, "cannot be read as a Parquet file"),
    "not NumPy": ("a.npy", b"a,b\n", FileFormatError, "cannot be read"),
    "empty NumPy": ("a.npy", b"", FileFormatError, "is empty"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unreadable_files_are_refused(tmp_path, case):
    name, content, error, message = REFUSED[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        read_labels(tmp_path / name)


def test_unreadable_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object))
    with pytest.raises(FileFormatError, match="does not hold plain number or string arrays"):
        read_labels(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", one=np.eye(2), two=np.eye(3))
    with pytest.raises(FileFormatError, match=r"one named 'labels'; it holds one \(2, 2\), two \(3, 3\)"):
        read_labels(tmp_path / "b.npz")
