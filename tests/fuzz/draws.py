"""Random arguments, written as Python expressions: a call can then be printed, and run again, as it stands.

The expressions use the names of ``NAMES``. A table of labels is drawn first, with -1 for holes; then it is written in
one of ``CONTAINERS``, so that the rows of ``fit`` and new rows of ``predict`` can be of one kind.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

import partita

Rng = np.random.Generator
Write = Callable[[np.ndarray], str]

# floats at which sums, squares and quotients leave the range of float64, and some that are harmless
EXTREMES = ("0.0", "5e-324", "1e-300", "1e-160", "1e-9", "1.0", "3.0", "1e6", "1e16", "1e160", "1e300", "1.7e308")
WRONG = (
    "None", "-1", "0", "True", "'x'", "''", "1.5", "nan", "inf", "-inf", "10**30", "-2**63", "[]", "[1, 2]", "(2, 3)",
    "{}", "{'a': 1}", "b'x'", "1j", "-0.0", "5e-324", "1e300", "'3'", "np.array(3)", "np.bool_(1)",
    "np.array([1.0, nan])",
    "np.int8(3)", "np.float32(0.5)", "np.str_('x')", "object()", "partita.EAC", "partita.EAC()", "pd.NA", "range(3)",
)  # fmt: skip


def readonly(array: Any) -> Any:
    """The array, protected against writing."""
    array.setflags(write=False)
    return array


NAMES: dict[str, Any] = {
    "np": np, "pd": pd, "pl": pl, "sp": sp, "partita": partita, "nan": np.nan, "inf": np.inf, "readonly": readonly,
}  # fmt: skip


def pick(rng: Rng, *choices: Any) -> Any:
    """One of the choices."""
    return choices[int(rng.integers(len(choices)))]


def chance(rng: Rng, share: float) -> bool:
    """True in this share of the calls."""
    return bool(rng.random() < share)


def draw_size(rng: Rng) -> int:
    """A number of objects, 1 to 60; small ones are more frequent, since borders are there."""
    return int(pick(rng, 1, 2, 3, 5, 9, 20, int(rng.integers(1, 61)), int(rng.integers(4, 61))))


# ------------------------------------------------------------------------------------------------------------- labels
def draw_table(rng: Rng, n: int, m: int) -> np.ndarray:
    """Labels of a truth with noise, or at random; holes, constant columns, rows and columns without labels."""
    k = int(pick(rng, 1, 2, 3, 5, max(n, 2)))
    truth = rng.integers(k, size=n)
    noise = pick(rng, 0.0, 0.1, 0.5, 1.0)
    table = np.where(rng.random((n, m)) < noise, rng.integers(k, size=(n, m)), truth[:, None])
    table[rng.random((n, m)) < pick(rng, 0.0, 0.0, 0.0, 0.2, 0.2, 0.9)] = -1
    if chance(rng, 0.15):
        table[:, rng.integers(m)] = pick(rng, -1, 0)
    if n > 1 and chance(rng, 0.15):
        table[rng.integers(n)] = -1
    return table


def _array(values: list[Any], dtype: str) -> str:
    return f"np.array({values!r}, dtype={dtype!r})"


def _as(dtype: str, shift: int = 0) -> Write:
    """Integers; unsigned ones have no holes."""
    low = 0 if dtype.startswith("u") or dtype == "bool" else -1
    high = 1 if dtype == "bool" else 100

    def write(t: np.ndarray) -> str:
        values = np.where(t < 0, low, t.clip(0, high)).tolist()
        shifted = [[value + shift if value > 0 else value for value in row] for row in values]
        return _array([[bool(v) for v in row] for row in shifted] if dtype == "bool" else shifted, dtype)

    return write


def _floats(dtype: str, scale: float = 1.0) -> Write:
    return lambda t: _array([[float(v) * scale if v >= 0 else np.nan for v in row] for row in t.tolist()], dtype)


def _named(values: list[str], hole: str) -> Write:
    """Rows of other things than numbers, by the number of their label, inside an object array."""

    def write(t: np.ndarray) -> str:
        rows = ", ".join(
            "[" + ", ".join(hole if v < 0 else values[v % len(values)] for v in r) + "]" for r in t.tolist()
        )
        return f"np.array([{rows}], dtype=object)"

    return write


def _texts(t: np.ndarray) -> str:
    return f"np.array({[['' if v < 0 else f'k{v}' for v in row] for row in t.tolist()]!r})"


def _columns(t: np.ndarray, hole: Any = None) -> dict[str, list[Any]]:
    return {f"c{j}": [hole if v < 0 else v for v in column] for j, column in enumerate(t.T.tolist())}


def _of_texts(t: np.ndarray) -> dict[str, list[Any]]:
    return {name: [None if v is None else f"k{v}" for v in column] for name, column in _columns(t).items()}


_int = _as("int64")
CONTAINERS: dict[str, Write] = {
    **{f"{sign}int{bits}": _as(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "bool": _as("bool"),
    "large": _as("int64", shift=2**62),
    "largest": _as("uint64", shift=2**63),
    **{dtype: _floats(dtype) for dtype in ("float16", "float32", "float64", "longdouble")},
    "fractions": _floats("float64", scale=0.37),
    "huge floats": _floats("float64", scale=1e300),
    "text": _texts,
    "bytes": lambda t: f"{_texts(t)}.astype('S')",
    "mixed": _named(["0", "'0'", "1.5", "'a'", "None", "True", "b'b'"], "None"),
    "dates": lambda t: f"{_array(t.tolist(), 'int64')}.astype('datetime64[D]')",
    "objects": _named(["(1, 2)", "pd.Timestamp(5)", "'x'", "2**70", "-1", "'-1'"], "pd.NA"),
    "frame": lambda t: f"pd.DataFrame({_columns(t, -1)!r})",
    "text frame": lambda t: f"pd.DataFrame({_of_texts(t)!r}, index=range(5, {5 + len(t)}))",
    "category frame": lambda t: f"pd.DataFrame({_of_texts(t)!r}).astype('category')",
    "nullable frame": lambda t: f"pd.DataFrame({_columns(t)!r}, dtype='Int64')",
    "same names": lambda t: f"pd.DataFrame({_int(t)}, columns=['a'] * {t.shape[1]})",
    "polars": lambda t: f"pl.DataFrame({_columns(t)!r}, strict=False)",
    "polars text": lambda t: f"pl.DataFrame({_of_texts(t)!r}).cast({{pl.String: pl.Categorical}})",
    "dict": lambda t: repr(_columns(t)),
    "list": lambda t: repr([*_columns(t, -1).values()]),
    "tuple": lambda t: repr(tuple(tuple(column) for column in _of_texts(t).values())),
    "masked": lambda t: f"np.ma.masked_equal({_int(t)}, -1)",
    "fortran": lambda t: f"np.asfortranarray({_int(t)})",
    "reversed": lambda t: f"{_int(t)}[::-1, ::-1]",
    "every other": lambda t: f"np.repeat({_int(t)}, 2, axis=0)[::2]",
    "readonly": lambda t: f"readonly({_int(t)})",
    "checked": lambda t: f"partita.check_label_matrix({_int(t)}, allow_unlabelled=True)",
}  # fmt: skip
NO_TABLE = (
    "None", "5", "'text'", "[]", "{}", "np.empty((0, 3))", "np.empty((3, 0))", "np.zeros(4)", "np.zeros((2, 2, 2))",
    "[1, 2, 3]", "[[0, 1], [0]]", "sp.csr_matrix([[0, 1], [1, 0]])", "np.array([[0, inf], [1, 0]])",
    "np.array([[1j, 2]])", "{'a': [0, 1], 'b': [0]}", "[['a', {}], [0, 1]]", "pd.DataFrame()", "pl.DataFrame()",
    "pd.Series([0, 1])", "np.array([[[], []], [1, 2]], dtype=object)", "iter([[0, 1]])", "{1: 2}", "object()",
    "np.zeros((2, 2), dtype='V4')",
)  # fmt: skip


def draw_labels(rng: Rng, n: int, m: int, wrong: float = 0.06) -> tuple[str, str]:
    """A label matrix, and new rows of the same kind, with labels that the first may not have."""
    if chance(rng, wrong):
        return pick(rng, *NO_TABLE), pick(rng, *NO_TABLE)
    write = CONTAINERS[pick(rng, *CONTAINERS)]
    new_columns = m if chance(rng, 0.95) else m + 1
    return write(draw_table(rng, n, m)), write(draw_table(rng, draw_size(rng), new_columns))


def draw_partition(rng: Rng, n: int) -> str:
    """One label per object."""
    if chance(rng, 0.06):
        return pick(rng, *NO_TABLE, "'abc'", "[[0, 1]]", "[0, None, 'a']")
    kind = pick(
        rng, *(kind for kind in CONTAINERS if kind not in ("checked", "dict", "polars", "polars text", "list", "tuple"))
    )
    text = CONTAINERS[kind](draw_table(rng, n, 1))
    column = ".iloc[:, 0]" if "frame" in kind or kind == "same names" else "[:, 0]"
    listed = ".tolist()" if chance(rng, 0.2) and kind != "masked" else ""
    return f"{text}{column}{listed}"


# ---------------------------------------------------------------------------------------- numbers: weights, features
def draw_weights(rng: Rng, n: int) -> str:
    """Weights from 0 to the largest float; some that are none."""
    if chance(rng, 0.4):
        return "None"
    if chance(rng, 0.15):
        wrong = (
            "[nan] * {n}",
            "[-1.0] * {n}",
            "[inf] * {n}",
            "[1.0] * ({n} + 1)",
            "['a'] * {n}",
            "[[1.0] * {n}]",
            "'x'",
            "[]",
        )
        return str(pick(rng, *wrong, "[0.0] * {n}", "2.5", "{{}}", "[None] * {n}", "[1j] * {n}", "object()")).format(
            n=n
        )
    kind = pick(rng, "counts", "shares", "one extreme", "extremes", "equal", "bool")
    values = {
        "counts": rng.integers(0, 4, size=n).tolist(),
        "shares": rng.random(n).round(3).tolist(),
        "one extreme": [float(pick(rng, *EXTREMES)) if i == 0 else 1.0 for i in range(n)],
        "extremes": [float(pick(rng, *EXTREMES)) for _ in range(n)],
        "equal": [float(pick(rng, *EXTREMES))] * n,
        "bool": (rng.random(n) < 0.8).tolist(),
    }[kind]
    return pick(rng, "{}", "np.array({})", "pd.Series({})", "readonly(np.array({}))").format(repr(values))


_FEATURE_FORMS = (
    "{}", "{}.tolist()", "np.asfortranarray({})", "{}[::-1]", "readonly({})", "pd.DataFrame({}).add_prefix('f')",
    "pl.DataFrame({})", "{}.astype('float32')", "sp.csr_matrix({})", "{}.astype(object)", "sp.coo_array({})",
)  # fmt: skip
_NO_FEATURES = (
    "np.array([[nan, 1.0], [0.0, 2.0]])", "np.array([[inf], [1.0]])", "np.array([['a', 'b'], ['c', 'd']])",
    "np.zeros(3)", "None", "[]", "np.empty((0, 2))", "np.empty((3, 0))", "'text'", "5", "np.array([[1j], [2]])",
    "np.zeros((2, 2, 2))",
    "pd.DataFrame({'a': [1, None], 'b': ['x', 'y']})", "[[1, 2], [3]]", "pd.DataFrame({'a': pd.array([1, None])})",
    "np.array([['1', '2'], ['3', '4']])", "{'a': [1.0, 2.0]}", "np.array([[1e200], [-1e200]])", "object()",
    "np.zeros((3, 2), dtype='datetime64[s]')", "np.array([[None, 1.0], [2.0, 3.0]], dtype=object)",
)  # fmt: skip


def draw_features(rng: Rng, n: int, d: int, wrong: float = 0.08) -> str:
    """Points in clusters, on a line, equal, or of extreme size."""
    if chance(rng, wrong):
        return str(pick(rng, *_NO_FEATURES))
    centers = rng.normal(size=(3, d)) * pick(rng, 0.0, 5.0, 100.0)
    points = centers[rng.integers(3, size=n)] + rng.normal(size=(n, d)) * pick(rng, 0.0, 0.1, 1.0)
    points = points.round(3) * pick(rng, *[1.0] * 9, 1e-300, 1e-70, 1e-9, 1e9, 1e19, 1e69, 1e160, 1e300)
    if chance(rng, 0.2):
        points = np.abs(points).clip(0, 1e6).round(0)
    text = _array(
        points.tolist(),
        pick(rng, "float64", "float64", "float64", "float16" if np.abs(points).max() < 6e4 else "float64"),
    )
    return str(pick(rng, *_FEATURE_FORMS if chance(rng, 0.3) else ("{}",))).format(text)


def draw_membership(rng: Rng, n: int) -> str:
    """Probabilities, one row per object."""
    if chance(rng, 0.12):
        return pick(rng, *_NO_FEATURES, f"np.ones(({n}, 2))", f"[[1.0]] * {n}", f"np.full(({n}, 2), nan)")
    k = int(rng.integers(1, 6))
    Y = rng.dirichlet(np.full(k, pick(rng, 0.01, 1.0, 100.0)), size=n)
    Y = np.nan_to_num(Y, nan=1.0 / k)
    if chance(rng, 0.2):
        Y[rng.integers(n)] = np.nan
    return str(pick(rng, "{}", "{}", "{}.tolist()", "pd.DataFrame({})", "np.asfortranarray({})")).format(
        _array(Y.tolist(), "float64")
    )


def draw_numbers(rng: Rng, n: int) -> str:
    """A sample of numbers for a test or a correlation."""
    if chance(rng, 0.1):
        return pick(rng, *_NO_FEATURES, "[nan, 1.0]", "['a', 'b']", "[inf, 1.0]", "[]", "[None, 1]", "[1.0]")
    values = rng.random(n).round(pick(rng, 0, 1, 6)) * float(pick(rng, *EXTREMES[1:]))
    return str(pick(rng, "{}", "np.array({})", "pd.Series({})")).format(repr(np.nan_to_num(values).tolist()))
