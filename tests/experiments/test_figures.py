"""The figures of the papers, from small stored results."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from partita.experiments import _panels
from partita.experiments._cells import Cell, Measured, Outcome
from partita.experiments._stored import Stored
from partita.experiments.papers import _bce_figures as bce
from partita.experiments.papers import _nbce_figures as nbce
from partita.experiments.papers import _pcc_figures as pcc
from partita.experiments.papers import _peace_figures as peace
from tests.plotting.overlap import assert_legible

matplotlib.use("Agg")

METHODS = ("MM", "BCE")
FIGURES = [
    *(pcc.simulated, pcc.recovered, pcc.sketches, pcc.coassociations, pcc.over_number, pcc.over_share, pcc.digit),
    *(pcc.relations, peace.sketches, peace.in_vat_order, peace.in_class_order, peace.bars, nbce.points),
    *(bce.over_missing, bce.over_columns, bce.over_parties, bce.with_features, bce.timing, bce.over_weights),
]


@pytest.fixture(autouse=True)
def closed_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def stored(**cells):
    """Results of cells: rows of each, or rows and arrays."""
    made = Stored(None, "made-up", quick=True)
    for name, given in cells.items():
        rows, arrays = given if isinstance(given, tuple) else (given, {})
        made.add(Cell(name, lambda: Measured([]), {}), Outcome(rows, arrays, 0.0))
    return made


def as_bytes(shares):
    return np.rint(255 * np.asarray(shares)).astype(np.uint8)


def similarity_of(rng, n):
    half = rng.random((n, n))
    return as_bytes((half + half.T) / 2)


def lines_of(ax):
    """Curves by name: the values that are drawn."""
    return {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in ax.lines}


def legends_of(figure):
    return [legend for legend in (*figure.legends, *(ax.get_legend() for ax in figure.axes)) if legend is not None]


def heatmaps_of(figure):
    """Values of the heatmaps of co-associations, panel by panel."""
    panels = [ax for ax in figure.axes if len(ax.child_axes) == 3]
    return [np.asarray(ax.child_axes[2].images[0].get_array()) for ax in panels]


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: f"{draw.__module__.rsplit('.', 1)[-1]}.{draw.__name__}")
def test_nothing_stored_is_said(draw):
    figure = draw(Stored(None, "made-up", quick=True))
    assert [text.get_text() for text in figure.axes[0].texts] == ["Nothing is stored for this figure."]


# ------------------------------------------------------------------------------------------------------------------ PCC
@pytest.fixture
def simulation(rng):
    truth = rng.dirichlet([0.3] * 4, 60)
    arrays = {
        "points": rng.normal(size=(60, 2)).astype(np.float32) + 5 * truth.argmax(axis=1)[:, None],
        "truth": as_bytes(truth),
        "PCC-KL": as_bytes(np.hstack([truth[:, [2, 0, 3, 1]], np.zeros((60, 4))])),
        "PCC-l2": as_bytes(truth[:, ::-1]),
        "similarity": similarity_of(rng, 20),
        "classes": truth.argmax(axis=1)[:20].astype(np.uint8),
    }
    return stored(**{"layout/0": ([], arrays)}), arrays


def test_simulated(simulation):
    given, arrays = simulation
    figure = pcc.simulated(given)
    points, panel = figure.axes[:2]
    drawn = np.vstack([marks.get_offsets() for marks in points.collections])
    assert {tuple(row) for row in drawn.round(4)} == {tuple(row) for row in arrays["points"].astype(float).round(4)}
    order = np.argsort(arrays["classes"], kind="stable")
    np.testing.assert_allclose(heatmaps_of(figure)[0], arrays["similarity"][np.ix_(order, order)] / 255)
    assert panel.child_axes[2].get_xlabel() == "20 of 60 objects"
    assert_legible(figure)


def test_recovered_has_one_order_and_matched_clusters(simulation):
    given, _ = simulation
    figure = pcc.recovered(given)
    panels = [ax for ax in figure.axes if len(ax.child_axes) == 4]
    truth, kl, l2 = (np.asarray(ax.child_axes[2].images[0].get_array()) for ax in panels)
    assert (truth.shape, kl.shape, l2.shape) == ((4, 60), (8, 60), (4, 60))
    np.testing.assert_array_equal(kl[:4], truth)  # the columns were exchanged, and are put back
    np.testing.assert_array_equal(l2, truth)
    assert not kl[4:].any()
    classes = truth.argmax(axis=0)
    assert (np.diff(classes) >= 0).all()
    own = truth.max(axis=0)
    assert all((np.diff(own[classes == one]) <= 0).all() for one in range(4))
    assert [ax.get_title(loc="left") for ax in panels] == ["true probabilities", "PCC-KL", "PCC-l2"]
    assert_legible(figure)


@pytest.fixture
def pictures(rng):
    cells = {}
    for name in ("rings", "image-1", "spiral", "image-c", "iris"):
        for recipe in ("pcc-1", "pcc-2", "peace-1", "peace-2"):
            arrays = {name: similarity_of(rng, 12) for name in ("vat", "ordered")}
            arrays |= {f"{name} classes": rng.integers(0, 3, 12).astype(np.uint8) for name in ("vat", "ordered")}
            if name != "iris":
                classes = rng.permutation(np.arange(30) % 3).astype(np.uint8)
                arrays |= {"points": rng.normal(size=(30, 2)).astype(np.float32), "classes": classes}
            cells[f"{name}/{recipe}"] = ([], arrays)
    return stored(**cells)


@pytest.mark.parametrize(
    ("draw", "names"), [(pcc.sketches, ["rings", "image-1"]), (peace.sketches, ["spiral", "image-c"])]
)
def test_sketches(pictures, draw, names):
    figure = draw(pictures)
    assert [ax.get_title(loc="left") for ax in figure.axes] == names
    recipe = "pcc-1" if draw is pcc.sketches else "peace-1"
    for ax, name in zip(figure.axes, names, strict=True):
        assert not ax.texts  # a number in the middle of a ring is not on the ring
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]
        classes, points = (pictures.array(what, f"{name}/{recipe}") for what in ("classes", "points"))
        for one, marks in enumerate(ax.collections):
            found = marks.get_offsets()
            assert {tuple(row) for row in found} == {tuple(row) for row in points[classes == one].astype(float)}
    assert_legible(figure)


def test_one_sketch_only(pictures):
    figure = pcc.sketches(pictures.only({"rings/pcc-1"}))
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["rings"]
    assert_legible(figure)


def test_points_without_a_class(rng):
    points = rng.normal(size=(9, 2)).astype(np.float32)
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1, -1]).astype(np.uint8)
    figure = nbce.points(stored(repeat=([], {"points": points, "classes": classes})))
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["none", "0", "1"]
    assert_legible(figure)


def test_coassociations(pictures):
    figure = pcc.coassociations(pictures)
    cells = ["rings/pcc-1", "rings/pcc-2", "image-1/pcc-1", "image-1/pcc-2"]
    for found, cell in zip(heatmaps_of(figure), cells, strict=True):
        np.testing.assert_allclose(found, pictures.array("vat", cell) / 255)
    assert_legible(figure)


@pytest.fixture
def kdd(rng):
    rows = [
        {"K": k, "pairs": share, "method": method, "start": start, "H": level - 0.02 * k + 0.01 * rng.random()}
        for k in (3, 5, 10)
        for share in (0.00001, 0.0001, 0.00025)
        for method, level in (("PCC-KL", 0.95), ("PCC-l2", 0.9), ("CSPA", 0.7))
        for start in range(3)
    ]
    return rows, [{"K": 3, "pairs": 0.0001, "method": "one cluster", "start": 0, "H": 0.5}]


@pytest.mark.parametrize(("draw", "x", "scale"), [(pcc.over_number, "K", 1), (pcc.over_share, "pairs", 1000)])
def test_curves_of_kdd(kdd, draw, x, scale):
    rows, one = kdd
    figure = draw(stored(cell=rows + one))
    (ax,) = figure.axes
    curves = lines_of(ax)
    assert list(curves) == ["PCC-KL", "PCC-l2", "CSPA", "one cluster"]
    table = pd.DataFrame(rows)
    for name in ("PCC-KL", "PCC-l2", "CSPA"):
        expected = table[table["method"] == name].groupby(x)["H"].mean()
        np.testing.assert_allclose(curves[name][0], scale * expected.index.to_numpy())
        np.testing.assert_allclose(curves[name][1], expected, rtol=1e-5)  # six digits are stored
    assert set(curves["one cluster"][1]) == {0.5}
    assert ax.get_xscale() == ("log" if draw is pcc.over_share else "linear")
    assert len(legends_of(figure)) == 1
    assert_legible(figure)


def test_one_cluster_far_below_is_in_the_title(kdd):
    rows = [row | {"H": 0.9 + 0.01 * row["H"]} for row in kdd[0]]
    figure = pcc.over_number(stored(cell=rows + kdd[1]))
    assert figure.axes[0].get_title(loc="left") == "KDD Cup 99 (one cluster: 0.50)"
    assert "one cluster" not in lines_of(figure.axes[0])
    low, high = figure.axes[0].get_ylim()
    assert low > 0.8
    assert high - low >= 0.1  # flat curves look flat


@pytest.fixture
def digits(rng):
    membership = rng.dirichlet([0.4] * 5, 80)
    arrays = {
        "similarity": similarity_of(rng, 20),
        "similarity labels": np.repeat(np.arange(5), 4).astype(np.uint8),
        "membership": as_bytes(membership),
        "relations": membership.T @ membership / membership.sum(axis=0)[:, None],
        "centroids": rng.uniform(0, 100, (5, 16)),
        "sizes": np.bincount(membership.argmax(axis=1), minlength=5),
    }
    return stored(**{"digit 2/5": ([], arrays)}), arrays


def test_digit(digits):
    given, arrays = digits
    figure = pcc.digit(given)
    np.testing.assert_allclose(heatmaps_of(figure)[0], arrays["similarity"] / 255)
    (shown,) = [np.asarray(ax.child_axes[2].images[0].get_array()) for ax in figure.axes if len(ax.child_axes) == 4]
    expected = arrays["membership"] / arrays["membership"].sum(axis=1, keepdims=True, dtype=float)
    assert shown.shape == (5, 80)
    np.testing.assert_allclose(np.sort(shown.ravel()), np.sort(expected.ravel()))
    assert_legible(figure)


def test_relations_have_pictures(digits):
    given, arrays = digits
    figure = pcc.relations(given)
    images = [np.asarray(image.get_array()) for image in figure.axes[0].images]
    np.testing.assert_array_equal(images, [pcc.stroke(row) for row in arrays["centroids"]])
    assert_legible(figure)


def test_strokes_follow_the_pen():
    image = pcc.stroke(np.array([0, 100, 0, 0, 100, 0]))  # down at the left, then along the bottom to the right
    middle = len(image) // 2
    assert image.min() == 0
    assert image.max() == 1
    assert image[middle, :8].max() == 1  # left
    assert image[-8:, middle].max() == 1  # bottom: the first row is at the top
    assert not image[:middle, middle:].any()
    turned = pcc.stroke(np.array([100, 0, 100, 100, 0, 100]))  # the same, turned by half a circle
    np.testing.assert_allclose(turned, image[::-1, ::-1], atol=1e-9)


# ---------------------------------------------------------------------------------------------------------------- PEACE
@pytest.mark.parametrize(("draw", "name"), [(peace.in_vat_order, "vat"), (peace.in_class_order, "ordered")])
def test_panels_of_both_ensembles(pictures, draw, name):
    figure = draw(pictures)
    cells = [f"{data}/peace-{kind}" for kind in (1, 2) for data in ("spiral", "image-c", "iris")]
    for found, cell in zip(heatmaps_of(figure), cells, strict=True):
        np.testing.assert_allclose(found, pictures.array(name, cell) / 255)
    words = [text for text, _ in assert_legible(figure)]
    assert [words.count(f"ensemble {kind}") for kind in (1, 2)] == [1, 1]


def test_panels_of_one_set_or_with_a_gap(pictures):
    figure = peace.in_vat_order(pictures.only({"iris/peace-1", "iris/peace-2"}))
    words = [text for text, _ in assert_legible(figure)]
    assert {"iris, ensemble 1", "iris, ensemble 2"} <= set(words)
    figure = peace.in_vat_order(pictures.only({"iris/peace-1", "iris/peace-2", "spiral/peace-2"}))
    assert len(heatmaps_of(figure)) == 3
    assert_legible(figure)


def bar_rows(rng, data, kinds=(1, 2), n=3):
    rows = [
        {"data": one, "recipe": f"peace-{kind}", "ensemble": e, "method": method, "H": rng.random(), "F1": rng.random()}
        for one in data
        for kind in kinds
        for e in range(n)
        for method in peace.METHODS
    ]
    head = {"method": "one cluster", "H": 0.4, "F1": 0.3}
    return rows + [{"data": one, "recipe": f"peace-{kind}", **head} for one in data for kind in kinds]


def test_bars(rng):
    rows = bar_rows(rng, peace.SETS[::-1])
    figure = peace.bars(stored(cell=rows))
    table = pd.DataFrame(rows)
    for ax, (metric, kind) in zip(figure.axes, [("H", 1), ("H", 2), ("F1", 1), ("F1", 2)], strict=True):
        of = table[table["recipe"] == f"peace-{kind}"].groupby(["method", "data"])[metric]
        assert [bars.get_label() for bars in ax.containers[::2]] == list(peace.METHODS)
        for bars, lines in zip(ax.containers[::2], ax.containers[1::2], strict=True):
            expected = of.mean()[bars.get_label()][list(peace.SETS)]
            np.testing.assert_allclose([bar.get_height() for bar in bars], expected, rtol=1e-5)
            ends = np.array([segment[:, 1] for segment in lines.lines[2][0].get_segments()])
            spread = of.std()[bars.get_label()][list(peace.SETS)]
            np.testing.assert_allclose(np.diff(ends, axis=1)[:, 0], 2 * spread, rtol=1e-4)
        assert len({bars[0].get_hatch() for bars in ax.containers[::2]}) == 4  # told apart without colours
    assert len(legends_of(figure)) == 1
    assert_legible(figure)


@pytest.mark.parametrize("kinds", [(1,), (1, 2)])
def test_bars_of_one_set_and_one_ensemble(rng, kinds):
    figure = peace.bars(stored(cell=bar_rows(rng, ["iris"], kinds, n=1)))
    assert len(figure.axes) == 2 * len(kinds)
    words = [text for text, _ in assert_legible(figure)]
    assert "one cluster" in words
    assert not any("standard deviation" in word for word in words)  # of one ensemble there is none


def test_bar_display_says_what_does_not_fit():
    with pytest.raises(ValueError, match=r"y has shape \(1, 2\); pass one row per name"):
        peace.BarDisplay([[1, 2]], names=["a", "b"], groups=["x"])


# ------------------------------------------------------------------------------------------------------------------ BCE
def curve_rows(rng, x, values, data):
    rows = [
        {"data": one, x: value, "method": method, "draw": draw, "MP": level + 0.1 * rng.random() + 0.01 * value}
        for one in data
        for value in values
        for method, level in zip(METHODS, (0.4, 0.6), strict=True)
        for draw in range(4)
    ]
    return rows, [{"data": one, "method": "one cluster", "MP": 0.35} for one in data]


@pytest.mark.parametrize(
    ("draw", "x", "values", "data"),
    [
        (bce.over_missing, "missing", (0.0, 0.45, 0.9), ("wdbc", "iris", "wine")),
        (bce.over_columns, "n_clusterings", (1, 5, 20), ("iris",)),
        (bce.over_parties, "n_parties", (1, 2, 10), ("iris", "wine")),
        (bce.with_features, "n_clusterings", (1, 2, 10), ("iris",)),
    ],
)
def test_curves_by_data_set(rng, draw, x, values, data):
    rows, one = curve_rows(rng, x, values, data)
    figure = draw(stored(cell=rows + one))
    shown = [ax.get_title(loc="left") for ax in figure.axes]
    assert shown == [name for name in bce.SETS if name in data]
    table = pd.DataFrame(rows)
    for ax, name in zip(figure.axes, shown, strict=True):
        curves = lines_of(ax)
        assert list(curves) == [*METHODS, "one cluster"]
        for method in METHODS:
            expected = table[(table["data"] == name) & (table["method"] == method)].groupby(x)["MP"].mean()
            np.testing.assert_array_equal(curves[method][0], values)
            np.testing.assert_allclose(curves[method][1], expected, rtol=1e-5)
    (legend,) = legends_of(figure)
    assert [text.get_text() for text in legend.get_texts()] == [*METHODS, "one cluster"]
    assert_legible(figure)


def test_a_method_that_failed_keeps_its_colour(rng):
    rows, _ = curve_rows(rng, "missing", (0.0, 0.5), ["iris", "wine"])
    for row in rows:
        if (row["data"], row["method"]) == ("iris", "MM"):
            row["MP"] = None
    figure = bce.over_missing(stored(cell=rows))
    first, second = figure.axes
    assert len(lines_of(first)["MM"][0]) == 0
    assert len(lines_of(second)["MM"][0]) == 2
    colors = [{line.get_label(): line.get_color() for line in ax.lines} for ax in figure.axes]
    assert colors[0] == colors[1]


def test_timing():
    rows = [
        {
            "n_clusterings": n,
            "one place, seconds": 0.001 * n,
            "distributed, seconds": 0.3 + 0.0001 * n,
            "distributed, paper's messages, seconds": 0.4 + 0.0002 * n,
        }
        for n in (20, 60, 480, 1440, 1920)
    ]
    figure = bce.timing(stored(cell=rows))
    (ax,) = figure.axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    for name, (x, y) in lines_of(ax).items():
        np.testing.assert_allclose(x, [row["n_clusterings"] for row in rows])
        np.testing.assert_allclose(y, [row[f"{name}, seconds"] for row in rows])
    assert len(ax.lines) == 3
    words = [text for text, _ in assert_legible(figure)]
    assert "distributed, paper's messages" in words


def test_weights_are_in_units_of_d(rng):
    weights = (0.125, 0.5, 1.0, 8.0)
    rows = [
        {"data": one, "n_clusterings": n, "weight": weight, "method": "GBCE", "MP": 0.5 + 0.03 * n + 0.1 * rng.random()}
        for one in ("wine", "iris")
        for weight in weights
        for n in (10, 1, 3)
        for _ in range(3)
    ]
    one = [{"data": name, "method": "one cluster", "MP": 0.4} for name in ("wine", "iris")]
    figure = bce.over_weights(stored(cell=rows + one))
    table = pd.DataFrame(rows)
    for ax, name in zip(figure.axes, ("iris", "wine"), strict=True):
        curves = lines_of(ax)
        assert list(curves) == ["1 clustering", "3 clusterings", "10 clusterings", "one cluster"]
        expected = table[(table["data"] == name) & (table["n_clusterings"] == 10)].groupby("weight")["MP"].mean()
        np.testing.assert_allclose(curves["10 clusterings"][1], expected, rtol=1e-5)
        assert [label.get_text() for label in ax.get_xticklabels()][::-1] == ["D/8", "D/2", "D", "8D"]
    assert_legible(figure)


# --------------------------------------------------------------------------------------------------------------- panels
def test_ticks_without_room_are_left_out():
    figure, (ax,) = _panels.new_figure(1)
    values = np.array([1.0, 1.01, 1.02, 2.0])
    ax.plot(values, values)
    _panels.mark_values(ax, values, ["a", "long words", "b", "c"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c", "b"]
    assert_legible(figure)


def test_figures_do_not_need_more_panels_than_they_have():
    figure, axes = _panels.new_figure(3)
    assert figure.axes == axes
    assert len(axes) == 3
