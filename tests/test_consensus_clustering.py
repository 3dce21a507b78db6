"""From features to a consensus in one call: what the parts do by hand, and nothing else."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import (
    BCE,
    EAC,
    LWGP,
    NBCE,
    PCC,
    ConsensusClustering,
    ConsensusResult,
    KMeansEnsemble,
    LabelKMeans,
    MixedEnsemble,
    MultinomialMixture,
)
from partita._runs import draw_seeds
from partita.exceptions import UnlabelledObjectsWarning, WeakStructureWarning
from partita.generation import _feature_ensemble
from tests.ensembles import same_partition

FEW = KMeansEnsemble(12, (3, 6))


@pytest.fixture
def truth():
    return np.repeat([0, 1, 2], [25, 20, 15])


@pytest.fixture
def F(truth):
    return 6 * np.eye(3, 2)[truth] + np.random.default_rng(0).standard_normal((60, 2))


def seeded(part, seed):
    return clone(part).set_params(random_state=int(seed))


@pytest.mark.parametrize(
    "consensus", [EAC(), PCC(3, divergence="l2"), MultinomialMixture(3), LabelKMeans(3), BCE(3)], ids=str
)
def test_it_is_the_parts_one_after_the_other(F, consensus):
    model = ConsensusClustering(FEW, consensus, random_state=4).fit(F)
    of_base, of_consensus = draw_seeds(4, 2)
    X = seeded(FEW, of_base).fit_transform(F)
    by_hand = seeded(consensus, of_consensus).fit(X)
    assert (model.label_matrix_ == X).all()
    assert (model.labels_ == by_hand.labels_).all()
    assert model.n_clusters_ == by_hand.n_clusters_
    assert hasattr(model, "membership_") == hasattr(by_hand, "membership_")
    if hasattr(model, "membership_"):
        assert (model.membership_ == by_hand.membership_).all()
        assert model.membership_.shape == (60, model.n_clusters_)


def test_parts_with_a_seed_of_their_own_keep_it(F):
    base, consensus = KMeansEnsemble(12, 4, random_state=7), PCC(3, divergence="l2", random_state=8)
    model = ConsensusClustering(base, consensus, random_state=1).fit(F)
    assert (model.labels_ == make_pipeline(base, consensus).fit_predict(F)).all()
    assert (model.base_.random_state, model.consensus_.random_state) == (7, 8)


def test_the_parts_that_were_given_are_not_changed(F):
    base, consensus = KMeansEnsemble(5, 3), PCC(7, divergence="l2")
    ConsensusClustering(base, consensus, n_clusters=3, random_state=0, n_jobs=2).fit(F)
    assert (base.random_state, base.n_jobs, consensus.n_clusters) == (None, None, 7)
    assert not hasattr(base, "manifest_")
    assert not hasattr(consensus, "labels_")


def test_same_seed_same_bits_whatever_the_threads(F):
    one = ConsensusClustering(FEW, PCC(3), random_state=0).fit(F)
    two = ConsensusClustering(FEW, PCC(3), random_state=0, n_jobs=3).fit(F)
    assert two.base_.n_jobs == two.consensus_.get_params().get("n_jobs", 3) == 3
    assert (one.label_matrix_ == two.label_matrix_).all()
    assert (one.membership_ == two.membership_).all()
    other = ConsensusClustering(FEW, PCC(3), random_state=1).fit(F)
    assert not np.array_equal(one.label_matrix_, other.label_matrix_)


BASES = {
    "nothing": (None, KMeansEnsemble, 100),
    "generator": (KMeansEnsemble(8, 4), KMeansEnsemble, 8),
    "mixed": (MixedEnsemble(["ward", "average"], [3, 4, 5]), MixedEnsemble, 6),
    "clusterer": (KMeans(n_init=1), MixedEnsemble, 45),
    "list": (["ward", "average", KMeans(n_init=1)], MixedEnsemble, 63),
    "dict": ({"mine": KMeans(n_init=1), "tree": "ward"}, MixedEnsemble, 54),
}


@pytest.mark.parametrize("case", BASES)
def test_base_is_a_generator_a_clusterer_or_a_list(case, F, truth):
    base, kind, n_clusterings = BASES[case]
    model = ConsensusClustering(base, n_clusters=3, random_state=0).fit(F)
    assert type(model.base_) is kind
    assert model.label_matrix_.shape == (60, n_clusterings)
    assert len(model.base_.manifest_) == n_clusterings
    assert same_partition(model.labels_, truth)


def test_the_default_consensus_finds_the_number_or_takes_it(F, truth):
    found = ConsensusClustering(FEW, random_state=0).fit(F)
    assert isinstance(found.consensus_, LWGP)
    assert found.consensus_.n_clusters is None
    assert found.n_clusters_ == found.choice_.n_clusters == 3
    assert same_partition(found.labels_, truth)
    given = ConsensusClustering(FEW, n_clusters=4, random_state=0).fit(F)
    assert isinstance(given.consensus_, LWGP)
    assert given.consensus_.n_clusters == given.n_clusters_ == 4
    assert given.votes_.shape == (60, 4)
    assert not hasattr(given, "membership_")


def test_the_choice_of_an_earlier_fit_does_not_stay(F):
    model = ConsensusClustering(FEW, random_state=0).fit(F)
    assert model.choice_ is model.consensus_.choice_
    assert not hasattr(model.set_params(n_clusters=3).fit(F), "choice_")


def test_the_result_says_how_the_number_was_found(F):
    result = ConsensusResult.from_estimator(ConsensusClustering(FEW, random_state=0).fit(F))
    assert (result.method, result.n_clusters, result.choice.verdict) == ("lwgp", 3, "clusters")


def test_one_cloud_gets_a_warning():
    cloud = np.random.default_rng(0).standard_normal((120, 4))
    with pytest.warns(WeakStructureWarning, match="choose_n_clusters compares them with data without clusters"):
        ConsensusClustering(KMeansEnsemble(15), random_state=0).fit(cloud)


def test_the_number_is_handed_to_the_consensus(F):
    model = ConsensusClustering(FEW, EAC(linkage="ward"), n_clusters=5, random_state=0).fit(F)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 5


def test_a_number_for_a_consensus_that_has_none_is_refused(F):
    with pytest.raises(ValueError, match="n_clusters=3 was given, but NBCE finds the number of clusters itself"):
        ConsensusClustering(FEW, NBCE("vb"), n_clusters=3).fit(F)


@pytest.mark.parametrize(
    "consensus", [EAC(3), PCC(3), MultinomialMixture(3), BCE(3), LabelKMeans(3), NBCE("vb")], ids=str
)
def test_new_objects_are_predicted(F, truth, consensus):
    model = ConsensusClustering(FEW, consensus, random_state=0)
    assert hasattr(model, "predict")
    model.fit(F)
    assert (model.predict(F) == model.labels_).mean() > 0.95
    if consensus.get_params().get("n_clusters") == 3:
        at_truth = [np.bincount(model.labels_[truth == k]).argmax() for k in range(3)]
        assert model.predict(6 * np.eye(3, 2)).tolist() == at_truth


def test_probabilities_of_the_fitted_objects_are_their_membership(F):
    model = ConsensusClustering(FEW, MultinomialMixture(3), random_state=0).fit(F)
    assert np.allclose(model.predict_proba(F), model.membership_)
    assert np.allclose(model.predict_proba(F[:5] + 0.01).sum(axis=1), 1)


def test_a_consensus_without_probabilities_gives_no_predict_proba(F):
    model = ConsensusClustering(FEW, EAC(3), random_state=0)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model.fit(F), "predict_proba")


def test_label_kmeans_predicts_without_probabilities(F):
    assert not hasattr(ConsensusClustering(FEW, LabelKMeans(3)), "predict_proba")


def test_membership_of_an_earlier_fit_does_not_stay(F):
    model = ConsensusClustering(FEW, PCC(3), random_state=0).fit(F)
    assert np.allclose(model.membership_.sum(axis=1), 1)
    assert not hasattr(model.set_params(consensus=EAC()).fit(F), "membership_")


def test_objects_that_no_clustering_saw_are_predicted_too(F, truth):
    model = ConsensusClustering(KMeansEnsemble(5, 4, sample_fraction=0.5), MultinomialMixture(3), random_state=0)
    with pytest.warns(UnlabelledObjectsWarning, match="of 60 objects have no label in any clustering"):
        model.fit(F)
    unseen = (model.label_matrix_ < 0).all(axis=1)
    assert (model.labels_[unseen] == -1).all()
    assert (model.predict(F) >= 0).all()
    assert same_partition(model.predict(F), truth)


def test_sparse_features_are_clustered_or_refused_by_their_clusterer(F):
    with_zeros = np.where(F > 0.5, F, 0)
    model = ConsensusClustering(FEW, EAC(n_clusters=3), random_state=0)
    assert (model.fit_predict(with_zeros) == model.fit_predict(sparse.csr_array(with_zeros))).mean() > 0.9
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ConsensusClustering(["ward"], random_state=0).fit(sparse.csr_array(with_zeros))


def test_in_a_pipeline_after_scaling(F, truth):
    pipeline = make_pipeline(StandardScaler(), ConsensusClustering(FEW, n_clusters=3, random_state=0))
    assert same_partition(pipeline.fit_predict(pd.DataFrame(F * [1, 1000], columns=["a", "b"])), truth)


def test_it_can_be_pickled(F):
    model = ConsensusClustering(FEW, MultinomialMixture(3), random_state=0).fit(F)
    assert (pickle.loads(pickle.dumps(model)).predict(F) == model.predict(F)).all()


def test_nested_parameters_are_reached(F):
    model = ConsensusClustering(KMeansEnsemble(), EAC())
    model.set_params(base__n_clusterings=4, consensus__linkage="single", consensus__n_clusters=2)
    assert model.fit(F).label_matrix_.shape == (60, 4)
    assert model.consensus_.linkage == "single"


WRONG = {
    "name for base": ({"base": "kmeans"}, "base='kmeans' is not an estimator with fit_.*; pass a generator such as KM"),
    "class for base": ({"base": KMeansEnsemble}, r"base is the class KMeansEnsemble; pass an instance of it"),
    "class of a clusterer": ({"base": KMeans}, r"base is the class KMeans; pass an instance of it, KMeans\("),
    "class in a list": ({"base": ["ward", KMeans]}, "clusterer is the class KMeans; pass an instance"),
    "class in a dict": ({"base": {"mine": KMeans}}, "clusterer is the class KMeans; pass an instance"),
    "name for consensus": ({"consensus": "eac"}, r"consensus='eac' is not an estimator .* such as EAC\(\)"),
    "class for consensus": ({"consensus": EAC}, r"consensus is the class EAC; pass an instance of it, EAC\("),
    "clusterer for consensus": ({"consensus": KMeans(3)}, r"KMeans\(n_clusters=3\) clusters features, not labels"),
    "generator for consensus": ({"consensus": KMeansEnsemble(3)}, "is not an estimator with fit_predict"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_parts_are_refused_before_any_work(case, F, monkeypatch):
    options, message = WRONG[case]
    model = ConsensusClustering(**options)
    monkeypatch.setattr(_feature_ensemble, "run_tasks", None)
    with pytest.raises(TypeError, match=message):
        model.fit(F)


def test_more_clusters_than_objects_are_refused(F):
    with pytest.raises(ValueError, match="n_clusters=61 exceeds the 60 objects"):
        ConsensusClustering(n_clusters=61).fit(F)


@pytest.mark.parametrize("n_clusters", [0, 2.5, "three"])
def test_a_wrong_number_of_clusters_is_refused(F, n_clusters):
    with pytest.raises(ValueError, match="'n_clusters' parameter of ConsensusClustering must be"):
        ConsensusClustering(n_clusters=n_clusters).fit(F)


def test_verbose_is_handed_to_both_parts(F):
    model = ConsensusClustering(KMeansEnsemble(3, 3), EAC(), verbose=True, random_state=0).fit(F)
    assert model.base_.verbose
    assert model.consensus_.verbose


# scikit-learn requires estimators with predict_proba that accept sparse features to be classifiers
SPARSE_CHECKS = dict.fromkeys(["check_estimator_sparse_array", "check_estimator_sparse_matrix"], "is not a classifier")


@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")  # features without clusters
@parametrize_with_checks(
    [
        ConsensusClustering(KMeansEnsemble(10), random_state=0),
        ConsensusClustering(KMeansEnsemble(10), MultinomialMixture(3), random_state=0),
    ],
    expected_failed_checks=lambda estimator: SPARSE_CHECKS if hasattr(estimator, "predict_proba") else {},
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_the_score_is_that_of_the_consensus_and_labels_keep_the_index(rng):
    X = np.vstack([rng.normal(size=(20, 2)), rng.normal(8, 1, size=(20, 2))])
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"o{i}" for i in range(40)])
    model = ConsensusClustering(consensus=EAC(2), random_state=0).fit(frame)
    assert model.score(frame) == model.consensus_.score(model.label_matrix_)
    assert model.to_series().index.tolist() == frame.index.tolist()
    assert (model.to_series() == model.labels_).all()
    assert ConsensusClustering(consensus=EAC(2), random_state=0).fit(X).to_series().index.tolist() == list(range(40))
    search = GridSearchCV(ConsensusClustering(random_state=0), {"consensus": [EAC(2), EAC(3)]}, cv=2).fit(X)
    assert search.best_params_["consensus"].n_clusters == 2
