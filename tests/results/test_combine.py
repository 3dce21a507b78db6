"""combine(): every container and method, the number of clusters in all ways, and refusals in our words."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import KMeans

import partita
from partita import EAC, LWGP, MCLA, NBCE, PCC, SoftLWGP, combine
from partita._labels import tables
from partita.consensus._methods import METHODS
from partita.consensus.label_space._chance import LEVEL
from tests.consensus.soft.soft_clusterings import one_hot_blocks, posteriors
from tests.ensembles import noisy_ensemble, same_partition

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")

DATA = noisy_ensemble()
FEW = noisy_ensemble(sizes=(14, 10, 8), n_clusterings=8, flip=0.04, missing=0.1).X
NOISE = np.random.default_rng(0).integers(0, 3, (60, 6))
NAMES = [f"run {m}" for m in range(15)]


def default(X=DATA.X, **parameters):
    return combine(X, random_state=0, **parameters)


# -------------------------------------------------------------------------------------------------------- containers
CONTAINERS = {
    "array": DATA.X,
    "list of columns": list(DATA.X.T),
    "dict": {name: DATA.X[:, m] for m, name in enumerate(NAMES)},
    "pandas": pd.DataFrame(DATA.X, columns=NAMES),
    "polars": pl.DataFrame(DATA.X, schema=NAMES),
    "holes": np.where(DATA.X < 0, np.nan, DATA.X),
    "text": pd.DataFrame(DATA.X, columns=NAMES).astype(str),
    "objects": np.where(DATA.X < 0, None, DATA.X.astype(object)),
    "categories": pd.DataFrame(DATA.X, columns=NAMES).replace(-1, None).astype("category"),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_every_container_gives_the_same_consensus(kind):
    result = default(CONTAINERS[kind])
    assert np.array_equal(result.labels, default().labels)
    assert same_partition(result.labels, DATA.truth)
    assert result.method == "lwgp"
    assert (result.n_clusters, result.choice.n_clusters) == (3, 3)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_clusterings_keep_their_names(kind):
    assert default(CONTAINERS[kind]).clusterings["clustering"].tolist() == NAMES


def test_soft_clusterings_in_a_list_or_dict():
    blocks, truth = posteriors()
    result = default(blocks)
    assert result.method == "soft-lwgp"
    assert same_partition(result.labels, truth)
    assert np.array_equal(default(dict(enumerate(blocks))).labels, result.labels)


# --------------------------------------------------------------------------------------------------- what is computed
def test_the_default_is_the_estimator_and_nothing_else():
    estimator = default().estimator
    assert isinstance(estimator, LWGP)
    assert np.array_equal(default().labels, LWGP(theta=estimator.theta, random_state=0).fit_predict(DATA.X))
    assert isinstance(default(one_hot_blocks(DATA.X)).estimator, SoftLWGP)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_by_name_is_its_estimator_at_the_number_of_the_rule(method):
    row = METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = default(FEW, method=method)
        own = getattr(partita, row.estimator)()
        own.set_params(random_state=0)
        if "n_clusters" in own.get_params():
            own.set_params(n_clusters=3)
        if method not in ("lwgp", "soft-lwgp"):
            assert np.array_equal(result.labels, own.fit_predict(FEW))
    assert type(result.estimator).__name__ == row.estimator
    assert result.method == method
    if method != "robust":  # groups of which the clusterings are sure: more than there are clusters
        assert result.n_clusters == 3
    if method not in ("nbce", "robust"):  # they have a number of their own, not that of the rule
        assert result.choice.verdict in ("clusters", "weak")
        assert result.choice.runner_up is not None


@pytest.mark.parametrize("name", ["MCLA", "mcla", "Mcla", "Label-KMeans", "LabelKMeans"])
def test_a_method_by_the_name_of_its_class(name):
    assert default(method=name).method == ("mcla" if len(name) == 4 else "label-kmeans")


@pytest.mark.parametrize("estimator", [EAC(), MCLA(4, random_state=3), LWGP(2), NBCE("vb", n_init=2), PCC(5)])
def test_an_estimator_keeps_its_parameters(estimator):
    result = combine(DATA.X, method=estimator, random_state=0)
    assert not hasattr(estimator, "labels_")
    given = {**estimator.get_params(), "random_state": 0}
    assert result.estimator.get_params() == {name: given[name] for name in result.estimator.get_params()}
    assert np.array_equal(result.labels, type(estimator)(**given).fit_predict(DATA.X))


def test_what_is_given_reaches_the_estimator():
    weights, sample_weight = np.arange(15) % 3, np.arange(62) % 4
    for method in ("auto", "mcla", MCLA(3)):
        result = default(method=method, n_clusters=3, weights=weights, sample_weight=sample_weight)
        own = type(result.estimator)(**{**result.estimator.get_params(), "weights": weights})
        assert np.array_equal(result.labels, own.fit(DATA.X, sample_weight=sample_weight).labels_)


# --------------------------------------------------------------------------------------------------------- the number
@pytest.mark.parametrize("n_clusters", [1, 2, 4, np.int8(3)])
def test_a_number_that_is_given_is_used(n_clusters):
    result = default(n_clusters=n_clusters)
    assert result.n_clusters == n_clusters
    assert result.choice.verdict == "given"
    assert result.choice.reasons[0].startswith("lwgp is the default method")
    assert result.choice.reasons[1:] == [f"n_clusters={n_clusters} was given"]


def test_none_leaves_the_number_to_the_method():
    assert np.array_equal(default(method="eac", n_clusters=None).labels, EAC().fit_predict(DATA.X))
    assert default(method=LWGP(2), n_clusters=None).n_clusters == 3
    assert np.array_equal(default(n_clusters=None).labels, default().labels)
    assert default(method="nbce", n_clusters=None).choice.verdict == "given"
    with pytest.raises(ValueError, match="MCLA does not find the number; pass it, or 'auto'"):
        default(method="mcla", n_clusters=None)


def test_chance_is_one_cluster_for_every_method():
    for method in ("auto", "pcc", "eac", "usenc", "bce"):
        result = default(NOISE, method=method)
        assert (result.n_clusters, result.choice.verdict, result.choice.runner_up) == (1, "chance", None)
        assert result.choice.p_value > LEVEL
        assert "do not agree more than chance" in result.choice.reasons[-1]


@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
def test_more_clusters_than_rows():
    assert default(DATA.X[:4, :2], n_clusters=9).n_clusters <= 4


def test_tiny_inputs():
    assert default(np.array([[0, 1]])).labels.tolist() == [0]
    assert default([[0, 1], [5, 5]], n_clusters=1).labels.tolist() == [0, 0]
    assert default([[0, 1, 1], [0, 1, 1]]).labels.tolist() == [1, 0, 0]


# ------------------------------------------------------------------------------------------------------ same bits
@pytest.mark.parametrize("method", ["auto", "pcc", "usenc"])
def test_same_seed_same_bits_whatever_the_threads(method):
    X = noisy_ensemble(sizes=(120, 80, 50), n_clusterings=8, flip=0.3).X
    one, two = (combine(X, method=method, random_state=5, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert np.array_equal(one.labels, two.labels)
    assert one.to_json() == two.to_json()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_labels_are_identical_with_and_without_kernels(missing, monkeypatch):
    X = noisy_ensemble(sizes=(150, 100, 70, 40), n_clusterings=9, flip=0.35, missing=missing, seed=4).X
    with_kernels, threshold = default(X), tables.SMALL
    for small in (len(X) - 1, threshold):  # above the threshold and below it, as if no kernel were compiled
        monkeypatch.setattr(tables, "is_ready", lambda module, kernel: False)
        monkeypatch.setattr(tables, "SMALL", small)
        result = default(X)
        assert np.array_equal(result.labels, with_kernels.labels)
        assert result.choice.table.equals(with_kernels.choice.table)


def test_a_generator_moves_on():
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    combine(DATA.X, random_state=rng)
    assert rng.bit_generator.state != before


# ------------------------------------------------------------------------------------------------------- wrong input
@pytest.mark.parametrize("value", [0, -2, 2.0, True, "two", [2], np.nan])
def test_a_wrong_number_is_refused(value):
    with pytest.raises(ValueError, match="pass a whole number from 1, 'auto' or None"):
        combine(DATA.X, n_clusters=value)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"method": "kmeans"}, "there is no method 'kmeans'; pass 'auto', or one of eac"),
        ({"method": None}, "method=None is not an estimator"),
        ({"method": LWGP}, r"method is the class LWGP; pass an instance of it, LWGP\(...\)"),
        ({"method": KMeans(2)}, "method=KMeans.* clusters features, not labels"),
        ({"method": "nbce", "n_clusters": 3}, "NBCE finds the number itself"),
        ({"weights": [1, 2]}, "15"),
        ({"weights": np.zeros(15)}, "weights is zero everywhere"),
        ({"sample_weight": np.full(62, np.nan)}, "is not a weight"),
        ({"sample_weight": np.zeros(62)}, "sample_weight is zero everywhere"),
        ({"n_jobs": "two"}, "is not a number of threads"),
        ({"verbose": "yes"}, "pass True or False"),
        ({"labels": None}, "which is not a label table"),
        ({"labels": [0, 1, 1]}, "one clustering alone is"),
        ({"labels": np.full((4, 2), -1)}, "are missing"),
    ],
)
def test_what_is_wrong_is_said(parameters, words):
    with pytest.raises((ValueError, TypeError), match=words):
        combine(**{"labels": DATA.X, **parameters})


def test_soft_clusterings_need_a_method_that_takes_them():
    with pytest.raises(ValueError, match=r"which EAC does not take; pass 'auto', or one of .*soft-lwgp"):
        combine(one_hot_blocks(DATA.X), method="eac")
    assert default(one_hot_blocks(DATA.X), method="itk").n_clusters == 3
