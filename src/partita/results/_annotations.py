"""Whether what is known of the objects goes with their clusters: one test per annotation, p-values corrected.

Categories: chi-squared test of independence; its p-value is that of random tables with the same sums where too many
expected counts are below 5. Numbers: Kruskal-Wallis test. Effects: Cramer's V, and epsilon squared (eq. I82). The
p-values are corrected for the number of annotations by Benjamini and Hochberg (1995).
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import Array, FloatArray, IntArray
from partita.results._frames import as_frame, in_order_of

_FEW_VALUES = 10  # different whole numbers up to which a column holds categories
_MOST_CATEGORIES = 100  # beyond, a column is more like a name of its objects
_N_TABLES = 9999  # random tables, where the chi-squared distribution is too rough
_SMALL, _SMALL_SHARE = 5, 0.2  # Cochran's rule: expected counts below 5 in more than a fifth of the cells are too many


class _Outcome(NamedTuple):
    kind: str
    n_objects: int
    test: str
    statistic: float
    effect: float
    p_value: float
    words: str


def read_annotations(annotations: Any, n_objects: int, index: Any = None) -> pd.DataFrame:
    """One column per annotation, one row per object; a frame with the same index in another order is put in order."""
    if isinstance(annotations, pd.Series):
        annotations = annotations.to_frame("annotation" if annotations.name is None else annotations.name)
    elif isinstance(annotations, list | tuple | np.ndarray) and np.ndim(annotations) == 1:
        annotations = {"annotation": annotations}
    elif hasattr(annotations, "to_frame") and not hasattr(annotations, "columns"):  # a series of polars
        annotations = annotations.to_frame()
    frame: Any = as_frame(annotations)
    if len(frame) != n_objects:
        raise ValueError(f"annotations has {len(frame)} rows; pass one row per object, {n_objects} in all.")
    table: pd.DataFrame = in_order_of(frame, index, "annotations").reset_index(drop=True)
    return table


def annotation_table(labels: IntArray, annotations: pd.DataFrame, random_state: int = 0) -> pd.DataFrame:
    """One row per annotation; the columns are described in ``ConsensusResult.test_annotations``."""
    outcomes = [
        _test(labels, annotations.iloc[:, place], np.random.default_rng([random_state, place]))
        for place in range(annotations.shape[1])
    ]
    table = pd.DataFrame(outcomes, columns=list(_Outcome._fields))
    table.insert(0, "annotation", [str(name) for name in annotations.columns])
    table["p_corrected"] = correct(table["p_value"].to_numpy(dtype=np.float64))
    return table[["annotation", *_Outcome._fields[:-1], "p_corrected", "words"]]


def correct(p_values: FloatArray) -> FloatArray:
    """Benjamini and Hochberg's correction; annotations that were not tested do not count."""
    from scipy.stats import false_discovery_control

    known = ~np.isnan(p_values)
    corrected = np.full(len(p_values), np.nan)
    if known.any():
        corrected[known] = false_discovery_control(p_values[known])
    return corrected


def _test(labels: IntArray, column: "pd.Series[Any]", rng: np.random.Generator) -> _Outcome:
    """The test that suits a column, over the objects that have a cluster and a value."""
    kept = column.notna().to_numpy() & (labels >= 0)
    clusters, values = labels[kept], column[kept]
    if is_numeric(column):
        return _test_numbers(clusters, values.to_numpy(dtype=np.float64))
    return _test_categories(clusters, values.astype(str), rng)


def is_numeric(column: "pd.Series[Any]") -> bool:
    """Whether a column holds numbers, not truth values and not whole numbers that stand for a few categories."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    known = column.dropna().to_numpy(dtype=np.float64)
    known = known[np.isfinite(known)]
    return bool((known != np.round(known)).any()) or len(np.unique(known)) > _FEW_VALUES


def _not_tested(kind: str, n_objects: int, why: str) -> _Outcome:
    return _Outcome(kind, n_objects, "none", np.nan, np.nan, np.nan, f"not tested: {why}")


# ---------------------------------------------------------------------------------------------------------- categories
def _test_categories(clusters: IntArray, values: "pd.Series[str]", rng: np.random.Generator) -> _Outcome:
    table = pd.crosstab(values.to_numpy(), clusters) if len(values) else pd.DataFrame()
    if table.shape[0] > _MOST_CATEGORIES:
        return _not_tested("categories", len(values), f"{table.shape[0]} different values are more like names")
    if min(table.shape) < 2:
        return _not_tested("categories", len(values), "there is one value, or one cluster, only")
    from scipy.stats import chi2_contingency

    counts = table.to_numpy()
    found = chi2_contingency(counts, correction=False)
    p_value, test = float(found.pvalue), "chi-squared"
    if (found.expected_freq < _SMALL).mean() > _SMALL_SHARE:
        p_value, test = _random_tables(counts, float(found.statistic), rng), "chi-squared (permutation)"
    effect = float(np.sqrt(found.statistic / (len(values) * (min(table.shape) - 1))))
    return _Outcome("categories", len(values), test, float(found.statistic), effect, p_value, _telling_value(table))


def _random_tables(counts: Array, statistic: float, rng: np.random.Generator) -> float:
    """Share of random tables with the same sums that are as far from independence: at least 1 / 10,000."""
    from scipy.stats import random_table

    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    expected = np.outer(rows, columns) / counts.sum()
    n_extreme, left = 0, _N_TABLES
    while left:
        size = min(left, max(1, 2**22 // counts.size))
        tables = random_table(rows, columns).rvs(size, random_state=rng)
        values = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
        n_extreme += int((values >= statistic * (1 - 1e-9)).sum())
        left -= size
    return (1 + n_extreme) / (1 + _N_TABLES)


def _telling_value(table: pd.DataFrame) -> str:
    """The value and the cluster that go together most: the largest difference of shares inside and outside."""
    counts = table.to_numpy(dtype=np.float64)
    size = counts.sum(axis=0)
    inside = counts / size
    outside = (counts.sum(axis=1, keepdims=True) - counts) / (size.sum() - size)
    value, cluster = np.unravel_index((inside - outside).argmax(), counts.shape)
    name = str(table.index[value])
    shown = name if len(name) <= 60 else f"{name[:59]}…"
    return (
        f"{shown!r} is {inside[value, cluster]:.0%} of cluster {table.columns[cluster]} and "
        f"{outside[value, cluster]:.0%} of the others"
    )


# ------------------------------------------------------------------------------------------------------------- numbers
def _test_numbers(clusters: IntArray, values: FloatArray) -> _Outcome:
    finite = np.isfinite(values)
    clusters, values = clusters[finite], values[finite]
    groups = [values[clusters == q] for q in np.unique(clusters)]
    if len(groups) < 2 or len(np.unique(values)) < 2:
        return _not_tested("numbers", len(values), "there is one value, or one cluster, only")
    from scipy.stats import kruskal

    found = kruskal(*groups)
    statistic = float(found.statistic)
    effect = statistic / (len(values) - 1)  # epsilon squared: 0 for no relation, 1 for a complete one
    medians = {int(q): float(np.median(values[clusters == q])) for q in np.unique(clusters)}
    high, low = max(medians, key=lambda q: medians[q]), min(medians, key=lambda q: medians[q])
    words = f"highest in cluster {high} (median {medians[high]:.4g}), lowest in cluster {low} ({medians[low]:.4g})"
    return _Outcome("numbers", len(values), "Kruskal-Wallis", statistic, effect, float(found.pvalue), words)
