"""The number of clusters: what is chosen, with which options."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from partita import BCE, LabelKMeans, MultinomialMixture, choose_n_clusters
from tests.selection.recorded import FAST, HASTY, blobs, copies


def test_clear_clusters_of_features_are_counted(of_features):
    assert of_features.choice.n_clusters == 3
    assert of_features.choice.kind == "features"
    assert of_features.choice.p_value == pytest.approx(1 / 20)
    assert "there are clusters" in of_features.choice.reasons[0]


def test_kmeans_is_the_default_for_features():
    assert choose_n_clusters(blobs((15, 15)), [2, 3], n_resamples=6, random_state=0).n_clusters == 2


@pytest.mark.parametrize("seed", [1, 2, 3])  # at level 0.05 one seed in twenty sees clusters; 0 does
def test_one_gaussian_is_one_cluster(seed):
    F = np.random.default_rng(seed).standard_normal((40, 2)) @ [[3, 1], [0, 1]]
    choice = choose_n_clusters(F, [2, 3], **FAST)
    assert choice.n_clusters == 1
    assert "one cluster" in choice.reasons[0]


def test_noisy_copies_of_a_partition_have_its_clusters(of_labels):
    assert of_labels.choice.n_clusters == 4
    assert of_labels.choice.kind == "labels"


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_share_nothing_are_one_cluster(seed):
    X = np.random.default_rng(seed).integers(4, size=(40, 10))
    assert choose_n_clusters(X, (2, 5), n_resamples=6, random_state=0).n_clusters == 1


def test_copies_without_noise_have_the_clusters_of_the_original():
    assert choose_n_clusters(copies(noise=0.0), (2, 6), n_resamples=6, random_state=0).n_clusters == 4


def test_copies_without_noise_have_no_more_clusters_by_another_consensus():
    choice = choose_n_clusters(
        copies(noise=0.0), (2, 6), consensus=LabelKMeans(2, n_init=2), n_resamples=4, random_state=0
    )
    assert choice.n_clusters == 4


def test_objects_without_label_are_left_out():
    X = np.vstack([copies(), np.full((3, 10), -1)])
    choice = choose_n_clusters(X, [3, 4, 5], n_resamples=6, random_state=0)
    assert (choice.n_clusters, choice.n_objects) == (4, 40)


def test_the_table_has_a_row_for_each_number(recorded):
    numbers = recorded.table["n_clusters"].tolist()
    assert numbers == list(range(2, 2 + len(numbers)))
    gap = ["gap"] if recorded.choice.kind == "features" else []
    assert recorded.table.columns.tolist() == [
        "n_clusters", "n_found", "stability", "pac", "pac_strict", "cdf_area", "delta_area", "lifetime", "bic", "rcsi",
        *gap, "reference_pac", "p_value",
    ]  # fmt: skip
    assert not recorded.table.isna().any().any()


def test_the_number_of_threads_does_not_matter(of_features, of_labels):
    threads = choose_n_clusters(blobs(), (2, 4), n_jobs=3, **FAST)
    pd.testing.assert_frame_equal(threads.table, of_features.table)
    pd.testing.assert_frame_equal(threads.cdf, of_features.choice.cdf)
    threads = choose_n_clusters(copies(missing=0.1), (2, 6), n_resamples=8, random_state=0, n_jobs=3)
    pd.testing.assert_frame_equal(threads.table, of_labels.table)
    assert threads.reasons == of_labels.choice.reasons


def test_another_seed_gives_other_samples(of_labels):
    other = choose_n_clusters(copies(missing=0.1), (2, 6), n_resamples=8, random_state=1)
    assert not other.table["pac"].equals(of_labels.table["pac"])


@pytest.mark.parametrize(
    "base",
    ["average", AgglomerativeClustering(), KMeans(n_init=1), GaussianMixture()],
    ids=["name", "tree", "k", "gmm"],
)
def test_features_are_clustered_by_any_base(base):
    choice = choose_n_clusters(blobs((20, 20)), [2, 3], base=base, **HASTY)
    assert choice.table["stability"].iloc[0] == 1


def test_a_given_consensus_combines_the_labels():
    choice = choose_n_clusters(copies(noise=0.0), [3, 4], consensus=MultinomialMixture(9, n_init=2), **HASTY)
    assert choice.table["pac"].tolist()[1] == 0
    assert "lower_bound" not in choice.table


def test_the_bound_of_a_bayesian_consensus_is_in_the_table():
    consensus = BCE(2, n_init=1, max_iter=200)
    choice = choose_n_clusters(copies(), [3, 4], consensus=consensus, **{**HASTY, "n_resamples": 2})
    assert choice.table["lower_bound"].diff().iloc[1] > 0
    assert choice.proposals["lower_bound"] == 4
    assert consensus.n_clusters == 2


def test_a_choice_is_printed_with_its_reasons(of_features):
    lines = str(of_features.choice).splitlines()
    assert lines[0] == "n_clusters = 3, from features of 50 objects"
    assert lines[1].startswith("  - there are clusters (p = 0.05")
    assert "n_clusters" in str(of_features.choice).split("\n\n")[1]


def test_two_samples_are_enough():
    F = np.random.default_rng(0).standard_normal((100, 2))
    assert choose_n_clusters(F, [2, 3], **{**HASTY, "n_resamples": 2}).n_objects == 100


def test_a_clustering_of_few_objects_does_not_warn():
    X = copies()
    X[2:, 0] = -1
    assert choose_n_clusters(X, [3, 4], **{**HASTY, "n_resamples": 8}).n_objects == 40


def test_a_global_output_of_frames_changes_nothing(of_features):
    with config_context(transform_output="pandas"):
        again = choose_n_clusters(blobs(), (2, 4), **FAST)
    pd.testing.assert_frame_equal(again.table, of_features.table)
