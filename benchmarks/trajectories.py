"""Walks, dense representations and links: against the straightforward computation with matrices over rows or objects.

ARI is against the digits that the clusterings were made of.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import partita
from benchmarks._harness import Benchmark, Case, Contestant
from benchmarks.coassociation import indicator
from partita._labels.ensemble import Ensemble
from partita.consensus.label_space._drec import affinity, dense_representation
from partita.consensus.label_space._links import simrank
from partita.consensus.walks._row_walks import row_trajectories

_STEPS = _NEIGHBOURS = 20


def _digits(missing=0.0, m=20, seed=0):
    """k-means clusterings of the digits, k from 2 to 20, and the digits."""
    rng, (points, truth) = np.random.default_rng(seed), load_digits(return_X_y=True)
    numbers = rng.integers(2, 21, size=m)
    X = np.column_stack(
        [KMeans(k, init="random", n_init=1, random_state=j).fit_predict(points) for j, k in enumerate(numbers)]
    )
    X[rng.random(X.shape) < missing] = -1
    return X.astype(np.int32), truth


def _rows(missing=0.0):
    """Distinct rows with their weights."""
    X, _ = _digits(missing)
    rows, size = np.unique(X, axis=0, return_counts=True)
    return Ensemble(np.ascontiguousarray(rows), X.max(axis=0).astype(np.int64) + 1, np.ones(20), size.astype(float))


def _walks_by_hand(ensemble):
    """Powers of the dense walk, one after the other."""
    H, seen = indicator(ensemble.codes).astype(float), (ensemble.codes >= 0).astype(float)
    both = seen @ seen.T
    S = np.divide((H @ H.T).toarray(), both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(S, 0.0)
    least = np.sort(S, axis=1)[:, -_NEIGHBOURS] - 1e-12
    P = np.where((least[:, None] <= S) | (least <= S), S, 0.0) * ensemble.row_weights
    P /= P.sum(axis=1, keepdims=True)
    power, inner = np.eye(len(P)), np.zeros_like(P)
    for _ in range(_STEPS):
        power = power @ P
        inner += power @ power.T
    length = np.sqrt(np.diag(inner))
    return inner / np.outer(length, length)


def _representation_by_hand(ensemble):
    """One inverse over the rows per row and pass."""
    H = indicator(ensemble.codes).toarray().astype(float)
    G, mu = H @ H.T, np.full(len(H), 100.0)
    for _ in range(5):
        Z = np.column_stack([np.linalg.solve(G + mu[j] * np.eye(len(H)), G[:, j]) for j in range(len(H))])
        mu = 200.0 * np.linalg.norm(H.T - H.T @ Z, axis=0)
    U, s, _ = np.linalg.svd(Z)
    Y = (U * np.sqrt(s))[:, s > 1e-4 * s[0]]
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    return (Y @ Y.T) ** 4


def _simrank_by_hand(ensemble):
    """SimRank with the matrix over the objects."""
    X = np.repeat(ensemble.codes, ensemble.row_weights.astype(int), axis=0)
    H = indicator(X).astype(float)
    size, m = np.asarray(H.sum(axis=0)).ravel(), X.shape[1]
    S, C = np.eye(len(X)), np.eye(H.shape[1])
    for _ in range(4):
        S, C = 0.8 * (H @ (H @ C).T) / m**2, 0.8 * np.asarray(H.T @ (H.T @ S).T) / np.outer(size, size)
        np.fill_diagonal(S, 1.0)
        np.fill_diagonal(C, 1.0)
    return C


def _table(value):
    return {"sum": round(float(value.sum()), 4)}


def _against(label, make, ours, by_hand):
    contestants = [Contestant("partita", ours), Contestant("by hand", by_hand, repeat=1)]
    return Case(label, make, contestants, answer=_table)


def _fit(name, **options):
    def run(data):
        X, truth = data
        labels = getattr(partita, name)(10, random_state=0, **options).fit_predict(X)
        return {"ari": round(float(adjusted_rand_score(truth, labels)), 3)}

    return run


_METHODS = {
    "PTA": _fit("PTA"),
    "PTGP": _fit("PTGP"),
    "DREC": _fit("DREC"),
    "LCE cts": _fit("LCE"),
    "LCE srs": _fit("LCE", similarity="srs"),
    "LCE asrs": _fit("LCE", similarity="asrs"),
    "LCE cut": _fit("LCE", output="cut"),
    "EAC": _fit("EAC"),
    "LWEA": _fit("LWEA"),
    "LWGP": _fit("LWGP"),
}


def _methods(label, missing):
    contestants = [Contestant(f"partita {name}", run, repeat=1) for name, run in _METHODS.items()]
    return Case(label, lambda: _digits(missing), contestants, answer=lambda value: value, agree=False)


BENCHMARK: Benchmark = [
    _against(
        "walks among 1,800 rows, 30 % missing",
        lambda: _rows(0.3),
        lambda ensemble: row_trajectories(ensemble, _NEIGHBOURS, _STEPS, show=False),
        _walks_by_hand,
    ),
    _against(
        "dense representation of 430 rows",
        _rows,
        lambda ensemble: affinity(dense_representation(ensemble, 100.0), show=False),
        _representation_by_hand,
    ),
    _against(
        "SimRank of the clusters of 1,797 objects",
        _rows,
        lambda ensemble: simrank(ensemble, 0.8, 5, show=False),
        _simrank_by_hand,
    ),
    _methods("digits, 1,797 x 20", 0.0),
    _methods("digits, 1,797 x 20, 30 % missing", 0.3),
]
