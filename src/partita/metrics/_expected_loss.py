"""Expected distance of a partition from the clusterings of an ensemble (eqs. V1 to V4)."""

from numbers import Real
from typing import Any, Literal

import numpy as np

from partita._checks import check_choice
from partita._features import check_lengths
from partita._labels.validation import check_label_matrix, check_labels, check_sample_weight, check_weights
from partita._labels.weights import to_ordinary_size
from partita._typing import Array, FloatArray
from partita.metrics._left_out import warn_left_out


def expected_loss(
    X: Any,
    labels: Any,
    *,
    loss: Literal["vi", "binder"] = "vi",
    a: float = 1.0,
    weights: Any = None,
    sample_weight: Any = None,
) -> float:
    """Mean distance of a partition from the clusterings of an ensemble, or samples of a posterior; lower is better.

    Each clustering is compared on the objects that it labels, so that missing labels are exact.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        The ensemble, or samples of a posterior, one per column.
    labels : array-like of shape (n_samples,)
        A partition, such as the consensus; -1 is left out, with a warning.
    loss : {"vi", "binder"}, default="vi"
        Variation of information in bits, or the share of (ordered) pairs of objects that one of the two partitions
        joins and the other separates.
    a : float in [0, 2], default=1.0
        Cost of separating what a clustering joins; joining what it separates costs 2 - a. With 1 the loss is symmetric.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering in the mean.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each object; weight 2 is the object twice.

    Returns
    -------
    loss : float
        At least 0; 0 with a = 1 only if all clusterings are equal to the partition where they label.

    See Also
    --------
    MedianPartition : The partition for which this is least.

    Notes
    -----
    Cost O(n m). The same numbers as ``VI(a)`` and ``binder(a)`` of the R package salso.

    References
    ----------
    D. A. Binder, Bayesian cluster analysis, Biometrika 65 (1978) 31-38.

    S. Wade, Z. Ghahramani, Bayesian cluster analysis: point estimation and credible balls, Bayesian Analysis 13 (2018)
    559-626.

    D. B. Dahl, D. J. Johnson, P. Müller, Search algorithms and loss functions for Bayesian clustering, Journal of
    Computational and Graphical Statistics 31 (2022) 1189-1201.

    Examples
    --------
    >>> from partita.metrics import expected_loss
    >>> X = {"a": [0, 0, 1, 1], "b": [0, 0, 1, None]}
    >>> expected_loss(X, [1, 1, 0, 0])
    0.0
    >>> round(expected_loss(X, [0, 0, 0, 0], loss="binder"), 4)
    0.4722
    """
    check_choice("loss", loss, ("vi", "binder"))
    if isinstance(a, bool) or not isinstance(a, Real) or not 0 <= a <= 2:
        raise ValueError(f"a={a!r:.60} is not allowed; pass a number from 0 to 2.")
    matrix, codes = check_label_matrix(X), check_labels(labels, "labels")
    check_lengths(len(matrix.codes), len(codes))
    of_clusterings = to_ordinary_size(check_weights(weights, matrix)).weights
    of_objects = to_ordinary_size(check_sample_weight(sample_weight, len(codes))).weights
    warn_left_out(int((codes < 0).sum()), len(codes), "have no label in the partition and were left out")
    seen = of_objects * (codes >= 0) @ (matrix.codes >= 0)
    common = (seen > 0) & (of_clusterings > 0)
    if not common.any():
        raise ValueError("no object with a weight has both a label of the partition and one in X; at least one must.")
    losses = [loss_against(codes, matrix.codes[:, j], of_objects, loss, float(a)) for j in np.flatnonzero(common)]
    return float(np.average(losses, weights=of_clusterings[common]))


def loss_against(partition: Array, clustering: Array, weights: FloatArray, loss: str, a: float) -> float:
    """Loss of a partition against one clustering, on the objects that both label (eqs. V1, V2)."""
    both = (partition >= 0) & (clustering >= 0)
    q, c, w = partition[both].astype(np.int64), clustering[both].astype(np.int64), weights[both]
    w = w / w.sum()
    width = int(c.max()) + 1
    of_q, of_c = np.bincount(q, weights=w), np.bincount(c, weights=w)
    cells = np.unique(q * width + c, return_inverse=True)[1]
    in_both = np.bincount(cells, weights=w)
    value = (2 - a) * _f(of_q, loss) + a * _f(of_c, loss) - 2 * _f(in_both, loss)
    return max(value, 0.0)


def _f(shares: Array, loss: str) -> float:
    """Sum of x log2 x, or of x^2; shares add up to 1, which takes the place of dividing by n or n^2."""
    if loss == "binder":
        return float(shares @ shares)
    shares = shares[shares > 0]
    return float(shares @ np.log2(shares))
