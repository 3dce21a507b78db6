"""Whether clusterings agree more than by chance: chi-squared of all pairs of clusterings, against shuffled labels.

    X2 = sum over pairs a < b of v_a v_b n_ab (sum over c in a, d in b of G_cd^2 / (A_cb A_da) - 1)          (eq. L21)

with G and A the tables of the clusterings and n_ab the number of objects that both label. Every clustering is shuffled
among the objects that it labels, which keeps its sizes and destroys what it shares with the others: the test is exact.
"""

from collections.abc import Callable

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_tables
from partita._stopping import check_stop
from partita._typing import Codes

N_SHUFFLES = 99
LEVEL = 0.01  # of the test: the smallest that 99 shuffles can show
_FIRST, _FAR = 9, 25.0  # shuffles after which agreement that many standard deviations above their mean is clear
FEWEST = 10  # objects below which even perfect agreement may be chance, and the test is not used


def agreement_p_value(objects: Ensemble, rng: np.random.Generator) -> float:
    """Share of data sets, shuffled ones and the given one, whose clusterings agree as much: 0.01 at least.

    ``objects`` has one row of labels per object. With a single clustering there is nothing to agree, and the share
    is 1. Nine shuffles are enough if the given agreement is 25 standard deviations above their mean, as it is for most
    ensembles: by Chebyshev's inequality chance does so in less than one case in 600.
    """
    if objects.n_clusterings < 2:
        return 1.0
    statistic = _statistic_for(objects)

    def shuffled(n: int) -> list[float]:
        return [one() for _ in range(n)]

    def one() -> float:
        check_stop()
        return statistic(objects.with_rows(shuffle_columns(objects.codes, rng)))

    return p_value_against(statistic(objects), shuffled)


def p_value_against(observed: float, shuffled: Callable[[int], list[float]]) -> float:
    """Share of statistics that are as large as the observed one; ``shuffled`` draws so many of shuffled labels."""
    tolerance = 1e-9 * abs(observed)
    drawn = shuffled(_FIRST)
    if observed > np.mean(drawn) + _FAR * np.std(drawn) + tolerance:
        return LEVEL
    drawn += shuffled(N_SHUFFLES - _FIRST)
    return (1 + sum(value >= observed - tolerance for value in drawn)) / (1 + N_SHUFFLES)


def _statistic_for(objects: Ensemble) -> Callable[[Ensemble], float]:
    """The cheaper form: with more cells than objects the tables of the cells are larger than those of the objects."""
    if objects.n_cells > objects.n_rows and (objects.codes >= 0).all():
        return row_agreement
    return lambda shuffled: pair_agreement(cluster_tables(shuffled))


def pair_agreement(tables: ClusterTables) -> float:
    """Chi-squared statistics of all pairs of clusterings, added up (eq. L21)."""
    G, blocks, weights = tables.together, tables.blocks, tables.clustering_weights
    seen = tables.seen[:, tables.cell_clustering]  # A_cd: objects of c that the clustering of d labels
    both = seen * seen.T
    share = blocks.T @ np.divide(G * G, both, out=np.zeros_like(G), where=both > 0) @ blocks
    n_both = blocks.T @ G @ blocks
    statistic = n_both * (share - 1) * np.outer(weights, weights)
    return float(np.triu(statistic, 1).sum())


def row_agreement(objects: Ensemble) -> float:
    """The same where no label is missing, from pairs of objects: those of a cell of size s add 1 / s (eq. L19).

    With K_ij = sum over the clusterings a with equal labels of v_a / s, the sum over all pairs of clusterings, a = b
    among them, is |K|^2; a clustering with itself gives its number of cells.
    """
    H, n, v = objects.indicator, objects.n_rows, objects.clustering_weights
    size = np.asarray(H.sum(axis=0)).ravel()
    of_cell = v[objects.cell_clustering]
    K = (H * (of_cell / np.maximum(size, 1))) @ H.T
    itself = float((of_cell**2)[size > 0].sum())
    return float(n / 2 * ((K.data**2).sum() - itself - (v.sum() ** 2 - (v**2).sum())))


def shuffle_columns(codes: Codes, rng: np.random.Generator) -> Codes:
    """Labels of every clustering in random order among the objects that it labels; missing labels stay."""
    shuffled = codes.copy()
    for column in shuffled.T:
        labelled = np.flatnonzero(column >= 0)
        column[labelled] = column[rng.permutation(labelled)]
    return shuffled
