"""The sample that is nearest to all samples: a consensus of partitions drawn from a posterior.

Expected losses of a partition are means over the samples, computed from contingency tables:

    Binder: pairs of objects that one partition joins and the other separates;   VI: H(a | b) + H(b | a)
"""

from typing import Literal

import numpy as np

from partita._typing import Array, FloatArray

Loss = Literal["binder", "vi"]


def expected_loss(candidate: Array, samples: Array, weight: FloatArray, loss: Loss) -> float:
    """Mean loss of a partition (n,) against samples (n_samples, n) of objects with weights."""
    return float(np.mean([_loss(candidate, sample, weight, loss) for sample in samples]))


def best_sample(samples: Array, weight: FloatArray, loss: Loss, limit: int = 100) -> int:
    """The sample of least expected loss against all, among at most ``limit`` of them, spread evenly."""
    chosen = np.unique(np.linspace(0, len(samples) - 1, min(limit, len(samples))).astype(np.int64))
    losses = [expected_loss(samples[place], samples, weight, loss) for place in chosen]
    return int(chosen[int(np.argmin(losses))])


def _loss(a: Array, b: Array, weight: FloatArray, loss: Loss) -> float:
    width = int(b.max()) + 1
    both, of_a, of_b = (
        np.bincount(labels, weights=weight).astype(np.float64) for labels in (a.astype(np.int64) * width + b, a, b)
    )
    if loss == "binder":
        return float(0.5 * (of_a @ of_a + of_b @ of_b) - both @ both)
    return float((_x_log_x(of_a) + _x_log_x(of_b) - 2 * _x_log_x(both)) / weight.sum())


def _x_log_x(counts: FloatArray) -> float:
    there = counts[counts > 0]
    return float(there @ np.log(there))
