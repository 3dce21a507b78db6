"""Constraints on constructor parameters, checked by scikit-learn before any work.

scikit-learn keeps these helpers private, so they are imported here and nowhere else.
"""

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
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
    "keep_starts": ["boolean"],
    "max_iter": [Interval("int", 1, None)],
    "tol": [Interval("real", 0, None)],
    "weights": ["array-like", None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Interval("int", 1, None), Interval("int", None, -1), None],
    "verbose": ["verbose"],
}


def common(*names: str) -> dict[str, list[Any]]:
    """Constraints of shared parameters, for ``_parameter_constraints``."""
    return {name: _COMMON[name] for name in names}
