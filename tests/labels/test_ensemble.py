"""The ensemble: layout of the labels, samples, packing and order of rows; distinct rows: kernels/test_distinct.py."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partita._labels.ensemble import Ensemble, _pack_columns, canonical_order, have_a_label, layout_of
from partita._labels.validation import check_label_matrix
from tests.ensembles import codes_of, label_matrices


def ensemble_of(X, seed=0):
    matrix = check_label_matrix(X[:, (X >= 0).any(axis=0)])
    rng = np.random.default_rng(seed)
    n, m = matrix.codes.shape
    return Ensemble(matrix.codes, matrix.n_labels, rng.uniform(0.5, 2, m), rng.uniform(0.5, 3, n))


@given(label_matrices())
def test_the_layout_is_that_of_one_hot_columns(X):
    ensemble = ensemble_of(X)
    H = np.hstack(
        [codes[:, None] == np.arange(k) for codes, k in zip(ensemble.codes.T, ensemble.n_labels, strict=True)]
    ).astype(float)
    assert ensemble.n_cells == H.shape[1]
    assert np.array_equal(ensemble.indicator.toarray(), H)
    assert np.array_equal(ensemble.cell_clustering, np.repeat(np.arange(ensemble.n_clusterings), ensemble.n_labels))
    assert np.array_equal(ensemble.cell_weights, ensemble.clustering_weights[ensemble.cell_clustering])
    assert np.allclose(ensemble.cell_mass, ensemble.row_weights @ H)
    table = np.arange(2.0 * H.shape[1]).reshape(-1, 2)
    assert np.allclose(ensemble.sum_over_labels(table), H @ table)
    assert ensemble.first_cell.tolist() == [0, *np.cumsum(ensemble.n_labels)[:-1]]


@given(label_matrices())
def test_rows_list_their_labels_and_no_missing_ones(X):
    ensemble = ensemble_of(X)
    for i, row in enumerate(ensemble.codes):
        listed = slice(ensemble.row_starts[i], ensemble.row_starts[i + 1])
        seen = np.flatnonzero(row >= 0)
        assert ensemble.row_clusterings[listed].tolist() == seen.tolist()
        assert ensemble.row_cells[listed].tolist() == (ensemble.first_cell[seen] + row[seen]).tolist()
    assert ensemble.row_cells.dtype == ensemble.row_clusterings.dtype == np.int32
    assert ensemble.has_missing == (ensemble.codes < 0).any()
    assert have_a_label(ensemble.codes).tolist() == (ensemble.codes >= 0).any(axis=1).tolist()


def test_a_sample_keeps_the_rows_that_were_drawn():
    ensemble = ensemble_of(np.array([[0, 1], [1, 1], [2, 0]]))
    few = ensemble.sample(np.array([2, 0, 5]))
    assert few.codes.tolist() == [[0, 1], [2, 0]]
    assert few.row_weights.tolist() == [2.0, 5.0]
    assert np.array_equal(few.n_labels, ensemble.n_labels)


def test_a_layout_has_no_rows_and_the_same_cells():
    ensemble = ensemble_of(np.array([[0, 1], [1, -1], [2, 0]]))
    layout = ensemble.layout
    assert layout.n_rows == 0
    assert np.array_equal(layout.cell_weights, ensemble.cell_weights)
    assert layout_of(ensemble.n_labels).n_cells == ensemble.n_cells == 5


def test_a_pickle_holds_the_four_fields_only():
    ensemble = ensemble_of(np.array([[0, 1], [1, -1], [2, 0]]))
    before = len(pickle.dumps(ensemble))
    _ = ensemble.indicator, ensemble.cell_mass, ensemble.columns
    again = pickle.loads(pickle.dumps(ensemble))
    assert len(pickle.dumps(ensemble)) == before
    assert np.array_equal(again.codes, ensemble.codes)
    assert again.n_cells == ensemble.n_cells


def test_weights_that_are_whole_numbers_are_counted_in_the_smallest_type():
    codes = np.zeros((2, 3), dtype=np.int32)
    for weights, dtype in (((1, 1, 1), np.uint8), ((100, 100, 100), np.uint16), ((1, 0.5, 1), np.float64)):
        ensemble = Ensemble(codes, np.ones(3, dtype=np.int64), np.array(weights, dtype=float), np.ones(2))
        assert ensemble.columns.count_type == dtype
        assert ensemble.columns.total == sum(weights)


def test_columns_are_packed_without_overlap():
    starts, shift = _pack_columns(np.array([1, 2, 3, 4, 2**31 - 2, 2**31 - 2, 7]))
    assert starts.tolist() == [0, 5, 7]  # 1 + 2 + 2 + 3 + 31 bits; then 31 + 3
    assert shift.tolist() == [0, 1, 3, 5, 8, 0, 31]


@given(label_matrices(max_rows=12, max_columns=5), st.integers(0, 10**6))
def test_canonical_order_depends_neither_on_the_order_of_rows_nor_on_the_names_of_labels(X, seed):
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
