"""Written files: every format comes back, and a failure never leaves half a file."""

import os
import sys
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from partita import check_label_matrix
from partita.exceptions import FileFormatError, MissingExtraError
from partita.io import check_output, read_labels, write_matrix, write_table

RESULT = pd.DataFrame({"cell": ["a", "b"], "label": [1, 0]})


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.npz", "o.xlsx"])
def test_written_tables_come_back(tmp_path, name):
    write_table(tmp_path / name, RESULT)
    assert os.listdir(tmp_path) == [name]
    if name == "o.npz":
        found = np.load(tmp_path / name)
        assert found["label"].tolist() == [1, 0]
        assert found["cell"].tolist() == ["a", "b"]
    else:
        read = {"o.parquet": pd.read_parquet, "o.xlsx": pd.read_excel}.get(
            name, partial(pd.read_csv, sep=None, engine="python")
        )
        back = read(tmp_path / name)
        assert back["cell"].tolist() == ["a", "b"]
        assert back["label"].tolist() == [1, 0]


def test_npy_keeps_the_labels(tmp_path):
    write_table(tmp_path / "o.npy", RESULT)
    assert np.load(tmp_path / "o.npy").tolist() == [1, 0]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv.gz", "o.parquet", "o.npy", "o.npz", "o.xlsx"])
def test_written_label_matrices_come_back(tmp_path, name):
    labels = pd.DataFrame({"p": [0, 1, None], "q": [2, None, 0]}, dtype="Int64")
    write_matrix(tmp_path / name, labels, ids=pd.Series(["u", "v", "w"], name="cell"))
    table = read_labels(tmp_path / name)
    assert check_label_matrix(table.labels).codes.tolist() == [[0, 1], [1, -1], [-1, 0]]
    if name not in ("o.npy", "o.npz"):
        assert list(table.ids) == ["u", "v", "w"]
        assert table.labels.columns.tolist() == ["p", "q"]


def test_outputs_are_refused_before_any_work(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* create it first"):
        check_output(tmp_path / "none" / "o.csv")
    with pytest.raises(FileFormatError, match=r"format of 'o.doc'"):
        check_output(tmp_path / "o.doc")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="pass the name of a file to write"):
        check_output(tmp_path / "d.csv")
    (tmp_path / "r.csv").write_text("old")
    (tmp_path / "r.csv").chmod(0o444)
    with pytest.raises(PermissionError, match=r"r\.csv' is read-only; choose another name"):
        check_output(tmp_path / "r.csv")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="cannot be written to"):
        check_output(tmp_path / "o.csv")


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'writing Parquet needs pyarrow.*pip install "partita\[parquet\]"'):
        check_output(tmp_path / "o.parquet")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r'writing Excel files needs openpyxl.*pip install "partita\[excel\]"'):
        check_output(tmp_path / "o.xlsx")


FORMULAS = pd.DataFrame({"cell": ["=1+1", "+a", "-b", "@c", "-5", "#N/A", "plain"], "label": [-1, 0, 0, 0, 1, 1, 1]})


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.xlsx"])
def test_ids_that_look_like_formulas_stay_as_they_are(tmp_path, name):
    write_table(tmp_path / name, FORMULAS)
    assert read_labels(tmp_path / name).ids.tolist() == FORMULAS["cell"].tolist()


def test_formulas_are_marked_as_text_on_request(tmp_path):
    write_table(tmp_path / "o.csv", FORMULAS.rename(columns={"cell": "=x"}), spreadsheet_safe=True)
    back = pd.read_csv(tmp_path / "o.csv", keep_default_na=False)
    assert back["'=x"].tolist() == ["'=1+1", "'+a", "'-b", "'@c", "-5", "#N/A", "plain"]
    assert back["label"].tolist() == FORMULAS["label"].tolist()
    write_matrix(tmp_path / "m.csv", FORMULAS[["label"]], ids=FORMULAS["cell"], spreadsheet_safe=True)
    assert (tmp_path / "m.csv").read_text().splitlines()[1] == "'=1+1,-1"
    write_table(tmp_path / "o.xlsx", FORMULAS, spreadsheet_safe=True)
    assert read_labels(tmp_path / "o.xlsx").ids.tolist() == FORMULAS["cell"].tolist()


def test_standard_output_takes_csv_in_utf8(capsysbinary):
    write_table("-", pd.DataFrame({"cell": ["\u00fc"], "label": [1]}))
    write_matrix("-", pd.DataFrame({"p": [1]}), ids=pd.Series(["v"], name="cell"))
    assert capsysbinary.readouterr().out.decode() == "cell,label\n\u00fc,1\ncell,p\nv,1\n"


def test_standard_output_without_bytes_takes_text(monkeypatch):
    shown = StringIO()
    monkeypatch.setattr("sys.stdout", shown)
    write_table("-", RESULT)
    assert shown.getvalue() == "cell,label\na,1\nb,0\n"


def test_text_files_have_the_same_bytes_on_every_system(tmp_path, monkeypatch, capsysbinary):
    table = pd.DataFrame({"cell": ["a", "b"], "label": [1, 0]})
    monkeypatch.setattr(os, "linesep", "\r\n")  # as on Windows
    write_table(tmp_path / "o.csv", table)
    write_table("-", table)
    assert (tmp_path / "o.csv").read_bytes() == capsysbinary.readouterr().out == b"cell,label\na,1\nb,0\n"
