"""Synthetic data: the simulations of the papers (eqs. R42, R44), and shapes in the plane in place of their images.

The papers show rings, spirals and the cluster images "image-1" and "image-c" as pictures only. The shapes here have the
same numbers of objects and clusters and the same difficulties (clusters inside others, curved clusters, unequal sizes
and densities); they are not the papers' points. Every set has its own fixed seed.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from partita._typing import FloatArray, IntArray
from partita.datasets._dataset import Dataset


class FourGaussians(NamedTuple):
    """Points of four Gaussians, and the probability of each Gaussian for each point."""

    features: FloatArray  # (n, 2)
    posterior: FloatArray  # (n, 4), rows sum to 1
    component: IntArray  # (n,) Gaussian that each point was drawn from


def four_gaussians(n_per_cluster: int, seed: int) -> FourGaussians:
    """The PCC paper's simulated experiment: four Gaussians of covariance I in the plane, one mean per quadrant."""
    from scipy.special import softmax  # whoever loads tables does not need it

    rng = np.random.default_rng(seed)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    means = signs * rng.uniform(1.0, 3.0, size=(4, 2))
    component = np.repeat(np.arange(4), n_per_cluster)
    features = means[component] + rng.standard_normal((len(component), 2))
    distance = ((features[:, None, :] - means) ** 2).sum(axis=2)
    return FourGaussians(features, softmax(-distance / 2, axis=1), component)


def two_gaussians_with_outliers(n_per_cluster: int, seed: int) -> tuple[FloatArray, IntArray]:
    """The NBCE paper's synthetic data: two Gaussian clusters, and a tenth as many outliers, each in the nearer one."""
    rng = np.random.default_rng(seed)
    means = np.array([[-2.5, 0.0], [2.5, 0.0]])
    component = np.repeat([0, 1], n_per_cluster)
    inside = means[component] + rng.standard_normal((2 * n_per_cluster, 2))
    outside = rng.uniform(-8, 8, size=(max(1, n_per_cluster // 5), 2))
    nearer = ((outside[:, None, :] - means) ** 2).sum(axis=2).argmin(axis=1)
    return np.vstack([inside, outside]), np.concatenate([component, nearer])


Points = tuple[FloatArray, IntArray]  # (n, 2) and the cluster of each point


class _Pen:
    """Draws shapes as points."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def steps(self, n: int) -> FloatArray:
        """Numbers between 0 and 1 in order, one at random in each of n equal parts: no large gap by accident."""
        return np.asarray((np.arange(n) + self.rng.uniform(size=n)) / n)

    def arc(
        self, n: int, centre: tuple[float, float], radius: float, degrees: tuple[float, float], width: float
    ) -> FloatArray:
        """A part of a ring; degrees (0, 360) give all of it."""
        angle = np.radians(degrees[0] + (degrees[1] - degrees[0]) * self.steps(n))
        distance = radius + width * self.rng.uniform(-0.5, 0.5, size=n)
        return np.asarray(np.array(centre) + distance[:, None] * _directions(angle))

    def bar(self, n: int, start: tuple[float, float], end: tuple[float, float], width: float) -> FloatArray:
        """A straight strip."""
        along = np.subtract(end, start)
        across = np.array([-along[1], along[0]]) / np.hypot(*along)
        side = width * self.rng.uniform(-0.5, 0.5, size=n)
        return np.asarray(np.array(start) + self.steps(n)[:, None] * along + side[:, None] * across)

    def disc(self, n: int, centre: tuple[float, float], radii: tuple[float, float]) -> FloatArray:
        """A filled ellipse."""
        angle = self.rng.uniform(0, 2 * np.pi, size=n)
        distance = np.sqrt(self.steps(n))  # the same density everywhere
        return np.asarray(np.array(centre) + np.array(radii) * distance[:, None] * _directions(angle))


def _directions(angle: FloatArray) -> FloatArray:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _together(*shapes: FloatArray) -> Points:
    sizes = [len(shape) for shape in shapes]
    return np.vstack(shapes), np.repeat(np.arange(len(shapes)), sizes)


def _rings() -> Points:
    """Three rings around one centre, blurred by Gaussian noise."""
    pen = _Pen(0)
    rings, component = _together(*[pen.arc(150, (0, 0), radius, (0, 360), 0) for radius in (1.0, 2.5, 4.0)])
    return rings + 0.12 * pen.rng.standard_normal(rings.shape), component


def _spiral() -> Points:
    """Two spirals, the second the first turned by half a circle."""
    pen = _Pen(1)
    arms = []
    for turn in (0.0, np.pi):
        # the length of a spiral grows with the square of its angle: the root gives points at equal distances
        angle = 3.5 * np.pi * np.sqrt(0.02 + 0.98 * pen.steps(100))
        arms.append((angle / np.pi)[:, None] * _directions(angle + turn))
    spirals, component = _together(*arms)
    return spirals + 0.03 * pen.rng.standard_normal(spirals.shape), component


def _image_1() -> Points:
    """Eight shapes: a ring around a disc, two arcs that grip each other, two bars, an ellipse and a sparse disc."""
    pen = _Pen(2)
    return _together(
        pen.arc(200, (2.5, 7.5), 1.9, (0, 360), 0.3),
        pen.disc(90, (2.5, 7.5), (0.8, 0.8)),
        pen.arc(140, (6.8, 7.4), 1.5, (0, 180), 0.3),
        pen.arc(140, (8.3, 7.8), 1.5, (180, 360), 0.3),
        pen.bar(150, (0.5, 4.2), (6.0, 4.2), 0.5),
        pen.bar(60, (7.2, 4.6), (10.0, 3.2), 0.3),
        pen.disc(130, (2.2, 1.6), (1.7, 0.9)),
        pen.disc(90, (7.3, 1.2), (1.5, 1.0)),
    )


def _image_c() -> Points:
    """Seven shapes, most of them curved: an open ring around a disc, a wave of two arcs, a hook, bars, an ellipse."""
    pen = _Pen(3)
    wave = np.vstack(
        [pen.arc(75, (6.2, 7.2), 1.2, (180, 0), 0.25), pen.arc(75, (8.6, 7.2), 1.2, (180, 360), 0.25)],
    )
    hook = np.vstack([pen.bar(60, (5.2, 4.9), (8.6, 4.9), 0.25), pen.arc(60, (8.6, 3.7), 1.2, (90, -90), 0.25)])
    return _together(
        pen.arc(170, (2.3, 7.3), 1.8, (40, 320), 0.3),
        pen.disc(70, (2.3, 7.3), (0.7, 0.7)),
        wave,
        hook,
        pen.disc(60, (6.6, 3.5), (1.2, 0.5)),
        pen.bar(79, (0.6, 4.4), (3.8, 3.2), 0.3),
        pen.arc(90, (3.2, 0.6), 1.6, (20, 170), 0.25),
    )


def _four() -> Points:
    made = four_gaussians(200, 0)
    return made.features, made.component


class Synthetic(NamedTuple):
    """A synthetic data set: how it is drawn, and what it is."""

    draw: Callable[[], Points]
    description: str


_STAND_IN = "in place of the paper's set, whose points are not public"

SYNTHETIC: dict[str, Synthetic] = {
    "rings": Synthetic(_rings, f"three rings around one centre, 150 points each; {_STAND_IN} (PCC)"),
    "spiral": Synthetic(_spiral, f"two interleaved spirals, 100 points each; {_STAND_IN} (PEACE)"),
    "image_1": Synthetic(_image_1, f"1000 points, eight shapes of different density; {_STAND_IN} (PCC)"),
    "image_c": Synthetic(_image_c, f"739 points, seven shapes, most of them curved; {_STAND_IN} (PEACE)"),
    "four_gaussians": Synthetic(_four, "four Gaussians, 200 points each, one per quadrant (PCC, eq. R42)"),
    "two_clusters_outliers": Synthetic(
        lambda: two_gaussians_with_outliers(100, 0),
        "two Gaussians of 100 points, and 20 outliers in the class of the nearer one (NBCE, eq. R44)",
    ),
}


def load_synthetic(name: str) -> Dataset:
    """A synthetic data set in the form of the tables of a folder; the same on every call."""
    points, component = SYNTHETIC[name].draw()
    target = pd.Series(component + 1).astype("str").rename("label")
    features = pd.DataFrame(points, columns=["f1", "f2"])
    return Dataset(name, features, target, int(component.max()) + 1, "drawn with a fixed seed", _said(name))


def _said(name: str) -> str:
    return f"{name}: {SYNTHETIC[name].description}."
