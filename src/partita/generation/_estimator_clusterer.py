"""Any clusterer in the manner of scikit-learn as a base clusterer: its seed and its number of clusters (eq. R18)."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from partita.generation._base_clusterings import FoundClusters


def cluster_by_estimator(X: Any, ks: Sequence[int | None], seed: int, *, estimator: Any) -> list[FoundClusters]:
    """Fit a copy of the clusterer for each number of clusters; its noise (-1) is in no cluster.

    Each fit gets its own copy of X: a clusterer may write to it (as ``copy_x=False`` allows), and X can be the user's
    array, which all clusterings share.
    """
    found = []
    for k in ks:
        model = set_seeds(clone(estimator), seed)
        if k is not None:
            model.set_params(**{number_parameter(estimator) or "": k})
        labels = np.asarray(model.fit_predict(X.copy()))
        place = partial(_predict, model) if hasattr(model, "predict") else None
        if labels.dtype.kind not in "biuf":  # names of clusters
            labels, place = np.unique(labels, return_inverse=True)[1], None
        found.append(FoundClusters(labels, place, _has_converged(model)))
    return found


def _predict(model: Any, X: Any) -> Any:
    """Clusters of new objects; a step of a pipeline may write to its features here, too."""
    return model.predict(X.copy())


def set_seeds(estimator: Any, seed: int) -> Any:
    """Set the seed of an estimator and of its parts, where they have none."""
    parameters = estimator.get_params()
    unset = [name for name in parameters if name.split("__")[-1] == "random_state" and parameters[name] is None]
    return estimator.set_params(**dict.fromkeys(unset, seed))


def is_random(estimator: Any) -> bool:
    """Whether a clusterer, or a part of it, has a seed."""
    return any(name.split("__")[-1] == "random_state" for name in estimator.get_params())


def number_parameter(estimator: Any) -> str | None:
    """Name of the parameter that sets the number of clusters, if there is one; in a pipeline, of its only such part."""
    known = estimator.get_params(deep=False)
    own = next((name for name in ("n_clusters", "n_components") if name in known), None)
    nested = [name for name in estimator.get_params() if name.endswith("__n_clusters")]
    return own if own is not None else nested[0] if len(nested) == 1 else None


def _has_converged(model: Any) -> bool:
    """Whether a fitted clusterer converged, as far as its attributes show."""
    if hasattr(model, "converged_"):
        return bool(model.converged_)
    n_iter, max_iter = getattr(model, "n_iter_", None), model.get_params(deep=False).get("max_iter")
    batches = "batch_size" in model.get_params(deep=False)  # mini-batches always stop at their number of batches
    return n_iter is None or max_iter is None or batches or bool(np.max(n_iter) < max_iter)
