"""Columns in several sources: the fit of one place, in this process and on Dask workers, of which some die."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from partita import BCE, EAC, NBCE, MultinomialMixture
from partita._runs import progress
from partita.blocks import fit_columns
from partita.blocks.columns import _dask_sites, _fit
from partita.consensus.models._bce_steps import BCEColumns, BCEState, label_problem, run_bce
from partita.consensus.models._mixture import MixtureModel, run_mixture
from partita.consensus.models._starts import as_state
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._label_search import LabelledRows
from partita.consensus.nbce._variational_starts import VariationalSettings
from partita.consensus.nbce._vb import run_vb, state_of
from partita.exceptions import NotEnoughMemoryError, SiteError, UnlabelledObjectsWarning
from partita.federated import simulate
from partita.federated._sites import PlainSites
from partita.federated.columns import _bce, _mixture, _nbce, _starts
from partita.federated.columns._bce_steps import ColumnState
from partita.federated.columns._fit import open_columns
from tests.blocks.dask_cluster import local_cluster
from tests.ensembles import noisy_ensemble
from tests.federated.columns.parts import close, pooled, split_columns
from tests.federated.parts import labels_with_holes

K = 3
X = labels_with_holes()  # 120 objects, 8 clusterings
WEIGHTS = [1, 0.5, 2, 1, 0, 1, 3, 1]
PARTS = split_columns(X, (2, 5))
MIXTURE = MultinomialMixture(K, n_init=1, tol=1e-4, random_state=0)
ESTIMATORS = [
    BCE(K, n_init=1, tol=1e-4, random_state=0),
    MIXTURE,
    NBCE(inference="vb", n_init=1, truncation=8, random_state=0),
]


def name_of(estimator):
    return type(estimator).__name__


def parameters_of(fit):
    """All that a model has of its labels and clusters."""
    named = {"BCE": ["alpha_", "beta_", "gamma_"], "MultinomialMixture": ["weights_", "theta_"], "NBCE": ["theta_"]}
    values = [getattr(fit, name) for name in [*named[name_of(fit)], "membership_", "history_"]]
    return [np.asarray(one) for value in values for one in (value if isinstance(value, list) else [value])]


def same_bits(a, b):
    both = zip(parameters_of(a), parameters_of(b), strict=True)
    return np.array_equal(a.labels_, b.labels_) and all(np.array_equal(x, y, equal_nan=True) for x, y in both)


# ------------------------------------------------------------------------------------------------------ in this process
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_it_is_the_fit_of_a_federation_by_columns(estimator, weights):
    estimator = type(estimator)(**estimator.get_params() | {"weights": weights})
    got = fit_columns(estimator, list(PARTS.values()))
    want = simulate(estimator, PARTS, by="columns", accept_disclosure=True)
    assert np.array_equal(got.labels_, want.labels_)
    for a, b in zip(parameters_of(got), parameters_of(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)
    assert np.array_equal(got.predict(X), got.labels_)
    assert np.isfinite(got.confidence_).all()
    assert not hasattr(estimator, "labels_")


def asked(estimator):
    """Sources that are ready, and what is known of their objects."""
    with progress(None, "", show=False) as bar:
        engine = _fit._Here(PARTS, dict.fromkeys(PARTS), bar)
    sites = PlainSites(engine)
    return engine, sites, open_columns(sites, estimator)


def tables_of(engine, sites):
    return np.vstack(engine.results(0, sites.n_totals)[1])


def test_bce_has_the_pooled_parameters_after_every_iteration():
    ensemble, alpha = pooled(X, WEIGHTS), np.array([0.5, 0.2, 0.9])
    labels = np.random.default_rng(0).integers(K, size=ensemble.n_rows)
    first = BCEState(alpha, as_state(ensemble, labels, K, 0.4).table, np.empty((0, K)), np.empty((0, K)))
    state = ColumnState(alpha, {"action": "start", "labels": labels, "n_clusters": K, "mixed": 0.4})
    problem = label_problem(ensemble, BCEColumns(ensemble.layout, 0.01))
    engine, sites, common = asked(BCE(K, smoothing=0.01, weights=WEIGHTS))
    for n_iter in (1, 2, 3, 5, 8, 12, 25):
        want = run_bce(problem, first, tol=1e-9, max_iter=n_iter)
        got = _bce.run_columns(sites, state, common, tol=1e-9, max_iter=n_iter, hard=False)
        assert close(got.run.history, want.history)
        assert close(got.run.state.alpha, want.state.alpha)
        assert close(tables_of(engine, sites), want.state.table)
        assert close(got.gamma, want.gamma)


def test_the_mixture_has_the_pooled_parameters_after_every_iteration():
    ensemble, model = pooled(X, WEIGHTS), MixtureModel(True, 0.01)
    labels = np.random.default_rng(0).integers(K, size=ensemble.n_rows)
    engine, sites, common = asked(MultinomialMixture(K, weights=WEIGHTS))
    for n_iter in (1, 2, 3, 5, 10, 30):
        limits = {"tol": 1e-12, "max_iter": n_iter}
        want = run_mixture(ensemble, as_state(ensemble, labels, K, 0.1), model, **limits)
        got = _mixture.run_columns(sites, _mixture.first_state(labels, K, 0.1), model, common=common, **limits).run
        assert close(got.history, want.history)
        assert close(got.state.pi, want.state.pi)
        assert close(tables_of(engine, sites), want.state.table)


def test_nbce_has_the_pooled_parameters_after_every_iteration():
    ensemble = pooled(X)
    labels, prior = np.random.default_rng(0).integers(5, size=len(X)), NBCEModel(ensemble.layout, "fsd", 1.0, 0.5)
    engine, sites, common = asked(NBCE(inference="vb"))
    for n_iter in (1, 2, 3, 5, 10, 20):
        settings = VariationalSettings(12, (True, True), "kmeans", n_iter, 1e-12, None)
        with progress(1, "", show=False) as bar:
            want = run_vb(ensemble, state_of(ensemble, LabelledRows(labels, prior, 0.0), 12), settings, bar)
        got = _nbce.run_columns(sites, labels, common=common, settings=settings, prior=prior).run
        assert close(got.history, want.history)
        assert close(got.state.xi, want.state.xi)
        assert close(tables_of(engine, sites), want.state.rho)


def kmeans_labels(seed):
    """k-means clusterings of 300 points, of 3 to 7 clusters, with 10 % holes."""
    points, rng = make_blobs(300, centers=4, cluster_std=1.2, random_state=seed)[0], np.random.default_rng(seed)
    columns = [KMeans(int(rng.integers(3, 8)), n_init=1, random_state=j).fit_predict(points) for j in range(8)]
    return np.where(rng.random((300, 8)) < 0.1, -1, np.column_stack(columns))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "estimator", [BCE(4, n_init=2, random_state=0), MultinomialMixture(4, random_state=0)], ids=name_of
)
def test_the_whole_fit_finds_the_partition_of_the_pooled_fit(estimator, seed):
    labels = kmeans_labels(seed)
    got, want = fit_columns(estimator, [labels[:, :3], labels[:, 3:]]), estimator.fit(labels)
    assert adjusted_rand_score(got.labels_, want.labels_) == 1
    assert abs(got.lower_bound_ / want.lower_bound_ - 1) < 0.005


def test_nbce_which_finds_its_number_of_clusters_comes_near():
    labels, estimator = kmeans_labels(1), NBCE(inference="vb", random_state=0)
    got, want = fit_columns(estimator, [labels[:, :3], labels[:, 3:]]), estimator.fit(labels)
    assert adjusted_rand_score(got.labels_, want.labels_) > 0.95  # .97; 1 and .98 with seeds 0 and 2
    assert got.lower_bound_ > want.lower_bound_ * 1.02  # .35 % below; 1.9 % is the most that was seen


# -------------------------------------------------------------------------------------------------------------- sources
@pytest.fixture
def files(tmp_path):
    """The same columns in files of three kinds."""
    np.save(tmp_path / "a.npy", PARTS["s0"])
    frames = [pd.DataFrame(PARTS[name]).add_prefix("c").astype("Int64") for name in ("s1", "s2")]
    frames = [frame.mask(frame < 0) for frame in frames]
    frames[0].to_csv(tmp_path / "b.csv", index=False)
    frames[1].to_parquet(tmp_path / "c.parquet")
    return {"s0": tmp_path / "a.npy", "s1": str(tmp_path / "b.csv"), "s2": tmp_path / "c.parquet"}


def test_files_are_read_as_arrays_are(files):
    assert same_bits(fit_columns(MIXTURE, files), fit_columns(MIXTURE, PARTS))


def test_sources_that_name_their_objects_must_agree(tmp_path):
    ids = [f"object {i}" for i in range(len(X))]
    pd.DataFrame(X[:, :3], index=ids).add_prefix("c").to_csv(tmp_path / "one.csv", index_label="id")
    two = pd.DataFrame(X[:, 3:], index=ids)
    assert same_bits(fit_columns(MIXTURE, [tmp_path / "one.csv", two]), fit_columns(MIXTURE, [X[:, :3], X[:, 3:]]))
    with pytest.raises(SiteError, match=r"site 'source-2' names its objects \(ids\) otherwise than site 'source-1'"):
        fit_columns(MIXTURE, [tmp_path / "one.csv", two[::-1]])


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([X, "nowhere.npy"], r"site 'source-2' raised FileNotFoundError: .*nowhere.npy"),
        ({"a": X, "b": X[1:]}, "site 'b' has 119 objects, and site 'a' has 120"),
        ({"a": X, "b": np.zeros((2, 2, 2))}, "site 'b' answered: "),
    ],
)
def test_a_source_that_cannot_be_used_is_named(sources, message):
    with pytest.raises(SiteError, match=message):
        fit_columns(MIXTURE, sources)


def test_what_cannot_be_fitted_is_said(monkeypatch):
    with pytest.raises(ValueError, match=r"EAC cannot be fitted by columns .* pass one of BCE, Mult"):
        fit_columns(EAC(), PARTS)
    with pytest.raises(ValueError, match="one object after another"):
        fit_columns(NBCE(), ["never read"])
    with pytest.raises(TypeError, match="sources is a str; pass a list"):
        fit_columns(MIXTURE, "labels.npy")
    with pytest.raises(ValueError, match="sources is empty"):
        fit_columns(MIXTURE, [])
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1k")
    with pytest.raises(NotEnoughMemoryError, match="labels of all sources"):
        fit_columns(MIXTURE, PARTS)


def test_objects_without_a_label_in_any_source_get_none():
    few = X.copy()
    few[[4, 11]] = -1
    few[7, :5] = -1  # in the first source only
    with pytest.warns(UnlabelledObjectsWarning, match="2 of 120"):
        fit = fit_columns(MIXTURE, [few[:, :5], few[:, 5:]])
    assert np.flatnonzero(fit.labels_ < 0).tolist() == [4, 11]
    assert close(fit.membership_[4], fit.weights_)


# ------------------------------------------------------------------------------------------------------------- resuming
def before_exchange(monkeypatch, engine, number, act):
    """Call a function before the message of this number is sent by an engine."""
    send, sent = engine.send, []

    def counted(self, question, values, to=None):
        sent.append(question)
        if len(sent) == number:
            act(self)
        return send(self, question, values, to)

    monkeypatch.setattr(engine, "send", counted)
    return sent


def interrupt(engine):
    raise KeyboardInterrupt


def test_a_fit_that_was_interrupted_goes_on_with_the_same_bits(tmp_path, monkeypatch):
    want = fit_columns(MIXTURE, PARTS)
    with monkeypatch.context() as patch:
        before_exchange(patch, _fit._Here, 60, interrupt)
        with pytest.raises(KeyboardInterrupt):
            fit_columns(MIXTURE, PARTS, resume=tmp_path / "fit")
    got = fit_columns(MIXTURE, PARTS, resume=tmp_path / "fit")
    assert same_bits(got, want)
    assert len(got.exchanges_) == len(want.exchanges_) - (59 - 6)  # six set the sources up again
    again = fit_columns(MIXTURE, PARTS, resume=tmp_path / "fit")  # all is there
    assert same_bits(again, want)
    assert len(again.exchanges_) == 6


def test_the_folder_of_another_fit_is_refused(tmp_path):
    fit_columns(MIXTURE, PARTS, resume=tmp_path)
    with pytest.raises(ValueError, match="is of another fit"):
        fit_columns(MultinomialMixture(4, n_init=1, random_state=0), PARTS, resume=tmp_path)
    with pytest.raises(ValueError, match="needs a seed"):
        fit_columns(MultinomialMixture(K), PARTS, resume=tmp_path / "new")
    other = {**PARTS, "s0": PARTS["s1"][:, :2]}
    with pytest.raises(ValueError, match="of other labels"):
        fit_columns(MIXTURE, other, resume=tmp_path)


# ---------------------------------------------------------------------------------------------------- on a Dask cluster
@pytest.fixture(scope="module")
def client():
    """Three worker processes, two of which are killed by tests: how many there are changes no result."""
    pytest.importorskip("distributed")
    with local_cluster(3) as (found, _):
        yield found


@pytest.fixture
def quick(monkeypatch):
    """Fewer exchanges, each of which takes Dask about 20 ms: the same here and there."""
    monkeypatch.setattr(_starts, "_POWERS", 5)
    monkeypatch.setattr(_bce, "SHORT", 1)
    monkeypatch.setattr(_bce, "AGAIN", 0)
    monkeypatch.setattr(_bce, "ALPHAS", (0.1,))


QUICK = [BCE(K, n_init=1, tol=1.0, random_state=0), MIXTURE, clone(ESTIMATORS[2]).set_params(truncation=4, tol=1e-2)]


@pytest.mark.parametrize("estimator", QUICK, ids=name_of)
def test_dask_gives_the_same_bits(estimator, client, files, quick):
    sources = {**files, "s0": PARTS["s0"]}  # labels in memory travel to a worker, files are read there
    assert same_bits(fit_columns(estimator, sources, client=client), fit_columns(estimator, PARTS))


def test_a_source_that_a_worker_cannot_use_is_named(client, tmp_path, files):
    with pytest.raises(SiteError, match=r"site 'b' raised FileNotFoundError"):
        fit_columns(MIXTURE, {"a": X, "b": tmp_path / "nowhere.csv"}, client=client)
    mixture = MultinomialMixture(K, weights=[0, 0, 1, 1, 1, 1, 1, 1])
    with pytest.raises(SiteError, match=r"site 's0' answered: .*leave it out"):
        fit_columns(mixture, files, client=client)


def test_on_dask_too_it_goes_on_with_the_same_bits(client, tmp_path, files, quick, monkeypatch):
    with monkeypatch.context() as patch:
        before_exchange(patch, _dask_sites.DaskSites, 25, interrupt)
        with pytest.raises(KeyboardInterrupt):
            fit_columns(MIXTURE, files, client=client, resume=tmp_path / "fit")
    got, want = fit_columns(MIXTURE, files, client=client, resume=tmp_path / "fit"), fit_columns(MIXTURE, files)
    assert same_bits(got, want)
    assert len(got.exchanges_) == len(want.exchanges_) - (24 - 6)
    assert same_bits(fit_columns(MIXTURE, files, resume=tmp_path / "fit"), want)  # from there also in this process


class Killer:
    """Kills the worker that has the labels of a source, in the middle of the exchange that comes."""

    def __init__(self, client):
        self.client, self.pid, self.n_tasks = client, 0, 0

    def __call__(self, engine):
        self.n_tasks = self.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        (holder, *_), *_ = self.client.who_has([engine._sites["source-1"]]).values()
        self.pid = self.client.run(os.getpid, workers=[holder])[holder]
        threading.Timer(0.01, os.kill, (self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))).start()


@pytest.mark.parametrize(("small", "fewest", "most"), [(1 << 20, 4, 10), (0, 11, 60)], ids=["brought", "chains"])
def test_a_worker_that_is_killed_changes_no_bit(small, fewest, most, client, tmp_path, quick, monkeypatch):
    """With what sources keep brought here after every exchange, and with chains of answers on the workers."""
    paths = [tmp_path / "one.npy", tmp_path / "two.npy"]
    for path, part in zip(paths, np.hsplit(noisy_ensemble((20, 12, 8), 64, flip=0.6).X, 2), strict=True):
        np.save(path, part)  # 32 columns, 40 objects: chains form
    want = fit_columns(MIXTURE, paths)
    monkeypatch.setattr(_dask_sites, "_ONE_TASK", small)
    before_exchange(monkeypatch, _dask_sites.DaskSites, len(want.exchanges_) - 2, kill := Killer(client))
    assert same_bits(fit_columns(MIXTURE, paths, client=client), want)
    assert kill.pid not in client.run(os.getpid).values()
    assert fewest <= kill.n_tasks <= most  # at the scheduler: of the labels and the last exchange, or of chains
