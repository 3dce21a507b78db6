"""Display of convergence: what an estimator improves, iteration by iteration."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._labels.validation import check_label_matrix
from partita._typing import FloatArray
from partita.plotting._colors import cluster_color, cluster_marker
from partita.plotting._display import SMALL, Display, say, shorten, split
from partita.plotting._fitting import caption, clean, legend_beside, size_in_points
from partita.plotting._method_fits import check_methods, new_estimator, number_of_clusters, quiet
from partita.results import ConsensusResult
from partita.results._result import method_name

_HAVE_ONE = (
    "PCC, PEACE, BaumEagon, AspectModel, BCE, GBCE, InformationBottleneck, NBCE, MultinomialMixture, QMI, "
    "MatchedVoting, NMFConsensus, ConstrainedNMF, FuzzyKMeans, FuzzyKMedoids, MedianPartition, ITK, LabelKMeans, KCC, "
    "KModes, DPMeans and DPGaussianMixture"
)
_SEARCH = {  # parameters that say how the optimum is searched for, and not what is optimised
    *("n_clusters", "init", "n_init", "keep_starts", "max_iter", "tol", "random_state", "n_jobs", "verbose", "solver"),
    *("truncation", "step", "n_chains", "burn_in", "coassignment", "copy"),
}
_LIKELIHOODS = ("MultinomialMixture", "AspectModel")
_STYLES = ("-", "--", "-.", ":")


class Path(NamedTuple):
    """What one estimator improved."""

    name: str
    values: FloatArray  # history_; values that are not finite are not drawn
    n_iter: int  # of all iterations, also of those without a value
    converged: bool
    quantity: str  # in words, with its direction
    problem: tuple[Any, ...]  # only paths of the same problem share a panel


class ConvergenceDisplay(Display):
    """Objective or lower bound of fitted estimators after each iteration of the kept start.

    Estimators that optimise the same quantity of the same number of objects share a panel; others cannot be compared.

    Parameters
    ----------
    paths : list of Path
        One per estimator: ``name``, ``values``, ``n_iter``, ``converged``, ``quantity`` and ``problem``.

    Attributes
    ----------
    paths : list of Path
        As passed.
    panels : list of list of Path
        Paths that share a panel.
    figure_, ax_ : matplotlib Figure and Axes
        After ``plot``.

    Examples
    --------
    >>> from partita import BCE
    >>> from partita.plotting import ConvergenceDisplay
    >>> model = BCE(2, random_state=0).fit([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 1, 1]])
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> display.paths[0].quantity, len(display.paths[0].values) == model.n_iter_
    ('lower bound of the log-likelihood (rises)', True)
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        problems = dict.fromkeys(path.problem for path in self.paths)
        self.panels = [[path for path in self.paths if path.problem == problem] for problem in problems]

    @classmethod
    def from_estimator(cls, estimator: Any, name: str | None = None) -> Self:
        """Compute the display of one estimator.

        Parameters
        ----------
        estimator : estimator
            After ``fit``, with ``history_``; of a :class:`ConsensusClustering` its consensus.
        name : str, optional
            Its name; by default that of the method.
        """
        return cls([_path(estimator, name)])

    @classmethod
    def from_estimators(cls, estimators: Any) -> Self:
        """Compute the display of several estimators.

        Parameters
        ----------
        estimators : dict of name and estimator, or list of estimators
            After ``fit``, with ``history_``.
        """
        if isinstance(estimators, Mapping):
            named = list(estimators.items())
        elif isinstance(estimators, Sequence) and not isinstance(estimators, str):
            named = [(None, estimator) for estimator in estimators]
        else:
            raise TypeError(f"estimators={estimators!r:.60} is no list; pass a list, or a dict by name.")
        if not named:
            raise ValueError("estimators is empty; pass at least one fitted estimator.")
        return cls(_distinct([_path(estimator, name) for name, estimator in named]))

    @classmethod
    def from_result(cls, result: ConsensusResult) -> Self:
        """Compute the display of a result whose method iterates.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, or of a fitted estimator.
        """
        return cls.from_estimator(result.estimator)

    @classmethod
    def from_labels(
        cls, X: Any, methods: Any = ("mm", "bce"), *, n_clusters: Any = "auto", random_state: Any = 0
    ) -> Self:
        """Fit methods to a label matrix, and compute their display.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
        methods : sequence of str or estimators, or dict of name and method, default=("mm", "bce")
            Names of `partita methods`, of those that iterate.
        n_clusters : int or "auto", default="auto"
            Number of clusters; "auto" takes the one that :func:`partita.combine` finds.
        random_state : int, RandomState, Generator or None
            Seed of the methods.
        """
        chosen = check_methods(methods)
        made = {name: new_estimator(method, random_state=random_state) for name, method in chosen.items()}
        for estimator in made.values():
            if type(estimator).__name__ not in _HAVE_ONE.replace(" and ", ", ").split(", "):
                _refuse(estimator)
        matrix = check_label_matrix(X)
        k, _ = number_of_clusters(matrix, n_clusters, random_state)
        with quiet():
            for estimator in made.values():
                if "n_clusters" in estimator.get_params(deep=False):
                    estimator.set_params(n_clusters=k)
                estimator.fit(matrix.codes)
        return cls.from_estimators(made)

    # ---------------------------------------------------------------------------------------------------------- drawing
    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        """
        n = len(self.panels)
        ax = self._begin(ax, (7.0, 1.2 + (2.3 if n < 4 else 1.8) * n))
        ends = "filled end: converged, open: stopped before"
        apart = "panels cannot be compared" if n > 1 else ""
        caption(ax, "Convergence", ["kept start of each fit", ends, apart])
        if n == 1:
            self._draw_panel(ax, self.panels[0], "")
            return self
        between = min(52 / size_in_points(ax)[1], 0.4 / n)
        height = (1 - between * (n - 1) - 0.5 * between) / n
        tops = [1 - 0.5 * between - row * (height + between) for row in range(n)]
        for place, panel in zip(split(ax, [(0, top - height, 1, height) for top in tops]), self.panels, strict=True):
            self._draw_panel(place, panel, panel[0].quantity)
        return self

    def _draw_panel(self, ax: Any, panel: list[Path], heading: str) -> None:
        """The paths of one problem."""
        from matplotlib.ticker import MaxNLocator

        if heading:
            ax.set_title(heading, loc="left", fontsize=SMALL, pad=4)
        else:
            ax.set_ylabel(panel[0].quantity, fontsize=SMALL)
        if not any(np.isfinite(path.values).any() for path in panel):
            say(ax, "No value of the objective is finite.")
            return
        clean(ax, grid="y")
        handles = [_draw_path(ax, path, place) for place, path in enumerate(panel)]
        each = all(len(path.values) == path.n_iter for path in panel)
        ax.set_xlabel("iteration" if each else "value (computed at some of the iterations only)", fontsize=SMALL)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8, min_n_ticks=1))
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5))
        ax.ticklabel_format(axis="y", style="plain", useOffset=False)
        legend_beside(ax, handles)


def _draw_path(ax: Any, path: Path, place: int) -> Any:
    """One line, with a mark at its end."""
    shown = np.flatnonzero(np.isfinite(path.values))
    color, marker = cluster_color(place), cluster_marker(place)
    words = f"{shorten(path.name)}: {path.n_iter:,} iteration{'' if path.n_iter == 1 else 's'}"
    (line,) = ax.plot(
        shown + 1, path.values[shown], color=color, linestyle=_STYLES[place % len(_STYLES)], linewidth=1.6, label=words,
        marker=marker, markevery=[-1] if len(shown) else [], markersize=6, clip_on=False,
        markerfacecolor=color if path.converged else "white",
    )  # fmt: skip
    return line


# --------------------------------------------------------------------------------------------------------------- paths
def _path(fitted: Any, name: str | None) -> Path:
    """The history of a fitted estimator."""
    estimator = getattr(fitted, "consensus_", fitted)
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise TypeError(f"{fitted!r:.60} is no estimator; pass a fitted one, such as BCE(3).fit(X).")
    check_is_fitted(estimator, "labels_")
    if not hasattr(estimator, "history_"):
        _refuse(estimator)
    values = np.asarray(estimator.history_, dtype=np.float64)
    of_class = type(estimator).__name__
    same = "PCC" if of_class == "PEACE" else of_class  # one problem, two algorithms
    settings = {key: repr(value) for key, value in estimator.get_params(deep=False).items() if key not in _SEARCH}
    if of_class == "PEACE":
        settings = {"divergence": "'kl'", "pairs": "'all'", **settings}
    problem = (same, len(estimator.labels_), *sorted(settings.items()))
    return Path(
        method_name(estimator) if name is None else str(name),
        values,
        int(getattr(estimator, "n_iter_", len(values))),
        bool(getattr(estimator, "converged_", True)),
        _quantity(estimator),
        problem,
    )


def _quantity(estimator: Any) -> str:
    """What is improved, in words."""
    name = type(estimator).__name__
    if name == "DPGaussianMixture" or (name in ("BCE", "NBCE") and estimator.inference == "gibbs"):
        return "log-probability of labels and clusters (sampled)"
    if name == "NBCE" and estimator.inference == "cvb":
        return "lower bound of the log-likelihood (may fall)"
    if name in _LIKELIHOODS:
        return "log-likelihood (rises)"
    if hasattr(estimator, "lower_bound_"):
        return "lower bound of the log-likelihood (rises)"
    return "objective (rises)" if name == "InformationBottleneck" else "objective (falls)"


def _distinct(paths: list[Path]) -> list[Path]:
    """Paths with names of their own: those that share one get a number."""
    names = [path.name for path in paths]
    return [
        path if names.count(path.name) == 1 else path._replace(name=f"{path.name} {names[:place].count(path.name) + 1}")
        for place, path in enumerate(paths)
    ]


def _refuse(estimator: Any) -> None:
    raise ValueError(
        f"{type(estimator).__name__} keeps no history: it does not iterate, or not so that its steps could be shown; "
        f"those that keep one are {_HAVE_ONE}."
    )
