"""Ensemble clustering by dense representation (Zhou, Zheng and Pan, 2019): rows that describe each other, densely.

Each distinct row of labels is written as a combination of all rows, and rows with like combinations are alike:

    min over Z of  sum over j of |h_j - H'z_j| + lam |Z|_F^2                                                (eq. L28)
    z_j = (H H' + mu_j E)^-1 H h_j,   mu_j = 2 lam |h_j - H'z_j|,   a few times in turn                     (eq. L29)

E is the identity. With H'H = V diag(g) V' and c = H V, nothing of this needs a matrix over the rows (eq. L30):

    z_j = c diag(1 / (g + mu_j)) c_j',   |h_j - H'z_j|^2 = sum over a of (mu_j c_ja / (g_a + mu_j))^2
"""

from typing import Any, ClassVar

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.tables import label_sums, pair_sums
from partita._memory import ensure_memory
from partita._parameters import Interval, common
from partita._runs import progress
from partita._stopping import check_stop
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.label_space._embedded_rows import cluster_points
from partita.consensus.label_space._row_tree import TreeOfRows, agreement_of_cells, symmetrise
from partita.consensus.label_space._transfer_cut import (
    components,
    ensure_cells,
    keep_heaviest,
    leading_vectors,
    unit_rows,
)

_PASSES = 5  # of the reweighted least squares, as in the authors' program
_RANK = 1e-4  # singular values of Z, relative to the largest, that are kept; also theirs
_POWER = 4  # of the cosine in the affinity; also theirs
_NULL = 1e-12  # eigenvalues of H'H, relative to the largest, that are rounding: clusterings sum to the same vector
_NOTHING = 1e-10  # cosines of rows that have nothing in common
# Of n_rows x n_rows numbers: peaks of 1,500 to 2,500 rows were 2.1, where the leading vectors are found; 1.6 at 4,000.
_MATRICES = 2.2
_BLOCK = 1024  # rows of the affinity between two reports of progress


class DREC(TreeOfRows):
    """Ensemble clustering by dense representation.

    Each distinct row of labels is represented by all rows together, with a penalty that spreads the representation; the
    graph of rows with like representations is cut by its leading vectors and k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    lam : float, default=100.0
        How dense representations are: the larger, the more other rows take part. The paper tries 0.001 to 1000.
    n_init : int, default=10
        Starts of the k-means that turns the embedding into clusters.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering; only their ratios matter.
    random_state : int, RandomState, Generator or None
        Seed of k-means.
    n_jobs : Ignored
        Present by convention; all starts are computed together.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost with r distinct rows, t labels and k clusters: r t^2 + t^3 + r^2 (t + k), and r^3 up to 1,500 rows; 2.2 times
    r^2 numbers. On one core 2,500 rows (t = 200) took 1 s, 5,000 rows 3 s and 10,000 rows 12 s; by the last exponent,
    1.9, it would be 45 s for 20,000 rows (not measured). Where the leading vectors do not separate in 20 restarts of
    Lanczos, as for clusterings that agree nearly everywhere, they cost r^3 at any size; no progress is shown then. For
    more than some thousand distinct rows use :class:`LWGP` or :class:`ECPCS`, whose cost is linear in them.

    The method is defined on distinct rows: how many objects share a row does not matter. A missing label is
    a row of zeros in its clustering, which the paper does not consider. A new row gets the cluster of the row with the
    same labels, else that of the highest mean co-association.

    References
    ----------
    J. Zhou, H. Zheng, L. Pan, Ensemble clustering based on dense representation, Neurocomputing 357 (2019) 66-76.

    Examples
    --------
    >>> from partita import DREC
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> DREC(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True  # starts are drawn by the position of rows
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **common("n_clusters", "n_init", "weights", "random_state", "n_jobs", "verbose"),
        "lam": [Interval("real", 1e-12, 1e12)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam: float = 100.0,
        n_init: int = 10,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.n_init = n_init
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        ensure_cells(ensemble.n_cells)
        ensure_affinity(ensemble.n_rows)
        A = affinity(dense_representation(ensemble, float(self.lam)), show=bool(self.verbose))
        labels = self._cut_affinity(A, rows.n_clusters)
        self._keep_rows(rows, labels, agreement_of_cells(ensemble))
        return Consensus(labels)

    def _cut_affinity(self, A: FloatArray, k: int) -> IntArray:
        """Normalised spectral clustering of rows that count once each (eq. L32); A is overwritten."""
        check_stop()
        degree, part = A.sum(axis=1), components(A)
        if part.max() + 1 >= k:  # every cut between components is free (eq. L9)
            return keep_heaviest(part, np.ones(len(A)), k)
        root = 1 / np.sqrt(degree)
        A *= root
        A *= root[:, None]
        check_stop()
        points = unit_rows(leading_vectors(A, k)[1])
        return cluster_points(points, np.ones(len(A)), k, n_init=self.n_init, random_state=self.random_state)[0]

    def _label_rows(self, codes: Codes) -> Array:
        return self._label_like_rows(codes)


def ensure_affinity(n_rows: int) -> None:
    """Refuse an affinity of all pairs of rows that does not fit in memory."""
    ensure_memory(
        int(_MATRICES * 8 * n_rows**2),
        purpose=f"the affinity of {n_rows} distinct rows",
        instead="use a method that is linear in the objects, such as LWGP or USENC, or fewer clusterings or objects.",
    )


def dense_representation(ensemble: Ensemble, lam: float) -> FloatArray:
    """Y: rows of U S^1/2 with Z = U S V', scaled to length 1, (n_rows, rank) (eqs. L29 to L31)."""
    root = np.sqrt(ensemble.cell_weights / ensemble.clustering_weights.mean())  # lam keeps its meaning
    gram = pair_sums(ensemble, np.ones(ensemble.n_rows)) * np.outer(root, root)
    g, V = np.linalg.eigh(gram)
    there = g > _NULL * g[-1]
    g, V = g[there], V[:, there]
    check_stop()
    c = label_sums(ensemble, root[:, None] * V)
    mu = reweighted(c, g, lam)
    # Z = c Q' with Q_ja = c_ja / (g_a + mu_j); c / g^1/2 has orthonormal columns, so that U S comes from g^1/2 Q'
    Q = c / (g + mu[:, None])
    R = np.asarray(np.linalg.qr(Q * np.sqrt(g), mode="r"))
    check_stop()
    W, singular, _ = np.linalg.svd(R.T)
    check_stop()
    kept = singular > _RANK * singular[0]
    return unit_rows((c / np.sqrt(g)) @ (W * np.sqrt(singular))[:, kept])


def reweighted(c: FloatArray, g: FloatArray, lam: float) -> FloatArray:
    """The mu of each row after the passes but the last, (n_rows,); the first is lam (eqs. L29, L30)."""
    mu = np.full(len(c), lam)
    for _ in range(_PASSES - 1):
        residual = mu[:, None] * c / (g + mu[:, None])
        mu = np.maximum(2 * lam * np.sqrt(np.einsum("ij,ij->i", residual, residual)), np.finfo(float).tiny)
    return mu


def affinity(Y: FloatArray, *, show: bool) -> FloatArray:
    """(y_r . y_q)^4, (n_rows, n_rows); 0 where rounding is all there is (eq. L32)."""
    A = np.empty((len(Y), len(Y)))
    with progress(len(Y), "affinity", show=show) as bar:
        for lo in range(0, len(Y), _BLOCK):
            part = A[lo : lo + _BLOCK]
            np.matmul(Y[lo : lo + _BLOCK], Y.T, out=part)
            part[np.abs(part) < _NOTHING] = 0.0
            np.power(part, _POWER, out=part)
            bar.update(len(part))
    symmetrise(A)
    return A
