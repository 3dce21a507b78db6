"""A result prepared for the page: whatever a request needs is computed once, after the fit, and then looked up."""

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.validation import LabelMatrix
from partita._stopping import check_stop
from partita._typing import Array, IntArray
from partita.app._plain import plain, plain_list
from partita.app._reading import Understood
from partita.metrics._confidence import IN_DOUBT
from partita.plotting import CoassociationDisplay
from partita.results import ConsensusResult

MAX_DRAWN = 800  # objects of the heatmap: a screen has about as many rows of dots
_SORTED = 10  # annotations whose order is known before it is asked for
_NO_VALUE = 255  # of a pixel: no clustering has both objects


class Prepared:
    """One result, with its orders, pictures and tables."""

    def __init__(self, found: Understood, matrix: LabelMatrix, result: ConsensusResult, seconds: float) -> None:
        self.found, self.matrix, self.result, self.seconds = found, matrix, result, seconds
        objects = result.objects
        self.labels: IntArray = np.asarray(result.labels)
        self.confidence = result.confidence
        self.vote = objects["vote"].to_numpy()
        self.second: IntArray = objects["second"].to_numpy()
        self.in_doubt = self.confidence <= IN_DOUBT
        self.annotations = found.annotations
        self._orders: dict[str, tuple[IntArray, int]] = {}

    def warm_up(self) -> None:
        """Compute what the page asks for first, as part of the job."""
        known = self.found.having("annotation")[:_SORTED]
        for column in ("confidence", "cluster", "vote", "second", "id", *(f"annotation:{name}" for name in known)):
            self.order_by(column)
            check_stop()
        _ = self.lower_ids, self.heatmap, self.pixels
        check_stop()
        _ = self.membership, self.result.clusters
        check_stop()
        _ = self.result.clusterings

    # -------------------------------------------------------------------------------------------------------- objects
    @cached_property
    def ids(self) -> list[str]:
        """Names of the objects."""
        return [str(name) for name in self.result.ids.tolist()]

    @cached_property
    def lower_ids(self) -> list[str]:
        """The same in small letters, to be searched."""
        return [name.lower() for name in self.ids]

    def order_by(self, column: str, *, descending: bool = False) -> IntArray:
        """Rows in the order of a column; rows without a value come last in both directions."""
        if column not in self._orders:
            values = self._values(column)
            n_known = len(values) - int(pd.isna(values).sum())
            self._orders[column] = np.argsort(values, kind="stable"), n_known
        order, n_known = self._orders[column]
        return np.concatenate([order[:n_known][::-1], order[n_known:]]) if descending else order

    def _values(self, column: str) -> Array:
        known = {"confidence": self.confidence, "vote": self.vote, "row": np.arange(len(self.labels))}
        if column in known:
            return known[column]
        if column in ("cluster", "second"):
            numbers = self.labels if column == "cluster" else self.second
            return np.where(numbers >= 0, numbers.astype(np.float64), np.nan)
        if column == "id":
            return _sortable(pd.Series(self.ids, dtype=object))
        assert self.annotations is not None
        return _sortable(self.annotations[column.removeprefix("annotation:")])

    # ---------------------------------------------------------------------------------------------------- the picture
    @cached_property
    def display(self) -> CoassociationDisplay:
        """The co-association of all objects, or of a sample."""
        return CoassociationDisplay.from_result(self.result, max_objects=MAX_DRAWN)

    @cached_property
    def drawn(self) -> IntArray:
        """Rows that are drawn, in their order."""
        return np.asarray(self.display.order)

    @cached_property
    def position(self) -> dict[int, int]:
        """Where a row is drawn."""
        return {row: place for place, row in enumerate(self.drawn.tolist())}

    @cached_property
    def heatmap(self) -> dict[str, Any]:
        """The picture without its pixels."""
        drawn = self.drawn.tolist()
        return {
            "n_drawn": len(drawn),
            "n_objects": len(self.labels),
            "note": self.display.note,
            "order": drawn,
            "clusters": self.labels[self.drawn].tolist(),
            "ids": [self.ids[row] for row in drawn],
            "tree": self._tree(),
            "annotations": self._drawn_annotations(),
        }

    def _drawn_annotations(self) -> dict[str, Any]:
        """What is known of the drawn objects, to colour them by it."""
        if self.annotations is None:
            return {}
        drawn = self.annotations.iloc[self.drawn]
        return {str(name): {"values": [plain(value) for value in drawn[name]]} for name in drawn.columns}

    @cached_property
    def pixels(self) -> bytes:
        """The picture, one byte per pair: 0 never together, 254 always, 255 no value."""
        shares = self.display.similarity
        known = np.isfinite(shares)
        scaled = np.rint(np.where(known, shares, 0.0) * (_NO_VALUE - 1)).clip(0, _NO_VALUE - 1)
        return np.where(known, scaled, _NO_VALUE).astype(np.uint8).tobytes()

    def _tree(self) -> dict[str, Any] | None:
        """Merges; a leaf is its place in the order, and merge j is the number of the drawn objects + j."""
        tree, leaves = self.display.tree, self.display.leaves
        if tree is None or leaves is None or len(tree) == 0:
            return None
        shift = len(self.drawn) - len(leaves)
        place = np.array([self.position[int(row)] for row in leaves])
        children = tree[:, :2].astype(np.int64)
        children = np.where(children < len(leaves), place[children.clip(max=len(leaves) - 1)], children + shift)
        heights, sizes = plain_list(tree[:, 2], 6), tree[:, 3].astype(np.int64).tolist()
        merges = [[*pair, height, size] for pair, height, size in zip(children.tolist(), heights, sizes, strict=True)]
        return {"merges": merges, "height_name": "share of clusterings that keep them apart"}

    @cached_property
    def membership(self) -> dict[str, Any]:
        """Membership of the objects that are drawn."""
        return {
            "kind": self.result.membership_kind,
            "n_drawn": len(self.drawn),
            "rows": self.drawn.tolist(),
            "ids": [self.ids[row] for row in self.drawn.tolist()],
            "clusters": self.labels[self.drawn].tolist(),
            "values": plain_list(self.result.membership[self.drawn], 4),
        }


def _sortable(values: "pd.Series[Any]") -> Array:
    """Numbers as they are, and numbers for text in its order; NaN where there is none."""
    numbers = pd.to_numeric(values, errors="coerce")
    if bool((numbers.isna() == values.isna()).all()):
        return numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    text = values.map(lambda value: value if pd.isna(value) else str(value).lower())
    codes, _ = pd.factorize(text, sort=True)
    return np.where(codes >= 0, codes.astype(np.float64), np.nan)
