"""The figures of the PCC paper, drawn from stored results."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from partita._typing import FloatArray, IntArray
from partita.experiments._contestants import ONE_CLUSTER
from partita.experiments._panels import (
    WIDTH,
    Heatmap,
    add_scale,
    as_classes,
    as_shares,
    curves_of,
    draw_heatmap,
    draw_heatmaps,
    draw_points,
    draw_sketches,
    finish_panels,
    log_values,
    new_figure,
    nothing_stored,
    retitle,
)
from partita.experiments._stored import Stored
from partita.plotting import MembershipDisplay, RelationDisplay
from partita.plotting._display import SMALL
from partita.plotting._fitting import settle

SETS = ("rings", "image-1")
ENSEMBLES = ("pcc-1", "pcc-2")
_CURVES = ("PCC-KL", "PCC-l2", "CSPA")
_PIXELS = 64  # sides of the picture of a digit
_PEN = 2.2  # half the width of a stroke, in pixels


# --------------------------------------------------------------------------------------------------------- figures 1, 2
def simulated(stored: Stored) -> Any:
    """The points by their most probable component, beside their co-association in the order of the components."""
    points, truth = stored.array("points"), stored.array("truth")
    similarity, classes = stored.array("similarity"), stored.array("classes")
    if points is None or truth is None or similarity is None or classes is None:
        return nothing_stored()
    figure, axes = new_figure(2, height=3.2)
    probability = as_shares(truth)
    draw_points(axes[0], points, probability.argmax(axis=1), "points (faint: in doubt)", _log_odds(probability))
    order = np.argsort(classes, kind="stable")
    shown = Heatmap("co-association", as_shares(similarity)[np.ix_(order, order)], as_classes(classes)[order])
    add_scale(figure, draw_heatmap(axes[1], shown, "component", len(points)), axes[1:])
    return figure


def _log_odds(probability: FloatArray) -> FloatArray:
    """Of the most probable component against all others; half a step of the stored bytes is the least doubt."""
    largest = probability.max(axis=1).clip(0.5 / 255, 1 - 0.5 / 255)
    return np.asarray(np.log(largest / (1 - largest)))


def recovered(stored: Stored) -> Any:
    """True and recovered probabilities, one below another, of objects in the same order."""
    known = {name: stored.array(name) for name in ("truth", "PCC-KL", "PCC-l2")}
    shown = {name: as_shares(values) for name, values in known.items() if values is not None}
    if "truth" not in shown:
        return nothing_stored()
    truth = shown["truth"]
    classes = truth.argmax(axis=1)
    order = np.lexsort((-truth.max(axis=1), classes))
    figure, axes = new_figure(len(shown), columns=1, height=1.9)
    figure.set_figwidth(WIDTH)
    for place, (ax, (name, membership)) in enumerate(zip(axes, shown.items(), strict=True)):
        matched = membership if name == "truth" else membership[:, _matched(truth, membership)]
        MembershipDisplay(matched[order], order, classes[order]).plot(ax)
        retitle(ax, "true probabilities" if name == "truth" else name)
        _, _, heat, scale = ax.child_axes
        last = place == len(shown) - 1
        heat.set_xlabel("objects, by true component and its probability" if last else "", fontsize=SMALL)
        scale.set_visible(place == 0)
    return figure


def _matched(truth: FloatArray, membership: FloatArray) -> IntArray:
    """The columns of a membership in the order of the true ones that share most with them, the others behind."""
    rows, columns = linear_sum_assignment(truth.T @ membership, maximize=True)
    rest = np.setdiff1d(np.arange(membership.shape[1]), columns)
    return np.concatenate([columns[np.argsort(rows)], rest]).astype(np.int64)


# --------------------------------------------------------------------------------------------------------- figures 3, 4
def sketches(stored: Stored) -> Any:
    """The points of the two synthetic sets."""
    known = [(name, *(stored.array(what, f"{name}/pcc-1") for what in ("points", "classes"))) for name in SETS]
    return draw_sketches([one for one in known if one[1] is not None])


def coassociations(stored: Stored) -> Any:
    """Co-associations in VAT order: data sets by ensembles."""
    cells = [(name, recipe, f"{name}/{recipe}") for name in SETS for recipe in ENSEMBLES]
    shown = [
        Heatmap(
            f"{name}, ensemble {recipe[-1]}",
            as_shares(stored.array("vat", cell)),
            as_classes(stored.array("vat classes", cell)),
        )
        for name, recipe, cell in cells
        if stored.array("vat", cell) is not None
    ]
    return draw_heatmaps(shown, columns=2)


# --------------------------------------------------------------------------------------------------------- figures 5, 6
def over_number(stored: Stored) -> Any:
    """H over the number of clusters."""
    return _kdd_curves(stored, "K", 1.0, "number of clusters K")


def over_share(stored: Stored) -> Any:
    """H over the share of pairs that were used."""
    return _kdd_curves(stored, "pairs", 1000.0, "pairs used, per mille of all (logarithmic)", log=True)


def _kdd_curves(stored: Stored, x: str, scale: float, x_label: str, log: bool = False) -> Any:
    table = stored.table
    if x not in table or "H" not in table:
        return nothing_stored()
    table = table.assign(**{x: scale * table[x].astype(np.float64)}).dropna(subset=[x, "H"])
    curves = table[table["method"] != ONE_CLUSTER]
    if curves.empty:
        return nothing_stored()
    names = [name for name in _CURVES if (curves["method"] == name).any()]
    figure, axes = new_figure(1, height=3.4)
    display = curves_of(curves, x=x, y="H", by="method", names=names)
    display.x_label, display.y_label = x_label, "consistency index H"
    display.plot(axes[0])
    trivial = float(table[table["method"] == ONE_CLUSTER]["H"].mean())
    finish_panels(figure, axes, [display], ["KDD Cup 99"], [trivial])
    if log:
        settle(axes[0])
        log_values(axes[0], display.x)
    return figure


# --------------------------------------------------------------------------------------------------------- figures 7, 8
_DIGIT = "digit 2/5"


def digit(stored: Stored) -> Any:
    """Co-association and memberships of one handwritten digit."""
    similarity, membership = stored.array("similarity", _DIGIT), stored.array("membership", _DIGIT)
    if similarity is None or membership is None:
        return nothing_stored()
    figure, (left, right) = new_figure(2, height=3.0, width=8.5)
    labels = as_classes(stored.array("similarity labels", _DIGIT))
    shown = draw_heatmap(left, Heatmap("co-association", as_shares(similarity), labels), "cluster", len(membership))
    add_scale(figure, shown, left)
    shares = as_shares(membership)
    MembershipDisplay.from_membership(shares / shares.sum(axis=1, keepdims=True)).plot(right)
    retitle(right, "probabilities of the clusters")
    return figure


def relations(stored: Stored) -> Any:
    """The clusters of one handwritten digit as a graph, with their mean curves in the nodes."""
    found = [stored.array(name, _DIGIT) for name in ("relations", "sizes", "centroids")]
    if any(array is None for array in found):
        return nothing_stored()
    between, sizes, centroids = found
    display = RelationDisplay(between, sizes, images=[stroke(row) for row in centroids], note="pictures: mean curves")
    return display.plot().figure_


def stroke(curve: FloatArray) -> FloatArray:
    """Points x1, y1, x2, y2, ... in 0 to 100 as a picture of the pen's path, 1 where there is ink."""
    points = np.asarray(curve, dtype=np.float64).reshape(-1, 2)
    steps = np.linspace(0, 1, 2 * _PIXELS)[:, None]
    path = np.concatenate([(1 - steps) * a + steps * b for a, b in pairwise(points)])
    margin = 2 * _PEN
    scale = (_PIXELS - 1 - 2 * margin) / 100
    columns, rows = margin + scale * path[:, 0], _PIXELS - 1 - margin - scale * path[:, 1]  # rows grow downwards
    grid = np.arange(_PIXELS)
    apart = np.full((_PIXELS, _PIXELS), np.inf)
    for column, row in zip(columns, rows, strict=True):
        np.minimum(apart, np.hypot(grid[:, None] - row, grid - column), out=apart)
    return np.asarray((1 + _PEN - apart).clip(0, 1))  # the edge of the line is soft
