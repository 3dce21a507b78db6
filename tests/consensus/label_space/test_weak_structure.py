"""When the agreement of clusterings is called weak: on one cloud, and not on clusters."""

import warnings

import numpy as np
import pytest

from partita import LWGP, KMeansEnsemble
from partita.consensus.label_space._cluster_number import is_weak
from partita.datasets import load_wine_ensemble
from partita.exceptions import WeakStructureWarning


@pytest.mark.parametrize("n_clusterings", [10, 40])
@pytest.mark.parametrize(("draw", "d"), [("standard_normal", 2), ("random", 5)])
def test_one_cloud_is_weak(draw, d, n_clusterings):
    F = getattr(np.random.default_rng(n_clusterings + d), draw)((150, d))
    X = KMeansEnsemble(n_clusterings, (2, 12), random_state=0).fit_transform(F)
    with pytest.warns(WeakStructureWarning, match="as they would on one cloud"):
        model = LWGP(random_state=0).fit(X)
    assert model.choice_.verdict == "weak"


@pytest.mark.parametrize("n_clusterings", [10, 40])
def test_clusters_are_not_weak(n_clusterings):
    rng = np.random.default_rng(n_clusterings)
    F = 5 * np.eye(4, 3)[np.repeat(np.arange(4), 40)] + rng.standard_normal((160, 3))
    X = KMeansEnsemble(n_clusterings, (2, 12), random_state=0).fit_transform(F)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LWGP(random_state=0).fit(X)
    assert (model.choice_.verdict, model.n_clusters_) == ("clusters", 4)


def test_the_wines_with_missing_labels_are_not_weak():
    model = LWGP(random_state=0).fit(load_wine_ensemble().labels)
    assert (model.choice_.verdict, model.n_clusters_) == ("clusters", 3)


def test_either_a_free_cut_or_halves_that_share_more_than_they_differ_in_are_enough():
    assert is_weak(0.99, 1.0, 0.5, 20)
    assert not is_weak(0.994, 1.0, 0.5, 20)
    assert not is_weak(0.99, 1.0, 0.2, 20)
    assert is_weak(0.99, 1.0, 0.15, 80)  # twice the odds for four times the clusterings
    assert not is_weak(0.99, 1.0, 0.12, 80)
    assert is_weak(0.99, 1.0, 0.26, 5)
    assert not is_weak(0.99, 1.0, 0.2, 5)  # few clusterings do not lower them
