"""What generators from features share: new objects, output, pickles, scikit-learn's checks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import PCC, KMeansEnsemble, MixedEnsemble
from tests.ensembles import same_partition
from tests.generation.cases import blobs, every_clusterer


@pytest.mark.parametrize("generator", [KMeansEnsemble(4, 3, random_state=0), MixedEnsemble(["ward"], [2, 3])], ids=str)
def test_pandas_output_has_the_names_and_the_index(generator, F):
    frame = pd.DataFrame(F, columns=["a", "b"], index=[f"o{i}" for i in range(len(F))])
    plain = generator.fit_transform(frame)
    labelled = generator.set_output(transform="pandas").fit_transform(frame)
    assert labelled.columns.tolist() == generator.get_feature_names_out().tolist()
    assert labelled.index.tolist() == frame.index.tolist()
    assert (labelled.to_numpy() == plain).all()
    assert generator.feature_names_in_.tolist() == ["a", "b"]


@every_clusterer
def test_every_algorithm_places_the_fitted_objects_at_their_labels_and_all_others_somewhere(name, rng):
    F = rng.standard_normal((50, 2))
    whole = MixedEnsemble([name], [2, 4], n_repeats=1, random_state=0)
    assert (whole.fit_transform(F) == whole.transform(F)).all()
    half = MixedEnsemble([name], [2, 4], n_repeats=2, sample_fraction=0.5, random_state=0)
    X = half.fit_transform(F)
    placed = half.transform(F)
    assert (placed >= 0).all()
    assert (placed[X >= 0] == X[X >= 0]).all()


def test_new_objects_go_to_the_nearest_centre(F, rng):
    generator = KMeansEnsemble(5, 4, random_state=0)
    X = generator.fit_transform(F)
    new = rng.uniform(-5, 10, size=(30, 2))
    for column, placed in zip(X.T, generator.transform(new).T, strict=True):
        means = np.array([F[column == k].mean(axis=0) for k in range(4)])
        assert placed.tolist() == ((new[:, None] - means) ** 2).sum(axis=2).argmin(axis=1).tolist()


def test_new_objects_of_a_tree_go_to_the_cluster_of_the_nearest_object(F, rng):
    generator = MixedEnsemble(["average"], [3], n_repeats=1, sample_fraction=0.5, random_state=0)
    column = generator.fit_transform(F)[:, 0]
    new = rng.uniform(-5, 10, size=(30, 2))
    seen = np.flatnonzero(column >= 0)
    nearest = seen[((new[:, None] - F[seen]) ** 2).sum(axis=2).argmin(axis=1)]
    assert generator.transform(new)[:, 0].tolist() == column[nearest].tolist()


def test_every_new_object_has_a_place_even_if_clusters_were_empty():
    F = make_blobs(60, centers=4, random_state=0)[0]
    generator = KMeansEnsemble(30, (10, 25), sample_fraction=0.5, algorithm="minibatch", random_state=0).fit(F)
    assert (generator.transform(F) >= 0).all()


@pytest.mark.parametrize(
    "generator",
    [
        KMeansEnsemble(5, 3, sample_fraction=0.5, random_state=0),
        KMeansEnsemble(5, 3, metric="cosine", random_state=0),
        MixedEnsemble(["ward", "gmm", "fuzzy", "spectral", AgglomerativeClustering()], [2, 3], random_state=0),
    ],
    ids=["kmeans", "cosine", "mixed"],
)
def test_a_fitted_generator_can_be_pickled(generator, F):
    generator.fit(F)
    again = pickle.loads(pickle.dumps(generator))
    assert (again.transform(F) == generator.transform(F)).all()
    assert again.get_feature_names_out().tolist() == generator.get_feature_names_out().tolist()


def test_a_pipeline_from_features_to_clusters():
    F, truth = blobs((30, 25, 20))
    stretched = F * [1.0, 1000.0]
    pipeline = make_pipeline(
        StandardScaler(), KMeansEnsemble(30, (5, 9), random_state=0), PCC(3, divergence="l2", random_state=0)
    )
    assert same_partition(pipeline.fit_predict(stretched), truth)


def test_a_sample_of_fewer_than_two_objects_is_refused(F):
    for fraction, n_seen in [(0, 0), (0.02, 1)]:
        with pytest.raises(ValueError, match=f"sample_fraction={fraction} of 45 objects leaves {n_seen} for each"):
            KMeansEnsemble(2, 1, sample_fraction=fraction).fit(F)


def test_one_object_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        KMeansEnsemble(2, 1).fit([[1.0]])


def test_float32_stays_float32_and_finds_the_same_clear_clusters():
    F, truth = blobs()
    generator = MixedEnsemble(["average", "kmeans", "fuzzy"], [3], n_repeats=1, random_state=0)
    X = generator.fit_transform(F.astype(np.float32))
    assert generator._features.dtype == np.float32
    assert (generator.fit_transform(F) == X).all()
    assert same_partition(X[:, 0], truth)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda F: pd.DataFrame(F).to_numpy()], ids=["fortran", "pandas"])
def test_the_layout_of_the_features_in_memory_does_not_matter(layout, F):
    generator = MixedEnsemble(["ward", "kmeans", "gmm", "fuzzy"], [2, 5], n_repeats=2, random_state=0)
    assert (generator.fit_transform(layout(F)) == generator.fit_transform(F)).all()


def test_features_too_large_to_square_are_refused(F):
    with pytest.raises(ValueError, match="whose squares overflow; divide X by a number"):
        KMeansEnsemble(2, 2).fit(F * 1e80)


def test_a_generator_that_places_by_centres_keeps_no_objects(rng):
    few = KMeansEnsemble(5, 3, random_state=0).fit(rng.standard_normal((50, 2)))
    many = KMeansEnsemble(5, 3, sample_fraction=0.5, random_state=0).fit(rng.standard_normal((5000, 2)))
    assert len(pickle.dumps(many)) < 1.1 * len(pickle.dumps(few))


@parametrize_with_checks(
    [
        KMeansEnsemble(n_clusterings=5, random_state=0),
        KMeansEnsemble(n_clusterings=5, metric="cosine", random_state=0),
        KMeansEnsemble(n_clusterings=5, algorithm="minibatch", random_state=0),
        MixedEnsemble(n_clusters=[2, 3], n_repeats=1, random_state=0),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)
