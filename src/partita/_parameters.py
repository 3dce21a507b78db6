"""Constraints on constructor parameters, checked by scikit-learn before any work.

scikit-learn keeps these helpers private, so they are imported here and nowhere else.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import _param_validation

StrOptions: Any = _param_validation.StrOptions


def Interval(kind: Literal["int", "real"], low: float | None, high: float | None) -> Any:  # noqa: N802
    """A closed interval of integers or reals; None leaves a side open."""
    number = Integral if kind == "int" else Real
    closed = "both" if high is not None else "left" if low is not None else "neither"
    return _param_validation.Interval(number, low, high, closed=closed)


# What the parameters that many estimators share may be.
_COMMON: dict[str, list[Any]] = {
    "n_clusters": [Interval("int", 1, None)],
    "n_init": [Interval("int", 1, None)],
    "max_iter": [Interval("int", 1, None)],
    "tol": [Interval("real", 0, None)],
    "weights": ["array-like", None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Interval("int", None, None), None],
    "verbose": ["verbose"],
}


def common(*names: str) -> dict[str, list[Any]]:
    """Constraints of shared parameters, for ``_parameter_constraints``."""
    return {name: _COMMON[name] for name in names}


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Refuse a value that is not one of the allowed names."""
    names = tuple(allowed)
    if not isinstance(value, str) or value not in names:
        shown = ", ".join(map(repr, names[:-1])) + f" or {names[-1]!r}"
        raise ValueError(f"{name}={value!r} is not known; choose {shown}.")


def check_count(number: Any, name: str) -> int:
    """A whole number, at least 1."""
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise ValueError(f"{name}={number!r} is not allowed; pass a whole number, at least 1.")
    return int(number)
