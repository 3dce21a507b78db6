"""The one door for labels: any container of labels becomes int32 codes, or a clear error.

Everything behind the door trusts its result and checks nothing again. A fitted model keeps a ``RowEncoder``, which
brings new objects through the same door into the codes of the fit.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita._checks import check_choice
from partita._labels.blocks import refuse_blocks
from partita._labels.columns import Noise, as_column, encode_column, named_columns
from partita._labels.ensemble import Ensemble
from partita._labels.membership import as_numbers
from partita._runs import warn
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.exceptions import EmptyColumnWarning, LabelMatrixError


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """A validated label matrix: one row per object, one column per clustering.

    Attributes
    ----------
    codes : ndarray of shape (n_samples, n_clusterings), int32, C-contiguous
        Label of each object in each clustering, numbered 0..k_j-1 within column j; -1 = missing.
    labels : list of ndarray
        ``labels[j][code]`` is the label that ``code`` stands for in column j.
    names : list of str
        Name of each column.
    kept : ndarray of int
        Column of the input that each column comes from; columns without any label were dropped.
    n_columns_in : int
        Number of columns of the input.
    noise : {"missing", "singleton", "cluster"}
        What -1 meant when the labels were read.
    """

    codes: Codes
    labels: list[Array]
    names: list[str]
    kept: IntArray
    n_columns_in: int
    noise: Noise = "missing"

    @property
    def n_labels(self) -> IntArray:
        """Number of labels in each column."""
        return np.array([len(labels) for labels in self.labels], dtype=np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        """Objects and clusterings."""
        return self.codes.shape[0], self.codes.shape[1]

    @property
    def has_missing(self) -> bool:
        """Whether any label is missing."""
        return bool((self.codes < 0).any())

    def encode(self, X: Any, *, unseen: int = -1) -> Codes:
        """Codes of *new* objects in the numbering of this matrix; missing labels are -1, ones never seen ``unseen``."""
        return encode_new(X, self.labels, self.kept, self.n_columns_in, unseen=unseen)


def check_label_matrix(X: Any, noise: Noise = "missing", *, allow_unlabelled: bool = False) -> LabelMatrix:
    """Read labels from anything that holds them.

    Parameters
    ----------
    X : array, DataFrame, dict or list of columns
        Labels, (n_samples, n_clusterings): integers, floats, booleans, strings, categories or a mixture.
        Missing is NaN, None, pd.NA or -1 (in text also an empty string, "-1" and what "nan" and "None" become).
        A *list* is a list of columns, one clustering each; so is a dict, by name.
    noise : {"missing", "singleton", "cluster"}, default="missing"
        What -1 means: not labelled; noise, where each such object is its own cluster; or noise as one cluster.
        NaN, None and pd.NA always mean missing.
    allow_unlabelled : bool, default=False
        Accept a matrix without a single label (for new objects of a fitted model).

    Returns
    -------
    LabelMatrix
        ``codes``, ``labels``, ``names``. Columns without any label are dropped with a warning.

    Examples
    --------
    >>> from partita import check_label_matrix
    >>> matrix = check_label_matrix({"a": [3, 3, 7, -1], "b": ["x", None, "y", "y"]})
    >>> matrix.codes
    array([[ 0,  0],
           [ 0, -1],
           [ 1,  1],
           [-1,  1]], dtype=int32)
    >>> matrix.names, matrix.n_labels
    (['a', 'b'], array([2, 2]))
    """
    check_choice("noise", noise, ("missing", "singleton", "cluster"))
    if isinstance(X, LabelMatrix):
        return _check_read_before(X, noise, allow_unlabelled)
    refuse_blocks(X)
    names, columns = named_columns(X)
    codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
    labels = []
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        codes[:, j], found = encode_column(column, name, noise)
        labels.append(found)
    kept = np.flatnonzero([len(found) > 0 for found in labels])
    if len(kept) < len(columns):
        codes, labels = _drop_empty(codes, labels, names, kept, allow_unlabelled)
    return LabelMatrix(codes, labels, [names[j] for j in kept], kept, len(columns), noise)


def _check_read_before(matrix: LabelMatrix, noise: Noise, allow_unlabelled: bool) -> LabelMatrix:
    """A matrix that was read before, unless its labels would have to be read in another way."""
    if noise not in ("missing", matrix.noise):  # "missing", the default, asks for nothing
        raise ValueError(
            f"X is a LabelMatrix that was read with noise={matrix.noise!r}, which noise={noise!r} cannot change; pass "
            "noise where the labels are read first."
        )
    if not allow_unlabelled and len(matrix.kept) == 0:
        _refuse_unlabelled(matrix.codes.shape[0], matrix.n_columns_in)
    return matrix


def _refuse_unlabelled(n_samples: int, n_columns: int) -> None:
    raise LabelMatrixError(
        f"all {n_samples * n_columns} labels of X, shape {(n_samples, n_columns)}, are missing (NaN, None, pd.NA or "
        "-1); at least one object needs a label."
    )


def encode_new(X: Any, labels: list[Array], columns: IntArray, n_columns_in: int, *, unseen: int) -> Codes:
    """Codes of new objects in a numbering of labels: ``labels[j][code]`` is a label of column ``columns[j]`` of X.

    Missing labels are -1, labels that are not in the numbering ``unseen``.
    """
    new = check_label_matrix(X, allow_unlabelled=True)
    if new.n_columns_in != n_columns_in:
        raise LabelMatrixError(
            f"X has {new.n_columns_in} clusterings, but {n_columns_in} were fitted; pass the same columns."
        )
    codes = np.full((new.codes.shape[0], len(columns)), -1, dtype=np.int32)
    place = {int(column): j for j, column in enumerate(new.kept)}
    for j, column in enumerate(columns.tolist()):
        if column in place:
            known = {label: code for code, label in enumerate(labels[j].tolist())}
            of_new = new.labels[place[column]].tolist()
            translate = np.array([known.get(label, unseen) for label in of_new] + [-1], dtype=np.int32)
            codes[:, j] = translate[new.codes[:, place[column]]]
    return codes


# ------------------------------------------------------------------------------------------------------- new objects
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
        """One (n_clusters, labels) array per column of X: ``parts`` for those that are used.

        Columns without weight have NaN, columns without labels an empty array.
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


# ----------------------------------------------------------------------------------------- one partition, and weights
def check_labels(labels: Any, name: str) -> Codes:
    """Codes of one partition, a 1-D sequence of labels; -1 where a label is missing."""
    column = as_column(labels, name)
    if column.ndim != 1:
        raise LabelMatrixError(f"{name} has shape {column.shape}; a partition has one label per object, shape (n,).")
    if len(column) == 0:
        raise LabelMatrixError(f"{name} is empty; a partition has at least one object.")
    return encode_column(column, name, "missing")[0]


def check_sample_weight(sample_weight: Any, n_samples: int) -> FloatArray:
    """Non-negative, finite weights of the objects; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_samples)
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weight.shape}; pass one weight per object, shape ({n_samples},).")
    _check_weights("sample_weight", weight)
    return weight


def check_weights(weights: Any, matrix: LabelMatrix) -> FloatArray:
    """Weights of the clusterings that were kept."""
    return check_clustering_weights(weights, matrix.n_columns_in)[matrix.kept]


def check_clustering_weights(weights: Any, n_clusterings: int) -> FloatArray:
    """Non-negative, finite weights of the clusterings; ones where none are given."""
    if weights is None:
        return np.ones(n_clusterings)
    weight = as_numbers(weights, "weights")
    if weight.shape != (n_clusterings,):
        raise ValueError(f"weights has shape {weight.shape}; pass one weight per clustering, shape ({n_clusterings},).")
    _check_weights("weights", weight)
    return weight


def _check_weights(name: str, weight: FloatArray) -> None:
    if not np.isfinite(weight).all() or (weight < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))[0])
        raise ValueError(f"{name}[{bad}]={weight[bad]} is not a weight; weights must be finite and not negative.")
    if not (weight > 0).any():
        raise ValueError(f"{name} is zero everywhere; at least one weight must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError(f"{name} adds up to more than the largest number, 1.8e308; divide the weights.")


def _drop_empty(
    codes: Codes, labels: list[Array], names: list[str], kept: IntArray, allow_unlabelled: bool
) -> tuple[Codes, list[Array]]:
    if len(kept) == 0:
        if allow_unlabelled:
            return codes[:, :0], []
        _refuse_unlabelled(*codes.shape)
    if not allow_unlabelled:
        warn_dropped(names, kept)
    return np.ascontiguousarray(codes[:, kept]), [labels[j] for j in kept]


def warn_dropped(names: list[str], kept: IntArray) -> None:
    """Say which clusterings have no label at all, if any."""
    dropped = [name for j, name in enumerate(names) if j not in set(kept.tolist())]
    if dropped:
        shown = ", ".join(map(repr, dropped[:5])) + (", ..." if len(dropped) > 5 else "")
        warn(
            f"{len(dropped)} of {len(names)} clusterings have no label at all and were dropped: {shown}.",
            EmptyColumnWarning,
        )
