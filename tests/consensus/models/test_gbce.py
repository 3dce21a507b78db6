"""Fitted generalised Bayesian cluster ensembles: weights, units, objects, new objects, samples and threads."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV

from partita import BCE, GBCE, _runs
from partita.consensus.models import _bce as module
from partita.consensus.models import _em
from partita.exceptions import UnlabelledObjectsWarning
from tests.consensus.models.bce_problems import local_logs, noisy_features, problem_of, settle_slowly
from tests.ensembles import noisy_ensemble

# features that do not count


def assert_same_fit(one, other):
    assert one.history_ == pytest.approx(other.history_, rel=1e-12)
    assert np.allclose(one.alpha_, other.alpha_, rtol=1e-12)
    assert np.allclose(np.hstack(one.beta_), np.hstack(other.beta_), atol=1e-12)
    assert np.allclose(one.membership_, other.membership_, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ({}, None),
        ({"feature_weights": 0}, np.arange(62, dtype=float)[:, None]),
        ({}, np.full((62, 2), np.nan)),
        ({"families": ["categorical", "poisson"]}, np.full((62, 2), None)),
        ({"feature_weights": [0, 1]}, [[1.0, None]] * 62),
    ],
    ids=["no features", "weight 0", "NaN", "None", "weight 0 and NaN"],
)
def test_features_that_do_not_count_leave_bce(options, features, X):
    plain = BCE(3, n_init=3, random_state=0).fit(X)
    model = GBCE(3, n_init=3, random_state=0, **options).fit(X, features=features)
    assert_same_fit(model, plain)
    assert np.allclose(model.gamma_, plain.gamma_, rtol=1e-12)
    assert np.array_equal(model.predict(X), plain.predict(X))
    assert model.feature_parameters_ == []
    weights = np.linspace(0.5, 1.5, X.shape[1])
    weighted = GBCE(3, n_init=3, random_state=0, label_weights=weights, **options).fit(X, features=features)
    assert_same_fit(weighted, BCE(3, n_init=3, weights=weights, random_state=0).fit(X))


def test_feature_of_weight_zero_is_as_absent(truth, X, rng):
    F = noisy_features(truth, rng)
    model = GBCE(3, feature_weights=[1, 0, 0, 2], n_init=2, random_state=0).fit(X, features=F)
    plain = GBCE(3, feature_weights=[1, 2], n_init=2, random_state=0).fit(X, features=F[:, [0, 3]])
    assert_same_fit(model, plain)
    assert np.isnan(model.feature_parameters_[1]["mean"]).all()
    assert np.isnan(model.feature_parameters_[2]["variance"]).all()
    assert np.array_equal(model.feature_parameters_[0]["mean"], plain.feature_parameters_[0]["mean"])


# fits


@pytest.fixture(scope="module")
def fitted():
    X, truth = noisy_ensemble(missing=0.3, flip=0.3, n_clusterings=6)
    F = noisy_features(truth, np.random.default_rng(1))
    X[5] = -1
    families = ["gaussian", "gaussian", "poisson", "bernoulli"]
    options = {"families": families, "feature_weights": [1.0, 0.5, 1.0, 2.0], "label_weights": 1.5}
    model = GBCE(3, n_init=4, tol=1e-9, max_iter=5000, random_state=0, **options)
    return X, F, options, model.fit(X, features=F)


def test_history_never_falls(fitted):
    *_, model = fitted
    assert model.converged_
    assert model.n_iter_ == len(model.history_)
    assert model.lower_bound_ == model.history_[-1]
    assert (np.diff(model.history_) >= -1e-9 * abs(model.lower_bound_)).all()


def slow_problem(fitted):
    """The fitted model in the units of the features, as the slow functions need it."""
    X, F, options, model = fitted
    problem = problem_of(X, F, np.full(6, options["label_weights"]), options["feature_weights"])
    location, spread = [], []
    for parameters in model.feature_parameters_:
        values = [value for name, value in parameters.items() if name not in ("name", "family")]
        location.append(values[0])
        spread.append(values[1] if len(values) == 2 else np.ones(3))
    table = np.vstack([beta.T for beta in model.beta_])
    return problem, module.BCEState(model.alpha_, table, np.array(location), np.array(spread))


def test_parameters_are_in_the_units_of_the_features(fitted):
    """One more round of the slow steps, in these units, leaves gamma and the parameters where they are."""
    X, F, _, model = fitted
    problem, state = slow_problem(fitted)
    mass, first, second = np.zeros((3, 4, 3))
    for i in range(len(X)):
        logs, u, names = local_logs(X[i], F[i], problem, state)
        gamma, phi, _ = settle_slowly(logs, u, state.alpha, model.gamma_[i], 500)
        assert np.allclose(gamma, model.gamma_[i], atol=1e-4)
        assert model.gamma_[i].sum() == pytest.approx(model.alpha_.sum() + u.sum())
        for (kind, d), p in zip(names, phi, strict=True):
            if kind == "feature":
                mass[d] += p
                first[d] += p * F[i, d]
                second[d] += p * F[i, d] ** 2
    assert np.allclose(state.location, first / mass, atol=2e-3)
    assert np.allclose(state.spread[:2], (second / mass - (first / mass) ** 2)[:2], atol=2e-3)
    assert [p["name"] for p in model.feature_parameters_] == ["c0", "c1", "c2", "c3"]
    assert [p["family"] for p in model.feature_parameters_] == ["gaussian", "gaussian", "poisson", "bernoulli"]


def test_lower_bound_is_that_of_the_standardised_features(fitted):
    X, F, options, model = fitted
    problem, state = slow_problem(fitted)
    total = 0.0
    for x, y, gamma in zip(X, F, model.gamma_, strict=True):
        logs, u, _ = local_logs(x, y, problem, state)
        total += settle_slowly(logs, u, state.alpha, gamma, 0)[2]
    for d in range(2):  # a density is per unit
        total += options["feature_weights"][d] * (~np.isnan(F[:, d])).sum() * np.log(np.nanstd(F[:, d]))
    assert model.lower_bound_ == pytest.approx(total, rel=1e-6)


def test_fitted_objects_are_placed_where_they_are(fitted):
    X, F, _, model = fitted
    assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))
    assert np.array_equal(model.predict(X, features=F), model.labels_)
    assert np.allclose(model.predict_proba(X, features=F), model.membership_, atol=1e-4)
    assert model.score_samples(X, features=F).sum() == pytest.approx(model.lower_bound_, rel=1e-6)
    weight = np.arange(len(X)) % 3
    scores = model.score_samples(X, features=F)
    assert model.score(X, features=F, sample_weight=weight) == pytest.approx(np.average(scores, weights=weight))


def test_new_objects_without_features_are_placed_by_labels(fitted):
    X, F, _, model = fitted
    problem, state = slow_problem(fitted)
    membership, scores = model.predict_proba(X), model.score_samples(X)
    for i, x in enumerate(X):
        logs, u, _ = local_logs(x, np.full(4, np.nan), problem, state)
        gamma, _, bound = settle_slowly(logs, u, state.alpha, state.alpha + u.sum() / 3, 2000)
        assert np.allclose(membership[i], gamma / gamma.sum(), atol=1e-4)
        assert scores[i] == pytest.approx(bound, rel=1e-6, abs=1e-9)
    assert model.predict(X)[5] == -1
    assert np.allclose(membership[5], model.alpha_ / model.alpha_.sum())
    assert np.allclose(model.predict_proba(X, features=np.full_like(F, np.nan)), membership, atol=1e-12)


def test_objects_are_placed_by_features_alone(fitted):
    X, F, _, model = fitted
    empty = np.full_like(X, -1)
    membership = model.predict_proba(empty, features=F)
    assert model.predict(empty, features=F)[5] == model.labels_[5]
    assert np.allclose(membership[5], model.membership_[5], atol=1e-4)
    assert (model.predict(empty, features=np.full_like(F, np.nan)) == -1).all()
    assert np.allclose(model.score_samples(empty, features=np.full_like(F, np.nan)), 0, atol=1e-10)
    assert (membership[~np.isnan(F).all(axis=1)].max(axis=1) > model.alpha_.max() / model.alpha_.sum()).mean() > 0.5


def test_default_weight_of_labels_is_the_number_of_features(truth, X, rng):
    F, weights = noisy_features(truth, rng), np.linspace(0.5, 1.5, X.shape[1])
    options = {"feature_weights": [1.0, 0.3, 0.0, 1.0], "n_init": 2, "random_state": 0}
    default = GBCE(3, **options).fit(X, features=F)
    given = GBCE(3, label_weights=3, **options).fit(X, features=F)
    assert_same_fit(default, given)
    relative = GBCE(3, weights=weights, **options).fit(X, features=F)
    given = GBCE(3, label_weights=3 * weights, **options).fit(X, features=F)
    assert_same_fit(relative, given)
    seen = ~np.isnan(F) @ [1.0, 0.3, 0.0, 1.0]
    assert np.allclose(default.gamma_.sum(axis=1), default.alpha_.sum() + 3 * (X >= 0).sum(axis=1) + seen)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_units_of_features_do_not_matter(missing, truth, X, rng):
    F = noisy_features(truth, rng, missing)[:, :2]
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    other = GBCE(3, n_init=2, random_state=0).fit(X, features=F * [1e3, -0.01] + [5.0, 1e3])
    assert np.allclose(plain.history_, other.history_, rtol=1e-9)
    assert np.allclose(plain.membership_, other.membership_, atol=1e-6)
    for ours, theirs, scale, shift in zip(
        plain.feature_parameters_, other.feature_parameters_, [1e3, -0.01], [5.0, 1e3], strict=True
    ):
        assert np.allclose(ours["mean"] * scale + shift, theirs["mean"], rtol=1e-6)
        assert np.allclose(ours["variance"] * scale**2, theirs["variance"], rtol=1e-5)


def test_without_standardisation_the_bound_is_in_the_units(truth, X, rng):
    F = 10 * noisy_features(truth, rng)[:, :2]
    options = {"n_init": 2, "tol": 1e-9, "max_iter": 5000, "random_state": 0}
    plain = GBCE(3, **options).fit(X, features=F)
    raw = GBCE(3, standardize=False, **options).fit(X, features=F)
    shift = ((~np.isnan(F)).sum(axis=0) * np.log(np.nanstd(F, axis=0))).sum()
    assert raw.lower_bound_ + shift == pytest.approx(plain.lower_bound_, rel=1e-5)
    assert np.array_equal(raw.labels_, plain.labels_)
    assert np.allclose(raw.feature_parameters_[0]["mean"], plain.feature_parameters_[0]["mean"], rtol=1e-2)


def test_variance_has_a_floor(truth, X):
    F = np.column_stack([truth.astype(float), np.full(len(truth), 7.0)])
    model = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    steps_, constant = model.feature_parameters_
    assert np.allclose(steps_["variance"], 1e-6 * F[:, 0].var(), rtol=1e-6)
    assert np.allclose(steps_["mean"], [0, 1, 2], atol=1e-3)
    assert np.allclose(constant["mean"], 7)
    assert (constant["variance"] > 0).all()
    assert np.isfinite(model.history_).all()


def test_recovers_structure_from_features_where_labels_are_poor(rng):
    X, truth = noisy_ensemble(sizes=(60, 50, 40), flip=0.8, n_clusterings=4)
    F = np.column_stack([4.0 * (truth == 1), 4.0 * (truth == 2)]) + rng.normal(size=(150, 2))
    labels_alone = BCE(3, random_state=0).fit(X)
    model = GBCE(3, feature_weights=4, label_weights=1, random_state=0).fit(X, features=F)
    assert adjusted_rand_score(truth, labels_alone.labels_) < 0.3
    assert adjusted_rand_score(truth, model.labels_) > 0.8


def test_more_weight_of_features_is_more_influence(rng):
    """Labels and features that disagree: the weights decide."""
    labels, of_features = np.repeat([0, 1], 40), np.tile([0, 1], 40)
    X, F = np.tile(labels[:, None], 4), 5.0 * of_features[:, None] + rng.normal(size=(80, 1))
    strong, weak = (GBCE(2, feature_weights=u, label_weights=1, random_state=0).fit(X, features=F) for u in (50, 0.1))
    assert adjusted_rand_score(labels, weak.labels_) == 1
    assert adjusted_rand_score(of_features, strong.labels_) > 0.9


# objects


def test_object_with_features_and_no_label_takes_part(truth, X, rng):
    F = np.column_stack([3.0 * truth, -3.0 * truth]) + 0.3 * rng.normal(size=(62, 2))
    X, F = X.copy(), F.copy()
    X[[3, 8]] = -1
    F[8] = np.nan
    with pytest.warns(UnlabelledObjectsWarning, match="1 of 62 objects"):
        model = GBCE(3, n_init=3, random_state=0).fit(X, features=F)
    plain = GBCE(3, n_init=3, random_state=0).fit(np.delete(X, 8, axis=0), features=np.delete(F, 8, axis=0))
    assert model.labels_[8] == -1
    assert np.allclose(model.membership_[8], model.alpha_ / model.alpha_.sum())
    assert np.array_equal(np.delete(model.labels_, 8), plain.labels_)
    assert model.history_ == plain.history_
    others = np.delete(np.arange(62), [3, 8])
    same_class = others[truth[others] == truth[3]]
    assert model.labels_[3] == np.bincount(model.labels_[same_class]).argmax()


def test_object_without_weight_is_placed_by_its_features(truth, X, rng):
    F = 3.0 * truth[:, None] + 0.3 * rng.normal(size=(62, 1))
    F[0] = 3.0 * ((truth[0] + 1) % 3)
    weight = np.ones(62)
    weight[0] = 0
    plain = GBCE(3, n_init=2, random_state=0).fit(X[1:], features=F[1:])
    unlabelled = X.copy()
    unlabelled[0] = -1
    for labels in (X, unlabelled):
        model = GBCE(3, n_init=2, random_state=0).fit(labels, sample_weight=weight, features=F)
        assert np.allclose(model.membership_[1:], plain.membership_, atol=1e-9)
        assert model.labels_[0] == plain.predict(labels[:1], features=F[:1])[0]
        assert np.allclose(model.membership_[0], plain.predict_proba(labels[:1], features=F[:1])[0], atol=1e-9)
        assert model.gamma_[0].sum() == pytest.approx(model.alpha_.sum() + 1 + (labels[0] >= 0).sum())


def test_object_without_weight_has_no_influence_however_far_it_is(truth, X, rng):
    F = 3.0 * truth[:, None] + rng.normal(size=(62, 1))
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    weight = np.append(np.ones(62), 0)
    model = GBCE(3, n_init=2, random_state=0).fit(
        np.vstack([X, X[:1]]), sample_weight=weight, features=np.vstack([F, [[1e6]]])
    )
    assert np.allclose(model.feature_parameters_[0]["variance"], plain.feature_parameters_[0]["variance"], rtol=1e-6)
    assert np.allclose(model.membership_[:62], plain.membership_, atol=1e-6)


def test_category_that_only_an_object_without_weight_has_is_missing(truth, X):
    names = np.append(np.array(["a", "b", "c"], dtype=object)[truth], "never")[:, None]
    weight = np.append(np.ones(62), 0)
    model = GBCE(3, n_init=2, random_state=0).fit(np.vstack([X, X[:1]]), sample_weight=weight, features=names)
    plain = GBCE(3, n_init=2, random_state=0).fit(X, features=names[:62])
    expected = plain.predict_proba(X[:1], features=[[None]])[0]
    assert np.allclose(model.membership_[62], expected, atol=1e-6)
    assert model.gamma_[62].sum() == pytest.approx(model.alpha_.sum() + (X[0] >= 0).sum())


def test_labels_must_count(truth, X):
    with pytest.raises(ValueError, match="label_weights is zero everywhere; at least one clustering must count"):
        GBCE(3, label_weights=0).fit(X, features=truth[:, None])


# many objects, threads


def test_starts_that_compete_on_a_sample_end_as_high(rng, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.2)
    F = noisy_features(truth, rng)
    families = ["gaussian", "gaussian", "poisson", "bernoulli"]
    options = {"families": families, "n_init": 4, "random_state": 0}
    everything = GBCE(3, **options).fit(X, features=F)
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 70)
    sampled = GBCE(3, **options).fit(X, features=F)
    assert sampled.history_ != everything.history_
    assert sampled.converged_
    assert (np.diff(sampled.history_) >= -1e-9 * abs(sampled.lower_bound_)).all()
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=0.03)


@pytest.mark.parametrize("seed", [0, 2])  # the sample has the feature, and lacks it
@pytest.mark.parametrize("family", ["gaussian", "poisson", "bernoulli", "categorical"])
def test_feature_that_a_sample_lacks_does_no_harm(family, seed, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.2)
    rare = np.full((len(X), 1), np.nan)
    rare[[7, 200]] = [[0.0], [1.0]]
    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 30)
    model = GBCE(3, families=family, n_init=2, random_state=seed).fit(X, features=rare)
    assert np.isfinite(model.history_).all()
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    values = model.feature_parameters_[0]
    assert all(np.isfinite(values[name]).all() for name in values.keys() - {"name", "family", "categories"})


def test_threads_change_no_bit(truth, X, rng, monkeypatch):
    F = noisy_features(truth, rng)
    monkeypatch.setattr(_em, "_BLOCK", 1)
    one, many = (GBCE(3, n_init=3, random_state=0, n_jobs=n).fit(X, features=F) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.membership_, many.membership_)


# parameters of the constructor


@pytest.mark.parametrize("name", ["families", "feature_weights", "label_weights"])
def test_what_has_moved_to_the_constructor_is_refused_with_its_new_place(name, truth, X):
    message = rf"{name} is a parameter of the constructor now: GBCE\({name}=...\)"
    with pytest.raises(TypeError, match=message):
        GBCE(3).fit(X, features=truth[:, None], **{name: 1})
    with pytest.raises(TypeError, match=message):
        GBCE(3).fit_predict(X, features=truth[:, None], **{name: 1})


def test_unknown_arguments_of_fit_are_refused(X):
    with pytest.raises(TypeError, match=r"GBCE.fit\(\) got an unexpected keyword argument 'family'"):
        GBCE(3).fit(X, family="poisson")


def test_clone_keeps_families_and_weights(truth, X):
    counts = np.random.default_rng(0).poisson(1.0 + truth)[:, None]
    model = GBCE(3, families="poisson", feature_weights=[2.0], label_weights=1.5, n_init=1, random_state=0)
    one, other = model.fit(X, features=counts), clone(model).fit(X, features=counts)
    assert other.feature_parameters_[0]["family"] == "poisson"
    assert one.history_ == other.history_


def test_weights_of_features_can_be_searched(truth, X):
    F = 3.0 * truth[:, None] + np.random.default_rng(0).normal(size=(62, 1))
    search = GridSearchCV(GBCE(3, n_init=1, random_state=0), {"feature_weights": [0.5, 2.0]}, cv=2)
    search.fit(X, features=F)
    assert search.best_params_["feature_weights"] in (0.5, 2.0)
    assert search.best_estimator_.feature_parameters_[0]["family"] == "gaussian"


# what a fitted model keeps


def test_fitted_model_keeps_the_features_of_the_fitted_objects_once(truth, X, rng):
    F = noisy_features(truth, rng)
    model = GBCE(3, n_init=1, random_state=0).fit(X, features=F)
    assert not hasattr(model, "_values")
    arrays = [value for value in model._features if isinstance(value, np.ndarray)]
    assert all(len(array) <= F.shape[1] for array in arrays)
    assert model._columns.layout.n_rows == 0
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X, features=F), model.predict_proba(X, features=F))


def test_fit_that_fails_keeps_no_features(X):
    model = GBCE(3)
    with pytest.raises(ValueError, match="weights has"):
        model.set_params(weights=[1.0, 2.0]).fit(X, features=np.ones((62, 1)))
    assert not hasattr(model, "_values")
