"""How the number of clusters was chosen, as a table and in words."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from partita.consensus._registered import row_of
from partita.consensus.label_space._chance import FEWEST, LEVEL
from partita.consensus.label_space._cluster_number import ClusterNumber

_WHY_THE_METHOD = "{} is the default method: it finds the number of clusters, and its cost is linear in the objects"
_NOT_CHANCE = "the clusterings agree more than chance (p at most {p:.2g})"
_HARDLY = 0.1  # adjusted Rand index of halves that find nothing in common
_NOT_TESTED = f"fewer than {FEWEST} objects: whether the clusterings agree by chance only cannot be told"


@dataclass(frozen=True, eq=False)
class Choice:
    """Method and number of clusters of a consensus, with the reasons.

    Attributes
    ----------
    method : str
        Name of the method, as on the command line.
    n_clusters : int
        Number of clusters that was chosen.
    runner_up : int or None
        The number that was second best, where numbers were compared.
    reasons : list of str
        Why, in words.
    table : DataFrame
        One row per number of clusters that was compared: ``n_clusters``, ``score`` (the highest is chosen), ``shared``
        and ``apart`` (nats that two halves of the clusterings share and do not share), ``agreement`` (adjusted Rand
        index of the halves) and ``gap`` (of the singular values). Empty if the number was given.
    p_value : float or None
        Of the hypothesis that the clusterings agree no more than by chance, where it was tested.
    verdict : {"clusters", "weak", "agreed", "chance", "given"}
        "weak": the clusterings agree, but not more than those of one cloud would. "agreed": they do not differ.
        "chance": they agree by chance only, and one cluster is the answer. "given": the number was not chosen here.
    """

    method: str
    n_clusters: int
    runner_up: int | None
    reasons: list[str]
    table: pd.DataFrame = field(repr=False)
    p_value: float | None = None
    verdict: str = "given"

    def __str__(self) -> str:
        number = "one cluster" if self.n_clusters == 1 else f"{self.n_clusters} clusters"
        return "\n".join([f"{number}, method {self.method}", *(f"  - {reason}" for reason in self.reasons)])


def choice_of(estimator: Any, method: str, number: ClusterNumber | None = None, *, by_default: bool = False) -> Choice:
    """The choice behind a fitted estimator; ``number`` is what a rule has chosen for it, if one has."""
    number = getattr(estimator, "choice_", None) if number is None else number
    found = int(estimator.n_clusters_)
    why = [_WHY_THE_METHOD.format(method)] if by_default else []
    if number is None:
        return Choice(method, found, None, [*why, _who_chose(estimator, method)], _table(None))
    runner_up = None if number.verdict == "chance" else number.runner_up
    return Choice(method, found, runner_up, why + _reasons(number), _table(number), number.p_value, number.verdict)


def _who_chose(estimator: Any, method: str) -> str:
    if method == "given":
        return "the partition was given"
    given = getattr(estimator, "n_clusters", None)
    if given is None:
        return f"the number was found by {type(estimator).__name__} itself"
    row = row_of(estimator)
    if row is not None and row.upper_bound:
        return f"n_clusters={given} is an upper bound"  # the user's, or the default of the method
    return f"n_clusters={given} was given"


def _reasons(number: ClusterNumber) -> list[str]:
    """Why this number, in words."""
    p = number.p_value
    if number.verdict == "chance":
        return [
            f"one cluster: the clusterings do not agree more than chance (p = {p:.2g}, and {LEVEL} is the level of the "
            "test), and there is no consensus to find"
        ]
    if number.halves is None:
        return ["the clusterings do not contradict each other: their clusters are the answer"]
    reasons = [_NOT_TESTED if p is None else _NOT_CHANCE.format(p=p)]
    reasons.append(_why_this(number))
    if number.runner_up is not None:
        reasons.append(_why_not(number, number.runner_up))
    if number.verdict == "weak":
        reasons.append(
            "but clusterings of one cloud without clusters agree as much: look at the features "
            "(choose_n_clusters, or `partita choose`, compares them with data without clusters)"
        )
    return reasons


def _why_this(number: ClusterNumber) -> str:
    at = int(np.flatnonzero(number.numbers == number.n_clusters)[0])
    assert number.halves is not None
    if number.halves.rand[at] < _HARDLY:
        return (
            f"the score is highest for {number.n_clusters}, on which two halves of the clusterings hardly agree "
            f"(adjusted Rand index {number.halves.rand[at]:.2f})"
        )
    return (
        f"two halves of the clusterings agree best on {number.n_clusters}: they share {number.halves.shared[at]:.2f} "
        f"nats and differ in {number.halves.apart[at]:.2f} (adjusted Rand index {number.halves.rand[at]:.2f})"
    )


def _why_not(number: ClusterNumber, other: int) -> str:
    chosen, second = (int(np.flatnonzero(number.numbers == k)[0]) for k in (number.n_clusters, other))
    assert number.halves is not None
    return (
        f"second best: {other} (score {number.score[second]:.2f} against {number.score[chosen]:.2f}, agreement "
        f"{number.halves.rand[second]:.2f})"
    )


def facts_of(choice: Choice) -> dict[str, Any]:
    """The choice as plain values."""
    return {
        "n_clusters": choice.n_clusters,
        "runner_up": choice.runner_up,
        "reasons": choice.reasons,
        "verdict": choice.verdict,
        "p_value": choice.p_value,
        "table": records(choice.table),
    }


def records(table: pd.DataFrame) -> Any:
    """Rows of a table as plain values."""
    return json.loads(table.to_json(orient="records"))


def _table(number: ClusterNumber | None) -> pd.DataFrame:
    columns = ["n_clusters", "score", "shared", "apart", "agreement", "gap"]
    if number is None or number.halves is None:
        return pd.DataFrame({name: pd.Series(dtype="int64" if name == "n_clusters" else "float64") for name in columns})
    halves = number.halves
    values = (number.numbers, number.score, halves.shared, halves.apart, halves.rand, number.gap)
    return pd.DataFrame(dict(zip(columns, values, strict=True)))
