"""Weak clusterings: cells between random hyperplanes, and k-means on random lines (Topchy, Jain and Punch 2005)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.generation._base_clusterings import ClusteringTask, FoundClusters, ensure_labels_fit
from partita.generation._cluster_numbers import draw_numbers
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._projection_ensemble import cluster_view, draw_projection

_MOST_PER_CELL = 10  # hyperplanes drawn per cell asked for: many cut the same gap if objects are few or coincide
_STEPS = 1000  # of k-means on a line


class WeakEnsemble(FeatureEnsemble):
    """Many weak clusterings of features, as a label matrix.

    Each costs little and says little; a consensus of many can be as good as that of fewer strong ones.

    Parameters
    ----------
    n_clusterings : int, default=200
        Number of clusterings; weak ones need more than others.
    n_clusters : int, list, tuple (low, high) or "auto", default="auto"
        Number of clusters of each clustering: drawn uniformly from low to high, or taken from a list in turns. "auto"
        draws from sqrt(n) / 2 to sqrt(n), but not above (10, 30) (eq. R7).
    kind : {"line", "hyperplanes"}, default="line"
        k-means of the objects projected on a random line, or the cells between random hyperplanes.
    n_hyperplanes : int, optional
        Number of hyperplanes of each clustering, instead of ``n_clusters``. Default: hyperplanes are added until
        ``n_clusters`` cells have objects; the last one may make some more.
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
        objects it saw, seed, iterations (hyperplanes), status ("ok", "failed", "not converged") and message.
    n_iter_ : int
        Largest number of iterations of a clustering.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost n d for each line or hyperplane, and n k per iteration of k-means on a line. The model is on the theory page
    about ensembles, eqs. R69 and R70.

    References
    ----------
    A. Topchy, A. K. Jain, W. Punch, Clustering ensembles: models of consensus and weak partitions, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 27 (2005) 1866-1881.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import WeakEnsemble
    >>> F = load_iris().data
    >>> X = WeakEnsemble(6, kind="hyperplanes", n_hyperplanes=2, random_state=0).fit_transform(F)
    >>> X.shape, bool(X.max() <= 3)
    ((150, 6), True)
    """

    _takes_sparse = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **FeatureEnsemble._parameter_constraints,
        "n_clusterings": [Interval("int", 1, None)],
        "n_clusters": [Interval("int", 1, None), "array-like", StrOptions({"auto"})],
        "kind": [StrOptions({"line", "hyperplanes"})],
        "n_hyperplanes": [Interval("int", 1, None), None],
    }

    def __init__(
        self,
        n_clusterings: int = 200,
        n_clusters: Any = "auto",
        *,
        kind: str = "line",
        n_hyperplanes: int | None = None,
        sample_fraction: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.kind = kind
        self.n_hyperplanes = n_hyperplanes
        self.sample_fraction = sample_fraction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        if self.n_hyperplanes is not None and self.kind != "hyperplanes":
            raise ValueError(
                f"n_hyperplanes={self.n_hyperplanes} is for kind='hyperplanes', not {self.kind!r}; leave it out."
            )
        ensure_labels_fit(n_objects, self.n_clusterings)
        seeds = draw_seeds(self.random_state, self.n_clusterings + 1).tolist()
        numbers: list[Any] = list(draw_numbers(self.n_clusters, self.n_clusterings, n_sampled, seeds[-1]))
        cluster: Any = _cluster_line
        if self.kind == "hyperplanes":
            cluster = partial(cluster_by_hyperplanes, n_hyperplanes=self.n_hyperplanes)
            numbers = numbers if self.n_hyperplanes is None else [None] * len(numbers)
        return [
            ClusteringTask(self.kind, cluster, (k,), n_sampled, seed)
            for k, seed in zip(numbers, seeds[:-1], strict=True)
        ]


def _cluster_line(X: Any, ks: Sequence[int], seed: int) -> list[FoundClusters]:
    """k-means of the objects on a random line (eq. R69)."""
    return cluster_view(X, ks, seed, view_of=draw_projection, n_components=1, init="random", max_iter=_STEPS)


# --------------------------------------------------------------------------------------------------------- hyperplanes
class Hyperplane(NamedTuple):
    """A hyperplane, and the cell that each cell and side becomes."""

    normal: FloatArray  # (d,)
    offset: float  # the other side has normal @ x > offset
    becomes: IntArray  # (n_cells, 2)


def cluster_by_hyperplanes(
    X: Any, ks: Sequence[int | None], seed: int, *, n_hyperplanes: int | None
) -> list[FoundClusters]:
    """Cells between random hyperplanes: a given number of them, or until k cells have objects (eq. R70)."""
    found = []
    for k in ks:
        rng = np.random.default_rng([seed, 2])
        most = n_hyperplanes or _MOST_PER_CELL * int(k or 1)
        cells, planes = np.zeros(X.shape[0], dtype=np.int64), list[Hyperplane]()
        while len(planes) < most and (k is None or cells.max() + 1 < k):
            plane, cells = draw_hyperplane(X, cells, rng)
            planes.append(plane)
        found.append(FoundClusters(cells, partial(place_between, tuple(planes)), n_iter=max(1, len(planes))))
    return found


def draw_hyperplane(X: Any, cells: IntArray, rng: np.random.Generator) -> tuple[Hyperplane, IntArray]:
    """A random direction, cut halfway between two random objects; a cell with objects on one side only stays whole."""
    normal = rng.standard_normal(X.shape[1]).astype(X.dtype)
    along = np.asarray(X @ normal)
    offset = float(along[rng.choice(len(along), 2, replace=False)].mean())
    n_cells = int(cells.max()) + 1
    halves = 2 * cells + (along > offset)
    n_objects = np.bincount(halves, minlength=2 * n_cells).reshape(n_cells, 2)
    number = (np.cumsum(n_objects.ravel() > 0) - 1).reshape(n_cells, 2)
    becomes = np.where(n_objects > 0, number, number[np.arange(n_cells), (n_objects == 0).argmin(axis=1)][:, None])
    return Hyperplane(normal, offset, becomes), becomes.ravel()[halves]


def place_between(planes: tuple[Hyperplane, ...], X: Any) -> IntArray:
    """Cells of objects."""
    cells = np.zeros(X.shape[0], dtype=np.int64)
    for normal, offset, becomes in planes:
        cells = becomes[cells, (np.asarray(X @ normal.astype(X.dtype)) > offset).astype(np.int64)]
    return cells
