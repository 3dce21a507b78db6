"""How much the clusterings agree with each other and with the consensus, as a heatmap."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from partita._checks import check_choice
from partita._typing import FloatArray, IntArray
from partita.metrics._agreement_matrix import MEASURES, Measure, agreement_matrix
from partita.plotting._colors import MISSING, SEQUENTIAL
from partita.plotting._display import GREY, SMALL, ResultDisplay, set_title, shorten
from partita.plotting._layout import inches
from partita.plotting._tree import average_linkage, leaf_order
from partita.results import ConsensusResult

_WORDS = {"adjusted_rand": "adjusted Rand index", "nmi": "normalized mutual information"}
_WRITTEN = 12  # clusterings up to which the numbers are written into the cells
_NAMED = 40  # clusterings up to which their names are written
_NAME = 20  # letters of a name
_ROOM_OF_NAME, _ROOM_OF_NUMBER = 0.125, 0.32  # inches of a cell


class AgreementDisplay(ResultDisplay):
    """Heatmap of the agreement of every two clusterings; the consensus is set apart as the first row and column.

    Make one with ``from_labels``, ``from_estimator`` or ``from_result``; ``plot`` draws it.

    Parameters
    ----------
    agreement : ndarray of shape (n_clusterings + 1, n_clusterings + 1)
        Agreement in the order drawn, the consensus first; NaN where two clusterings have no object in common.
    order : ndarray of shape (n_clusterings,)
        Numbers of the clusterings, in the order drawn.
    names : sequence of str
        Their names.
    measure : {"adjusted_rand", "nmi"}
        What ``agreement`` holds.
    reference : str
        Name of the first row.

    Attributes
    ----------
    agreement, order, names, measure, reference
        As above.
    ax_, figure_
        After ``plot``.

    Examples
    --------
    >>> from partita.plotting import AgreementDisplay
    >>> display = AgreementDisplay.from_labels([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]], [0, 0, 1, 1])
    >>> display.agreement.round(2)
    array([[1., 1., 1., 0.],
           [1., 1., 1., 0.],
           [1., 1., 1., 0.],
           [0., 0., 0., 1.]])
    """

    def __init__(
        self,
        *,
        agreement: FloatArray,
        order: IntArray,
        names: Sequence[str],
        measure: Measure = "adjusted_rand",
        reference: str = "consensus",
    ) -> None:
        self.agreement = agreement
        self.order = order
        self.names = names
        self.measure = measure
        self.reference = reference

    @classmethod
    def from_result(  # type: ignore[override]
        cls,
        result: ConsensusResult,
        *,
        measure: Measure = "adjusted_rand",
        order: Literal["similarity", "given"] = "similarity",
    ) -> Self:
        """Compute the agreement of the clusterings of a result.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, ``ConsensusResult.from_estimator`` or ``ConsensusResult.from_labels``.
        measure : {"adjusted_rand", "nmi"}, default="adjusted_rand"
            Adjusted Rand index, or mutual information normalized by the geometric mean of the entropies, over the
            objects that both label.
        order : {"similarity", "given"}, default="similarity"
            Similar clusterings side by side (leaves of average linkage, turned so that those that agree with the
            consensus come first), or as they were given.

        Notes
        -----
        Cost O(r m^2) for r distinct rows of m labels.
        """
        check_choice("measure", measure, MEASURES)
        check_choice("order", order, ("similarity", "given"))
        judged, names = result._judged, result._names
        rows = judged.row_of_object[judged.row_of_object >= 0]
        codes = np.column_stack([judged.row_labels, judged.all_codes])
        agreement = agreement_matrix(codes, np.bincount(rows, minlength=len(codes)), measure)
        places = _similar_together(agreement) if order == "similarity" else np.arange(len(agreement) - 1)
        shown = np.append(0, places + 1)
        return cls(
            agreement=agreement[np.ix_(shown, shown)],
            order=places,
            names=[names[place] for place in places],
            measure=measure,
            reference="given" if result.method == "given" else "consensus",
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the heatmap.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        m = len(self.order)
        side = min(3.6 + 0.36 * m, 7.5) if m <= _WRITTEN else 7.5
        ax = self._begin(ax, (side + 0.9, side))
        gap = max(0.25, m / 50)
        cell = 0.75 * min(inches(ax)) / (m + 1 + gap)  # about a quarter goes to the names
        image = self._draw_blocks(ax, gap)
        self._draw_names(ax, gap, named=m <= _NAMED and cell > _ROOM_OF_NAME)
        if m <= _WRITTEN and cell > _ROOM_OF_NUMBER:
            self._write_numbers(ax, gap, image)
        bar = self.figure_.colorbar(image, ax=ax, fraction=0.045, pad=0.03)
        bar.set_label(_WORDS[self.measure], fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL, length=2)
        bar.outline.set_visible(False)
        gaps = bool(np.isnan(self.agreement).any())
        set_title(ax, "Agreement of the clusterings", " " if gaps else "")
        if gaps:
            _explain_gaps(ax)
        return self

    # ---------------------------------------------------------------------------------------------------- small steps
    def _draw_blocks(self, ax: Any, gap: float) -> Any:
        """Four images: the consensus by itself, its row, its column, and all others."""
        from matplotlib import colormaps

        n, apart = len(self.agreement), slice(1, None)
        known = self.agreement[np.isfinite(self.agreement)]
        cmap = colormaps[SEQUENTIAL].with_extremes(bad=MISSING)
        spans = [(slice(0, 1), (0.0, 1.0)), (apart, (1 + gap, n + gap))]
        for rows, (top, bottom) in spans:
            for cols, (left, right) in spans:
                image = ax.imshow(
                    self.agreement[rows, cols], cmap=cmap, vmin=min(0.0, float(known.min())), vmax=1,
                    extent=(left, right, bottom, top), interpolation="nearest", rasterized=True,
                )  # fmt: skip
        ax.set_xlim(0, n + gap)
        ax.set_ylim(n + gap, 0)
        ax.set_aspect("equal")
        for spine in ax.spines.values():
            spine.set_visible(False)
        return image

    def _draw_names(self, ax: Any, gap: float, *, named: bool) -> None:
        """Names beside and below, or how many there are."""
        m = len(self.order)
        places, words = [0.5], [self.reference]
        if named:
            places += (np.arange(m) + 1.5 + gap).tolist()
            words += [shorten(name, _NAME) for name in self.names]
        else:
            how = "similar ones side by side" if (np.diff(self.order) < 0).any() else "in the order given"
            ax.set_xlabel(f"{m} clusterings, {how}", fontsize=SMALL)
        size = SMALL if m <= 25 else SMALL - 1.5
        ax.set_xticks(places, words, rotation=90, fontsize=size)
        ax.set_yticks(places, words, fontsize=size)
        ax.tick_params(length=0)
        for label in (ax.get_xticklabels()[0], ax.get_yticklabels()[0]):
            label.set(fontweight="bold")

    def _write_numbers(self, ax: Any, gap: float, image: Any) -> None:
        places = np.append(0.5, np.arange(len(self.order)) + 1.5 + gap)
        for (row, col), value in np.ndenumerate(self.agreement):
            red, green, blue, _ = image.cmap(image.norm(value)) if np.isfinite(value) else (1, 1, 1, 1)
            dark = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 <= 0.18
            color = GREY if np.isnan(value) else "white" if dark else "black"
            words = "" if np.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")
            ax.text(places[col], places[row], words, ha="center", va="center", fontsize=SMALL - 1, color=color)


def _explain_gaps(ax: Any) -> None:
    """What the colour of missing values means, in the place of a note."""
    from matplotlib.patches import Patch

    ax.legend(
        handles=[Patch(facecolor=MISSING, label="no object in common")], loc="lower left", bbox_to_anchor=(0, 1),
        borderaxespad=0.4, borderpad=0, handlelength=1, handleheight=1, frameon=False, fontsize=SMALL, labelcolor=GREY,
    )  # fmt: skip


def _similar_together(agreement: FloatArray) -> IntArray:
    """An order of the clusterings, which follow the consensus: leaves of a tree, those that agree with it first."""
    D = 1 - np.nan_to_num(agreement[1:, 1:], nan=0.0)
    np.fill_diagonal(D, 0.0)
    return leaf_order(average_linkage(D), -np.nan_to_num(agreement[0, 1:], nan=0.0))
