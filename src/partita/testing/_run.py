"""The checks by name, and how they are run: all at once as a table, or one by one in a test suite."""

import warnings
from collections.abc import Callable, Iterable
from inspect import isclass
from typing import Any, Literal
from unittest import SkipTest

import pandas as pd

from partita._checks import check_choice
from partita._runs import warn
from partita.testing import _contract, _invariances, _outputs

CHECKS: dict[str, Callable[[Any], None]] = {
    "fit": _contract.check_fit,
    "fit_predict": _contract.check_fit_predict,
    "clusters by size": _contract.check_clusters_by_size,
    "number of clusters": _contract.check_number_of_clusters,
    "unlabelled objects": _contract.check_unlabelled_objects,
    "same seed": _contract.check_same_seed,
    "random state": _contract.check_random_state,
    "n_jobs": _contract.check_n_jobs,
    "parameters": _contract.check_parameters,
    "pickle": _contract.check_pickle,
    "containers": _contract.check_containers,
    "one cluster": _contract.check_one_cluster,
    "many missing labels": _contract.check_many_missing_labels,
    "wrong labels": _contract.check_wrong_labels,
    "wrong weights": _contract.check_wrong_weights,
    "wrong sample_weight": _contract.check_wrong_sample_weight,
    "wrong n_clusters": _contract.check_wrong_n_clusters,
    "not fitted": _contract.check_not_fitted,
    "relabelling": _invariances.check_relabelling,
    "column order": _invariances.check_column_order,
    "row order": _invariances.check_row_order,
    "clustering twice": _invariances.check_clustering_twice,
    "clustering of weight 0": _invariances.check_clustering_of_weight_zero,
    "object twice": _invariances.check_object_twice,
    "object of weight 0": _invariances.check_object_of_weight_zero,
    "missing labels": _invariances.check_missing_labels,
    "empty clustering": _invariances.check_empty_clustering,
    "unanimous": _invariances.check_unanimous,
    "finds k": _invariances.check_finds_k,
    "accurate": _invariances.check_accurate,
    "membership": _outputs.check_membership,
    "membership without weight": _outputs.check_membership_without_weight,
    "predict_proba": _outputs.check_predict_proba,
    "history falls": _outputs.check_history_falls,
    "history rises": _outputs.check_history_rises,
    "predict": _outputs.check_predict,
    "predicts training": _outputs.check_predicts_training,
    "places training": _outputs.check_places_training,
}

PROMISES: dict[str, str] = {name: (check.__doc__ or "").strip() for name, check in CHECKS.items()}


def check_consensus_estimator(
    estimator: Any,
    *,
    promises: Iterable[str] | None = None,
    on_fail: Literal["raise", "warn"] | None = "raise",
) -> pd.DataFrame:
    """Check that an estimator keeps the promises of a consensus method.

    Nothing is asked of its class: what it has no means for, such as weights or ``predict``, is skipped and listed.

    Parameters
    ----------
    estimator : estimator
        An instance that takes a label matrix and sets ``labels_``, with parameters under which it is quick. It is
        copied; ``n_clusters`` is set to 3, and a missing ``random_state`` to 0.
    promises : iterable of str, optional
        Names of the checks to run, out of ``PROMISES``, which says what each of them means; by default all. A method
        that draws objects by their position, for example, does not promise "row order".
    on_fail : {"raise", "warn"} or None, default="raise"
        What is done if checks fail: an AssertionError that lists all of them, a warning each, or only the table.

    Returns
    -------
    DataFrame
        One row per check: ``check``, ``status`` ("passed", "failed" or "skipped") and ``message``.

    Notes
    -----
    The ensembles have 62 objects, and a method is fitted to them some eighty times. Warnings of the estimator are
    ignored; ``consensus_estimator_checks`` runs the checks one by one, with the filters of the test suite.

    Examples
    --------
    >>> from partita import LabelKMeans
    >>> from partita.testing import check_consensus_estimator
    >>> table = check_consensus_estimator(LabelKMeans(), promises=["fit", "relabelling", "membership"])
    >>> dict(zip(table["check"], table["status"]))
    {'fit': 'passed', 'relabelling': 'passed', 'membership': 'skipped'}
    """
    _check_estimator(estimator)
    if on_fail is not None:
        check_choice("on_fail", on_fail, ("raise", "warn"))
    table = pd.DataFrame(
        [_outcome(estimator, name) for name in _chosen(promises)], columns=["check", "status", "message"]
    )
    failed = table[table["status"] == "failed"]
    told = [f"{row.check}: {row.message}" for row in failed.itertuples()]
    if told and on_fail == "raise":
        lines = "\n".join(f"  - {line}" for line in told)
        raise AssertionError(f"{estimator!r:.60} fails {len(told)} of {len(table)} checks:\n{lines}")
    for line in told if on_fail == "warn" else ():
        warn(f"{estimator!r:.60} fails a check: {line}", UserWarning)
    return table


def consensus_estimator_checks(
    estimator: Any, *, promises: Iterable[str] | None = None
) -> list[tuple[Any, Callable[[Any], None]]]:
    """The checks one by one, for ``pytest.mark.parametrize``.

    Parameters
    ----------
    estimator : estimator
        As for :func:`check_consensus_estimator`.
    promises : iterable of str, optional
        Names of the checks, out of ``PROMISES``; by default all.

    Returns
    -------
    list of (estimator, check)
        Call each check with its estimator. It raises AssertionError, or ``unittest.SkipTest`` where the estimator has
        no means for it; pytest reports that as skipped.

    Examples
    --------
    >>> from partita import EAC
    >>> from partita.testing import consensus_estimator_checks
    >>> for estimator, check in consensus_estimator_checks(EAC(), promises=["row order"]):
    ...     check(estimator)
    """
    _check_estimator(estimator)
    return [(estimator, CHECKS[name]) for name in _chosen(promises)]


def _check_estimator(estimator: Any) -> None:
    if isclass(estimator) or not callable(getattr(estimator, "fit", None)):
        raise TypeError(f"estimator={estimator!r:.60} must be an instance with a method fit, such as EAC().")


def _chosen(promises: Iterable[str] | None) -> list[str]:
    """Names of the checks, in the order of the table."""
    if promises is None:
        return list(CHECKS)
    if isinstance(promises, str):
        raise TypeError(f"promises={promises!r:.60} must be a list of names, such as ['relabelling'].")
    wanted = list(promises)
    if not wanted:
        raise ValueError("promises is empty; pass at least one name, or None for all checks.")
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown:
        raise ValueError(f"there is no promise {unknown[0]!r:.60}; pass some of {', '.join(CHECKS)}.")
    return [name for name in CHECKS if name in wanted]


def _outcome(estimator: Any, name: str) -> tuple[str, str, str]:
    """Name, status and message of one check; an error of the estimator is a failure."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CHECKS[name](estimator)
    except SkipTest as reason:
        return name, "skipped", str(reason)
    except AssertionError as failure:
        return name, "failed", str(failure)
    except (Exception, SystemExit) as error:
        return name, "failed", f"{type(error).__name__}: {error}"
    return name, "passed", ""
