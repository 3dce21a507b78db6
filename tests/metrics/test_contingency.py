"""The table of two partitions (eq. I1)."""

import pytest

from partita import metrics
from partita.exceptions import LeftOutWarning


def test_contingency_counts_what_is_left_out():
    with pytest.warns(LeftOutWarning, match="2 of 5"):
        table = metrics.contingency(["a", "b", None, "a", "a"], [1, 1, 1, -1, 2])
    assert table.n_left_out == 2
    assert table.dense().tolist() == [[1, 1], [1, 0]]
    assert not table.is_bijection
