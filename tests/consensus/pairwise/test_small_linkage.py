"""The NumPy twins of the kernels of evidence accumulation: equal bit by bit, ties and holes included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita._kernels import _ready, agreement, linkage
from partita._labels import ensemble as ensembles
from partita._labels.ensemble import weighted_columns
from partita.consensus.pairwise import _evidence_accumulation as module
from partita.consensus.pairwise import _small_linkage as small
from partita.consensus.pairwise._evidence_accumulation import EAC, Merges
from partita.metrics import _small_agreement as small_agreement
from tests.ensembles import codes_of, label_matrices

WEIGHTS = st.sampled_from([None, "equal", "whole", "real"])


def columns_of(X, kind):
    codes, n_labels = codes_of(X)
    m = codes.shape[1]
    weights = {"whole": np.arange(m) % 3 + 1.0, "real": 0.1 + 0.7 * (np.arange(m) % 4)}.get(kind, np.ones(m))
    return weighted_columns(codes, n_labels, weights)


def kernel_distances(groups):
    D = np.empty((groups.n_rows, groups.n_rows))
    total = 0.0 if groups.has_missing else groups.total
    agreement.dissimilarity_rows(groups.columns, groups.weights, total, 0, len(D), D)
    return D


def kernel_chain(D, row_weights, method):
    left, right, height = (np.empty(len(D) - 1, dtype) for dtype in (np.int64, np.int64, np.float64))
    linkage.nn_chain(linkage.start_chain(D, row_weights), linkage.METHODS[method], len(D), left, right, height)
    return left, right, height


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@given(label_matrices(max_rows=30, max_columns=8), WEIGHTS)
def test_distances_are_the_kernels(X, kind):
    groups = columns_of(X, kind)
    assert np.array_equal(small.dissimilarity_rows(groups, 0, groups.n_rows), kernel_distances(groups))


def test_distances_of_more_clusterings_than_a_byte_counts(rng):
    groups = columns_of(rng.integers(-1, 3, size=(50, 600)), "equal")
    assert np.array_equal(small.dissimilarity_rows(groups, 7, 31), kernel_distances(groups)[7:31])


@pytest.mark.parametrize("method", ["average", "complete", "ward"])
@given(X=label_matrices(max_rows=30, max_columns=5), kind=WEIGHTS, seed=st.integers(0, 3))
def test_chains_are_the_kernels(method, X, kind, seed):
    """Labels of few clusterings make many equal distances."""
    D = kernel_distances(columns_of(X, kind))
    weights = np.random.default_rng(seed).integers(1, 4, len(D)).astype(float)
    assert_same(small.chain_link(D.copy(), weights, method), kernel_chain(D.copy(), weights, method))


@pytest.mark.parametrize("method", ["average", "complete", "ward"])
@pytest.mark.parametrize("levels", [3, 1_000_000])
def test_long_chains_are_the_kernels(method, levels, rng):
    """Sizes at which the kernel sweeps out dead slots more than once, with and without ties."""
    D = np.triu(rng.integers(1, levels, size=(300, 300)) / levels, 1)
    D, weights = D + D.T, rng.random(300) + 0.1
    assert_same(small.chain_link(D.copy(), weights, method), kernel_chain(D.copy(), weights, method))


@given(label_matrices(max_rows=30, max_columns=5), WEIGHTS)
def test_single_linkage_is_the_kernels(X, kind):
    groups = columns_of(X, kind)
    assert_same(small.single_link(groups), module._single_link(groups, show=False))


@given(label_matrices(max_rows=30, max_columns=5))
def test_trees_are_the_kernels(X):
    D = kernel_distances(columns_of(X, None))
    left, right, height = kernel_chain(D, np.ones(len(D)), "average")
    merges, n_objects = Merges(left, right, height, 0.0), np.arange(1, len(D) + 1)
    order = np.argsort(height, kind="stable")
    found = small.merge_tree(left[order], right[order], height[order], n_objects.astype(float))
    assert np.array_equal(found, module._tree_of(merges, n_objects))


@pytest.mark.parametrize("parameters", [{}, {"linkage": "single"}, {"linkage": "complete"}, {"linkage": "ward"}])
@pytest.mark.parametrize("weights", [None, "real"])
def test_fits_do_not_depend_on_the_way(parameters, weights, X, monkeypatch):
    if weights:
        parameters = {**parameters, "weights": np.linspace(0.5, 2, X.shape[1])}
    by_kernels = EAC(**parameters).fit(X)
    for room in (small, ensembles, small_agreement):
        monkeypatch.setattr(room, "is_ready", lambda *names: False)
    assert small.is_small(100)
    by_numpy = EAC(**parameters).fit(X)
    assert np.array_equal(by_numpy.labels_, by_kernels.labels_)
    assert np.array_equal(by_numpy.dendrogram_, by_kernels.dendrogram_)


@pytest.mark.parametrize("value", [-1e-16, np.inf, np.nan])
def test_distances_that_are_no_distances_are_left_to_the_kernel(value):
    D = np.ones((3, 3))
    assert small.is_ordinary(D)
    D[0, 1] = value
    assert not small.is_ordinary(D)
    assert not small.is_ordinary(np.ones((3, 3), dtype=np.float32))


def test_kernels_that_are_ready_are_used():
    assert _ready.is_ready("linkage", "merge_tree")  # the tests have warmed them up
    assert not small.is_small(10)
