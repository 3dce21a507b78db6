"""Constraints on constructor parameters, checked by scikit-learn before any work.

scikit-learn keeps these helpers private, so they are imported here and nowhere else.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, Literal

from sklearn.utils import _param_validation

StrOptions: Any = _param_validation.StrOptions


class _NumberInterval(_param_validation.Interval):  # type: ignore[misc]
    """An interval of numbers; True and False are numbers for Python, but a slip where a number is meant."""

    def is_satisfied_by(self, val: Any) -> bool:
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))


def Interval(kind: Literal["int", "real"], low: float | None, high: float | None) -> Any:  # noqa: N802
    """A closed interval of integers or reals; None leaves a side open."""
    number = Integral if kind == "int" else Real
    closed = {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "neither"}
    return _NumberInterval(number, low, high, closed=closed[low is not None, high is not None])


# What the parameters that many estimators share may be.
_COMMON: dict[str, list[Any]] = {
    "n_clusters": [Interval("int", 1, None)],
    "n_init": [Interval("int", 1, None)],
    "max_iter": [Interval("int", 1, None)],
    "tol": [Interval("real", 0, None)],
    "weights": ["array-like", None],
    "random_state": ["random_state"],
    "n_jobs": [Interval("int", 1, None), Interval("int", None, -1), None],
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


def check_share(number: Any, name: str, *, low: float = 0.0, high: float = 1.0) -> float:
    """A number strictly between ``low`` and ``high``."""
    if isinstance(number, bool) or not isinstance(number, Real) or not low < float(number) < high:
        raise ValueError(f"{name}={number!r:.60} is not allowed; pass a number between {low:g} and {high:g}.")
    return float(number)


def check_instance(value: Any, name: str, *, needs: str, example: str) -> None:
    """Refuse what is not an estimator: a class in place of an instance, or an object without the method ``needs``."""
    if isinstance(value, type):
        raise TypeError(f"{name} is the class {value.__name__}; pass an instance of it, {value.__name__}(...).")
    if not hasattr(value, needs) or not hasattr(value, "get_params"):
        raise TypeError(f"{name}={value!r:.60} is not an estimator with {needs} and get_params; pass {example}.")
