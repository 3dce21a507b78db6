"""What every metric promises, from the registry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.exceptions import LeftOutWarning
from tests.ensembles import partitions, same_partition
from tests.registry import METRICS

pair_metrics = pytest.mark.parametrize("name", [name for name, entry in METRICS.items() if not entry.of_ensemble])
two_partitions = st.integers(1, 10).flatmap(lambda n: st.tuples(partitions(n), partitions(n)))


@pair_metrics
@given(pair=two_partitions)
def test_range_symmetry_and_best_value(name, pair):
    a, b = pair
    entry = METRICS[name]
    value = entry.function(a, b)
    low, high = sorted((entry.low, 1.0)) if entry.best == 1 else (0.0, 1.0)
    assert low - 1e-12 <= value <= high + 1e-12
    if entry.symmetric:
        assert value == pytest.approx(entry.function(b, a), abs=1e-12)
    assert entry.function(a, a) == pytest.approx(entry.best, abs=1e-12)
    if entry.equal_only and not same_partition(a, b):
        assert abs(value - entry.best) > 1e-9


@pair_metrics
@given(pair=two_partitions, seed=st.integers(0, 1000))
def test_names_of_labels_carry_no_meaning(name, pair, seed):
    a, b = pair
    rng = np.random.default_rng(seed)
    names = np.array(["red", "x", "", "-", "b"], dtype=object)
    names[2] = "yes"
    function = METRICS[name].function
    assert function(a, b) == pytest.approx(function(rng.permutation(names)[a], rng.permutation(50)[b]), abs=1e-12)


@pair_metrics
def test_unlabelled_objects_are_left_out_and_counted(name):
    a, b = [0, 0, 1, 1, 2, -1, 1], [1, 1, 0, 0, 0, 3, None]
    function = METRICS[name].function
    with pytest.warns(LeftOutWarning, match="2 of 7 objects"):
        value = function(a, b)
    assert value == pytest.approx(function(a[:5], b[:5]))


@pair_metrics
def test_refused(name):
    function = METRICS[name].function
    with pytest.raises(ValueError, match="same objects"):
        function([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="cannot be compared"):
        function([0, -1], [-1, 1])
    with pytest.raises(ValueError, match="cannot be compared"):
        function([-1, -1], [0, 1])
    with pytest.raises(ValueError, match="must be a sequence of labels"):
        function("ab", [0, 1])
    with pytest.raises(ValueError, match="empty"):
        function([], [])
