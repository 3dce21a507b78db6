"""Weights of any size: what methods compute with is of an ordinary size, and what they report is on the user's scale.

Most methods depend on the ratios of weights alone. Their weights are multiplied by a power of two where the sum is
very large or very small, which changes no digit (eq. C34). Models of counts, where weight 2 is the object twice, never
do that, and refuse sums that double precision cannot count.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._typing import FloatArray

# A sum from 1/4 to 2^53 stays as it is. Below 1 no row has a pair of its own objects, and above 2^53 a weight less 1
# is the weight itself: beyond both ends the answer depends on ratios alone, also where pairs of objects are counted.
_LIGHTEST, _HEAVIEST = -1, 53
_SMALLEST_SHARE = 2.0**-200  # smallest weight, relative to the sum: far below rounding, and products of four are not 0
_LARGEST_EXPONENT = 1024  # of double precision
# Of models of counts: log gamma of the largest is exact to about 0.003, and a log-likelihood needs no more; below the
# smallest nothing is known but the prior, and 1 over a product of such numbers is no number any more.
_SMALLEST_COUNT, _LARGEST_COUNT = 1e-12, 1e12

_TOO_LARGE = (
    "the objective grows with their products, and its value would exceed the largest number, 1.8e308. Divide the "
    "weights by their sum: the clusters depend on ratios alone."
)


class Scaled(NamedTuple):
    """Weights of an ordinary size; the user's are 2^exponent times as large."""

    weights: FloatArray
    exponent: int  # even, so that its root is a power of two as well


class WeightScale(NamedTuple):
    """How weights were scaled for a fit."""

    objects: int = 0  # exponent of the sample weights
    clusterings: int = 0  # and of the weights of the clusterings

    def report(self, value: Any, objects: float = 0, clusterings: float = 0) -> Any:
        """A number (or a list or an array) on the user's scale, given the powers with which it grows with weights."""
        shift = int(objects * self.objects + clusterings * self.clusterings)
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.ldexp(value, shift)
        if not np.isfinite(scaled).all() and np.isfinite(value).all():
            raise ValueError(_TOO_LARGE)
        return scaled if isinstance(value, np.ndarray) else scaled.tolist()


def to_ordinary_size(weights: FloatArray) -> Scaled:
    """Weights whose sum is neither very large nor very small, and none negligible but positive."""
    log_sum = _log_sum(weights)
    exponent = log_sum - min(max(log_sum, _LIGHTEST), _HEAVIEST)
    exponent += exponent % 2
    return Scaled(_raise_negligible(weights, np.ldexp(weights, -exponent)), exponent)


def check_countable(weights: FloatArray, name: str, method: str) -> FloatArray:
    """Weights of a model of counts as they are, if double precision can count them."""
    total = float(weights.sum())
    if not _SMALLEST_COUNT <= total <= _LARGEST_COUNT:
        change = "Divide" if total > 1 else "Multiply"
        raise ValueError(
            f"{name} adds up to {total:.3g}; {method} counts weight 2 as twice, so that weights are not rescaled, and "
            f"takes sums from {_SMALLEST_COUNT:.0e} to {_LARGEST_COUNT:.0e}. {change} the weights."
        )
    return _raise_negligible(weights, weights)


def check_reportable(sample_weight: FloatArray, clustering_weights: FloatArray, powers: tuple[float, float]) -> None:
    """Refuse, before any work, weights with which a reported number would exceed the largest float."""
    logs = _log_sum(sample_weight), _log_sum(clustering_weights)
    if sum(power * max(log, 0) for power, log in zip(powers, logs, strict=True)) > _LARGEST_EXPONENT:
        sums = f"sample_weight adds up to {sample_weight.sum():.3g} and weights to {clustering_weights.sum():.3g}"
        raise ValueError(f"{sums}; {_TOO_LARGE}")


def _log_sum(weights: FloatArray) -> int:
    """The whole number above log2 of the sum."""
    return math.frexp(float(weights.sum()))[1]


def _raise_negligible(given: FloatArray, weights: FloatArray) -> FloatArray:
    """Positive weights are at least a tiny share of the sum, so that no product of them is 0."""
    least = _SMALLEST_SHARE * float(weights.sum())
    if not ((weights < least) & (given > 0)).any():
        return weights
    return np.where(given > 0, np.maximum(weights, least), 0.0)
