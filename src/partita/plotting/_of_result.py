"""The displays of one result, as methods: ``result.plot.coassociation()`` computes and draws."""

from typing import Any

from partita import plotting
from partita._checks import check_choice
from partita.plotting._kinds import KINDS

OF_RESULT = tuple(name for name, kind in KINDS.items() if kind.of_result)


class ResultPlots:
    """Pictures of a result: ``result.plot("scatter")``, or ``result.plot.scatter()``.

    Every method takes ``ax=`` and the options of ``from_result`` of its display, draws, and returns the display, whose
    ``figure_`` and ``ax_`` are those of matplotlib.
    """

    def __init__(self, result: Any) -> None:
        self._result = result

    def __call__(self, kind: str = "coassociation", *, ax: Any = None, **options: Any) -> Any:
        """Draw one kind of picture."""
        check_choice("kind", kind, OF_RESULT)
        return getattr(plotting, KINDS[kind].display).from_result(self._result, **options).plot(ax)

    def __repr__(self) -> str:
        return f"<pictures of a result: {', '.join(OF_RESULT)}>"

    def coassociation(self, *, ax: Any = None, **options: Any) -> Any:
        """Heatmap of the co-association, with the tree; see :class:`CoassociationDisplay`."""
        return self("coassociation", ax=ax, **options)

    def membership(self, *, ax: Any = None, **options: Any) -> Any:
        """Probabilities or votes of all objects; see :class:`MembershipDisplay`."""
        return self("membership", ax=ax, **options)

    def uncertainty(self, *, ax: Any = None, **options: Any) -> Any:
        """Confidence of the objects of each cluster; see :class:`UncertaintyDisplay`."""
        return self("uncertainty", ax=ax, **options)

    def dendrogram(self, *, ax: Any = None, **options: Any) -> Any:
        """The tree of EAC and its lifetimes; see :class:`DendrogramDisplay`."""
        return self("dendrogram", ax=ax, **options)

    def cdf(self, *, ax: Any = None, **options: Any) -> Any:
        """CDF of the co-association, delta area and PAC over k; see :class:`ConsensusCDFDisplay`."""
        return self("cdf", ax=ax, **options)

    def tracking(self, *, ax: Any = None, **options: Any) -> Any:
        """Cluster of each object over k; see :class:`TrackingDisplay`."""
        return self("tracking", ax=ax, **options)

    def agreement(self, *, ax: Any = None, **options: Any) -> Any:
        """Agreement of the clusterings with each other; see :class:`AgreementDisplay`."""
        return self("agreement", ax=ax, **options)

    def relation(self, *, ax: Any = None, **options: Any) -> Any:
        """Graph of the clusters; see :class:`RelationDisplay`."""
        return self("relation", ax=ax, **options)

    def convergence(self, *, ax: Any = None, **options: Any) -> Any:
        """Objective or bound per iteration; see :class:`ConvergenceDisplay`."""
        return self("convergence", ax=ax, **options)

    def scatter(self, *, ax: Any = None, **options: Any) -> Any:
        """Objects in two dimensions; see :class:`ScatterDisplay`."""
        return self("scatter", ax=ax, **options)
