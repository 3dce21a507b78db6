"""NBCE as a whole: the synthetic experiment of the paper, what a fit hands out, and what it refuses."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from partita.consensus.nbce._nbce import NBCE
from partita.exceptions import IdentifiabilityWarning, UnlabelledObjectsWarning
from tests import twins
from tests.consensus.nbce.nbce_reference import QUICK
from tests.ensembles import noisy_ensemble, same_partition

SAMPLING = {"inference": "gibbs", "n_sweeps": 200}

WAYS = {
    "gibbs-tsb": SAMPLING,
    "gibbs-fsd": {**SAMPLING, "prior": "fsd"},
    "vb": {"inference": "vb", "n_init": 3},
    "cvb": {"inference": "cvb", "truncation": 20, "n_init": 3},
    "cvb-fsd": {"inference": "cvb", "prior": "fsd", "truncation": 20, "n_init": 3},
    "cvb-second-order": {"inference": "cvb", "truncation": 20, "n_init": 3, "second_order": True},
}


def two_clusters(flip, n=400, n_clusterings=10, seed=0):
    """The true labels, each flipped with the given probability."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    return np.where(rng.random((n, n_clusterings)) < flip, 1 - truth[:, None], truth[:, None]), truth


@pytest.mark.parametrize("flip", [0.05, 0.2])
@pytest.mark.parametrize("way", WAYS)
def test_perplexity_of_the_synthetic_experiment(way, flip):
    """exp(H(p) + log(2) / 10) per label (eq. N44): the noise, and once in ten labels which of two clusters it is."""
    X, truth = two_clusters(flip)
    model = NBCE(random_state=0, **WAYS[way]).fit(X)
    theory = np.exp(-flip * np.log(flip) - (1 - flip) * np.log(1 - flip) + np.log(2) / 10)
    assert model.perplexity(X) == pytest.approx(theory, abs=0.03)
    assert model.perplexity(two_clusters(flip, seed=1)[0]) == pytest.approx(theory, abs=0.03)
    assert adjusted_rand_score(truth, model.labels_) > (0.98 if flip < 0.1 else 0.75)


@pytest.mark.parametrize("flip", [0.05, 0.2])
@pytest.mark.parametrize("way", WAYS)
def test_synthetic_experiment_has_two_clusters(way, flip):
    size = np.bincount(NBCE(random_state=0, **WAYS[way]).fit(two_clusters(flip)[0]).labels_)
    assert len(size) == 2


@pytest.mark.parametrize("way", QUICK)
def test_finds_how_many_clusters_there_are(way):
    for sizes in ((40, 30), (30, 20, 12, 10)):
        X, truth = noisy_ensemble(sizes=sizes, flip=0.05)
        assert same_partition(NBCE(random_state=0, **QUICK[way]).fit(X).labels_, truth)


@pytest.fixture(scope="module", params=QUICK)
def fitted(request):
    X = noisy_ensemble(flip=0.3).X
    weights = np.linspace(0.5, 1.5, X.shape[1])
    return X, weights, NBCE(weights=weights, random_state=0, **QUICK[request.param]).fit(X)


def test_fitted_attributes_have_their_shapes_and_sums(fitted):
    X, _, model = fitted
    k = model.n_clusters_
    assert model.membership_.shape == (len(X), k)
    assert np.allclose(model.membership_.sum(axis=1), 1, atol=1e-12)
    assert [theta.shape for theta in model.theta_] == [(k, width) for width in X.max(axis=0) + 1]
    assert all(np.allclose(theta.sum(axis=1), 1, atol=1e-10) for theta in model.theta_)
    assert model.weights_.shape == (k,)
    assert 0.5 < model.weights_.sum() <= 1 + 1e-12
    if model.inference != "vb":
        assert (model.alpha0_, model.beta_) == (1.0, 0.5)


def test_labels_are_the_most_probable_clusters_by_size(fitted):
    _, _, model = fitted
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))
    size = np.bincount(model.labels_)
    assert len(size) == model.n_clusters_
    assert (np.diff(size) <= 0).all()
    assert size.min() > 0


def test_new_objects_are_placed_by_their_posterior(fitted):
    X, weights, model = fitted
    if model.inference != "gibbs":
        assert np.array_equal(model.predict(X), model.labels_)
        return
    membership = twins.mixture_posterior(X, model.weights_, model.theta_, weights)[0]
    assert np.allclose(model.membership_, membership, atol=1e-10)
    assert np.allclose(model.predict_proba(X), membership, atol=1e-10)
    assert np.array_equal(model.predict(X), model.labels_)


def test_perplexity_is_at_least_one_and_at_most_that_of_the_label_shares(fitted):
    X, _, _ = fitted
    for way in QUICK.values():
        model = NBCE(random_state=0, **way).fit(X)
        shares = [np.bincount(x[x >= 0]) / (x >= 0).sum() for x in X.T]
        ignorance = np.exp(-np.average([s @ np.log(s) for s in shares], weights=(X >= 0).sum(axis=0)))
        assert 1 <= model.perplexity(X) < ignorance
        unanimous = NBCE(random_state=0, **way).fit(np.tile(np.arange(40)[:, None] % 2, 8))
        assert 1 <= unanimous.perplexity(np.tile([[0], [1]], 8)) < 1.2


def test_vb_has_the_dirichlet_prior_whatever_is_asked_for(X):
    sticks, dirichlet = (NBCE("vb", prior, 6, n_init=2, random_state=0).fit(X) for prior in ("tsb", "fsd"))
    assert sticks.history_ == dirichlet.history_
    assert np.array_equal(sticks.membership_, dirichlet.membership_)


@pytest.mark.parametrize("way", QUICK)
def test_object_without_labels_changes_nothing(way, X):
    with pytest.warns(UnlabelledObjectsWarning):
        model = NBCE(random_state=0, **QUICK[way]).fit(np.insert(X, 7, -1, axis=0))
    plain = NBCE(random_state=0, **QUICK[way]).fit(X)
    assert model.labels_[7] == -1
    assert np.array_equal(np.delete(model.labels_, 7), plain.labels_)
    assert np.array_equal(np.delete(model.membership_, 7, axis=0), plain.membership_)
    assert np.allclose(model.membership_[7], plain.weights_ / plain.weights_.sum())


@pytest.mark.parametrize("way", QUICK)
def test_labels_never_seen_and_rows_without_labels(way, X):
    model = NBCE(random_state=0, **QUICK[way]).fit(X)
    new = np.full((2, X.shape[1]), -1)
    new[1, 0] = 77
    assert model.predict(new).tolist() == [-1, -1]
    assert np.allclose(model.predict_proba(new), model.weights_ / model.weights_.sum())
    assert np.allclose(model.score_samples(new), [0, np.log(1e-12)])


@pytest.mark.parametrize("way", QUICK)
def test_clustering_of_weight_zero_is_ignored(way, X):
    weights = np.arange(X.shape[1]) > 0
    model, plain = (NBCE(weights=w, random_state=0, **QUICK[way]).fit(Y) for w, Y in ((weights, X), (None, X[:, 1:])))
    assert np.isnan(model.theta_[0]).all()
    assert np.array_equal(model.membership_, plain.membership_)


@pytest.mark.parametrize("way", QUICK)
@pytest.mark.parametrize(
    "X", [[[0, 0]] * 5, [[0, 1]], [[0, -1], [-1, 1], [0, 1]]], ids=["one row", "one object", "three objects"]
)
def test_very_few_objects_are_clustered(X, way):
    model = NBCE(random_state=0, **QUICK[way]).fit(np.array(X))
    assert model.labels_[0] == 0
    assert np.isfinite(model.membership_).all()
    assert np.isfinite(model.perplexity(np.array(X)))


def test_truncation_bounds_the_number_of_clusters(rng):
    X = rng.integers(4, size=(40, 3))
    for way in QUICK.values():
        assert NBCE(**{**way, "truncation": 2}, random_state=0).fit(X).n_clusters_ <= 2
        one = NBCE(**{**way, "truncation": 1}, random_state=0).fit(X)
        assert one.n_clusters_ == 1
        assert np.allclose(one.membership_, 1)


def test_more_clusters_where_the_concentration_is_larger():
    X = two_clusters(0.35, n=60, n_clusterings=4)[0]
    few, many = (NBCE(alpha0=a, beta=1.0, n_sweeps=400, random_state=0).fit(X) for a in (0.1, 20.0))
    assert few.n_clusters_trace_[:, 200:].mean() + 2 < many.n_clusters_trace_[:, 200:].mean()


def test_one_clustering_is_not_identifiable(truth):
    with pytest.warns(IdentifiabilityWarning, match="NBCE is not identifiable from a single clustering"):
        NBCE("vb", n_init=1, random_state=0).fit(truth[:, None])


@pytest.mark.parametrize(
    "wrong",
    [
        {"inference": "em"},
        {"prior": "crp"},
        {"truncation": 0},
        {"alpha0": 0.0},
        {"alpha0": "automatic"},
        {"beta": -1.0},
        {"n_sweeps": 0},
        {"burn_in": -1},
        {"thin": 0},
        {"n_chains": 0},
        {"consensus": "median"},
        {"init": "k-means++"},
        {"n_init": 0},
        {"max_iter": 0},
        {"tol": -1e-3},
    ],
    ids=str,
)
def test_wrong_parameters_are_named(wrong, X):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NBCE(**wrong).fit(X)


def test_samples_are_only_there_after_sampling(X):
    with pytest.raises(NotFittedError):
        _ = NBCE().samples_
    assert not hasattr(NBCE("vb", n_init=1, random_state=0).fit(X), "samples_")


@pytest.mark.parametrize("inference", ["vb", "cvb"])
@pytest.mark.parametrize("n_init", [1, 10])
def test_eight_clusters_are_found_from_any_number_of_starts(inference, n_init, rng):
    truth = rng.integers(8, size=600)
    X = np.where(rng.random((600, 12)) < 0.2, rng.integers(8, size=(600, 12)), truth[:, None])
    assert same_partition(NBCE(inference, n_init=n_init, random_state=0).fit(X).labels_, truth)


def test_chains_that_disagree_are_reported(X, monkeypatch):
    monkeypatch.setattr("partita._sampling.split_r_hat", lambda traces: 2.0)
    with pytest.warns(ConvergenceWarning, match=r"the chains disagree \(R-hat 2.00\).*Raise n_sweeps, .*temper"):
        model = NBCE(n_sweeps=10, random_state=0).fit(X)
    assert not model.converged_


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_coassignment_of_variational_inference_is_the_product_of_memberships(inference, X):
    with_empty = np.insert(X, 3, -1, axis=0)
    with pytest.warns(UnlabelledObjectsWarning):
        model = NBCE(inference, coassignment=True, random_state=0, n_init=2).fit(with_empty)
    P = model.coassignment_
    assert np.isnan(P[3]).all()
    assert P[0, 1] == pytest.approx(model.membership_[0] @ model.membership_[1])
    assert P[5, 5] == 1


def test_nothing_of_another_inference_stays(X):
    model = NBCE(n_sweeps=20, coassignment=True, random_state=0).fit(X)
    model.set_params(inference="vb", coassignment=False).fit(X[:30])
    for name in ("log_joint_", "coassignment_", "samples_", "r_hat_", "ess_", "log_joint_trace_", "n_clusters_trace_"):
        assert not hasattr(model, name)
    assert hasattr(model, "lower_bound_")
    model.set_params(inference="gibbs").fit(X[:30])
    assert not hasattr(model, "lower_bound_")
    with pytest.raises(AttributeError, match="lower_bound_ does not exist after inference='gibbs'"):
        _ = model.lower_bound_
    with pytest.raises(AttributeError, match="pass coassignment=True"):
        _ = model.coassignment_


@pytest.mark.parametrize("consensus", ["map", "binder", "vi"])
def test_objects_that_are_all_alike_are_one_cluster(consensus):
    X = np.tile([[0, 1, 2]], (20, 1))
    assert NBCE(consensus=consensus, n_sweeps=40, random_state=1).fit(X).n_clusters_ == 1
