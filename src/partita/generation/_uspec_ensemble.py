"""Many spectral clusterings of the same features, each by representatives of its own (U-SPEC), in linear time."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita._typing import FloatArray
from partita.generation._anchor_graph import cluster_embedded, cut_graph, make_graph
from partita.generation._base_clusterings import ClusteringTask, FoundClusters, ensure_labels_fit
from partita.generation._cluster_numbers import draw_numbers
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._representatives import check_representatives, usual_number

_AUTO = (20, 60)  # numbers of clusters of the paper


class USpecEnsemble(FeatureEnsemble):
    """Many spectral clusterings of features by representatives (U-SPEC), as a label matrix.

    Each clustering chooses representatives among the objects, joins every object to the nearest of them, cuts this
    graph and groups the objects by k-means of the embedding. It finds clusters of any shape, unlike k-means, in time
    and memory that are linear in the number of objects.

    Parameters
    ----------
    n_clusterings : int, default=20
        Number of clusterings.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from 20 to 60, as the paper does, and from sqrt(n) / 2 to sqrt(n) where these are smaller (eq. R63).
    n_representatives : int or "auto", default="auto"
        Number of representatives of each clustering, not below its number of clusters; all objects if there are fewer.
        "auto" is 1000, as in the paper, and a fifth of the objects where these are fewer (eq. R63).
    n_neighbours : int, default=5
        Number of representatives that each object is joined to.
    sample_fraction : float, default=1.0
        Share of the objects, drawn without replacement, that each clustering sees; the others get -1.
    random_state : int, RandomState, Generator or None
        Seed of the clusterings.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    manifest_ : DataFrame
        One row per clustering that was tried: name, algorithm, numbers of clusters requested and found, number of
        objects it saw, seed, iterations of k-means in the embedding, status ("ok", "failed") and message.
    n_iter_ : int
        Largest number of iterations of a clustering.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost per clustering: n (sqrt(p) + 10 K) d for the links, n K (K + k) for graph and clusters, p^2 d and p^3 for the
    representatives; memory 12 n K bytes per thread and 8 p^2. The search of the nearest representatives is approximate,
    as in the paper. ``transform`` gives the fitted objects their labels. The model is on the theory page about
    ensembles, eqs. R57 to R63.

    References
    ----------
    D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, Ultra-scalable spectral clustering and ensemble clustering,
    IEEE Transactions on Knowledge and Data Engineering 32 (2020) 1212-1226.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from partita import USENC, USpecEnsemble
    >>> F, truth = make_moons(600, noise=0.05, random_state=0)
    >>> X = USpecEnsemble(10, random_state=0).fit_transform(F)
    >>> X.shape
    (600, 10)
    >>> labels = USENC(2, random_state=0).fit_predict(X)
    >>> bool(max((labels == truth).mean(), (labels != truth).mean()) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "n_clusterings": [Interval("int", 1, None)],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "n_representatives": [Interval("int", 1, None), StrOptions({"auto"})],
        "n_neighbours": [Interval("int", 1, None)],
    }

    def __init__(
        self,
        n_clusterings: int = 20,
        n_clusters: Any = "auto",
        *,
        n_representatives: Any = "auto",
        n_neighbours: int = 5,
        sample_fraction: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.n_representatives = n_representatives
        self.n_neighbours = n_neighbours
        self.sample_fraction = sample_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        ensure_labels_fit(n_objects, self.n_clusterings)
        seeds = draw_seeds(self.random_state, self.n_clusterings + 1).tolist()
        numbers = draw_numbers(self.n_clusters, self.n_clusterings, n_sampled, seeds[-1], auto=_AUTO)
        p = self._n_points(n_sampled, max(numbers))
        check_representatives("n_representatives", p, self.n_neighbours, max(numbers), n_sampled)
        cluster = partial(cluster_by_uspec, n_representatives=p, n_neighbours=int(self.n_neighbours))
        return [
            ClusteringTask("uspec", cluster, (k,), n_sampled, seed) for k, seed in zip(numbers, seeds[:-1], strict=True)
        ]

    def _n_points(self, n_objects: int, n_clusters: int) -> int:
        """Number of representatives (eq. R63)."""
        if self.n_representatives == "auto":
            return max(n_clusters, usual_number(n_objects))
        return min(int(self.n_representatives), n_objects)


def cluster_by_uspec(
    X: FloatArray, ks: Sequence[int], seed: int, *, n_representatives: int, n_neighbours: int
) -> list[FoundClusters]:
    """U-SPEC (eqs. R57 to R62)."""
    graph, links = make_graph(X, n_representatives, n_neighbours, seed)
    cut = cut_graph(graph, links, max(ks))
    found = [cluster_embedded(graph, links, cut.cell_map[:, :k], k, seed) for k in ks]
    return [FoundClusters(made.labels, made.clusters.place, n_iter=made.n_iter) for made in found]
