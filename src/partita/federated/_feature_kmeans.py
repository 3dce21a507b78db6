"""Base clusterings of features of several sites: k-means on sums, so that the clusterings correspond at all sites.

Each site has its own objects, with the same features. Centres are means over objects, so that sites send sums and
sizes of clusters and keep their objects; all clusterings go into one message, one exchange per iteration (eq. S38).
From the same centres every iteration is that of the pooled objects.

Pooled k-means begins at objects drawn at random. Here each site sends once the sums, squares and sizes of small
clusters of its own objects, none of them of fewer than 5 objects, and centres are drawn from the mixture of normal
distributions with these means and variances: as many as one likes, and none of them an object (eq. S39).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from partita._checks import check_count
from partita._features import check_points
from partita._runs import draw_seeds, progress, warn
from partita._typing import FloatArray, IntArray
from partita.consensus.kmeans._weighted_kmeans import cluster_sums, nearest_center, weighted_kmeans
from partita.exceptions import SiteError, SkippedClusteringWarning
from partita.federated._engine import InProcess, Values
from partita.federated._incoming import (
    LARGEST_SEED,
    MOST_CLUSTERINGS,
    MOST_CLUSTERS,
    array_of,
    number_of,
    place_among_sites,
    whole_numbers_of,
)
from partita.federated._sites import PlainSites, Sites
from partita.federated.encryption._sealed_sites import sealed_sites
from partita.generation._cluster_numbers import draw_numbers

FEWEST_OF_CENTER = 5  # objects of a cluster of which a site sends sums: those of one object are that object
_OBJECTS_PER_CENTER = 10  # of a site's own clusters, on average: most of them then have 5
_MOST_CENTERS = 100  # of one site
_SAMPLE = 5000  # objects of a site among which it finds its own clusters
_DRAWS = 10  # iterations in which a centre without objects is drawn again; later it keeps its place


# -------------------------------------------------------------------------------------------------------- at a site
class FeatureSite:
    """Objects of one owner, with features; answers by sums, and has the labels of its own objects in the end.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The same features, in the same order and units, as at the other sites.
    name : str
        Name of the site, as the others know it.
    min_objects : int, default=10
        A site with fewer objects does not take part.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects, n_clusterings)
        After the clusterings were made.
    """

    def __init__(self, X: Any, *, name: str, min_objects: int = 10) -> None:
        self.name = name
        self._names = [str(column) for column in getattr(X, "columns", [])]
        self._points: FloatArray = check_points(X, name="X")
        if len(self._points) < min_objects:
            raise ValueError(
                f"this site has {len(self._points)} objects, and min_objects={min_objects}: sums over so few objects "
                "would say much about each of them. Join a site with more objects, or lower min_objects."
            )
        self._nearest: IntArray  # (n, n_clusterings)
        self._sizes: IntArray  # (n_clusterings,) numbers of clusters
        self.labels_: IntArray

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question."""
        answers = {
            "features.open": self._open,
            "features.count": self._count,
            "features.clusters": self._clusters,
            "features.step": self._step,
            "features.close": self._close,
        }
        if question not in answers:
            raise ValueError(f"there is no question {question!r:.60}; the other side may run another version.")
        return answers[question](values)

    def _open(self, values: Values) -> dict[str, Any]:
        self._index, self._n_sites = place_among_sites(values, self.name)
        return {"n_features": self._points.shape[1], "names": self._names}

    def _count(self, values: Values) -> dict[str, Any]:
        return {"n": np.array([float(len(self._points))]), "total": self._points.sum(axis=0)}

    def _clusters(self, values: Values) -> dict[str, Any]:
        """Sizes, sums and sums of squares of clusters of the site's own objects, in its place among the sites."""
        mean, n_sites = array_of(values, "mean", self._points.shape[1]), self._n_sites
        n_clusterings = number_of(values, "n_clusterings", 1, MOST_CLUSTERINGS)
        rng = np.random.default_rng([number_of(values, "seed", 0, LARGEST_SEED), self._index])
        told = np.zeros((number_of(values, "n_sites", n_sites, n_sites), _MOST_CENTERS, 1 + 2 * len(mean)))
        self._centred, self._nearest = self._points - mean, np.full((len(self._points), n_clusterings), -1)
        self._sizes = np.zeros(n_clusterings, dtype=np.int64)
        own = small_clusters(self._centred, rng)
        told[self._index, : len(own)] = own
        return {"clusters": told}

    def _step(self, values: Values) -> dict[str, Any]:
        """Sums and sizes of the clusters of each clustering, and how many objects moved."""
        places = self._places(values)
        sizes = whole_numbers_of(values, "n_clusters", 1, MOST_CLUSTERS, len(places))
        centers = array_of(values, "centers", int(sizes.sum()), self._points.shape[1])
        self._sizes[places] = sizes
        sums = [
            step_sums(self._centred, own, self._nearest[:, place])
            for place, own in zip(places, np.split(centers, np.cumsum(sizes)[:-1]), strict=True)
        ]
        total, mass, moved = zip(*sums, strict=True)
        return {"total": np.concatenate(total), "mass": np.concatenate(mass), "moved": np.array(moved)}

    def _close(self, values: Values) -> dict[str, Any]:
        """Labels of the clusterings that are kept, numbered as at all sites."""
        columns = [
            self._numbers(number, int(self._sizes[place]))[self._nearest[:, place]]
            for place, number in zip(self._places(values), values["numbers"], strict=True)
        ]
        self.labels_ = np.column_stack(columns)
        return {"ready": True}

    def _places(self, values: Values) -> IntArray:
        """Clusterings that a message is about."""
        return whole_numbers_of(values, "clusterings", 0, self._nearest.shape[1] - 1, None)

    def _numbers(self, sent: Any, k: int) -> IntArray:
        """New numbers of the clusters of one clustering as they were sent, -1 for those without objects."""
        return whole_numbers_of({"numbers": sent}, "numbers", -1, k - 1, k)


def small_clusters(points: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Size, sum and sum of squares of clusters, (at most 100, 1 + 2 d); those of fewer than 5 objects are left out."""
    n = len(points)
    few = points if n <= _SAMPLE else points[rng.choice(n, _SAMPLE, replace=False)]
    k = min(_MOST_CENTERS, max(1, n // _OBJECTS_PER_CENTER))
    found = weighted_kmeans(few, np.ones(len(few)), k, n_init=1, seed=int(rng.integers(2**31))).centers
    nearest, ones = nearest_center(points, found), np.ones(n)
    total, mass = cluster_sums(points, ones, nearest, len(found))
    squares, _ = cluster_sums(points**2, ones, nearest, len(found))
    return np.column_stack([mass, total, squares])[mass >= FEWEST_OF_CENTER]


def step_sums(points: FloatArray, centers: FloatArray, nearest: IntArray) -> tuple[FloatArray, FloatArray, float]:
    """Sums and sizes of the clusters of these centres, and the number of points that moved; ``nearest`` is renewed."""
    found = nearest_center(points, centers)
    moved = float(np.count_nonzero(found != nearest))
    nearest[:] = found
    return *cluster_sums(points, np.ones(len(points)), found, len(centers)), moved


# ------------------------------------------------------------------------------------------------ at the coordinator
class Draws(NamedTuple):
    """A mixture of normal distributions, from which centres are drawn (eq. S39)."""

    share: FloatArray  # (c,)
    mean: FloatArray  # (c, d)
    deviation: FloatArray  # (c, d)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Points that look like objects."""
        chosen = rng.choice(len(self.share), n, p=self.share)
        return np.asarray(rng.normal(self.mean[chosen], self.deviation[chosen]))


class Ended(NamedTuple):
    """Where the clusterings end."""

    centers: list[FloatArray]  # of each clustering
    mass: list[FloatArray]  # sizes of their clusters
    converged: list[bool]


def cluster_features(
    sites: Sites, n_clusterings: int, n_clusters: Any, *, max_iter: int, random_state: Any, show: bool = False
) -> None:
    """Make the clusterings; every site has then the labels of its own objects."""
    n_features = agree_features(sites.each("features.open", {"names": sites.names}))
    counted = sites.total("features.count", {}, {"n": (1,), "total": (n_features,)})
    n = round(float(counted["n"][0]))
    *seeds, number_seed, site_seed = draw_seeds(random_state, n_clusterings + 2).tolist()
    numbers = draw_numbers(n_clusters, n_clusterings, n, number_seed)
    draws = ask_draws(sites, counted["total"] / n, n_clusterings, site_seed)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    first = [draws.draw(k, rng) for k, rng in zip(numbers, rngs, strict=True)]
    ended = run_lloyd(sites, first, draws, rngs, max_iter=max_iter, show=show)
    kept = [place for place, converged in enumerate(ended.converged) if converged]
    _warn_left_out(n_clusterings - len(kept), n_clusterings, max_iter)
    sites.each("features.close", {"clusterings": kept, "numbers": [_number(ended.mass[place]) for place in kept]})


def agree_features(replies: dict[str, Any]) -> int:
    """Number of features, the same at all sites; names, where sites have them, are the same too."""
    first = next(iter(replies))
    expected, names = replies[first]["n_features"], replies[first]["names"]
    for site, reply in replies.items():
        if reply["n_features"] != expected:
            raise SiteError({site: f"has {reply['n_features']} features, and site {first!r} has {expected}"})
        if names and reply["names"] and reply["names"] != names:
            raise SiteError({site: f"has features {reply['names']}, and site {first!r} has {names}"})
    return int(expected)


def ask_draws(sites: Sites, mean: FloatArray, n_clusterings: int, seed: int) -> Draws:
    """The small clusters of all sites as a mixture of normal distributions."""
    n_sites, d = len(sites.names), len(mean)
    asked = {"mean": mean, "seed": seed, "n_sites": n_sites, "n_clusterings": n_clusterings}
    found = sites.total("features.clusters", asked, {"clusters": (n_sites, _MOST_CENTERS, 1 + 2 * d)})["clusters"]
    clusters = found.reshape(-1, 1 + 2 * d)
    clusters = clusters[clusters[:, 0] > 0]
    if not len(clusters):
        raise ValueError(
            f"no site has a cluster of {FEWEST_OF_CENTER} objects, of which it could send the mean; join sites with "
            "more objects."
        )
    mass, total, squares = clusters[:, :1], clusters[:, 1 : 1 + d], clusters[:, 1 + d :]
    means = total / mass
    variance = np.maximum(squares / mass - means**2, 0.0)
    return Draws(mass[:, 0] / mass.sum(), means, np.sqrt(variance))


def run_lloyd(
    sites: Sites,
    first: list[FloatArray],
    draws: Draws,
    rngs: list[np.random.Generator],
    *,
    max_iter: int,
    show: bool = False,
) -> Ended:
    """Lloyd's iteration of all clusterings, until no object moves (eq. S38)."""
    centers, mass, moving = list(first), [np.zeros(len(one)) for one in first], list(range(len(first)))
    with progress(max_iter, "federated k-means", show=show) as bar:
        for step in range(max_iter):
            total, moved = _ask_step(sites, moving, centers, mass)
            still = [place for place, n_moved in zip(moving, moved, strict=True) if n_moved > 0]
            for place in still:
                centers[place] = _means(total[place], mass[place], centers[place])
                empty = np.flatnonzero(mass[place] == 0)
                if step < _DRAWS and len(empty):
                    centers[place][empty] = draws.draw(len(empty), rngs[place])
            moving = still
            bar.update(1)
            if not moving:
                break
    return Ended(centers, mass, [place not in moving for place in range(len(first))])


def _ask_step(
    sites: Sites, moving: list[int], centers: list[FloatArray], mass: list[FloatArray]
) -> tuple[dict[int, FloatArray], list[float]]:
    """Sums of the clusters of the clusterings that still move, and how many objects of each moved."""
    sizes = [len(centers[place]) for place in moving]
    joined = np.concatenate([centers[place] for place in moving])
    shapes = {"total": joined.shape, "mass": (len(joined),), "moved": (len(moving),)}
    found = sites.total("features.step", {"centers": joined, "n_clusters": sizes, "clusterings": moving}, shapes)
    ends = np.cumsum(sizes)[:-1]
    for place, own in zip(moving, np.split(found["mass"], ends), strict=True):
        mass[place] = own
    return dict(zip(moving, np.split(found["total"], ends), strict=True)), found["moved"].tolist()


def _means(total: FloatArray, mass: FloatArray, before: FloatArray) -> FloatArray:
    """New centres; a cluster without objects keeps its own."""
    there = mass[:, None] > 0
    return np.where(there, total / np.where(there, mass[:, None], 1.0), before)


def _number(mass: FloatArray) -> list[int]:
    """Numbers of the clusters that have objects, -1 for the others."""
    return [int(number) for number in np.where(mass > 0, np.cumsum(mass > 0) - 1, -1)]


def _warn_left_out(n_left_out: int, n_clusterings: int, max_iter: int) -> None:
    if n_left_out == n_clusterings:
        raise ValueError(f"no clustering converged within max_iter={max_iter} iterations; raise max_iter.")
    if n_left_out:
        warn(
            f"{n_left_out} of {n_clusterings} clusterings did not converge within max_iter={max_iter} iterations and "
            "are left out; raise max_iter.",
            SkippedClusteringWarning,
        )


# -------------------------------------------------------------------------------------------------- in one process
def kmeans_ensemble(
    sites: Sequence[Any] | Mapping[str, Any],
    n_clusterings: int = 100,
    n_clusters: Any = "auto",
    *,
    max_iter: int = 1000,
    encrypted: bool = False,
    random_state: Any = None,
    verbose: bool = False,
) -> list[IntArray]:
    """Make corresponding k-means clusterings of the features of several sites, as if they were on different machines.

    Label c of clustering j is the same cluster at every site, so that a consensus of all objects can follow
    (``simulate``). As in ``KMeansEnsemble``, clusterings differ by their first centres and numbers of clusters.

    Parameters
    ----------
    sites : sequence, or dict by name, of array-like of shape (n_objects, n_features)
        Features of the objects of each site, the same ones in the same order and units.
    n_clusterings : int, default=100
        Number of clusterings.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from sqrt(n) / 2 to sqrt(n) for the n objects of all sites, but not above (10, 30) (eq. R7). Clusters
        that end without objects are left out.
    max_iter : int, default=1000
        Largest number of iterations, each one exchange. Clusterings that have not converged by then are left out.
    encrypted : bool, default=False
        Let the server add sums that it cannot read; needs the extra ``federated``.
    random_state : int, RandomState, Generator or None
        Seed of the clusterings.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Returns
    -------
    list of ndarray of shape (n_objects, n_clusterings)
        One label matrix per site.

    Notes
    -----
    Cost n k d per iteration of each clustering at the sites. A site sends the numbers of its objects, and sums over
    clusters of them; what they say of clusters of few objects is on the page about trust.

    Examples
    --------
    >>> import numpy as np
    >>> from partita.federated import kmeans_ensemble
    >>> one = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [5.0], [5.1], [5.2], [5.3], [5.4]])
    >>> two = one + 0.05
    >>> first, second = kmeans_ensemble([one, two], n_clusterings=3, n_clusters=2, random_state=0)
    >>> first.shape
    (10, 3)
    >>> bool((first == second).all())
    True
    """
    check_count(n_clusterings, "n_clusterings")
    check_count(max_iter, "max_iter")
    if not len(sites):
        raise ValueError("sites is empty; pass the features of each site, a list of matrices.")
    named = sites if isinstance(sites, Mapping) else {f"site-{i + 1}": X for i, X in enumerate(sites)}
    owners = [FeatureSite(X, name=str(name), min_objects=1) for name, X in named.items()]
    by_name = {owner.name: owner for owner in owners}
    asked: Sites = sealed_sites(by_name) if encrypted else PlainSites(InProcess(by_name))
    cluster_features(asked, n_clusterings, n_clusters, max_iter=max_iter, random_state=random_state, show=bool(verbose))
    return [owner.labels_ for owner in owners]
