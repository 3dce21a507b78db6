"""Features as numbers."""

import numpy as np
import pandas as pd
import pytest

from partita.datasets import Dataset, load


def made(**columns):
    return Dataset("small", pd.DataFrame(columns), None, 0, "", "")


def test_numbers_are_as_they_are():
    np.testing.assert_array_equal(made(f1=[1, 2], f2=[0.5, -3]).numbers(), [[1, 0.5], [2, -3]])
    assert made(f1=[1, 2]).numbers().dtype == float


def test_standardised_columns_have_mean_0_and_deviation_1_and_constant_ones_are_0():
    numbers = made(f1=[1.0, 2, 6, 9], f2=[0.1] * 4).numbers(standardise=True)
    np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(numbers.std(axis=0), [1, 0])
    assert not numbers[:, 1].any()


def test_categories_are_columns_of_0_and_1_and_never_standardised():
    data = made(f1=["y", "n", "y", "y"], f2=[1.0, 2, 3, 4], f3=["b", "c", "a", "b"], f4=["same"] * 4)
    expected = [[1, 0, 1, 0, 1], [0, 0, 0, 1, 1], [1, 1, 0, 0, 1], [1, 0, 1, 0, 1]]
    for standardise in (False, True):
        numbers = data.numbers(standardise)
        np.testing.assert_array_equal(np.delete(numbers, 1, axis=1), expected)
    assert numbers[:, 1].std() == pytest.approx(1)


def test_missing_values_are_refused():
    with pytest.raises(ValueError, match=r"small has 2 missing values \(in f1, f2\); load it with missing='drop'"):
        made(f1=["y", None], f2=[np.nan, 1.0], f3=[1, 2]).numbers()


def test_standardise_is_true_or_false():
    with pytest.raises(ValueError, match="standardise='yes' is not allowed"):
        made(f1=[1]).numbers("yes")


def test_scikit_learn_standardises_in_the_same_way():
    from sklearn.preprocessing import StandardScaler

    wine = load("wine")
    np.testing.assert_allclose(
        wine.numbers(standardise=True), StandardScaler().fit_transform(wine.features), atol=1e-12
    )
