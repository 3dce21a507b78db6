"""Tables and arrays that are written in parts."""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

from partita.exceptions import FileFormatError
from partita.io import write_table
from partita.io._write_parts import array_in_parts, table_in_parts

TABLE = pd.DataFrame({"id": ["a", "=b", "c, d", 'e"', None], "label": np.array([0, 1, -1, 0, 2], dtype=np.int32)})


def in_parts(path, **options):
    with table_in_parts(path, **options) as append:
        for lo, hi in ((0, 2), (2, 3), (3, 5)):
            append(TABLE[lo:hi])


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.tab", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize("safe", [False, True])
def test_the_parts_together_are_the_table(tmp_path, name, safe):
    in_parts(tmp_path / name, spreadsheet_safe=safe)
    (tmp_path / "whole").mkdir()
    write_table(tmp_path / "whole" / name, TABLE, spreadsheet_safe=safe)
    if name == "t.parquet":
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / name), pd.read_parquet(tmp_path / "whole" / name))
        return
    opened = gzip.open if name.endswith(".gz") else open
    with opened(tmp_path / name, "rb") as one, opened(tmp_path / "whole" / name, "rb") as other:
        assert one.read() == other.read()


@pytest.mark.parametrize("shape", [(), (3,)])
def test_arrays(tmp_path, shape):
    array = np.arange(5 * int(np.prod(shape)), dtype=np.float32).reshape(5, *shape)
    with array_in_parts(tmp_path / "a.npy", 5) as append:
        append(array[:2])
        append(array[2:])
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, array)


def write_and_fail(path):
    with table_in_parts(path) as append:
        append(TABLE)
        raise ZeroDivisionError


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_failure_leaves_the_old_file(tmp_path, name):
    (tmp_path / name).write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_and_fail(tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_rows_that_are_missing_leave_the_old_array(tmp_path):
    with (
        pytest.raises(ValueError, match="was to have 5 rows, and 2 came"),
        array_in_parts(tmp_path / "a.npy", 5) as append,
    ):
        append(np.zeros(2))
    assert os.listdir(tmp_path) == []


def test_formats_that_cannot_be_appended_to_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="cannot be written in parts"), table_in_parts(tmp_path / "t.xlsx"):
        pass
