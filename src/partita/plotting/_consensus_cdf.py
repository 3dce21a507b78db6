"""How certain the consensus is for each number of clusters: distribution of the co-association, its area, and PAC."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from threadpoolctl import threadpool_limits

from partita._checks import check_count
from partita._labels.ensemble import have_a_label
from partita._labels.validation import check_label_matrix
from partita._runs import check_run, draw_seeds
from partita._typing import Codes, FloatArray, IntArray
from partita.metrics import consensus_cdf
from partita.plotting._cluster_numbers import fewer_clusters, read_consensus, read_numbers
from partita.plotting._colors import PALETTE
from partita.plotting._display import GREY, SMALL, Display, draw_objects, split
from partita.plotting._fitting import caption
from partita.plotting._layout import LINE, inches
from partita.results import ConsensusResult
from partita.selection import ClusterNumberChoice
from partita.selection import _input as selection_input
from partita.selection._criteria import pac_columns
from partita.selection._resampling import SHARE_OF_OBJECTS, Resampling, sample_labels

_GRID = np.arange(101) / 100
_SHADES = (0.05, 0.95)  # of the colour map, from the smallest number to the largest
_MARK = PALETTE[4]  # colour of the marked number


class ConsensusCDFDisplay(Display):
    """Distribution of the co-association for each number of clusters, the growth of its area, and ambiguous pairs.

    A clear number of clusters has a curve that is flat between 0 and 1: pairs are always together or never, and the
    proportion of ambiguous pairs (PAC) is low. Make one with ``from_labels``, ``from_estimator``, ``from_result`` or
    ``from_choice``.

    Parameters
    ----------
    numbers : sequence of int
        Numbers of clusters.
    grid : ndarray of shape (n_grid,)
        Values of the co-association.
    cdf : ndarray of shape (n_numbers, n_grid)
        Share of pairs with a co-association up to each value.
    area, delta_area, pac : ndarray of shape (n_numbers,)
        Area under each curve; its relative growth, the first being the area itself; proportion of pairs with a
        co-association between 0.1 and 0.9.
    chosen : int, optional
        Number of clusters that is marked.
    note : str
        What the figure says about the method and a sample.

    Attributes
    ----------
    numbers, grid, cdf, area, delta_area, pac, chosen, note
        As above.
    ax_, figure_
        After ``plot``: the axes that hold the three panels, and their figure.

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a resampling-based method for class discovery
    and visualization of gene expression microarray data", Machine Learning 52, 2003.
    Y. Senbabaoglu, G. Michailidis and J. Li, "Critical limitations of consensus clustering in class discovery",
    Scientific Reports 4, 2014.

    Examples
    --------
    >>> from partita.datasets import load_wine_ensemble
    >>> from partita.plotting import ConsensusCDFDisplay
    >>> display = ConsensusCDFDisplay.from_labels(load_wine_ensemble().labels, (2, 4), n_resamples=5)
    >>> display.numbers, display.cdf.shape
    ([2, 3, 4], (3, 101))
    >>> int(display.pac.argmin()) + 2
    3
    """

    def __init__(
        self,
        *,
        numbers: Sequence[int],
        grid: FloatArray,
        cdf: FloatArray,
        area: FloatArray,
        delta_area: FloatArray,
        pac: FloatArray,
        chosen: int | None = None,
        note: str = "",
    ) -> None:
        self.numbers = numbers
        self.grid = grid
        self.cdf = cdf
        self.area = area
        self.delta_area = delta_area
        self.pac = pac
        self.chosen = chosen
        self.note = note

    @classmethod
    def from_labels(
        cls,
        X: Any,
        numbers: Any = None,
        *,
        consensus: Any = None,
        n_resamples: int = 20,
        max_objects: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> Self:
        """Combine samples of a label matrix for every number of clusters, as :func:`partita.choose_n_clusters` does.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        numbers : tuple (low, high) or list, optional
            Numbers of clusters; default 2 to 10, as far as the objects of a sample allow.
        consensus : estimator with ``n_clusters``, optional
            What combines the labels; default :class:`partita.EAC` with Ward linkage, one tree for all numbers.
        n_resamples : int, default=20
            Samples that are combined: each a random half of the clusterings and 80 % of the objects.
        max_objects : int, default=1000
            Of more objects a random sample is used.
        random_state : int, RandomState, Generator or None
            Seed of the samples.
        n_jobs : int, optional
            Number of threads; -1 uses all cores. The result does not depend on it.

        Notes
        -----
        The values are those of ``choose_n_clusters(X, ...).table`` with the same ``random_state``. Weights of the
        clusterings do not count: each sample has other clusterings.
        """
        codes = check_label_matrix(X).codes
        codes = codes[have_a_label(codes)]
        object_seed, seed = _seeds(random_state)
        few = selection_input.draw_objects(codes, max_objects, object_seed)
        note = "" if len(few) == len(codes) else f"a sample of {len(few):,} of {len(codes):,} objects"
        return cls._resample(few, numbers, consensus, n_resamples, seed, n_jobs, note=note)

    @classmethod
    def from_result(
        cls,
        result: ConsensusResult,
        numbers: Any = None,
        *,
        consensus: Any = None,
        n_resamples: int = 20,
        max_objects: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> Self:
        """Combine samples of the labels of a result for every number of clusters; its own number is marked.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, ``ConsensusResult.from_estimator`` or ``ConsensusResult.from_labels``.
        numbers : tuple (low, high) or list, optional
            Numbers of clusters; default 2 to 10, or to two more than the result has.
        consensus, n_resamples, max_objects, random_state, n_jobs
            As in ``from_labels``; of more objects a sample by cluster is used.
        """
        object_seed, seed = _seeds(random_state)
        objects = np.flatnonzero(result.labels >= 0)
        drawn, note = draw_objects(result.labels[objects], max_objects, object_seed)
        codes = result._judged.codes_of(objects[drawn])
        chosen = result.n_clusters
        return cls._resample(codes, numbers, consensus, n_resamples, seed, n_jobs, chosen=chosen, note=note)

    @classmethod
    def from_estimator(cls, estimator: Any, numbers: Any = None, **options: Any) -> Self:
        """Combine samples of the labels of a fitted consensus estimator for every number of clusters.

        Parameters
        ----------
        estimator : estimator
            After ``fit``.
        numbers, **options
            As in ``from_result``.
        """
        return cls.from_result(ConsensusResult.from_estimator(estimator), numbers, **options)

    @classmethod
    def from_choice(cls, choice: ClusterNumberChoice) -> Self:
        """Show what :func:`partita.choose_n_clusters` has computed; the recommended number is marked.

        Parameters
        ----------
        choice : ClusterNumberChoice
            Of labels or features.
        """
        if not isinstance(choice, ClusterNumberChoice):
            raise TypeError(f"{choice!r:.60} is not the answer of choose_n_clusters; pass choose_n_clusters(X).")
        table = choice.table
        return cls(
            numbers=table["n_clusters"].tolist(),
            grid=choice.cdf.index.to_numpy(dtype=np.float64),
            cdf=choice.cdf.to_numpy(dtype=np.float64).T,
            area=table["cdf_area"].to_numpy(dtype=np.float64),
            delta_area=table["delta_area"].to_numpy(dtype=np.float64),
            pac=table["pac"].to_numpy(dtype=np.float64),
            chosen=choice.n_clusters,
            note=f"samples of {choice.n_objects:,} objects",
        )

    @classmethod
    def _resample(
        cls,
        codes: Codes,
        numbers: Any,
        consensus: Any,
        n_resamples: int,
        seed: int,
        n_jobs: int | None,
        *,
        chosen: int | None = None,
        note: str = "",
    ) -> Self:
        check_run(n_jobs, verbose=False)
        if check_count(n_resamples, "n_resamples") < 2:
            raise ValueError(f"n_resamples={n_resamples} is too few; pass at least 2.")
        asked = read_numbers(numbers, int(SHARE_OF_OBJECTS * len(codes)) - 1, chosen or 0)
        method, name = read_consensus(consensus)
        with threadpool_limits(limits=1), fewer_clusters():
            resampled = sample_labels(codes, Resampling(method, asked, n_resamples, n_jobs), seed)
        columns = pac_columns(resampled)
        return cls(
            numbers=asked,
            grid=_GRID,
            cdf=np.array([consensus_cdf(labels, _GRID).cdf for labels in resampled]),
            area=columns["cdf_area"],
            delta_area=columns["delta_area"],
            pac=columns["pac"],
            chosen=chosen,
            note="; ".join(words for words in (f"{n_resamples} samples combined by {name}", note) if words),
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the three panels.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        ax = self._begin(ax, (9.0, 4.4))
        caption(ax, "Certainty of the consensus by number of clusters", [self.note, self._unmarked()])
        parts = split(ax, [(0, 0, 0.5, 1), (0.53, 0, 0.022, 0.88), (0.71, 0.56, 0.29, 0.44), (0.71, 0, 0.29, 0.44)])
        curves, scale, growth, ambiguity = parts
        colors = self._colors()
        self._draw_curves(curves, colors)
        self._draw_scale(scale, colors, 0.88 * inches(ax)[1])
        self._draw_column(growth, self.delta_area, "delta area")
        self._draw_column(ambiguity, self.pac, "PAC")
        growth.tick_params(labelbottom=False)
        ambiguity.set_xlabel("number of clusters", fontsize=SMALL)
        return self

    # ---------------------------------------------------------------------------------------------------- small steps
    def _unmarked(self) -> str:
        if self.chosen is None or self.chosen in self.numbers:
            return ""
        return f"the result has {self.chosen} cluster{'s' * (self.chosen > 1)}"

    def _colors(self) -> list[Any]:
        """Colours of the numbers, from light to dark; the marked one stands out."""
        from matplotlib import colormaps
        from matplotlib.colors import to_rgba

        shades = colormaps["viridis_r"](np.linspace(*_SHADES, len(self.numbers)))
        pairs = zip(self.numbers, shades.tolist(), strict=True)
        return [to_rgba(_MARK) if k == self.chosen else tuple(shade) for k, shade in pairs]

    def _draw_curves(self, ax: Any, colors: list[Any]) -> None:
        for k, curve, color in zip(self.numbers, self.cdf, colors, strict=True):
            width, level = (2.6, 3) if k == self.chosen else (1.2, 2)
            ax.plot(self.grid, curve, drawstyle="steps-post", color=color, linewidth=width, zorder=level)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("co-association", fontsize=SMALL)
        ax.set_ylabel("share of pairs up to it", fontsize=SMALL)
        _plain(ax)

    def _draw_scale(self, ax: Any, colors: list[Any], height: float) -> None:
        """Which colour is which number: one cell each, all or some of them named."""
        n = len(self.numbers)
        ax.imshow(
            np.array(colors)[:, None], aspect="auto", extent=(0, 1, 0, n), origin="lower", interpolation="nearest"
        )
        step = max(1, int(np.ceil(1.2 * n * LINE / height)))
        named = [place for place in range(n) if place % step == 0]
        if self.chosen is not None and self.chosen in self.numbers:
            marked = list(self.numbers).index(self.chosen)
            named = sorted({place for place in named if abs(place - marked) >= step} | {marked})
        ax.yaxis.tick_right()
        ax.set_yticks([place + 0.5 for place in named], [str(self.numbers[place]) for place in named], fontsize=SMALL)
        for label, place in zip(ax.get_yticklabels(), named, strict=True):
            label.set_fontweight("bold" if self.numbers[place] == self.chosen else "normal")
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_title("clusters", fontsize=SMALL, pad=5, loc="left")

    def _draw_column(self, ax: Any, values: FloatArray, name: str) -> None:
        """A line over the numbers of clusters, with the marked one."""
        ax.plot(self.numbers, values, color=GREY, linewidth=1.2, marker="o", markersize=3.5, clip_on=False)
        if self.chosen is not None and self.chosen in self.numbers:
            place = list(self.numbers).index(self.chosen)
            ax.plot(self.chosen, values[place], color=_MARK, marker="o", markersize=7, clip_on=False, zorder=3)
        known = values[np.isfinite(values)]
        ax.set_ylim(min(0.0, known.min(initial=0.0)), 1.1 * known.max(initial=0.0) or 1.0)
        ax.set_ylabel(name, fontsize=SMALL)
        ax.set_xticks(_few_ticks(np.asarray(self.numbers)))
        ax.set_xlim(self.numbers[0] - 0.5, self.numbers[-1] + 0.5)
        _plain(ax)


def _seeds(random_state: Any) -> tuple[int, int]:
    """Seeds of the objects and of the samples, drawn as ``choose_n_clusters`` draws them."""
    objects, samples, _ = draw_seeds(random_state, 3)
    return int(objects), int(samples)


def _few_ticks(numbers: IntArray) -> list[int]:
    """At most about ten of the numbers, evenly."""
    return [int(number) for number in numbers[:: -(-len(numbers) // 10)]]


def _plain(ax: Any) -> None:
    ax.tick_params(labelsize=SMALL, length=3)
    ax.spines[["top", "right"]].set_visible(False)
