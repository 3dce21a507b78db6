"""Matched votes: the optimum over all matchings of small ensembles, and the values of the R package clue."""

from itertools import permutations, product

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from partita import KMeansEnsemble, MatchedVoting, check_label_matrix


def matchings(n_labels, k):
    """Every way to match as many of these labels as possible to k clusters; -1 for none."""
    if n_labels <= k:
        return [np.array(clusters) for clusters in permutations(range(k), n_labels)]
    places = []
    for chosen in permutations(range(n_labels), k):
        place = np.full(n_labels, -1)
        place[list(chosen)] = range(k)
        places.append(place)
    return places


def nearest_in_simplex(point):
    """Euclidean projection on the simplex, by bisection of the shift (eq. W4)."""
    low, high = point.min() - 1, point.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(point - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(point - high, 0)


def distance(v, points, y):
    """Weighted squared distances of a membership from points, whose last place is no cluster."""
    return sum(vm * ((p[:-1] - y) @ (p[:-1] - y) + p[-1]) for vm, p in zip(v, points, strict=True))


def objective(X, chosen, k, weights, sample_weight, *, hard):
    """F of eq. W1 at the best memberships for these matchings, object by object."""
    total = 0.0
    for row, w in zip(X, sample_weight, strict=True):
        seen = [m for m in range(len(row)) if row[m] >= 0]
        points = [np.eye(k + 1)[chosen[m][row[m]]] for m in seen]  # no cluster, -1, is the last place
        v = weights[seen]
        mean = v @ np.array(points)[:, :k] / v.sum()
        candidates = np.eye(k) if hard else [nearest_in_simplex(mean)]
        total += w * min(
            sum(vm * ((p[:k] - y) @ (p[:k] - y) + p[k]) for vm, p in zip(v, points, strict=True)) for y in candidates
        )
    return total


def random_ensemble(seed, *, holes, n=7, m=3, n_labels=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_labels, size=(n, m))
    if holes:
        X[rng.random(X.shape) < 0.25] = -1
        X[(X < 0).all(axis=1), 0] = 0
    return X, rng.uniform(0.5, 2, m), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("output", ["soft", "hard"])
@pytest.mark.parametrize("k", [2, 3])
def test_fit_reaches_the_optimum_over_all_matchings(seed, output, k):
    X, weights, sample_weight = random_ensemble(seed, holes=seed % 2 == 1)
    codes = check_label_matrix(X).codes
    ways = [matchings(int(column.max()) + 1, k) for column in codes.T]
    best = min(objective(codes, chosen, k, weights, sample_weight, hard=output == "hard") for chosen in product(*ways))
    model = MatchedVoting(k, output=output, weights=weights, random_state=0).fit(X, sample_weight=sample_weight)
    assert model.objective_ == pytest.approx(best, rel=1e-9)


def kmeans_labels(load, n_clusters, *, holes=False):
    X = KMeansEnsemble(n_clusterings=20, n_clusters=n_clusters, random_state=0).fit_transform(load().data)
    if holes:
        X[np.random.default_rng(0).random(X.shape) < 0.3] = -1
    return X


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(("load", "k"), [(load_iris, 3), (load_digits, 10)])
def test_all_seeds_end_at_the_same_value(load, k, holes):
    X = kmeans_labels(load, (k, k), holes=holes)
    many = MatchedVoting(k, n_init=100, random_state=7).fit(X).objective_
    ends = [MatchedVoting(k, random_state=seed).fit(X).objective_ for seed in range(4)]
    np.testing.assert_allclose(ends, min(many, *ends), rtol=1e-4)


def test_objective_is_that_of_clue():
    # R 4.2.2, clue 0.3.64, on this label matrix (columns of ``clusterings``):
    #   e <- cl_ensemble(list = lapply(1:5, function(j) as.cl_hard_partition(X[, j])))
    #   for (m in c("SE", "HE")) { r <- cl_consensus(e, method = m, control = list(k = 3, nruns = 50))
    #     print(sum(sapply(e, function(p) cl_dissimilarity(p, r, "euclidean")^2)), digits = 10) }
    clusterings = """
        1 1 1 2 2 2 3 3 3 3 1 2
        2 2 1 1 1 3 3 3 3 3 2 1
        1 1 2 2 2 2 3 3 1 3 1 2
        3 3 3 1 1 2 2 2 2 2 3 2
        1 1 1 1 2 2 2 3 3 3 3 1
    """
    X = np.array([line.split() for line in clusterings.strip().splitlines()], dtype=int).T
    for output, value in (("soft", 14.0), ("hard", 20.0)):
        model = MatchedVoting(3, output=output, random_state=0).fit(X)
        assert model.objective_ == pytest.approx(value, rel=1e-8)


def test_hard_output_is_a_partition():
    model = MatchedVoting(3, output="hard", random_state=0).fit(kmeans_labels(load_iris, (2, 8)))
    assert set(np.unique(model.membership_)) <= {0.0, 1.0}
    np.testing.assert_array_equal(model.membership_.argmax(axis=1), model.labels_)


def test_labels_that_match_no_cluster_leave_the_object_undecided():
    X = np.column_stack([[0, 0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 1, 1, 1, 1], [5, 5, 5, 5, 7, 7, 7, 9]])
    model = MatchedVoting(2, random_state=0).fit(X)
    # two of the three clusterings have a third cluster for the last object: only one vote is left
    np.testing.assert_allclose(model.membership_[-1], [1 / 3, 2 / 3])
    np.testing.assert_allclose(model.membership_[:-1], np.eye(2)[[0, 0, 0, 0, 1, 1, 1]])


def test_many_rows_start_on_a_sample():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=6000)
    X = np.where(rng.random((6000, 12)) < 0.25, rng.integers(4, size=(6000, 12)), truth[:, None])
    model = MatchedVoting(4, random_state=0).fit(X)
    assert len(np.unique(X, axis=0)) > 3000
    assert (np.array([np.bincount(truth[model.labels_ == q]).max() for q in range(4)]).sum()) > 0.99 * 6000
