"""What a column of a table is, and how it becomes numbers."""

import datetime

import numpy as np
import pandas as pd
import pytest

from partita.exceptions import FileFormatError
from partita.io import read_feature_table
from partita.io._feature_columns import describe_columns, needs, to_numbers

DAY = datetime.date(2024, 1, 31)
DATES = {
    "iso": ["2024-01-31", "2024-02-01", "2024-02-02"],
    "with time": ["2024-01-31T10:00:00Z", "2024-02-01 11:30", "2024-02-02 12:00:01.5"],
    "german": ["31.1.2024", "1.2.2024", "2.2.24"],
    "american": ["1/31/2024", "2/1/2024", "2/2/2024"],
    "in words": ["31 Jan 2024", "1 February 2024", "2-Mar-24"],
    "month first": ["January 31, 2024", "Feb 1, 2024", "Mar 2, 2024"],
    "time": ["10:00", "11:30", "23:59:59"],
    "numbers": [20240131, 20240201, 20240202],
    "typed": pd.to_datetime(["2024-01-31", "2024-02-01", "2024-02-02"]),
    "objects": [DAY, DAY, DAY],
    "durations": pd.to_timedelta([1, 2, 3], unit="D"),
    "with holes": ["2024-01-31", None, "2024-02-02"],
}
NO_DATES = {
    "versions": ["1.2", "1.3", "2.0"],
    "words": ["may", "june", "march"],
    "years": [2022, 2023, 2024],
    "large": [20240199, 20240201, 20240202],
    "few": [20240131, None, None],
    "truth": [True, False, True],
}


def kind_of(values, name="a"):
    return describe_columns(pd.DataFrame({name: values}))[0].kind


@pytest.mark.parametrize("case", DATES)
def test_dates_are_recognised(case):
    assert kind_of(DATES[case]) == "date"


@pytest.mark.parametrize("case", NO_DATES)
def test_other_columns_are_no_dates(case):
    assert kind_of(NO_DATES[case]) != "date"


def test_a_number_that_the_user_names_is_a_number():
    frame = pd.DataFrame({"day": [20240131, 20240201, 20240202], "shop_id": [1, 1, 2], "when": ["10:00"] * 3})
    assert [column.kind for column in describe_columns(frame)] == ["date", "id", "date"]
    wanted = describe_columns(frame, ["day", "shop_id", "when"])
    assert [column.kind for column in wanted] == ["number", "number", "date"]


def test_holes_are_filled_and_text_becomes_columns():
    frame = pd.DataFrame({"x": [1.0, None, 4.0, 7.0], "kind": ["a", "b", None, "b"], "one": [2, 2, 2, 2]})
    found = describe_columns(frame)
    for impute, filled in (("median", 4.0), ("mean", 4.0)):
        table = to_numbers(frame, found, "t.csv", impute=impute, encode=True)
        assert table.columns.tolist() == ["x", "kind=a", "kind=b", "one"]
        assert table["x"].tolist() == [1.0, filled, 4.0, 7.0]
        assert table["kind=b"].tolist() == [0, 1, 1, 1]
        assert (table.dtypes == np.float64).all()
    assert needs(found, 4) == ([], ["kind"], ["x", "kind"])


def test_mean_and_median_differ():
    frame = pd.DataFrame({"x": [0.0, 0.0, 9.0, None]})
    found = describe_columns(frame)
    assert to_numbers(frame, found, "t", impute="median", encode=False)["x"][3] == 0
    assert to_numbers(frame, found, "t", impute="mean", encode=False)["x"][3] == 3
    with pytest.raises(ValueError, match="impute='zero' is not known"):
        to_numbers(frame, found, "t", impute="zero", encode=False)


def test_what_cannot_be_filled_or_encoded_is_named():
    n = 60
    frame = pd.DataFrame({"note": [f"n{i}" for i in range(n)], "none": [None] * n, "x": np.arange(n) / 7})
    with pytest.raises(FileFormatError, match=r"'note' .n0, n1, n2, .*No values: 'none'.*drop=\['note', 'none'\]"):
        to_numbers(frame, describe_columns(frame), "t.csv", impute="mean", encode=True)


def test_ids_are_found_by_name_in_any_column(tmp_path):
    pd.DataFrame({"x": [0.5, 1.5, 2.5], "customer_id": [31, 12, 7], "y": [1, 2, 2]}).to_csv(tmp_path / "a.csv")
    table = read_feature_table(tmp_path / "a.csv", drop=["unnamed"])
    assert list(table.ids) == ["31", "12", "7"]
    assert table.features.columns.tolist() == ["x", "y"]


def test_a_measurement_is_no_id_whatever_its_name(tmp_path):
    pd.DataFrame({"sample": [0.5, 1.5, 2.5], "y": [1, 2, 2]}).to_csv(tmp_path / "a.csv", index=False)
    assert read_feature_table(tmp_path / "a.csv").ids is None
