"""Co-association in all its forms (eqs. C8, C9, C10)."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from partita import coassociation
from partita.exceptions import NotEnoughMemoryError
from partita.metrics import _coassociation as module
from tests import twins
from tests.ensembles import label_matrices, noisy_ensemble


@given(label_matrices())
def test_dense_is_a_double_loop(X):
    X = X[:, (X >= 0).any(axis=0)]
    C, N = coassociation(X)
    expected_C, expected_N = twins.coassociation(X)
    assert np.array_equal(C, expected_C)
    assert np.array_equal(N, expected_N)
    assert C.dtype == N.dtype == np.uint8
    assert np.array_equal(C, C.T)
    assert (C <= N).all()


def test_dense_is_a_product_of_indicators(X):
    H = sparse.csr_array(np.hstack([X[:, [j]] == np.unique(X[X[:, j] >= 0, j]) for j in range(X.shape[1])]).astype(int))
    observed = (X >= 0).astype(int)
    C, N = coassociation(X)
    assert np.array_equal(C, (H @ H.T).toarray())
    assert np.array_equal(N, observed @ observed.T)


def test_renaming_labels_changes_nothing(X, rng):
    renamed = np.where(X < 0, -1, rng.permutation(10)[X])
    assert np.array_equal(coassociation(X).counts, coassociation(renamed).counts)


def test_complete_ensembles_share_one_total(truth):
    C, N = coassociation(np.column_stack([truth, truth]))
    assert (N == 2).all()
    assert N.strides == (0, 0)
    assert set(np.unique(C)) == {0, 2}


@pytest.mark.parametrize(("m", "dtype"), [(255, np.uint8), (256, np.uint16), (70_000, np.uint32)])
def test_counts_are_of_the_smallest_integer_type(m, dtype):
    C, N = coassociation(np.zeros((2, m), int))
    assert C.dtype == dtype
    assert (m == C).all()
    assert (m == N).all()


def test_weights_weigh_counts_and_whole_ones_stay_whole(X):
    weights = np.linspace(0, 2, X.shape[1])
    C, N = coassociation(X, weights=weights)
    expected_C, expected_N = twins.coassociation(X, weights)
    assert np.allclose(C, expected_C, rtol=1e-14)
    assert np.allclose(N, expected_N, rtol=1e-14)
    whole = coassociation(X, weights=np.full(X.shape[1], 3))
    assert whole.counts.dtype == np.uint8
    assert np.array_equal(whole.counts, 3 * coassociation(X).counts)


def test_similarity_is_the_share_of_counts_dense_and_sparse(X):
    S = coassociation(X).similarity()
    expected = 1 - twins.dissimilarity(X)
    assert np.allclose(S, expected, atol=1e-15)
    sparse_S = coassociation(X, form="sparse").similarity()
    assert np.allclose(sparse_S.toarray(), expected, atol=1e-15)


def test_complete_similarity_is_positive_semidefinite():
    S = coassociation(noisy_ensemble(missing=0).X).similarity()
    assert np.linalg.eigvalsh(S).min() > -1e-12
    assert (np.diag(S) == 1).all()


@pytest.mark.parametrize("block_size", [None, 1, 7, 62, 1000])
def test_blocks_are_the_rows_of_dense(X, block_size):
    C, N = coassociation(X)
    blocks = list(coassociation(X, form="blocks", block_size=block_size))
    assert [block.start for block in blocks[1:]] == [block.stop for block in blocks[:-1]]
    assert np.array_equal(np.vstack([block.counts for block in blocks]), C)
    assert np.array_equal(np.vstack([block.totals for block in blocks]), N)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16])
def test_size_of_blocks_may_be_a_narrow_integer(X, kind):
    many = np.vstack([X] * 5)  # more rows than int8 and uint8 can count
    blocks = list(coassociation(many, form="blocks", block_size=kind(100)))
    assert [(block.start, block.stop) for block in blocks] == [(0, 100), (100, 200), (200, 300), (300, 310)]
    few = coassociation(many, form="sparse", block_size=kind(100))
    assert np.array_equal(few.counts.toarray(), coassociation(many).counts)


@pytest.mark.parametrize("block_size", [None, 0, np.int8(0)])
def test_blocks_without_a_size_have_the_usual_one(X, block_size):
    columns = module._read_ensemble(X, None).columns
    blocks = list(module.iter_blocks(columns, block_size))
    assert [(block.start, block.stop) for block in blocks] == [(0, columns.n_rows)]


@pytest.mark.parametrize("threshold", [None, 0.0, 0.3, 0.5, 0.75, 1.0])
def test_sparse_is_dense_above_the_threshold(X, threshold):
    C, N = coassociation(X)
    keep = (C > 0) & (C / np.maximum(N, 1) >= (threshold or 0))
    found = coassociation(X, form="sparse", threshold=threshold, block_size=10)
    assert np.array_equal(found.counts.toarray(), np.where(keep, C, 0))
    assert np.array_equal(found.totals.toarray(), np.where(keep, N, 0))
    assert found.counts.nnz == keep.sum()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "full"}, "form='full' is not known; choose 'dense', 'sparse', 'pairs' or 'blocks'"),
        ({"form": "pairs"}, "pass pairs with form='pairs' only"),
        ({"pairs": 3}, "pass pairs with form='pairs' only"),
        ({"threshold": 0.5}, "with form='sparse' only"),
        ({"form": "sparse", "threshold": 1.5}, r"a similarity in \[0, 1\]"),
        ({"form": "blocks", "block_size": 0}, "block_size=0 is not allowed; pass a whole number, at least 1"),
        ({"form": "pairs", "pairs": 0.0}, r"must be in \(0, 1\]"),
        ({"form": "pairs", "pairs": 0}, "at least 1"),
        ({"form": "pairs", "pairs": True}, "at least 1"),
        ({"form": "pairs", "pairs": [0, 1]}, r"shape \(2,\)"),
        ({"form": "pairs", "pairs": [[0, 99]]}, r"object 99; objects are numbered 0\.\.61"),
        ({"form": "pairs", "pairs": sparse.eye_array(3)}, r"must be \(62, 62\)"),
    ],
)
def test_wrong_forms_and_pairs_are_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        coassociation(X, **options)


def test_too_large_for_memory_is_refused_before_it_starts(X, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1kB")
    with pytest.raises(NotEnoughMemoryError, match=r"62 x 62 .* needs 7.5 KiB of memory and 1.0 KiB are available"):
        coassociation(X)


# memory: refused before any work


def test_sparse_is_refused_by_the_number_of_its_pairs_before_any_work(monkeypatch):
    X = np.zeros((120_000, 2), dtype=np.int32)
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "16GiB")
    with pytest.raises(NotEnoughMemoryError, match=r"a sparse co-association of 14400000000 pairs needs .*raise"):
        coassociation(X, form="sparse")


@pytest.mark.parametrize("threshold", [None, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 1.7, 15)], ids=["ones", "weights"])
def test_pairs_to_be_stored_are_counted_exactly(threshold, weights, X):
    twice = np.vstack([X, X[:20], np.full((1, 15), -1)])
    ensemble = module._read_ensemble(twice, weights)
    stored = coassociation(twice, form="sparse", threshold=threshold, weights=weights).counts.nnz
    assert module._count_stored(ensemble, threshold or 0.0) == stored <= module._at_most(ensemble)


def test_a_sparse_result_that_fits_is_not_refused_for_its_bound(monkeypatch, X):
    same = np.repeat(X[:, :1], 40, axis=1)
    ensemble = module._read_ensemble(same, None)
    stored = module._count_stored(ensemble, 0.0)
    monkeypatch.setattr(module, "available_memory", lambda: module._bytes_of(stored, ensemble))
    assert coassociation(same, form="sparse").counts.nnz == stored


def test_both_sparse_matrices_have_narrow_indices(X):
    C, N = coassociation(X, form="sparse")
    assert C.indices.dtype == C.indptr.dtype == N.indices.dtype == N.indptr.dtype == np.int32


def test_blocks_and_similarities_have_a_limit_of_memory(monkeypatch, X):
    many = np.vstack([X] * 4)
    dense = coassociation(many)
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "100kB")
    with pytest.raises(NotEnoughMemoryError, match="a block of 248 x 248 counts"):
        coassociation(many, form="blocks", block_size=10**9)
    with pytest.raises(NotEnoughMemoryError, match="the dense 248 x 248 similarity"):
        dense.similarity()
