"""Curves over a parameter."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from scipy import stats

from partita import EAC
from partita.metrics import adjusted_rand_score, average_nmi_score
from partita.plotting import CurveDisplay
from partita.plotting._curve_fits import Task, _fewer_columns, _fewer_labels
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


@pytest.fixture
def table(rng):
    rows = [(name, x, rng.normal(x)) for name in ("b", "a") for x in (1, 2, 5) for _ in range(6)]
    return pd.DataFrame(rows, columns=["method", "x", "y"])


@pytest.fixture
def X():
    return noisy_ensemble((20, 15, 10), 10, 0.2).X


@pytest.mark.parametrize("spread", ["std", "quartiles", "standard_error"])
def test_repeats_are_summarised(table, spread):
    display = CurveDisplay.from_table(table, x="x", y="y", by="method", spread=spread)
    assert display.names == ["b", "a"]
    assert display.x.tolist() == [1, 2, 5]
    for row, name in enumerate(display.names):
        for column, x in enumerate(display.x):
            values = table.y[(table.method == name) & (table.x == x)].to_numpy()
            if spread == "quartiles":
                expected = np.quantile(values, [0.5, 0.25, 0.75])
            else:
                width = values.std(ddof=1) if spread == "std" else stats.sem(values)
                expected = values.mean() + np.array([0, -width, width])
            found = [part[row, column] for part in (display.y, display.low, display.high)]
            np.testing.assert_allclose(found, expected)


def test_single_measurements_and_holes():
    frame = {"x": [1, 2, 2, 3], "y": [1.0, 2.0, np.nan, 5.0], "m": ["a", "a", "b", "b"]}
    display = CurveDisplay.from_table(frame, x="x", y="y", by="m")
    np.testing.assert_array_equal(display.y, [[1, 2, np.nan], [np.nan, np.nan, 5]])
    np.testing.assert_array_equal(display.low, display.y)
    assert display.note == ""
    display.plot()
    assert [line.get_xdata().tolist() for line in display.ax_.lines] == [[1, 2], [3]]
    assert_legible(display.figure_)


def test_polars_frames_are_read(table):
    a = CurveDisplay.from_table(table, x="x", y="y", by="method")
    b = CurveDisplay.from_table(pl.DataFrame(table.to_dict("list")), x="x", y="y", by="method")
    np.testing.assert_array_equal(a.y, b.y)
    assert a.names == b.names


# --------------------------------------------------------------------------------------------------------- from labels
def test_fewer_clusterings_against_all(X):
    display = CurveDisplay.from_labels(X, methods=["eac"], values=[2, 10], n_repeats=3, n_clusters=3)
    assert display.y[0, 1] == 1.0
    assert display.high[0, 1] == display.low[0, 1] == 1.0
    assert display.y[0, 0] < 1.0


def test_scores_are_those_of_a_plain_loop(X):
    whole_rows = X[(X >= 0).all(axis=1)]
    display = CurveDisplay.from_labels(
        whole_rows, methods=["eac"], values=[3, 6], n_repeats=2, n_clusters=3, random_state=5
    )
    seeds = np.random.RandomState(5).randint(np.iinfo(np.int32).max, size=4)[:2]
    expected = []
    for value in (3, 6):
        drawn = [_fewer_columns(whole_rows, Task("eac", "eac", value, int(seed))) for seed in seeds]
        labels = [EAC(3).fit_predict(columns) for columns in drawn]
        expected.append(np.mean([adjusted_rand_score(EAC(3).fit_predict(whole_rows), found) for found in labels]))
    np.testing.assert_allclose(display.y[0], expected)


def test_what_is_left_out_is_drawn_at_random():
    codes = np.arange(400).reshape(40, 10).astype(np.int32)
    columns = _fewer_columns(codes, Task("", "", 4, 1))
    assert columns.shape == (40, 4)
    assert set(columns[0]) <= set(range(10))
    assert _fewer_columns(codes, Task("", "", 4, 2)).tolist() != columns.tolist()
    hidden = _fewer_labels(codes, Task("", "", 0.3, 1))
    more = _fewer_labels(codes, Task("", "", 0.6, 1))
    assert 0.2 < (hidden < 0).mean() < 0.4
    assert (more[hidden < 0] < 0).all()
    assert (hidden[hidden >= 0] == codes[hidden >= 0]).all()


def test_hidden_labels_lower_the_agreement(X):
    display = CurveDisplay.from_labels(X, "missing", methods=["eac"], values=[0, 0.9], n_repeats=3, n_clusters=3)
    assert display.y[0, 0] == 1.0
    assert display.y[0, 1] < 0.8


def test_numbers_of_clusters(X):
    display = CurveDisplay.from_labels(X, "n_clusters", methods=["eac"], values=[2, 3, 4], n_repeats=1)
    expected = [average_nmi_score(X, EAC(k).fit_predict(X)) for k in (2, 3, 4)]
    np.testing.assert_allclose(display.y[0], expected)


def test_shares_of_pairs(X):
    display = CurveDisplay.from_labels(X, "pairs", values=[0.3, 1.0], n_repeats=2, n_clusters=3)
    assert display.names == ["pcc"]
    assert display.y[0, 1] > 0.9


def test_threads_do_not_change_the_result(X):
    one = CurveDisplay.from_labels(X, values=[3, 6], n_repeats=2, n_clusters=3)
    two = CurveDisplay.from_labels(X, values=[3, 6], n_repeats=2, n_clusters=3, n_jobs=2)
    np.testing.assert_array_equal(one.y, two.y)


def test_many_objects_are_a_sample_and_one_cluster_becomes_two(rng):
    noise = rng.integers(3, size=(300, 6))
    display = CurveDisplay.from_labels(noise, methods=["voting"], values=[6], n_repeats=1, max_objects=200)
    assert "a sample of 200 of 300 objects" in display.note
    assert "2 clusters, although the rule finds one" in display.note


def test_methods_are_named_by_the_user(X):
    display = CurveDisplay.from_labels(
        X,
        methods={"average": EAC(linkage="average"), "ward": EAC(linkage="ward")},
        values=[10],
        n_repeats=1,
        n_clusters=3,
    )
    assert display.names == ["average", "ward"]


# -------------------------------------------------------------------------------------------------------------- drawing
def test_curves_are_legible_and_told_apart_without_colours():
    rows = [(f"$m_{i} with a very long name indeed", x, i + x) for i in range(12) for x in (1, 10)]
    display = CurveDisplay.from_table(pd.DataFrame(rows, columns=["m", "x", "y"]), x="x", y="y", by="m").plot()
    assert_legible(display.figure_)
    lines = display.ax_.lines
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines[:10]}) == 10


def test_bands_hold_the_spread(table):
    display = CurveDisplay.from_table(table, x="x", y="y", by="method").plot()
    assert len(display.ax_.collections) == 2
    corners = display.ax_.collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(display.low[0].min())
    assert corners[:, 1].max() == pytest.approx(display.high[0].max())
    figure, ax = pyplot.subplots(layout="constrained")
    display.plot(ax)
    assert_legible(figure)


# --------------------------------------------------------------------------------------------------------------- errors
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"over": "rows"}, "over='rows' is not known"),
        ({"values": [0]}, "whole numbers from 1 to 10"),
        ({"values": [11]}, "whole numbers from 1 to 10"),
        ({"values": ["a"]}, "must be numbers"),
        ({"values": []}, "are not allowed"),
        ({"over": "missing", "values": [1.0]}, "shares from 0 to below 1"),
        ({"over": "pairs", "values": [0.0]}, "shares above 0"),
        ({"over": "n_clusters", "methods": ["nbce"]}, "nbce has no n_clusters"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"n_clusters": 1}, "whole number from 2"),
        ({"methods": ["no"]}, "no method 'no'"),
        ({"methods": []}, "at least one"),
    ],
)
def test_wrong_options_are_refused(X, options, words):
    with pytest.raises(ValueError, match=words):
        CurveDisplay.from_labels(X, **options)


def test_wrong_tables_are_refused(table):
    with pytest.raises(ValueError, match="no column 'z'; pass one of 'method', 'x', 'y'"):
        CurveDisplay.from_table(table, x="z", y="y")
    with pytest.raises(ValueError, match="must be numbers"):
        CurveDisplay.from_table(table, x="method", y="y")
    with pytest.raises(ValueError, match="spread='all' is not known"):
        CurveDisplay.from_table(table, x="x", y="y", spread="all")
    with pytest.raises(ValueError, match="no row of the 1"):
        CurveDisplay.from_table({"x": [1], "y": [np.nan]}, x="x", y="y")
    with pytest.raises(ValueError, match="low has shape"):
        CurveDisplay([1, 2], [1, 2], low=[1])
