"""Features beside labels, as GBCE reads them: families, containers, names; magnitudes, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from partita import (
    GBCE,
    ConsensusClustering,
    DPGaussianMixture,
    DPMeans,
    KMeansEnsemble,
    MixedEnsemble,
    choose_n_clusters,
    metrics,
    soft_centroids,
)
from partita._features import check_points
from tests.consensus.models.bce_problems import noisy_features


def test_categorical_feature_is_one_more_clustering(truth, X, rng):
    extra, F = rng.permutation(3)[truth], noisy_features(truth, rng)[:, :1]
    options = {"n_init": 2, "random_state": 0}
    frame = pd.DataFrame({"kind": np.array(["u", "v", "w"], dtype=object)[extra], "size": F[:, 0]})
    frame.loc[4, "kind"] = None
    wide = np.column_stack([X, np.where(np.arange(62) == 4, -1, extra)])
    model = GBCE(3, feature_weights=[2, 1], label_weights=1.5, **options).fit(X, features=frame)
    plain = GBCE(3, label_weights=np.append(np.full(15, 1.5), 2.0), **options).fit(wide, features=F)
    assert model.history_ == plain.history_
    assert np.array_equal(model.membership_, plain.membership_)
    kind = model.feature_parameters_[0]
    assert kind["categories"].tolist() == ["u", "v", "w"]
    assert np.array_equal(kind["probability"], plain.beta_[15])
    assert np.array_equal(np.hstack(model.beta_), np.hstack(plain.beta_[:15]))
    assert np.allclose(model.predict_proba(X, features=frame), plain.predict_proba(wide, features=F), atol=1e-9)
    new = pd.DataFrame({"kind": ["never seen"] * 62, "size": F[:, 0]})
    without = np.column_stack([X, np.full(62, -1)])
    assert np.allclose(model.predict_proba(X, features=new), plain.predict_proba(without, features=F), atol=1e-9)


def parameters_named(model):
    return [(p["name"], p["family"]) for p in model.feature_parameters_]


def mixed_columns(truth, rng):
    return {
        "height": truth + 0.1 * rng.normal(size=62),
        "visits": rng.poisson(1 + truth),
        "smokes": truth > 0,
        "town": np.array(["x", "y", "z"], dtype=object)[truth],
    }


def test_families_by_the_type_of_the_column(truth, X, rng):
    columns = mixed_columns(truth, rng)
    found = [("height", "gaussian"), ("visits", "gaussian"), ("smokes", "bernoulli"), ("town", "categorical")]
    models = [
        GBCE(3, n_init=1, random_state=0).fit(X, features=container)
        for container in (pd.DataFrame(columns), pl.DataFrame(columns), columns)
    ]
    for model in models:
        assert parameters_named(model) == found
        assert model.history_ == models[0].history_
        assert np.array_equal(model.membership_, models[0].membership_)
    assert np.array_equal(models[1].predict(X, features=pd.DataFrame(columns)), models[1].labels_)


def test_families_by_name_list_and_dict(truth, X, rng):
    columns = mixed_columns(truth, rng)

    def fit(features, families):
        return GBCE(3, families=families, n_init=1, random_state=0).fit(X, features=features)

    by_name = fit(columns, {"visits": "poisson", "smokes": "categorical"})
    listed = fit(columns, ["gaussian", "poisson", "categorical", "categorical"])
    assert [family for _, family in parameters_named(by_name)] == ["gaussian", "poisson", "categorical", "categorical"]
    assert by_name.history_ == listed.history_
    counts = {"visits": columns["visits"], "smokes": columns["smokes"]}
    assert [family for _, family in parameters_named(fit(counts, "poisson"))] == ["poisson", "poisson"]
    rate = fit(counts, "poisson").feature_parameters_[0]["rate"]
    assert ((rate >= columns["visits"].min()) & (rate <= columns["visits"].max())).all()
    probability = fit(counts, ["poisson", "bernoulli"]).feature_parameters_[1]["probability"]
    assert ((probability > 0) & (probability < 1)).all()


@pytest.mark.parametrize("library", [pd, pl])
def test_missing_values_of_frames_are_missing(library, truth, X, rng):
    F = noisy_features(truth, rng)
    columns = {
        "a": [None if np.isnan(v) else float(v) for v in F[:, 0]],
        "b": [None if np.isnan(v) else int(v) for v in F[:, 2]],
        "c": [None if np.isnan(v) else bool(v) for v in F[:, 3]],
    }
    frame = library.DataFrame(columns)
    if library is pd:
        frame = frame.astype({"b": "Int64", "c": "boolean"})
    families = {"a": "gaussian", "b": "poisson", "c": "bernoulli"}
    model = GBCE(3, families=families, n_init=1, random_state=0).fit(X, features=frame)
    plain = GBCE(3, families=list(families.values()), n_init=1, random_state=0).fit(X, features=F[:, [0, 2, 3]])
    assert model.history_ == plain.history_
    assert np.array_equal(model.predict_proba(X, features=frame), plain.predict_proba(X, features=F[:, [0, 2, 3]]))


def test_features_are_a_list_of_rows_as_scikit_learn_reads_them(truth, X):
    rows = [[float(t), float(-t)] for t in truth]
    listed = GBCE(3, n_init=1, random_state=0).fit(X, features=rows)
    assert listed.history_ == GBCE(3, n_init=1, random_state=0).fit(X, features=np.array(rows)).history_


def test_fit_predict_takes_features(truth, X):
    F = truth[:, None] * 2.0
    labels = GBCE(3, n_init=1, random_state=0).fit_predict(X, features=F)
    assert np.array_equal(labels, GBCE(3, n_init=1, random_state=0).fit(X, features=F).labels_)


# what is refused


@pytest.mark.parametrize(
    ("features", "options", "message"),
    [
        (np.ones((61, 1)), {}, "features has 61 rows, but X has 62"),
        (np.full((62, 1), -1.0), {"families": "poisson"}, "contains -1.0; family 'poisson' is for counts"),
        (np.full((62, 1), 0.5), {"families": "poisson"}, "contains 0.5; family 'poisson' is for counts"),
        (np.full((62, 1), 2.0), {"families": "bernoulli"}, "contains 2.0; family 'bernoulli' is for 0"),
        ([["tall"]] * 62, {"families": "gaussian"}, "values that are not numbers, which family 'gaussian' needs"),
        (np.full((62, 1), np.inf), {}, "contains infinity"),
        (np.ones((62, 1)), {"families": "gamma"}, "'gamma' is not known; choose from gaussian, poisson"),
        (np.ones((62, 2)), {"families": ["gaussian"]}, "families has 1 entries for 2 features"),
        (np.ones((62, 1)), {"families": {"z": "poisson"}}, "names the feature 'z', but the features are"),
        (np.ones((62, 2)), {"feature_weights": [1, 2, 3]}, r"feature_weights has shape \(3,\)"),
        (np.ones((62, 1)), {"feature_weights": [-1]}, "feature_weights contains -1.0"),
        (np.ones((62, 1)), {"feature_weights": -1}, "'feature_weights' parameter of GBCE must be a float in the range"),
        (np.ones((62, 1)), {"feature_weights": ["big"]}, r"feature_weights=\['big'\] is neither"),
        (np.ones((62, 1)), {"feature_weights": "big"}, "'feature_weights' parameter of GBCE must be"),
        (np.ones((62, 1)), {"label_weights": [1, 2]}, r"label_weights has shape \(2,\)"),
        (np.ones((62, 1)), {"label_weights": np.full(15, np.nan)}, "label_weights contains nan"),
        (np.ones((62, 1)), {"label_weights": np.nan}, "'label_weights' parameter of GBCE must be"),
        (np.ones((62, 1)), {"families": 3}, "'families' parameter of GBCE must be"),
        (None, {"families": "gaussian"}, "families='gaussian' was set, but fit received no features"),
        (None, {"feature_weights": 2}, "feature_weights=2 was set, but fit received no features"),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_features_are_refused(features, options, message, X):
    with pytest.raises(ValueError, match=message):
        GBCE(3, **options).fit(X, features=features)


def test_sparse_features_are_refused(X):
    with pytest.raises(TypeError, match=r"features is a sparse matrix; pass features.toarray\(\)"):
        GBCE(3).fit(X, features=sparse.csr_array(np.eye(62)))


def test_two_kinds_of_label_weights_are_refused(X):
    with pytest.raises(ValueError, match="weights and label_weights were both passed"):
        GBCE(3, weights=np.ones(15), label_weights=2).fit(X, features=np.ones((62, 1)))


def test_other_features_at_prediction_are_refused(truth, X):
    model = GBCE(3, n_init=1, random_state=0).fit(X, features=2.0 * truth[:, None])
    with pytest.raises(ValueError, match="features has the columns c0, c1, but c0 were fitted"):
        model.predict(X, features=np.ones((62, 2)))
    with pytest.raises(ValueError, match="features has 3 rows, but X has 62"):
        model.predict_proba(X, features=np.ones((3, 1)))


def test_features_are_matched_by_name_at_prediction(truth, X, rng):
    F = pd.DataFrame({"small": 0.1 * truth + 0.01 * rng.normal(size=62), "big": 50.0 * truth + rng.normal(size=62)})
    model = GBCE(3, n_init=2, random_state=0).fit(X, features=F)
    assert np.array_equal(model.predict_proba(X, features=F[["big", "small"]]), model.predict_proba(X, features=F))
    with pytest.raises(ValueError, match="features has the columns small, tall, but small, big were fitted"):
        model.predict(X, features=F.rename(columns={"big": "tall"}))


def test_category_never_seen_costs_as_much_as_a_label_never_seen(truth, X):
    kind = np.array(["u", "v", "w"], dtype=object)[truth][:, None]
    model = GBCE(3, n_init=2, random_state=0).fit(X, features=kind)
    new = np.full((62, 1), "z", dtype=object)
    missing = np.full((62, 1), None)
    gap = model.score_samples(X, features=new) - model.score_samples(X, features=missing)
    assert np.allclose(gap, np.log(1e-12))


def test_features_too_large_are_refused(truth, X):
    with pytest.raises(ValueError, match="the feature 'c0' has values up to 3e\\+200, whose squares overflow"):
        GBCE(3).fit(X, features=1e200 * (1.0 + truth[:, None]))
    with pytest.raises(ValueError, match=r"features has 1 dimension\(s\)"):
        GBCE(3).fit(X, features=truth)


# magnitudes and names, for everything that takes features


def by_labels(function):
    return lambda F: function(F, np.arange(len(F)) % 3)


TAKERS = {
    "KMeansEnsemble": lambda F: KMeansEnsemble(2, 2, random_state=0).fit(F),
    "KMeansEnsemble-cosine": lambda F: KMeansEnsemble(2, 2, metric="cosine", random_state=0).fit(F),
    "MixedEnsemble": lambda F: MixedEnsemble(["ward", "fuzzy"], [2], n_repeats=1, random_state=0).fit(F),
    "ConsensusClustering": lambda F: ConsensusClustering(KMeansEnsemble(2, 2), random_state=0).fit(F),
    "DPMeans": lambda F: DPMeans(n_clusters=2, random_state=0).fit(F),
    "DPGaussianMixture": lambda F: DPGaussianMixture(n_sweeps=5, random_state=0).fit(F),
    "choose_n_clusters": lambda F: choose_n_clusters(F, kind="features"),
    "rank_features": by_labels(metrics.rank_features),
    "silhouette_score": by_labels(metrics.silhouette_score),
    "dunn_score": by_labels(metrics.dunn_score),
    "calinski_harabasz_score": by_labels(metrics.calinski_harabasz_score),
    "davies_bouldin_score": by_labels(metrics.davies_bouldin_score),
    "validity_report": by_labels(metrics.validity_report),
    "soft_centroids": lambda F: soft_centroids(np.eye(3)[np.arange(len(F)) % 3], F),
    "GBCE": lambda F: GBCE(2).fit(np.arange(len(F))[:, None] % [2, 3], features=F),
}
every_taker = pytest.mark.parametrize("name", TAKERS)


@pytest.fixture
def F(rng):
    return rng.normal(size=(30, 2))


@every_taker
def test_one_limit_of_magnitude(name, F):
    with pytest.raises(ValueError, match="e\\+200, whose squares overflow; divide"):
        TAKERS[name](1e200 * F)
    with pytest.raises(ValueError, match=r"differ by .*, whose square is 0; multiply"):
        TAKERS[name](1e-100 * F)


@every_taker
def test_two_columns_of_one_name_are_refused(name, F):
    with pytest.raises(ValueError, match="has 2 columns of the name 'a'; give each a name of its own"):
        TAKERS[name](pd.DataFrame(F, columns=["a", "a"]))


@pytest.mark.parametrize("name", [name for name in TAKERS if name not in ("GBCE", "choose_n_clusters")])
def test_text_and_tables_without_columns_are_refused_in_our_words(name):
    with pytest.raises(ValueError, match=r"must be numbers, one row per object .*; encode text as numbers first"):
        TAKERS[name](np.full((30, 2), "q", dtype=object))
    with pytest.raises(ValueError, match="is a table without columns"):
        TAKERS[name](pd.DataFrame(index=range(30)))
    with pytest.raises(ValueError, match="must be numbers, one row per object"):
        TAKERS[name]([[1, 2], [3]] * 15)
    with pytest.raises(ValueError, match="infinity"):  # and no warning before, of inf - inf
        TAKERS[name](np.array([[np.inf, -np.inf]] * 30))


@pytest.mark.parametrize("scale", [1e19, 1e-25])
@pytest.mark.parametrize("options", [{}, {"algorithm": "minibatch"}, {"metric": "cosine"}], ids=str)
def test_numbers_that_float32_cannot_square_are_taken_as_float64(scale, options, F):
    small = (scale * F).astype(np.float32)
    generator = KMeansEnsemble(4, 3, random_state=0, **options)
    labels = generator.fit_transform(small)
    assert labels.max() == 2
    assert (labels == generator.fit_transform(small.astype(np.float64))).all()
    kept = check_points(F.astype(np.float32), dtype=[np.float64, np.float32])
    assert kept.dtype == np.float32


def test_sparse_features_have_the_same_limit(F):
    for options in ({}, {"metric": "cosine"}):
        with pytest.raises(ValueError, match="whose squares overflow"):
            KMeansEnsemble(2, 2, **options).fit(sparse.csr_array(1e200 * F))
    with pytest.raises(ValueError, match="whose square is 0"):
        ConsensusClustering(KMeansEnsemble(2, 2)).fit(sparse.csr_array(1e-100 * F))


def test_new_objects_may_differ_by_less_than_those_of_the_fit(F):
    generator = KMeansEnsemble(2, 2, random_state=0).fit(F)
    assert generator.transform([[0.0, 0.0], [1e-100, 0.0]]).shape == (2, 2)


def test_a_feature_of_a_new_object_has_the_same_limit(truth, X, rng):
    F = noisy_features(truth, rng)[:, :2]
    model = GBCE(3, n_init=1, random_state=0).fit(X, features=F)
    for method in (model.predict, model.predict_proba, model.score_samples):
        with pytest.raises(ValueError, match="the feature 'c1' has values up to 1e\\+160, whose squares overflow"):
            method(X[:1], features=[[0.0, 1e160]])


def test_weights_of_columns_have_a_limit(X):
    for name in ("feature_weights", "label_weights"):
        for weight in (1e30, 5e-324):
            with pytest.raises(
                ValueError, match=rf"{name} contains .*; weights are at least 0, .* from 1e-12 to 1e\+12"
            ):
                GBCE(3, **{name: weight}).fit(X, features=np.ones((62, 1)))


def test_the_scale_of_sample_weights_does_not_move_the_standardised_features(truth, X, rng):
    F = noisy_features(truth, rng)[:, :2]
    weight = np.where(np.arange(62) < 40, 1.0, 2.0)
    plain, small = (
        GBCE(3, n_init=1, max_iter=2, tol=1.0, random_state=0).fit(X, features=F, sample_weight=scale * weight)
        for scale in (1.0, 2.0**-30)
    )
    assert np.array_equal(plain._features.shift, small._features.shift)
    assert np.array_equal(plain._features.scale, small._features.scale)


def test_features_beside_labels_have_rows_of_one_length(X):
    with pytest.raises(ValueError, match="features has rows of different lengths"):
        GBCE(3).fit(X, features=[[1, 2], [3]] * 31)
