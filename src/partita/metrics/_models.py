"""How well a model predicts labels, and whether one series of results is better than another."""

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import stats

from partita._labels.validation import check_label_matrix


def perplexity(log_likelihood: Any, X: Any) -> float:
    """Perplexity of a model: exp of minus its mean log probability of an observed label.

    1 means that every label was foreseen with certainty. A model that knows nothing but the number of labels has
    their (geometric mean) number.

    Parameters
    ----------
    log_likelihood : array-like of shape (n_samples,) or float
        Log probability of each row of labels, such as ``BCE.score_samples`` gives, or their sum.
    X : label matrix, or number
        The labels, or how many of them are observed.

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
    values = np.asarray(log_likelihood, dtype=np.float64)
    if isinstance(X, int | float | np.number):
        n_observed = float(X)
    else:
        codes = check_label_matrix(X).codes
        if values.ndim == 1 and len(values) != len(codes):
            raise ValueError(f"log_likelihood has {len(values)} rows and X has {len(codes)}; pass one value an object.")
        n_observed = float((codes >= 0).sum())
    if not n_observed > 0:
        raise ValueError(f"X={X!r} has no observed label; perplexity is a mean over observed labels.")
    return float(np.exp(-values.sum() / n_observed))


class PairedTTest(NamedTuple):
    """Result of ``paired_t_test``."""

    statistic: float
    p_value: float
    degrees_of_freedom: int
    mean_difference: float
    sd_difference: float


def paired_t_test(a: Any, b: Any, *, alternative: Literal["two-sided", "less", "greater"] = "two-sided") -> PairedTTest:
    """Student's t-test of whether paired results differ on average, such as two methods on the same datasets.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Results in the same order; pairs in which one is NaN are left out.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater": the results ``a`` are larger on average.

    Returns
    -------
    PairedTTest
        ``statistic``, ``p_value``, ``degrees_of_freedom``, ``mean_difference``, ``sd_difference``. If all differences
        are equal, the statistic is infinite (0 if they are 0, with p-value 1, or 1/2 for a one-sided alternative).

    Examples
    --------
    >>> from partita.metrics import paired_t_test
    >>> result = paired_t_test([0.9, 0.8, 0.7, 0.9], [0.8, 0.7, 0.7, 0.7])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.449, 0.092)
    """
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"alternative={alternative!r} is not known; choose 'two-sided', 'less' or 'greater'.")
    first, second = (np.asarray(values, dtype=np.float64) for values in (a, b))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"a and b have shapes {first.shape} and {second.shape}; pass two series of equal length.")
    differences = (first - second)[~np.isnan(first - second)]
    if len(differences) < 2:
        raise ValueError(f"{len(differences)} pairs without NaN are too few; a t-test needs at least 2.")
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    if sd <= 1e-12 * abs(mean) or not differences.any():
        return _equal_differences(mean, len(differences), alternative)
    result = stats.ttest_1samp(differences, 0.0, alternative=alternative)
    return PairedTTest(float(result.statistic), float(result.pvalue), len(differences) - 1, mean, sd)


def _equal_differences(mean: float, n: int, alternative: str) -> PairedTTest:
    """All differences are the same number: the limit of vanishing spread."""
    statistic = float(np.sign(mean) * np.inf) if mean else 0.0
    wrong_way = alternative == ("less" if mean > 0 else "greater")
    p_value = (1.0 if alternative == "two-sided" else 0.5) if mean == 0 else float(wrong_way)
    return PairedTTest(statistic, p_value, n - 1, mean, 0.0)
