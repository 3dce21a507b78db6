"""Compile every kernel on tiny data, so that the first real call is as fast as the second."""

from typing import Any

import numpy as np

from partita._kernels import (
    agreement,
    bce,
    bce_gibbs,
    cells,
    distinct,
    dp_means,
    internal,
    itk,
    kcc,
    kmeans,
    label_kmeans,
    linkage,
    mixture,
    mixture_search,
    nbce_climb,
    nbce_cvb,
    nbce_gibbs,
    nbce_search,
    nbce_types,
    neal,
    partition_moves,
    partition_turns,
    pcc_blocks,
    pcc_greedy,
    pcc_labels,
    pcc_pairs,
    representatives,
)
from partita._kernels.code_columns import CodeColumns

_GO_ON = np.zeros(1, dtype=np.uint8)  # the flag of kernels that can be stopped


def warm_up() -> None:
    """Compile all kernels, or load them from the cache.

    The first call on a machine takes some seconds, later ones a fraction of a second. Useful
    before measuring time, or when an image is built.
    """
    for part in PARTS:
        part(CODES)


def _warm_up_rows(codes: np.ndarray) -> None:
    n, m = codes.shape
    distinct.distinct_rows(
        codes,
        np.array([0, m], dtype=np.int64),
        np.array([0, 2], dtype=np.int64),
        np.empty((n, 1), dtype=np.uint64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
    )
    first_cell = np.array([0, 2], dtype=np.int64)
    cells.add_pairs(codes, first_cell, np.ones(n), np.empty(m, dtype=np.int64), np.zeros((4, 4)))
    cells.sum_labels(codes, first_cell, np.zeros((4, 2)), np.empty((n, 2)))


def _warm_up_linkage(codes: np.ndarray) -> None:
    for dtype in (np.float64, np.float32):
        _warm_up_chain(dtype)
    linkage.prim_matrix(1.0 - np.eye(len(codes)), 0, np.empty(len(codes), dtype=np.int64), np.empty(len(codes)))


def _warm_up_label_kmeans(cells: np.ndarray) -> None:
    n, m = cells.shape
    k, weights, mass, size = 2, np.ones(n), np.ones((2, 6)), np.ones(2)
    labels, table = np.zeros(n, dtype=np.int32), np.zeros((6, k))
    space = label_kmeans.LabelSpace(np.array([0, 2, 4]), np.ones(m), np.ones(4), np.ones(4))
    label_kmeans.draw_rows(cells, weights, space, np.zeros((k, 1)), np.ones(n), np.empty(k, dtype=np.int64))
    label_kmeans.fill_table(mass, size, space, table)
    label_kmeans.assign(cells, table, weights, 0, n, labels, np.empty(n), mass)
    label_kmeans.move_rows(cells, weights, space, 1, labels, mass, size, _GO_ON)
    utility = kcc.Utility(space.first_cell, np.ones(m), np.full(4, 0.5), kcc.NORM, 5.0, 1.0)
    kcc.objective(mass, utility)
    kcc.fill_table(mass, utility, table)
    kcc.count_cells(cells, weights, labels, mass)
    kcc.sweep_rows(cells, weights, utility, 1.0, labels, mass, size, _GO_ON)


def _warm_up_points(codes: np.ndarray) -> None:
    n = len(codes)
    kmeans.lloyd(np.eye(3), np.zeros((2, 2)), 1, np.empty((2, 3)), np.empty(3, dtype=np.int64))
    one_each, lists = np.zeros(n, dtype=np.int64), (np.arange(n + 1), np.zeros(n, dtype=np.int64), np.ones(n))
    tables = np.zeros((1, 1)), np.zeros((1, 1))
    itk.move_rows(*lists, np.zeros(1, dtype=np.int64), 0.0, 1, one_each, np.full(1, n), *tables, _GO_ON)


def _warm_up_partition_moves(codes: np.ndarray) -> None:
    n, m = codes.shape
    start, order, slots = np.arange(0, n * m + 1, m), np.arange(n), 6
    rows = partition_moves.MoveRows(start, codes.ravel(), np.ones(n), -np.ones(4), 1.0, True, np.zeros(n + 4))
    z, n_rows, tables = np.zeros(n, dtype=np.int64), np.zeros(slots, dtype=np.int64), np.zeros((2, 4, slots))
    memory = np.zeros(slots), np.zeros(slots), z.copy(), z.copy(), np.ones(1, dtype=np.uint64)
    state = partition_moves.MoveState(z, n_rows, tables[0], tables[1], *memory)
    partition_moves.allocate(rows, state, n, order, _GO_ON)
    partition_moves.fill_tables(rows, state)
    partition_moves.sweep(rows, state, 1, n, order, _GO_ON)
    partition_moves.merge_clusters(rows, state, 1, n, _GO_ON)
    partition_moves.fill_tables(rows, state)
    partition_turns.share_out(rows, state, 0, 3, False, _GO_ON)
    partition_turns.dissolve(rows, state, 0, 1, n, _GO_ON)
    partition_turns.move_parts(rows, state, order, np.array([0, 2, n]), n, _GO_ON)
    partition_moves.nearest_clusters(rows, state, 1, z.copy(), _GO_ON)


def _warm_up_pcc(codes: np.ndarray) -> None:
    n, m = codes.shape
    k, rows, gaps = 2, np.arange(n), np.empty(n)
    listed = np.arange(0, n * m + 1, m), codes.ravel(), np.tile(np.arange(m, dtype=np.int32), n)
    labels = pcc_labels.RowLabels(*listed, np.ones(n), np.ones(m))
    sums = pcc_labels.zero_sums(n, 4, 1, k)
    pcc_labels.insert_rows(labels, sums, rows, 0, _GO_ON)
    pcc_labels.sum_memberships(labels, sums)
    pcc_labels.sweep_labels(labels, sums, rows, 0.0, gaps, _GO_ON)
    counts = np.ones((n, n), dtype=np.uint8)
    none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    pairs = pcc_pairs.StoredPairs(counts, counts, *none, np.ones(n), np.zeros(n), pcc_pairs.L2)
    Y_t = np.full((k, n), 0.5)
    row = pcc_pairs.PairRow(np.empty((k, 1)), *(np.empty(n) for _ in range(3)))
    pcc_blocks.sweep_pairs(pairs, Y_t, pcc_blocks.block_row(n, k, dense=True), rows, 0.0, gaps, _GO_ON)
    pcc_pairs.objective_pairs(pairs, Y_t, row, _GO_ON)
    work, chosen = pcc_greedy.GreedyWork(*(np.empty(n) for _ in range(6))), np.empty(1, dtype=np.int64)
    pcc_greedy.greedy_all(pairs, Y_t, work, np.empty((k, n)), 0.0, 1, chosen, _GO_ON)
    pairs = pairs._replace(C=counts[:1], N=counts[:1], indptr=np.arange(n + 1), indices=rows.astype(np.int32))
    Y, tables = np.full((n, k), 0.5), (np.empty(2 * n), np.empty((n, k)))
    pcc_greedy.greedy_chosen(pairs, Y, work, *tables, 0.0, 1, chosen, _GO_ON)


def _warm_up_models(codes: np.ndarray) -> None:
    n, m = codes.shape
    k, start = 2, np.arange(0, n * m + 1, m)
    table, weight = np.full((4, k), -1.0), np.full(k, 0.5)
    rows = mixture.MixtureRows(start, codes.ravel(), np.ones(n))
    mixture.expect_mixture(rows, table, weight, 0, n, np.zeros(k), np.zeros((4, k)))
    mixture.posterior(rows, table, weight, 0, n, np.empty((n, k)), np.empty(n))
    _warm_up_hard_clusters(start, codes)
    members = bce.MembershipRows(start, codes.ravel(), np.zeros((n, 1)), np.ones(n))
    feature = np.full((1, k), 0.5)
    parameters = bce.MembershipParameters(
        weight, -table, np.ones(4), np.zeros(1, dtype=np.int64), feature, feature, np.ones(1)
    )
    sums = bce.MembershipSums(np.zeros((4, k)), np.zeros((3, 1, k)), np.zeros(k), np.zeros(1))
    bce.expect_memberships(members, parameters, 0, n, 1, 0.0, np.ones((n, k)), np.empty(n), sums)
    columns, objects = np.tile(np.arange(m, dtype=np.int32), n), np.arange(n)
    drawn = bce_gibbs.DrawnRows(start, codes.ravel(), columns, np.ones(m), np.ones(m), objects, m * objects)
    clusters = np.zeros(n * m, dtype=np.int64)
    labels = bce_gibbs.DrawnLabels(clusters, np.zeros((n, k)), np.zeros((4, k)), np.zeros((m, k)))
    bce_gibbs.count_labels(drawn, labels)
    bce_gibbs.sweep_labels(drawn, weight, 1.0, np.zeros(n * m), np.zeros((n, 2)), labels)


def _warm_up_hard_clusters(start: np.ndarray, codes: np.ndarray) -> None:
    n, m = codes.shape
    columns, logs = np.tile(np.arange(m, dtype=np.int32), n), np.zeros(n + 2)
    rows = mixture_search.HardRows(
        start, codes.ravel(), columns, np.ones(n), np.ones(m), np.array([0, 0, 1, 1]), float(m), logs, logs
    )
    z, n_rows = np.zeros(n, dtype=np.int64), np.zeros(4, dtype=np.int64)
    tables = np.zeros(4), np.zeros((4, 4)), np.zeros((4, m)), np.zeros(4)
    state = mixture_search.HardState(z, n_rows, *tables, z.copy(), z.copy(), np.ones(1, dtype=np.uint64), z.copy())
    mixture_search.count_clusters(rows, state)
    mixture_search.search_clusters(rows, state, 1, 1, 1.0, _GO_ON)


def _warm_up_nbce(codes: np.ndarray) -> None:
    n, m = codes.shape
    k, n_cells = 2, 4
    listed = np.arange(0, n * m + 1, m), codes.ravel(), np.tile(np.arange(m, dtype=np.int32), n)
    _warm_up_partitions(listed, n, m, n_cells)
    weighted = nbce_cvb.CvbRows(*listed, np.ones(n), np.ones(m), np.ones(m))
    for order in (1, 2):
        sums = np.zeros((2, k)), np.zeros((2, k)), np.zeros((order, n_cells, k)), np.zeros((order, m, k))
        expected = nbce_cvb.CvbState(np.full((n, k), 0.5), *sums)
        nbce_cvb.sum_up_cvb(weighted, expected)
        nbce_cvb.sweep_cvb(weighted, expected, 1.0, 1.0, k, True, np.arange(n), np.empty(n))
    _warm_up_search(nbce_search.SearchRows(*weighted, np.array([0, 0, 1, 1])))


def _warm_up_search(rows: nbce_search.SearchRows) -> None:
    n, m, n_cells, slots = len(rows.row_weights), len(rows.n_labels), len(rows.cell_clustering), 4
    z, whole = np.zeros(n, dtype=np.int64), np.zeros(slots, dtype=np.int64)
    tables = np.zeros((slots, n_cells)), np.zeros((slots, m)), np.zeros(slots), np.zeros(slots)
    state = nbce_search.SearchState(
        z, whole, np.zeros(slots), *tables, z.copy(), z.copy(), np.zeros(1), np.ones(1, dtype=np.uint64), z.copy()
    )
    model = nbce_search.SearchModel(1.0, 1.0, 2.0, True)
    nbce_search.joint_of_search(rows, state, model)
    nbce_search.search_clusters(rows, state, model, 1, 1, 1.0, _GO_ON)


def _warm_up_partitions(listed: tuple[Any, Any, Any], n: int, m: int, n_cells: int) -> None:
    K, objects, group = 2, np.arange(n + 1), np.zeros(m, dtype=np.int64)
    rows = nbce_types.PartitionRows(*listed, objects, objects[:n], np.ones(m), np.ones(n_cells), group, np.ones(1))
    logs = nbce_types.PartitionLogs(np.empty(n + 1), np.empty((1, n + 1)), np.empty(n + 1), np.empty((1, n + 1)))
    z, size = np.zeros(n, dtype=np.int64), np.zeros(K, dtype=np.int64)
    tables = np.zeros((n_cells, K), dtype=np.int64), np.zeros((m, K), dtype=np.int64)
    sums, counts, values = (np.zeros((n_cells, K)), np.zeros((m, K)), np.zeros(K)), np.zeros(2, np.int64), np.ones(3)
    random = np.zeros(1, dtype=np.uint64)
    state = nbce_types.PartitionState(z, size.copy(), size, *tables, *sums, counts, values, random)
    nbce_gibbs.rebuild(rows, logs, state)
    plan, trace = nbce_types.SweepPlan(1, 1, 1, True), np.empty((1, 4))
    nbce_gibbs.sweep_partition(rows, logs, state, plan, trace, z.copy(), _GO_ON)
    nbce_climb.climb(rows, logs, z, K, 1.0, True, 1.0, _GO_ON)


def _warm_up_mixtures(_: np.ndarray) -> None:
    n, d, k = 4, 2, 2
    points, z, size = np.zeros((n, d)), np.zeros(n, dtype=np.int64), np.zeros(k, dtype=np.int64)
    centers, numbers = np.zeros((d, k)), np.zeros(n)
    dp_means.sweep_dp_means(points, np.arange(n), 0, 1.0, centers, 1, z)
    dp_means.move_points(points, np.arange(n), 1.0, 1.0, centers, 1, size, z)
    dp_means.nearest(points, centers, z, numbers)
    dp_means.means(points, z, np.empty((k, d)), size)
    dp_means.farthest_first(points, numbers, np.empty(k))
    data, model = neal.NealPoints(points, numbers), neal.NealModel(1.0, 1.0, 1.0)
    state = neal.NealState(z, size, centers)
    neal.sweep_neal(data, state, model, 1, 0, numbers, np.zeros((1, d)))
    neal.climb_neal(data, state, model, np.zeros((d, k)), 1)
    neal.posterior_gaussian(points, centers, np.ones(k), np.zeros(k), np.empty((n, k)))
    neal.log_density(points, centers, np.ones(k), np.zeros(k), numbers)


def _warm_up_internal(_: np.ndarray) -> None:
    n, d, k = 4, 2, 2
    tables = [np.zeros((n, k)) for _ in range(3)]
    internal.distances_to_clusters(np.zeros((d, n)), np.array([0, 2, n]), 0, n, internal.EUCLIDEAN, *tables)
    numbers = np.arange(float(n))
    internal.concordance_rows(numbers, numbers, 3.0, 3.0, 0, n, np.empty((n, 3), dtype=np.int64), np.empty(n))
    for dtype in (np.uint8, np.uint16, np.uint32):
        counts = np.ones((n, n), dtype=dtype)
        internal.tally_pairs(counts, counts, True, np.ones(n, dtype=np.int64), 0, np.zeros((1, 2), dtype=np.int64))


def _warm_up_representatives(_: np.ndarray) -> None:
    points, index, squared = np.eye(2), np.zeros((2, 1), dtype=np.int32), np.zeros((2, 1))
    representatives.nearest_of_all(points, points, index, squared)
    regions = points, np.arange(3), np.zeros((2, 2), dtype=np.int32), np.zeros((2, 2))
    representatives.nearest_by_regions(points, points, *regions, index, squared)
    representatives.add_link_pairs(index, squared, 1.0, 0.0, np.empty(1), np.zeros((2, 2)))
    table, labels = np.zeros((2, 2)), np.empty(2, dtype=np.int64)
    representatives.nearest_embedded(index, squared, 1.0, 0.0, table, np.zeros(1), np.empty(2), labels)


def _warm_up_agreement(codes: np.ndarray) -> None:
    n, m = codes.shape
    by_clustering = np.ascontiguousarray(codes.T.astype(np.uint8))
    starts = np.array([0, m], dtype=np.int64)
    columns = CodeColumns(by_clustering, starts, np.uint8(255))
    for dtype in (np.uint8, np.float64):
        out = np.empty((n, n), dtype=dtype)
        agreement.count_rows(columns, np.ones(1, dtype=dtype), 0, n, True, False, out)
        agreement.mirror(out, _GO_ON)
        pair = np.zeros(1, dtype=np.int32)
        weights = np.ones(m, dtype=dtype)
        agreement.count_pairs(codes, weights, pair, pair, np.empty(1, dtype), np.empty(1, dtype))
    for float_type in (np.float64, np.float32):
        agreement.dissimilarity_rows(columns, np.ones(1), float(m), 0, n, np.empty((n, n), float_type))
    agreement.sum_of_squares(columns, np.ones(1), float(m), np.ones(n), 0, n)
    walk = agreement.start_walk(by_clustering[:, 0].copy(), n)
    outside = CodeColumns(by_clustering[:, 1:].copy(), starts, np.uint8(255))
    agreement.prim(outside, np.ones(1), n, walk)
    with_holes = agreement.start_walk_with_holes(by_clustering[:, 0].copy(), np.full(n, float(m)))
    agreement.prim_with_holes(outside, np.ones(1), float(m), n, with_holes)


def _warm_up_chain(dtype: type) -> None:
    n = 4
    left, right, height = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.int64), np.empty(n - 1)
    chain = linkage.start_chain(np.ones((n, n), dtype=dtype), np.ones(n))
    linkage.nn_chain(chain, linkage.AVERAGE, n, left, right, height)
    linkage.merge_tree(left, right, height, np.ones(n), np.empty((n - 1, 4)))


CODES = np.array([[0, 0], [0, 1], [1, 1], [0, 0]], dtype=np.int32)
PARTS = (
    _warm_up_rows, _warm_up_agreement, _warm_up_linkage, _warm_up_label_kmeans, _warm_up_partition_moves,
    _warm_up_points, _warm_up_pcc, _warm_up_models, _warm_up_nbce, _warm_up_mixtures, _warm_up_internal,
    _warm_up_representatives,
)  # fmt: skip
