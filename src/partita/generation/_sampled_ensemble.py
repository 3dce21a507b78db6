"""Hard partitions drawn from a soft one: the cluster of each object by its own probabilities (eq. R22)."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._features import check_points
from partita._labels.membership import check_membership
from partita._parameters import Interval, common
from partita._runs import draw_seeds
from partita._stopping import check_stop, whole_or_nothing
from partita._typing import Array, FloatArray, IntArray
from partita.generation._base_clusterings import ensure_labels_fit


class SampledEnsemble(TransformerMixin, BaseEstimator):
    """Partitions drawn from the probabilities of a soft partition.

    The number of partitions in which two objects are together is Binomial(n_clusterings, y_i . y_j): the model of PCC
    holds exactly for each pair. The PCC paper's simulated experiment is made in this way.

    Parameters
    ----------
    n_clusterings : int, default=100
        Number of partitions.
    random_state : int, RandomState, Generator or None
        Seed of the partitions.

    Attributes
    ----------
    manifest_ : DataFrame
        One row per partition: name, algorithm, number of clusters, seed.
    n_features_in_ : int
        Number of clusters of the soft partition.

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo, M. Pelillo, Probabilistic consensus clustering
    using evidence accumulation, Machine Learning 98 (2015) 331-357.

    Examples
    --------
    >>> from partita import SampledEnsemble
    >>> Y = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    >>> SampledEnsemble(n_clusterings=6, random_state=0).fit_transform(Y)[:2]
    array([[0, 0, 0, 0, 0, 0],
           [1, 1, 1, 1, 1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusterings": [Interval("int", 1, None)],
        **common("random_state"),
    }

    def __init__(self, n_clusterings: int = 100, *, random_state: Any = None) -> None:
        self.n_clusterings = n_clusterings
        self.random_state = random_state

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the seeds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_clusters)
            Probability of each cluster for each object; rows sum to 1.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        n, k = self._check(X, reset=True).shape
        ensure_labels_fit(n, self.n_clusterings)
        self._seeds = draw_seeds(self.random_state, self.n_clusterings)
        names = [f"draw{j}_k{k}_seed{seed}" for j, seed in enumerate(self._seeds)]
        self.manifest_ = pd.DataFrame({"name": names, "algorithm": "draw", "n_clusters": k, "seed": self._seeds})
        return self

    def transform(self, X: Any) -> IntArray:
        """Draw the partitions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_clusters)
            Probability of each cluster for each object; rows sum to 1.

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
        """
        check_is_fitted(self, "_seeds")
        Y = self._check(X, reset=False)
        until = np.cumsum(Y, axis=1)
        until /= until[:, -1:]
        drawn = np.empty((len(Y), len(self._seeds)), dtype=np.int64)
        for j, seed in enumerate(self._seeds.tolist()):
            check_stop()
            drawn[:, j] = _draw_partition(until, seed)
        return drawn

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name of each partition: its number, number of clusters and seed.

        Parameters
        ----------
        input_features : Ignored
            Present by convention.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "_seeds")
        return self.manifest_["name"].to_numpy(dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check(self, X: Any, *, reset: bool) -> FloatArray:
        return check_membership(check_points(X, self, reset=reset), "X").clip(0)


def _draw_partition(until: FloatArray, seed: int) -> IntArray:
    """One cluster per object, drawn by its cumulated probabilities."""
    uniform = np.random.default_rng(seed).random(len(until))
    return np.asarray((until <= uniform[:, None]).sum(axis=1), dtype=np.int64)
