"""Numbers of clusters: one, a list, a range, "auto"."""

import numpy as np
import pytest
from scipy.stats import chisquare

from partita.generation._cluster_numbers import all_numbers, draw_numbers


def test_numbers_of_a_range_are_uniform():
    drawn = np.array(draw_numbers((2, 6), 5000, 100, 0))
    counts = np.bincount(drawn, minlength=7)
    assert counts[:2].sum() == 0
    assert chisquare(counts[2:]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("n", "low", "high"), [(2, 2, 2), (3, 2, 2), (9, 2, 3), (100, 5, 10), (225, 8, 15), (2000, 10, 30), (10**6, 10, 30)]
)
def test_auto_numbers_go_from_half_the_root_of_n_to_the_root(n, low, high):
    assert sorted(set(draw_numbers("auto", 2000, n, 0))) == list(range(low, high + 1))


def test_a_mixed_ensemble_takes_all_numbers_of_a_range_list_or_number():
    assert all_numbers((3, 6), 50) == [3, 4, 5, 6]
    assert all_numbers([7, 2], 50) == [7, 2]
    assert all_numbers(4, 50) == [4]
    assert all_numbers("auto", 50) == list(range(2, 11))
    assert all_numbers("auto", 6) == [2, 3, 4, 5]
