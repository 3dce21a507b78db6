"""How much the clusterings of an ensemble differ: from each other, and from their consensus.

diversity of two clusterings = 1 - NMI, or 1 - ARI, on the objects that both label                        (eq. I83)
quality of a clustering = mean NMI to the others, SNMI / (M - 1) of Fern and Lin (2008)                   (eq. I84)
d_m = 1 - ARI(clustering m, consensus): mean, spread and two mixtures (Hadjitodorov et al. 2006)          (eq. I85)
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from partita._typing import Codes, FloatArray, IntArray
from partita.ensembles._distinct import Clusterings, check_partition, read_clusterings
from partita.results import ConsensusResult, combine

_SHOWN = 5  # names in a sentence


@dataclass(frozen=True, eq=False)
class Diversity:
    """How much clusterings differ.

    Attributes
    ----------
    clusterings : DataFrame
        One row per clustering: ``clustering``, ``n_labels``, ``n_objects`` that it labels, ``quality`` (mean NMI to the
        others), ``snmi`` (their sum), ``mean_adjusted_rand`` to the others, ``consensus_nmi`` and
        ``consensus_adjusted_rand``, ``outlier`` (agrees with the consensus far less than most do) and ``same_as`` (name
        of the first clustering that is the same partition; empty if it is the first one).
    nmi, adjusted_rand : DataFrame
        Similarity of every two clusterings; NaN where they have no object in common. The diversity is 1 minus it.
    mean_nmi, mean_adjusted_rand : float
        Mean over the pairs of clusterings; NaN if there is one clustering.
    against_consensus : dict
        The four measures of Hadjitodorov, Kuncheva and Todorova: ``mean`` of 1 - ARI with the consensus, ``spread``
        (its standard deviation), ``mixed`` = (1 - mean + spread) / 2 and ``ratio`` = spread / mean.
    redundant : list of list of str
        Groups of clusterings that are the same partition, names of labels aside.
    outliers : list of str
        Clusterings that agree with the consensus far less than most do.
    summary : str
        The same in words.
    """

    clusterings: pd.DataFrame
    nmi: pd.DataFrame
    adjusted_rand: pd.DataFrame
    mean_nmi: float
    mean_adjusted_rand: float
    against_consensus: dict[str, float]
    redundant: list[list[str]]
    outliers: list[str]
    summary: str

    def __str__(self) -> str:
        return self.summary


def diversity(X: Any, labels: Any = None, *, random_state: Any = 0) -> Diversity:
    """How much the clusterings of an ensemble differ, which are the same, and which stand apart.

    Parameters
    ----------
    X : label matrix of shape (n_samples, n_clusterings)
        Array, pandas or polars frame, dict or list of columns; missing = NaN, None, pd.NA or -1. Two clusterings are
        compared on the objects that both label.
    labels : array-like of shape (n_samples,), optional
        The consensus, or another partition to compare with; by default that of :func:`partita.combine`.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the consensus.

    Returns
    -------
    Diversity
        ``clusterings`` (a table), ``nmi``, ``adjusted_rand``, ``mean_nmi``, ``redundant``, ``outliers``, ``summary``...

    Notes
    -----
    Neither the most nor the least diverse ensemble is the best: with no diversity a consensus adds nothing, and
    clusterings that agree no more than by chance have nothing to add up. Cost O(r m^2) for r distinct rows of m labels,
    and that of the consensus.

    References
    ----------
    X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1, 2008.

    S. T. Hadjitodorov, L. I. Kuncheva and L. P. Todorova, "Moderate diversity for better cluster ensembles",
    Information Fusion 7, 2006.

    Examples
    --------
    >>> from partita import diversity
    >>> found = diversity({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": [0, 0, 1, 2]}, [0, 0, 1, 1])
    >>> found.redundant
    [['a', 'b']]
    >>> found.nmi.round(2).loc["a"].tolist()
    [1.0, 1.0, 0.82]
    >>> print(found.summary)
    3 clusterings: the mean NMI of two of them is 0.88 (diversity 0.12), the mean adjusted Rand index 0.71. The same
    partition: a = b. No clustering stands apart from the consensus.
    """
    read = read_clusterings(X)
    result = _consensus(read, labels, random_state)
    nmi, rand = read.agreement()
    table = result.clusterings
    same = first_equal(read.codes)
    known = _table(read, table, nmi, rand, same)
    groups = [[read.names[j] for j in np.flatnonzero(same == first)] for first in np.unique(same)]
    redundant = [group for group in groups if len(group) > 1]
    outliers = [name for name, is_one in zip(read.names, known["outlier"], strict=True) if is_one]
    means = _mean_of_pairs(nmi), _mean_of_pairs(rand)
    return Diversity(
        clusterings=known,
        nmi=pd.DataFrame(nmi, read.names, read.names),
        adjusted_rand=pd.DataFrame(rand, read.names, read.names),
        mean_nmi=means[0],
        mean_adjusted_rand=means[1],
        against_consensus=from_consensus(known["consensus_adjusted_rand"].to_numpy()),
        redundant=redundant,
        outliers=outliers,
        summary=_summary(len(read.names), means, redundant, outliers),
    )


def _consensus(read: Clusterings, labels: Any, random_state: Any) -> ConsensusResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # objects without labels and weak structure are not what is asked for here
        if labels is None:
            return combine(read.matrix, random_state=random_state)
        codes = check_partition(labels, len(read.matrix.codes), "labels")
        return ConsensusResult.from_labels(read.matrix, codes)


# ------------------------------------------------------------------------------------------------------------ measures
def quality(nmi: FloatArray) -> FloatArray:
    """Mean similarity of each clustering to the others that share objects with it; NaN if there is none (eq. I84)."""
    number = np.isfinite(nmi).sum(axis=1) - 1
    return np.asarray(np.divide(total_similarity(nmi), number, out=np.full(len(nmi), np.nan), where=number > 0))


def total_similarity(nmi: FloatArray) -> FloatArray:
    """SNMI: sum of the known similarities of each clustering to the others."""
    others = np.nan_to_num(nmi, nan=0.0)
    np.fill_diagonal(others, 0.0)
    return np.asarray(others.sum(axis=1))


def from_consensus(adjusted_rand: FloatArray) -> dict[str, float]:
    """Diversity that needs a consensus, from the adjusted Rand index of each clustering with it (eq. I85)."""
    apart = 1 - adjusted_rand[np.isfinite(adjusted_rand)]
    mean = float(apart.mean()) if len(apart) else np.nan
    spread = float(apart.std(ddof=1)) if len(apart) > 1 else np.nan
    ratio = spread / mean if mean > 0 else np.nan
    return {"mean": mean, "spread": spread, "mixed": (1 - mean + spread) / 2, "ratio": ratio}


def first_equal(codes: Codes) -> IntArray:
    """For each clustering the first one that is the same partition with the same missing labels.

    Labels are numbered by first appearance: partitions are the same if and only if these numbers are.
    """
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(_by_appearance(column).tobytes(), j) for j, column in enumerate(codes.T)])


def _by_appearance(column: Codes) -> IntArray:
    values, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    number = np.empty(len(values), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(values))
    return np.where(column < 0, -1, number[inverse])


def _mean_of_pairs(similarity: FloatArray) -> float:
    values = similarity[np.triu_indices(len(similarity), 1)]
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


# --------------------------------------------------------------------------------------------------- table and sentence
def _table(
    read: Clusterings, of_result: pd.DataFrame, nmi: FloatArray, rand: FloatArray, same: IntArray
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "clustering": read.names,
            "n_labels": read.matrix.n_labels,
            "n_objects": (read.n_objects @ (read.codes >= 0)).astype(np.int64),
            "quality": quality(nmi),
            "snmi": total_similarity(nmi),
            "mean_adjusted_rand": quality(rand),
            "consensus_nmi": of_result["nmi"].to_numpy(),
            "consensus_adjusted_rand": of_result["adjusted_rand"].to_numpy(),
            "outlier": of_result["outlier"].to_numpy(),
            "same_as": ["" if first == j else read.names[first] for j, first in enumerate(same)],
        }
    )


def _summary(m: int, means: tuple[float, float], redundant: list[list[str]], outliers: list[str]) -> str:
    if m == 1:
        return "There is one clustering only: nothing can be compared."
    if np.isnan(means[0]):
        return f"{m} clusterings: no two of them label the same objects, so that nothing can be compared."
    words = [
        f"{m} clusterings: the mean NMI of two of them is {means[0]:.2f} (diversity {1 - means[0]:.2f}), the mean "
        f"adjusted Rand index {means[1]:.2f}."
    ]
    if redundant:
        shown = "; ".join(" = ".join(shown_names(group)) for group in redundant[:_SHOWN])
        words.append(f"The same partition: {shown}{'; ...' if len(redundant) > _SHOWN else ''}.")
    else:
        words.append("No two are the same partition.")
    many = "These clusterings stand" if len(outliers) > 1 else "One clustering stands"
    apart = f"{many} apart from the consensus: {', '.join(shown_names(outliers))}."
    return " ".join([*words, apart if outliers else "No clustering stands apart from the consensus."])


def shown_names(names: list[str]) -> list[str]:
    """The first names, and dots if there are more."""
    return [*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])]
