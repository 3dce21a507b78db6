"""Distinct rows of a label matrix: packing and hashing against sorting."""

import numpy as np

from benchmarks._ensembles import voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita._labels.ensemble import find_distinct_rows
from partita._labels.validation import check_label_matrix


def _prepare(n, m):
    matrix = check_label_matrix(voronoi_ensemble(n, m))
    return matrix.codes, matrix.n_labels


def _ours(data):
    return find_distinct_rows(*data).n_objects


def _unique(data):
    return np.unique(data[0], axis=0, return_counts=True, return_inverse=True)[2]


def _case(n, m):
    return Case(
        f"{n:,} x {m}",
        lambda: _prepare(n, m),
        [Contestant("partita", _ours, repeat=5), Contestant("np.unique(axis=0)", _unique, repeat=1)],
        answer=lambda n_objects: [len(n_objects), int((n_objects.astype(np.int64) ** 2).sum())],
    )


BENCHMARK: Benchmark = [_case(1_000_000, 5), _case(1_000_000, 20)]
