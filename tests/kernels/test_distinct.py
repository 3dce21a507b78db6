"""The kernel of distinct rows against its slow twin and NumPy."""

import numpy as np
from hypothesis import given

from partita._labels.ensemble import _pack_columns, find_distinct_rows, sort_rows
from tests import twins
from tests.ensembles import codes_of, label_matrices


@given(label_matrices(max_rows=40, max_columns=6))
def test_distinct_rows_are_numbered_by_first_appearance(X):
    codes, n_labels = codes_of(X)
    found = find_distinct_rows(codes, n_labels)
    first, inverse = twins.distinct_rows(codes)
    assert found.first.tolist() == first
    assert found.inverse.tolist() == inverse
    assert found.n_objects.tolist() == np.bincount(inverse).tolist()
    by_sorting = sort_rows(codes, *_pack_columns(n_labels))
    assert all(np.array_equal(one, other) for one, other in zip(by_sorting, found, strict=True))


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
    by_sorting = sort_rows(codes, *_pack_columns(np.full(40, 200)))
    assert all(np.array_equal(one, other) for one, other in zip(by_sorting, found, strict=True))


def test_no_rows_are_no_distinct_rows():
    found = sort_rows(np.empty((0, 3), dtype=np.int32), *_pack_columns(np.full(3, 2)))
    assert [len(part) for part in found] == [0, 0, 0]
