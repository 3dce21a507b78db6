"""Which features follow the classes: each one is cut into bins and compared with them as a partition (eq. I53)."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn import metrics as sk

from partita._checks import check_count
from partita._features import check_lengths, check_points
from partita._labels.validation import check_labels
from partita._typing import Codes, FloatArray
from partita.metrics._left_out import leave_out


def rank_features(X: Any, y: Any, n_bins: int | None = None) -> pd.DataFrame:
    """Rank features by the adjusted Rand index between their bins and the classes.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Features, finite numbers.
    y : array-like of shape (n_samples,)
        Classes, or clusters; objects that are -1 (or NaN, None) are left out, with a warning.
    n_bins : int, optional
        Bins of equal width between the smallest and the largest value; default the number of classes.

    Returns
    -------
    ranking : DataFrame with the columns feature, ari, rank
        Best first; features with the same index share the better rank. A constant feature has index 0.

    Notes
    -----
    Each feature is judged alone, and by the grouping of its values only, so a feature that acts together with another
    can rank last. Cost O(n d).

    References
    ----------
    J. Santos and M. Embrechts, "On the use of the adjusted Rand index as a metric for evaluating supervised
    classification", ICANN 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from partita.metrics import rank_features
    >>> X = pd.DataFrame({"noise": [3, 9, 4, 8], "height": [1.5, 1.6, 1.9, 2.0], "planet": [3, 3, 3, 3]})
    >>> rank_features(X, ["a", "a", "b", "b"])["feature"].tolist()
    ['height', 'planet', 'noise']
    """
    points = check_points(X)
    names = list(X.columns) if hasattr(X, "columns") else list(range(points.shape[1]))
    codes = check_labels(y, "y")
    check_lengths(len(points), len(codes), name="y")
    place = leave_out(codes >= 0)
    classes = codes[place]
    n_bins = len(np.unique(classes)) if n_bins is None else check_count(n_bins, "n_bins")
    scores = np.array([_score(values, classes, n_bins) for values in points[place].T])
    ranking = pd.DataFrame({"feature": names, "ari": scores, "rank": rankdata(-scores, method="min").astype(np.int64)})
    return ranking.sort_values("rank", kind="stable", ignore_index=True)


def _score(values: FloatArray, classes: Codes, n_bins: int) -> float:
    low, high = values.min(), values.max()
    if low == high:
        return 0.0
    bins = np.floor(np.minimum((values - low) / (high - low) * n_bins, n_bins - 1))  # the last is closed
    return float(sk.adjusted_rand_score(classes, np.unique(bins, return_inverse=True)[1]))
