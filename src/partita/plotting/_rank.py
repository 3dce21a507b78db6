"""Display of mean ranks: which of several methods differ over data sets (Demsar 2006)."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from partita._checks import check_share
from partita._typing import FloatArray
from partita.plotting._display import USUAL, Display, shorten
from partita.plotting._fitting import caption, size_in_points, step_that_fits, width_of
from partita.plotting._method_fits import check_methods, consensus_of, number_of_clusters, quiet
from partita.results._frames import as_frame

_QUICK = ("lwgp", "usenc", "mcla", "voting", "qmi", "mm")  # linear in the objects
_ROW, _BAR = 15.0, 7.0  # height of a name and of a bar of methods, in points
_AXIS = 62.0  # room above the names for the ruler and the axis, in points
_LINE = "#3B3B3B"


class RankDisplay(Display):
    """Mean ranks of methods over data sets, with the critical difference of the test of Nemenyi.

    Methods that a bar joins are not shown to differ: their mean ranks are less than the critical difference apart.

    Parameters
    ----------
    names : list of str
        Names of the methods.
    mean_ranks : array-like of shape (n_methods,)
        Mean rank of each; 1 is best.
    n_datasets : int
        Number of data sets.
    alpha : float in (0, 1), default=0.05
        Level of the tests.
    p_value : float, default=nan
        Of the test of Friedman, that all methods are equally good.
    note : str, default=""
        Written on the figure.

    Attributes
    ----------
    names : list of str
        From the best to the worst.
    mean_ranks : ndarray of shape (n_methods,)
        In the same order.
    critical_difference : float
        Mean ranks that are at least this far apart differ.
    groups : list of (first, last)
        Largest groups of methods that are not shown to differ, as places in ``names``; both are included.
    n_datasets, alpha, p_value, note
        As passed.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7,
    2006.

    Examples
    --------
    >>> from partita.plotting import RankDisplay
    >>> scores = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.7], "c": [0.5, 0.7, 0.5, 0.6]}
    >>> display = RankDisplay.from_scores(scores)
    >>> display.names, display.mean_ranks, round(display.critical_difference, 3)
    (['a', 'b', 'c'], array([1.   , 2.125, 2.875]), 1.657)
    >>> display.groups
    [(0, 1), (1, 2)]
    """

    def __init__(
        self,
        names: Sequence[str],
        mean_ranks: Any,
        n_datasets: int,
        *,
        alpha: float = 0.05,
        p_value: float = np.nan,
        note: str = "",
    ) -> None:
        ranks = np.asarray(mean_ranks, dtype=np.float64)
        if len(names) < 2 or ranks.shape != (len(names),):
            raise ValueError(f"{len(names)} names and {ranks.size} mean ranks; pass one rank per name, two at least.")
        order = np.argsort(ranks, kind="stable")
        self.names = [str(names[place]) for place in order]
        self.mean_ranks = ranks[order]
        self.n_datasets = n_datasets
        self.alpha = check_share(alpha, "alpha")
        self.p_value = p_value
        self.note = note
        self.critical_difference = _critical_difference(len(names), n_datasets, alpha)
        self.groups = _groups(self.mean_ranks, self.critical_difference)

    @classmethod
    def from_scores(cls, frame: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> Self:
        """Compute the display of scores.

        Parameters
        ----------
        frame : DataFrame, dict or array
            One row per data set, one column per method; rows with a missing score are left out.
        higher_is_better : bool, default=True
            Whether the highest score of a row has rank 1. Equal scores share their mean rank.
        alpha : float in (0, 1), default=0.05
            Level of the tests.
        """
        check_share(alpha, "alpha")
        scores = _check_scores(frame)
        complete = scores.dropna()
        if complete.empty:
            raise ValueError(f"no row of the {len(scores)} has a score of every method; fill in some of them.")
        ranks = complete.rank(axis=1, ascending=not higher_is_better).to_numpy()
        left_out = len(scores) - len(complete)
        rows = "row" if left_out == 1 else "rows"
        note = f"{left_out} {rows} with a missing score left out" if left_out else ""
        names = [str(name) for name in scores.columns]
        return cls(names, ranks.mean(axis=0), len(ranks), alpha=alpha, p_value=_friedman(ranks), note=note)

    @classmethod
    def from_labels(
        cls, X: Any, methods: Any = None, *, n_clusters: Any = "auto", random_state: Any = 0, alpha: float = 0.05
    ) -> Self:
        """Rank methods by how well their consensus agrees with the clusterings of an ensemble.

        Each clustering has the role of a data set; a method's score is the normalised mutual information of its
        consensus with it. The clusterings are of the same objects and not independent: the ranks describe, and the
        critical difference is no test.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        methods : sequence of str or estimators, or dict of name and method, optional
            Names of `partita methods`; by default six that are linear in the objects.
        n_clusters : int or "auto", default="auto"
            Number of clusters of every consensus; "auto" takes the one that :func:`partita.combine` finds.
        random_state : int, RandomState, Generator or None
            Seed of the methods.
        alpha : float in (0, 1), default=0.05
            Level of the critical difference.
        """
        from partita._labels.validation import check_label_matrix
        from partita.metrics._information import average_nmi_score

        chosen = check_methods(_QUICK if methods is None else methods, at_least=2)
        matrix = check_label_matrix(X)
        k, note = number_of_clusters(matrix, n_clusters, random_state)
        columns = {}
        for name, method in chosen.items():
            with quiet():
                labels = consensus_of(matrix.codes, method, k, random_state)
            kept = labels >= 0
            columns[name] = [average_nmi_score(column[kept][:, None], labels[kept]) for column in matrix.codes.T]
        display = cls.from_scores(pd.DataFrame(columns), alpha=alpha)
        display.p_value = np.nan  # it would be that of a test
        describes = "each clustering stands for a data set; they are not independent, so this describes and is no test"
        display.note = "; ".join(filter(None, [describes, display.note, note]))
        return display

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        levels = _levels(self.groups)
        needed = _AXIS + _BAR * (max(levels, default=-1) + 1) + _ROW * ((len(self.names) + 1) // 2) + 4
        ax = self._begin(ax, (7.5, needed / 72 + 0.8))
        tested = f"test of Friedman: {_in_words(self.p_value)}" if np.isfinite(self.p_value) else ""
        joined = "bars join methods that are less than the critical difference apart"
        caption(ax, "Mean ranks (1 is best)", [self._counted(), tested, joined, self.note])
        ax.set_axis_off()
        width, height = size_in_points(ax)
        ax.set_xlim(0, width)
        ax.set_ylim(needed, 0)
        size = min(float(USUAL - 1), 0.62 * _ROW * height / needed)
        names = [shorten(name, max(6, int(0.27 * width / width_of("x", size)))) for name in self.names]
        half = (len(names) + 1) // 2
        left, right = (
            max(width_of(name, size) for name in side) + width_of("  00.00", size) + 12
            for side in (names[:half], names[half:])
        )
        self._scale(left, width - right)
        self._draw_axis(ax, size)
        self._draw_names(ax, names, size, needed - _ROW * ((len(names) + 1) // 2))
        for level, (first, last) in zip(levels, self.groups, strict=True):
            y = _AXIS + _BAR * level
            ends = self._at(self.mean_ranks[[first, last]]) + np.array([-3.0, 3.0])
            ax.plot(ends, [y, y], color=_LINE, linewidth=3, solid_capstyle="butt", zorder=3)
        return self

    def _counted(self) -> str:
        number = f"{self.n_datasets} data set" + ("" if self.n_datasets == 1 else "s")
        return f"{number}, level {self.alpha:g}"

    def _scale(self, left: float, right: float) -> None:
        """Which part of the ranks the axis shows, and where."""
        low, high = int(np.floor(self.mean_ranks[0])), int(np.ceil(self.mean_ranks[-1]))
        self._range = (low, max(high, low + 1))
        self._ends = (left, right)

    def _at(self, rank: Any) -> Any:
        """Where a rank is, in points."""
        low, high = self._range
        return self._ends[0] + (np.asarray(rank, dtype=np.float64) - low) / (high - low) * (
            self._ends[1] - self._ends[0]
        )

    def _draw_axis(self, ax: Any, size: float) -> None:
        """The axis of ranks, and above it a ruler as long as the critical difference."""
        low, high = self._range
        y = _AXIS - 12
        ax.plot(self._at([low, high]), [y, y], color=_LINE, linewidth=1)
        step = step_that_fits(high - low + 1, self._ends[1] - self._ends[0], 2.6 * size)
        for rank in range(low, high + 1):
            ax.plot(self._at([rank, rank]), [y - 4, y], color=_LINE, linewidth=1)
            if (rank - low) % step == 0:
                ax.text(self._at(rank), y - 6, str(rank), ha="center", va="bottom", fontsize=size)
        words = f"critical difference {self.critical_difference:.2f}"
        ruler = self._at(low + self.critical_difference) - self._at(low)
        if ruler > self._ends[1] - self._ends[0]:
            ax.text(self._ends[0], 12, f"{words}: longer than the axis", va="center", fontsize=size)
            return
        ends = [self._ends[0], self._ends[0] + ruler]
        ax.plot(ends, [12, 12], color=_LINE, linewidth=1.5)
        for end in ends:
            ax.plot([end, end], [8, 16], color=_LINE, linewidth=1.5)
        ax.text(ends[1] + 6, 12, words, va="center", fontsize=size)

    def _draw_names(self, ax: Any, names: list[str], size: float, top: float) -> None:
        """The better half at the left, the others at the right, each with a line to its rank."""
        n, left = len(names), (len(names) + 1) // 2
        for place, (name, rank) in enumerate(zip(names, self.mean_ranks, strict=True)):
            at_left = place < left
            y = top + _ROW * ((place if at_left else n - 1 - place) + 0.5)
            end = self._ends[0] - 4 if at_left else self._ends[1] + 4
            at = float(self._at(rank))
            ax.plot([at, at, end], [_AXIS - 12, y, y], color=_LINE, linewidth=0.8)
            words = f"{name}  {rank:.2f}" if at_left else f"{rank:.2f}  {name}"
            ax.text(
                end + (-3 if at_left else 3), y, words, ha="right" if at_left else "left", va="center", fontsize=size
            )


# --------------------------------------------------------------------------------------------------------------- tests
def _check_scores(frame: Any) -> pd.DataFrame:
    """Scores as numbers, one row per data set."""
    try:
        scores = as_frame(frame).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"scores must be numbers, received {frame!r:.60}; pass one row per data set and one column per method."
        ) from None
    if scores.shape[1] < 2:
        raise ValueError(f"scores have {scores.shape[1]} columns; pass one column per method, two at least.")
    return scores.replace([np.inf, -np.inf], np.nan)


def _friedman(ranks: FloatArray) -> float:
    """p-value of the hypothesis that all methods are equally good; with ties, and also of two methods."""
    from scipy.stats import chi2

    n, k = ranks.shape
    away = ranks - (k + 1) / 2
    total = float((away**2).sum())
    if total == 0:
        return 1.0
    statistic = (k - 1) * n**2 * float((away.mean(axis=0) ** 2).sum()) / total
    return float(chi2.sf(statistic, k - 1))


def _critical_difference(n_methods: int, n_datasets: int, alpha: float) -> float:
    """Smallest difference of two mean ranks that the test of Nemenyi finds at this level."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def _groups(ranks: FloatArray, difference: float) -> list[tuple[int, int]]:
    """Largest runs of sorted ranks that are less than the difference apart, of two methods at least."""
    groups: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.flatnonzero(ranks - ranks[first] < difference)[-1])
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


def _levels(groups: list[tuple[int, int]]) -> list[int]:
    """Row of each bar: those that share a method are in different rows."""
    ends: list[int] = []
    levels = []
    for first, last in groups:
        free = next((level for level, end in enumerate(ends) if end < first), len(ends))
        ends[free : free + 1] = [last]
        levels.append(free)
    return levels


def _in_words(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
