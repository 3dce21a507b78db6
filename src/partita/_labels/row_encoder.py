"""How rows of labels become the codes of a fitted method: all that a fitted model remembers of its label matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import LabelMatrix, encode_new
from partita._typing import Array, Codes, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RowEncoder:
    """The clusterings that a fit used, and the labels that its objects of positive weight have.

    Three numberings meet here: columns of X, codes of the door (of all labels of X), and codes of the method (of the
    labels that occur with positive weight).
    """

    n_columns_in: int  # columns of X
    columns: IntArray  # (m,) column of X behind each clustering that is used
    labels: list[Array]  # per used clustering: the label behind each code of the door
    blank: list[tuple[int, int]]  # columns of X with labels but without weight, and how many labels they have
    place_of_code: list[Codes]  # per used clustering: code of the method for each code of the door, or -1
    clustering_weights: FloatArray  # (m,)

    @property
    def n_codes(self) -> IntArray:
        """Labels of each used clustering, in the numbering of the door."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    @property
    def n_labels(self) -> IntArray:
        """Labels of each used clustering, in the numbering of the method; at least 1."""
        return np.array([max(place.max() + 1, 1) for place in self.place_of_code], dtype=np.int64)

    def encode(self, X: Any, *, unseen: int = -1) -> Codes:
        """Codes, in the numbering of the door, of new objects; ``unseen`` for labels that X of the fit did not have."""
        return encode_new(X, self.labels, self.columns, self.n_columns_in, unseen=unseen)

    def known(self, codes: Codes) -> Codes:
        """The codes as the method numbers them, -1 for labels that no object of positive weight has."""
        known = np.empty(codes.shape, dtype=np.int32)
        for j, place in enumerate(self.place_of_code):
            known[:, j] = place[codes[:, j]]
        return known

    def ensemble(self, codes: Codes) -> Ensemble:
        """Rows of method codes, of weight 1, as an ensemble of the fitted clusterings."""
        return Ensemble(codes, self.n_labels, self.clustering_weights, np.ones(len(codes)))

    def by_column(self, parts: list[FloatArray], n_clusters: int) -> list[FloatArray]:
        """One (n_clusters, labels) array per column of X, NaN for a column without weight, empty for one without labels.

        ``parts`` holds the arrays of the used clusterings.
        """
        arrays = [np.empty((n_clusters, 0)) for _ in range(self.n_columns_in)]
        for column, n_labels in self.blank:
            arrays[column] = np.full((n_clusters, n_labels), np.nan)
        for column, part in zip(self.columns.tolist(), parts, strict=True):
            arrays[column] = part
        return arrays


def row_encoder(matrix: LabelMatrix, clustering_weights: FloatArray) -> RowEncoder:
    """Encoder of the clusterings with positive weight, for all labels of the matrix."""
    used = np.flatnonzero(clustering_weights > 0)
    unused = np.flatnonzero(clustering_weights == 0)
    labels = [matrix.labels[j] for j in used]
    # the last two entries stand for -1, missing, and -2, a label that is new
    places = [np.append(np.arange(len(found)), [-1, -1]).astype(np.int32) for found in labels]
    blank = [(int(matrix.kept[j]), len(matrix.labels[j])) for j in unused]
    return RowEncoder(matrix.n_columns_in, matrix.kept[used], labels, blank, places, clustering_weights[used])


def number_present(encoder: RowEncoder, codes: Codes) -> list[Codes]:
    """Place of each code among the labels that the given rows have; others are not labels for the method."""
    places = []
    for column, width in zip(codes.T, encoder.n_codes, strict=True):
        present = np.bincount(column + 1, minlength=width + 1)[1:] > 0
        place = np.where(present, np.cumsum(present) - 1, -1)
        places.append(np.append(place, [-1, -1]).astype(np.int32))
    return places
