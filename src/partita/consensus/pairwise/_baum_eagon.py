"""Baum-Eagon consensus (Rota Bulò et al., 2010): multiplicative updates for the squared error.

    minimise sum_ij W_ij (S_ij - y_i.y_j)^2 over a product of simplices.

On the simplex the sum of y_i is 1, so a constant can be added to the polynomial that is maximised until all its
coefficients are non-negative; the growth transform of Baum and Eagon then never lowers it:

    y_ki <- y_ki G_ki / sum_l y_li G_li,    G = Y (W o (S - Y'Y)) + 1 (W 1)'.

Equal rows that start equal stay equal, so distinct rows with their multiplicities are exact.
"""

import warnings
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita._parameters import Interval, StrOptions
from partita._runs import draw_seeds, progress
from partita._typing import FloatArray
from partita.base import BaseConsensus, Consensus, LabelledRows
from partita.consensus.pairwise._pair_counts import RowCounts, all_pairs, count_rows_of, predicted
from partita.consensus.pcc._label_space import insert_new_rows


class BaumEagon(BaseConsensus):
    """Consensus by the Baum-Eagon inequality.

    Parameters
    ----------
    n_clusters : int, default=8
        Largest number of clusters.
    pair_weights : {"ones", "totals"}, default="ones"
        W: all pairs alike, or by the number of clusterings that label both (N; then the objective is twice that of PCC
        with "l2", if the diagonal is left out).
    diagonal : bool, default=True
        Whether an object with itself counts as a pair, as published.
    pairs : "all", float, int or sparse matrix, default="all"
        Which pairs of objects count, as in :func:`partita.coassociation`. Chosen pairs give every object a membership
        of its own.
    n_init : int, default=5
        Random starts; the one with the lowest objective is kept.
    tol : float, default=1e-5
        Decrease of the objective over ten iterations, relative to its value at the start, below which a run has
        converged.
    max_iter : int, default=10000
        Iterations a start. The transform is slow.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState or None
        Seed of the starts and of drawn pairs.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_
        Probabilities, most probable clusters, number of clusters.
    objective_ : float
        sum over ordered pairs of W (S - y_i.y_j)^2.
    history_ : list of float
        Objective at the start and after every ten iterations; it never rises.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Cost O(r^2 K) an iteration and r^2 numbers for r distinct rows; O(pairs K) for chosen pairs.

    References
    ----------
    S. Rota Bulò, A. Lourenço, A. Fred, M. Pelillo, Pairwise probabilistic clustering using evidence accumulation,
    SSPR 2010, 395-404.

    Examples
    --------
    >>> from partita import BaumEagon
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> BaumEagon(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "pair_weights": [StrOptions({"ones", "totals"})],
        "diagonal": ["boolean"],
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
        pair_weights: Literal["ones", "totals"] = "ones",
        diagonal: bool = True,
        pairs: Any = "all",
        n_init: int = 5,
        tol: float = 1e-5,
        max_iter: int = 10_000,
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.pair_weights = pair_weights
        self.diagonal = diagonal
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
        W, S = self._weigh(counts)
        runs = [self._run(W, S, counts, int(seed)) for seed in seeds[:-1]]
        Y, self.history_, self.converged_ = min(runs, key=lambda run: run[1][-1])
        self.n_iter_ = min(self.max_iter, 10 * (len(self.history_) - 1))
        self.objective_ = self.history_[-1]
        if not self.converged_:
            warnings.warn(
                f"Baum-Eagon had not converged after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._ensemble, self._row_membership = rows.ensemble, Y
        return Consensus(Y.argmax(axis=1), Y, np.full(Y.shape[1], 1 / Y.shape[1]))

    def _weigh(self, counts: RowCounts) -> tuple[Any, Any]:
        """W with the number of objects behind each row's pairs, and S."""
        per_pair = counts.totals if self.pair_weights == "totals" else (counts.totals > 0) * 1.0
        return per_pair * counts.multiplicity(diagonal=self.diagonal), counts.similarity()

    def _run(self, W: Any, S: Any, counts: RowCounts, seed: int) -> tuple[FloatArray, list[float], bool]:
        Y = np.random.default_rng(seed).dirichlet(np.ones(self.n_clusters), size=len(counts.weight))
        row_sums = np.asarray(W.sum(axis=1)).ravel()[:, None]
        history = [_squared_error(W, S, Y, counts.weight)]
        with progress(self.max_iter, "Baum-Eagon", show=bool(self.verbose)) as bar:
            for done in range(0, self.max_iter, 10):
                for _ in range(min(10, self.max_iter - done)):
                    grown = Y * (_times(W, S, Y) + row_sums)
                    total = grown.sum(axis=1, keepdims=True)
                    np.divide(grown, total, out=Y, where=total > 0)  # an object without pairs stays
                bar.update(10)
                history.append(_squared_error(W, S, Y, counts.weight))
                if history[-2] - history[-1] <= self.tol * history[0]:
                    return Y, history, True
        return Y, history, False

    def _label_rows(self, codes: Any) -> FloatArray:
        """Memberships that fit best, by l2 over all pairs, with those of the fitted objects."""
        return insert_new_rows(codes, self._ensemble, self._row_membership)


def _times(W: Any, S: Any, Y: FloatArray) -> FloatArray:
    """(W o (S - Y Y')) Y."""
    return np.asarray((W * (S - predicted(S, Y))) @ Y)


def _squared_error(W: Any, S: Any, Y: FloatArray, weight: FloatArray) -> float:
    difference = S - predicted(S, Y)
    squares = W * (difference * difference)
    return float(weight @ np.asarray(squares.sum(axis=1)).ravel())
