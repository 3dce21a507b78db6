"""Affinity propagation with a number of clusters."""

import pytest

from partita import MixedEnsemble
from tests.ensembles import same_partition
from tests.generation.cases import blobs


@pytest.mark.parametrize("k", [1, 2, 3, 6, 10])
def test_affinity_propagation_comes_near_the_number_asked_for(F, k):
    generator = MixedEnsemble(["affinity"], [k], random_state=0)
    X = generator.fit_transform(F)
    assert X.shape == (45, 1)
    assert abs(generator.manifest_["n_found"].iloc[0] - k) <= 1


def test_affinity_propagation_finds_clear_clusters():
    F, truth = blobs()
    assert same_partition(MixedEnsemble(["affinity"], [3], random_state=0).fit_transform(F)[:, 0], truth)
