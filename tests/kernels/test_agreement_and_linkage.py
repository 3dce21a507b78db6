"""Kernels of distinct rows, agreements and linkage against their slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from partita._kernels import agreement, linkage
from partita._labels.ensemble import _pack_columns, canonical_order, find_distinct_rows, weighted_columns
from partita._labels.validation import check_label_matrix
from partita.consensus.pairwise._evidence_accumulation import _chain_link, _single_link
from tests import twins
from tests.ensembles import label_matrices


def codes_of(X):
    matrix = check_label_matrix(X[:, (X >= 0).any(axis=0)])
    return matrix.codes, matrix.n_labels


@given(label_matrices(max_rows=40, max_columns=6))
def test_distinct_rows(X):
    codes, n_labels = codes_of(X)
    found = find_distinct_rows(codes, n_labels)
    first, inverse = twins.distinct_rows(codes)
    assert found.first.tolist() == first
    assert found.inverse.tolist() == inverse
    assert found.n_objects.tolist() == np.bincount(inverse).tolist()


def test_distinct_rows_of_many_words_and_a_growing_table(rng):
    """More columns than fit one word, and more distinct rows than the first hash table holds."""
    codes = rng.integers(-1, 200, size=(20_000, 40)).astype(np.int32)
    codes = codes[rng.integers(len(codes), size=60_000)]
    found = find_distinct_rows(codes, np.full(40, 200))
    unique, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    assert len(found.first) == len(unique)
    assert np.array_equal(np.sort(found.first), np.sort(first))
    assert np.array_equal(codes[found.first][found.inverse], codes)
    assert np.array_equal(unique[inverse.ravel()], codes)


def test_columns_are_packed_without_overlap():
    starts, shift = _pack_columns(np.array([1, 2, 3, 4, 2**31 - 2, 2**31 - 2, 7]))
    assert starts.tolist() == [0, 5, 7]  # 1 + 2 + 2 + 3 + 31 bits; then 31 + 3
    assert shift.tolist() == [0, 1, 3, 5, 8, 0, 31]


@given(label_matrices(max_rows=12, max_columns=5), st.integers(0, 10**6))
def test_canonical_order(X, seed):
    rng = np.random.default_rng(seed)
    codes, _ = codes_of(X)
    codes = np.unique(codes, axis=0)
    weight = rng.integers(1, 5, size=len(codes)).astype(float)
    ones = np.ones(codes.shape[1])
    ordered = codes[canonical_order(codes, weight, ones, by_codes=True)]
    shuffle = rng.permutation(len(codes))
    again = canonical_order(codes[shuffle], weight[shuffle], ones, by_codes=True)
    assert np.array_equal(ordered, codes[shuffle][again])
    renamed = np.where(codes < 0, -1, codes.max() - codes)
    assert np.array_equal(canonical_order(codes, weight, ones), canonical_order(renamed[:, ::-1], weight, ones))


@given(label_matrices(max_rows=15, max_columns=6), st.data())
def test_agreement_counts(X, data):
    codes, n_labels = codes_of(X)
    m = codes.shape[1]
    weights = np.array(data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.25]), min_size=m, max_size=m)))
    groups = weighted_columns(codes, n_labels, weights)
    C, N = twins.coassociation(codes, weights)
    n = len(codes)
    for seen, expected in ((False, C), (True, N)):
        out = np.empty((n, n))
        agreement.count_rows(groups.columns, groups.weights, 0, n, True, seen, out)
        agreement.mirror(out)
        assert np.allclose(out, expected, rtol=1e-14)
        part = np.empty((n - n // 2, n))
        agreement.count_rows(groups.columns, groups.weights, n // 2, n, False, seen, part)
        assert np.allclose(part, expected[n // 2 :], rtol=1e-14)


@pytest.mark.parametrize("n_labels", [2, 255, 256, 70_000])
def test_agreement_for_every_width_of_codes(n_labels, rng):
    codes = rng.integers(-1, n_labels, size=(60, 3)).astype(np.int32)
    codes[30:] = codes[:30]
    codes[-1] = n_labels - 1
    groups = weighted_columns(codes, np.full(3, n_labels), np.ones(3))
    out = np.empty((60, 60), dtype=np.uint8)
    agreement.count_rows(groups.columns, np.ones(1, np.uint8), 0, 60, False, False, out)
    assert np.array_equal(out, twins.coassociation(codes)[0])


def test_agreement_of_more_clusterings_than_a_byte_counts(rng):
    codes = np.zeros((5, 600), dtype=np.int32)
    codes[1, ::3] = 1
    groups = weighted_columns(codes, np.full(600, 2), np.ones(600))
    assert len(groups.weights) == 3
    out = np.empty((5, 5), dtype=np.uint16)
    agreement.count_rows(groups.columns, np.ones(3, np.uint16), 0, 5, False, False, out)
    assert np.array_equal(out, twins.coassociation(codes)[0])


@given(label_matrices(max_rows=15, max_columns=5))
def test_dissimilarity_rows(X):
    codes, n_labels = codes_of(X)
    groups = weighted_columns(codes, n_labels, np.ones(codes.shape[1]))
    D = np.empty((len(codes), len(codes)))
    total = 0.0 if groups.has_missing else groups.total
    agreement.dissimilarity_rows(groups.columns, groups.weights, total, 0, len(codes), D)
    expected = twins.dissimilarity(codes)
    labelled = (codes >= 0).any(axis=1)
    np.fill_diagonal(expected, np.where(labelled, 0, 1))
    assert np.allclose(D, expected, atol=1e-15)


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
    code = {"average": linkage.AVERAGE, "complete": linkage.COMPLETE, "ward": linkage.WARD}[method]
    left, right, height = _chain_link(D.astype(dtype), np.ones(n), code, show=False)
    order = np.argsort(height, kind="stable")
    tree = np.empty((n - 1, 4))
    linkage.merge_tree(left[order], right[order], height[order], np.ones(n), tree)
    assert is_valid_linkage(tree)
    if dtype == np.float64 or n <= 130:  # float32 may swap merges of nearly equal height
        assert np.array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    assert np.allclose(tree[:, 2], expected[:, 2], rtol=1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("method", [linkage.AVERAGE, linkage.COMPLETE, linkage.WARD])
def test_chain_can_be_resumed_at_any_step(method, rng):
    n = 150
    D = rng.random((n, n))
    D = np.triu(D, 1) + np.triu(D, 1).T
    whole = _chain_link(D.copy(), np.ones(n), method, show=False)
    chain = linkage.start_chain(D.copy(), np.ones(n))
    left, right, height = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    for _ in range(n):
        linkage.nn_chain(chain, method, 1, left, right, height)
    for one, other in zip(whole, (left, right, height), strict=True):
        assert np.array_equal(one, other)
