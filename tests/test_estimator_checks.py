"""scikit-learn's own checks on every registered estimator, and that every public name is registered."""

import inspect

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import partita
from partita import metrics
from tests.nightly import NIGHTLY
from tests.registry import (
    ESTIMATORS,
    INTERNAL,
    METRICS,
    OTHER_ESTIMATORS,
    OTHER_SCORES,
    WEIGHTS_CHECK,
    expected_failed_checks,
)


def _checked():
    """One configuration per class; all of them at night."""
    made = [entry.make(n_clusters=2) if entry.takes_k else entry.make() for entry in ESTIMATORS.values()]
    return made if NIGHTLY else list({type(estimator): estimator for estimator in reversed(made)}.values())


@parametrize_with_checks(_checked(), expected_failed_checks=expected_failed_checks)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")  # some checks have less than 8 objects
@pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")  # labels of the checks are random
@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")  # so are these: they are no clusters
@pytest.mark.parametrize("name", sorted({type(entry.make()).__name__ for entry in ESTIMATORS.values()}))
def test_scikit_learn_with_default_parameters(name):
    estimator = getattr(partita, name)()
    if "random_state" in estimator.get_params():
        estimator.set_params(
            random_state=0
        )  # an unlucky start that does not converge would fail a check by its warning
    rows = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {row["check_name"] for row in rows if row["status"] == "failed"}
    assert failed <= {*expected_failed_checks(estimator), WEIGHTS_CHECK}


def test_every_public_estimator_is_registered():
    public = {
        name
        for name in partita.__all__
        if inspect.isclass(getattr(partita, name)) and issubclass(getattr(partita, name), BaseEstimator)
    }
    registered = {type(entry.make()).__name__ for entry in ESTIMATORS.values()}
    assert public == registered | set(OTHER_ESTIMATORS)


def test_every_public_metric_is_registered():
    public = {name for name in metrics.__all__ if name.endswith(("_score", "_distance", "_index", "_precision"))}
    assert public == set(METRICS) | {entry.name for entry in INTERNAL.values()} | set(OTHER_SCORES)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_are_declared_and_documented(name):
    estimator = ESTIMATORS[name].make()
    for parameter in estimator.get_params():
        assert parameter in estimator._parameter_constraints
        assert f"\n{parameter} :" in inspect.getdoc(type(estimator))
