"""What all displays share: where their data come from, the axes they draw in, titles, and notes on samples."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from partita._optional import require
from partita._typing import IntArray
from partita.results import ConsensusResult, combine
from partita.results._sample import stratified_sample

MAX_OBJECTS = 2000  # objects that a picture shows one by one; of more a stratified sample is drawn, which it says
SMALL, USUAL = 8, 10  # sizes of text, in points
GREY = "#767676"  # of notes, axes and objects without a cluster: readable on white


class Display:
    """A picture as data; ``plot`` draws it and sets ``ax_`` and ``figure_``."""

    figure_: Any  # matplotlib Figure, after plot
    ax_: Any  # matplotlib Axes, after plot

    def _begin(self, ax: Any, size: tuple[float, float]) -> Any:
        """The axes to draw in: the given ones, or those of a new figure of this size in inches."""
        pyplot = require("matplotlib.pyplot", extra="plot", purpose="drawing")
        if ax is None:
            ax = pyplot.figure(figsize=size, layout="constrained").add_subplot()
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def _repr_html_(self) -> None:
        """Nothing: a notebook shows the figure itself, once it is drawn."""


class ResultDisplay(Display):
    """A display of a consensus: subclasses implement ``from_result``."""

    @classmethod
    def from_result(cls, result: ConsensusResult, **options: Any) -> Self:
        """Compute the display of a result."""
        raise NotImplementedError(f"{cls.__name__} must implement from_result.")

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Compute the display of a fitted consensus estimator, or of a fitted :class:`ConsensusClustering`.

        Parameters
        ----------
        estimator : estimator
            After ``fit``.
        **options
            Those of ``from_result``.
        """
        return cls.from_result(ConsensusResult.from_estimator(estimator), **options)

    @classmethod
    def from_labels(
        cls,
        X: Any,
        labels: Any = None,
        *,
        method: Any = "auto",
        n_clusters: Any = "auto",
        weights: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Self:
        """Compute the display from a label matrix.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        labels : array-like of shape (n_samples,), optional
            The partition to show, -1 = no cluster; by default the consensus of X.
        method, n_clusters, weights, random_state, n_jobs
            How X is combined where ``labels`` is not given, as in :func:`partita.combine`.
        **options
            Those of ``from_result``.
        """
        if labels is None:
            result = combine(
                X, method=method, n_clusters=n_clusters, weights=weights, random_state=random_state, n_jobs=n_jobs
            )
        else:
            result = ConsensusResult.from_labels(X, labels, weights=weights)
        return cls.from_result(result, **options)


# ------------------------------------------------------------------------------------------------------------- objects
def draw_objects(labels: IntArray, max_objects: int | None, seed: int = 0) -> tuple[IntArray, str]:
    """Objects to show, in their order, and what to write on the figure if they are not all."""
    if max_objects is not None and (not isinstance(max_objects, int | np.integer) or max_objects < 1):
        raise ValueError(
            f"max_objects={max_objects!r:.60} is not allowed; pass a whole number from 1, or None for all."
        )
    n = len(labels)
    chosen = stratified_sample(labels, n if max_objects is None else int(max_objects), seed)
    note = "" if len(chosen) == n else f"a sample of {len(chosen):,} of {n:,} objects, by cluster"
    return chosen, note


# --------------------------------------------------------------------------------------------------------------- words
def set_title(ax: Any, title: str, note: str = "") -> None:
    """A title at the left and, below it, a note in small grey letters."""
    ax.set_title(title, loc="left", fontsize=USUAL + 1, pad=20 if note else 8)
    if note:
        ax.annotate(
            note, (0, 1), xytext=(0, 6), xycoords="axes fraction", textcoords="offset points",
            fontsize=SMALL, color=GREY, va="bottom", ha="left", annotation_clip=False,
        )  # fmt: skip


def say(ax: Any, text: str) -> None:
    """Write, in the middle of empty axes, why there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, wrap=True, color=GREY)


def shorten(text: Any, length: int = 24) -> str:
    """A name that fits beside an axis; dollar signs are no formulas."""
    begin = str(text)[: 8 * length]
    seen = "".join(letter if letter.isprintable() or letter.isspace() else "?" for letter in begin)
    words = " ".join(seen.split())
    if len(words) > length or len(str(text)) > len(begin):
        last = (length - 1) // 2  # names often begin alike: their ends are kept, too
        words = f"{words[: length - 1 - last]}…{' '.join(str(text)[-4 * length :].split())[-last:]}"
    return words.replace("$", r"\$")


def split(ax: Any, rectangles: Sequence[tuple[float, float, float, float]]) -> list[Any]:
    """Axes inside axes, which are hidden themselves: (left, bottom, width, height) as shares of them."""
    ax.set_axis_off()
    return [ax.inset_axes(rectangle) for rectangle in rectangles]
