"""How well a model predicts labels (eqs. I19, I20)."""

from typing import Any

import numpy as np

from partita._labels.validation import check_label_matrix
from partita.metrics._series import check_series


def perplexity(log_likelihood: Any, X: Any) -> float:
    """Perplexity of a model: exp of minus its mean log probability of an observed label.

    1 means that every label was predicted with certainty. A model that knows only the number of labels of each
    clustering has their geometric mean.

    Parameters
    ----------
    log_likelihood : array-like of shape (n_samples,) or float
        Log probability of each row of labels, as ``BCE.score_samples`` gives it, or their sum.
    X : label matrix, or number
        The labels, or the number of observed labels.

    Returns
    -------
    perplexity : float

    Examples
    --------
    >>> import numpy as np
    >>> from partita.metrics import perplexity
    >>> X = [[0, 1, 1], [2, None, 3]]  # two clusterings of three objects
    >>> round(perplexity(np.log([1 / 4, 1 / 2, 1 / 4]), X), 6)
    2.0
    """
    values = check_series(
        np.ravel(log_likelihood) if np.ndim(log_likelihood) == 0 else log_likelihood, "log_likelihood"
    )
    if isinstance(X, int | float | np.number):
        n_observed = float(X)
    else:
        codes = check_label_matrix(X).codes
        if np.ndim(log_likelihood) and len(values) != len(codes):
            raise ValueError(f"log_likelihood has {len(values)} rows, X has {len(codes)}; pass one value per object.")
        n_observed = float((codes >= 0).sum())
    if not n_observed > 0:
        raise ValueError(f"X={X!r:.60} has no observed label; perplexity is a mean over observed labels.")
    return float(np.exp(-values.sum() / n_observed))
