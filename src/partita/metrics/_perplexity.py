"""How well a model predicts labels (eqs. I19, I20)."""

from typing import Any

import numpy as np

from partita._labels.membership import as_numbers
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
        Infinite where it exceeds the largest number, 1.8e308.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.metrics import perplexity
    >>> X = [[0, 1, 1], [2, None, 3]]  # two clusterings of three objects
    >>> round(perplexity(np.log([1 / 4, 1 / 2, 1 / 4]), X), 6)
    2.0
    """
    given = as_numbers(log_likelihood, "log_likelihood")
    values = check_series(given.reshape(1) if given.ndim == 0 else given, "log_likelihood")
    if np.isnan(values).any():
        raise ValueError(f"log_likelihood[{int(np.argmax(np.isnan(values)))}] is NaN; pass the model's own values.")
    if isinstance(X, int | float | np.number):
        n_observed = float(X)
    else:
        codes = check_label_matrix(X).codes
        if given.ndim and len(values) != len(codes):
            raise ValueError(f"log_likelihood has {len(values)} rows, X has {len(codes)}; pass one value per object.")
        n_observed = float((codes >= 0).sum())
    if not n_observed > 0:
        raise ValueError(f"X={X!r:.60} has no observed label; perplexity is a mean over observed labels.")
    with np.errstate(over="ignore"):
        return float(np.exp(-(values / n_observed).sum()))
