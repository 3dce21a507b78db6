"""Spectral clustering and METIS on the graph of nearest neighbours."""

import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import MixedEnsemble
from partita.exceptions import SkippedClusteringWarning
from tests.generation.cases import needs_metis


def two_rings(n=200, seed=0):
    rng = np.random.default_rng(seed)
    angle, ring = rng.uniform(0, 2 * np.pi, n), np.repeat([0, 1], n // 2)
    radius = np.array([1.0, 4.0])[ring] + 0.1 * rng.standard_normal(n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), ring


def test_spectral_separates_two_rings_and_kmeans_does_not():
    F, ring = two_rings()
    X = MixedEnsemble(["spectral", "kmeans"], [2], n_repeats=2, random_state=0).fit_transform(F)
    scores = [adjusted_rand_score(ring, column) for column in X.T]
    assert scores[:2] == [1, 1]
    assert max(scores[2:]) < 0.1


@needs_metis
@pytest.mark.parametrize("k", [2, 3, 5])
def test_metis_balances_its_parts(k, rng):
    X = MixedEnsemble(["metis"], [k], n_repeats=3, random_state=0).fit_transform(rng.standard_normal((120, 2)))
    sizes = np.array([np.bincount(column, minlength=k) for column in X.T])
    assert sizes.max() <= np.ceil(1.05 * 120 / k)


def test_without_metis_the_others_are_kept_and_the_extra_is_named(F, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    generator = MixedEnsemble(["metis", "average"], [2, 3], n_repeats=1, random_state=0)
    with pytest.warns(SkippedClusteringWarning, match="2 of 4 clusterings were left out"):
        X = generator.fit_transform(F)
    assert X.shape == (45, 2)
    assert generator.manifest_["status"].tolist() == ["failed", "failed", "ok", "ok"]
    assert 'pip install "partita[graph]"' in generator.manifest_["message"].iloc[0]
    assert generator.get_feature_names_out()[0].startswith("average_k2")
