"""Many k-means clusterings of the same features: random centres, random numbers of clusters, random samples."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from partita._parameters import Interval, StrOptions, common
from partita._runs import draw_seeds
from partita.generation._base_clusterers import cluster_by_kmeans
from partita.generation._base_clusterings import ClusteringTask, FoundClusters, ensure_labels_fit
from partita.generation._cluster_numbers import draw_numbers
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._spherical_kmeans import spherical_kmeans


class KMeansEnsemble(FeatureEnsemble):
    """Many k-means clusterings of features, as a label matrix.

    Parameters
    ----------
    n_clusterings : int, default=100
        Number of clusterings.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from sqrt(n) / 2 to sqrt(n), but not above (10, 30) (eq. R7).
    sample_fraction : float, default=1.0
        Share of the objects, drawn without replacement, that each clustering sees; the others get -1.
    algorithm : {"lloyd", "minibatch"}, default="lloyd"
        All objects in each iteration, or mini-batches for large data.
    metric : {"euclidean", "cosine"}, default="euclidean"
        "cosine" is spherical k-means, for text.
    init : {"random", "k-means++"}, default="random"
        Initial centres: objects drawn at random, as in the papers, or far from each other ("euclidean" only).
    max_iter : int, default=1000
        Largest number of iterations of each clustering. A clustering that has not converged by then is left out and
        noted in ``manifest_``.
    random_state : int, RandomState or None
        Seed of the clusterings.
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
    Cost n k d per iteration of each clustering. The model is on the theory page about ensembles, eqs. R1 to R11.

    References
    ----------
    A. Fred, A. K. Jain, Combining multiple clusterings using evidence accumulation, PAMI 27 (2005) 835-850.
    I. Dhillon, D. Modha, Concept decompositions for large sparse text data using clustering, Machine Learning 42 (2001)
    143-175.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import KMeansEnsemble
    >>> F = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> generator = KMeansEnsemble(n_clusterings=3, n_clusters=[2, 2, 3], random_state=0)
    >>> generator.fit_transform(F).shape
    (6, 3)
    >>> generator.manifest_["n_clusters"].tolist()
    [2, 2, 3]
    """

    _takes_sparse = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "n_clusterings": [Interval("int", 1, None)],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "algorithm": [StrOptions({"lloyd", "minibatch"})],
        "metric": [StrOptions({"euclidean", "cosine"})],
        "init": [StrOptions({"random", "k-means++"})],
        **common("max_iter"),
    }

    def __init__(
        self,
        n_clusterings: int = 100,
        n_clusters: Any = "auto",
        *,
        sample_fraction: float = 1.0,
        algorithm: str = "lloyd",
        metric: str = "euclidean",
        init: str = "random",
        max_iter: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.sample_fraction = sample_fraction
        self.algorithm = algorithm
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        minibatch = self.algorithm == "minibatch"
        if self.metric == "cosine":
            if self.init != "random":
                raise ValueError(f"init={self.init!r} is for metric='euclidean'; metric='cosine' needs init='random'.")
            cluster = partial(_cluster_by_spherical_kmeans, max_iter=self.max_iter, minibatch=minibatch)
        else:
            cluster = partial(cluster_by_kmeans, init=self.init, max_iter=self.max_iter, minibatch=minibatch)
        name = ("spherical-" if self.metric == "cosine" else "") + ("minibatch-kmeans" if minibatch else "kmeans")
        ensure_labels_fit(n_objects, self.n_clusterings)
        seeds = draw_seeds(self.random_state, self.n_clusterings + 1).tolist()
        numbers = draw_numbers(self.n_clusters, self.n_clusterings, n_sampled, seeds[-1])
        return [
            ClusteringTask(name, cluster, (k,), n_sampled, seed) for k, seed in zip(numbers, seeds[:-1], strict=True)
        ]


def _cluster_by_spherical_kmeans(
    X: Any, ks: Sequence[int], seed: int, *, max_iter: int, minibatch: bool
) -> list[FoundClusters]:
    return [spherical_kmeans(X, k, seed, max_iter=max_iter, minibatch=minibatch) for k in ks]
