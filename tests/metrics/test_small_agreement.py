"""Counts of agreement in NumPy: those of the kernel, in every type and with holes."""

import numpy as np
import pytest
from hypothesis import given

from partita._labels.ensemble import weighted_columns
from partita.metrics import _small_agreement as small
from partita.metrics import coassociation
from partita.metrics._coassociation import count_block
from tests.ensembles import codes_of, label_matrices

WEIGHTS = {"equal": 1.0, "whole": 300.0, "large": 70_000.0, "real": 0.3}  # uint8, uint16, uint32 and float64


@pytest.mark.parametrize("kind", WEIGHTS)
@given(X=label_matrices(max_rows=30, max_columns=8))
def test_counts_are_the_kernels(kind, X):
    codes, n_labels = codes_of(X)
    weights = WEIGHTS[kind] * (1 + np.arange(len(n_labels)) % 3) if kind != "equal" else np.ones(len(n_labels))
    columns = weighted_columns(codes, n_labels, weights)
    of_groups = columns.weights.astype(columns.count_type)
    counts, totals = count_block(columns, 0, len(codes))
    assert counts.dtype == columns.count_type
    found = small.count_rows(columns, of_groups, 0, len(codes), seen=False)
    assert found.dtype == counts.dtype
    assert np.array_equal(found, counts)
    if columns.has_missing:
        assert np.array_equal(small.count_rows(columns, of_groups, 0, len(codes), seen=True), totals)


def test_more_rows_than_are_compared_at_a_time_and_more_clusterings_than_a_byte_counts(rng):
    codes, n_labels = codes_of(rng.integers(-1, 3, size=(150, 600)))
    columns = weighted_columns(codes, n_labels, np.ones(600))
    found = small.count_rows(columns, columns.weights.astype(columns.count_type), 7, 131, seen=False)
    assert np.array_equal(found, count_block(columns, 7, 131)[0])


def test_the_dense_matrix_does_not_depend_on_the_way(X, monkeypatch):
    by_kernels = coassociation(X)
    monkeypatch.setattr(small, "is_ready", lambda *names: False)
    assert small.is_small(100)
    for one, other in zip(by_kernels, coassociation(X), strict=True):
        assert np.array_equal(one, other)
