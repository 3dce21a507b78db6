"""Kernels of agreements against their slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita._kernels import agreement, linkage
from partita._labels.ensemble import weighted_columns
from tests import twins
from tests.ensembles import codes_of, label_matrices


@given(label_matrices(max_rows=15, max_columns=6), st.data())
def test_weighted_counts_are_those_of_a_double_loop(X, data):
    codes, n_labels = codes_of(X)
    m = codes.shape[1]
    weights = np.array(data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.25]), min_size=m, max_size=m)))
    groups = weighted_columns(codes, n_labels, weights)
    C, N = twins.coassociation(codes, weights)
    n = len(codes)
    for seen, expected in ((False, C), (True, N)):
        out = np.empty((n, n))
        agreement.count_rows(groups.columns, groups.weights, 0, n, True, seen, out)
        agreement.mirror(out, np.zeros(1, dtype=np.uint8))
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
def test_rows_of_dissimilarities_are_those_of_the_twin(X):
    codes, n_labels = codes_of(X)
    groups = weighted_columns(codes, n_labels, np.ones(codes.shape[1]))
    D = np.empty((len(codes), len(codes)))
    total = 0.0 if groups.has_missing else groups.total
    agreement.dissimilarity_rows(groups.columns, groups.weights, total, 0, len(codes), D)
    expected = twins.dissimilarity(codes)
    labelled = (codes >= 0).any(axis=1)
    np.fill_diagonal(expected, np.where(labelled, 0, 1))
    assert np.allclose(D, expected, atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("missing", "flip"), [(0.1, 0.0), (0.1, 0.3), (0.6, 0.1), (0.9, 0.3)])
def test_the_walk_with_holes_is_a_maximum_spanning_tree(weighted, missing, flip, rng):
    """More rows than a chunk, stopped and resumed; against Prim's algorithm on the full matrix."""
    n, m = 2300, 8
    truth = rng.integers(5, size=n)
    codes = np.where(rng.random((n, m)) < flip, rng.integers(5, size=(n, m)), truth[:, None])
    codes = np.where(rng.random((n, m)) < missing, -1, codes).astype(np.int32)
    weights = rng.integers(1, 4, m) / 4 + 0.1 if weighted else np.ones(m)
    groups = weighted_columns(codes, np.full(m, 5), weights)
    by_clustering, seen = groups.columns.codes, (codes >= 0) @ weights
    walk = agreement.start_walk_with_holes(by_clustering[:, 0].copy(), seen)
    outside = groups.columns._replace(codes=by_clustering[:, 1:].copy())
    while walk.cursor[0] < n:
        agreement.prim_with_holes(outside, groups.weights, groups.total, 700, walk)
    assert sorted(walk.order.tolist()) == list(range(n))
    D = np.empty((n, n))
    agreement.dissimilarity_rows(groups.columns, groups.weights, 0.0, 0, n, D)
    order, height = np.empty(n, dtype=np.int64), np.empty(n)
    linkage.prim_matrix(D, 0, order, height)
    assert np.array_equal(np.sort(1 - walk.similarity[1:]), np.sort(height[1:]))
