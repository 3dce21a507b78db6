"""Confidence and votes against plain loops over objects, and what must not change them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita.metrics._confidence as module
from partita._labels.ensemble import Ensemble
from partita.exceptions import LabelMatrixError
from partita.metrics import label_confidence, label_votes
from tests.ensembles import label_matrices, noisy_ensemble


def slow_counts(X, z, w):
    """C[m][c][q] and N[q] in dictionaries; objects without a cluster do not count."""
    clusters = sorted(set(z.tolist()) - {-1})
    C = [{c: dict.fromkeys(clusters, 0.0) for c in set(X[:, m].tolist()) - {-1}} for m in range(X.shape[1])]
    N = dict.fromkeys(clusters, 0.0)
    for i, q in enumerate(z.tolist()):
        if q >= 0:
            N[q] += w[i]
            for m in range(X.shape[1]):
                if X[i, m] >= 0:
                    C[m][X[i, m]][q] += w[i]
    return [{c: row for c, row in table.items() if any(row.values())} for table in C], N


def slow_confidence(X, z, v, w):
    C, N = slow_counts(X, z, w)
    found = []
    for i in range(len(X)):
        seen = [m for m in range(X.shape[1]) if v[m] > 0 and X[i, m] in C[m]]
        if z[i] < 0 or not seen:
            found.append(math.nan)
            continue
        scores = {}
        for q in N:
            scores[q] = math.log(N[q] / sum(N.values())) if N[q] > 0 else -math.inf
            for m in seen:
                total = sum(row[q] + 0.5 for row in C[m].values())
                scores[q] += v[m] * math.log((C[m][X[i, m]][q] + 0.5) / total)
        others = [scores[q] for q in N if q != z[i]]
        found.append(scores[z[i]] - max(others, default=-math.inf))
    return np.array(found)


def slow_votes(X, z, v, w, e=None):
    C, N = slow_counts(X, z, w)
    votes = np.empty((len(X), len(N)))
    for i in range(len(X)):
        sums, total = dict.fromkeys(N, 0.0), 0.0
        for m in range(X.shape[1]):
            if v[m] > 0 and X[i, m] in C[m]:
                row, voice = C[m][X[i, m]], v[m] * (1.0 if e is None else e[m][X[i, m]])
                total += voice
                for q in N:
                    sums[q] += voice * row[q] / sum(row.values())
        votes[i] = [sums[q] / total if total else N[q] / sum(N.values()) for q in N]
    return votes


def cases(seed, n=30, m=5, k=3, missing=0.3):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, m)) < missing, -1, rng.integers(0, 4, size=(n, m)))
    X[:2] = -1
    z = rng.integers(-1, k, size=n)
    z[:k] = np.arange(k)
    v, w = rng.integers(0, 3, size=m) / 2 + 0.25 * (np.arange(m) == 0), rng.integers(0, 3, size=n) * 1.0
    w[:k] += 1
    return X, z, v, w


@pytest.mark.parametrize("numbers", [1, 50, 2**17])
@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_of_plain_loops(seed, numbers, monkeypatch):
    """With holes, weights of both kinds that may be 0, objects without label or cluster, and blocks of any size."""
    monkeypatch.setattr(module, "_NUMBERS", numbers)
    X, z, v, w = cases(seed)
    assert np.allclose(label_confidence(X, z, weights=v, sample_weight=w), slow_confidence(X, z, v, w), equal_nan=True)
    votes = label_votes(X, z, weights=v, sample_weight=w)
    assert np.allclose(votes, slow_votes(X, z, v, w))
    assert np.allclose(votes.sum(axis=1), 1)


@given(label_matrices(max_rows=9, max_columns=4, max_label=2), st.data())
def test_small_cases_are_those_of_plain_loops(X, data):
    X = X[:, (X >= 0).any(axis=0)]
    z = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=len(X), max_size=len(X))))
    z[0] = 0
    v, w = np.ones(X.shape[1]), np.ones(len(X))
    assert np.allclose(label_confidence(X, z), slow_confidence(X, z, v, w), equal_nan=True)
    assert np.allclose(label_votes(X, z), slow_votes(X, z, v, w))


def test_one_cluster_is_certain_and_no_label_is_not_a_number():
    X = np.array([[0, 1], [1, -1], [-1, -1]])
    assert label_confidence(X, [4, 4, 4]).tolist()[:2] == [np.inf, np.inf]
    assert np.isnan(label_confidence(X, [4, 4, 4])[2])
    assert np.isnan(label_confidence(X, [4, -1, 4])).tolist() == [False, True, True]
    assert label_votes(X, [0, 0, 1])[2].tolist() == [2 / 3, 1 / 3]  # the shares of the clusters


def test_weights_are_repetitions():
    X, z, v, w = cases(5)
    again = np.repeat(np.arange(len(X)), w.astype(int))
    for function in (label_confidence, label_votes):
        weighted = function(X, z, weights=v, sample_weight=w)
        repeated = function(X[again], z[again], weights=v)
        assert np.allclose(weighted[again], repeated, equal_nan=True)
    twice = label_confidence(np.hstack([X, X[:, :1]]), z)
    assert np.allclose(twice, label_confidence(X, z, weights=[2, 1, 1, 1, 1]), equal_nan=True)


def test_names_and_orders_do_not_matter(rng):
    X, z, _, w = cases(6)
    plain, votes = label_confidence(X, z, sample_weight=w), label_votes(X, z, sample_weight=w)
    columns, rows, clusters = rng.permutation(5), rng.permutation(len(X)), rng.permutation(3)
    renamed = np.where(X >= 0, 9 - X, -1)[:, columns][rows]
    z_new = np.append(clusters, -1)[z]
    assert np.allclose(label_confidence(renamed, z_new[rows], sample_weight=w[rows]), plain[rows], equal_nan=True)
    assert np.allclose(label_votes(renamed, z_new[rows], sample_weight=w[rows])[:, clusters], votes[rows])


def test_objects_of_equal_labels_in_one_cluster_are_equally_sure(X, truth):
    double = label_confidence(np.vstack([X, X]), np.append(truth, truth))
    assert np.array_equal(double[: len(X)], double[len(X) :])


def test_counts_of_blocks_add_up_to_those_of_all():
    X, z, _, w = cases(7)
    ensemble = Ensemble(X.astype(np.int32), np.full(5, 4), np.ones(5), w)
    whole = module.count_cells(ensemble, z, 3)
    parts = [
        module.count_cells(ensemble.with_rows(ensemble.codes[s], w[s]), z[s], 3) for s in (slice(11), slice(11, 30))
    ]
    together = parts[0].plus(parts[1])
    assert np.array_equal(whole.cells, together.cells)
    assert np.array_equal(whole.sizes, together.sizes)
    assert whole.sizes.sum() == w[z >= 0].sum()


def test_votes_with_weights_of_labels(rng):
    X, z, v, w = cases(8)
    v[:] = 1
    e = rng.random((5, 4)) + 0.1
    ensemble = Ensemble(X.astype(np.int32), np.full(5, 4), np.ones(5), w)
    votes = module.row_votes(ensemble, module.count_cells(ensemble, z, 3), e.ravel())
    assert np.allclose(votes, slow_votes(X, z, v, w, e))


def test_objects_in_the_wrong_cluster_are_least_sure():
    X, truth = noisy_ensemble(sizes=(60, 50, 40), flip=0.2)
    wrong = truth.copy()
    wrong[:15] = (truth[:15] + 1) % 3
    confidence = label_confidence(X, wrong)
    assert confidence[:15].max() < 0 < np.median(confidence[15:])
    assert (label_votes(X, wrong)[np.arange(15), wrong[:15]] < 0.5).all()


def test_what_cannot_be_judged_is_refused(X, truth):
    with pytest.raises(ValueError, match="none of the 62 objects has both a cluster and a weight"):
        label_confidence(X, np.full(62, -1))
    with pytest.raises(ValueError, match="62"):
        label_votes(X, truth[:-1])
    with pytest.raises(LabelMatrixError, match="one label per object"):
        label_confidence(X, np.ones((62, 2), dtype=int))
    with pytest.raises(ValueError, match="weights has shape"):
        label_confidence(X, truth, weights=[1, 2])
