"""Values of parameters of functions, refused in one wording; scikit-learn is not loaded for them."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any


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
