"""The federated fit in one process: what it takes, what it refuses, and the table of methods."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import partita
from partita import BCE, ECPCS, GBCE, LWGP, NBCE, PCC, LabelKMeans, MultinomialMixture
from partita.consensus._methods import METHODS
from partita.federated import simulate
from partita.federated._methods import COLUMN_METHODS, ROW_METHODS
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.parts import share_out

X = noisy_ensemble(sizes=(60, 40, 20), n_clusterings=8, flip=0.1, seed=1).X
PARTS = [X[:40], X[40:70], X[70:]]
NUMBER = {"NBCE": {"inference": "vb"}, "LWGP": {}}


def new(name, **more):
    """An estimator of the name, with a seed where it has one."""
    given = NUMBER.get(name, {"n_clusters": 3})
    kind = getattr(partita, name)
    seed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    return kind(**given, **seed, **more)


# ------------------------------------------------------------------------------ flags of the table of methods
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_flags_are_what_can_be_called(method):
    """BCE paper, table 2: more columns, column-distributed and row-distributed."""
    kind = getattr(partita, method.estimator)
    assert method.by_rows == (method.estimator in ROW_METHODS)
    assert method.by_columns == (method.estimator in COLUMN_METHODS)
    assert method.grows == (hasattr(kind, "extend") and kind is not GBCE)


@pytest.mark.parametrize("name", ROW_METHODS)
def test_row_distributed(name):
    """Labels of all objects, numbered by size over all sites, with holes; the model places new objects."""
    model = simulate(new(name), PARTS)
    assert len(model.labels_) == len(X)
    sizes = np.bincount(model.labels_)
    assert (np.diff(sizes) <= 0).all()
    assert model.n_clusters_ == len(sizes)
    assert len(model.predict(X[:5])) == 5
    assert model.confidence_.shape == (len(X),)
    assert model.exchanges_[0].question == "labels"
    pooled = new(name).fit(X)
    if name != "NBCE":  # whose starts differ
        assert (model.labels_ == pooled.labels_).mean() > 0.9


@pytest.mark.parametrize("name", COLUMN_METHODS)
def test_column_distributed(name):
    parts = [X[:, :3], X[:, 3:4], X[:, 4:]]
    model = simulate(new(name), parts, by="columns", accept_disclosure=True)
    pooled = new(name).fit(X)
    assert model.lower_bound_ >= pooled.lower_bound_ - 0.03 * abs(pooled.lower_bound_)
    assert model.membership_.shape[0] == len(X)


@pytest.mark.parametrize("name", [method.estimator for method in METHODS.values() if not method.by_rows])
def test_methods_that_cannot_are_refused_before_any_message(name):
    with pytest.raises(ValueError, match=rf"{name} cannot be fitted by rows of several sites; pass one of BCE,"):
        simulate(getattr(partita, name)(), PARTS)


@pytest.mark.parametrize("name", ["ECPCS", "MCLA", "LWGP", "LabelKMeans", "MultinomialMixture"])
def test_encrypted_fits_have_the_same_labels(name):
    pytest.importorskip("tenseal")
    assert np.array_equal(simulate(new(name), PARTS, encrypted=True).labels_, simulate(new(name), PARTS).labels_)


# ----------------------------------------------------------------------------------------------------- what is given
def test_the_public_signature():
    fixed = ["estimator", "sites", "by", "heuristic", "encrypted", "paper"]
    parameters = inspect.signature(simulate).parameters
    assert list(parameters)[:6] == fixed
    assert [parameters[name].default for name in fixed[2:]] == ["rows", False, False, False]
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in list(parameters)[2:])


def test_the_estimator_itself_is_not_fitted():
    estimator = ECPCS(3)
    assert simulate(estimator, PARTS) is not estimator
    assert not hasattr(estimator, "labels_")


def test_sites_by_name_and_in_frames():
    frames = {"a": pd.DataFrame(X[:40]), "b": pd.DataFrame(X[40:])}
    assert np.array_equal(simulate(ECPCS(3), frames).labels_, simulate(ECPCS(3), [X[:40], X[40:]]).labels_)


def test_one_site_is_the_pooled_fit():
    for name in ("ECPCS", "MCLA", "LWGP", "MultinomialMixture"):
        assert same_partition(simulate(new(name), [X]).labels_, new(name).fit(X).labels_)


def test_the_same_seed_gives_the_same_bits():
    first, again = (simulate(LWGP(random_state=4), PARTS) for _ in range(2))
    assert np.array_equal(first.labels_, again.labels_)
    one, two = (simulate(BCE(3, random_state=4, max_iter=5, tol=1e-3), PARTS) for _ in range(2))
    assert np.array_equal(one.membership_, two.membership_)


def test_objects_without_labels_get_none():
    parts = [X[:40].copy(), X[40:]]
    parts[0][3] = -1
    with pytest.warns(UserWarning, match="1 of 40 objects have no label"):
        model = simulate(ECPCS(3), parts)
    assert model.labels_[3] == -1
    assert (np.delete(model.labels_, 3) >= 0).all()


def test_weights_of_clusterings():
    weights = np.array([2.0, 1, 0, 1, 3, 1, 1, 0.5])
    for name in ("ECPCS", "MultinomialMixture"):
        model = simulate(new(name, weights=weights), PARTS)
        assert same_partition(model.labels_, new(name, weights=weights).fit(X).labels_)
    assert same_partition(
        simulate(ECPCS(3, weights=1e200 * weights), PARTS).labels_, simulate(ECPCS(3, weights=weights), PARTS).labels_
    )


WRONG = [
    (lambda: simulate(KMeans(3), PARTS), TypeError, "clusters features, not labels"),
    (lambda: simulate(ECPCS, PARTS), TypeError, "estimator"),
    (lambda: simulate(ECPCS(3), []), ValueError, "sites is empty"),
    (lambda: simulate(ECPCS(3), X[:, 0, None].ravel()[0]), TypeError, "pass a list of label matrices"),
    (lambda: simulate(ECPCS(3), PARTS, by="cells"), ValueError, "by"),
    (lambda: simulate(PCC(3), PARTS), ValueError, "PCC cannot be fitted by rows"),
    (lambda: simulate(ECPCS(3), PARTS, by="columns"), ValueError, "ECPCS cannot be fitted by columns"),
    (lambda: simulate(ECPCS(3, output="tree"), PARTS), ValueError, "output='meta'"),
    (lambda: simulate(BCE(3, keep_starts=True), PARTS), ValueError, "keep_starts=True"),
    (lambda: simulate(BCE(3), PARTS, paper=True), ValueError, "paper=True has no meaning with by='rows'"),
    (lambda: simulate(BCE(3), PARTS, by="columns", heuristic=True), ValueError, "heuristic=True has no meaning"),
    (lambda: simulate(NBCE(), PARTS), ValueError, "inference='vb'"),
    (lambda: simulate(LabelKMeans(3, coding="raw"), PARTS), ValueError, "onehot"),
    (lambda: simulate(MultinomialMixture(0), PARTS), ValueError, "n_clusters"),
    (lambda: simulate(BCE(3, tol=-1), PARTS, by="columns", accept_disclosure=True), ValueError, "tol"),
    (lambda: simulate(ECPCS(3), PARTS, secret_key="short"), ValueError, "at least 16"),
    (lambda: simulate(ECPCS(3), PARTS, epsilon=0), ValueError, "epsilon"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_calls_are_told(number):
    call, kind, words = WRONG[number]
    with pytest.raises(kind, match=words):
        call()


def test_sites_of_different_composition():
    """Each site has one of the clusters only: nothing at a site shows that there are others."""
    truth = np.repeat([0, 1, 2], 40)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((120, 9)) < 0.1, rng.integers(3, size=(120, 9)), truth[:, None])
    parts = [labels[truth == q] for q in range(3)]
    for name in ("ECPCS", "MCLA", "LWGP", "USENC", "MultinomialMixture", "BCE", "LabelKMeans"):
        model = simulate(new(name), parts)
        kept = [np.bincount(model.labels_[truth == q], minlength=3).max() for q in range(3)]
        assert min(kept) > 36, name


def test_share_out_is_a_partition():
    assert sum(map(len, share_out(X, 4))) == len(X)
