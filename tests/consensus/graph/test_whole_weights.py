"""Weights of any size as units and as whole numbers of bounded totals."""

import numpy as np
import pytest
from scipy import sparse

from partita.consensus.graph import _whole_weights as module


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1.0, 7.0, 1e300])
def test_units_do_not_depend_on_the_scale(scale):
    weights = np.array([1.0, 0.0, 3.0, 2.0])
    assert np.allclose(module.in_units(scale * weights), weights, rtol=1e-15)
    assert module.in_units(np.full(3, scale)).tolist() == [1, 1, 1]


def test_weights_too_light_to_matter_stay_positive_and_products_finite():
    units = module.in_units(np.array([1e-300, 1.0, 1e300]))
    assert units.min() == 1
    assert np.isfinite(np.outer(units, units)).all()


@pytest.mark.parametrize("scale", [1e-300, 0.1, 1.0, 1e300])
def test_the_lightest_object_counts_as_one(scale):
    assert module.number_of_objects(scale * np.array([1.0, 0.0, 6.0, 2.0])) == pytest.approx(9, rel=1e-15)
    assert module.number_of_objects(np.full(62, scale)) == 62


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_whole_weights_have_one_sum(scale):
    weights = module.whole_weights(scale * np.array([1.0, 3.0, 0.0, 4.0]))
    assert weights.tolist() == [12_500_000, 37_500_000, 0, 50_000_000]
    assert (module.whole_weights(np.array([1e-12, 1.0]) * scale) >= 1).all()


def test_a_whole_graph_is_symmetric_positive_and_has_no_loops(rng):
    A = rng.random((9, 9)) * (rng.random((9, 9)) < 0.7)
    W = (A + A.T) * (1 + 1e-12 * rng.random((9, 9)))  # rounding may differ on the two sides of the diagonal
    graph = module.whole_graph(sparse.csr_array(W)).toarray()
    assert np.array_equal(graph, graph.T)
    assert np.array_equal(graph > 0, (W > 0) & ~np.eye(9, dtype=bool))
    assert graph.max() == 10_000
    assert np.array_equal(graph, graph.round())
    assert np.allclose(graph / graph.max(), np.where(np.eye(9), 0, W / W[~np.eye(9, dtype=bool)].max()), atol=1e-4)


def test_all_edges_together_are_bounded():
    W = sparse.csr_array(np.ones((400, 400)))
    assert module.whole_graph(1e200 * W).sum() < 1.1e9  # and a rounded half for each edge
    assert module.whole_graph(0 * W).nnz == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_what_is_no_weight_is_refused_before_metis_sees_it(bad):
    W = np.ones((3, 3))
    W[0, 2] = W[2, 0] = bad
    with pytest.raises(ValueError, match="an edge whose weight is not a finite number"):
        module.whole_graph(sparse.csr_array(W))


def test_too_many_edges_are_refused(monkeypatch):
    monkeypatch.setattr(module, "_ALL_EDGES", 4)
    with pytest.raises(ValueError, match="3 edges is too large for METIS; pass partitioner='spectral'"):
        module.whole_graph(sparse.csr_array(np.ones((3, 3))))
