"""Evidence from stable clusters only: reductions to EAC, and stability by a double loop."""

import warnings

import numpy as np
import pytest

from partita import EAC, MultiEAC
from partita._labels.ensemble import Ensemble
from partita.consensus.pairwise._multi_eac import cluster_stability
from partita.exceptions import UnlabelledObjectsWarning
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition


def every_cluster(n_clusters=None, **rest):
    return MultiEAC(n_clusters, stability=0, weighting="uniform", **rest)


@pytest.mark.parametrize("linkage", ["average", "complete"])
@pytest.mark.parametrize("n_clusters", [None, 4])
@pytest.mark.parametrize("missing", [0, 0.3])
def test_without_groups_and_threshold_it_is_eac(linkage, n_clusters, missing):
    X = noisy_ensemble(flip=0.3, missing=missing).X
    ours = every_cluster(n_clusters, linkage=linkage).fit(X)
    theirs = EAC(n_clusters, linkage=linkage).fit(X)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.allclose(ours.dendrogram_, theirs.dendrogram_)


@pytest.mark.parametrize("missing", [0, 0.3])
def test_with_groups_it_is_eac_on_their_partitions(missing, monkeypatch):
    """Without a threshold and with uniform weighting (eq. P15)."""
    X = noisy_ensemble(sizes=(40, 30, 20), flip=0.1, missing=missing, n_clusterings=40).X
    groups = np.arange(40) % 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnlabelledObjectsWarning)
        parts = np.column_stack([EAC(3).fit(X[:, groups == g]).labels_ for g in range(5)])
    seen = []
    original = MultiEAC._link
    monkeypatch.setattr(MultiEAC, "_link", lambda self, D, w: seen.append(D.copy()) or original(self, D, w))
    ours = every_cluster(3, groups=groups, group_clusters=3).fit(X)
    of_rows = parts[np.unique(X, axis=0, return_index=True)[1]]
    assert np.allclose(np.sort(seen[0], axis=None), np.sort(twins.dissimilarity(of_rows), axis=None))
    assert same_partition(ours.labels_, EAC(3).fit(parts).labels_)


def test_names_of_groups_do_not_matter(X):
    names = np.array(["b", "a", "c"])[np.arange(15) % 3]
    assert np.array_equal(
        MultiEAC(3, groups=names).fit(X).labels_, MultiEAC(3, groups=np.arange(15) % 3).fit(X).labels_
    )


def test_stability_is_the_mean_coassociation_of_the_pairs(rng):
    X = np.unique(noisy_ensemble(missing=0.2, flip=0.3).X, axis=0)[:20]
    weights, n_objects = rng.random(X.shape[1]) + 0.1, rng.integers(1, 4, 20)
    labels = np.array([0] * 8 + [1] * 11 + [2])
    n_objects[-1] = 1
    ensemble = Ensemble(X.astype(np.int32), X.max(axis=0).astype(np.int64) + 1, weights, n_objects.astype(float))
    C, N = twins.coassociation(np.repeat(X, n_objects, axis=0), weights)
    whole = np.repeat(labels, n_objects)
    for k, found in enumerate(cluster_stability(ensemble, labels)):
        inside = np.flatnonzero(whole == k)
        values = [C[i, j] / N[i, j] if N[i, j] else 0 for i in inside for j in inside if i != j]
        assert found == pytest.approx(np.mean(values) if values else 1)


def test_clusters_that_are_not_stable_add_nothing_but_are_counted():
    """Two groups; the second tears its second cluster apart, so that only its first one counts."""
    truth = np.repeat([0, 1], 4)
    torn = np.array([0, 0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 2, 1, 2])
    X = np.column_stack([truth, truth, *torn])
    model = MultiEAC(2, groups=[0, 0, 1, 1], group_clusters=2, stability=0.7).fit(X)
    assert np.allclose(model.stabilities_[0], 1)
    assert sorted(model.stabilities_[1].round(6).tolist()) == pytest.approx([1 / 3, 1])
    heights = np.sort(model.dendrogram_[:, 2])
    assert np.allclose(heights, [0, 0, 0, 0.5, 0.5, 0.5, 1])
    assert same_partition(model.labels_, truth)


def test_a_pair_counts_with_the_stability_of_its_cluster():
    truth = np.repeat([0, 1], 4)
    torn = np.array([0, 0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 2, 1, 2])
    X = np.column_stack([truth, truth, *torn])
    model = MultiEAC(2, groups=[0, 0, 1, 1], group_clusters=2, stability=0).fit(X)
    within = 1 - (1 + 1 / 3) / 2
    assert np.allclose(np.sort(model.dendrogram_[:, 2]), [0, 0, 0, within, within, within, 1])


def test_one_group_that_did_not_see_an_object_does_not_count_for_it():
    X = np.array([[0, 0], [0, 0], [0, -1], [1, 1], [1, 1], [1, -1]])
    model = MultiEAC(2).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert np.allclose(np.sort(model.dendrogram_[:, 2]), [0, 0, 0, 0, 1])


def test_noisy_groups_are_recovered():
    X, truth = noisy_ensemble(flip=0.15, missing=0.3, n_clusterings=24)
    model = MultiEAC(3, groups=np.arange(24) % 3, group_clusters=3, stability=0.4).fit(X)
    assert same_partition(model.labels_, truth)
    assert len(model.stabilities_) == 3


@pytest.mark.parametrize("groups", [[0, 1], np.zeros((15, 1)), 3])
def test_groups_of_another_shape_are_refused(groups, X):
    with pytest.raises(ValueError, match="groups"):
        MultiEAC(3, groups=groups).fit(X)


@pytest.mark.parametrize("bad", [{"stability": 1.5}, {"weighting": "none"}, {"linkage": "ward"}, {"group_clusters": 0}])
def test_a_wrong_parameter_is_named(bad, X):
    with pytest.raises(ValueError, match=next(iter(bad))):
        MultiEAC(3, **bad).fit(X)


def test_weights_are_those_of_evidence_accumulation(X):
    weights = np.linspace(0.5, 3, X.shape[1])
    plain = EAC(3, weights=weights).fit(X)
    multi = MultiEAC(3, stability=0, weighting="uniform", weights=weights).fit(X)
    assert np.array_equal(plain.labels_, multi.labels_)
    assert np.allclose(plain.dendrogram_[:, 2], multi.dendrogram_[:, 2])


def test_clusters_of_groups_need_groups(X):
    with pytest.raises(ValueError, match="group_clusters=3 is for groups of clusterings, but groups is None"):
        MultiEAC(group_clusters=3).fit(X)
