"""What the kernels of NBCE's sampler work on.

A type is part of a kernel's signature, so that numba's cache sees a change of it although it is in a file of its own.
"""

from typing import Any, NamedTuple


class PartitionRows(NamedTuple):
    """Distinct rows, and the objects that have them."""

    start: Any  # (r + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    first: Any  # (r + 1,) int64, row i is that of the objects first[i] to first[i + 1] - 1
    row_of: Any  # (n,) int64
    clustering_weights: Any  # (m,) float64
    cell_weights: Any  # (n_cells,) float64
    group: Any  # (m,) int64, clusterings with the same number of labels
    n_labels: Any  # (groups,) float64, that number, J


class PartitionLogs(NamedTuple):
    """Logs of everything that a number of objects can become, for the present beta."""

    label: Any  # (n + 1,) float64, log(beta + number)
    total: Any  # (groups, n + 1) float64, log(J beta + number)
    sum_label: Any  # (n + 1,) float64, log of Gamma(beta + number) / Gamma(beta)
    sum_total: Any  # (groups, n + 1) float64, the same of J beta


class PartitionState(NamedTuple):
    """Slots of the objects, and what follows from them; K slots."""

    z: Any  # (n,) int64
    label: Any  # (K,) int64, number of the stick of each slot
    size: Any  # (K,) int64
    label_size: Any  # (n_cells, K) int64, objects with a label in a slot
    observed: Any  # (m, K) int64, objects with any label of a clustering in a slot
    numerator: Any  # (n_cells, K) float64, weighted log(beta + label_size)
    denominator: Any  # (m, K) float64, weighted log(J beta + observed)
    total: Any  # (K,) float64, sum of the denominators over all clusterings
    counts: Any  # (2,) int64: clusters, and the last occupied slot plus 1
    values: Any  # (3,) float64: alpha0, beta, and the power of the likelihood
    random: Any  # (1,) uint64


class PartitionScratch(NamedTuple):
    """Space to work in."""

    empty: Any  # (r,) float64, log predictive of each row in an empty cluster
    logs: Any  # (K + 1,) float64
    weight: Any  # (K + 1,) float64, of slots for one more copy of a row
    weight_own: Any  # (K + 1,) float64, of slots for a copy that they have
    copies: Any  # (K + 1,) int64, objects with one row in a slot
    options: Any  # (K + 1,) int64
    members: Any  # (n,) int64
    side: Any  # (n,) int64
    pair_label: Any  # (n_cells, 2) int64, as label_size, of two sides that a pair of objects begins; so the next ones
    pair_observed: Any  # (m, 2) int64
    pair_size: Any  # (2,) int64
    pair_numerator: Any  # (n_cells, 2) float64
    pair_denominator: Any  # (m, 2) float64
    pair_total: Any  # (2,) float64
    gains: Any  # (2, n + 1) float64
    by_label: Any  # (K,) int64, sizes of the clusters by stick, or by size


class SweepPlan(NamedTuple):
    """What a sweep consists of."""

    objects: int  # passes over all objects
    pairs: int  # pairs of objects whose clusters are split, merged or split anew
    rows: int  # passes over the rows of several objects
    sticks: bool  # truncated stick breaking; else finite symmetric Dirichlet
