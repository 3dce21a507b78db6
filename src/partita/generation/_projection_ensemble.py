"""k-means clusterings of random projections of features, or of random subsets of them."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._parameters import Interval, StrOptions, common
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.generation._base_clusterers import cluster_by_kmeans
from partita.generation._base_clusterings import ClusteringTask, FoundClusters, ensure_labels_fit
from partita.generation._cluster_numbers import draw_numbers
from partita.generation._feature_ensemble import FeatureEnsemble


class ProjectionEnsemble(FeatureEnsemble):
    """Many k-means clusterings, each of another random view of the features, as a label matrix.

    Parameters
    ----------
    n_clusterings : int, default=100
        Number of clusterings.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from sqrt(n) / 2 to sqrt(n), but not above (10, 30) (eq. R7).
    kind : {"projection", "subspace"}, default="projection"
        Random projection on ``n_components`` dimensions by a matrix of normal numbers, or ``n_components`` of the
        features drawn without replacement.
    n_components : int or "auto", default="auto"
        Number of dimensions of each view, at most that of the features. "auto" is sqrt(d) for projections and d / 2 for
        subspaces, rounded up.
    sample_fraction : float, default=1.0
        Share of the objects, drawn without replacement, that each clustering sees; the others get -1.
    init : {"random", "k-means++"}, default="random"
        Initial centres: objects drawn at random, or far from each other.
    max_iter : int, default=1000
        Largest number of iterations of each clustering. A clustering that has not converged by then is left out and
        noted in ``manifest_``.
    random_state : int, RandomState, Generator or None
        Seed of the views and of the clusterings.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    manifest_ : DataFrame
        One row per clustering that was tried: name, algorithm, numbers of clusters requested and found, number of
        objects it saw, seed, iterations, status ("ok", "failed", "not converged") and message.
    n_iter_ : int
        Largest number of iterations of a clustering.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost n d c for a projection on c dimensions, n k c per iteration of each clustering. Sparse features are projected
    to dense ones; subspaces of them stay sparse. The model is on the theory page about ensembles, eqs. R67 and R68.

    References
    ----------
    X. Z. Fern, C. E. Brodley, Random projection for high dimensional data clustering: a cluster ensemble approach, ICML
    (2003) 186-193.
    A. Strehl, J. Ghosh, Cluster ensembles: a knowledge reuse framework for combining multiple partitions, Journal of
    Machine Learning Research 3 (2002) 583-617.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from partita import ProjectionEnsemble
    >>> F = load_wine().data
    >>> ProjectionEnsemble(5, (3, 6), kind="subspace", n_components=4, random_state=0).fit_transform(F).shape
    (178, 5)
    """

    _takes_sparse = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "n_clusterings": [Interval("int", 1, None)],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "kind": [StrOptions({"projection", "subspace"})],
        "n_components": [Interval("int", 1, None), StrOptions({"auto"})],
        "init": [StrOptions({"random", "k-means++"})],
        **common("max_iter"),
    }

    n_features_in_: int

    def __init__(
        self,
        n_clusterings: int = 100,
        n_clusters: Any = "auto",
        *,
        kind: str = "projection",
        n_components: Any = "auto",
        sample_fraction: float = 1.0,
        init: str = "random",
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.kind = kind
        self.n_components = n_components
        self.sample_fraction = sample_fraction
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        ensure_labels_fit(n_objects, self.n_clusterings)
        c = self._count_components()
        cluster = partial(
            cluster_view, view_of=_VIEWS[self.kind], n_components=c, init=self.init, max_iter=self.max_iter
        )
        seeds = draw_seeds(self.random_state, self.n_clusterings + 1).tolist()
        numbers = draw_numbers(self.n_clusters, self.n_clusterings, n_sampled, seeds[-1])
        return [
            ClusteringTask(self.kind, cluster, (k,), n_sampled, seed)
            for k, seed in zip(numbers, seeds[:-1], strict=True)
        ]

    def _count_components(self) -> int:
        """Number of dimensions of each view."""
        d = self.n_features_in_
        if self.n_components == "auto":
            return int(np.ceil(np.sqrt(d))) if self.kind == "projection" else -(-d // 2)
        if self.n_components > d:
            raise ValueError(f"n_components={self.n_components} exceeds the {d} features; pass at most {d}.")
        return int(self.n_components)


class Projection(NamedTuple):
    """Features times a matrix of normal numbers (eq. R67)."""

    matrix: FloatArray  # (d, c)

    def see(self, X: Any) -> Any:
        """Projected objects, dense."""
        return np.asarray(X @ self.matrix.astype(X.dtype))


class Subspace(NamedTuple):
    """Some of the features (eq. R68)."""

    columns: IntArray  # (c,)

    def see(self, X: Any) -> Any:
        """Objects with these features only."""
        return X[:, self.columns]


def draw_projection(d: int, n_components: int, rng: np.random.Generator) -> Projection:
    """Normal numbers of variance 1 / c, so that squared distances keep their mean (eq. R67)."""
    return Projection(rng.standard_normal((d, n_components)) / np.sqrt(n_components))


def draw_subspace(d: int, n_components: int, rng: np.random.Generator) -> Subspace:
    """Features drawn without replacement (eq. R68)."""
    return Subspace(np.sort(rng.choice(d, n_components, replace=False)))


_VIEWS: dict[str, Any] = {"projection": draw_projection, "subspace": draw_subspace}


def cluster_view(
    X: Any, ks: Sequence[int], seed: int, *, view_of: Any, n_components: int, init: str, max_iter: int
) -> list[FoundClusters]:
    """k-means of one view."""
    # a random stream of its own: k-means starts from the seed itself
    view = view_of(X.shape[1], n_components, np.random.default_rng([seed, 2]))
    found = cluster_by_kmeans(view.see(X), ks, seed, init=init, max_iter=max_iter)
    return [made._replace(place=partial(_place_view, view, made.place)) for made in found]


def _place_view(view: Any, place: Any, X: Any) -> IntArray:
    return np.asarray(place(view.see(X)))
