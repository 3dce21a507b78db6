"""Excel files: the first sheet, names and ids as in text; what Excel cannot hold is refused."""

import sys

import openpyxl
import pandas as pd
import pytest

from partita.exceptions import FileFormatError, MissingExtraError
from partita.io import _excel, read_feature_table, read_labels, write_table


def write(path, *rows, sheets=1):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for _ in range(sheets - 1):
        book.create_sheet().append(["other", "sheet"])
    book.save(path)
    return path


def test_names_ids_numbers_and_holes_are_recognised(tmp_path):
    rows = [["cell", "a", "b"], ["001", 1, "x"], [], ["002", None, "y"], ["003", 2, None], [None, None, " "]]
    table = read_labels(write(tmp_path / "a.xlsx", *rows, sheets=2))
    assert table.ids.tolist() == ["001", "002", "003"]
    assert table.labels["a"].tolist()[::2] == [1, 2]
    assert table.labels.isna().sum().tolist() == [1, 1]


def test_a_sheet_without_names_has_them_made(tmp_path):
    table = read_labels(write(tmp_path / "a.xlsx", [1, 2], [1, 3], [2, 3]))
    assert not table.has_header
    assert table.labels.to_numpy().tolist() == [[1, 2], [1, 3], [2, 3]]
    assert len(read_labels(tmp_path / "a.xlsx", header=True).labels) == 2


def test_features_and_numbered_ids_are_read(tmp_path):
    table = read_feature_table(write(tmp_path / "a.xlsx", ["id", "x"], [11, 1.5], [12, 2], [13, 2.5]))
    assert table.ids.tolist() == [11, 12, 13]
    assert table.features["x"].tolist() == [1.5, 2, 2.5]


def test_an_empty_sheet_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"'a\.xlsx' is empty"):
        read_labels(write(tmp_path / "a.xlsx"))


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    path = write(tmp_path / "a.xlsx", [1, 2])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r'reading Excel files needs openpyxl.*pip install "partita\[excel\]"'):
        read_labels(path)


def test_what_excel_cannot_hold_is_refused(tmp_path, monkeypatch):
    for text, message in [("\x01", "with control characters"), ("x" * 40_000, "with 40000 characters does not fit")]:
        with pytest.raises(FileFormatError, match=message):
            write_table(tmp_path / "o.xlsx", pd.DataFrame({"id": [text], "label": [1]}))
    monkeypatch.setattr(_excel, "_MOST_ROWS", 3)
    with pytest.raises(FileFormatError, match="holds 2 rows below the names"):
        write_table(tmp_path / "o.xlsx", pd.DataFrame({"label": [1, 2, 3]}))
    assert list(tmp_path.iterdir()) == []


def test_missing_values_and_large_integers_are_written(tmp_path):
    labels = pd.DataFrame({"id": ["u", "v", "w"], "p": pd.array([1, None, 2**40], dtype="Int64")})
    write_table(tmp_path / "o.xlsx", labels)
    assert read_labels(tmp_path / "o.xlsx").labels["p"].tolist()[::2] == [1, 2**40]
