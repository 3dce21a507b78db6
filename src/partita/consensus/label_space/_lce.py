"""Link-based cluster ensembles (Iam-On, Boongoen, Garrett and Price, 2011): different clusters may be similar too.

The similarity K of two clusters comes from their links to other clusters (eqs. L33, L35 to L38). "tree" is a linkage
of the mean similarity of the labels of two objects (eqs. L34, L36); "cut" puts 0 < K < 1 in place of the zeros of the
indicator, and cuts the graph of objects and clusters (eq. L39).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from partita._labels.ensemble import Ensemble, match_rows
from partita._labels.membership import one_hot
from partita._labels.tables import cluster_tables, label_sums, pair_sums
from partita._parameters import Interval, StrOptions, common
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.kmeans._weighted_kmeans import nearest_center
from partita.consensus.label_space._ecpcs import within_clusterings
from partita.consensus.label_space._embedded_rows import cluster_points, cut_between_components, embed_rows
from partita.consensus.label_space._links import connected_triples, shared_neighbours, simrank
from partita.consensus.label_space._row_tree import TreeOfRows, similarities
from partita.consensus.label_space._transfer_cut import TransferCut, components, cut_cells, ensure_cells


class LCE(TreeOfRows):
    """Link-based cluster ensembles.

    Two objects in different clusters of a clustering are similar nevertheless if these clusters have links to the same
    clusters of other clusterings.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    similarity : {"cts", "srs", "asrs"}, default="cts"
        Similarity of clusters: connected triples, SimRank, or its approximation by one step.
    decay : float in [0, 1], default=0.8
        Similarity of different clusters, at most. With 0 and "cts" it is EAC.
    steps : int, default=5
        Steps of SimRank; used by "srs" only.
    output : {"tree", "cut"}, default="tree"
        "tree" is a hierarchical clustering of the objects; "cut" cuts the graph of objects and clusters, whose edges
        are the refined association of the two, and is linear in the number of objects.
    linkage : {"average", "single", "complete"}, default="average"
        How the similarity of two groups follows from that of objects; used by "tree" only.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters; used by "cut" only.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of k-means; used by "cut" only.
    n_jobs : int, optional
        Threads that embed blocks of rows; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    dendrogram_ : ndarray of shape (n_leaves - 1, 4)
        With "tree" only: tree over the objects in SciPy's form; heights are 1 - S, and 0 between objects with the same
        labels.
    leaves_ : ndarray of shape (n_leaves,)
        With "tree" only: object behind each leaf; all that have a label, and a weight or the labels of one with
        a weight.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, m clusterings and t labels: r m^2 + t^3 (times ``steps`` for "srs"), and r^2 m more for
    "tree", which holds r^2 numbers (float64 up to r = 8192 and float32 beyond). SimRank is computed without a matrix
    over the objects. Clusters are compared on the objects that both clusterings label, objects on the labels they have.

    References
    ----------
    N. Iam-On, T. Boongoen, S. Garrett, C. Price, A link-based approach to the cluster ensemble problem, IEEE TPAMI 33
    (2011) 2396-2409.

    N. Iam-On, T. Boongoen, S. Garrett, Refining pairwise similarity matrix for cluster ensemble problem with cluster
    relations, Discovery Science 2008, 222-233.

    G. Jeh, J. Widom, SimRank: a measure of structural-context similarity, KDD 2002.

    Examples
    --------
    >>> from partita import LCE
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> LCE(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # starts are drawn by the position of rows
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "weights", "random_state", "n_jobs", "verbose"),
        "similarity": [StrOptions({"cts", "srs", "asrs"})],
        "decay": [Interval("real", 0, 1)],
        "steps": [Interval("int", 1, None)],
        "output": [StrOptions({"tree", "cut"})],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        similarity: Literal["cts", "srs", "asrs"] = "cts",
        decay: float = 0.8,
        steps: int = 5,
        output: Literal["tree", "cut"] = "tree",
        linkage: Literal["average", "single", "complete"] = "average",
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.similarity = similarity
        self.decay = decay
        self.steps = steps
        self.output = output
        self.linkage = linkage
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        self.__dict__.pop("dendrogram_", None)  # of an earlier fit with another output
        self.__dict__.pop("leaves_", None)
        ensemble = rows.ensemble
        ensure_cells(ensemble.n_cells)
        K = self._cluster_similarity(ensemble)
        if self.output == "cut":
            return Consensus(self._cut_rows(rows, within_clusterings(K, ensemble).toarray()))
        table = within_clusterings(K, ensemble) if self.similarity == "cts" else self._between_objects(K, ensemble)
        grown = self._grow(rows, table, show=bool(self.verbose), linkage=self.linkage)
        labels = self._cut(rows, grown, table, rows.n_clusters)
        if self.similarity != "cts":  # the mean over a cluster is linear in the labels: t x k numbers, not t x t
            self._cell_similarity = mean_table(ensemble, labels, table)
        return Consensus(labels)

    def _cluster_similarity(self, ensemble: Ensemble) -> FloatArray:
        """K: similarity of all pairs of clusters, 1 on the diagonal."""
        if self.similarity == "srs":
            return simrank(ensemble, float(self.decay), int(self.steps), show=bool(self.verbose))
        compare = connected_triples if self.similarity == "cts" else shared_neighbours
        return compare(cluster_tables(ensemble), float(self.decay))

    def _between_objects(self, K: FloatArray, ensemble: Ensemble) -> FloatArray:
        """What each pair of labels, of one clustering or of two, adds to the similarity of objects (eq. L36)."""
        K = K * np.outer(ensemble.cell_weights, ensemble.cell_weights)
        return K * float(self.decay) if self.similarity == "srs" else K

    def _similarities(self, some: Ensemble, rows: Ensemble, cell_similarity: Any) -> FloatArray:
        if self.similarity == "cts":
            return similarities(some, rows, cell_similarity)  # eq. L34
        return all_pairs(some, rows, cell_similarity)

    def _cut_rows(self, rows: LabelledRows, refined: FloatArray) -> Array:
        """Clusters of the rows by the transfer cut of the refined association (eq. L39)."""
        ensemble, k = rows.ensemble, rows.n_clusters
        cut, W = refined_cut(ensemble, refined, k)
        part = components(W)
        self._layout = ensemble.layout
        if part.max() + 1 >= k:  # eq. L9
            self._cut_of_rows, self._centers = cut_between_components(cut, part, W, k), np.eye(k)
            return nearest_center(embed_rows(self._cut_of_rows, ensemble, self.n_jobs), self._centers)
        points, self._cut_of_rows = embed_rows(cut, ensemble, self.n_jobs), cut
        labels, self._centers = cluster_points(
            points, ensemble.row_weights, k, n_init=self.n_init, random_state=self.random_state
        )
        return labels

    def _label_rows(self, codes: Codes) -> Array:
        if self.output == "cut":
            points = embed_rows(self._cut_of_rows, self._layout.with_rows(codes), self.n_jobs)
            return nearest_center(points, self._centers)
        if self.similarity == "cts":
            return self._label_like_rows(codes)
        equal = match_rows(self._ensemble.codes, codes)
        nearest = label_sums(self._ensemble.with_rows(codes), self._cell_similarity).argmax(axis=1)
        return np.where(equal >= 0, self._row_labels[equal], nearest)


def all_pairs(some: Ensemble, rows: Ensemble, table: FloatArray) -> FloatArray:
    """Mean of a table over all pairs of a label of one row and a label of another, (n_some, n_rows) (eq. L36)."""
    of_some = label_sums(some, table)
    weight = rows.cell_weights[:, None]
    S = np.ascontiguousarray(rows.sum_over_labels(np.ascontiguousarray(of_some.T)).T)
    return np.asarray(S / label_sums(some, weight) / label_sums(rows, weight)[:, 0])


def mean_table(ensemble: Ensemble, labels: IntArray, table: FloatArray) -> FloatArray:
    """What each label of a row adds to its mean similarity with the rows of each cluster, (t, n_clusters) (eq. P12).

    The sum over the labels of a row is the mean times the weight of its clusterings.
    """
    weight = ensemble.row_weights / label_sums(ensemble, ensemble.cell_weights[:, None])[:, 0]
    member = one_hot(labels, int(labels.max()) + 1)
    size = ensemble.row_weights @ member
    return np.asarray(table @ (ensemble.indicator.T @ (member * weight[:, None])) / size)


def refined_cut(ensemble: Ensemble, refined: FloatArray, n_vectors: int) -> tuple[TransferCut, FloatArray]:
    """Transfer cut of B = H K, the refined association of rows and clusters, and its graph W (eq. L39).

    W = K' H' diag(w / dx) H K with dx = H K 1: nothing has the size of the rows.
    """
    degree = refined.sum(axis=1)
    per_row = ensemble.row_weights / label_sums(ensemble, degree[:, None])[:, 0]
    W = refined.T @ pair_sums(ensemble, per_row) @ refined
    cut = cut_cells((W + W.T) / 2, np.ones(ensemble.n_cells), n_vectors)
    return cut._replace(cell_map=refined @ cut.cell_map, cell_weights=degree), W
