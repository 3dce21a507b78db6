"""Measurements for curves: a consensus of fewer clusterings, labels or pairs against that of all of them."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from partita._checks import check_choice, check_count
from partita._labels.validation import LabelMatrix, check_label_matrix
from partita._runs import draw_seeds, in_order
from partita._typing import Codes, FloatArray, IntArray
from partita.consensus import PCC
from partita.metrics import adjusted_rand_score, average_nmi_score
from partita.plotting._display import draw_objects
from partita.plotting._method_fits import check_methods, consensus_of, new_estimator, number_of_clusters, quiet

Over = Literal["columns", "missing", "n_clusters", "pairs"]


class Words(NamedTuple):
    """What is written on the figure."""

    title: str
    x: str
    y: str


_INDEX = "adjusted Rand index with the consensus of all"
QUANTITIES = {
    "columns": Words("Consensus of fewer clusterings", "clusterings, drawn at random", _INDEX),
    "missing": Words("Consensus with missing labels", "share of the labels that is hidden", _INDEX),
    "n_clusters": Words("Agreement with the clusterings", "number of clusters", "average NMI with the clusterings"),
    "pairs": Words("PCC of a share of the pairs", "share of the pairs", "adjusted Rand index with PCC of all pairs"),
}
_SHARES = {"missing": (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9), "pairs": (0.02, 0.05, 0.1, 0.2, 0.5)}
_MOST_CLUSTERS = 12  # of the default numbers of clusters


class Measured(NamedTuple):
    """One row per measurement: method, value, score."""

    table: pd.DataFrame
    note: str


class Task(NamedTuple):
    """One measurement."""

    name: str
    method: Any
    value: float
    seed: int


def measure(
    X: Any,
    over: Over,
    *,
    methods: Any,
    values: Any,
    n_repeats: int,
    n_clusters: Any,
    random_state: Any,
    n_jobs: int | None,
    max_objects: int | None,
) -> Measured:
    """All measurements of a curve; see ``CurveDisplay.from_labels``."""
    check_choice("over", over, QUANTITIES)
    check_count(n_repeats, "n_repeats")
    chosen = {"pcc": PCC()} if over == "pairs" else check_methods(methods)
    matrix = check_label_matrix(X)
    grid = _check_values(over, values, matrix)
    seeds = draw_seeds(random_state, n_repeats + 2)
    codes, note = _sample(matrix, max_objects, int(seeds[-1]))
    if over == "n_clusters":
        k, said = 0, ""
        for name, method in chosen.items():
            if "n_clusters" not in new_estimator(method).get_params(deep=False):
                raise ValueError(f"{name} has no n_clusters, so there is no curve over it; leave it out of methods.")
    else:
        k, said = number_of_clusters(check_label_matrix(codes), n_clusters, int(seeds[-2]))
        said = said or f"{k} clusters"
    tasks = [
        Task(name, method, value, int(seed))
        for name, method in chosen.items()
        for value in grid.tolist()
        for seed in seeds[:n_repeats]
    ]
    with quiet():
        score = _SCORES[over](codes, chosen, k, int(seeds[-2]))
        scores = list(in_order(score, tasks, n_jobs))
    rows = [(task.name, task.value, found) for task, found in zip(tasks, scores, strict=True)]
    return Measured(pd.DataFrame(rows, columns=["method", "value", "score"]), "; ".join(filter(None, [said, note])))


# -------------------------------------------------------------------------------------------------------------- values
def _check_values(over: str, values: Any, matrix: LabelMatrix) -> FloatArray:
    """Values of the parameter, sorted, or the default ones."""
    n, m = matrix.codes.shape
    if values is None:
        return _default_values(over, n, m)
    try:
        grid = np.unique(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"values={values!r:.60} must be numbers.") from None
    lowest, highest = {"columns": (1, m), "missing": (0, 1), "n_clusters": (1, n), "pairs": (0, 1)}[over]
    allowed = (grid >= lowest) & (grid <= highest)
    if over in ("columns", "n_clusters"):
        allowed &= grid == np.round(grid)
        words = f"whole numbers from {lowest} to {highest}"
    else:
        allowed &= grid < 1 if over == "missing" else grid > 0
        words = "shares from 0 to below 1" if over == "missing" else "shares above 0, up to 1"
    if grid.size == 0 or not allowed.all():
        raise ValueError(f"values={values!r:.60} are not allowed for over={over!r}; pass {words}.")
    return grid


def _default_values(over: str, n: int, m: int) -> FloatArray:
    """About eight values over the range that is of interest."""
    if over == "columns":
        return np.unique(np.geomspace(min(2, m), m, 8).round())
    if over == "n_clusters":
        return np.arange(min(2, n), min(_MOST_CLUSTERS, max(n - 1, 1)) + 1, dtype=np.float64)
    return np.array(_SHARES[over])


def _sample(matrix: LabelMatrix, max_objects: int | None, seed: int) -> tuple[Codes, str]:
    """Codes of the objects that are used, and what to write on the figure if they are not all."""
    n = len(matrix.codes)
    drawn, note = draw_objects(np.zeros(n, dtype=np.int64), max_objects, seed)
    return matrix.codes[drawn], note.removesuffix(", by cluster")


# ------------------------------------------------------------------------------------------------------------ measures
Score = Callable[[Task], float]


def _against_all(
    codes: Codes, chosen: dict[str, Any], k: int, seed: int, thin: Callable[[Codes, Task], Codes]
) -> Score:
    """Agreement of the consensus of thinned codes with that of all."""
    whole = {name: consensus_of(codes, method, k, seed) for name, method in chosen.items()}

    def score(task: Task) -> float:
        fewer = thin(codes, task)
        if not (fewer >= 0).any():
            return np.nan
        return _agreement(whole[task.name], consensus_of(fewer, task.method, k, seed))

    return score


def _agreement(first: IntArray, second: IntArray) -> float:
    """Adjusted Rand index over the objects that have a cluster in both."""
    both = (first >= 0) & (second >= 0)
    return adjusted_rand_score(first[both], second[both]) if both.any() else np.nan


def _fewer_columns(codes: Codes, task: Task) -> Codes:
    rng = np.random.default_rng([task.seed, int(task.value)])
    return codes[:, np.sort(rng.choice(codes.shape[1], int(task.value), replace=False))]


def _fewer_labels(codes: Codes, task: Task) -> Codes:
    rng = np.random.default_rng(task.seed)  # what is hidden at one share is hidden at larger ones, too
    return np.where(rng.random(codes.shape) < task.value, -1, codes)


def _over_columns(codes: Codes, chosen: dict[str, Any], k: int, seed: int) -> Score:
    return _against_all(codes, chosen, k, seed, _fewer_columns)


def _over_missing(codes: Codes, chosen: dict[str, Any], k: int, seed: int) -> Score:
    return _against_all(codes, chosen, k, seed, _fewer_labels)


def _over_n_clusters(codes: Codes, chosen: dict[str, Any], k: int, seed: int) -> Score:
    def score(task: Task) -> float:
        labels = consensus_of(codes, task.method, int(task.value), task.seed)
        kept = labels >= 0
        return average_nmi_score(codes[kept], labels[kept])

    return score


def _over_pairs(codes: Codes, chosen: dict[str, Any], k: int, seed: int) -> Score:
    whole = consensus_of(codes, PCC(), k, seed)

    def score(task: Task) -> float:
        return _agreement(whole, consensus_of(codes, PCC(pairs=float(task.value)), k, task.seed))

    return score


_SCORES: dict[str, Callable[[Codes, dict[str, Any], int, int], Score]] = {
    "columns": _over_columns,
    "missing": _over_missing,
    "n_clusters": _over_n_clusters,
    "pairs": _over_pairs,
}
