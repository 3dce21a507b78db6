"""What every metric promises, from the registry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from partita.exceptions import LeftOutWarning
from tests.ensembles import partitions, same_partition
from tests.registry import INTERNAL, METRICS

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
def test_partitions_that_cannot_be_compared_are_refused(name):
    function = METRICS[name].function
    with pytest.raises(ValueError, match=r"pass one (label|row) per object"):
        function([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="cannot be compared"):
        function([0, -1], [-1, 1])
    with pytest.raises(ValueError, match="cannot be compared"):
        function([-1, -1], [0, 1])
    with pytest.raises(ValueError, match="must be a sequence of labels"):
        function("ab", [0, 1])
    with pytest.raises(ValueError, match="empty"):
        function([], [])


internal = pytest.mark.parametrize("name", INTERNAL)
clustered_points = st.tuples(st.integers(2, 9), st.integers(1, 3)).flatmap(
    lambda shape: st.tuples(
        npst.arrays(np.int64, shape, elements=st.integers(-3, 3)).map(lambda X: X.astype(float)),
        partitions(shape[0], max_label=3),
    )
)


def same(a, b, rel=1e-7):
    """Equal up to rounding; infinity and NaN equal themselves."""
    return a == pytest.approx(b, rel=rel, abs=1e-9, nan_ok=True)


@internal
@given(data=clustered_points, seed=st.integers(0, 1000))
def test_order_names_and_origin_do_not_matter(name, data, seed):
    X, labels = data
    rng = np.random.default_rng(seed)
    value = INTERNAL[name](X, labels)
    order = rng.permutation(len(X))
    assert same(INTERNAL[name](X[order], labels[order]), value)
    assert same(INTERNAL[name](X, np.array(["red", "x", "yes", "b"], dtype=object)[labels]), value)
    assert same(INTERNAL[name](X + rng.normal(size=X.shape[1]), labels), value, rel=1e-6)
    if INTERNAL[name].scale_free:
        assert same(INTERNAL[name](1e-12 * X, labels), value)


@internal
def test_one_cluster_has_no_value(name, rng):
    assert np.isnan(INTERNAL[name](rng.normal(size=(5, 2)), np.zeros(5, int)))
    assert np.isnan(INTERNAL[name]([[1.0]], [0]))


@internal
def test_separate_clusters_are_judged_better_than_wrong_ones(name, rng):
    """Two clusters far apart are better judged as they are than cut across, or with a wrong point in each."""
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 20])
    right, across, wrong = np.repeat([0, 1], 20), np.tile([0, 1], 20), np.repeat([0, 1], 20)
    wrong[[0, -1]] = wrong[[-1, 0]]
    sign = 1 if INTERNAL[name].better == "higher" else -1
    assert sign * INTERNAL[name](X, right) > sign * INTERNAL[name](X, across)
    assert sign * INTERNAL[name](X, right) > sign * INTERNAL[name](X, wrong)


@internal
def test_threads_change_nothing(name, rng):
    if INTERNAL[name].threads:
        X, labels = rng.normal(size=(1300, 3)), rng.integers(5, size=1300)
        assert INTERNAL[name](X, labels, n_jobs=2) == INTERNAL[name](X, labels, n_jobs=1)


@internal
def test_internal_indices_leave_out_the_unlabelled(name, rng):
    X = rng.normal(size=(12, 2))
    labels = np.array([0, 1, 1, 0, 2, 2, 0, 1, 2, 0, 1, 2], dtype=object)
    labels[[2, 7]] = None
    kept = np.array([label is not None for label in labels])
    with pytest.warns(LeftOutWarning, match="2 of 12 objects are unlabelled") as caught:
        value = INTERNAL[name](X, labels)
    assert caught[0].filename.endswith("registry.py")  # blames the caller
    assert same(value, INTERNAL[name](X[kept], labels[kept].astype(int)))


@internal
def test_internal_indices_refuse_wrong_points_and_labels(name):
    index = INTERNAL[name]
    with pytest.raises(ValueError, match="X has 3 objects, but labels has 2; pass one label per object"):
        index(np.zeros((3, 1)), [0, 1])
    with pytest.raises(ValueError, match="none of the 2 objects is labelled"):
        index(np.zeros((2, 1)), [-1, None])
    with pytest.raises(ValueError, match="X contains NaN"):
        index([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="Expected 2D array"):
        index([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="must be a sequence of labels"):
        index([[1.0], [2.0]], "ab")
