"""LCE: similarities of clusters and objects by loops over objects, trees by SciPy, the cut of the refined matrix."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans

from partita import EAC, LCE
from partita.consensus.label_space._lce import all_pairs, refined_cut
from partita.consensus.label_space._links import simrank
from tests.consensus.label_space.fixed_ensembles import BOTH, E16, distinct, objects, random_ensemble
from tests.ensembles import noisy_ensemble, same_partition

KINDS = ["cts", "srs", "asrs"]


class ByHand:
    """Everything from sets of objects, in loops."""

    def __init__(self, X, weights=None):
        self.X, self.n = X, len(X)
        self.v = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
        self.cells = [(m, label) for m in range(X.shape[1]) for label in range(X[:, m].max() + 1)]
        self.members = [set(np.flatnonzero(X[:, m] == label)) for m, label in self.cells]
        self.weight = np.array([self.v[m] for m, _ in self.cells])

    def labels(self, i):
        return [c for c, inside in enumerate(self.members) if i in inside]

    def jaccard(self, c, d):
        (m, _), (k, _) = self.cells[c], self.cells[d]
        if m == k:
            return 0.0
        seen = {i for i in range(self.n) if self.X[i, m] >= 0 and self.X[i, k] >= 0}
        either = (self.members[c] | self.members[d]) & seen
        return len(self.members[c] & self.members[d]) / len(either) if either else 0.0

    def clusters(self, kind, decay):
        """K of "cts" and "asrs"."""
        t = len(self.cells)
        J = np.array([[self.jaccard(c, d) for d in range(t)] for c in range(t)])
        K = np.zeros((t, t))
        for c, d in np.ndindex(t, t):
            if c == d or (kind == "cts" and self.cells[c][0] != self.cells[d][0]):
                continue
            if kind == "cts":
                K[c, d] = sum(self.weight[b] * min(J[c, b], J[d, b]) for b in range(t))
            else:
                n_c, n_d = ((J[x] > 0) @ self.weight for x in (c, d))
                K[c, d] = sum(self.weight[b] * J[c, b] * J[d, b] for b in range(t)) / (n_c * n_d) if n_c * n_d else 0
        K *= decay / K.max()
        np.fill_diagonal(K, 1.0)
        return K

    def pairs(self, i, j, K):
        """Mean of K over all pairs of labels."""
        a, b = self.labels(i), self.labels(j)
        total = sum(self.weight[c] * self.weight[d] * K[c, d] for c in a for d in b)
        return total / (self.weight[a].sum() * self.weight[b].sum())

    def simrank(self, decay, steps):
        """S after the steps, and the C that it was made of."""
        t, n = len(self.cells), self.n
        S, C = np.eye(n), np.eye(t)
        for _ in range(steps):
            last = C
            S, C = (
                np.array([[1.0 if i == j else decay * self.pairs(i, j, C) for j in range(n)] for i in range(n)]),
                np.array([[1.0 if c == d else decay * self._mean(S, c, d) for d in range(t)] for c in range(t)]),
            )
        return S, last

    def _mean(self, S, c, d):
        return np.mean([S[i, j] for i in self.members[c] for j in self.members[d]])

    def objects(self, kind, decay=0.8, steps=5):
        """S of all pairs of objects."""
        if kind == "srs":
            return self.simrank(decay, steps)[0]
        K, S = self.clusters(kind, decay), np.zeros((self.n, self.n))
        for i, j in np.ndindex(S.shape):
            if kind == "asrs":
                S[i, j] = self.pairs(i, j, K)
                continue
            of_j = {self.cells[d][0]: d for d in self.labels(j)}
            both = [(c, of_j[self.cells[c][0]]) for c in self.labels(i) if self.cells[c][0] in of_j]
            weight = self.weight[[c for c, _ in both]]
            S[i, j] = np.average([K[c, d] for c, d in both], weights=weight) if both else 0.0
        return S


def similarity(model, ensemble):
    """S of all pairs of rows, as the estimator computes it."""
    K = model._cluster_similarity(ensemble)
    if model.similarity == "cts":
        from partita.consensus.label_space._ecpcs import within_clusterings

        return model._similarities(ensemble, ensemble, within_clusterings(K, ensemble))
    return all_pairs(ensemble, ensemble, model._between_objects(K, ensemble))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("weights", [None, [1, 2.5, 0.7]])
def test_similarities_are_those_of_the_objects(kind, name, weights):
    X = BOTH[name]
    expected = ByHand(X, weights).objects(kind)
    ensemble, inverse = distinct(X, weights)
    found = similarity(LCE(similarity=kind), ensemble)[np.ix_(inverse, inverse)]
    different = ~np.eye(len(X), dtype=bool)  # the similarity of an object with itself is not used
    assert np.allclose(found[different], expected[different], atol=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3, 6])
def test_simrank_of_clusters_is_that_of_the_objects(steps):
    X = random_ensemble(n=25, m=3, missing=0.2, seed=3)
    expected = ByHand(X).simrank(0.7, steps)[1]
    assert np.allclose(simrank(distinct(X)[0], 0.7, steps, show=False), expected, atol=1e-12)


def test_simrank_does_not_exceed_one_for_small_weights():
    ensemble = objects(random_ensemble(n=25, m=3, seed=3), row_weights=np.full(25, 1e-3))
    C = simrank(ensemble, 1.0, 6, show=False)
    assert C.max() <= 1 + 1e-12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["average", "single", "complete"])
def test_the_tree_is_scipys(kind, how):
    X = np.unique(random_ensemble(n=40, missing=0.0, seed=8), axis=0)  # no equal rows: they are together by definition
    weights = [1, 1.31, 0.77, 1.13]  # without ties
    D = 1 - ByHand(X, weights).objects(kind)
    np.fill_diagonal(D, 0.0)
    scipys = linkage(squareform(D, checks=False), how)[:, 2]
    model = LCE(3, similarity=kind, linkage=how, weights=weights).fit(X)
    assert np.allclose(model.dendrogram_[:, 2], scipys, atol=1e-12)


def test_the_tree_of_connected_triples_counts_equal_objects():
    X = random_ensemble(n=60, missing=0.0, seed=9)
    D = 1 - ByHand(X).objects("cts")
    np.fill_diagonal(D, 0.0)
    scipys = linkage(squareform(D, checks=False), "average")[:, 2]
    assert np.allclose(LCE(3).fit(X).dendrogram_[:, 2], scipys, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_without_decay_it_is_evidence_accumulation(missing):
    X = noisy_ensemble(sizes=(20, 15, 10), n_clusterings=6, flip=0.3, missing=missing).X
    for k in (2, 3, 7):
        assert same_partition(LCE(k, decay=0.0).fit_predict(X), EAC(k).fit_predict(X))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_cut_is_that_of_the_refined_matrix(missing):
    X = noisy_ensemble(sizes=(25, 20, 10), n_clusterings=6, flip=0.25, missing=missing, seed=5).X
    by_hand = ByHand(X)
    K = by_hand.clusters("cts", 0.8)
    B = np.zeros((len(X), len(K)))  # one row per object
    for i in range(len(X)):
        for c in by_hand.labels(i):
            same = [d for d, (m, _) in enumerate(by_hand.cells) if m == by_hand.cells[c][0]]
            B[i, same] = K[c, same]
    U, s, _ = np.linalg.svd(B / np.sqrt(np.outer(B.sum(axis=1), B.sum(axis=0))), full_matrices=False)
    F = (U * s)[:, :3] / np.sqrt(B.sum(axis=1))[:, None]
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    expected = KMeans(3, n_init=20, random_state=0).fit_predict(F)
    model = LCE(3, output="cut", random_state=0).fit(X)
    assert same_partition(model.labels_, expected)
    ensemble = distinct(X)[0]
    table = np.where(ensemble.cell_clustering[:, None] == ensemble.cell_clustering, K, 0.0)
    assert np.allclose(refined_cut(ensemble, table, 3)[0].singular_values, s[:4], atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows_go_to_the_highest_mean_similarity(kind):
    X = random_ensemble(n=50, missing=0.15, seed=6)
    fitted, new = X[:35], X[35:]
    model = LCE(3, similarity=kind).fit(fitted)
    known = {tuple(row) for row in fitted.tolist()}
    ensemble = objects(fitted)
    K = model._cluster_similarity(ensemble)
    by_hand = ByHand(np.vstack([fitted, new]))
    for place, label in enumerate(model.predict(new), 35):
        if tuple(X[place].tolist()) in known:
            continue
        S = []
        for j in range(35):
            of_j = {by_hand.cells[d][0]: d for d in by_hand.labels(j)}
            both = [(c, of_j[by_hand.cells[c][0]]) for c in by_hand.labels(place) if by_hand.cells[c][0] in of_j]
            cts = np.mean([K[c, d] for c, d in both]) if both else 0.0
            S.append(cts if kind == "cts" else by_hand.pairs(place, j, K))
        mean = [np.mean([s for s, q in zip(S, model.labels_, strict=True) if q == k]) for k in range(3)]
        assert mean[label] >= max(mean) - 1e-9


def test_a_second_fit_forgets_the_tree():
    model = LCE(3).fit(E16)
    assert hasattr(model, "dendrogram_")
    assert not hasattr(model.set_params(output="cut", random_state=0).fit(E16), "dendrogram_")
