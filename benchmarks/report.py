"""What a report is made of, against the straightforward way; and a whole report, of 100,000 objects."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks._ensembles import noisy_ensemble, voronoi_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita import ConsensusResult, combine
from partita.metrics import coassociation
from partita.metrics._agreement_matrix import agreement_matrix
from partita.report import write_report


def _rows(X):
    distinct, n_objects = np.unique(X, axis=0, return_counts=True)
    return X, distinct.astype(np.int32), n_objects


def _ours(data):
    return agreement_matrix(data[1], data[2], "adjusted_rand")


def _pair_by_pair(data):
    columns = data[0].T
    return np.array([[adjusted_rand_score(a, b) for b in columns] for a in columns])


def _clusters(result):
    return ConsensusResult(result.estimator, result.choice).clusters["consensus"].to_numpy()


def _dense(result):
    """From the n x n co-association."""
    S = coassociation(result._judged.codes_of(np.arange(len(result.labels)))).similarity()
    inside = [np.flatnonzero(result.labels == q) for q in range(result.n_clusters)]
    return np.array([(S[np.ix_(one, one)].sum() - len(one)) / (len(one) * (len(one) - 1)) for one in inside])


def _report(result):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = Path(folder) / "report.html"
        write_report(ConsensusResult(result.estimator, result.choice), page)
        return page.stat().st_size


def _noisy():
    X = noisy_ensemble(100_000, 20, flip=0.2)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = -1
    return combine(X, random_state=0)


BENCHMARK: Benchmark = [
    Case(
        "agreement, 100,000 x 20",
        lambda: _rows(voronoi_ensemble(100_000, 20)),
        [Contestant("partita", _ours), Contestant("scikit-learn, pair by pair", _pair_by_pair, repeat=1)],
        answer=lambda matrix: round(float(matrix.sum()), 6),
    ),
    Case(
        "cluster consensus, 5,000 x 20",
        lambda: combine(noisy_ensemble(5000, 20), n_clusters=8, random_state=0),
        [Contestant("partita", _clusters), Contestant("dense co-association", _dense, repeat=1)],
        answer=lambda values: [round(float(value), 9) for value in values],
    ),
    Case(
        "report, 100,000 x 20",
        _noisy,
        [Contestant("partita", _report, repeat=1)],
        answer=lambda size: size < 3e6,
    ),
]
