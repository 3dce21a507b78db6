"""Several methods on one ensemble; the one that shares the most information with the clusterings is kept (eq. G39)."""

import time
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from partita._kernels._compile_time import compile_seconds
from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._runs import check_run, progress, warn
from partita._typing import IntArray
from partita.exceptions import (
    EmptyColumnWarning,
    FeaturesWarning,
    LeftOutWarning,
    Stopped,
    UnlabelledObjectsWarning,
)
from partita.metrics import average_nmi_score

_OF_LABELS = (EmptyColumnWarning, FeaturesWarning, LeftOutWarning, UnlabelledObjectsWarning)


class Outcome(NamedTuple):
    """Result of one method."""

    name: str
    labels: IntArray | None  # None if it failed
    n_clusters: int
    average_nmi: float  # of its labels and the clusterings; NaN if it failed
    seconds: float
    error: str  # empty if it did not fail
    warnings: list[Warning]  # what it warned of, beside what is to say about the labels

    @property
    def warning(self) -> str:
        """What it warned of, as text."""
        return " ".join(map(str, self.warnings))


class SupraConsensus(NamedTuple):
    """Result of ``supra_consensus``."""

    labels: IntArray  # of the best method
    best: str
    table: pd.DataFrame  # method, n_clusters, average_nmi, seconds, error, warning: best first
    outcomes: list[Outcome]


def supra_consensus(
    X: Any,
    n_clusters: int | None = None,
    *,
    methods: Any = None,
    random_state: Any = None,
    verbose: bool | int = False,
) -> SupraConsensus:
    """Run several methods and keep the one with the highest average NMI to the clusterings (Strehl and Ghosh, 2002).

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1.
    n_clusters : int, optional
        Number of clusters, for the default methods.
    methods : dict or list of estimators, optional
        Estimators by name, each with its own parameters; they are cloned, not changed. By default CSPA, HGPA and MCLA,
        as in the paper, with ``n_clusters`` and ``random_state``.
    random_state : int, RandomState, Generator or None
        Seed of the default methods.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Returns
    -------
    SupraConsensus
        ``labels``, ``best``, ``table`` and ``outcomes``. A method that fails has its error in its row, one that does
        not converge its warning; ``seconds`` are without the time to compile.

    Examples
    --------
    >>> from partita import supra_consensus
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, 6]}
    >>> supra_consensus(X, 2, random_state=0).labels
    array([0, 0, 0, 1, 1, 1])
    """
    check_run(None, verbose)
    named = _default_methods(n_clusters, random_state) if methods is None else _methods_by_name(methods)
    matrix = check_label_matrix(X)
    outcomes = []
    with progress(len(named), "methods", show=bool(verbose)) as bar:
        for outcome in run_methods(matrix, named):
            outcomes.append(outcome)
            bar.update(1)
    worked = [outcome for outcome in outcomes if outcome.labels is not None]
    if not worked:
        errors = "; ".join(f"{outcome.name}: {outcome.error}" for outcome in outcomes)
        raise ValueError(f"no method gave a result: {errors}")
    for outcome in worked:
        for warning in outcome.warnings:
            warn(f"{outcome.name}: {warning}", type(warning))
    best = max(worked, key=lambda outcome: outcome.average_nmi)
    assert best.labels is not None
    return SupraConsensus(best.labels, best.name, as_table(outcomes), outcomes)


def _default_methods(n_clusters: int | None, random_state: Any) -> dict[str, Any]:
    from partita.consensus import CSPA, HGPA, MCLA

    if n_clusters is None:
        raise ValueError("n_clusters is None; pass it, or user-defined estimators as methods=...")
    return {kind.__name__: kind(n_clusters, random_state=random_state) for kind in (CSPA, HGPA, MCLA)}


def _methods_by_name(methods: Any) -> Mapping[str, Any]:
    if not isinstance(methods, Mapping):
        if not isinstance(methods, list | tuple) or not all(hasattr(method, "fit") for method in methods):
            raise TypeError(f"methods={methods!r:.60} must be a dict of estimators by name, or a list of estimators.")
        methods = {f"{type(method).__name__}-{place}": method for place, method in enumerate(methods)}
    if not methods:
        raise ValueError("methods is empty; pass at least one estimator by name.")
    return dict(methods)


def run_methods(matrix: LabelMatrix, methods: Mapping[str, Any]) -> Iterator[Outcome]:
    """Fit each method; one that fails is reported and does not stop the others."""
    for name, method in methods.items():
        start = time.perf_counter() - compile_seconds()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                fitted = clone(method).fit(matrix)
                labels = fitted.labels_
                nmi = average_nmi_score(matrix, labels)
        except Stopped:
            raise
        except (Exception, SystemExit) as error:  # whatever a method of another package does, the others go on
            seconds = time.perf_counter() - compile_seconds() - start
            yield Outcome(name, None, 0, float("nan"), seconds, f"{type(error).__name__}: {error}", [])
            continue
        seconds = time.perf_counter() - compile_seconds() - start
        yield Outcome(name, labels, int(fitted.n_clusters_), float(nmi), seconds, "", _about_the_method(caught))


def _about_the_method(caught: list[warnings.WarningMessage]) -> list[Warning]:
    """Warnings without those about the labels, which check_label_matrix has given once already; each only once."""
    found = {str(entry.message): entry.message for entry in caught if not issubclass(entry.category, _OF_LABELS)}
    return [message for message in found.values() if isinstance(message, Warning)]


def as_table(outcomes: list[Outcome]) -> pd.DataFrame:
    """One row per method, the highest average NMI first."""
    columns = ["name", "n_clusters", "average_nmi", "seconds", "error", "warning"]
    table = pd.DataFrame([{column: getattr(outcome, column) for column in columns} for outcome in outcomes])
    table = table.rename(columns={"name": "method"})
    return table.sort_values("average_nmi", ascending=False, na_position="last", kind="stable").reset_index(drop=True)


def agreement(outcomes: list[Outcome]) -> pd.DataFrame:
    """Adjusted Rand index between the results of every two methods, over objects that both label."""
    from partita.metrics import adjusted_rand_score

    worked = [outcome for outcome in outcomes if outcome.labels is not None]
    names = [outcome.name for outcome in worked]
    table = pd.DataFrame(np.eye(len(worked)), index=names, columns=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, first in enumerate(worked):
            for b, second in enumerate(worked[:a]):
                table.iloc[a, b] = table.iloc[b, a] = adjusted_rand_score(first.labels, second.labels)
    return table
