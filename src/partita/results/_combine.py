"""Labels in, one consensus out: the whole job in one call."""

from typing import Any

import numpy as np
from sklearn.base import clone

from partita._runs import check_run
from partita._stopping import limits
from partita.base import BaseConsensus, check_consensus
from partita.consensus._methods import METHODS
from partita.consensus._outside import wrap
from partita.consensus._registered import all_methods, named_method, new_estimator, row_of
from partita.consensus.label_space._lwgp import LWGP
from partita.consensus.soft._soft_consensus import SoftEnsembleConsensus
from partita.consensus.soft._soft_input import is_soft
from partita.consensus.soft._soft_lwgp import SoftLWGP
from partita.results._choice import choice_of
from partita.results._result import ConsensusResult, method_name


def combine(
    labels: Any,
    *,
    method: Any = "auto",
    n_clusters: Any = "auto",
    weights: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    max_time: float | None = None,
) -> ConsensusResult:
    """Combine many clusterings of the same objects into one, and say how sure it is.

    Parameters
    ----------
    labels : label matrix of shape (n_samples, n_clusterings), or list of arrays of shape (n_samples, k_m)
        One column per clustering: array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or
        -1. A list (or dict) of matrices are soft clusterings: probabilities, rows NaN where an object was not seen.
    method : str or estimator, default="auto"
        "auto" is locally weighted graph partitioning (:class:`LWGP`, or :class:`SoftLWGP` for soft
        clusterings): its cost is linear in the objects, and with the number of clusters to be found no other method
        came nearer to the known classes (docs/leaderboard.md). Else a name of `partita methods`, such as "pcc", or a
        consensus estimator, which keeps its own parameters.
    n_clusters : int, "auto" or None, default="auto"
        "auto" takes the number on which random halves of the clusterings agree best; one cluster is the answer if they
        agree no more than by chance. A method without ``n_clusters`` finds the number in its own way, and with None so
        do those that can, such as "eac".
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each object. Weight 2 is the object twice; one of weight 0 has no influence.
    random_state : int, RandomState, Generator or None
        Seed of all that is random.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.
    max_time : float, optional
        Seconds after which :class:`~partita.exceptions.TimeLimitReached` is raised instead of a result. The limit never
        changes a result. :func:`partita.limits` does the same for any fit, and can cancel it from another thread.

    Returns
    -------
    ConsensusResult
        ``labels``, ``confidence``, ``membership``, ``choice`` (reasons in words, the runner-up), and tables of
        clusters, clusterings and objects.

    Notes
    -----
    The cost of the default is linear in the number of objects: with r distinct rows, m clusterings and t labels in all
    r m^2 + t^3, and what does not depend on r. Confidence and votes are not probabilities of being right.

    Examples
    --------
    >>> from partita import combine
    >>> from partita.datasets import load_wine_ensemble
    >>> result = combine(load_wine_ensemble().labels, random_state=0)
    >>> result.n_clusters, result.method
    (3, 'lwgp')
    >>> result.to_frame().columns.tolist()
    ['label', 'confidence', 'vote', 'second']
    """
    check_run(n_jobs, verbose)
    _check_number(n_clusters)
    with limits(max_time):
        return _combine(labels, method, n_clusters, weights, sample_weight, random_state, n_jobs, verbose)


def _combine(
    labels: Any,
    method: Any,
    n_clusters: Any,
    weights: Any,
    sample_weight: Any,
    random_state: Any,
    n_jobs: int | None,
    verbose: bool,
) -> ConsensusResult:
    """What :func:`combine` does within its limit of time."""
    soft = is_soft(labels)
    settings = {"weights": weights, "random_state": random_state, "n_jobs": n_jobs, "verbose": verbose}
    estimator = _with(_estimator(method, soft=soft), settings)
    if soft and not isinstance(estimator, SoftEnsembleConsensus):
        raise ValueError(
            f"labels are soft clusterings, which {type(estimator).__name__} does not take; pass 'auto', or one of "
            f"{', '.join(row.name for row in METHODS.values() if row.for_soft)}."
        )
    chosen = None
    if n_clusters != "auto":
        _set_number(estimator, n_clusters)
    elif (
        isinstance(method, str)
        and not isinstance(estimator, LWGP | SoftLWGP)
        and "n_clusters" in estimator.get_params()
    ):
        rule = _with(_default(soft=soft), settings).fit(labels, sample_weight=sample_weight)
        chosen = rule.choice_
        estimator.set_params(n_clusters=chosen.n_clusters)
    estimator.fit(labels, sample_weight=sample_weight)
    by_default = isinstance(method, str) and method.lower() == "auto"
    return ConsensusResult(estimator, choice_of(estimator, method_name(estimator), chosen, by_default=by_default))


def _check_number(n_clusters: Any) -> None:
    """Refuse what is no number of clusters."""
    whole = isinstance(n_clusters, int | np.integer) and not isinstance(n_clusters, bool)
    if n_clusters is None or (isinstance(n_clusters, str) and n_clusters == "auto") or (whole and n_clusters >= 1):
        return
    raise ValueError(f"n_clusters={n_clusters!r:.60} is not allowed; pass a whole number from 1, 'auto' or None.")


def _estimator(method: Any, *, soft: bool) -> Any:
    """A new estimator of the method that was asked for."""
    if not isinstance(method, str):
        if _is_registered(method):
            return wrap(method)
        check_consensus(method, "method")
        return clone(method)
    if method.lower() == "auto":
        return _default(soft=soft)
    row = named_method(method)
    if row is None:
        raise ValueError(f"there is no method {method!r:.60}; pass 'auto', or one of {', '.join(all_methods())}.")
    return new_estimator(row.name)


def _is_registered(method: Any) -> bool:
    """Whether it is an estimator that only its registration tells from a clusterer of features."""
    return hasattr(method, "get_params") and not isinstance(method, BaseConsensus) and row_of(method) is not None


def _default(*, soft: bool) -> Any:
    return SoftLWGP() if soft else LWGP()


def _with(estimator: Any, settings: dict[str, Any]) -> Any:
    """Set what was given, where the estimator has a place for it."""
    known = estimator.get_params(deep=False)
    if settings["weights"] is not None and "weights" not in known:
        raise ValueError(f"weights were given, but {type(estimator).__name__} has none; leave them out.")
    given = {
        name: value for name, value in settings.items() if name in known and value is not None and value is not False
    }
    return estimator.set_params(**given)


def _set_number(estimator: Any, n_clusters: int | None) -> None:
    """Set the number of clusters, or leave it to a method that finds it."""
    known, name = estimator.get_params(deep=False), type(estimator).__name__
    row = row_of(estimator)
    if n_clusters is None:
        if row is not None and not row.finds_k:
            raise ValueError(f"n_clusters=None, but {name} does not find the number; pass it, or 'auto'.")
        if "n_clusters" in known:
            estimator.set_params(n_clusters=None)
        return
    if "n_clusters" not in known:
        raise ValueError(f"n_clusters={n_clusters}, but {name} finds the number itself; pass None or 'auto'.")
    estimator.set_params(n_clusters=int(n_clusters))
