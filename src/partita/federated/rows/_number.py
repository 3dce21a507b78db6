"""The number of clusters of LWGP from rows of several sites: every site draws its own sample, and only sums leave it.

The pooled fit compares halves of the clusterings on a sample of 500 objects (``label_space/_cluster_number.py``). Each
site draws its part of the sample. What the test of chance, the embeddings of the halves and their k-means need of it
are tables and sums (eqs. S14 to S18). First centres of k-means are drawn among the labels of a half, not its objects.
"""

from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_entropies, cluster_tables
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.consensus.label_space._chance import FEWEST, LEVEL, p_value_against, pair_agreement
from partita.consensus.label_space._cluster_number import (
    N_SAMPLED,
    N_SPLITS,
    ClusterNumber,
    best_number,
    number_limit,
    one_row_per_object,
)
from partita.consensus.label_space._halves import (
    STEPS,
    HalvesAgreement,
    agreement_by_number,
    draw_halves,
    half_edges,
    leading_directions,
    means_of,
    nearest_centers,
    plus_plus,
    sums_of_clusters,
    tables_of_halves,
)
from partita.consensus.label_space._transfer_cut import cut_cells, membership_graph
from partita.federated._engine import Values
from partita.federated._incoming import (
    MOST_CLUSTERS,
    MOST_OBJECTS,
    array_of,
    kept,
    number_of,
    real_of,
    whole_numbers_of,
)
from partita.federated._sites import Sites
from partita.federated.rows._starts import n_sites_of, seed_of

_NUMBERS = 2**21  # of a reply with tables of shuffled labels, or of the graphs of halves: 16 MiB
_TINY = np.finfo(np.float64).tiny


class NumberLimit(NamedTuple):
    """How much there is to compare."""

    n_objects: int  # of all sites, that have a label
    max_clusters: int  # K


class SiteNumberProblem(NamedTuple):
    """What the number of clusters is chosen from, apart from the samples of the sites."""

    tables: ClusterTables
    singular_values: FloatArray  # s_1 >= s_2 >= ... of the transfer cut of all objects
    n_components: int  # parts of the ensemble that share no label
    theta: float
    limit: NumberLimit


class Half(NamedTuple):
    """One half of the clusterings."""

    cells: IntArray  # labels of its clusterings that the sample has
    edges: FloatArray  # weight of the edges of these cells


# -------------------------------------------------------------------------------------------------------- at a site
def _size(site: Any, values: Values) -> dict[str, Any]:
    """Objects and distinct rows of the site."""
    ensemble: Ensemble = site.rows.ensemble
    return {"objects": ensemble.row_weights.sum(keepdims=True), "rows": np.array([float(ensemble.n_rows)])}


def _draw(site: Any, values: Values) -> dict[str, Any]:
    """Draw the site's part of the sample (eq. S14); its tables, and how many objects each clustering labels there."""
    n_objects, n_sites = number_of(values, "n_objects", 1, MOST_OBJECTS), n_sites_of(site, values)
    counts, share = site.rows.ensemble.row_weights.astype(np.int64), min(1.0, N_SAMPLED / n_objects)
    rng = np.random.default_rng([seed_of(values), site.index])
    n_drawn = int(counts.sum() * share + rng.random() * (share < 1))
    site.memory["sample"] = rng.multivariate_hypergeometric(counts, n_drawn, method="marginals")
    sample = sample_of(site)
    labelled = np.zeros((n_sites, sample.n_clusterings))
    labelled[site.index] = sample.row_weights @ (sample.codes >= 0)
    return {"together": cluster_tables(sample).together, "labelled": labelled, "drawn": np.array([float(n_drawn)])}


def sample_of(site: Any) -> Ensemble:
    """The sampled rows, weighted by how often they were drawn."""
    sample: Ensemble = site.rows.ensemble.sample(kept(site.memory, "sample"))
    return sample


def _shuffle(site: Any, values: Values) -> dict[str, Any]:
    """Tables of labels in random order, one for each line of counts of the labels that the site is to have."""
    objects, rng = one_row_per_object(sample_of(site)), np.random.default_rng([seed_of(values), site.index])
    sent = whole_numbers_of(values, "counts", 0, MOST_OBJECTS, None, site.n_sites, objects.n_cells)
    counts = np.minimum(sent[:, site.index], objects.n_rows)  # no label more often than there are objects
    with threadpool_limits(limits=1):
        tables = [upper(cluster_tables(objects.with_rows(lay_out(objects, own, rng))).together) for own in counts]
    return {"tables": np.stack(tables)}


def lay_out(objects: Ensemble, counts: IntArray, rng: np.random.Generator) -> Codes:
    """Labels of given counts, in random order among the objects that each clustering labels."""
    codes = objects.codes.copy()
    for m, column in enumerate(codes.T):
        own = counts[objects.cell_clustering == m].astype(np.int64)
        column[column >= 0] = rng.permutation(np.repeat(np.arange(len(own), dtype=np.int32), own))
    return codes


def _graphs(site: Any, values: Values) -> dict[str, Any]:
    """Graphs of the labels of some halves, one after another (eq. S16)."""
    sample = sample_of(site)
    with threadpool_limits(limits=1):
        graphs = [
            upper(membership_graph(sample.indicator[:, half.cells], sample.row_weights, half.edges))
            for half in halves_from(values, sample.n_cells)
        ]
    return {"graphs": np.concatenate(graphs)}


def _embed(site: Any, values: Values) -> dict[str, Any]:
    """Embed the sample by all halves, and make the first step of k-means."""
    sample, n_vectors = sample_of(site), number_of(values, "n_vectors", 1, MOST_CLUSTERS)
    halves = halves_from(values, sample.n_cells)
    maps = maps_from(values, halves, n_vectors)
    centers_from(values, len(halves), n_vectors)  # before memory is taken for them
    vectors, weights = np.zeros((sample.n_rows, len(halves), n_vectors)), np.zeros((sample.n_rows, len(halves)))
    for h, (half, own) in enumerate(zip(halves, maps, strict=True)):
        H = sample.indicator[:, half.cells]
        degree = H @ half.edges
        vectors[:, h, : own.shape[1]] = (H @ own) / np.maximum(degree, _TINY)[:, None]
        weights[:, h] = np.where(degree > 0, sample.row_weights, 0.0)
    site.memory["half_vectors"], site.memory["half_weights"] = vectors, weights
    return _step(site, values)


def _step(site: Any, values: Values) -> dict[str, Any]:
    """Sums of the clusters of all halves, for all numbers of clusters (eq. S17)."""
    _, n_halves, n_vectors = kept(site.memory, "half_vectors").shape
    sums, weights = {}, site.memory["half_weights"].T
    with threadpool_limits(limits=1):
        for centers in centers_from(values, n_halves, n_vectors):
            k = centers.shape[1]
            P, labels = _nearest(site, centers)
            total, mass = sums_of_clusters(P, weights, labels, k)
            sums[f"sums-{k}"] = np.concatenate([total, mass[:, :, None]], axis=2)
    return sums


def _compare(site: Any, values: Values) -> dict[str, Any]:
    """Tables of the clusters of the two halves of each split (eq. S18); the sample is forgotten."""
    _, n_halves, n_vectors = kept(site.memory, "half_vectors").shape
    sent, weights = centers_from(values, n_halves, n_vectors), site.memory["half_weights"].T
    both = np.minimum(weights[::2], weights[1::2])
    with threadpool_limits(limits=1):
        labels = {centers.shape[1]: _nearest(site, centers)[1] for centers in sent}
    for name in ("sample", "half_vectors", "half_weights"):
        del site.memory[name]
    return {f"tables-{k}": tables_of_halves(own, both, k) for k, own in labels.items()}


def _nearest(site: Any, centers: FloatArray) -> tuple[FloatArray, IntArray]:
    """Points of the sample in all halves, (n_halves, n_rows, k), and their nearest centres."""
    P = leading_directions(site.memory["half_vectors"].swapaxes(0, 1), centers.shape[1])
    return P, nearest_centers(P, centers)


ANSWERS = {
    "number.size": _size,
    "number.draw": _draw,
    "number.shuffle": _shuffle,
    "number.graphs": _graphs,
    "number.embed": _embed,
    "number.step": _step,
    "number.compare": _compare,
}


# ------------------------------------------------------------------------------------------------ at the coordinator
def ask_limit(sites: Sites, max_clusters: int | None) -> NumberLimit:
    """The largest number that is compared; a row that two sites have counts as two rows."""
    found = sites.total("number.size", {}, {"objects": (1,), "rows": (1,)})
    n, rows = int(np.rint(found["objects"][0])), int(np.rint(found["rows"][0]))
    return NumberLimit(n, number_limit(n, max(rows, 2), max_clusters))


def choose_number(sites: Sites, problem: SiteNumberProblem, seed: int) -> ClusterNumber:
    """The number of clusters, as in the pooled fit."""
    if all_alike(problem.tables):
        return ClusterNumber(problem.n_components, "agreed")
    rng = np.random.default_rng(seed)
    t, m, n_sites = len(problem.tables.size), len(problem.tables.clustering_weights), len(sites.names)
    values = {"n_objects": problem.limit.n_objects, "n_sites": n_sites, "seed": _seed(rng)}
    found = sites.total("number.draw", values, {"together": (t, t), "labelled": (n_sites, m), "drawn": (1,)})
    sample = ClusterTables(
        np.rint(found["together"]), problem.tables.cell_clustering, problem.tables.clustering_weights
    )
    p_value = None
    if found["drawn"][0] > FEWEST - 0.5:
        p_value = chance(sites, sample, np.rint(found["labelled"]).astype(np.int64), rng)
        if p_value > LEVEL:
            return ClusterNumber(1, "chance", p_value)
    agreed = compare_halves(sites, problem, sample, rng)
    return best_number(agreed, problem.singular_values, m, p_value)


def all_alike(tables: ClusterTables) -> bool:
    """Whether no two different rows share a label: all objects of a label then have the same row (eq. S20)."""
    G = tables.together
    return bool(((G == 0) | (tables.size[:, None] == G)).all())


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


# --------------------------------------------------------------------------------------------------- the test of chance
def chance(sites: Sites, sample: ClusterTables, labelled: IntArray, rng: np.random.Generator) -> float:
    """P-value of the test of chance, with the labels of all sites shuffled among all of them (eq. S15)."""
    t = len(sample.size)
    if len(sample.clustering_weights) < 2:
        return 1.0

    def shuffled(n: int) -> list[float]:
        values: list[float] = []
        most = max(1, _NUMBERS // (t * (t + 1) // 2))
        while len(values) < n:
            counts = np.stack([deal(sample, labelled, rng) for _ in range(min(most, n - len(values)))])
            asked = {"counts": counts, "seed": _seed(rng)}
            found = sites.total("number.shuffle", asked, {"tables": (len(counts), t * (t + 1) // 2)})["tables"]
            values += [pair_agreement(_with_table(sample, np.rint(lower), t)) for lower in found]
        return values

    return p_value_against(pair_agreement(sample), shuffled)


def deal(sample: ClusterTables, labelled: IntArray, rng: np.random.Generator) -> IntArray:
    """How many of each label go to each site, (n_sites, t), if all labels are dealt at random (eq. S15)."""
    counts = np.zeros((len(labelled), len(sample.size)), dtype=np.int64)
    for m, room in enumerate(labelled.T):
        own = np.flatnonzero(sample.cell_clustering == m)
        left = sample.size[own].astype(np.int64)
        for site, n in enumerate(room):
            counts[site, own] = rng.multivariate_hypergeometric(left, int(n), method="marginals")
            left = left - counts[site, own]
    return counts


def _with_table(tables: ClusterTables, lower: FloatArray, t: int) -> ClusterTables:
    return ClusterTables(symmetric(lower, t), tables.cell_clustering, tables.clustering_weights)


# ----------------------------------------------------------------------------------------------------------- halves
def compare_halves(
    sites: Sites, problem: SiteNumberProblem, sample: ClusterTables, rng: np.random.Generator
) -> HalvesAgreement:
    """Agreement of halves of the clusterings on the samples of all sites (eqs. S16 to S18)."""
    K, tables = problem.limit.max_clusters, problem.tables
    entropies, seen = cluster_entropies(tables), tables.seen
    halves = []
    for chosen in draw_halves(len(tables.clustering_weights), N_SPLITS, rng):
        cells = np.flatnonzero(np.isin(tables.cell_clustering, chosen) & (sample.size > 0))
        halves.append(Half(cells, half_edges(cells, chosen, entropies, seen, tables, problem.theta)))
    with threadpool_limits(limits=1):
        maps = [cut_cells(W, half.edges, K).cell_map for half, W in zip(halves, ask_graphs(sites, halves), strict=True)]
    centers = first_centers(halves, maps, sample.size, K, rng)
    values = {**_halves_values(halves), "maps": maps, "n_vectors": K}
    centers, last = _move(sites, "number.embed", {**values, "centers": centers}), None
    for _ in range(STEPS - 2):
        if last is not None and all(map(np.array_equal, centers, last)):
            break
        centers, last = _move(sites, "number.step", {"centers": centers}), centers
    shapes = {f"tables-{k}": (N_SPLITS, k, k) for k in range(2, K + 1)}
    found = sites.total("number.compare", {"centers": centers}, shapes)
    return agreement_by_number(np.rint(found[f"tables-{k}"]) for k in range(2, K + 1))


def ask_graphs(sites: Sites, halves: list[Half]) -> list[FloatArray]:
    """Graph of the labels of every half, in messages of bounded size (eq. S16)."""
    lengths = np.array([len(half.cells) * (len(half.cells) + 1) // 2 for half in halves])
    message = np.cumsum(lengths) // _NUMBERS
    graphs: list[FloatArray] = []
    for number in np.unique(message):
        asked = [half for half, own in zip(halves, message, strict=True) if own == number]
        length = int(lengths[message == number].sum())
        found = sites.total("number.graphs", _halves_values(asked), {"graphs": (length,)})["graphs"]
        parts = np.split(found, np.cumsum(lengths[message == number])[:-1])
        graphs += [symmetric(part, len(half.cells)) for part, half in zip(parts, asked, strict=True)]
    return graphs


def first_centers(
    halves: list[Half], maps: list[FloatArray], size: FloatArray, K: int, rng: np.random.Generator
) -> list[FloatArray]:
    """First centres of all halves, for k = 2, ..., K: labels drawn by plain k-means++, weighted by their objects."""
    vectors, weights = np.zeros((len(halves), len(size), K)), np.zeros((len(halves), len(size)))
    for h, (half, own) in enumerate(zip(halves, maps, strict=True)):
        vectors[h, half.cells, : own.shape[1]] = own / half.edges[:, None]
        weights[h, half.cells] = size[half.cells]
    return [plus_plus(leading_directions(vectors, k), weights, k, rng) for k in range(2, K + 1)]


def _move(sites: Sites, question: str, values: dict[str, Any]) -> list[FloatArray]:
    """One step of Lloyd for all halves and all numbers of clusters."""
    before = values["centers"]
    shapes = {f"sums-{own.shape[1]}": (len(own), own.shape[1], own.shape[1] + 1) for own in before}
    found = sites.total(question, values, shapes)
    return [
        means_of(found[f"sums-{own.shape[1]}"][:, :, :-1], np.rint(found[f"sums-{own.shape[1]}"][:, :, -1]), own)
        for own in before
    ]


# ------------------------------------------------------------------------------------------------ as plain values
def _halves_values(halves: list[Half]) -> dict[str, Any]:
    return {"cells": [half.cells for half in halves], "edges": [half.edges for half in halves]}


def halves_from(values: Values, n_cells: int) -> list[Half]:
    """Halves as they were sent."""
    both = zip(values["cells"], values["edges"], strict=True)
    return [_half_from({"cells": cells, "edges": edges}, n_cells) for cells, edges in both]


def _half_from(values: Values, n_cells: int) -> Half:
    cells = whole_numbers_of(values, "cells", 0, n_cells - 1, None)
    return Half(cells, array_of(values, "edges", len(cells)))


def maps_from(values: Values, halves: list[Half], n_vectors: int) -> list[FloatArray]:
    """Embeddings of the labels of each half as they were sent; fewer labels than vectors have as many as labels."""
    return [
        array_of({"maps": own}, "maps", len(half.cells), min(len(half.cells), n_vectors))
        for half, own in zip(halves, values["maps"], strict=True)
    ]


def centers_from(values: Values, n_halves: int, n_vectors: int) -> list[FloatArray]:
    """Centres of all halves as they were sent, for k = 2, 3, ..., ``n_vectors``."""
    pairs = zip(range(2, n_vectors + 1), values["centers"], strict=True)
    return [array_of({"centers": own}, "centers", n_halves, k, k) for k, own in pairs]


def upper(table: FloatArray) -> Array:
    """A symmetric table without what it has twice."""
    return table[np.triu_indices(len(table))]


def symmetric(entries: FloatArray, t: int) -> FloatArray:
    """The table from ``upper``."""
    table = np.zeros((t, t))
    table[np.triu_indices(t)] = entries
    return table + np.triu(table, 1).T


def choice_values(choice: ClusterNumber) -> dict[str, Any]:
    """The reasons for a number of clusters, as plain values."""
    return {**asdict(choice), "halves": None if choice.halves is None else choice.halves._asdict()}


def choice_from(values: Values) -> ClusterNumber:
    """The same again."""
    halves, p_value = values.get("halves"), values.get("p_value")
    numbers = whole_numbers_of(values, "numbers", 2, MOST_CLUSTERS, 0 if halves is None else None)
    score, gap = (array_of(values, name, len(numbers)) for name in ("score", "gap"))
    return ClusterNumber(
        number_of(values, "n_clusters", 1, MOST_CLUSTERS),
        str(values.get("verdict")),
        None if p_value is None else real_of(values, "p_value"),
        numbers,
        score,
        gap,
        None if halves is None else _agreement_from(halves, len(numbers)),
    )


def _agreement_from(values: Values, n: int) -> HalvesAgreement:
    shared, apart, rand = (array_of(values, name, n) for name in ("shared", "apart", "rand"))
    return HalvesAgreement(whole_numbers_of(values, "numbers", 2, MOST_CLUSTERS, n), shared, apart, rand)
