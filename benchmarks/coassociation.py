"""Co-association of all pairs: byte comparison against the product of sparse indicators."""

import numpy as np
from scipy import sparse

from benchmarks._ensembles import voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import coassociation


def indicator(X):
    """One-hot labels as a sparse matrix, a missing label as no entry."""
    offsets = np.concatenate([[0], np.cumsum(X.max(axis=0) + 1)])
    rows, cols = np.nonzero(X >= 0)
    place = (rows.astype(np.int32), (offsets[cols] + X[rows, cols]).astype(np.int32))
    return sparse.csr_array((np.ones(len(rows), dtype=np.int32), place), shape=(len(X), offsets[-1]))


def _ours(X):
    return coassociation(X).counts


def _sparse_product(X):
    H = indicator(X)
    return H @ H.T


def _sparse_product_dense(X):
    return _sparse_product(X).toarray()


def _answer(C):
    return int(C.sum(dtype=np.int64))


def _case(n, m, missing):
    return Case(
        f"{n:,} x {m}, {missing:.0%} missing",
        lambda: voronoi_ensemble(n, m, low=8, high=30, missing=missing),
        [
            Contestant("partita, dense C and N", _ours, repeat=5),
            Contestant("SciPy H @ H.T, sparse", _sparse_product, repeat=2),
            Contestant("SciPy H @ H.T, to dense", _sparse_product_dense, repeat=2),
        ],
        answer=_answer,
    )


BENCHMARK: Benchmark = [_case(5_000, 20, 0.0), _case(10_000, 100, 0.0), _case(10_000, 100, 0.3)]
