"""What the checks share: fresh copies of an estimator, fits, and what an estimator has."""

import copy
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from partita._runs import warn
from partita._typing import IntArray
from partita.testing._data import noisy_ensemble

K = 3  # clusters of the ensemble of the checks
SEED = 20261115  # of what the checks draw


def data() -> IntArray:
    """The ensemble of the checks: 62 objects in three clusters, 15 clusterings, noise and holes."""
    return noisy_ensemble().X


def few() -> IntArray:
    """A smaller one of the same kind, where a fit is needed and not its answer."""
    return noisy_ensemble(sizes=(8, 6, 4), n_clusterings=5).X


def generator() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(SEED)


def parameters(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator, none if it does not tell them."""
    return dict(estimator.get_params(deep=False)) if hasattr(estimator, "get_params") else {}


def fresh(estimator: Any, **changed: Any) -> Any:
    """A copy that was never fitted, for three clusters where their number is a parameter, and with a seed."""
    made = clone(estimator) if hasattr(estimator, "get_params") else copy.deepcopy(estimator)
    known = parameters(made)
    given = {"n_clusters": K, "random_state": 0 if known.get("random_state") is None else known["random_state"]}
    wanted = {name: value for name, value in given.items() if name in known} | changed
    return made.set_params(**wanted) if wanted else made


def labels_of(estimator: Any, X: Any, **of_fit: Any) -> IntArray:
    """Labels of a fit; ``estimator`` is a fresh copy."""
    estimator.fit(X, **of_fit)
    return np.asarray(estimator.labels_)


def need(condition: Any, lacking: str) -> None:
    """Skip the check where the estimator has no means for it."""
    if not condition:
        raise SkipTest(lacking)


def need_parameter(estimator: Any, name: str) -> None:
    """Skip the check where there is no such parameter."""
    need(name in parameters(estimator), f"there is no parameter {name}")


def need_sample_weight(estimator: Any) -> None:
    """Skip the check where objects have no weights."""
    need(has_fit_parameter(estimator, "sample_weight"), "fit takes no sample_weight")


def need_method(estimator: Any, name: str) -> None:
    """Skip the check where there is no such method."""
    need(callable(getattr(estimator, name, None)), f"there is no {name}")


def expect(condition: Any, message: str) -> None:
    """Fail with words that say what was found."""
    if not condition:
        raise AssertionError(message)


def expect_equal(found: Any, wanted: Any, message: str) -> None:
    """Fail if labels differ, and say at how many objects."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    expect(found.shape == wanted.shape, f"{message}: {found.shape} labels, and {wanted.shape} were expected")
    differ = int((found != wanted).sum())
    expect(not differ, f"{message}: {differ} of {len(found)} labels differ")


@contextmanager
def ignoring(*categories: type[Warning]) -> Iterator[None]:
    """Without warnings of these kinds."""
    with warnings.catch_warnings():
        for category in categories:
            warnings.simplefilter("ignore", category)
        yield


def tell_again(caught: list[warnings.WarningMessage], *without: type[Warning]) -> None:
    """Give warnings that were heard again, but for these kinds."""
    for entry in caught:
        if not issubclass(entry.category, without):
            warn(str(entry.message), entry.category)


@contextmanager
def heard() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings that are given, without those on convergence."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield caught
