"""k-means on embedded rows of several sites: starts and Lloyd's steps from sums, so that no point leaves its site.

Means of clusters are sums over objects (eq. S12): from the same first centres every step is that of the pooled points,
one exchange per step and all starts in one message. Pooled k-means draws its first centres among the points. Here they
come from what are sums already (eq. S13): the means of the points of each label, and the centres of small clusters that
every site finds among its own points, in a place of its own of one array, none of them of fewer than 5 objects.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._typing import Array, FloatArray, IntArray
from partita.consensus.kmeans._weighted_kmeans import (
    cluster_sums,
    kmeans_ends,
    kmeans_starts,
    nearest_center,
    weighted_kmeans,
)
from partita.consensus.label_space._embedded_rows import SAMPLE, embed_rows
from partita.consensus.label_space._transfer_cut import TransferCut
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, MOST_STARTS, array_of, kept, number_of, whole_numbers_of
from partita.federated._sites import Sites
from partita.federated.rows._starts import n_sites_of, seed_of
from partita.metrics._confidence import count_cells

FEWEST_OF_CENTER = 5  # objects of a centre that a site sends before the steps: the centre of one object is that object
PARTS = 4  # centres of a site for each cluster: with 1, a third of small noisy ensembles ended above the pooled inertia
_ROOM = 7  # objects for each centre of a small site, so that most centres have 5
_SITE_STARTS = 3  # of k-means at a site, whose clusters are only a finer grid
MAX_STEPS = 100  # Lloyd's steps, as in weighted_kmeans; starts from centres that are means already need 5 to 20
_HALF = 0.5  # counts are whole: what decrypted sums differ by must not make an empty cluster, or one that moves
_DIGITS = 9  # in which centres of two starts differ, if they do


class Points(NamedTuple):
    """Weighted points."""

    vectors: FloatArray  # (n, d)
    weights: FloatArray  # (n,)


class LloydSums(NamedTuple):
    """What one step needs of points, for several starts."""

    total: FloatArray  # (n_starts, k, d) sum of the points of each cluster
    mass: FloatArray  # (n_starts, k) its weight
    changed: FloatArray  # (n_starts,) points whose cluster is another one than before


class LloydEnd(NamedTuple):
    """Where the starts end."""

    centers: FloatArray  # (n_starts, k, d)
    mass: FloatArray  # (n_starts, k) 0 for clusters that no point is in
    inertia: FloatArray  # (n_starts,) sum of w |x - c|^2, less the same number for all starts, sum of w |x|^2


class SiteClusters(NamedTuple):
    """Clusters of the rows of all sites."""

    centers: FloatArray  # (at most k, d)
    cells: FloatArray  # (t, at most k) objects of each label in each cluster
    inertia: float  # as in LloydEnd


# -------------------------------------------------------------------------------------------------------- at a site
def lloyd_sums(points: Points, centers: FloatArray, labels: Array, starts: IntArray) -> LloydSums:
    """Sums of the clusters of some starts; their columns of ``labels``, (n, n_starts), are brought up to date."""
    found = []
    for start, own in zip(starts, centers, strict=True):
        nearest = nearest_center(points.vectors, own)
        changed = np.count_nonzero(nearest != labels[:, start])
        labels[:, start] = nearest
        found.append((*cluster_sums(*points, nearest, len(own)), float(changed)))
    total, mass, moved = zip(*found, strict=True)
    return LloydSums(np.stack(total), np.stack(mass), np.array(moved))


def _open(site: Any, values: Values) -> dict[str, Any]:
    """Embed the rows; sums of their points by label, and the site's own centres in its place."""
    ensemble: Ensemble = site.rows.ensemble
    cut, k = cut_from(values, ensemble.n_cells), number_of(values, "n_clusters", 1, MOST_CLUSTERS)
    n_sites, seed = n_sites_of(site, values), seed_of(values)
    points = Points(embed_rows(cut, ensemble, None), ensemble.row_weights)
    site.memory["points"] = points.vectors
    seeds = np.random.default_rng([seed, site.index]).integers(2**31, size=2).tolist()
    centers = np.zeros((n_sites, PARTS * k, points.vectors.shape[1] + 1))
    own = own_centers(points, PARTS * k, *seeds)
    centers[site.index, : len(own)] = own
    labels = ensemble.indicator.T @ (points.vectors * points.weights[:, None])
    return {"labels": labels, "centers": centers}


def own_centers(points: Points, k: int, seed: int, sample_seed: int) -> FloatArray:
    """Sums and weights of clusters of these points, (at most k, d + 1), none of them of fewer than 5 objects."""
    few = points
    if len(points.weights) > SAMPLE:
        share = points.weights / points.weights.sum()
        drawn = np.random.default_rng(sample_seed).multinomial(SAMPLE, share)
        few = Points(points.vectors[drawn > 0], drawn[drawn > 0].astype(np.float64))
    number = int(min(k, max(1.0, points.weights.sum() // _ROOM)))
    centers = weighted_kmeans(*few, number, n_init=_SITE_STARTS, seed=seed).centers
    while len(centers):
        total, mass = cluster_sums(*points, nearest_center(points.vectors, centers), len(centers))
        if mass.min() >= FEWEST_OF_CENTER:
            return np.column_stack([total, mass])
        centers = np.delete(centers, mass.argmin(), axis=0)  # its objects join others
    return np.empty((0, points.vectors.shape[1] + 1))


def _step(site: Any, values: Values) -> dict[str, Any]:
    """Nearest centres of the site's points."""
    points = Points(kept(site.memory, "points"), site.rows.ensemble.row_weights)
    is_first = bool(values.get("is_first"))
    n_starts = MOST_STARTS if is_first else kept(site.memory, "nearest").shape[1]
    starts = whole_numbers_of(values, "starts", 0, n_starts - 1, None)
    centers = array_of(values, "centers", len(starts), None, points.vectors.shape[1])
    if is_first:
        site.memory["nearest"] = np.full((len(points.weights), int(starts.max()) + 1), -1, dtype=np.int32)
    return lloyd_sums(points, centers, site.memory["nearest"], starts)._asdict()


def _close(site: Any, values: Values) -> dict[str, Any]:
    """Sizes of the clusters of one start, and of their labels; the points are forgotten, they follow from the model."""
    nearest = kept(site.memory, "nearest")
    labels: IntArray = nearest[:, number_of(values, "start", 0, nearest.shape[1] - 1)].astype(np.int64)
    k = number_of(values, "n_clusters", int(labels.max(initial=0)) + 1, MOST_CLUSTERS)
    for name in ("nearest", "points"):
        del site.memory[name]
    return count_cells(site.rows.ensemble, labels, k)._asdict()


ANSWERS = {"lloyd.open": _open, "lloyd.step": _step, "lloyd.close": _close}


def cut_from(values: Values, n_cells: int) -> TransferCut:
    """An embedding as it was sent."""
    cell_map = array_of(values, "cell_map", n_cells, None)
    return TransferCut(np.empty(0), array_of(values, "cell_weights", n_cells), cell_map)


# ------------------------------------------------------------------------------------------------ at the coordinator
def cluster_sites(
    sites: Sites,
    cut: TransferCut,
    size: FloatArray,
    n_clusters: int,
    *,
    seed: int,
    n_init: int,
    own: Points | None = None,
) -> SiteClusters:
    """Clusters of the lowest inertia of the rows of all sites in an embedding (eqs. S12, S13).

    ``size`` is the weight of each label; ``own`` are points of the coordinator that are clustered with the rows.
    """
    known = known_means(sites, cut, size, n_clusters, seed)
    end = climb(sites, first_centers(known, n_clusters, n_init, seed), own=own, spare=join(known))
    best = int(end.inertia.argmin())
    shapes = {"cells": (len(size), n_clusters), "sizes": (n_clusters,)}
    found = sites.total("lloyd.close", {"start": best, "n_clusters": n_clusters}, shapes)
    used = found["sizes"] > _HALF  # new rows join clusters with objects only
    return SiteClusters(end.centers[best][used], found["cells"][:, used], float(end.inertia[best]))


def known_means(sites: Sites, cut: TransferCut, size: FloatArray, n_clusters: int, seed: int) -> list[Points]:
    """Means of the points of each label, and centres that the sites found among their own points (eq. S13)."""
    (t, d), n_sites, n_centers = cut.cell_map.shape, len(sites.names), PARTS * n_clusters
    values = {"cell_map": cut.cell_map, "cell_weights": cut.cell_weights, "n_clusters": n_clusters}
    shapes = {"labels": (t, d), "centers": (n_sites, n_centers, d + 1)}
    found = sites.total("lloyd.open", {**values, "seed": seed, "n_sites": n_sites}, shapes)
    of_sites = found["centers"].reshape(-1, d + 1)
    of_sites = of_sites[of_sites[:, -1] > _HALF]
    return [
        Points(found["labels"] / np.maximum(size, 1.0)[:, None], size),
        Points(of_sites[:, :-1] / of_sites[:, -1:], of_sites[:, -1]),
    ]


def first_centers(known: list[Points], n_clusters: int, n_init: int, seed: int) -> FloatArray:
    """Centres to start from, (n_starts, k, d): clusters of known means, of each kind and of all, and draws of them."""
    together = join(known)
    ends = [kmeans_ends(*means, n_clusters, n_init, seed) for means in (*known, together) if len(means.weights)]
    return distinct_starts(np.concatenate([*ends, kmeans_starts(*together, n_clusters, n_init, seed)]))


def join(known: list[Points]) -> Points:
    """All of them."""
    vectors, weights = zip(*known, strict=True)
    return Points(np.concatenate(vectors), np.concatenate(weights))


def climb(
    sites: Sites, first: FloatArray, *, own: Points | None = None, spare: Points | None = None, steps: int = MAX_STEPS
) -> LloydEnd:
    """Lloyd's steps from given centres, (n_starts, k, d), until no point changes its cluster (eq. S12).

    ``spare`` are points from which an empty cluster takes the one that is worst off; without, it keeps its centre.
    """
    centers, moving = first.copy(), np.arange(len(first))
    mass, inertia = np.zeros(first.shape[:2]), np.full(len(first), np.inf)
    labels = np.full((0 if own is None else len(own.weights), len(first)), -1, dtype=np.int32)
    for step in range(steps):
        sums = ask_step(sites, centers[moving], moving, is_first=step == 0)
        if own is not None:
            sums = LloydSums(*map(np.add, sums, lloyd_sums(own, centers[moving], labels, moving)))
        mass[moving], inertia[moving] = sums.mass, spread(sums, centers[moving])
        still = sums.changed > _HALF
        moving = moving[still]
        if not len(moving) or step == steps - 1:
            break
        centers[moving] = means_of(LloydSums(*(array[still] for array in sums)), centers[moving], spare)
    return LloydEnd(centers, mass, inertia)


def ask_step(sites: Sites, centers: FloatArray, starts: IntArray, *, is_first: bool) -> LloydSums:
    """Sums of one step over all sites."""
    n_starts, k, d = centers.shape
    shapes = {"total": (n_starts, k, d), "mass": (n_starts, k), "changed": (n_starts,)}
    values = {"centers": centers, "starts": starts, "is_first": is_first}
    return LloydSums(**sites.total("lloyd.step", values, shapes))


def spread(sums: LloydSums, centers: FloatArray) -> FloatArray:
    """Inertia of each start from its sums, less sum of w |x|^2: sum over clusters of N |c|^2 - 2 c' (sum of w x)."""
    length = np.einsum("skd,skd->sk", centers, centers)
    return np.asarray((sums.mass * length - 2 * np.einsum("skd,skd->sk", centers, sums.total)).sum(axis=1))


def means_of(sums: LloydSums, centers: FloatArray, spare: Points | None) -> FloatArray:
    """New centres; an empty cluster keeps its own, or takes a spare point."""
    used = sums.mass > _HALF
    means = np.where(used[:, :, None], sums.total / np.where(used, sums.mass, 1.0)[:, :, None], centers)
    if spare is not None:
        for start, cluster in np.argwhere(~used):
            others = np.delete(means[start], cluster, axis=0)
            distance = ((spare.vectors[:, None] - others) ** 2).sum(axis=2).min(axis=1)
            means[start, cluster] = spare.vectors[(distance * spare.weights).argmax()]
    return means


def distinct_starts(starts: FloatArray) -> FloatArray:
    """The starts without those that differ in the order of their centres alone."""
    first = {np.unique(own.round(_DIGITS) + 0.0, axis=0).tobytes(): own for own in starts[::-1]}
    return np.stack(list(first.values())[::-1])
