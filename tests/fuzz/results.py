"""What must hold for every result: shapes, ranges, finite numbers, probabilities that sum to 1."""

import warnings
from typing import Any

import numpy as np

import partita
from tests.fuzz.calls import Call
from tests.fuzz.estimators import CONSENSUS
from tests.registry import INTERNAL, METRICS

_WITH_HOLES = frozenset(
    {"theta_", "beta_", "r_hat_", "cluster_centers_", "coassignment_"}
)  # NaN stands for a clustering without weight, or for what was not computed
# with the divergence "kl" and one cluster, unless all objects are always together
_INFINITE = frozenset({"objective_", "history_", "log_likelihood_"})
_SOME_LIMIT = {entry.name for entry in INTERNAL.values()}  # NaN for one cluster, inf where all diameters are 0


class BrokenResultError(AssertionError):
    """A result that does not hold, in a few words."""


def _require(condition: Any, words: str) -> None:
    if not condition:
        raise BrokenResultError(words)


def check_results(call: Call, results: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Refuse a result that breaks what partita promises."""
    model = results.get("model")
    if hasattr(model, "labels_"):
        _check_model(call, model, arguments)
    for name, value in results.items():
        if name.startswith("predict_of"):
            _check_labels(value, name, getattr(model, "n_components_", model.n_clusters_))
        elif name.startswith("predict_proba"):
            _check_membership(value, name)
        elif name.startswith("score_samples"):
            _require(value.ndim == 1 and np.isfinite(value).all(), f"{name} is not finite")
        elif name.startswith(("score", "perplexity")):
            limit = name.startswith("perplexity") and value == np.inf  # above 1.8e308
            _require(isinstance(value, float) and (limit or np.isfinite(value)), f"{name} is not a finite number")
        elif name.startswith("made"):
            _require(np.isfinite(value.data if hasattr(value, "tocsr") else value).all(), f"{name} is not finite")
    if call.target.startswith("metrics."):
        _check_metric(call.target.split(".")[1], results["result"])


# ------------------------------------------------------------------------------------------------------------- models
def _check_model(call: Call, model: Any, arguments: dict[str, Any]) -> None:
    labels = model.labels_
    _check_labels(labels, "labels_", model.n_clusters_)
    found = np.unique(labels[labels >= 0])
    _require(len(found) == model.n_clusters_, "n_clusters_ is not the number of distinct labels_")
    if hasattr(model, "membership_"):
        _check_membership(model.membership_, "membership_")
        _require(len(model.membership_) == len(labels), "membership_ and labels_ have different lengths")
        _require(model.membership_.shape[1] >= model.n_clusters_, "membership_ has fewer columns than n_clusters_")
    infinite = _INFINITE if call.target in ("PCC", "PEACE") and model.membership_.shape[1] == 1 else frozenset()
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_") and name not in _WITH_HOLES | infinite | {"confidence_"}:
            _check_finite(getattr(model, name, None), name)
    if hasattr(model, "confidence_"):
        _check_sureness(model, arguments)
    if call.target in CONSENSUS and _is_label_matrix(arguments["X"]):
        _check_unlabelled(model, arguments)


def _check_sureness(model: Any, arguments: dict[str, Any]) -> None:
    """NaN stands for objects without a cluster (or with features alone), inf for the lack of another cluster."""
    _check_membership(model.votes_, "votes_")
    _require(model.votes_.shape == (len(model.labels_), model.n_clusters_), "votes_ is not (n_samples, n_clusters_)")
    confidence = model.confidence_
    _require(confidence.shape == model.labels_.shape, "confidence_ and labels_ have different lengths")
    _require(np.isnan(confidence[model.labels_ < 0]).all(), "confidence_ of an object without a cluster")
    if arguments.get("features") is None:
        _require(not np.isnan(confidence[model.labels_ >= 0]).any(), "confidence_ has NaN")
    if arguments.get("sample_weight") is None and model.n_clusters_ > 1:
        _require(not np.isinf(confidence).any(), "confidence_ has inf")


def _check_labels(labels: Any, name: str, n_clusters: int) -> None:
    _require(
        isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype == np.int64,
        f"{name} is not a vector of int64",
    )
    _require(len(labels) == 0 or labels.min() >= -1, f"{name} below -1")
    _require(len(labels) == 0 or labels.max() < n_clusters, f"{name} above n_clusters_ - 1")


def _check_membership(Y: Any, name: str) -> None:
    _require(isinstance(Y, np.ndarray) and Y.ndim == 2, f"{name} is not a matrix")
    _require(np.isfinite(Y).all(), f"{name} has NaN or inf")
    _require((Y >= 0).all() and np.allclose(Y.sum(axis=1), 1, atol=1e-6), f"rows of {name} do not sum to 1")


def _check_finite(value: Any, name: str) -> None:
    if isinstance(value, float):
        value = [value]
    if isinstance(value, list) and value and isinstance(value[0], float):
        value = np.array(value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        _require(np.isfinite(value).all(), f"{name} has NaN or inf")


def _is_label_matrix(X: Any) -> bool:
    return not isinstance(X, list | tuple | dict) or np.ndim(next(iter(X.values() if isinstance(X, dict) else X))) == 1


def _check_unlabelled(model: Any, arguments: dict[str, Any]) -> None:
    """-1 is for objects of which nothing is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = partita.check_label_matrix(arguments["X"])
    _require(len(model.labels_) == len(matrix.codes), "labels_ has another length than X")
    weights = getattr(model, "label_weights", None) if getattr(model, "weights", None) is None else model.weights
    weights = np.broadcast_to(np.asarray(1.0 if weights is None else weights, float), (matrix.n_columns_in,))
    of_object = arguments.get("sample_weight")
    of_object = np.broadcast_to(np.asarray(1.0 if of_object is None else of_object, float), (len(matrix.codes),))
    known = (matrix.codes[:, weights[matrix.kept] > 0] >= 0).any(axis=1) & (of_object > 0)
    _require((model.labels_[known] >= 0).all(), "labels_ is -1 for an object with a label and a weight")


# ------------------------------------------------------------------------------------------------------------ metrics
def _check_metric(name: str, value: Any) -> None:
    if isinstance(value, float | np.floating):
        _require(name in {*_SOME_LIMIT, "perplexity"} or not np.isinf(value), f"{name} is infinite")
        _require(name in {*_SOME_LIMIT, "pac_score"} or not np.isnan(value), f"{name} is NaN")
    if name in METRICS and not np.isnan(value):
        low, high = METRICS[name].low, 1.0
        _require(low - 1e-9 <= value <= high + 1e-9, f"{name} is outside [{low}, {high}]")
