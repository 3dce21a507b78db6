"""Representatives of many objects, and the few that are nearest to each object (eqs. R57, R58)."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from partita._memory import ensure_memory
from partita._runs import block_edges
from partita._typing import Array, FloatArray, IntArray

_SAMPLED = 10  # objects per representative from which they are made, as in the U-SPEC paper
_STEPS = 10  # of k-means, which only has to spread them; the paper takes 5
_MOST = 1000  # representatives, unless more are asked for, as in the paper
# Representatives stand for several objects each: with one per object, links to 5 of them are a graph so thin that the
# cut follows its gaps. On moons, circles, wine and iris a half, a fifth and a tenth were all much better than all.
_OBJECTS_EACH = 5
_CANDIDATES = 10  # K' = 10 K representatives near one representative are compared with an object, as in the paper


class Links(NamedTuple):
    """The nearest representatives of each object, nearest first."""

    nearest: Array  # (n, K) int32
    squared: FloatArray  # (n, K) squared distances

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of objects and of links of each."""
        return self.nearest.shape

    def take(self, objects: Any) -> "Links":
        """Those of some objects."""
        return Links(self.nearest[objects], self.squared[objects])


class Representatives(NamedTuple):
    """Points that stand for the objects, in regions, so that few of them are compared with an object."""

    points: FloatArray  # (p, d), sorted by region
    regions: FloatArray  # (r, d) centres
    first: IntArray  # (r + 1,) the points of region g are points[first[g] : first[g + 1]]
    near: Array  # (p, K') int32, points near each point, nearest first and itself among them
    radius: FloatArray  # (p, K') their distances from it

    def link(self, X: FloatArray, n_neighbours: int) -> Links:
        """The nearest representatives of each object, at a cost of sqrt(p) + K' distances each (eq. R58)."""
        from partita._kernels.representatives import nearest_by_regions

        shape = len(X), min(n_neighbours, len(self.points))
        links = Links(np.empty(shape, dtype=np.int32), np.empty(shape))
        for lo, hi in block_edges(len(X), 0):  # float32 becomes float64 one block at a time
            block = np.ascontiguousarray(X[lo:hi], dtype=np.float64)
            nearest_by_regions(block, *self, links.nearest[lo:hi], links.squared[lo:hi])
        return links


def usual_number(n_objects: int) -> int:
    """Number of representatives if none is given (eq. R63)."""
    return min(_MOST, -(-n_objects // _OBJECTS_EACH))


def make_representatives(X: FloatArray, n_representatives: int, n_neighbours: int, seed: int) -> Representatives:
    """Representatives of the objects, and how they are searched."""
    points = choose_points(X, n_representatives, seed)
    return arrange(points, n_neighbours, seed)


def choose_points(X: FloatArray, n_points: int, seed: int) -> FloatArray:
    """Centres of k-means of a sample of the objects; the objects themselves if they are not more (eq. R57)."""
    n_sampled = min(len(X), _SAMPLED * n_points)
    sample = X
    if n_sampled < len(X):
        # a random stream of its own: k-means starts from the seed itself
        sample = X[np.sort(np.random.default_rng([seed, 2]).choice(len(X), n_sampled, replace=False))]
    distinct = np.unique(sample, axis=0)
    if len(distinct) > n_points:
        model = KMeans(n_points, init="random", n_init=1, max_iter=_STEPS, random_state=seed).fit(sample)
        distinct = np.unique(model.cluster_centers_, axis=0)
    return np.ascontiguousarray(distinct, dtype=np.float64)


def arrange(points: FloatArray, n_neighbours: int, seed: int) -> Representatives:
    """Distinct points in floor(sqrt(p)) regions, with the points near each."""
    from partita._kernels.representatives import nearest_of_all

    p = len(points)
    model = KMeans(max(1, int(np.sqrt(p))), n_init=1, random_state=seed).fit(points)
    used, region = np.unique(model.labels_, return_inverse=True)
    points = np.ascontiguousarray(points[np.argsort(region, kind="stable")])
    near = np.empty((p, min(p, _CANDIDATES * n_neighbours + 1)), dtype=np.int32)
    radius = np.empty(near.shape)
    nearest_of_all(points, points, near, radius)
    return Representatives(
        points,
        np.ascontiguousarray(model.cluster_centers_[used], dtype=np.float64),
        np.concatenate([[0], np.cumsum(np.bincount(region))]).astype(np.int64),
        near,
        np.sqrt(radius),
    )


def check_representatives(name: str, p: int, n_neighbours: int, n_clusters: int, n_objects: int) -> None:
    """Refuse, before any work, fewer representatives than clusters, or more than memory holds."""
    if n_clusters > p:
        raise ValueError(
            f"n_clusters={n_clusters} exceeds {name}={p}; pass smaller numbers of clusters or a larger {name}."
        )
    links = 12 * n_objects * min(n_neighbours, p)
    ensure_memory(
        4 * 8 * p * p + links,
        purpose=f"tables of all pairs of {p} representatives, and {min(n_neighbours, p)} links of each object",
        instead=f"pass a smaller {name}, n_neighbours or sample_fraction.",
    )
