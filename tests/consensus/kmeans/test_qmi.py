"""Quadratic mutual information from contingency tables, and the k-means that maximises it (eqs. M21 to M23)."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partita import QMI, LabelKMeans
from partita.consensus.kmeans import _label_kmeans as kmeans
from partita.consensus.kmeans import _lloyd
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition


def category_utility(labels, column, weight):
    """U = sum_r p_r sum_j p(j | r)^2 - sum_j p_j^2 from the weighted contingency table."""
    table = np.zeros((labels.max() + 1, column.max() + 1))
    np.add.at(table, (labels, column), weight / weight.sum())
    table = table[table.sum(axis=1) > 0]
    within = sum(row.sum() * ((row / row.sum()) ** 2).sum() for row in table)
    return within - (table.sum(axis=0) ** 2).sum()


def quadratic_mutual_information(labels, column, weight):
    """I_2 = H_2(column) - H_2(column | labels) with H_2 = 2 (1 - sum p^2)."""
    total = weight.sum()
    p = np.array([weight[column == j].sum() for j in np.unique(column)]) / total
    conditional = 0.0
    for r in np.unique(labels):
        mine = labels == r
        q = np.array([weight[mine & (column == j)].sum() for j in np.unique(column)]) / weight[mine].sum()
        conditional += weight[mine].sum() / total * 2 * (1 - q @ q)
    return 2 * (1 - p @ p) - conditional


def sum_of_squares(points, weight):
    return weight @ ((points - np.average(points, axis=0, weights=weight)) ** 2).sum(axis=1)


def indicators(X, weights, sample_weight):
    """One-hot labels; where one is missing, the weighted mean of those that are there."""
    blocks = []
    for j, column in enumerate(X.T):
        block = np.zeros((len(X), column.max() + 1))
        seen = column >= 0
        block[seen, column[seen]] = 1
        block[~seen] = np.average(block[seen], axis=0, weights=sample_weight[seen])
        blocks.append(np.sqrt(weights[j]) * block)
    return np.hstack(blocks)


@pytest.mark.parametrize("n_clusters", [1, 2, 4])
def test_objective_is_the_information_in_the_contingency_tables(n_clusters, rng):
    X = noisy_ensemble(missing=0, flip=0.4, n_clusterings=6).X
    weights, sample_weight = rng.random(6) + 0.2, rng.random(len(X)) + 0.1
    model = QMI(n_clusters, weights=weights, random_state=0).fit(X, sample_weight=sample_weight)
    utility = weights @ [category_utility(model.labels_, column, sample_weight) for column in X.T]
    information = weights @ [quadratic_mutual_information(model.labels_, column, sample_weight) for column in X.T]
    T = sum_of_squares(indicators(X, weights, sample_weight), sample_weight)
    assert utility == pytest.approx((T - model.objective_) / sample_weight.sum(), abs=1e-12)
    assert model.mutual_information_ == pytest.approx(2 * utility, abs=1e-12)
    assert model.mutual_information_ == pytest.approx(information, abs=1e-12)


def test_missing_labels_count_as_the_mean_of_their_clustering(rng):
    X = noisy_ensemble(missing=0.4, flip=0.3).X
    weights, sample_weight = rng.random(X.shape[1]) + 0.2, rng.random(len(X)) + 0.1
    model = QMI(3, weights=weights, random_state=0).fit(X, sample_weight=sample_weight)
    points = indicators(X, weights, sample_weight)
    W = sum(sum_of_squares(points[model.labels_ == k], sample_weight[model.labels_ == k]) for k in range(3))
    assert model.objective_ == pytest.approx(W, rel=1e-10)
    expected = 2 * (sum_of_squares(points, sample_weight) - W) / sample_weight.sum()
    assert model.mutual_information_ == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_no_partition_has_more_information(n_clusters, rng):
    X, weight = rng.integers(0, 3, size=(7, 4)), rng.random(7) + 0.1
    best = max(
        sum(quadratic_mutual_information(np.array([0, *z]), column, weight) for column in X.T)
        for z in product(range(n_clusters), repeat=6)
    )
    model = QMI(n_clusters, n_init=60, random_state=0).fit(X, sample_weight=weight)
    assert model.mutual_information_ == pytest.approx(best, rel=1e-10)


def test_from_the_same_start_as_scikit_learns_k_means(rng, monkeypatch):
    X = np.unique(noisy_ensemble(missing=0, flip=0.5).X, axis=0)
    weights, rows, centers = rng.random(X.shape[1]) + 0.1, np.array([3, 1, 20, 40]), []

    def start(points, *_):
        centers.append(points.space.centers(points.as_mass(rows)))
        return points.as_mass(rows)

    monkeypatch.setattr(kmeans, "start_clusters", start)
    monkeypatch.setattr(_lloyd, "move_rows", lambda *_: 0)  # scikit-learn makes no single moves
    ours = QMI(4, n_init=1, keep_starts=True, weights=weights).fit(X)
    scaled = centers[0] * np.sqrt(np.repeat(weights, 3))
    theirs = KMeans(4, init=scaled, n_init=1, tol=0).fit(twins.one_hot(X, weights))
    assert ours.objective_ == pytest.approx(theirs.inertia_, rel=1e-10)
    assert same_partition(ours.labels_, theirs.labels_)


def test_information_of_unanimous_clusterings_is_their_own(truth):
    X = np.repeat(truth[:, None], 4, axis=1)
    p = np.bincount(truth) / len(truth)
    assert QMI(3, random_state=0).fit(X).mutual_information_ == pytest.approx(4 * 2 * (1 - p @ p))
    assert QMI(1, random_state=0).fit(X).mutual_information_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_is_label_k_means(missing, rng):
    X = noisy_ensemble(missing=missing, flip=0.4).X
    parameters = {"n_clusters": 4, "weights": rng.random(X.shape[1]) + 0.1, "n_init": 3, "random_state": 5}
    ours, plain = QMI(**parameters).fit(X), LabelKMeans(**parameters).fit(X)
    assert np.array_equal(ours.labels_, plain.labels_)
    assert ours.history_ == plain.history_
    assert ours.objective_ == plain.objective_
    assert np.array_equal(np.hstack(ours.cluster_centers_), np.hstack(plain.cluster_centers_))
    assert np.array_equal(ours.predict(X), ours.labels_)


def test_parameters_are_those_of_label_kmeans_without_coding_and_solver():
    assert set(QMI().get_params()) == set(LabelKMeans().get_params()) - {"coding", "solver"}
    with pytest.raises(TypeError, match="coding"):
        QMI(coding="raw")
    with pytest.raises(ValueError, match="Invalid parameter 'coding'"):
        QMI().set_params(coding="raw")
    with pytest.raises(ValueError, match="'n_clusters' parameter of QMI must be"):
        QMI(n_clusters=0).fit([[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="'tol' parameter of QMI must be"):
        QMI(tol=-1.0).fit([[0, 1], [0, 1]])
