"""The cluster of each object for every number of clusters, one row below another: the tracking plot."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from partita._labels.ensemble import find_distinct_rows, have_a_label
from partita._labels.validation import check_label_matrix
from partita._runs import check_run, draw_seeds
from partita._typing import Codes, FloatArray, IntArray
from partita.plotting._cluster_numbers import fewer_clusters, read_consensus, read_numbers
from partita.plotting._colors import cluster_color
from partita.plotting._display import GREY, MAX_OBJECTS, SMALL, Display, draw_objects
from partita.plotting._fitting import caption
from partita.results import ConsensusResult
from partita.selection._resampling import combine


class TrackingDisplay(Display):
    """Clusters of the objects over the number of clusters: one row per number, one column per object.

    Colours are carried from each number to the next by the best matching of the clusters, so that a cluster that is
    split keeps its colour in one part. Make one with ``from_labels``, ``from_estimator`` or ``from_result``.

    Parameters
    ----------
    numbers : sequence of int
        Numbers of clusters, one row each.
    colors : ndarray of shape (n_numbers, n_drawn)
        Number of the colour of each object, in the order drawn; -1 = no cluster.
    order : ndarray of shape (n_drawn,)
        Numbers of the objects, in the order drawn.
    method : str
        What combined the labels.
    chosen : int, optional
        Number of clusters of the result, which is marked.
    note : str
        What the figure says about a sample.

    Attributes
    ----------
    numbers, colors, order, method, chosen, note
        As above.
    ax_, figure_
        After ``plot``.

    References
    ----------
    M. D. Wilkerson and D. N. Hayes, "ConsensusClusterPlus: a class discovery tool with confidence assessments and item
    tracking", Bioinformatics 26, 2010.

    Examples
    --------
    >>> from partita.plotting import TrackingDisplay
    >>> X = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]]
    >>> display = TrackingDisplay.from_labels(X)
    >>> display.numbers
    [2, 3]
    >>> display.colors
    array([[0, 0, 0, 0, 1, 1],
           [0, 0, 2, 2, 1, 1]])
    """

    def __init__(
        self,
        *,
        numbers: Sequence[int],
        colors: IntArray,
        order: IntArray,
        method: str = "",
        chosen: int | None = None,
        note: str = "",
    ) -> None:
        self.numbers = numbers
        self.colors = colors
        self.order = order
        self.method = method
        self.chosen = chosen
        self.note = note

    @classmethod
    def from_labels(
        cls,
        X: Any,
        numbers: Any = None,
        *,
        consensus: Any = None,
        max_objects: int | None = MAX_OBJECTS,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> Self:
        """Combine a label matrix for every number of clusters.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        numbers : tuple (low, high) or list, optional
            Numbers of clusters; default 2 to 10, as far as the distinct rows of the objects allow.
        consensus : estimator with ``n_clusters``, optional
            What combines the labels; default :class:`partita.EAC` with Ward linkage, one tree for all numbers.
        max_objects : int or None, default=2000
            Of more objects a random sample is drawn, and the sample is combined; None takes all.
        random_state : int, RandomState, Generator or None
            Seed of the sample and of the consensus.
        n_jobs : int, optional
            Number of threads of ``consensus`` where it has ``n_jobs``.
        """
        codes = check_label_matrix(X).codes
        return cls._track(codes, np.zeros(len(codes), np.int64), numbers, consensus, max_objects, random_state, n_jobs)

    @classmethod
    def from_result(
        cls,
        result: ConsensusResult,
        numbers: Any = None,
        *,
        consensus: Any = None,
        max_objects: int | None = MAX_OBJECTS,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> Self:
        """Combine the labels of a result for every number of clusters; its own number is marked.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, ``ConsensusResult.from_estimator`` or ``ConsensusResult.from_labels``. The
            weights of its clusterings count in the default consensus.
        numbers : tuple (low, high) or list, optional
            Numbers of clusters; default 2 to 10, or to two more than the result has.
        consensus, max_objects, random_state, n_jobs
            As in ``from_labels``; the sample is drawn by cluster.
        """
        judged = result._judged
        codes = judged.codes_of(np.arange(len(result.labels)))
        return cls._track(
            codes, result.labels, numbers, consensus, max_objects, random_state, n_jobs,
            weights=judged.ensemble.clustering_weights, chosen=result.n_clusters,
        )  # fmt: skip

    @classmethod
    def from_estimator(cls, estimator: Any, numbers: Any = None, **options: Any) -> Self:
        """Combine the labels of a fitted consensus estimator for every number of clusters.

        Parameters
        ----------
        estimator : estimator
            After ``fit``.
        numbers, **options
            As in ``from_result``.
        """
        return cls.from_result(ConsensusResult.from_estimator(estimator), numbers, **options)

    @classmethod
    def _track(
        cls,
        codes: Codes,
        labels: IntArray,
        numbers: Any,
        consensus: Any,
        max_objects: int | None,
        random_state: Any,
        n_jobs: int | None,
        *,
        weights: FloatArray | None = None,
        chosen: int | None = None,
    ) -> Self:
        check_run(n_jobs, verbose=False)
        sample_seed, seed = (int(value) for value in draw_seeds(random_state, 2))
        labelled = np.flatnonzero(have_a_label(codes))
        drawn, note = draw_objects(labels[labelled], max_objects, sample_seed)
        objects = labelled[drawn]
        few = np.ascontiguousarray(codes[objects])
        filled = (few >= 0).any(axis=0)
        few = few[:, filled]
        most = len(find_distinct_rows(few, few.max(axis=0).astype(np.int64) + 1).first)
        asked = read_numbers(numbers, most, chosen or 0)
        method, name = read_consensus(consensus, None if weights is None else weights[filled])
        if n_jobs is not None and "n_jobs" in method.get_params(deep=False):
            method = clone(method).set_params(n_jobs=n_jobs)
        with fewer_clusters():
            colors = carry_colors(np.array(combine(method, few, asked, seed)))
        if chosen is not None and chosen in asked:
            colors = as_in_result(colors, asked.index(chosen), labels[objects])
        order = np.lexsort(colors[::-1])
        note = note if chosen is not None else note.replace(", by cluster", "")
        return cls(numbers=asked, colors=colors[:, order], order=objects[order], method=name, chosen=chosen, note=note)

    def plot(self, ax: Any = None) -> Self:
        """Draw one row of colours per number of clusters.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        n_rows, n = self.colors.shape
        ax = self._begin(ax, (7.5, min(1.4 + 0.34 * n_rows, 9.0)))
        from matplotlib.colors import to_rgba_array  # where it is missing, the line above says what to install

        palette = to_rgba_array([cluster_color(color) for color in [*range(int(self.colors.max()) + 1), -1]])
        for row, colors in enumerate(self.colors):
            ax.imshow(
                palette[colors][None], extent=(0, n, row + 0.46, row - 0.46), aspect="auto", interpolation="nearest",
                rasterized=True,
            )  # fmt: skip
        ax.set_xlim(0, n)
        ax.set_ylim(n_rows - 0.4, -0.6)
        ax.set_xticks([])
        ax.set_yticks(range(n_rows), [str(k) for k in self.numbers], fontsize=SMALL)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel("1 object" if n == 1 else f"{n:,} objects", fontsize=SMALL)
        ax.set_ylabel("number of clusters", fontsize=SMALL)
        self._mark_chosen(ax)
        caption(ax, "Cluster of each object", self._notes())
        return self

    def _mark_chosen(self, ax: Any) -> None:
        if self.chosen is None or self.chosen not in self.numbers:
            return
        row = list(self.numbers).index(self.chosen)
        ax.get_yticklabels()[row].set_fontweight("bold")
        ax.annotate(
            "result", (1, row), xytext=(4, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
            fontsize=SMALL, color=GREY, va="center", annotation_clip=False,
        )  # fmt: skip

    def _notes(self) -> list[str]:
        gone = (
            ""
            if self.chosen is None or self.chosen in self.numbers
            else f"the result has {self.chosen} cluster{'s' * (self.chosen > 1)}"
        )
        return [f"combined by {self.method}" if self.method else "", self.note, gone]


def as_in_result(colors: IntArray, row: int, labels: IntArray) -> IntArray:
    """The same colours in another numbering: in this row they are those of the clusters that share most objects."""
    n_colors = int(colors.max()) + 1
    both = (colors[row] >= 0) & (labels >= 0)
    shared = np.zeros((n_colors, int(labels.max(initial=-1)) + 1))
    np.add.at(shared, (colors[row][both], labels[both]), 1)
    matched = {int(color): int(cluster) for color, cluster in zip(*linear_sum_assignment(-shared), strict=True)}
    there = set(colors[row].tolist())
    new = {color: cluster for color, cluster in matched.items() if color in there}
    free = iter(sorted(set(range(n_colors + shared.shape[1])) - set(new.values())))
    return np.array([new[color] if color in new else next(free) for color in range(n_colors)] + [-1])[colors]


def carry_colors(clusters: IntArray) -> IntArray:
    """Colours of the clusters, (n_numbers, n): each row keeps those of the row before where they match best.

    Clusters without a match take the first colours that neither row has, the largest first; -1 stays -1.
    """
    colors = np.full(clusters.shape, -1, dtype=np.int64)
    before = np.full(clusters.shape[1], -1)
    for row, labels in enumerate(clusters):
        inside = labels >= 0
        number = _matched(labels[inside], before[inside])
        colors[row, inside] = number[labels[inside]]
        before = colors[row]
    return colors


def _matched(labels: IntArray, before: IntArray) -> IntArray:
    """Colour of each cluster."""
    k, n_before = int(labels.max(initial=-1)) + 1, int(before.max(initial=-1)) + 1
    overlap = np.zeros((k, n_before))
    np.add.at(overlap, (labels[before >= 0], before[before >= 0]), 1)
    number = np.full(k, -1)
    for cluster, color in zip(*linear_sum_assignment(-overlap), strict=True):
        if overlap[cluster, color] > 0:
            number[cluster] = color
    free = np.setdiff1d(np.arange(k + n_before), before)
    new = np.flatnonzero(number < 0)
    number[new[np.argsort(-np.bincount(labels, minlength=k)[new], kind="stable")]] = free[: len(new)]
    return number
