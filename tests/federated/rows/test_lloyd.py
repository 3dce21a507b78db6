"""k-means on sums: the steps of the pooled points, starts from means, and no small centre leaves a site."""

import numpy as np
import pytest

from partita import USENC
from partita._labels.validation import check_label_matrix
from partita.consensus.kmeans._weighted_kmeans import polish, weighted_kmeans
from partita.consensus.label_space._embedded_rows import embed_rows
from partita.consensus.label_space._transfer_cut import transfer_cut
from partita.federated.rows._lloyd import (
    FEWEST_OF_CENTER,
    LloydSums,
    Points,
    climb,
    cluster_sites,
    distinct_starts,
    known_means,
    means_of,
    own_centers,
)
from tests.federated.parts import labels_with_holes, opened, share_out

K = 4


def embedded(n_sites, seed=0):
    """Sites, the pooled rows, and their embedding."""
    parts = share_out(labels_with_holes(seed), n_sites)
    sites, owners, _ = opened(USENC(K), parts)
    ensemble = pooled_rows(parts).ensemble
    cut = transfer_cut(ensemble, np.ones(ensemble.n_cells), K)
    return sites, owners, ensemble, cut


def pooled_rows(parts):
    return USENC(K)._open(check_label_matrix(np.vstack(parts)), np.ones(sum(map(len, parts))))


@pytest.mark.parametrize("n_sites", [1, 2, 5])
@pytest.mark.parametrize("steps", [1, 3, 100])
def test_steps_are_those_of_the_pooled_points(n_sites, steps):
    sites, owners, ensemble, cut = embedded(n_sites)
    known_means(sites, cut, ensemble.cell_mass, K, seed=0)
    points = embed_rows(cut, ensemble, None)
    first = points[np.random.default_rng(1).integers(len(points), size=(6, K))]
    row_of_object = pooled_rows(share_out(labels_with_holes(), n_sites)).row_of_object
    found = climb(sites, first, steps=steps)
    for start, centers in enumerate(first):
        labels, want = polish(points, ensemble.row_weights, centers, steps - 1)
        assert np.allclose(found.centers[start], want, rtol=0, atol=1e-10)
        at_sites = [owner.memory["nearest"][:, start] for owner in owners]
        placed = [np.append(own, -1)[owner.rows.row_of_object] for own, owner in zip(at_sites, owners, strict=True)]
        assert np.array_equal(np.concatenate(placed), labels[row_of_object])
        assert np.allclose(found.mass[start], np.bincount(labels, ensemble.row_weights, minlength=K))
        far = ((points - want[labels]) ** 2).sum(axis=1) @ ensemble.row_weights
        assert found.inertia[start] + ensemble.row_weights.sum() == pytest.approx(far, abs=1e-9)


def test_points_of_the_coordinator_are_clustered_with_the_rows():
    sites, _, ensemble, cut = embedded(3)
    known_means(sites, cut, ensemble.cell_mass, K, seed=0)
    points = embed_rows(cut, ensemble, None)
    own = Points(np.eye(K), np.full(K, 7.0))
    together = np.vstack([points, own.vectors]), np.concatenate([ensemble.row_weights, own.weights])
    first = points[:K][None]
    _, want = polish(*together, first[0], 99)
    assert np.allclose(climb(sites, first, own=own).centers[0], want, atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_the_inertia_is_that_of_pooled_starts(seed):
    sites, _, ensemble, cut = embedded(3, seed)
    found = cluster_sites(sites, cut, ensemble.cell_mass, K, seed=0, n_init=10)
    want = weighted_kmeans(embed_rows(cut, ensemble, None), ensemble.row_weights, K)
    assert found.inertia + ensemble.row_weights.sum() <= want.inertia * 1.001
    assert found.cells.shape == (ensemble.n_cells, K)
    assert np.array_equal(found.cells.sum(axis=1), ensemble.cell_mass)


def test_means_of_labels_and_centres_of_sites():
    sites, owners, ensemble, cut = embedded(2)
    of_labels, of_sites = known_means(sites, cut, ensemble.cell_mass, K, seed=0)
    points = embed_rows(cut, ensemble, None)
    want = ensemble.indicator.T @ (points * ensemble.row_weights[:, None]) / ensemble.cell_mass[:, None]
    assert np.allclose(of_labels.vectors, want, atol=1e-12)
    assert (of_sites.weights >= FEWEST_OF_CENTER).all()
    assert of_sites.weights.sum() <= sum(owner.rows.ensemble.row_weights.sum() for owner in owners)


def test_centres_of_few_objects_stay_at_their_site():
    vectors = np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 9.0], [1.0, 9.0]])
    found = own_centers(Points(vectors, np.array([9.0, 9.0, 1.0, 5.0])), 3, 0, 1)
    assert np.allclose(found[found[:, 2].argsort()], [[14.0, 54.0, 6.0], [0.9, 0.0, 18.0]])  # 1 joins 5
    assert len(own_centers(Points(vectors, np.ones(4)), 4, 0, 1)) == 0


def test_an_empty_cluster_takes_the_spare_point_that_is_worst_off():
    sums = LloydSums(np.array([[[4.0, 0.0], [0.0, 0.0]]]), np.array([[4.0, 0.0]]), np.ones(1))
    centers = np.full((1, 2, 2), 5.0)
    assert np.array_equal(means_of(sums, centers, None)[0], [[1, 0], [5, 5]])
    spare = Points(np.array([[1.0, 0.1], [3.0, 0.0], [1.0, 1.5]]), np.array([100.0, 1.0, 2.0]))
    assert np.array_equal(means_of(sums, centers, spare)[0], [[1, 0], [1, 1.5]])


def test_starts_that_differ_in_order_are_one():
    first = np.arange(6.0).reshape(3, 2)
    found = distinct_starts(np.stack([first, first[::-1], first + 1]))
    assert np.array_equal(found, np.stack([first, first + 1]))


def test_points_are_forgotten_at_the_end():
    sites, owners, ensemble, cut = embedded(2)
    cluster_sites(sites, cut, ensemble.cell_mass, K, seed=0, n_init=2)
    assert not any(owner.memory for owner in owners)
