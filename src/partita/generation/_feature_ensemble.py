"""What generators of ensembles from features share: features in, label matrix out."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from partita._parameters import Interval
from partita._typing import Array, IntArray
from partita.generation._runs import Run, Task, as_columns, as_manifest, place_new, run_tasks, warn_skipped


class FeatureEnsemble(TransformerMixin, BaseEstimator):
    """A transformer from features to a label matrix; subclasses implement ``_tasks``."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "sample_fraction": [Interval("real", 0, 1)],
        "random_state": ["random_state"],
        "n_jobs": [Interval("int", None, None), None],
        "verbose": ["verbose"],
    }

    sample_fraction: float
    random_state: Any
    n_jobs: int | None
    verbose: int
    manifest_: pd.DataFrame
    _takes_sparse: ClassVar[bool] = False

    def _tasks(self, n_objects: int, n_sampled: int) -> list[Task]:
        """What to run."""
        raise NotImplementedError(f"{type(self).__name__} must implement _tasks.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the clusterings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> IntArray:
        """Make the clusterings and return their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
            One column a clustering; -1 where it did not see an object.
        """
        X = self._check(X, reset=True)
        n = X.shape[0]
        n_sampled = round(self.sample_fraction * n)
        if n_sampled < 2:
            raise ValueError(
                f"sample_fraction={self.sample_fraction} of {n} objects leaves {n_sampled} to each clustering; pass a "
                "larger one, so that it sees two at least."
            )
        runs = run_tasks(X, self._tasks(n, n_sampled), n_jobs=self.n_jobs, show=bool(self.verbose))
        warn_skipped(runs)
        self.manifest_ = as_manifest(runs, n)
        self._runs: list[Run] = [run for run in runs if run.has_labels]
        self.n_iter_ = max(run.n_iter for run in self._runs)
        self._features: Any = X if any(run.place is None for run in self._runs) else None
        return as_columns(self._runs, n)

    def transform(self, X: Any) -> IntArray:
        """Cluster of each object in each clustering, whether or not that saw the object.

        New objects go to the nearest centre where the clusterer has centres, to what it predicts where it can, else to
        the cluster of the nearest object that it saw.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
        """
        check_is_fitted(self, "_runs")
        X = self._check(X, reset=False)
        fitted = self._features
        among_all = fitted is not None and any(run.place is None and run.sample is None for run in self._runs)
        nearest_of_all = _nearest(fitted, X) if among_all else None

        def nearest(new: Any, sample: IntArray | None) -> Any:
            return nearest_of_all if sample is None else _nearest(fitted[sample], new)

        return np.column_stack([place_new(run, X, nearest) for run in self._runs])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name of each clustering: its algorithm, number of clusters and seed.

        Parameters
        ----------
        input_features : Ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "_runs")
        return self.manifest_.loc[self.manifest_["status"] == "ok", "name"].to_numpy(dtype=object)

    def _check(self, X: Any, *, reset: bool) -> Any:
        accepted = "csr" if self._takes_sparse else False
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=accepted,
            dtype=[np.float64, np.float32],
            ensure_min_samples=2 if reset else 1,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.transformer_tags.preserves_dtype = []  # labels are whole numbers
        return tags


def _nearest(fitted: Any, new: Any) -> IntArray:
    """Place of the nearest fitted object."""
    return np.asarray(NearestNeighbors(n_neighbors=1).fit(fitted).kneighbors(new, return_distance=False)[:, 0])
