"""Which clusterings of an ensemble to keep (Fern and Lin 2008).

With q_m the quality of clustering m, its mean NMI to all others, and S the clusterings that are kept:

    joint criterion:  J(S) = alpha mean_S q_m + (1 - alpha) mean over pairs of S of (1 - NMI), greedily       (eq. I86)
    cluster and select: spectral clustering of the clusterings by NMI; the best of each group                 (eq. I87)
    hull: clusterings of the pairs on the convex hull of (mean quality, 1 - NMI), on the side of both         (eq. I88)

A pair without an object in common counts as NMI 0: neither has what the other says.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from partita._checks import check_choice
from partita._runs import draw_seeds
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.graph._spectral import cluster_rows, embed_graph
from partita.ensembles._distinct import Clusterings, read_clusterings
from partita.ensembles._diversity import first_equal, quality
from partita.metrics._agreement_matrix import agreement_matrix
from partita.results import combine

_METHODS = ("cas", "jc", "hull", "outliers")
_SIZED = ("cas", "jc")  # methods that keep as many as are asked for


@dataclass(frozen=True, eq=False)
class Selection:
    """Clusterings that are kept.

    Attributes
    ----------
    names : list of str
        Their names, in the order of the columns.
    positions : ndarray of int
        Their columns in X: ``X[:, positions]``, or ``X.iloc[:, positions]``.
    table : DataFrame
        One row per clustering: ``clustering``, ``position``, ``kept``, ``reason``, ``quality`` (mean NMI to the others)
        and ``group`` (of "cas"; -1 for other methods).
    method : str
        What was asked for.
    summary : str
        The same in words.
    """

    names: list[str]
    positions: IntArray
    table: pd.DataFrame = field(repr=False)
    method: str
    summary: str

    def __str__(self) -> str:
        return self.summary


def select_clusterings(
    X: Any,
    n_clusterings: int | None = None,
    *,
    method: Literal["cas", "jc", "hull", "outliers"] = "cas",
    alpha: float = 0.5,
    random_state: Any = 0,
) -> Selection:
    """Choose the clusterings of an ensemble that are good and differ from each other.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1. Two clusterings are
        compared on the objects that both label.
    n_clusterings : int, optional
        How many "cas" and "jc" keep; by default half of them, rounded up. The other methods find it.
    method : {"cas", "jc", "hull", "outliers"}, default="cas"
        "cas" (cluster and select): the clusterings are grouped by spectral clustering of their NMI, and the best of
        each group is kept. "jc" (joint criterion): the best one, then again and again the one that raises quality and
        diversity most. "hull": those of the pairs on the convex hull of quality and diversity. "outliers": all but
        those that agree with the consensus far less than most do.
    alpha : float in [0, 1], default=0.5
        Weight of quality against diversity, in "jc".
    random_state : int, RandomState, Generator or None, default=0
        Seed of the spectral clustering, and of the consensus of "outliers".

    Returns
    -------
    Selection
        ``names``, ``positions`` and ``table`` (with reasons).

    Notes
    -----
    Quality is agreement with the other clusterings, not with the truth: where most are poor, the selection is. Cost
    O(r m^2 + m^3) for r distinct rows of m clusterings.

    References
    ----------
    X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1, 2008.

    Examples
    --------
    >>> from partita import select_clusterings
    >>> X = {"a": [0, 0, 1, 1, 2, 2], "b": [1, 1, 0, 0, 2, 2], "c": [0, 0, 1, 1, 1, 1], "d": [0, 1, 0, 1, 0, 1]}
    >>> select_clusterings(X, 3).names
    ['a', 'c', 'd']
    >>> select_clusterings(X, method="outliers").names
    ['a', 'b', 'c']
    """
    check_choice("method", method, _METHODS)
    _check_alpha(alpha)
    read = read_clusterings(X)
    m = len(read.names)
    n_kept = _check_number(n_clusterings, m, method)
    (seed,) = draw_seeds(random_state, 1).tolist()
    nmi = agreement_matrix(read.codes, read.n_objects, "nmi")
    known = np.nan_to_num(quality(nmi), nan=0.0)
    similarity = np.nan_to_num(nmi, nan=0.0)
    group = np.full(m, -1)
    if method == "cas":
        kept, reasons, group = _cluster_and_select(similarity, known, first_equal(read.codes), n_kept, seed)
    elif method == "jc":
        kept, reasons = _joint_criterion(similarity, known, n_kept, alpha)
    elif method == "hull":
        kept, reasons = _by_hull(similarity, known, first_equal(read.codes))
    else:
        kept, reasons = _without_outliers(read, seed)
    table = _table(read, kept, reasons, quality(nmi), group)
    names = table.loc[table["kept"], "clustering"].tolist()
    positions = table.loc[table["kept"], "position"].to_numpy()
    return Selection(names, positions, table, method, f"{len(names)} of {m} clusterings are kept (method {method}).")


def _check_number(n_clusterings: Any, m: int, method: str) -> int:
    if method not in _SIZED:
        if n_clusterings is not None:
            raise ValueError(
                f"n_clusterings={n_clusterings!r:.60} was given, but method={method!r} finds the number; leave it out, "
                "or take 'cas' or 'jc'."
            )
        return m
    if n_clusterings is None:
        return -(-m // 2)
    whole = isinstance(n_clusterings, int | np.integer) and not isinstance(n_clusterings, bool)
    if not whole or not 1 <= n_clusterings <= m:
        raise ValueError(f"n_clusterings={n_clusterings!r:.60} is not allowed; pass a whole number from 1 to {m}.")
    return int(n_clusterings)


def _check_alpha(alpha: Any) -> None:
    number = isinstance(alpha, int | float | np.integer | np.floating) and not isinstance(alpha, bool)
    if not number or not 0 <= alpha <= 1:
        raise ValueError(f"alpha={alpha!r:.60} is not allowed; pass a number from 0 to 1.")


# ------------------------------------------------------------------------------------------------------------- methods
def _joint_criterion(
    similarity: FloatArray, known: FloatArray, n_kept: int, alpha: float
) -> tuple[list[int], list[str]]:
    """The best clustering, then the one that makes J largest, one after another; the first among equals (eq. I86)."""
    kept = [int(known.argmax())]
    reasons = ["best quality"]
    inside = 0.0  # diversity of the pairs that are kept
    while len(kept) < n_kept:
        size = len(kept) + 1
        apart = len(kept) - similarity[:, kept].sum(axis=1)  # diversity that each candidate adds
        pairs = size * (size - 1) / 2
        J = alpha * (known[kept].sum() + known) / size + (1 - alpha) * (inside + apart) / pairs
        J[kept] = -np.inf
        best = int(J.argmax())
        inside += float(apart[best])
        kept.append(best)
        reasons.append(f"number {size} of the joint criterion, J = {J[best]:.3f}")
    return kept, reasons


def _cluster_and_select(
    similarity: FloatArray, known: FloatArray, same: IntArray, n_kept: int, seed: int
) -> tuple[list[int], list[str], IntArray]:
    """The best clustering of each group; where there are fewer groups than asked for, the next best ones (eq. I87).

    Clusterings that are the same partition are one vertex, weighted by their number: they are in one group.
    """
    first, place, times = np.unique(same, return_inverse=True, return_counts=True)
    if n_kept >= len(first):
        group = place
    else:
        weights = times.astype(np.float64)
        vectors = embed_graph(sparse.csr_array(similarity[np.ix_(first, first)]), weights, n_kept, seed)
        group = cluster_rows(vectors, weights, n_kept, seed)[place]
    best = [int(max(np.flatnonzero(group == g), key=lambda j: known[j])) for g in np.unique(group)]
    reasons = [f"best of group {group[j]}, of {int((group == group[j]).sum())}" for j in best]
    others = [int(j) for j in np.argsort(-known, kind="stable") if j not in best][: n_kept - len(best)]
    return best + others, reasons + ["next best: there are fewer groups than asked for"] * len(others), group


def _by_hull(similarity: FloatArray, known: FloatArray, same: IntArray) -> tuple[list[int], list[str]]:
    """Clusterings of the pairs on the hull (eq. I88); of those that are the same partition, the first."""
    if len(known) < 3:
        return list(range(len(known))), ["all are kept: there are fewer than three"] * len(known)
    first, second = np.triu_indices(len(known), 1)
    points = np.column_stack([(known[first] + known[second]) / 2, 1 - similarity[first, second]])
    reasons: dict[int, str] = {}
    for place in outer_corners(points):
        q, d = points[place]
        for j in (int(same[first[place]]), int(same[second[place]])):
            reasons.setdefault(j, f"in a pair on the hull: quality {q:.3f}, diversity {d:.3f}")
    kept = sorted(reasons)
    return kept, [reasons[j] for j in kept]


def outer_corners(points: FloatArray) -> list[int]:
    """Corners of the convex hull of points of the plane from the highest to the rightmost one, by Andrew's chain.

    Points on an edge are no corners; of equal points the first counts.
    """
    order = np.lexsort((np.arange(len(points)), -points[:, 1], points[:, 0]))
    chain: list[int] = []
    for place in order.tolist():
        if chain and np.array_equal(points[chain[-1]], points[place]):
            continue
        while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[place]) >= 0:
            chain.pop()
        chain.append(place)
    top = max(range(len(chain)), key=lambda at: (points[chain[at], 1], points[chain[at], 0]))
    # where the rightmost points are one below another, the highest of them ends the side
    right = max(range(len(chain)), key=lambda at: (points[chain[at], 0], points[chain[at], 1]))
    return chain[top : right + 1]


def _turn(a: Array, b: Array, c: Array) -> float:
    """Above 0 if the way from a over b to c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _without_outliers(read: Clusterings, seed: int) -> tuple[list[int], list[str]]:
    """All clusterings that the table of a result does not flag (eq. I80)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what combine says of objects and structure is not asked for here
        table = combine(read.matrix, random_state=seed).clusterings
    kept = np.flatnonzero(~table["outlier"].to_numpy()).tolist()
    agreement = table["agreement"].to_numpy()
    return kept, [f"agreement {agreement[j]:.2f} with the consensus is not far below the others" for j in kept]


def _table(read: Clusterings, kept: list[int], reasons: list[str], known: FloatArray, group: IntArray) -> pd.DataFrame:
    m, same = len(read.names), first_equal(read.codes)
    why = dict(zip(kept, reasons, strict=True))
    repeated = {j: f"the same partition as {read.names[same[j]]}" for j in range(m) if same[j] != j}
    return pd.DataFrame(
        {
            "clustering": read.names,
            "position": read.matrix.kept,
            "kept": [j in why for j in range(m)],
            "reason": [why.get(j) or repeated.get(j, "") for j in range(m)],
            "quality": known,
            "group": group,
        }
    )
