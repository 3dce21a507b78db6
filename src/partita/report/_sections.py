"""The sections of the page, in their order: each turns a part of the result into words, tables and pictures."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from partita.metrics._confidence import IN_DOUBT
from partita.report._made import what_was_done
from partita.report._material import RULED, Material, attempt
from partita.report._parts import Fact, Facts, Words, clean, listed, sentence
from partita.report._pictures import picture
from partita.report._tables import MAX_ROWS, Column, as_decimal, as_percent, matrix_table, p_value, percent, to_table

_STABLE_IS_NOT_TRUE = "Stable is what the clusterings agree on; clusterings of one cloud can agree on cuts through it."
_MUCH, _LITTLE = 2.0, 0.1  # how much more clusterings must agree with each other before that is said
_MANY = 20  # rows above which a table is searched
_OF_ANNOTATIONS = ["annotation", "words", "effect", "p_corrected", "test", "p_value", "statistic", "n_objects"]
_NAMED = 10  # outliers that are named in words


# -------------------------------------------------------------------------------------------------- the answer and why
def verdict(material: Material) -> list[Any]:
    """One sentence, and the figures that one asks for first."""
    lead = attempt("The summary", lambda: Words(sentence(material.summary), "lead"))
    return [*lead, *_misfit(material), _key_figures(material)]


def _misfit(material: Material) -> list[Words]:
    """A caution, where the clusterings agree with each other far more than with the result."""
    between, with_result = material.agreements
    if not between > _MUCH * with_result + _LITTLE:  # also where one of them is not known
        return []
    return [
        Words(
            f"Caution: the clusterings agree with each other (mean adjusted Rand index {between:.2f}) far more than "
            f"with this result ({with_result:.2f}). Another number of clusters may fit them better.",
            "note",
        )
    ]


def _key_figures(material: Material) -> Facts:
    result = material.result
    n, m = len(result.labels), len(result._names)
    doubtful = int((result.confidence <= IN_DOUBT).sum())
    none = int((result.labels < 0).sum())
    without = f"{none:,} without any cluster" if none else ""
    items = [
        Fact("Objects", f"{n:,}", without),
        Fact("Clusterings", f"{m:,}"),
        Fact("Clusters", f"{result.n_clusters:,}"),
        Fact("Missing labels", f"{material.n_missing:,}", _of(material.n_missing, n * m, "of all labels")),
        Fact("Objects in doubt", f"{doubtful:,}", _of(doubtful, n, "of the objects")),
        Fact("Method", clean(result.method, 40)),
    ]
    return Facts(items, large=True)


def _of(part: int, whole: int, words: str) -> str:
    return f"{percent(part / whole)} {words}" if part and whole else ""


def number(material: Material) -> list[Any]:
    """Why this number of clusters, what came second, and whether it could be one cluster."""
    choice = material.result.choice
    if choice.verdict == "given":
        return [listed(choice.reasons), *attempt("A comparison with other numbers", lambda: _ruled(material))]
    return [Words(_could_it_be_one(choice), head="Could it be one cluster?"), *_reasons(choice)]


def _ruled(material: Material) -> Words:
    """What the rule of the default method says where a number was not chosen by it."""
    rule, k = material.rule, material.result.n_clusters
    same = "the same number" if rule.n_clusters == k else f"another number: {rule.n_clusters:,}"
    if rule.verdict == "chance":
        same = "no clusters"
    sampled = f", of a sample of {RULED:,} objects" if len(material.result.labels) > RULED else ""
    return Words(
        f"{_could_it_be_one(rule)} The number was not chosen by comparing numbers; the rule of the default method "
        f"finds {same} in these labels{sampled}.",
        head="Could it be one cluster?",
    )


def _reasons(choice: Any) -> list[Any]:
    parts: list[Any] = [listed(choice.reasons)]
    if not len(choice.table):
        return parts
    places = {choice.n_clusters: "chosen", choice.runner_up: "second best"}
    table = choice.table.assign(choice=[places.get(number, "") for number in choice.table["n_clusters"]])
    special = {"agreement": Column("Agreement", as_decimal, "adjusted Rand index of two halves of the clusterings")}
    title = "The numbers of clusters that were compared"
    parts += _at_the_edge(choice)
    return [*parts, to_table(table, "numbers", title, noun="numbers", special=special)]


def _at_the_edge(choice: Any) -> list[Words]:
    """That larger numbers were not looked at, where the halves agree best at the largest one."""
    largest = int(choice.table["n_clusters"].max())
    best = int(choice.table.loc[choice.table["agreement"].idxmax(), "n_clusters"])
    if best < largest or choice.n_clusters == largest:
        return []
    return [
        Words(
            f"Numbers up to {largest:,} were compared, and the agreement of the halves is highest there: a larger "
            "number may be right. Pass it, or have more compared (max_clusters; --set max_clusters=... on the command "
            "line).",
            "note",
        )
    ]


def _could_it_be_one(choice: Any) -> str:
    p = "" if choice.p_value is None else f" (p at most {p_value(choice.p_value).removeprefix('< ')})"
    if choice.verdict == "chance":
        p = "" if choice.p_value is None else f" (p = {p_value(choice.p_value)})"
        return f"Yes: the clusterings agree no more than by chance{p}."
    if choice.verdict == "weak":
        return (
            f"Yes, it could: the clusterings agree more than by chance{p}, but clusterings of "
            "one cloud of points without any clusters would agree as much. Look at the features before you rely on it."
        )
    if choice.verdict == "clusters":
        if choice.p_value is None:
            return "There are too few objects to test it."
        return (
            f"Probably not: the clusterings agree more than by chance{p}, and more than those of one cloud of points "
            "mostly do. Labels alone cannot exclude that all of them cut one cluster in the same way; features can, if "
            "you have them (see the command partita choose)."
        )
    if choice.verdict == "agreed":
        return (
            "The clusterings do not contradict each other, so that there was nothing to "
            "choose; whether all of them divide one cluster in the same way, labels alone cannot tell."
        )
    return "That was not tested."


# ------------------------------------------------------------------------------------------------------------ pictures
def objects(material: Material) -> list[Any]:
    """The heatmap with its tree, and the map."""
    return [*picture(material, "heatmap"), *picture(material, "scatter")]


def membership(material: Material) -> list[Any]:
    """How clearly objects belong to their clusters."""
    return [*picture(material, "membership"), *picture(material, "uncertainty")]


def other_numbers(material: Material) -> list[Any]:
    """What other numbers of clusters would give."""
    return [*picture(material, "cdf"), *picture(material, "tracking")]


# -------------------------------------------------------------------------------------------------------------- tables
def least_certain(material: Material) -> list[Any]:
    """The objects that one should look at first."""
    table = material.result.objects
    material.tables["objects"] = table
    known = int(table["confidence"].notna().sum())
    if not known:
        return [Words("No object has a confidence.")]
    ranked = table["confidence"].to_numpy(dtype=float)
    first = np.argsort(ranked, kind="stable")[: min(MAX_ROWS, known)]  # NaN, of objects without a cluster, comes last
    words = [Words("These objects are the first to look at: the least certain one is at the top.")]
    if np.isinf(ranked[first]).all():
        words = [Words("There is one cluster only: the confidence of all objects is infinite, and ranks none of them.")]
    without = len(table) - known
    if without:
        words.append(Words(f"{without:,} {_objects(without)} without a cluster {_is(without)} not listed."))
    rows = to_table(
        table.iloc[first], "least-certain-objects", "One row per object", noun="objects", total=known,
        searchable=True,
    )  # fmt: skip
    return [*words, rows, *_beside(material, "objects", "All objects are")]


def clusters(material: Material) -> list[Any]:
    """One row per cluster."""
    table = material.clusters
    material.tables["clusters"] = table
    many = len(table) > _MANY
    numbers = table.drop(columns="distinguished_by")
    parts: list[Any] = [to_table(numbers, "cluster-table", "One row per cluster", noun="clusters", searchable=many)]
    _, why = material.stability
    if why:
        parts.append(Words(f"Without their stability. {why}", "note"))
    if len(table) > 1:
        title = "What distinguishes each cluster from the others"
        words = table[["cluster", "distinguished_by"]]
        parts.append(to_table(words, "cluster-words", title, noun="clusters", searchable=many))
    return [*parts, *_beside(material, "clusters", "All clusters are")]


def clusterings(material: Material) -> list[Any]:
    """One row per base clustering, and which of them stand apart."""
    table = material.result.clusterings
    material.tables["clusterings"] = table
    title = "One row per clustering, outliers first" if table["outlier"].any() else "One row per clustering"
    ranked = table.sort_values("outlier", ascending=False, kind="stable")
    if table["weight"].nunique() < 2:
        ranked = ranked.drop(columns="weight")
    rows = to_table(ranked, "clustering-table", title, noun="clusterings", searchable=len(table) > _MANY)
    return [
        Words(_about_outliers(table)),
        rows,
        *_beside(material, "clusterings", "All clusterings are"),
        *picture(material, "agreement"),
    ]


def _about_outliers(table: pd.DataFrame) -> str:
    names = table.loc[table["outlier"].astype(bool), "clustering"].tolist()
    if not names:
        return "No clustering stands apart from the others."
    shown = ", ".join(f"“{clean(name, 60)}”" for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    few = "One clustering is an outlier" if len(names) == 1 else f"{len(names):,} clusterings are outliers"
    return (
        f"{few}, of {len(table):,}: {shown}{more}. The table says “yes” there. An outlier agrees with the consensus "
        "far less than most clusterings, or no more than by chance. Look at how it was made, or leave it out and see "
        "whether the result changes."
    )


def stability(material: Material) -> list[Any]:
    """Whether the clusters, and their number, are found again."""
    found, why = material.stability
    if found is None:
        return [Words(why, "failed" if material.n_resamples else "")]
    material.tables["stability"] = found.clusters
    low, high = found.interval
    interval = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    how = (
        f"The clusterings were drawn again with replacement {found.n_resamples:,} times, and the clusters of "
        f"{found.n_objects:,} {_objects(found.n_objects)} were found anew each time."
    )
    special = {"share": Column("Share of the resamples", as_percent)}
    title = f"Numbers of clusters that were found; the middle {found.level:.0%} of the resamples: {interval}"
    return [
        Words(how),
        listed([*found.words, _STABLE_IS_NOT_TRUE]),
        to_table(found.numbers, "resampled-numbers", title, noun="numbers", special=special),
        to_table(found.clusters, "stable-clusters", "How well each cluster is found again", noun="clusters"),
        *_beside(material, "stability", "The stability of all clusters is"),
    ]


def methods(material: Material) -> list[Any]:
    """Other methods on the same labels."""
    names = None if material.compare is True else material.compare
    found = material.result.compare(names, **material.run)
    material.tables["methods"] = found.table
    special = {"agreement": Column("Agreement", as_decimal, "adjusted Rand index with this result; 1 = the same")}
    return [
        Words(
            f"Each method combined the labels of {found.n_objects:,} objects into {material.result.n_clusters:,} "
            "clusters, where it takes a number. Methods that agree with this result find the same structure in another "
            "way; where they differ, the result depends on the method."
        ),
        to_table(found.table, "method-table", "Methods on the same labels", noun="methods", special=special),
        *attempt(
            "The agreement of the methods",
            lambda: matrix_table(found.agreement, "method-agreement", "Adjusted Rand index of every two methods"),
        ),
        *_beside(material, "methods", "The table is"),
    ]


def annotations(material: Material) -> list[Any]:
    """Whether what is known of the objects goes with their clusters."""
    table = material.result.test_annotations(material.annotations)
    material.tables["annotations"] = table
    ranked = table.sort_values("p_corrected", kind="stable", na_position="last")[_OF_ANNOTATIONS]
    return [
        Words(
            "A small corrected p-value means that an annotation differs between the clusters more than by chance; the "
            "effect, from 0 (none) to 1 (complete), says how much. Annotations that were used to make the clusters "
            "differ by construction."
        ),
        to_table(
            ranked, "annotation-table", "One row per annotation", noun="annotations", searchable=len(table) > _MANY
        ),
        *_beside(material, "annotations", "All tests are"),
    ]


# --------------------------------------------------------------------------------------------------------- small words
def _beside(material: Material, name: str, what: str) -> list[Words]:
    return [Words(f"{what} in {material.files[name]}.", "note")] if name in material.files else []


def _objects(count: int) -> str:
    return "object" if count == 1 else "objects"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


SECTIONS: dict[str, tuple[str, Callable[[Material], list[Any]]]] = {
    "verdict": ("Verdict", verdict),
    "number": ("How many clusters, and why", number),
    "objects": ("The objects and their clusters", objects),
    "membership": ("Membership and confidence", membership),
    "least-certain": ("The least certain objects", least_certain),
    "clusters": ("The clusters", clusters),
    "clusterings": ("Agreement of the base clusterings", clusterings),
    "stability": ("How stable it is", stability),
    "other-numbers": ("Other numbers of clusters", other_numbers),
    "methods": ("Methods side by side", methods),
    "annotations": ("Annotations", annotations),
    "made": ("What was done", what_was_done),
}
