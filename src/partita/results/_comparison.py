"""Several methods on the labels of one result, side by side."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.validation import check_label_matrix
from partita._runs import check_run, progress
from partita._typing import FloatArray
from partita.consensus._registered import all_methods, new_estimator
from partita.consensus.voting._supra_consensus import Outcome, agreement, as_table, run_methods
from partita.results._rows import SampledLabels

SAMPLE = 2000  # objects on which methods are compared: every method then takes seconds at most
USUAL = ("lwgp", "usenc", "ecpcs", "eac", "mcla", "hbgf", "mm", "label-kmeans", "voting", "pcc")
THIS = "this result"


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods side by side.

    Attributes
    ----------
    table : DataFrame
        One row per method: ``method``, ``n_clusters``, ``average_nmi`` (with the clusterings), ``agreement`` (adjusted
        Rand index with this result), ``seconds``, ``error`` and ``warning``.
    agreement : DataFrame
        Adjusted Rand index between every two methods, this result among them.
    n_objects : int
        Objects that were used.
    """

    table: pd.DataFrame
    agreement: pd.DataFrame
    n_objects: int


def compare_methods(
    sample: SampledLabels,
    n_clusters: int,
    weights: FloatArray,
    methods: Any = None,
    *,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> MethodComparison:
    """Fit the methods on a sample of objects; each takes the number of clusters of the result, where it takes one."""
    check_run(n_jobs, verbose)
    chosen = check_methods(methods)
    settings = {"n_clusters": n_clusters, "random_state": random_state, "n_jobs": n_jobs, "weights": weights}
    outcomes = [Outcome(THIS, sample.labels, n_clusters, np.nan, 0.0, "", [])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the labels: the fit of the result has given them
        matrix = check_label_matrix(sample.codes)
        with progress(len(chosen), "methods", show=bool(verbose)) as bar:
            for name in chosen:
                outcomes += run_methods(matrix, {name: _estimator(name, settings)})
                bar.update(1)
    between = agreement(outcomes)
    table = as_table(outcomes[1:])
    table.insert(3, "agreement", [between[THIS].get(name, np.nan) for name in table["method"]])
    return MethodComparison(table, between, len(sample.labels))


def check_methods(methods: Any) -> list[str]:
    """Names of methods; the usual ones by default."""
    if methods is None or methods is True:
        return list(USUAL)
    if isinstance(methods, str) or not all(isinstance(name, str) for name in methods):
        raise TypeError(f"methods={methods!r:.60} must be a list of names such as ['eac', 'pcc'], or None.")
    names = list(dict.fromkeys(name.lower() for name in methods))
    allowed = [name for name, row in all_methods().items() if not row.for_soft and name != "gbce"]
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        raise ValueError(f"methods={(unknown or [''])[0]!r:.60} cannot be compared; pass some of {', '.join(allowed)}.")
    return names


def _estimator(name: str, settings: dict[str, Any]) -> Any:
    estimator = new_estimator(name)
    known = estimator.get_params(deep=False)
    return estimator.set_params(**{key: value for key, value in settings.items() if key in known})
