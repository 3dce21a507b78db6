"""Checks of what holds for every consensus estimator: its attributes, its parameters, repetition, and wrong input."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.base import clone

from partita.exceptions import FewerClustersWarning
from partita.testing._data import noisy_ensemble, same_partition
from partita.testing._tools import (
    data,
    expect,
    expect_equal,
    few,
    fresh,
    generator,
    heard,
    ignoring,
    labels_of,
    need_method,
    need_parameter,
    need_sample_weight,
    parameters,
)

_THREADS = 4


def check_fit(estimator: Any) -> None:
    """Fit returns self and sets labels_, one whole number per object; X and parameters stay as they are."""
    X, model = data(), fresh(estimator)
    before, given = X.copy(), dict(parameters(model))
    expect(model.fit(X) is model, "fit does not return self")
    labels = np.asarray(model.labels_)
    expect(labels.shape == (len(X),), f"labels_ has the shape {labels.shape} for {len(X)} objects")
    expect(labels.dtype.kind in "iu", f"labels_ are {labels.dtype}, not whole numbers")
    expect(np.array_equal(X, before), "fit changes X")
    changed = [name for name, value in parameters(model).items() if value is not given[name]]
    expect(not changed, f"fit writes to the parameter {', '.join(changed)}")


def check_fit_predict(estimator: Any) -> None:
    """fit_predict gives labels_ of fit."""
    need_method(estimator, "fit_predict")
    expect_equal(fresh(estimator).fit_predict(data()), labels_of(fresh(estimator), data()), "fit_predict and labels_")


def check_clusters_by_size(estimator: Any) -> None:
    """Clusters are 0, 1, ... by decreasing size, and n_clusters_ is their number."""
    model = fresh(estimator).fit(data())
    labels = np.asarray(model.labels_)
    expect(labels.min() >= 0, "an object that has labels is in no cluster (-1)")
    sizes = np.bincount(labels)
    expect((sizes > 0).all(), "the numbers of the clusters have gaps")
    expect((np.diff(sizes) <= 0).all(), f"clusters are not numbered by decreasing size: sizes {sizes.tolist()}")
    expect(hasattr(model, "n_clusters_"), "there is no n_clusters_")
    expect(model.n_clusters_ == len(sizes), f"n_clusters_ = {model.n_clusters_}, and labels_ has {len(sizes)} clusters")


def check_number_of_clusters(estimator: Any) -> None:
    """n_clusters=2 gives at most two clusters, and n_clusters=5 the five that all clusterings agree on."""
    need_parameter(estimator, "n_clusters")
    two = len(np.unique(labels_of(fresh(estimator, n_clusters=2), data())))
    expect(two <= 2, f"n_clusters=2 gives {two} clusters")
    agreed = noisy_ensemble(sizes=(12, 10, 8, 7, 6), n_clusterings=4, flip=0, missing=0)
    labels = labels_of(fresh(estimator, n_clusters=5), agreed.X)
    found = f"four equal clusterings of 5 clusters, with n_clusters=5, give {len(np.unique(labels))} clusters"
    expect(same_partition(labels, agreed.truth), f"{found}, and not the same")


def check_unlabelled_objects(estimator: Any) -> None:
    """Objects without any label get -1 and one warning, and change nothing for the others."""
    X = data()
    with_empty = np.insert(X, [0, 10, len(X)], -1, axis=0)
    with heard() as caught:
        labels = labels_of(fresh(estimator), with_empty)
    empty = (with_empty < 0).all(axis=1)
    expect((labels[empty] == -1).all(), "an object without any label is in a cluster; labels_ should be -1")
    expect(len(caught) == 1, f"{len(caught)} warnings are given for objects without any label; there should be one")
    expect_equal(labels[~empty], labels_of(fresh(estimator), X), "with and without objects that have no label")


def check_same_seed(estimator: Any) -> None:
    """The same seed gives the same bits, also in threads."""
    X = data()
    serial = labels_of(fresh(estimator), X)
    with ThreadPoolExecutor(_THREADS) as pool:
        for labels in pool.map(lambda _: labels_of(fresh(estimator), X), range(2 * _THREADS)):
            expect_equal(labels, serial, "fits with the same seed, several at a time")


def check_n_jobs(estimator: Any) -> None:
    """The number of threads changes nothing."""
    need_parameter(estimator, "n_jobs")
    with_four = labels_of(fresh(estimator, n_jobs=4), data())
    expect_equal(with_four, labels_of(fresh(estimator, n_jobs=1), data()), "n_jobs=4 and n_jobs=1")


def check_parameters(estimator: Any) -> None:
    """get_params, set_params and scikit-learn's clone work, and a clone is not fitted."""
    need_method(estimator, "get_params")
    need_method(estimator, "set_params")
    model = fresh(estimator)
    given = parameters(model)
    with ignoring(FewerClustersWarning):
        copied = clone(model.fit(few()))
    expect(not hasattr(copied, "labels_"), "a clone of a fitted estimator has labels_")
    expect(parameters(copied).keys() == given.keys(), "a clone has other parameters")
    expect(copied.set_params(**given) is copied, "set_params does not return self")
    lost = [name for name, value in given.items() if parameters(copied)[name] is not value]
    expect(not lost, f"set_params loses {', '.join(lost)}")


def check_pickle(estimator: Any) -> None:
    """A pickled fit keeps labels_, and predict gives the same."""
    model = fresh(estimator).fit(data())
    try:
        copied = pickle.loads(pickle.dumps(model))
    except Exception as error:
        raise AssertionError(f"a fitted estimator cannot be pickled: {error}") from error
    expect(hasattr(copied, "labels_"), "a pickled fit has no labels_")
    expect_equal(copied.labels_, model.labels_, "labels_ after pickling")
    if hasattr(model, "predict"):
        expect_equal(copied.predict(data()), model.predict(data()), "predict after pickling")


def check_containers(estimator: Any) -> None:
    """NaN and None are missing as -1 is; words and frames are labels as numbers are."""
    import pandas as pd

    X = data()
    expected = labels_of(fresh(estimator), X)
    words = np.array([[None if label < 0 else f"label {label}" for label in row] for row in X.tolist()], dtype=object)
    frame = pd.DataFrame(X, columns=[f"run {j}" for j in range(X.shape[1])]).astype("Int64")
    for kind, container in {
        "an array with NaN": np.where(X < 0, np.nan, X),
        "an array of words and None": words,
        "a pandas frame with pd.NA": frame.mask(frame < 0),
    }.items():
        try:
            labels = labels_of(fresh(estimator), container)
        except Exception as error:
            raise AssertionError(f"{kind} is not taken: {type(error).__name__}: {error}") from error
        expect_equal(labels, expected, f"{kind}, and whole numbers with -1")


def check_one_cluster(estimator: Any) -> None:
    """One object, or objects with equal labels, are one cluster."""
    for X in (np.zeros((1, 3), int), np.tile([[0, 1, 2]], (7, 1))):
        expect_equal(labels_of(fresh(estimator), X), np.zeros(len(X)), f"{len(X)} objects with equal labels")


def check_many_missing_labels(estimator: Any) -> None:
    """Every object with a label gets a cluster, also where most labels are missing."""
    for missing in (0.5, 0.9):
        X = noisy_ensemble(missing=missing, n_clusterings=40).X
        with ignoring(FewerClustersWarning):
            labels = labels_of(fresh(estimator), X)
        left_out = int((labels < 0).sum())
        expect(labels.shape == (len(X),), f"{missing:.0%} of the labels missing: {labels.shape} labels")
        expect(not left_out, f"{missing:.0%} of the labels missing: {left_out} objects are in no cluster")


# -------------------------------------------------------------------------------------------------------- wrong input
def check_wrong_labels(estimator: Any) -> None:
    """Labels of one dimension, and none at all, are refused by a ValueError or TypeError that says why."""
    X = data()
    _expect_refusal(estimator, "a list of numbers in the place of a matrix", X[:, 0])
    _expect_refusal(estimator, "a matrix of three dimensions", X[:, :, None])
    _expect_refusal(estimator, "labels that are all missing", np.full_like(X, -1))
    _expect_refusal(estimator, "a matrix without objects", X[:0])


def check_wrong_weights(estimator: Any) -> None:
    """Weights of clusterings that are negative, NaN, all zero or too few are refused."""
    need_parameter(estimator, "weights")
    X, ones = data(), np.ones(data().shape[1])
    for kind, weights in _wrong(ones).items():
        _expect_refusal(fresh(estimator, weights=weights), f"weights that are {kind}", X)


def check_wrong_sample_weight(estimator: Any) -> None:
    """Weights of objects that are negative, NaN, all zero or too few are refused."""
    need_sample_weight(estimator)
    for kind, weights in _wrong(np.ones(len(data()))).items():
        _expect_refusal(estimator, f"sample_weight that is {kind}", data(), sample_weight=weights)


def check_wrong_n_clusters(estimator: Any) -> None:
    """Numbers of clusters below 1 are refused."""
    need_parameter(estimator, "n_clusters")
    for number in (0, -2):
        _expect_refusal(fresh(estimator, n_clusters=number), f"n_clusters={number}", data(), as_given=True)


def check_not_fitted(estimator: Any) -> None:
    """Before a fit there is no labels_, and predict says that it is needed."""
    model = fresh(estimator)
    expect(not hasattr(model, "labels_"), "there is a labels_ before fit")
    need_method(estimator, "predict")
    _refused(lambda: model.predict(data()), "predict before fit", (ValueError, AttributeError))


def check_random_state(estimator: Any) -> None:
    """A seed of NumPy's RandomState is taken, and equal states give equal labels."""
    need_parameter(estimator, "random_state")
    seeds = [np.random.RandomState(3) for _ in range(2)]
    with ignoring(FewerClustersWarning):
        first, second = (labels_of(fresh(estimator, random_state=seed), few()) for seed in seeds)
    expect_equal(first, second, "two fits from equal states")


def _wrong(ones: Any) -> dict[str, Any]:
    place = int(generator().integers(len(ones)))
    negative, nan = ones.copy(), ones.copy()
    negative[place], nan[place] = -1, np.nan
    return {"negative": negative, "NaN": nan, "all zero": 0 * ones, "too few": ones[:-1]}


def _expect_refusal(estimator: Any, what: str, X: Any, *, as_given: bool = False, **of_fit: Any) -> None:
    model = estimator if as_given else fresh(estimator)
    _refused(lambda: model.fit(X, **of_fit), what, (ValueError, TypeError))


def _refused(call: Any, what: str, kinds: tuple[type[Exception], ...]) -> None:
    try:
        with heard():
            call()
    except kinds as error:
        expect(len(str(error)) > 10, f"{what}: the error does not say what is wrong: {error!r}")
    except Exception as error:
        names = " or ".join(kind.__name__ for kind in kinds)
        raise AssertionError(f"{what}: {type(error).__name__} is raised, not {names}: {error}") from error
    else:
        raise AssertionError(f"{what}: nothing is raised")
