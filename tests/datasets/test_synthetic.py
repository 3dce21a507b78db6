"""Synthetic data sets: their sizes, the same on every call, clusters that are there."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from partita.datasets import dataset_names, load
from partita.datasets._synthetic import SYNTHETIC, four_gaussians, two_gaussians_with_outliers

pytestmark = pytest.mark.usefixtures("no_folder")

SIZES = {
    "rings": [150] * 3,
    "spiral": [100] * 2,
    "image_1": [60, 90, 90, 130, 140, 140, 150, 200],
    "image_c": [60, 70, 79, 90, 120, 150, 170],
    "four_gaussians": [200] * 4,
    "two_clusters_outliers": [106, 114],
}


def test_every_set_has_its_sizes_here():
    assert set(SIZES) == set(SYNTHETIC) <= set(dataset_names())


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_form(name):
    data = load(name)
    assert sorted(data.target.value_counts()) == SIZES[name]
    assert data.features.shape == (sum(SIZES[name]), 2)
    assert list(data.features.columns) == ["f1", "f2"]
    assert data.n_classes == len(SIZES[name])
    assert set(data.target) == {str(label) for label in range(1, data.n_classes + 1)}
    assert data.preparation == "drawn with a fixed seed"
    assert data.description.startswith(name)


@pytest.mark.parametrize("name", SIZES)
def test_every_call_gives_the_same(name):
    first, state = load(name), np.random.get_state()[1].copy()  # noqa: NPY002
    again = load(name.replace("_", "-").upper())
    assert again.features.equals(first.features)
    assert again.target.equals(first.target)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("name", ["rings", "spiral", "image_1", "image_c"])
def test_single_linkage_finds_the_shapes(name):
    data = load(name)
    found = fcluster(linkage(data.features, "single"), data.n_classes, "maxclust")
    assert adjusted_rand_score(data.target, found) == 1


@pytest.mark.parametrize("name", ["rings", "spiral"])
def test_centres_do_not_tell_rings_and_spirals_apart(name):
    data = load(name)
    centres = data.features.groupby(data.target).mean().to_numpy()
    nearest = cdist(data.features, centres).argmin(axis=1)
    assert adjusted_rand_score(data.target, nearest) < 0.3


def test_the_simulations_of_the_papers_are_the_functions_of_the_recipes():
    made = four_gaussians(200, 0)
    np.testing.assert_array_equal(load("four_gaussians").features, made.features)
    assert load("four_gaussians").target.astype(int).tolist() == (made.component + 1).tolist()
    np.testing.assert_allclose(made.posterior.sum(axis=1), 1)
    points, component = two_gaussians_with_outliers(100, 0)
    np.testing.assert_array_equal(load("two_clusters_outliers").features, points)
    assert load("two_clusters_outliers").target.astype(int).tolist() == (component + 1).tolist()


def test_there_is_one_labelling():
    with pytest.raises(ValueError, match="rings has one labelling"):
        load("rings", labelling=1)
