"""A method that does not derive from ``BaseConsensus`` as one that does: the door, weights and new objects are ours."""

from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from partita._labels.ensemble import Ensemble
from partita._runs import warn
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin
from partita.consensus._registered import check_class, row_of
from partita.exceptions import MethodWarning
from partita.metrics._confidence import count_cells, log_table

_TOLD = ("history_", "n_iter_", "converged_", "objective_", "lower_bound_")  # what a fit tells of itself


def as_consensus(kind: Any) -> Any:
    """The class itself if it derives from ``BaseConsensus``, else one of the same name and parameters that does."""
    if issubclass(kind, BaseConsensus):
        return kind
    check_class(kind)
    return _subclass(kind)


@cache
def _subclass(kind: Any) -> Any:
    bases = (SoftConsensusMixin, OutsideConsensus) if hasattr(kind, "predict_proba") else (OutsideConsensus,)
    return type(kind.__name__, bases, {"outside": kind, "__doc__": kind.__doc__})


def wrap(estimator: Any) -> Any:
    """A new consensus estimator with the parameters of this one."""
    return as_consensus(type(estimator))(**clone(estimator).get_params(deep=False))


class OutsideConsensus(BaseConsensus):
    """Fits an estimator of another package to the codes of the labels, -1 for a missing one.

    The subclass that ``as_consensus`` makes has the class of that estimator in ``outside``. Parameters are those of the
    estimator; ``estimator_`` is the fitted one. New objects are placed by its ``predict``, or, where it has none or
    gives none of its clusters, in the cluster for which their labels speak (eq. I73).
    """

    outside: ClassVar[Any]
    estimator_: Any
    n_clusters: Any

    def __init__(self, **parameters: Any) -> None:
        self._plain = self.outside(**parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the estimator."""
        return dict(self._plain.get_params(deep=deep))

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of the estimator."""
        self._plain.set_params(**parameters)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return repr(self._plain)

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty, (self.outside,), self.__dict__

    def __getattr__(self, name: str) -> Any:
        """Parameters, and what the fitted estimator tells of its iterations."""
        if name in _TOLD and "estimator_" in self.__dict__:
            return getattr(self.estimator_, name)
        if not name.startswith("_") and not name.endswith("_") and "_plain" in self.__dict__:
            known = self._plain.get_params(deep=False)
            if name in known:
                return known[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def weights(self) -> Any:
        """Weights of the clusterings, None where the estimator takes none."""
        return self._plain.get_params(deep=False).get("weights")

    @property
    def _n_clusters_is_bound(self) -> bool:  # type: ignore[override]
        row = row_of(self)
        return row is not None and row.upper_bound

    def _one_row_per_object(self) -> bool:
        return True  # it may tell objects with equal labels apart

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        inner = clone(self._plain)
        if self.weights is not None:  # without those of clusterings that are not used
            inner.set_params(weights=ensemble.clustering_weights)
        inner.fit(np.array(ensemble.codes), **self._weights_of_fit(inner, ensemble.row_weights))
        self.estimator_ = inner
        self._classes, labels = np.unique(self._checked(inner, ensemble.n_rows), return_inverse=True)
        self._ensemble, self._row_labels = ensemble, labels.astype(np.int64)
        membership = self._membership(inner, ensemble.n_rows)
        if membership is None:
            return Consensus(self._row_labels)
        prior = ensemble.row_weights @ membership / ensemble.row_weights.sum()
        likely = bool((membership.argmax(axis=1) == self._row_labels).all())
        return Consensus(self._row_labels, membership, prior, most_probable=likely)

    def _label_rows(self, codes: Codes) -> Array:
        found = speak_for(self._ensemble, self._row_labels, codes)
        if self._soft is not None and hasattr(self.estimator_, "predict_proba"):
            return np.asarray(self.estimator_.predict_proba(np.array(codes)), dtype=np.float64)
        if hasattr(self.estimator_, "predict"):
            predicted = np.asarray(self.estimator_.predict(np.array(codes)))
            place = np.searchsorted(self._classes, predicted).clip(max=len(self._classes) - 1)
            found = np.where(self._classes[place] == predicted, place, found)
        if self._soft is None:
            return found
        return np.eye(self._soft)[found]  # of new objects the cluster is known, and not how sure it is

    # -------------------------------------------------------------------------------------------------- small steps
    def _weights_of_fit(self, inner: Any, row_weights: FloatArray) -> dict[str, Any]:
        if has_fit_parameter(inner, "sample_weight"):
            return {"sample_weight": row_weights}
        if (row_weights != row_weights[0]).any():
            raise ValueError(f"{type(self).__name__} takes no sample_weight; leave it out, or pass equal weights.")
        return {}

    def _checked(self, inner: Any, n_rows: int) -> IntArray:
        """Its labels, one cluster for each object."""
        labels = np.asarray(getattr(inner, "labels_", None))
        if labels.shape != (n_rows,) or labels.dtype.kind not in "iu" or labels.min() < 0:
            raise ValueError(
                f"the labels_ of {type(self).__name__} are {labels!r:.60}; they should be {n_rows} whole numbers from "
                "0, one for each object that has a label. partita.testing.check_consensus_estimator tells more."
            )
        return labels

    def _membership(self, inner: Any, n_rows: int) -> FloatArray | None:
        """Its probabilities, if there is one for every cluster; columns are the clusters 0, 1, ... of its labels."""
        given = np.asarray(getattr(inner, "membership_", ()), dtype=np.float64)
        as_counted = np.array_equal(self._classes, np.arange(len(self._classes)))
        fits = given.ndim == 2 and len(given) == n_rows and as_counted and given.shape[1] >= len(self._classes)
        if fits and not _are_probabilities(given):
            warn(
                f"membership_ of {type(self).__name__} is not used: its rows should be probabilities, which are not "
                "negative and sum to 1.",
                MethodWarning,
            )
            fits = False
        self._soft = given.shape[1] if fits else None
        return given if fits else None


def _are_probabilities(given: FloatArray) -> bool:
    return bool((given >= 0).all() and np.allclose(given.sum(axis=1), 1, atol=1e-6))  # NaN is neither


def _empty(kind: Any) -> Any:
    made = as_consensus(kind)
    return made.__new__(made)


def speak_for(ensemble: Ensemble, row_labels: IntArray, codes: Codes) -> IntArray:
    """Cluster for which the labels of each new row speak, given the clusters of the rows of an ensemble (eq. I73)."""
    counts = count_cells(ensemble, row_labels, int(row_labels.max()) + 1)
    scores = ensemble.with_rows(codes).sum_over_labels(log_table(ensemble, counts)) + np.log(counts.sizes)
    return np.asarray(scores.argmax(axis=1))
