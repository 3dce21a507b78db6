"""What generators of ensembles from features share: features in, label matrix out."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from partita._features import check_points
from partita._parameters import Interval, common
from partita._stopping import whole_or_nothing
from partita._typing import Array, IntArray
from partita.generation._base_clusterings import (
    OK,
    BaseClustering,
    ClusteringTask,
    label_columns,
    manifest_of,
    run_tasks,
    warn_skipped,
)


class FeatureEnsemble(TransformerMixin, BaseEstimator):
    """A transformer from features to a label matrix; subclasses implement ``_tasks``."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "sample_fraction": [Interval("real", 0, 1)],
        **common("random_state", "n_jobs", "verbose"),
    }

    sample_fraction: float
    random_state: Any
    n_jobs: int | None
    verbose: bool
    manifest_: pd.DataFrame
    _takes_sparse: ClassVar[bool] = False

    def _tasks(self, n_objects: int, n_sampled: int) -> list[ClusteringTask]:
        """The calls of base clusterers that make the ensemble."""
        raise NotImplementedError(f"{type(self).__name__} must implement _tasks.")

    def _prepare_fit(self, X: Any) -> Any:
        """What the clusterings are made from: the features, or what is computed from them once for all clusterings."""
        return X

    def _prepare_new(self, X: Any) -> Any:
        """The same of new objects."""
        return X

    @whole_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the clusterings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> IntArray:
        """Make the clusterings and return their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
            One column per clustering; -1 where it did not see an object.
        """
        X = self._check(X, reset=True)
        n = X.shape[0]
        n_sampled = round(self.sample_fraction * n)
        if n_sampled < 2:
            raise ValueError(
                f"sample_fraction={self.sample_fraction} of {n} objects leaves {n_sampled} for each clustering, which "
                "needs at least 2; pass a larger sample_fraction."
            )
        tasks = self._tasks(n, n_sampled)
        made = run_tasks(self._prepare_fit(X), tasks, n_jobs=self.n_jobs, show=bool(self.verbose))
        warn_skipped(made)
        usable = [clustering for clustering in made if clustering.is_usable]
        self.manifest_ = manifest_of(made, n)
        self.n_iter_ = max(clustering.n_iter for clustering in usable)
        self._clusterings: list[BaseClustering] = [clustering.without_objects() for clustering in usable]
        # a copy, because the user may change the array after the fit
        self._features: Any = X.copy() if any(clustering.place is None for clustering in usable) else None
        return label_columns(usable, n)

    def transform(self, X: Any) -> IntArray:
        """Cluster of each object in each clustering, whether or not the clustering saw the object.

        New objects go to the nearest centre if the clusterer has centres, to the predicted cluster if it can predict,
        else to the cluster of the nearest object that it saw.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
        """
        check_is_fitted(self, "_clusterings")
        X = self._prepare_new(self._check(X, reset=False))
        by_all = any(clustering.place is None and clustering.sample is None for clustering in self._clusterings)
        nearest_of_all = _nearest_object(self._features, X) if by_all else None
        return np.column_stack([self._place(clustering, X, nearest_of_all) for clustering in self._clusterings])

    def _place(self, clustering: BaseClustering, X: Any, nearest_of_all: IntArray | None) -> IntArray:
        """Cluster of new objects in one clustering (eq. R5)."""
        if clustering.place is not None:
            return clustering.place_new(X)
        sample = clustering.sample
        nearest = nearest_of_all if sample is None else _nearest_object(self._features[sample], X)
        return np.asarray(clustering.labels[nearest])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name of each clustering: its algorithm, number of clusters and seed.

        Parameters
        ----------
        input_features : Ignored
            Present by convention.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "_clusterings")
        return self.manifest_.loc[self.manifest_["status"] == OK, "name"].to_numpy(dtype=object)

    def _check(self, X: Any, *, reset: bool) -> Any:
        kinds = [np.float64, np.float32]  # float32 stays as it is
        return check_points(X, self, reset=reset, sparse=self._takes_sparse, dtype=kinds, min_samples=2 if reset else 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.transformer_tags.preserves_dtype = []  # labels are whole numbers
        return tags


def _nearest_object(fitted: Any, new: Any) -> IntArray:
    """Row of the nearest fitted object for each new object."""
    return np.asarray(NearestNeighbors(n_neighbors=1).fit(fitted).kneighbors(new, return_distance=False)[:, 0])
