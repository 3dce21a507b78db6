"""Room on a figure in inches, and keys: legends one below another in a column beside a picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.plotting._display import GREY, SMALL, shorten

LINE = 0.165  # inches from one line of small text to the next
_LETTER = 0.068  # inches that a small letter takes on average, rather more
_SWATCH = 0.11


def inches(ax: Any) -> tuple[float, float]:
    """Width and height of axes, after the layout of their figure as far as it is drawn."""
    figure = ax.figure.figure  # the whole, where the axes are in a part of it
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    share, page = ax.get_position(original=True), ax.figure.bbox  # before an aspect makes the axes smaller
    return share.width * page.width / figure.dpi, share.height * page.height / figure.dpi


def letters(width: float) -> int:
    """Small letters that fit into a width in inches."""
    return max(3, int(width / _LETTER))


class Key:
    """A column of legends in axes whose units are inches; what has no room is left out, and "…" says so."""

    def __init__(self, ax: Any, width: float, height: float) -> None:
        ax.set_axis_off()
        self.ax, self.width, self.height, self.y = ax, width, height, 0.0
        self._is_full = False
        self._keep_limits()

    def gap(self) -> None:
        """Half a line between two legends."""
        self.y += LINE / 2 if self.y else 0.0

    def heading(self, words: str, *, needs: int = 1) -> bool:
        """The name of a legend; whether it and some lines below it have room."""
        if not self._has_room(1 + needs):
            return False
        self._write(0.0, shorten(words, letters(self.width)))
        self.y += LINE
        return True

    def entries(self, colors: Sequence[str], names: Sequence[str], columns: int = 1) -> None:
        """Coloured squares with their names, column by column."""
        n_lines = -(-len(names) // columns)
        step = self.width / columns
        room = int((self.height - self.y) / LINE + 1e-6)
        for place, (color, name) in enumerate(zip(colors, names, strict=True)):
            column, line = divmod(place, n_lines)
            if line < room - (n_lines > room):
                self._square(column * step, line, color)
                self._write(column * step + 1.6 * _SWATCH, shorten(name, letters(step - 1.8 * _SWATCH)), line)
        if n_lines > room >= 1:
            self._write(0.0, "…", room - 1)
        self.y += min(n_lines, room) * LINE

    def gradient(self, cmap: Any, low: str, high: str) -> None:
        """A bar of colours with the values of its two ends."""
        width = min(self.width, 1.5)
        box = (0.0, width, self.y + 0.8 * LINE, self.y + 0.1 * LINE)
        self.ax.imshow(np.linspace(0, 1, 256)[None], cmap=cmap, extent=box, aspect="auto", rasterized=True)
        self._keep_limits()
        self.y += LINE
        self._write(0.0, low)
        self._write(width, high, ha="right")
        self.y += LINE

    # ---------------------------------------------------------------------------------------------------- small steps
    def _keep_limits(self) -> None:
        self.ax.set_xlim(0, self.width)
        self.ax.set_ylim(self.height, 0)

    def _has_room(self, n_lines: int) -> bool:
        fits = self.y + n_lines * LINE <= self.height + 1e-6 and not self._is_full
        if not fits and not self._is_full:
            self._is_full = True
            if self.y + LINE <= self.height + 1e-6:
                self._write(0.0, "…")
        return fits

    def _write(self, x: float, words: str, line: float = 0, ha: str = "left") -> None:
        y = self.y + (line + 0.5) * LINE
        self.ax.text(x, y, words, ha=ha, va="center", fontsize=SMALL)

    def _square(self, x: float, line: float, color: str) -> None:
        from matplotlib.patches import Rectangle

        y = self.y + (line + 0.5) * LINE - _SWATCH / 2
        self.ax.add_patch(Rectangle((x, y), _SWATCH, _SWATCH, facecolor=color, edgecolor=GREY, linewidth=0.4))
