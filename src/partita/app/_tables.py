"""Tables of a result as the page shows them: what each column is called and what it means."""

from typing import Any, NamedTuple

import pandas as pd

from partita.app._plain import plain


class _Column(NamedTuple):
    title: str
    help: str = ""
    kind: str = ""  # number, text or cluster; by default by the values


_COLUMNS = {
    "cluster": _Column("Cluster", "", "cluster"),
    "size": _Column("Objects", "Number of objects in the cluster."),
    "share": _Column("Share", "Share of the objects that have a cluster."),
    "consensus": _Column("Holds together", "How often the clusterings put two of its objects together, on average."),
    "closest": _Column(
        "Closest", "The other cluster whose objects are most often put together with its own.", "cluster"
    ),
    "closest_consensus": _Column("With the closest", "How often objects of both are put together, on average."),
    "median_confidence": _Column("Confidence", "Median of its objects: log-odds against the best other cluster."),
    "in_doubt": _Column("In doubt", "Objects whose labels speak for another cluster as much or more."),
    "distinguished_by": _Column("Known by", "Labels that its objects have and others have not.", "text"),
    "clustering": _Column("Clustering", "", "text"),
    "n_labels": _Column("Labels", "Number of clusters of this clustering."),
    "n_objects": _Column("Objects", "Objects that it labels, or that were tested."),
    "weight": _Column("Weight", "Weight in the fit."),
    "nmi": _Column("NMI", "Normalised mutual information with the consensus: 1 if they are equal."),
    "adjusted_rand": _Column("Adjusted Rand", "Agreement with the consensus: 1 if they are equal, 0 by chance."),
    "agreement": _Column("Agreement", "Agreement beyond chance; 1 if one is a refinement of the other."),
    "outlier": _Column("Outlier", "Agrees far less with the consensus than most clusterings do.", "text"),
    "deserved_weight": _Column("Deserved weight", "Weight in proportion to its agreement, for another fit."),
    "n_clusters": _Column("Clusters", "Number of clusters."),
    "score": _Column("Score", "The number with the highest score is chosen."),
    "shared": _Column("Shared", "Nats that two halves of the clusterings share."),
    "apart": _Column("Apart", "Nats in which two halves of the clusterings differ."),
    "gap": _Column("Gap", "Gap of the singular values."),
    "annotation": _Column("Annotation", "", "text"),
    "kind": _Column("Kind", "Categories or numbers.", "text"),
    "test": _Column("Test", "Chi-squared for categories, Kruskal-Wallis for numbers.", "text"),
    "statistic": _Column("Statistic"),
    "effect": _Column("Effect", "From 0, no relation with the clusters, to 1, a complete one."),
    "p_value": _Column("p", "Probability of so strong a relation if there is none."),
    "p_corrected": _Column("p corrected", "The same, corrected for the number of annotations."),
    "words": _Column("In words", "", "text"),
    "method": _Column("Method", "", "text"),
    "average_nmi": _Column("Average NMI", "Normalised mutual information with the clusterings, on average."),
    "seconds": _Column("Seconds", "Time of the fit."),
    "error": _Column("Error", "Why a method has no result.", "text"),
    "warning": _Column("Warning", "", "text"),
}


def table_of(frame: pd.DataFrame) -> dict[str, Any]:
    """A frame as columns and rows of plain values."""
    columns = [_column(str(name), frame[name]) for name in frame.columns]
    values = [[plain(value) for value in frame[name]] for name in frame.columns]
    return {"columns": columns, "rows": [list(row) for row in zip(*values, strict=True)]}


def _column(name: str, values: "pd.Series[Any]") -> dict[str, str]:
    known = _COLUMNS.get(name, _Column(name))
    number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    kind = known.kind or ("number" if number else "text")
    return {"name": name, "title": known.title, "help": known.help, "kind": kind}
