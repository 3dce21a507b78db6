"""The one door for features: points of numbers for methods that cluster them, mixed columns for those beside labels."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.sparsefuncs import min_max_axis
from sklearn.utils.validation import validate_data

from partita._kernels.families import BERNOULLI, GAUSSIAN, POISSON
from partita._labels.columns import encode_column, named_columns
from partita._typing import Array, Codes, FloatArray, IntArray

FAMILIES = {"gaussian": GAUSSIAN, "poisson": POISSON, "bernoulli": BERNOULLI, "categorical": None}
VARIANCE_FLOOR = 1e-6  # of a cluster, relative to that of all objects: small, and far from the rounding of squares

_LARGEST, _SMALLEST = 1e70, 1e-70  # squares, and products of two of them, stay within float64
# what NumPy says of text, of objects, and of rows of different lengths
_NOT_NUMBERS = ("could not convert", "must be a string or a real number", "setting an array element")
# of a column: beside the largest alpha, about 1, still has four digits; the smallest is as far on the other side
_LARGEST_WEIGHT, _SMALLEST_WEIGHT = 1e12, 1e-12
_LARGEST_32, _SMALLEST_32 = 1e15, 1e-15  # squares, and sums of 1e8 of them, stay within float32


# -------------------------------------------------------------------------------------------------- points of numbers
def check_points(
    X: Any,
    estimator: Any = None,
    *,
    reset: bool = True,
    sparse: bool = False,
    dtype: Any = np.float64,
    min_samples: int = 1,
    name: str = "X",
) -> Any:
    """Finite numbers with one row per object, C-contiguous and writeable; sparse (CSR) where allowed.

    With an estimator its number and names of features are set, or compared with, as scikit-learn does. Numbers of
    float32 that cannot be squared in float32 become float64.
    """
    options: dict[str, Any] = {
        "dtype": dtype,
        "order": "C",
        "accept_sparse": "csr" if sparse else False,
        "ensure_min_samples": min_samples,
    }
    _check_frame(X, name)
    try:
        with np.errstate(invalid="ignore"):  # inf - inf, before infinity is refused
            if estimator is None:
                points = check_array(X, input_name=name, **options)
            else:
                points = validate_data(estimator, X, reset=reset, **options)
    except (TypeError, ValueError) as error:
        if "contains NaN" in str(error):
            where = _columns_with_nan(X)
            raise ValueError(f"{name} contains NaN{where}; fill the missing values or drop them first.") from None
        if not any(words in str(error) for words in _NOT_NUMBERS):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be numbers, one row per object ({error}); encode text as numbers first.") from None
    largest, apart = _size_and_spread(points)
    refuse_magnitude(largest, apart if reset else 0.0, name)
    if points.dtype == np.float32 and (largest > _LARGEST_32 or 0 < apart < _SMALLEST_32):
        points = points.astype(np.float64)
    if hasattr(points, "toarray"):
        return points
    return points if points.flags.writeable else points.copy()  # kernels are compiled for one kind of array


def _columns_with_nan(X: Any) -> str:
    """The first columns that have missing values, in words."""
    values = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    places = np.flatnonzero(np.isnan(values).any(axis=0)) if values.ndim == 2 else np.empty(0, dtype=int)
    names = list(X.columns) if hasattr(X, "columns") else range(values.shape[-1])
    shown = [f"{names[place]!s:.60}" for place in places[:5]] + (["..."] if len(places) > 5 else [])
    return f" in column{'s' if len(places) > 1 else ''} {', '.join(shown)}" if shown else ""


def _check_frame(X: Any, name: str) -> None:
    """Refuse frames of which scikit-learn and others would say what is wrong in words of their own."""
    if hasattr(X, "columns"):
        names = [str(column) for column in X.columns]
        if not names:
            raise ValueError(f"{name} is a table without columns, 0 feature(s); pass at least one.")
        check_names(names, name)


def check_names(names: list[str], what: str) -> None:
    """Refuse two columns of one name, of which only the first would be found; frames refuse them in other words."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 1)
    if times > 1:
        raise ValueError(f"{what} has {times} columns of the name {name!r:.60}; give each a name of its own.")


def _size_and_spread(points: Any) -> tuple[float, float]:
    """Largest absolute value, and the largest difference within a column."""
    low, high = min_max_axis(points, axis=0) if hasattr(points, "toarray") else (points.min(axis=0), points.max(axis=0))
    low, high = low.astype(np.float64), high.astype(np.float64)
    largest = float(np.maximum(-low, high).max(initial=0.0))
    return largest, float((high - low).max(initial=0.0)) if largest <= _LARGEST else np.inf


def check_magnitude(points: Any) -> None:
    """Refuse features that are too large to be squared, or that differ too little for it; they can be rescaled."""
    refuse_magnitude(*_size_and_spread(points), "X")


def refuse_magnitude(largest: float, apart: float, name: str) -> None:
    """Refuse numbers by their largest absolute value, and the largest difference within a column (0: any)."""
    if largest > _LARGEST:
        raise ValueError(
            f"{name} has values up to {largest:.2g}, whose squares overflow; divide {name} by a number, so that they "
            f"are at most {_LARGEST:.0e}."
        )
    if 0 < apart < _SMALLEST:
        raise ValueError(
            f"the values of {name} differ by {apart:.2g} at most, whose square is 0; multiply {name} by a number."
        )


def check_lengths(n_points: int, n_labels: int, name: str = "labels") -> None:
    """Refuse labels of other objects."""
    if n_points != n_labels:
        raise ValueError(f"X has {n_points} objects, but {name} has {n_labels}; pass one label per object.")


# ---------------------------------------------------------------------------------------------- columns beside labels
class FeatureValues(NamedTuple):
    """Features of some objects."""

    numbers: FloatArray  # (n, numeric) standardised where asked for, NaN where missing
    codes: Codes  # (n, categorical) -1 where missing, -2 for categories that were not fitted

    def take(self, objects: Array) -> "FeatureValues":
        """Those of some of the objects."""
        return FeatureValues(self.numbers[objects], self.codes[objects])


class FeatureColumns(NamedTuple):
    """What the features of a fit were: all that is needed to read those of new objects."""

    names: list[str]
    families: list[str]  # one per column
    weights: FloatArray  # (n_columns,)
    numeric: IntArray  # columns of numbers that have a value and a positive weight
    categorical: IntArray  # columns of categories that have a value and a positive weight
    shift: FloatArray  # (numeric,)
    scale: FloatArray  # (numeric,)
    smallest_variance: FloatArray  # (numeric,) without a floor a cluster of one point has infinite likelihood
    categories: list[Array]  # one per categorical column

    @property
    def n_used(self) -> int:
        """Number of features that have a value and a positive weight."""
        return len(self.numeric) + len(self.categorical)

    @property
    def family_codes(self) -> IntArray:
        """Families of the numeric columns as the kernels know them."""
        return np.array([FAMILIES[self.families[j]] for j in self.numeric], dtype=np.int64)

    @property
    def n_categories(self) -> IntArray:
        """Number of categories of the categorical columns."""
        return np.array([len(found) for found in self.categories], dtype=np.int64)

    def observed_weight(self, values: FeatureValues) -> FloatArray:
        """Weight of the features that each object has."""
        of_numbers = ~np.isnan(values.numbers) @ self.weights[self.numeric]
        return np.asarray(of_numbers + (values.codes >= 0) @ self.weights[self.categorical])

    def none_of(self, n_samples: int) -> FeatureValues:
        """Objects without any feature."""
        codes = np.full((n_samples, len(self.categorical)), -1, dtype=np.int32)
        return FeatureValues(np.full((n_samples, len(self.numeric)), np.nan), codes)

    def read_new(self, features: Any, n_samples: int) -> FeatureValues:
        """Features of new objects, matched by name."""
        names, columns = _columns_of(features, n_samples)
        if sorted(names) != sorted(self.names):
            raise ValueError(
                f"features has the columns {', '.join(names):.80}, but {', '.join(self.names):.80} were fitted; pass "
                "the same ones."
            )
        columns = [columns[names.index(name)] for name in self.names]
        numbers, codes = self.none_of(n_samples)
        for place, j in enumerate(self.numeric):
            numbers[:, place] = _as_numbers(columns[j], self.names[j], self.families[j])
        for place, j in enumerate(self.categorical):
            found, labels = encode_column(columns[j], self.names[j], "cluster")
            known = {label: code for code, label in enumerate(self.categories[place].tolist())}
            codes[:, place] = np.array([known.get(label, -2) for label in labels.tolist()] + [-1], np.int32)[found]
        return FeatureValues((numbers - self.shift) / self.scale, codes)


def read_feature_columns(
    features: Any, families: Any, feature_weights: Any, sample_weight: FloatArray, *, standardize: bool
) -> tuple[FeatureColumns, FeatureValues]:
    """Read and check the features of the objects to fit."""
    names, columns = _columns_of(features, len(sample_weight))
    kinds = _families_of(families, names, columns)
    weights = check_column_weights("feature_weights", feature_weights, len(columns), default=1.0)
    present = sample_weight > 0
    numbers: dict[int, FloatArray] = {}
    coded: dict[int, tuple[Codes, Array]] = {}
    for j, (name, column, kind) in enumerate(zip(names, columns, kinds, strict=True)):
        if kind == "categorical":
            coded[j] = _keep_present(*encode_column(column, name, "cluster"), sample_weight)
        else:
            numbers[j] = _as_numbers(column, name, kind)
            _check_spread(numbers[j][present], name)
    numeric = [j for j, column in numbers.items() if weights[j] > 0 and not np.isnan(column[present]).all()]
    categorical = [j for j, (codes, _) in coded.items() if weights[j] > 0 and (codes[present] >= 0).any()]
    table = np.column_stack([np.empty((len(sample_weight), 0)), *(numbers[j] for j in numeric)])
    codes = np.column_stack([np.empty((len(sample_weight), 0), np.int32), *(coded[j][0] for j in categorical)])
    standardized = np.array([standardize and kinds[j] == "gaussian" for j in numeric], dtype=bool)
    mean, deviation = _mean_and_deviation(table, sample_weight)
    shift, scale = np.where(standardized, mean, 0.0), np.where(standardized, deviation, 1.0)
    found = FeatureColumns(
        names,
        kinds,
        weights,
        np.array(numeric, dtype=np.int64),
        np.array(categorical, dtype=np.int64),
        shift,
        scale,
        VARIANCE_FLOOR * (deviation / scale) ** 2,
        [coded[j][1] for j in categorical],
    )
    return found, FeatureValues((table - shift) / scale, codes)


def check_column_weights(name: str, weights: Any, n_columns: int, default: float) -> FloatArray:
    """One finite, non-negative weight per column, from a number or a sequence."""
    if weights is None:
        return np.full(n_columns, default)
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={weights!r:.60} is neither a number nor one number per column.") from None
    if values.ndim == 0:
        values = np.full(n_columns, float(values))
    if values.shape != (n_columns,):
        raise ValueError(f"{name} has shape {values.shape}; pass one number, or one per column, shape ({n_columns},).")
    wrong = values[~((values == 0) | ((values >= _SMALLEST_WEIGHT) & (values <= _LARGEST_WEIGHT)))]
    if len(wrong):
        raise ValueError(
            f"{name} contains {wrong[0]}; weights are at least 0, and those above 0 are from {_SMALLEST_WEIGHT:.0e} to "
            f"{_LARGEST_WEIGHT:.0e}."
        )
    return values


def _columns_of(features: Any, n_samples: int) -> tuple[list[str], list[Array]]:
    if hasattr(features, "toarray"):
        raise TypeError("features is a sparse matrix; pass features.toarray(), or a few components of it.")
    if isinstance(features, list | tuple):  # of rows, as scikit-learn reads them
        try:
            features = np.asarray(features)
        except ValueError:
            raise ValueError("features has rows of different lengths; pass one value per feature in each.") from None
    if getattr(features, "ndim", 2) != 2:
        raise ValueError(
            f"features has {features.ndim} dimension(s); pass (n_samples, n_features); use features.reshape(-1, 1) for "
            "one feature."
        )
    names, columns = named_columns(features)
    check_names(names, "features")
    if len(columns[0]) != n_samples:
        raise ValueError(f"features has {len(columns[0])} rows, but X has {n_samples}; pass one row per object.")
    return names, columns


def _families_of(families: Any, names: list[str], columns: list[Array]) -> list[str]:
    """Families as the user names them, or by the type of the column."""
    found = [_natural_family(column) for column in columns]
    if isinstance(families, str):
        found = [families] * len(names)
    elif isinstance(families, Mapping):
        for name, family in families.items():
            if str(name) not in names:
                raise ValueError(f"families names the feature {name!r}, but the features are {', '.join(names)}.")
            found[names.index(str(name))] = family
    elif families is not None:
        found = list(families) if np.ndim(families) else []
        if len(found) != len(names):
            raise ValueError(f"families has {len(found)} entries for {len(names)} features; pass one per feature.")
    unknown = [family for family in found if not isinstance(family, str) or family not in FAMILIES]
    if unknown:
        raise ValueError(f"the family {unknown[0]!r} is not known; choose from {', '.join(FAMILIES)}.")
    return found


def _natural_family(column: Array) -> str:
    if column.dtype.kind == "b":
        return "bernoulli"
    if column.dtype.kind in "iuf":
        return "gaussian"
    known = [value for value in column.tolist() if value is not None and value == value]
    if known and all(isinstance(value, bool) for value in known):
        return "bernoulli"
    numbers = all(isinstance(value, int | float) for value in known)
    return "gaussian" if numbers else "categorical"


def _as_numbers(column: Array, name: str, family: str) -> FloatArray:
    """A column as floats, NaN where missing, with values that the family allows."""
    try:
        values = np.array([np.nan if v is None or v != v else v for v in column.tolist()], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"the feature {name!r} has values that are not numbers, which family {family!r} needs; make it "
            "'categorical'."
        ) from None
    seen = values[~np.isnan(values)]
    if np.isinf(seen).any():
        raise ValueError(f"the feature {name!r} contains infinity; features are finite, NaN where missing.")
    refuse_magnitude(float(np.abs(seen).max(initial=0.0)), 0.0, f"the feature {name!r}")
    if family == "poisson" and ((seen < 0) | (seen != np.floor(seen))).any():
        wrong = seen[(seen < 0) | (seen != np.floor(seen))][0]
        raise ValueError(f"the feature {name!r} contains {wrong}; family 'poisson' is for counts 0, 1, 2, ...")
    if family == "bernoulli" and not np.isin(seen, (0.0, 1.0)).all():
        wrong = seen[~np.isin(seen, (0.0, 1.0))][0]
        raise ValueError(f"the feature {name!r} contains {wrong}; family 'bernoulli' is for 0 and 1.")
    return values


def _check_spread(values: FloatArray, name: str) -> None:
    """Refuse values that differ too little for a variance."""
    seen = values[~np.isnan(values)]
    if len(seen):
        refuse_magnitude(0.0, float(np.ptp(seen)), f"the feature {name!r}")


def _keep_present(codes: Codes, labels: Array, sample_weight: FloatArray) -> tuple[Codes, Array]:
    """Forget categories that no object of weight has."""
    mass = np.bincount(codes[codes >= 0], weights=sample_weight[codes >= 0], minlength=len(labels))
    place = np.append(np.where(mass > 0, np.cumsum(mass > 0) - 1, -1), -1).astype(np.int32)
    return place[codes], labels[mass > 0]


def _mean_and_deviation(table: FloatArray, sample_weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted mean and standard deviation of the values that each column has; 1 for a column of equal values."""
    weight = np.where(np.isnan(table), 0.0, sample_weight[:, None])
    weight /= weight.max(axis=0, initial=0.0)  # no sum overflows, whatever the scale of the weights
    total = weight.sum(axis=0)
    values = np.nan_to_num(table)
    mean = (weight * values).sum(axis=0) / total
    variance = (weight * (values - mean) ** 2).sum(axis=0) / total
    return mean, np.where(variance > 0, np.sqrt(variance), 1.0)
