"""What was found and how sure it is, in one sentence."""

from typing import Any

import numpy as np

from partita._typing import FloatArray
from partita.results._choice import Choice

# Adjusted Rand index of two halves of the clusterings, and what it means for the clusters they find; the words are ours
_LEVELS = (
    (0.9, "nearly the same clusters"),
    (0.75, "similar clusters"),
    (0.5, "clusters that differ in part"),
    (-1.0, "clusters that differ much"),
)


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def summary_of(choice: Choice, n_objects: int, n_clusterings: int, confidence: FloatArray) -> str:
    """One sentence: how many clusters of how many objects, whether to believe it, and how many objects are in doubt."""
    objects, clusterings = count(n_objects, "object"), count(n_clusterings, "clustering")
    if choice.verdict == "chance":
        who = f"the {clusterings} agree" if n_clusterings != 1 else f"{clusterings} can agree with itself only,"
        return f"No clusters were found among {objects}: {who} no more than by chance (p = {choice.p_value:.2g})."
    lead = "leads" if n_clusterings == 1 else "lead"
    found = f"{clusterings} of {objects} {lead} to {count(choice.n_clusters, 'cluster')} (method {choice.method})"
    return f"{found}: {_how_sure(choice)}, and {_in_doubt(confidence, choice.n_clusters)}."


def _how_sure(choice: Choice) -> str:
    if choice.verdict == "agreed":
        return "they do not contradict each other"
    if choice.verdict == "weak":
        return "take them with care, since clusterings of one cloud without clusters would agree as much"
    halves = _agreement_of_halves(choice)
    if halves is None:
        return choice.reasons[-1]
    level = next(words for least, words in _LEVELS if halves >= least)
    return f"two halves of them find {level} (adjusted Rand index {halves:.2f})"


def _agreement_of_halves(choice: Choice) -> float | None:
    """Adjusted Rand index of two halves of the clusterings at the chosen number, where numbers were compared."""
    row: Any = choice.table[choice.table["n_clusters"] == choice.n_clusters]
    return float(row["agreement"].iloc[0]) if len(row) else None


def _in_doubt(confidence: FloatArray, n_clusters: int) -> str:
    judged = confidence[~np.isnan(confidence)]
    if n_clusters < 2 or not len(judged):
        return "there is no second cluster for an object to be in doubt about"
    doubtful = int((judged <= 0).sum())
    if not doubtful:
        return "no object is in doubt"
    share = doubtful / len(judged)
    percent = f"{share:.1%}" if share >= 0.001 else "less than 0.1%"
    return f"{count(doubtful, 'object')} ({percent}) {'is' if doubtful == 1 else 'are'} in doubt"
