"""What was found and how sure it is, in one sentence."""

from typing import Any

import numpy as np

from partita._typing import FloatArray
from partita.results._choice import Choice

# Adjusted Rand index of two halves of the clusterings, and what it is called; the words are ours
_LEVELS = ((0.9, "nearly completely"), (0.75, "well"), (0.5, "moderately"), (-1.0, "poorly"))


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def summary_of(choice: Choice, n_objects: int, n_clusterings: int, confidence: FloatArray) -> str:
    """One sentence: how many clusters of how many objects, whether to believe it, and how many objects are in doubt."""
    objects, clusterings = count(n_objects, "object"), count(n_clusterings, "clustering")
    if choice.verdict == "chance":
        return (
            f"No clusters were found among {objects}: {_agree(clusterings, n_clusterings)} no more than by chance "
            f"(p = {choice.p_value:.2g})."
        )
    found = f"{count(choice.n_clusters, 'cluster')} of {objects}, from {clusterings} by {choice.method}"
    return f"{found}: {_how_sure(choice)}; {_in_doubt(confidence, choice.n_clusters)}."


def _agree(clusterings: str, number: int) -> str:
    return f"the {clusterings} agree" if number != 1 else f"{clusterings} agrees with itself, and that is"


def _how_sure(choice: Choice) -> str:
    if choice.verdict == "agreed":
        return "the clusterings do not contradict each other"
    halves = _agreement_of_halves(choice)
    if choice.verdict == "weak":
        return "the clusterings agree, but no more than those of one cloud without clusters would"
    if halves is not None:
        level = next(words for least, words in _LEVELS if halves >= least)
        return f"halves of the clusterings agree {level} on them (adjusted Rand index {halves:.2f})"
    return choice.reasons[-1]


def _agreement_of_halves(choice: Choice) -> float | None:
    """Adjusted Rand index of two halves of the clusterings at the chosen number, where numbers were compared."""
    row: Any = choice.table[choice.table["n_clusters"] == choice.n_clusters]
    return float(row["agreement"].iloc[0]) if len(row) else None


def _in_doubt(confidence: FloatArray, n_clusters: int) -> str:
    judged = confidence[~np.isnan(confidence)]
    if n_clusters < 2 or not len(judged):
        return "there is no other cluster to doubt between"
    doubtful = int((judged <= 0).sum())
    if not doubtful:
        return "no object is in doubt"
    return f"{count(doubtful, 'object')} ({doubtful / len(judged):.1%}) {'is' if doubtful == 1 else 'are'} in doubt"
