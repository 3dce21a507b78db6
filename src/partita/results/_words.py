"""What was found and how sure it is, in one sentence."""

import re
from typing import Any

import numpy as np

from partita._typing import FloatArray
from partita.metrics._confidence import IN_DOUBT
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


def summary_of(
    choice: Choice, n_objects: int, n_clusterings: int, confidence: FloatArray, rule: Choice | None = None
) -> str:
    """One sentence: how many clusters of how many objects, whether to believe it, and how many objects are in doubt.

    ``rule`` is what the rule of the default method finds in the same labels, for a number that it has not chosen.
    """
    objects, clusterings = count(n_objects, "object"), count(n_clusterings, "clustering")
    if choice.verdict == "chance":
        return f"No clusters were found among {objects}: {_chance(clusterings, n_clusterings, choice)}."
    found = count(choice.n_clusters, "cluster")
    lead = "leads" if n_clusterings == 1 else "lead"
    begin = f"{clusterings} of {objects} {lead} to {found} (method {choice.method})"
    if choice.method == "given":
        begin = f"A given partition of {objects} into {found}, judged by {clusterings}"
    sure = _how_sure(choice)
    if choice.verdict == "given":
        sure = _beside_the_rule(choice, rule, clusterings, n_clusterings)
    elif n_clusterings == 1 and choice.verdict == "agreed":
        sure = "there is no other clustering that could contradict it"
    doubt = _in_doubt(confidence, choice.n_clusters)
    if choice.verdict == "weak" and doubt.startswith("no "):  # it would sound like a reason to trust them
        return f"{begin}: {sure}."
    return f"{begin}: {sure}, and {doubt}."


def _chance(clusterings: str, number: int, choice: Choice) -> str:
    who = f"the {clusterings} agree" if number != 1 else f"{clusterings} can agree with itself only,"
    return f"{who} no more than by chance (p = {choice.p_value:.2g})"


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


def _beside_the_rule(choice: Choice, rule: Choice | None, clusterings: str, n_clusterings: int) -> str:
    """Whether a number that was not chosen by the rule is what the rule would find."""
    why = re.sub(r"^n_clusters=\d+ was given$", "their number was given", choice.reasons[-1])
    why = re.sub(r"^n_clusters=(\d+) is an upper bound$", r"at most \1 were allowed", why)
    if rule is None:
        return f"{why}, whether there are clusters was not tested"
    if rule.verdict == "chance":
        return f"{why}, but {_chance(clusterings, n_clusterings, rule)}"
    if rule.verdict == "weak":
        return f"{why}, to be taken with care, since clusterings of one cloud without clusters would agree as much"
    if rule.n_clusters == choice.n_clusters:
        return f"{why}, and halves of the clusterings agree best on the same number"
    return f"{why}, but halves of the clusterings agree best on {rule.n_clusters:,}"


def _agreement_of_halves(choice: Choice) -> float | None:
    """Adjusted Rand index of two halves of the clusterings at the chosen number, where numbers were compared."""
    row: Any = choice.table[choice.table["n_clusters"] == choice.n_clusters]
    return float(row["agreement"].iloc[0]) if len(row) else None


def _in_doubt(confidence: FloatArray, n_clusters: int) -> str:
    judged = confidence[~np.isnan(confidence)]
    if n_clusters < 2 or not len(judged):
        return "there is no second cluster for an object to be in doubt about"
    doubtful = int((judged <= IN_DOUBT).sum())
    if not doubtful:
        return "no object is in doubt"
    share = doubtful / len(judged)
    percent = f"{share:.1%}" if share >= 0.001 else "less than 0.1%"
    return f"{count(doubtful, 'object')} ({percent}) {'is' if doubtful == 1 else 'are'} in doubt"
