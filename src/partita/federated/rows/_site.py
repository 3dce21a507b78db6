"""One owner of objects: it answers questions by sums over its rows, and keeps the rows.

``answer`` is all that others can call. What a method needs of a site is one small function per question, in the file of
that method; ``_answers.py`` lists them.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from partita import consensus
from partita._labels.ensemble import have_a_label
from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._typing import Codes, FloatArray, IntArray
from partita.base import ClusterTotals, Consensus, LabelledRows
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of, place_among_sites
from partita.federated._memory import SiteMemory
from partita.federated._messages import pack
from partita.federated.rows._dictionary import check_key, labels_of, with_labels
from partita.metrics._confidence import ClusterCounts, count_cells

MIN_OBJECTS = 10  # of a site by default: the sums of fewer say much about each of them


class Site:
    """Objects of one owner, for federation by rows.

    Parameters
    ----------
    X : label matrix of shape (n_objects, n_clusterings)
        The same clusterings, in the same order, as at the other sites.
    name : str
        Name of the site, as the others know it.
    secret_key : str or bytes, optional
        Known to all sites and to nobody else: labels are then sent as keyed hashes.
    min_objects : int, default=10
        A site with fewer objects answers nothing.
    min_count : int, default=1
        Tables in which some count is above 0 and below this are not sent.
    folder : path, optional
        Where the site keeps its state, so that a fit can be resumed.
    """

    def __init__(
        self,
        X: Any,
        *,
        name: str,
        secret_key: Any = None,
        min_objects: int = MIN_OBJECTS,
        min_count: int = 1,
        folder: str | Path | None = None,
    ) -> None:
        self.name = name
        self._key = check_key(secret_key)
        self._read: LabelMatrix = check_label_matrix(X, allow_unlabelled=True)
        n_objects = int(have_a_label(self._read.codes).sum())
        if n_objects < min_objects:
            raise ValueError(
                f"this site has {n_objects} objects with a label, and min_objects={min_objects}: sums over so few "
                "objects would say much about each of them. Join a site with more objects, or lower min_objects."
            )
        self.min_count = min_count
        self.memory = SiteMemory(folder)
        self.index, self.n_sites = 0, 1  # place among the sites: seeds of draws of its own
        self._n_clusters = 0  # of the model, after "place"
        self.rows: LabelledRows  # after "open"
        self.estimator: Any  # after "open"; fitted after "close"
        self._found: Consensus

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question."""
        from partita.federated._answers import ANSWERS

        own = {"labels": self._labels, "open": self._open, "close": self._close}
        if question in own:
            return own[question](values)
        if question != "place" and question not in ANSWERS:
            raise ValueError(f"there is no question {question!r:.60}; the other side may run another version.")
        if "exchange" not in values:  # not a sum: nothing to resume from
            return ANSWERS[question](self, values)
        with self.memory.during(int(values["exchange"])):
            return self._place(values) if question == "place" else ANSWERS[question](self, values)

    @property
    def codes(self) -> Codes:
        """The site's labels as they were read."""
        return self._read.codes

    def check_counts(self, counts: FloatArray) -> None:
        """Refuse to send a table with a count so small that it may point to single objects."""
        small = (counts > 0) & (counts < self.min_count)
        if small.any():
            raise ValueError(
                f"{int(small.sum())} counts of its tables are above 0 and below min_count={self.min_count}, so that "
                "they are not sent; pass fewer or coarser clusterings, or a lower min_count"
            )

    # ---------------------------------------------------------------------------------------- the same for all methods
    def _labels(self, values: Values) -> dict[str, Any]:
        return labels_of(self._read, self._key)

    def _open(self, values: Values) -> dict[str, Any]:
        """Number the rows as agreed, for a method with its parameters."""
        from partita.federated._methods import ROW_METHODS

        (self.index, self.n_sites), self._n_clusters = place_among_sites(values, self.name), 0
        self.memory.begin(digest_of_fit(self._read, values))
        self.estimator = estimator_of(values, ROW_METHODS)
        matrix = with_labels(self._read, values["labels"], self._key)
        self.rows = self.estimator._open(matrix, np.ones(len(matrix.codes)), is_part=True)
        self.estimator.n_features_in_ = matrix.n_columns_in
        return {"ready": True}

    def _place(self, values: Values) -> dict[str, Any]:
        """Clusters of the rows in the fitted model; what leaves are their sizes and label counts."""
        from partita.federated._methods import ROW_METHODS

        method, k = ROW_METHODS[type(self.estimator).__name__], number_of(values, "n_clusters", 1, MOST_CLUSTERS)
        number_of(values["model"], "n_clusters", k, k)
        self._found = method.restore(self.estimator, self.rows, values["model"], self.memory)
        self._n_clusters = k
        counts, mass = totals_of(self.rows, self._found, k)
        return {"cells": counts.cells, "sizes": counts.sizes, "mass": mass}

    def _close(self, values: Values) -> dict[str, Any]:
        """Number the clusters by their sizes at all sites."""
        from partita.federated._methods import ROW_METHODS

        k = self._n_clusters
        if not k:
            raise ValueError("'close' was asked before 'place'; no answer.")
        counts = ClusterCounts(array_of(values, "cells", self.rows.ensemble.n_cells, k), array_of(values, "sizes", k))
        totals = ClusterTotals(counts, array_of(values, "mass", k))
        self.estimator._close(self.rows, self._found, totals)
        finish = ROW_METHODS[type(self.estimator).__name__].finish
        if finish is not None:
            finish(self.estimator, self.rows, totals)
        return {"ready": True}


def estimator_of(values: Values, known: Mapping[str, Any]) -> Any:
    """The estimator that is to be fitted; no other class of partita can be asked for."""
    method = str(values["method"])
    if method not in known:
        raise ValueError(f"there is no federated method {method!r:.60}; the other side may run another version.")
    return getattr(consensus, method)(**values["parameters"])


def digest_of_fit(matrix: LabelMatrix, values: Values) -> str:
    """SHA-256 of a site's labels and of what is fitted to them, by which stored states are recognised."""
    about = {name: values[name] for name in ("method", "parameters", "labels", "names")}
    return hashlib.sha256(matrix.codes.tobytes() + pack(about)).hexdigest()


def totals_of(rows: LabelledRows, found: Consensus, n_clusters: int) -> tuple[ClusterCounts, FloatArray]:
    """Sizes, label counts and memberships of the clusters in these rows."""
    labels: IntArray = found.labels.astype(np.int64)
    counts = count_cells(rows.ensemble, labels, n_clusters)
    if found.membership is None:
        return counts, counts.sizes
    return counts, np.asarray(rows.ensemble.row_weights @ found.membership)
