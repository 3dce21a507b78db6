"""Dyadic aspect model of the co-association (Lourenço et al., 2011).

Co-occurrences are drawn from P(i, j) = sum_r p_r B_ri B_rj; C_ij counts how often the pair was drawn. EM:

    R_ijr prop. to p_r B_ri B_rj,   p_r prop. to sum_ij C_ij R_ijr,   B_ri prop. to sum_j C_ij R_ijr.

With Q = C / P the sums over R are p_r B_ri (Q B')_ir, so nothing of size n x n x K is formed. Equal rows that start
equal stay equal, so distinct rows with their multiplicities are exact. Objects belong to r with p_r B_ri, normalised.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds, progress
from partita._typing import FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.pairwise._pair_counts import RowCounts, all_pairs, count_rows_of, predicted
from partita.consensus.pcc._label_space import insert_new_rows


class AspectModel(BaseConsensus):
    """Aspect model of dyads: a mixture for the pairs of objects that are put together.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of aspects.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count, as in :func:`partita.coassociation`.
    n_init : int, default=5
        Random starts; the one with the highest likelihood is kept.
    tol : float, default=1e-8
        Relative rise of the log-likelihood below which a run has converged.
    max_iter : int, default=1000
        Iterations a start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts and of drawn pairs.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_
        Probabilities p(r | i), most probable aspects, their number. An object that is never together with another has a
        uniform membership.
    aspect_weights_ : ndarray of shape (n_clusters_,)
        p_r.
    lower_bound_ : float
        Log-likelihood sum_ij C_ij log P(i, j) over ordered pairs.
    history_ : list of float
        Log-likelihood of every iteration; it never falls.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r^2 K) an iteration and r^2 numbers for r distinct rows; O(pairs K) for chosen pairs.

    References
    ----------
    A. Lourenço, A. Fred, M. Figueiredo, A generative dyadic aspect model for evidence accumulation clustering,
    SIMBAD 2011, 104-116.

    Examples
    --------
    >>> from partita import AspectModel
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> AspectModel(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "pairs": [StrOptions({"all"}), Interval("int", 1, None), Interval("real", 0, 1), "sparse matrix", "array-like"],
        "n_init": [Interval("int", 1, None)],
        "tol": [Interval("real", 0, None)],
        "max_iter": [Interval("int", 1, None)],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pairs: Any = "all",
        n_init: int = 5,
        tol: float = 1e-8,
        max_iter: int = 1000,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.pairs = pairs
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _one_row_per_object(self) -> bool:
        return not all_pairs(self.pairs)

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        seeds = draw_seeds(self.random_state, self.n_init + 1)
        counts = count_rows_of(rows, self.pairs, int(seeds[-1]))
        C = counts.counts * counts.multiplicity(diagonal=False)
        runs = [self._run(C, counts, int(seed)) for seed in seeds[:-1]]
        p, B, self.history_, self.converged_ = max(runs, key=lambda run: run[2][-1])
        self.n_iter_, self.lower_bound_ = len(self.history_) - 1, self.history_[-1]
        if not self.converged_:
            warnings.warn(
                f"EM had not converged after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        Y = B * p
        mass = Y.sum(axis=1, keepdims=True)
        Y = np.divide(Y, mass, out=np.full(Y.shape, 1 / len(p)), where=mass > 0)
        self._aspects, self._ensemble, self._row_membership = p, rows.ensemble, Y
        return Consensus(Y.argmax(axis=1), Y, np.full(len(p), 1 / len(p)))

    @property
    def aspect_weights_(self) -> FloatArray:
        """p_r, in the order of the clusters."""
        return np.asarray(self._aspects[self._placement.order])

    def _run(self, C: Any, counts: RowCounts, seed: int) -> tuple[FloatArray, FloatArray, list[float], bool]:
        """EM from one start; C holds w_j C_ij, B the probability of one object of each row."""
        w = counts.weight
        rng = np.random.default_rng(seed)
        B = rng.dirichlet(np.ones(self.n_clusters), size=len(w))
        B /= w @ B
        p = rng.dirichlet(np.full(self.n_clusters, 10.0))
        history: list[float] = []
        with progress(self.max_iter, "aspect model", show=bool(self.verbose)) as bar:
            for _ in range(self.max_iter):
                ratio, likelihood = _over_probability(C, B * np.sqrt(p), w)
                history.append(likelihood)
                if len(history) > 1 and history[-1] - history[-2] <= self.tol * abs(history[-2]):
                    return p, B, history, True
                together = p * B * np.asarray(ratio @ B)  # sum_j C_ij R_ijr for one object of row i
                mass = w @ together
                B = np.divide(together, mass, out=B.copy(), where=mass > 0)
                p = mass / mass.sum() if mass.sum() > 0 else p
                bar.update(1)
        return p, B, history, False

    def _label_rows(self, codes: Any) -> FloatArray:
        """Memberships that fit best, by l2 over all pairs, with those of the fitted objects."""
        return insert_new_rows(codes, self._ensemble, self._row_membership)


def _over_probability(C: Any, half: FloatArray, w: FloatArray) -> tuple[Any, float]:
    """C / P where C > 0, and the log-likelihood sum_ij C_ij log P_ij; ``half`` is B sqrt(p)."""
    P = predicted(C, half)
    if isinstance(C, np.ndarray):
        ratio = np.divide(C, P, out=np.zeros_like(C), where=C > 0)
        logs = np.log(P, out=np.zeros_like(P), where=C > 0)
        return ratio, float(w @ (C * logs).sum(axis=1))
    ratio = C.copy()
    ratio.data = np.divide(C.data, P.data, out=np.zeros_like(C.data), where=C.data > 0)
    logs = C.copy()
    logs.data = C.data * np.log(P.data, out=np.zeros_like(P.data), where=C.data > 0)
    return ratio, float(w @ np.asarray(logs.sum(axis=1)).ravel())
