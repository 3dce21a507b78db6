"""The co-association of the objects as a heatmap: clusters are blocks along the diagonal."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from partita._checks import check_choice
from partita._labels.ensemble import Ensemble, have_a_label
from partita._typing import FloatArray, IntArray
from partita.metrics._coassociation import coassociation_of_codes
from partita.metrics._vat import vat
from partita.plotting._annotations import Annotation, read_bars
from partita.plotting._display import MAX_OBJECTS, ResultDisplay, draw_objects
from partita.plotting._order import by_cluster, object_names
from partita.plotting._tree import average_linkage, leaf_order
from partita.results import ConsensusResult

ORDERS = ("dendrogram", "vat", "cluster")


class CoassociationDisplay(ResultDisplay):
    """Heatmap of the co-association: the share of clusterings, among those that label both, with two objects together.

    Make one with ``from_labels``, ``from_estimator`` or ``from_result``; ``plot`` draws it.

    Parameters
    ----------
    similarity : ndarray of shape (n_drawn, n_drawn)
        Co-association in the order drawn; NaN where no clustering labels both objects.
    order : ndarray of shape (n_drawn,)
        Numbers of the objects, in the order drawn.
    labels : ndarray of shape (n_drawn,)
        Their clusters; -1 = none.
    tree : ndarray of shape (n_leaves - 1, 4), optional
        Tree beside the heatmap, in SciPy's form.
    leaves : ndarray of shape (n_leaves,), optional
        Object behind each leaf of the tree.
    annotations : sequence of bars
        What ``from_result`` made of the user's annotations.
    names : sequence of str, optional
        Names of the objects drawn.
    note : str
        What the figure says about a sample.

    Attributes
    ----------
    similarity, order, labels, tree, leaves, annotations, names, note
        As above.
    ax_, figure_
        After ``plot``: the axes that hold all parts, and their figure.
    heatmap_ax_
        After ``plot``: the axes of the heatmap.

    Examples
    --------
    >>> from partita.plotting import CoassociationDisplay
    >>> display = CoassociationDisplay.from_labels([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]], [0, 0, 1, 1])
    >>> display.labels
    array([0, 0, 1, 1])
    >>> display.similarity.round(2)
    array([[1.  , 0.67, 0.  , 0.  ],
           [0.67, 1.  , 0.33, 0.33],
           [0.  , 0.33, 1.  , 1.  ],
           [0.  , 0.33, 1.  , 1.  ]])
    """

    heatmap_ax_: Any

    def __init__(
        self,
        *,
        similarity: FloatArray,
        order: IntArray,
        labels: IntArray,
        tree: FloatArray | None = None,
        leaves: IntArray | None = None,
        annotations: Sequence[Annotation] = (),
        names: Sequence[str] | None = None,
        note: str = "",
    ) -> None:
        self.similarity = similarity
        self.order = order
        self.labels = labels
        self.tree = tree
        self.leaves = leaves
        self.annotations = annotations
        self.names = names
        self.note = note

    @classmethod
    def from_result(  # type: ignore[override]
        cls,
        result: ConsensusResult,
        *,
        order: str = "dendrogram",
        annotations: Any = None,
        max_objects: int | None = MAX_OBJECTS,
        seed: int = 0,
    ) -> Self:
        """Compute the co-association of the objects of a result.

        Parameters
        ----------
        result : ConsensusResult
            From :func:`partita.combine`, ``ConsensusResult.from_estimator`` or ``ConsensusResult.from_labels``.
        order : {"dendrogram", "vat", "cluster"}, default="dendrogram"
            - "dendrogram": leaves of a tree, turned so that clusters stand together as far as the tree allows. The tree
              is that of the result where it has one (:class:`partita.EAC`, :class:`partita.LWEA`) and all objects are
              drawn, else average linkage of the objects drawn.
            - "vat": visual assessment of tendency, :func:`partita.vat`.
            - "cluster": by cluster, the surest objects first.
        annotations : DataFrame, dict of columns or array-like of shape (n_samples,), optional
            One value per object of the whole data, in their order; at most five columns, categories or numbers.
        max_objects : int or None, default=2000
            Of more objects a sample is drawn, by cluster; None draws all.
        seed : int, default=0
            Of the sample.

        Notes
        -----
        Pairs that no clustering labels together have no co-association: they have a colour of their own, and count
        as never together in the order. Cost O(d^2 m / 64) for d objects drawn.
        """
        check_choice("order", order, ORDERS)
        labels = result.labels
        chosen, note = draw_objects(labels, max_objects, seed)
        bars = read_bars(annotations, chosen, result)
        ensemble = result._judged.ensemble.with_rows(np.ascontiguousarray(result._judged.codes_of(chosen)))
        similarity = coassociation_with_gaps(ensemble)
        found = _ORDER[order](result, chosen, ensemble, similarity)
        places = found.places
        return cls(
            similarity=similarity[np.ix_(places, places)],
            order=chosen[places],
            labels=labels[chosen][places],
            tree=found.tree,
            leaves=found.leaves,
            annotations=[Annotation(bar.name, bar.values[places], bar.categories, bar.n_others) for bar in bars],
            names=object_names(result, chosen[places]),
            note=note,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the heatmap with its bars, its tree and their keys.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        self
        """
        from partita.plotting._coassociation_drawing import draw, size_of

        draw(self, self._begin(ax, size_of(self)), fit=ax is None)
        return self


# ---------------------------------------------------------------------------------------------------------- similarity
def coassociation_with_gaps(ensemble: Ensemble) -> FloatArray:
    """S = C / N of the rows of an ensemble; NaN where N = 0 (eq. C10)."""
    counts, totals = coassociation_of_codes(ensemble.columns)
    gaps = np.full(counts.shape, np.nan)
    return np.asarray(np.divide(counts, totals, out=gaps, where=totals > 0))


# --------------------------------------------------------------------------------------------------------------- order
class _Ordered(NamedTuple):
    places: IntArray  # of the objects drawn, among them
    tree: FloatArray | None = None
    leaves: IntArray | None = None


def _by_tree(result: ConsensusResult, chosen: IntArray, ensemble: Ensemble, similarity: FloatArray) -> _Ordered:
    """Leaves of a tree; objects without any label are not in it and come last."""
    own = getattr(result.estimator, "dendrogram_", None)
    if own is not None and len(chosen) == len(result.labels):
        tree, leaves = own, result.estimator.leaves_
    else:
        leaves = np.flatnonzero(have_a_label(ensemble.codes))
        tree = average_linkage(1 - np.nan_to_num(similarity[np.ix_(leaves, leaves)], nan=0.0))
    if len(leaves) < 2:
        return _Ordered(by_cluster(result.labels[chosen], np.zeros(len(chosen))))
    ordered = leaves[leaf_order(tree, result.labels[chosen[leaves]])]
    rest = np.setdiff1d(np.arange(len(chosen)), leaves)
    return _Ordered(np.concatenate([ordered, rest]), tree, chosen[leaves])


def _by_vat(result: ConsensusResult, chosen: IntArray, ensemble: Ensemble, similarity: FloatArray) -> _Ordered:
    return _Ordered(vat(1 - np.nan_to_num(similarity, nan=0.0)).order)


def _by_cluster(result: ConsensusResult, chosen: IntArray, ensemble: Ensemble, similarity: FloatArray) -> _Ordered:
    return _Ordered(by_cluster(result.labels[chosen], result.confidence[chosen]))


_ORDER = {"dendrogram": _by_tree, "vat": _by_vat, "cluster": _by_cluster}
