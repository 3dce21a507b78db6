"""What fits where: notes that are wrapped, labels that are thinned out, and words that are left out if they overlap."""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from partita.plotting._display import GREY, SMALL, USUAL, set_title

_CHARACTER = 0.52  # mean width of a letter, as a share of the size of the text
_LINE = 1.25  # height of a line, as a share of the size of the text


def size_in_points(ax: Any) -> tuple[float, float]:
    """Width and height of axes, in points."""
    box = ax.get_window_extent()
    scale = 72 / ax.figure.dpi
    return float(box.width * scale), float(box.height * scale)


def width_of(text: str, size: float = SMALL) -> float:
    """About how wide a text is, in points."""
    return _CHARACTER * size * len(text)


def caption(ax: Any, title: str, notes: Iterable[str]) -> None:
    """A title and, below it, notes that are wrapped to the width of the axes."""
    room = max(24, int(size_in_points(ax)[0] / width_of("x")))
    lines = wrap("; ".join(note for note in notes if note), room)
    set_title(ax, title, "\n".join(lines))
    if len(lines) > 1:
        ax.set_title(title, loc="left", fontsize=USUAL + 1, pad=20 + SMALL * _LINE * (len(lines) - 1))


def step_that_fits(n: int, room: float, each: float) -> int:
    """Every how many of n labels, which need ``each`` points, can be written in ``room`` points."""
    return max(1, -int(-n * each // max(room, 1.0)))


def settle(ax: Any) -> None:
    """Lay the figure out now, so that what is measured stays where it is."""
    ax.figure.canvas.figure.draw_without_rendering()


def fit_in(box: Any, taken: Sequence[Any], pad: float = 1.0) -> bool:
    """Whether a box in pixels touches none of the others."""
    larger = box.padded(pad)
    return not any(larger.overlaps(other) for other in taken)


def legend_beside(ax: Any, handles: Sequence[Any], title: str = "") -> Any:
    """A legend at the right of the axes, in as many columns as their height needs."""
    for handle in handles:
        if str(handle.get_label()).startswith("_"):  # matplotlib leaves such names out
            handle.set_label(" " + handle.get_label())
    rows = max(1, int((size_in_points(ax)[1] - 12) / (SMALL * 1.55)))
    return ax.legend(
        handles=handles, title=title or None, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False,
        fontsize=SMALL, title_fontsize=SMALL, borderaxespad=0.0, ncols=-(-len(handles) // rows), columnspacing=0.8,
        handletextpad=0.5, alignment="left",
    )  # fmt: skip


def clean(ax: Any, *, grid: str = "") -> None:
    """Axes without a frame at the top and right, small numbers, and a light grid behind what is drawn."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(labelsize=SMALL, color=GREY)
    if grid:
        ax.grid(axis=grid, color="#E4E4E4", linewidth=0.7)
        ax.set_axisbelow(True)
