"""Checks of what an estimator may have beside labels: probabilities, a history, and places for new objects."""

from typing import Any

import numpy as np

from partita.testing._tools import data, expect, expect_equal, fresh, heard, need, need_method, need_sample_weight

_ROUNDING = 1e-12


def check_membership(estimator: Any) -> None:
    """Rows of membership_ are probabilities, and the most probable cluster is that of labels_."""
    X = np.insert(data(), 4, -1, axis=0)
    with heard():
        model = fresh(estimator).fit(X)
    need(hasattr(model, "membership_"), "there is no membership_")
    _expect_probabilities(model.membership_, len(X), "membership_")
    expect(_n_columns(model) == model.membership_.shape[1], "membership_ does not have n_components_ columns")
    there = model.labels_ >= 0
    expect_equal(model.membership_[there].argmax(axis=1), model.labels_[there], "most probable clusters and labels_")


def check_membership_without_weight(estimator: Any) -> None:
    """Objects of weight 0 have probabilities like others."""
    need_sample_weight(estimator)
    weight = np.ones(len(data()))
    weight[[3, 9]] = 0
    model = fresh(estimator).fit(data(), sample_weight=weight)
    need(hasattr(model, "membership_"), "there is no membership_")
    _expect_probabilities(model.membership_, len(weight), "membership_ with objects of weight 0")
    expect_equal(model.membership_[[3, 9]].argmax(axis=1), model.labels_[[3, 9]], "objects of weight 0")


def check_predict_proba(estimator: Any) -> None:
    """predict_proba gives new objects probabilities, and predict the most probable cluster."""
    need_method(estimator, "predict_proba")
    model = fresh(estimator).fit(data())
    probabilities = model.predict_proba(data()[:20])
    _expect_probabilities(probabilities, 20, "predict_proba")
    expect(_n_columns(model) == probabilities.shape[1], "predict_proba does not have n_components_ columns")
    expect_equal(probabilities.argmax(axis=1), model.predict(data()[:20]), "predict_proba and predict")


def check_history_falls(estimator: Any) -> None:
    """history_ of an objective never rises, and ends with objective_."""
    model = _with_history(estimator)
    need(hasattr(model, "objective_") or not hasattr(model, "lower_bound_"), "there is no objective_")
    history = np.asarray(model.history_)
    falls = (np.diff(history) <= _ROUNDING * abs(history[0])).all()
    if hasattr(model, "objective_"):
        expect(falls, "history_ of the objective rises")
        expect(model.objective_ == history[-1], f"objective_ = {model.objective_}, and history_ ends: {history[-1]}")
    rises = (np.diff(history) >= -_ROUNDING * abs(history[0])).all()
    expect(falls or rises, "history_ rises and falls")
    expect(getattr(model, "converged_", True), "converged_ is False on 62 objects")


def check_history_rises(estimator: Any) -> None:
    """history_ of a lower bound never falls, and ends with lower_bound_."""
    model = _with_history(estimator)
    need(hasattr(model, "lower_bound_"), "there is no lower_bound_")
    history = np.asarray(model.history_)
    expect((np.diff(history) >= -_ROUNDING * abs(history[0])).all(), "history_ of the lower bound falls")
    expect(model.lower_bound_ == history[-1], f"lower_bound_ = {model.lower_bound_}, and history_ ends: {history[-1]}")
    expect(getattr(model, "converged_", True), "converged_ is False on 62 objects")


def check_predict(estimator: Any) -> None:
    """Predict places objects one by one, gives clusters of labels_, and -1 to labels never seen."""
    need_method(estimator, "predict")
    X, model = data(), fresh(estimator).fit(data())
    some = np.asarray(model.predict(X[5:25]))
    expect(some.shape == (20,) and some.dtype.kind in "iu", f"predict gives {some.dtype} of shape {some.shape}")
    expect(set(some.tolist()) <= set(range(-1, model.n_clusters_)), "predict gives clusters that are not in labels_")
    expect_equal(some, np.asarray(model.predict(X))[5:25], "some objects, and the same among all")
    same = float(np.mean(some == model.labels_[5:25]))
    expect(same >= 0.9, f"predict gives {same:.0%} of the fitted objects their cluster")
    unknown, nothing = ["never", "seen"] + [None] * (X.shape[1] - 2), [None] * X.shape[1]
    new = np.array([unknown, X[0].tolist(), nothing], dtype=object)
    placed = np.asarray(model.predict(new))
    expect(placed[0] == -1, "an object whose labels were never seen is in a cluster; predict should give -1")
    expect(placed[2] == -1, "an object without any label is in a cluster; predict should give -1")
    expect(placed[1] in range(model.n_clusters_), "an object with labels of the fit is in no cluster")


def check_predicts_training(estimator: Any) -> None:
    """Predict on the fitted labels gives labels_."""
    need_method(estimator, "predict")
    model = fresh(estimator).fit(data())
    expect_equal(model.predict(data()), model.labels_, "predict on the fitted labels and labels_")


def check_places_training(estimator: Any) -> None:
    """predict_proba on the fitted labels gives membership_."""
    need_method(estimator, "predict_proba")
    model = fresh(estimator).fit(data())
    need(hasattr(model, "membership_"), "there is no membership_")
    same = np.allclose(model.predict_proba(data()), model.membership_, atol=1e-6)
    expect(same, "predict_proba on the fitted labels differs from membership_")


def _with_history(estimator: Any) -> Any:
    model = fresh(estimator).fit(data())
    need(hasattr(model, "history_"), "there is no history_")
    return model


def _n_columns(model: Any) -> int:
    return int(getattr(model, "n_components_", model.n_clusters_))


def _expect_probabilities(values: Any, n_rows: int, name: str) -> None:
    values = np.asarray(values)
    expect(values.ndim == 2 and len(values) == n_rows, f"{name} has the shape {values.shape} for {n_rows} objects")
    expect(bool(np.isfinite(values).all()), f"{name} has values that are not finite")
    expect((values >= 0).all(), f"{name} has negative values")
    expect(np.allclose(values.sum(axis=1), 1, atol=_ROUNDING), f"rows of {name} do not sum to 1")
