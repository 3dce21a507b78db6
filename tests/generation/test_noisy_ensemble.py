"""Copies of a partition with noise of known strength."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.utils.estimator_checks import parametrize_with_checks

from partita import NoisyEnsemble
from partita.exceptions import LabelMatrixError, NotEnoughMemoryError

TRUTH = np.repeat([0, 1, 2, 3], 10)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.11, 0.5, 1.0])
def test_exactly_the_share_is_changed_and_to_another_label(noise):
    X = NoisyEnsemble(7, noise=noise, random_state=0).fit_transform(TRUTH)
    assert X.shape == (40, 7)
    assert ((TRUTH[:, None] != X).sum(axis=0) == round(noise * 40)).all()
    assert set(X.ravel()) <= {0, 1, 2, 3}


def test_a_changed_label_is_any_of_the_others_with_equal_probability():
    truth = np.repeat([0, 1, 2, 3], 2000)
    X = NoisyEnsemble(3, noise=1.0, random_state=0).fit_transform(truth)
    for label in range(4):
        counts = np.bincount(X[truth == label].ravel(), minlength=4)
        assert counts[label] == 0
        assert chisquare(np.delete(counts, label)).pvalue > 1e-3


def test_every_object_is_as_likely_to_be_changed():
    changed = (NoisyEnsemble(3000, noise=0.25, random_state=0).fit_transform(TRUTH) != TRUTH[:, None]).sum(axis=1)
    assert abs(changed - 750).max() < 4.5 * np.sqrt(3000 * 0.25 * 0.75)


def test_two_labels_are_flipped():
    truth = np.repeat([0, 1], 10)
    X = NoisyEnsemble(4, noise=0.2, random_state=0).fit_transform(truth)
    flipped = truth[:, None] != X
    assert (flipped.sum(axis=0) == 4).all()
    assert (X[flipped] == (1 - truth)[np.nonzero(flipped)[0]]).all()


def test_shares_of_a_list_are_used_in_turns():
    generator = NoisyEnsemble(5, noise=[0.1, 0.5], random_state=0)
    X = generator.fit_transform(TRUTH)
    assert generator.noise_.tolist() == [0.1, 0.5, 0.1, 0.5, 0.1]
    assert (TRUTH[:, None] != X).sum(axis=0).tolist() == [4, 20, 4, 20, 4]


@pytest.mark.parametrize("missing", [0.0, 0.045, 0.333, 0.9, 1.0])
def test_exactly_the_share_of_the_whole_matrix_is_lost(missing):
    X = NoisyEnsemble(9, noise=0.0, missing=missing, random_state=0).fit_transform(TRUTH)
    lost = X == -1
    assert lost.sum() == round(missing * 40 * 9)
    assert (X[~lost] == np.tile(TRUTH[:, None], 9)[~lost]).all()


def test_labels_are_lost_uniformly_over_objects_and_copies():
    lost = NoisyEnsemble(400, noise=0.0, missing=0.3, random_state=0).fit_transform(TRUTH) == -1
    assert abs(lost.sum(axis=1) - 120).max() < 4.5 * np.sqrt(400 * 0.3 * 0.7)
    assert len(set(lost.sum(axis=0))) > 5  # not the same number in every copy


def test_a_label_matrix_is_copied_once_or_in_turns(rng):
    X = rng.integers(3, size=(30, 4))
    X[:3] = [[0] * 4, [1] * 4, [2] * 4]
    assert (NoisyEnsemble(noise=0.0).fit_transform(X) == X).all()
    in_turns = NoisyEnsemble(6, noise=0.0).fit_transform(X)
    assert (in_turns == X[:, [0, 1, 2, 3, 0, 1]]).all()
    changed = NoisyEnsemble(noise=0.2, random_state=0).fit_transform(X)
    assert ((changed != X).sum(axis=0) == 6).all()


def test_ten_copies_of_a_single_partition_are_the_default():
    assert NoisyEnsemble().fit_transform(TRUTH).shape == (40, 10)
    assert NoisyEnsemble().fit_transform(TRUTH[:, None]).shape == (40, 10)


def test_missing_labels_stay_missing_and_the_share_is_of_the_observed_ones():
    labels = [0, 1, None, 1, 0, None, 1, 1, 0, 0, None, None]
    X = NoisyEnsemble(5, noise=0.25, random_state=0).fit_transform(labels)
    observed = np.array([value is not None for value in labels])
    assert (X[~observed] == -1).all()
    truth = np.array([value for value in labels if value is not None])
    assert ((X[observed] != truth[:, None]).sum(axis=0) == 2).all()


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "b", "c"] * 5,
        pd.Series(["b", "a", "b", "c"] * 5),
        pd.Categorical(["b", "a", "b", "c"] * 5),
        pd.DataFrame({"p": ["b", "a", "b", "c"] * 5}),
    ],
    ids=["list", "series", "categorical", "frame"],
)
def test_text_is_numbered(labels):
    X = NoisyEnsemble(3, noise=0.1, random_state=0).fit_transform(labels)
    assert X.shape == (20, 3)
    assert set(X.ravel()) == {0, 1, 2}
    assert ((np.array([1, 0, 1, 2] * 5)[:, None] != X).sum(axis=0) == 2).all()


def test_a_single_label_has_no_other_to_be_changed_to():
    assert (NoisyEnsemble(3, noise=0.5, random_state=0).fit_transform(["only"] * 6) == 0).all()


def test_noise_depends_on_the_seed_alone():
    make = lambda seed: NoisyEnsemble(5, noise=0.3, missing=0.1, random_state=seed)  # noqa: E731
    generator = make(1)
    X = generator.fit_transform(TRUTH)
    assert (make(1).fit_transform(TRUTH) == X).all()
    assert (generator.transform(TRUTH) == X).all()
    assert (pickle.loads(pickle.dumps(generator)).transform(TRUTH) == X).all()
    assert not (make(2).fit_transform(TRUTH) == X).all()


def test_names_of_copies_contain_noise_and_seed():
    generator = NoisyEnsemble(3, noise=[0.1, 0.25], random_state=0).set_output(transform="pandas")
    frame = generator.fit_transform(TRUTH)
    assert frame.columns.tolist() == generator.get_feature_names_out().tolist()
    assert [name.rpartition("_seed")[0] for name in frame.columns] == [
        "copy0_noise0.1_k4",
        "copy1_noise0.25_k4",
        "copy2_noise0.1_k4",
    ]


@pytest.mark.parametrize(
    "options",
    [{"noise": 1.5}, {"noise": [0.1, -1]}, {"noise": []}, {"noise": [np.nan]}, {"missing": 2}, {"n_clusterings": 0}],
    ids=str,
)
def test_wrong_shares_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        NoisyEnsemble(**options).fit(TRUTH)


def test_all_missing_is_refused():
    with pytest.raises(LabelMatrixError, match="missing"):
        NoisyEnsemble().fit([[None, None], [None, None]])


def test_another_number_of_clusterings_is_refused(rng):
    generator = NoisyEnsemble(random_state=0).fit(rng.integers(3, size=(10, 3)))
    with pytest.raises(ValueError, match="X has 2 features, but NoisyEnsemble is expecting 3"):
        generator.transform(rng.integers(3, size=(10, 2)))


def test_a_partition_after_a_label_matrix_is_refused(rng):
    generator = NoisyEnsemble(random_state=0).fit(rng.integers(3, size=(10, 3)))
    with pytest.raises(ValueError, match="X is one partition, but 3 clusterings were fitted; pass as many columns"):
        generator.transform(rng.integers(3, size=10))


NOT_PROMISED = {
    "check_methods_sample_order_invariance": "which labels are changed depends on the order of the objects",
    "check_methods_subset_invariance": "which labels are changed depends on the number of objects",
    "check_transformer_data_not_an_array": "feeds a list of rows, with a warning; a list is a list of columns here",
    "check_fit1d": "a partition is 1-D",
    "check_fit2d_predict1d": "a partition is 1-D",
}


@parametrize_with_checks([NoisyEnsemble(random_state=0)], expected_failed_checks=lambda _: NOT_PROMISED)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_a_clustering_of_one_label_has_no_noise_and_says_so():
    one = NoisyEnsemble(3, noise=0.5, random_state=0)
    assert (one.fit_transform([4] * 10) == 0).all()
    assert one.noise_.tolist() == [0, 0, 0]
    assert one.manifest_["noise"].tolist() == [0, 0, 0]
    assert all("_noise0_" in name for name in one.get_feature_names_out())
    mixed = NoisyEnsemble(4, noise=[0.5, 0.2], random_state=0).fit(np.column_stack([np.zeros(10), np.arange(10) % 2]))
    assert mixed.noise_.tolist() == [0, 0.2, 0, 0.2]


@pytest.mark.parametrize("noise", [["x"], [[0.1]], [], [2.0], [None]], ids=str)
def test_noise_is_a_share_or_a_list_of_shares(noise):
    with pytest.raises(ValueError, match="is not allowed; pass a share from 0 to 1, or a list of them"):
        NoisyEnsemble(noise=noise).fit([0, 1, 0, 1])


def test_more_copies_than_memory_holds_are_refused():
    with pytest.raises(NotEnoughMemoryError, match="1000000000000 clusterings of 4 objects"):
        NoisyEnsemble(10**12).fit([0, 1, 0, 1])


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="columns"):
        NoisyEnsemble(2).fit_transform([[0, 1], [0]])
