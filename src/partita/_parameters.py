"""Constraints on constructor parameters, checked by scikit-learn before any work.

scikit-learn keeps these helpers private, so they are imported here and nowhere else.
"""

from numbers import Integral, Real
from typing import Any, Literal

from sklearn.utils import _param_validation

StrOptions: Any = _param_validation.StrOptions


def Interval(kind: Literal["int", "real"], low: float | None, high: float | None) -> Any:  # noqa: N802
    """A closed interval of integers or reals; None leaves a side open."""
    number = Integral if kind == "int" else Real
    closed = "both" if high is not None else "left" if low is not None else "neither"
    return _param_validation.Interval(number, low, high, closed=closed)
