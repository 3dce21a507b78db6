"""Written files: every format comes back, and a failure never leaves half a file."""

import os
import stat
import sys

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError, MissingExtraError
from partita.io import check_output, read_labels, replacing, write_matrix, write_table

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


@pytest.mark.parametrize("name", ["o.csv", "o.tsv.gz", "o.parquet", "o.npy", "o.npz"])
def test_written_label_matrices_come_back(tmp_path, name):
    labels = pd.DataFrame({"p": [0, 1, None], "q": [2, None, 0]}, dtype="Int64")
    write_matrix(tmp_path / name, labels, ids=pd.Series(["u", "v", "w"], name="cell"))
    table = read_labels(tmp_path / name)
    assert check_label_matrix(table.labels).codes.tolist() == [[0, 1], [1, -1], [-1, 0]]
    if name not in ("o.npy", "o.npz"):
        assert list(table.ids) == ["u", "v", "w"]
        assert table.labels.columns.tolist() == ["p", "q"]


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
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* create it first"):
        check_output(tmp_path / "none" / "o.csv")
    with pytest.raises(FileFormatError, match=r"format of 'o.doc'"):
        check_output(tmp_path / "o.doc")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="pass the name of a file to write"):
        check_output(tmp_path / "d.csv")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="cannot be written to"):
        check_output(tmp_path / "o.csv")


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'writing Parquet needs pyarrow.*pip install "partita\[parquet\]"'):
        check_output(tmp_path / "o.parquet")
