"""Rows of a fit are found again among new ones."""

import numpy as np
import pytest

from partita.consensus.models._fitted_rows import FittedRows


@pytest.fixture
def fitted():
    codes = np.array([[0, 1], [0, 1], [2, -1], [1, 0]], dtype=np.int32)
    features = np.array([[0.5, np.nan], [0.5, 1.0], [np.nan, np.nan], [-2.0, 1.0]])
    return FittedRows(codes, features, np.eye(4))


def test_equal_rows_are_found_and_others_are_not(fitted):
    codes = np.array([[1, 0], [2, -1], [2, 0], [0, 1], [5, 5]], dtype=np.int32)
    labels_alone = fitted._replace(features=np.empty((4, 0)))
    assert labels_alone.find(codes, np.empty((5, 0))).tolist() == [3, 2, -1, 0, -1]


def test_features_must_be_equal_too_and_missing_ones_equal_missing_ones(fitted):
    codes = np.array([[0, 1], [0, 1], [0, 1], [2, -1], [1, 0]], dtype=np.int32)
    features = np.array([[0.5, 1.0], [0.5, np.nan], [0.5, 2.0], [np.nan, np.nan], [np.nan, 1.0]])
    assert fitted.find(codes, features).tolist() == [1, 0, -1, 2, -1]
