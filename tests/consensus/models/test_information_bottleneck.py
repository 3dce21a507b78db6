"""Information bottleneck: objective by its definition, optima of all partitions, derivatives, and the mixture."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import ITK, InformationBottleneck, MultinomialMixture
from partita._labels.ensemble import Ensemble
from partita.consensus.models import _information_bottleneck as module
from partita.consensus.models._information_bottleneck import bottleneck
from tests.ensembles import noisy_ensemble, same_partition


def objective_by_hand(X, q, w, v, beta):
    """Sum_m v_m T_m I(z; x_m) - I(z; i) / beta, from joint probabilities one by one."""
    p, v, total = w / w.sum(), v / v.sum(), 0.0
    for m, column in enumerate(X.T):
        seen = column >= 0
        share = p[seen].sum()
        for a in np.unique(column[seen]):
            for z in range(q.shape[1]):
                both = p[column == a] @ q[column == a, z]
                of_cluster, of_label = p[seen] @ q[seen, z], p[column == a].sum()
                total += v[m] * both * math.log(both * share / (of_cluster * of_label)) if both > 0 else 0.0
    together = p @ q
    about_objects = sum(p[i] * x * math.log(x / together[z]) for (i, z), x in np.ndenumerate(q) if x > 0)
    return total - about_objects / beta


def test_fitted_rows_keep_their_clusters():
    X = np.array([[0, -1], [0, -1], [-1, 0], [-1, 0], [1, -1], [-1, 1]])
    model = InformationBottleneck(4, random_state=0).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1, 2, 3]
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.predict_proba(X), model.membership_)
    weightless = model.fit(np.vstack([X, X]), sample_weight=np.repeat([1, 0], 6))
    assert np.array_equal(weightless.labels_[6:], weightless.labels_[:6])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.filterwarnings("ignore::partita.exceptions.FewerClustersWarning")
def test_fitted_rows_of_random_labels_keep_their_clusters(seed):
    X = np.random.default_rng(seed).integers(-1, 3, (9, 3))
    X[(X < 0).all(axis=1), 0] = 0
    for beta in (math.inf, 3.0):
        model = InformationBottleneck(4, beta=beta, random_state=0).fit(X)
        assert np.array_equal(model.predict(X), model.labels_)


def one_hot(labels, k):
    return (np.asarray(labels)[:, None] == np.arange(k)).astype(float)


def random_problem(rng, n=8, m=3, k=3):
    X = rng.integers(-1, k, size=(n, m))
    X[:, 0] = np.maximum(X[:, 0], 0)
    return X, rng.integers(1, 4, n).astype(float), rng.random(m) + 0.2


@pytest.mark.parametrize("beta", [0.7, 3.0, math.inf])
def test_objective_is_its_definition(beta, rng):
    for _ in range(5):
        X, w, v = random_problem(rng)
        q = rng.dirichlet([0.5, 0.5, 0.5], size=len(X))
        ensemble = Ensemble(X.astype(np.int32), X.max(axis=0).astype(np.int64) + 1, v, w)
        problem = bottleneck(ensemble, beta)
        found = problem.information(q) - problem.compression(q) / beta
        assert found == pytest.approx(objective_by_hand(X, q, w, v, beta), rel=1e-10, abs=1e-12)


def test_hard_clusters_are_the_best_of_all_partitions(rng):
    for _ in range(4):
        X, w, v = random_problem(rng, n=7)
        every = (one_hot((0, *rest), 3) for rest in product(range(3), repeat=len(X) - 1))
        best = max(objective_by_hand(X, q, w, v, math.inf) for q in every)
        model = InformationBottleneck(3, weights=v, random_state=0).fit(X, sample_weight=w)
        own = objective_by_hand(X, one_hot(model.labels_, 3), w, v, math.inf)
        assert model.objective_ == pytest.approx(own, rel=1e-10)
        assert model.objective_ == pytest.approx(best, rel=1e-9)
        assert set(np.unique(model.membership_)) <= {0.0, 1.0}


@pytest.mark.parametrize("beta", [3.0, 8.0, 40.0])
def test_a_fit_is_a_stationary_point(beta, rng):
    """Along directions inside the simplex the derivative by finite differences vanishes, and L never falls."""
    X = noisy_ensemble(sizes=(8, 6, 4), n_clusterings=5, flip=0.3).X
    w, v = rng.integers(1, 4, len(X)).astype(float), rng.random(5) + 0.5
    model = InformationBottleneck(3, beta=beta, weights=v, tol=0, max_iter=3000, random_state=0).fit(X, sample_weight=w)
    q = model.membership_
    assert model.objective_ == pytest.approx(objective_by_hand(X, q, w, v, beta), rel=1e-8)
    assert model.objective_ == pytest.approx(model.information_ - model.compression_ / beta, rel=1e-8)
    assert (np.diff(model.history_) >= -1e-13).all()
    for i in range(len(X)):
        inside = np.flatnonzero(q[i] > 1e-3)
        for a, b in pairwise(inside):
            step = np.zeros_like(q)
            step[i, a], step[i, b] = 1e-5, -1e-5
            rise = objective_by_hand(X, q + step, w, v, beta) - objective_by_hand(X, q - step, w, v, beta)
            assert abs(rise) / 2e-5 < 1e-6


def test_derivative_is_the_formula(rng):
    X, w, v = random_problem(rng)
    q, p, share, beta = rng.dirichlet([2, 2, 2], size=len(X)), w / w.sum(), v / v.sum(), 2.5
    n = [np.array([p[column == a] @ q[column == a] for a in range(3)]) for column in X.T]
    for i in range(len(X)):
        formula = -np.log(q[i] / (p @ q)) / beta
        for m in np.flatnonzero(X[i] >= 0):
            formula += share[m] * np.log(n[m][X[i, m]] / n[m].sum(axis=0))
        step = np.zeros_like(q)
        step[i, :2] = 1e-6, -1e-6
        rise = objective_by_hand(X, q + step, w, v, beta) - objective_by_hand(X, q - step, w, v, beta)
        assert rise / 2e-6 == pytest.approx(p[i] * (formula[0] - formula[1]), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_beta_as_large_as_the_number_of_clusterings_is_the_mixture(missing):
    X = noisy_ensemble(flip=0.3, missing=missing).X
    mixture = MultinomialMixture(3, n_init=10, tol=1e-10, random_state=0).fit(X)
    model = InformationBottleneck(3, beta=X.shape[1], tol=1e-10, random_state=0).fit(X)
    assert np.allclose(model.membership_, mixture.membership_, atol=1e-5)
    problem = bottleneck(Ensemble(X.astype(np.int32), np.full(15, 3), np.ones(15), np.ones(len(X))), 15.0)
    assert model.objective_ == pytest.approx(problem.entropy + mixture.lower_bound_ / (15 * len(X)), rel=1e-9)


def test_hard_clusters_of_complete_labels_are_those_of_itk():
    X = noisy_ensemble(flip=0.3, missing=0).X
    itk, model = ITK(3, random_state=0).fit(X), InformationBottleneck(3, random_state=0).fit(X)
    entropy = np.mean([-sum(s * np.log(s) for s in np.bincount(c) / len(c)) for c in X.T])
    assert model.objective_ >= entropy - itk.objective_ / len(X) - 1e-6
    assert same_partition(itk.labels_, model.labels_)


def test_softness_grows_as_beta_falls_and_clusters_vanish_at_one():
    X = noisy_ensemble(flip=0.3).X
    informations = [InformationBottleneck(3, beta=b, random_state=0).fit(X).information_ for b in (2, 4, 10, math.inf)]
    assert (np.diff(informations) >= -1e-6).all()
    together = InformationBottleneck(3, beta=1.0, max_iter=5000, random_state=0).fit(X)
    assert together.objective_ == pytest.approx(0, abs=1e-5)
    assert together.information_ < 1e-4


@pytest.mark.parametrize("beta", [5.0, math.inf])
def test_many_rows_start_on_a_sample(beta, monkeypatch):
    data = noisy_ensemble(sizes=(150, 100, 60), n_clusterings=12)
    whole = InformationBottleneck(3, beta=beta, random_state=0).fit(data.X)
    monkeypatch.setattr(module, "SEARCH_SIZE", 80)
    sampled = InformationBottleneck(3, beta=beta, random_state=0).fit(data.X)
    assert same_partition(sampled.labels_, whole.labels_)
    assert sampled.objective_ == pytest.approx(whole.objective_, rel=1e-6)


def test_a_finite_beta_beyond_rounding_is_infinite():
    X = noisy_ensemble().X
    huge, infinite = (InformationBottleneck(3, beta=b, random_state=0).fit(X) for b in (1e12, math.inf))
    assert np.array_equal(huge.membership_, infinite.membership_)


def test_too_few_iterations_are_told():
    X = noisy_ensemble(flip=0.4).X
    with pytest.warns(ConvergenceWarning, match="InformationBottleneck did not converge in max_iter=2"):
        InformationBottleneck(3, beta=4.0, max_iter=2, random_state=0).fit(X)


@pytest.mark.parametrize("beta", [0, -1.0, "inf", None])
def test_a_wrong_beta_is_refused(beta):
    with pytest.raises(ValueError, match="'beta' parameter"):
        InformationBottleneck(3, beta=beta).fit(noisy_ensemble().X)
