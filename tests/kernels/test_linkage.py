"""Kernels of linkage against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from partita._kernels import linkage
from partita._labels.ensemble import weighted_columns
from partita.consensus.pairwise._evidence_accumulation import _chain_link, _single_link
from tests import twins
from tests.ensembles import codes_of, label_matrices


@given(label_matrices(max_rows=25, max_columns=5, min_rows=2))
def test_single_linkage_is_scipys(X):
    codes, n_labels = codes_of(X)
    groups = weighted_columns(codes, n_labels, np.ones(codes.shape[1]))
    left, right, height = _single_link(groups, show=False)
    assert sorted([left[0], *right]) == list(range(len(codes)))
    expected = scipy_linkage(squareform(twins.dissimilarity(codes)), "single")
    assert np.allclose(np.sort(height), expected[:, 2], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", ["average", "complete", "ward"])
@pytest.mark.parametrize("n", [2, 3, 50, 64, 65, 66, 130, 300])
def test_chain_is_scipys(method, n, dtype, rng):
    """Random distances have no ties, so the trees must be equal; sizes pass the sweeps of dead slots."""
    D = rng.random((n, n)).astype(dtype).astype(float)
    D = np.triu(D, 1) + np.triu(D, 1).T
    expected = scipy_linkage(squareform(D), method)
    left, right, height = _chain_link(D.astype(dtype), np.ones(n), method, show=False)
    order = np.argsort(height, kind="stable")
    tree = np.empty((n - 1, 4))
    linkage.merge_tree(left[order], right[order], height[order], np.ones(n), tree)
    assert is_valid_linkage(tree)
    if dtype == np.float64 or n <= 130:  # float32 may swap merges of nearly equal height
        assert np.array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    assert np.allclose(tree[:, 2], expected[:, 2], rtol=1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("method", list(linkage.METHODS))
def test_chain_can_be_resumed_at_any_step(method, rng):
    n = 150
    D = rng.random((n, n))
    D = np.triu(D, 1) + np.triu(D, 1).T
    whole = _chain_link(D.copy(), np.ones(n), method, show=False)
    chain = linkage.start_chain(D.copy(), np.ones(n))
    left, right, height = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    for _ in range(n):
        linkage.nn_chain(chain, linkage.METHODS[method], 1, left, right, height)
    for one, other in zip(whole, (left, right, height), strict=True):
        assert np.array_equal(one, other)
