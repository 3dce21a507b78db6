"""The base clusterings of a result as a table: how far each agrees with the consensus, and what weight that earns it.

    agreement = (I - E) / (min(H1, H2) - E)                                                                   (eq. I79)

I is the mutual information of a clustering and the consensus, E its mean over random partitions with the same sizes, H
their entropies. A clustering that refines the consensus, or is refined by it, agrees with it completely: 30 small
clusters inside 3 large ones do not contradict them.
"""

import numpy as np
import pandas as pd

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray
from partita.metrics._table_scores import (
    TableCells,
    adjusted_rand_of,
    entropies,
    mutual_information,
    nmi_of,
    table_cells,
)
from partita.results._rows import ResultRows

# An outlier is this many spreads (1.48 MAD), and at least this much, below the median agreement. On 42 ensembles of 20
# k-means clusterings (wine, iris, breast cancer, digits, blobs) of which none, 2 or 5 were shuffled, all shuffled ones
# are found, and 0.3 % of the others are flagged; with a gap of 0.15 it is 1.5 %.
_FAR, _LEAST_GAP = 3.0, 0.25
_CHANCE = 0.05  # agreement up to which a clustering is as good as random


def clustering_table(rows: ResultRows, names: list[str], clustering_weights: FloatArray) -> pd.DataFrame:
    """One row per clustering that was used; the columns are described in ``ConsensusResult.clusterings``."""
    tables = _tables(rows)
    measured = np.array([_measure(table) for table in tables]).reshape(-1, 3)
    agreement = measured[:, 2]
    return pd.DataFrame(
        {
            "clustering": names,
            "n_labels": rows.ensemble.n_labels,
            "n_objects": [int(table.sum()) for table in tables],
            "weight": clustering_weights,
            "nmi": measured[:, 0],
            "adjusted_rand": measured[:, 1],
            "agreement": agreement,
            "outlier": find_outliers(agreement),
            "deserved_weight": deserved_weights(agreement),
        }
    )


def find_outliers(agreement: FloatArray) -> Array:
    """Clusterings that agree with the consensus far less than most do, or no more than by chance (eq. I80)."""
    known = agreement[~np.isnan(agreement)]
    if len(known) < 3:  # of two that differ none is the odd one
        return np.zeros(len(agreement), dtype=bool)
    middle = np.median(known)
    spread = 1.4826 * np.median(np.abs(known - middle))
    low = np.nan_to_num(agreement, nan=np.inf) < middle - max(_FAR * spread, _LEAST_GAP)
    random = np.nan_to_num(agreement, nan=np.inf) <= _CHANCE
    return np.asarray(low | (random & (middle > 2 * _CHANCE)))


def deserved_weights(agreement: FloatArray) -> FloatArray:
    """Weights in proportion to the agreement; their mean is 1, over those that have one.

    A clustering that agrees no more than by chance, or of which nothing can be said, deserves 0; where that is true of
    all of them, each deserves 1.
    """
    earned = np.where(np.nan_to_num(agreement) > _CHANCE, np.nan_to_num(agreement), 0.0)
    known = ~np.isnan(agreement)
    return earned / earned[known].mean() if earned.any() else np.ones(len(agreement))


# ------------------------------------------------------------------------------------------------- of one clustering
def _tables(rows: ResultRows) -> list[Array]:
    """Contingency table of each clustering and the consensus, over the objects that both label."""
    ensemble: Ensemble = rows.ensemble
    cells = np.rint(rows.counts().cells).astype(np.int64)
    return np.split(cells, ensemble.first_cell[1:])


def _measure(table: Array) -> tuple[float, float, float]:
    """Normalised mutual information, adjusted Rand index and agreement; NaN if they share no object."""
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    if not table.size:
        return np.nan, np.nan, np.nan
    cells = table_cells(table)
    return nmi_of(cells), adjusted_rand_of(cells), _nested_agreement(table, cells)


def _nested_agreement(table: Array, cells: TableCells) -> float:
    """Agreement (eq. I79); NaN if one of the two has one cluster only, of which nothing can be said."""
    from sklearn.metrics.cluster import expected_mutual_information

    smaller = min(entropies(cells))
    if smaller <= 0:
        return np.nan
    by_chance = float(expected_mutual_information(table, cells.n_objects))
    room = smaller - by_chance
    return float((mutual_information(cells) - by_chance) / room) if room > 1e-12 else np.nan
