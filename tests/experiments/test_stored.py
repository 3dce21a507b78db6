import json

import numpy as np
import pytest

from partita.exceptions import FileFormatError
from partita.experiments._cells import Cell, Outcome, compute, outcomes
from partita.experiments._stored import Stored, pack, unpack
from tests.experiments.made_up_cells import dies, fails, squares

THREE = Cell("three", squares, {"numbers": [1, 2, 3]})
NOTHING = Cell("nothing", fails, {})


def test_a_cell_that_raises_is_recorded_in_one_line():
    outcome = compute(NOTHING)
    assert outcome.error is not None
    assert outcome.error.startswith("ValueError: there is nothing to compute")
    assert outcome.rows == []


@pytest.mark.parametrize("jobs", [None, 2])
def test_the_other_cells_go_on(jobs):
    found = {cell.name: outcome for cell, outcome in outcomes([NOTHING, THREE], jobs)}
    assert [row["value"] for row in found["three"].rows] == [1, 4, 9]
    assert found["three"].error is None


def test_a_cell_that_ends_its_process_is_recorded():
    found = {cell.name: outcome for cell, outcome in outcomes([Cell("gone", dies, {}), THREE], 1)}
    assert found["gone"].error == "its process ended (exit code 3)"
    assert found["three"].error is None


def test_what_is_stored_is_read_again(tmp_path):
    stored = Stored.at(tmp_path, "made-up", quick=False)
    stored.add(THREE, compute(THREE))
    stored.add(NOTHING, compute(NOTHING))
    again = Stored.at(tmp_path, "made-up", quick=False)
    assert again.table["value"].tolist() == [1, 4, 9]
    assert again.is_current(THREE)
    assert not again.is_current(NOTHING)  # a cell that failed is tried again
    assert again.errors == [f"nothing: {compute(NOTHING).error}"]
    assert again.about["versions"].keys() >= {"partita", "numpy", "python"}
    assert json.loads((tmp_path / "made-up.json").read_text())["cells"]["three"]["settings"] == {"numbers": [1, 2, 3]}


def test_other_settings_or_versions_are_computed_again(tmp_path, monkeypatch):
    stored = Stored.at(tmp_path, "made-up", quick=False)
    stored.add(THREE, compute(THREE))
    assert not stored.holds(THREE._replace(settings={"numbers": [1, 2]}))
    monkeypatch.setattr("partita.__version__", "99.0")
    assert stored.holds(THREE)
    assert not stored.is_current(THREE)


def test_quick_results_have_a_file_of_their_own(tmp_path):
    Stored.at(tmp_path, "made-up", quick=True).add(THREE, compute(THREE))
    assert not Stored.at(tmp_path, "made-up", quick=False).cells
    assert (tmp_path / "made-up.quick.json").exists()


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    stored = Stored.at(tmp_path, "made-up", quick=False)
    stored.add(THREE, compute(THREE))
    before = (tmp_path / "made-up.json").read_bytes()

    def full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full_disk)
    with pytest.raises(OSError, match="what was there before is unchanged"):
        stored.add(Cell("four", squares, {"numbers": [4]}), compute(THREE))
    assert (tmp_path / "made-up.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["made-up.json"]


@pytest.mark.parametrize("content", ["", "{", '{"experiment": "other", "cells": {}, "about": {}}', "[]"])
def test_a_damaged_file_is_refused_and_stays(tmp_path, content):
    (tmp_path / "made-up.json").write_text(content)
    with pytest.raises(FileFormatError, match="move it away"):
        Stored.at(tmp_path, "made-up", quick=False)
    assert (tmp_path / "made-up.json").read_text() == content


def test_numbers_that_json_has_not_become_null(tmp_path):
    stored = Stored.at(tmp_path, "made-up", quick=False)
    rows = [{"method": "a", "x": np.nan, "y": np.float64(1 / 3), "k": np.int64(2)}, {"method": "b", "x": np.inf}]
    stored.add(THREE, Outcome(rows, {}, 0.0))
    again = Stored.at(tmp_path, "made-up", quick=False).table
    assert again["x"].isna().all()
    assert again["y"].iloc[0] == pytest.approx(0.333333)
    assert again["k"].iloc[0] == 2


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64, np.int64, ">f8"])
def test_arrays_survive(dtype):
    array = np.arange(12).reshape(3, 4).astype(dtype)
    stored = json.loads(json.dumps(pack(array)))
    np.testing.assert_array_equal(unpack(stored), array)


def test_fits_that_failed_are_counted():
    stored = Stored(None, "made-up", quick=False)
    rows = [{"method": "a", "error": "no"}, {"method": "a", "error": "no"}, {"method": "b", "value": 1.0}]
    stored.add(THREE, Outcome(rows, {}, 0.0))
    assert stored.errors == ["a failed 2 times in 1 cells, first: no"]


def test_a_fit_that_failed_is_tried_again():
    stored = Stored(None, "made-up", quick=False)
    stored.add(THREE, Outcome([{"method": "a", "error": "no"}], {}, 0.0))
    assert stored.holds(THREE)
    assert not stored.is_current(THREE)
    stored.add(THREE, Outcome([{"method": "a", "error": None, "value": 1.0}], {}, 0.0))
    assert stored.is_current(THREE)


def test_what_was_left_out_is_told_with_its_count():
    stored = Stored(None, "made-up", quick=False)
    for name in ("one", "two"):
        stored.add(THREE._replace(name=name), Outcome([], {}, 0.0, notes=("2 clusterings by metis failed",)))
    assert stored.errors == ["2 clusterings by metis failed (2 cells)"]


def test_two_runs_on_one_file_lose_nothing(tmp_path):
    first, second = (Stored.at(tmp_path, "made-up", quick=False) for _ in range(2))
    first.add(THREE, compute(THREE))
    second.add(THREE._replace(name="four"), compute(THREE))
    assert set(Stored.at(tmp_path, "made-up", quick=False).cells) == {"three", "four"}


def test_a_cell_that_is_not_whole_is_refused(tmp_path):
    Stored.at(tmp_path, "made-up", quick=False).add(THREE, compute(THREE))
    path = tmp_path / "made-up.json"
    path.write_text(path.read_text().replace('"error"', '"eror"'))
    with pytest.raises(FileFormatError, match="cell 'three' is not whole"):
        Stored.at(tmp_path, "made-up", quick=False)
