"""What generators from features share: new objects, output, pickles, scikit-learn's checks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import PCC, ConsensusClustering, KMeansEnsemble, MixedEnsemble, choose_n_clusters
from partita.exceptions import NotEnoughMemoryError
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


# ------------------------------------------------------------------------- the user's array, and clusterers that write
class Scribbler(ClusterMixin, BaseEstimator):
    """A clusterer that sorts its features in place: what it finds next depends on what it got."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        self.fit_ = True
        return self.predict(X)

    def predict(self, X):
        labels = np.floor(X[:, 0] * 10).astype(int) % self.n_clusters
        X[:] = np.random.default_rng(self.random_state).permutation(X, axis=0) + 1.23
        return labels


class WritingGenerator(TransformerMixin, BaseEstimator):
    """A generator in the manner of a user, which writes to its features."""

    def fit(self, X, y=None):
        self.fitted_ = True
        X *= 2.0
        return self

    def transform(self, X):
        X += 1.0
        return np.column_stack([X[:, 0] > 2, X[:, 1] > 2, X[:, 0] > X[:, 1]]).astype(int)


WRITERS = {
    "scribbler": Scribbler(),
    "copy_x": KMeans(n_init=1, copy_x=False),
    "pipeline": make_pipeline(StandardScaler(copy=False), KMeans(3, n_init=1)),
}
USERS = {
    "MixedEnsemble": lambda writer, n_jobs: MixedEnsemble(
        {"w": writer, "ward": "ward"}, [2, 3], n_repeats=4, random_state=0, n_jobs=n_jobs
    ),
    "samples": lambda writer, n_jobs: MixedEnsemble(
        {"w": writer, "kmeans": "kmeans"}, [2, 3], n_repeats=4, sample_fraction=0.8, random_state=0, n_jobs=n_jobs
    ),
    "KMeansEnsemble": lambda writer, n_jobs: KMeansEnsemble(6, 3, random_state=0, n_jobs=n_jobs),
    "ConsensusClustering": lambda writer, n_jobs: ConsensusClustering(writer, random_state=0, n_jobs=n_jobs),
    "in a list": lambda writer, n_jobs: ConsensusClustering(["ward", writer], random_state=0, n_jobs=n_jobs),
}


def everything_found(model, F):
    """What a fit and a placing give, as one list of arrays."""
    if isinstance(model, ConsensusClustering):
        labels = model.fit_predict(F)
        return [labels, model.label_matrix_, model.predict(F), model.predict(F)]
    return [model.fit_transform(F), model.transform(F), model.transform(F)]


@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")  # one cloud
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("user", USERS)
def test_the_array_of_the_user_is_never_changed_and_threads_change_nothing(user, writer, rng):
    F = rng.normal(size=(60, 2)) * [1, 5] + 1000
    before = F.copy()
    one = everything_found(USERS[user](WRITERS[writer], 1), F)
    assert np.array_equal(F, before)
    for n_jobs in (2, 4):
        many = everything_found(USERS[user](WRITERS[writer], n_jobs), F)
        assert all(np.array_equal(a, b) for a, b in zip(one, many, strict=True))
    assert np.array_equal(one[-1], one[-2])


@pytest.mark.parametrize("writer", WRITERS)
def test_choosing_a_number_changes_no_array_either(writer, rng):
    F = rng.normal(size=(30, 2)) + 1000
    before = F.copy()
    options = {"n_clusters": [2, 3], "kind": "features", "n_resamples": 2, "random_state": 0}
    options |= {"n_references": 1, "alpha": 0.5}
    if writer == "pipeline":
        options["n_clusters"] = [3]
    tables = [choose_n_clusters(F, base=WRITERS[writer], n_jobs=n_jobs, **options).table for n_jobs in (1, 3)]
    assert np.array_equal(F, before)
    pd.testing.assert_frame_equal(*tables)


def test_a_generator_of_the_user_gets_a_copy(rng):
    F = rng.normal(size=(30, 2))
    before = F.copy()
    model = ConsensusClustering(WritingGenerator(), PCC(2, divergence="l2"), random_state=0)
    assert (model.fit(F).predict(F) == model.predict(F)).all()
    assert np.array_equal(F, before)


def test_a_fitted_generator_does_not_follow_later_changes_of_the_array(F):
    generator = MixedEnsemble(["average"], [3], random_state=0).fit(F)
    new, expected = F[::-1] + 0.1, generator.transform(F[::-1] + 0.1)
    F[:] = 0.0
    assert (generator.transform(new) == expected).all()


def test_more_labels_than_memory_holds_are_refused_before_any_work(F):
    for generator in (KMeansEnsemble(10**12, 2), MixedEnsemble(["kmeans"], [2], n_repeats=10**12)):
        with pytest.raises(NotEnoughMemoryError, match="1000000000000 clusterings of 45 objects needs"):
            generator.fit(F)


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
