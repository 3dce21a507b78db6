"""What every consensus estimator promises, from the registry."""

import re
import warnings
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV

from partita.consensus._methods import METHODS
from partita.exceptions import (
    EmptyColumnWarning,
    FewerClustersWarning,
    IdentifiabilityWarning,
    UnlabelledObjectsWarning,
)
from partita.metrics import average_nmi_score
from partita.testing import PROMISES, consensus_estimator_checks
from tests.ensembles import label_matrices, noisy_ensemble
from tests.registry import (
    ESTIMATORS,
    MODEL,
    OPTIONAL,
    REFUSES_K,
    SOFT,
    TIES_BY_INDEX,
)


def promising(*promises):
    names = [name for name, entry in ESTIMATORS.items() if set(promises) <= entry.promises]
    return pytest.mark.parametrize("name", names)


def make(name, n_clusters=3, **parameters):
    entry = ESTIMATORS[name]
    return entry.make(n_clusters=n_clusters, **parameters) if entry.takes_k else entry.make(**parameters)


every = pytest.mark.parametrize("name", ESTIMATORS)
METHODS_BY_CLASS = {method.estimator: method for method in METHODS.values()}
FEW = noisy_ensemble(sizes=(8, 6, 4), n_clusterings=5).X
PROMISED = [(name, promise) for name, entry in ESTIMATORS.items() for promise in entry.checks]


# --------------------------------------------------------------------------------------------- the public promises
@pytest.mark.parametrize(("name", "promise"), PROMISED)
def test_promises_are_kept(name, promise):
    """The checks of partita.testing; one may be skipped only where the registry does not promise what it is about."""
    entry = ESTIMATORS[name]
    [(estimator, check)] = consensus_estimator_checks(entry.make(), promises=[promise])
    try:
        check(estimator)
    except SkipTest:
        assert promise not in entry.promises


def test_every_optional_promise_is_public():
    assert set(PROMISES) >= OPTIONAL


# ------------------------------------------------------------------------------------ what is ours beside the promises
@promising(MODEL)
def test_models_warn_of_a_single_clustering(name, truth):
    with pytest.warns(IdentifiabilityWarning, match="Pass two or more clusterings"):
        make(name).fit(truth[:, None])


def test_what_has_no_label_is_named(X):
    with pytest.warns(EmptyColumnWarning, match=r"1 of 16 clusterings .* 'c15'"):
        make("LabelKMeans").fit(np.column_stack([X, np.full(len(X), -1)]))
    with pytest.warns(UnlabelledObjectsWarning, match="3 of 65 objects"):
        make("LabelKMeans").fit(np.insert(X, [0, 10, len(X)], -1, axis=0))


@every
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_further_containers_give_the_same(name):
    expected = make(name).fit_predict(FEW)
    columns = [[None if label < 0 else label for label in column] for column in FEW.T.tolist()]
    named = [f"run {j}" for j in range(FEW.shape[1])]
    for container in (pl.DataFrame(columns, schema=named), columns):
        assert np.array_equal(make(name).fit_predict(container), expected)
    assert list(make(name).fit(pd.DataFrame(FEW, columns=named)).feature_names_in_) == named


@promising(SOFT)
def test_columns_of_memberships_are_counted_and_nothing_known_is_uniform(name, X):
    with pytest.warns(UnlabelledObjectsWarning):
        estimator = make(name).fit(np.insert(X, 4, -1, axis=0))
    assert estimator.membership_.shape == (len(X) + 1, estimator.n_components_)
    if MODEL not in ESTIMATORS[name].promises:
        assert np.allclose(estimator.membership_[4], 1 / estimator.n_components_)


@every
def test_label_of_an_object_of_weight_zero_has_no_influence(name, X):
    strange = X.copy()
    strange[0, :3] = 9
    weight = np.ones(len(X))
    weight[0] = 0
    weighted = make(name).fit(strange, sample_weight=weight)
    alone = make(name).fit(X[1:])
    assert np.array_equal(weighted.labels_[1:], alone.labels_)
    if SOFT in ESTIMATORS[name].promises:
        assert np.allclose(weighted.membership_[1:], alone.membership_, atol=1e-6)


@every
def test_a_fitted_model_keeps_no_copy_of_all_labels(name):
    few = noisy_ensemble(sizes=(4, 3, 2), n_clusterings=80).X
    many = few[np.random.default_rng(0).integers(len(few), size=500)]
    large = {path: size for path, size in sizes_of_arrays(make(name).fit(many)) if size >= many.size}
    assert not large


def sizes_of_arrays(value, path="", seen=None):
    """Path and number of entries of each array that a pickle of the value would hold."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield path, value.size
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from sizes_of_arrays(part, f"{path}.{key}", seen)
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from sizes_of_arrays(part, f"{path}[{place}]", seen)
    elif hasattr(value, "__dict__"):
        yield from sizes_of_arrays(vars(value), path, seen)


@promising(MODEL)
def test_scores_are_log_likelihoods_and_give_the_perplexity(name, X):
    estimator = make(name).fit(X)
    values = estimator.score_samples(X)
    assert values.shape == (len(X),)
    assert (values < 0).all()
    assert estimator.score(X) == pytest.approx(values.mean())
    assert estimator.perplexity(X) == pytest.approx(np.exp(-values.sum() / (X >= 0).sum()))
    assert 1 <= estimator.perplexity(X) < 3
    new = X[:4].astype(object)
    new[0, np.flatnonzero(X[0] >= 0)[0]] = "never seen"
    new[1] = None
    scored = estimator.score_samples(new)
    assert scored[0] < values[0] - 20
    assert scored[1] == 0
    assert np.allclose(scored[2:], values[2:4])
    assert np.isfinite(estimator.perplexity(new))


@promising(TIES_BY_INDEX)
@given(X=label_matrices(max_rows=8, max_columns=4, max_label=2, min_label=0, min_rows=3), seed=st.integers(0, 99))
def test_names_and_order_do_not_matter_even_where_rows_tie(name, X, seed):
    rng = np.random.default_rng(seed)
    n_clusters = min(2, len(np.unique(X, axis=0)))
    renamed = np.column_stack([rng.permutation(3)[column] for column in X.T])
    expected = make(name, n_clusters=n_clusters).fit_predict(X)
    assert np.array_equal(make(name, n_clusters=n_clusters).fit_predict(renamed), expected)
    assert np.array_equal(make(name, n_clusters=n_clusters).fit_predict(X[:, ::-1]), expected)


# ----------------------------------------------------------------------------------------------- weights of any size
def numbers_of(model):
    """Numbers among the fitted attributes, by name."""
    names = {name for name in (*vars(model), *dir(type(model))) if name.endswith("_") and not name.startswith("_")}
    found = {}
    for name in sorted(names):
        value = getattr(model, name, None)
        parts = value if isinstance(value, list) else [value]
        arrays = [np.asarray(part) for part in parts if not callable(part)]
        found[name] = [array for array in arrays if array.dtype.kind in "fiu"]
    return found


def assert_finite(model):
    for name, arrays in numbers_of(model).items():
        assert all(np.isfinite(array).all() for array in arrays), name


def fit_or_refuse(model, of_fit, allowed):
    """The fitted model, or None if it refuses in one of the allowed ways."""
    try:
        return model.fit(FEW, **of_fit)
    except ValueError as refusal:
        if not re.search(allowed, str(refusal)):
            raise


@every
@pytest.mark.parametrize("kind", ["sample_weight", "weights"])
@pytest.mark.parametrize("size", [1e-300, 1e90, 1e300])
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_size_of_all_weights_matters_only_where_objects_are_counted(name, kind, size):
    given = {kind: np.full(len(FEW) if kind == "sample_weight" else FEW.shape[1], size)}
    own, of_fit = ({}, given) if kind == "sample_weight" else (given, {})
    counted = MODEL in ESTIMATORS[name].promises
    allowed = "sums from 1e-12 to|whole numbers" if counted else "would exceed the largest number"
    model = fit_or_refuse(make(name, **own), of_fit, allowed if size > 1 or counted else "nothing")
    if model is not None:
        assert_finite(model)
        assert counted or np.array_equal(model.labels_, make(name).fit(FEW).labels_)


@every
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("heavy", [1e10, 1e100])
def test_weights_of_very_different_size(name, heavy):
    for own, of_fit in (
        ({}, {"sample_weight": np.where(np.arange(len(FEW)) % 2, 1e-300, heavy)}),
        ({"weights": np.where(np.arange(FEW.shape[1]) % 2, 1e-300, heavy)}, {}),
    ):
        model = fit_or_refuse(make(name, **own), of_fit, "sums from 1e-12 to|whole numbers")
        if model is not None:
            assert_finite(model)
            assert (model.labels_ >= 0).all()


@pytest.mark.parametrize("kind", ["sample_weight", "weights"])
@pytest.mark.parametrize("name", [name for name, entry in ESTIMATORS.items() if MODEL not in entry.promises])
def test_reports_are_on_the_scale_of_the_user(name, kind):
    """Weights of 2^90 are scaled inside, those of 2^46 are not: what is reported differs by a power of 2^44."""
    of_objects = kind == "sample_weight"
    weights = np.linspace(1, 2, len(FEW) if of_objects else FEW.shape[1])
    plain, scaled = (
        make(name).fit(FEW, sample_weight=size * weights) if of_objects else make(name, weights=size * weights).fit(FEW)
        for size in (2.0**46, 2.0**90)
    )
    power = plain._powers_of_weights()[0 if of_objects else 1]
    powers = dict.fromkeys(["objective_", "log_likelihood_", "lower_bound_"], power)
    powers["mutual_information_"] = 0 if of_objects else 1
    powers["lifetimes_"] = 0.5 if of_objects and "ward" in name else 0
    for attribute, power in powers.items():
        if hasattr(plain, attribute) and not (attribute == "lower_bound_" and of_objects):  # see the aspect model
            grown = np.asarray(getattr(plain, attribute)) * 2.0 ** (44 * power)
            assert np.allclose(getattr(scaled, attribute), grown, rtol=1e-3, atol=1e-3 * np.abs(grown).max())


# ------------------------------------------------------------------------------------------ the number of clusters
@every
@pytest.mark.parametrize("n_clusters", [2, 6, 8])
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_n_clusters_counts_the_labels_and_n_components_the_columns(name, n_clusters):
    weight = np.ones(len(FEW))
    weight[[1, 4, 11]] = 0
    for of_fit in ({}, {"sample_weight": weight}):
        model = make(name, n_clusters=n_clusters).fit(FEW, **of_fit)
        there = model.labels_[model.labels_ >= 0]
        assert np.array_equal(np.unique(there), np.arange(model.n_clusters_))
        assert hasattr(model, "n_components_") == hasattr(model, "membership_")
        if hasattr(model, "membership_"):
            assert model.membership_.shape == (len(FEW), model.n_components_)
            assert model.n_components_ >= model.n_clusters_
            for attribute in ("alpha_", "gamma_", "weights_", "aspect_weights_", "theta_", "beta_"):
                value = getattr(model, attribute, None)
                if isinstance(value, list):
                    assert all(len(table) == model.n_components_ for table in value)
                elif np.ndim(value):
                    assert value.shape[-1] == model.n_components_


@every
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_more_clusters_than_distinct_rows_are_never_silent(name):
    entry = ESTIMATORS[name]
    X = np.repeat([[0, 0, 1], [1, 2, 0], [2, 1, 1], [0, 0, 0]], 2, axis=0)
    if not entry.takes_k:
        return
    model = make(name, n_clusters=9)
    if REFUSES_K in entry.promises:
        with pytest.raises(ValueError, match=r"n_clusters=9 exceeds the 4 distinct rows .* Pass n_clusters <= 4"):
            model.fit(X)
    elif METHODS_BY_CLASS[type(model).__name__].upper_bound:
        assert model.fit(X).n_clusters_ <= 8
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FewerClustersWarning)
            model.fit(X)
        assert "n_clusters=9 exceeds the 4 distinct rows" in str(caught[0].message)
        assert model.n_clusters_ <= 4


# ------------------------------------------------------------------------------------- seeds, scores, names of objects
@every
def test_a_generator_is_a_random_state(name):
    if "random_state" not in make(name).get_params():
        return
    first, second = (make(name, random_state=np.random.default_rng(3)).fit(FEW).labels_ for _ in range(2))
    assert np.array_equal(first, second)


@every
def test_every_estimator_has_a_score(name):
    model = make(name).fit(FEW)
    value = model.score(FEW)
    assert isinstance(value, float)
    if MODEL not in ESTIMATORS[name].promises:
        assert value == pytest.approx(average_nmi_score(FEW, model.predict(FEW)))


@pytest.mark.parametrize("name", ["PCC-kl", "EAC-average", "MCLA", "BCE", "LabelKMeans"])
def test_a_grid_search_finds_the_number_of_clusters(name, X):
    search = GridSearchCV(make(name), {"n_clusters": [1, 3]}, cv=2).fit(X)
    assert search.best_params_ == {"n_clusters": 3}


@every
def test_labels_come_with_the_index_of_a_frame(name):
    frame = pd.DataFrame(FEW, index=[f"object {i}" for i in range(len(FEW))])
    model = make(name).fit(frame)
    assert model.to_series().equals(pd.Series(model.labels_, index=frame.index, name="label"))
    assert model.index_ is frame.index
    assert make(name).fit(FEW).to_series().index.tolist() == list(range(len(FEW)))
    assert not hasattr(model.fit(FEW), "index_")
