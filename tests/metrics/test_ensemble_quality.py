"""How certain an ensemble is: every function against a double loop over objects (eqs. I48, I49, I50, I51)."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita import coassociation
from partita.exceptions import LeftOutWarning, NotEnoughMemoryError
from partita.metrics import cluster_consensus, consensus_cdf, item_consensus, pac_score
from partita.metrics._ensemble_pairs import _BLOCK_ENTRIES
from tests import twins
from tests.ensembles import label_matrices, noisy_ensemble, partitions

GRID = [0, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.999, 1]
with_labels = label_matrices(max_rows=12, max_columns=5, min_rows=2).flatmap(
    lambda X: st.tuples(st.just(X[:, (X >= 0).any(axis=0)]), partitions(len(X), max_label=3))
)


def similarity_of(X):
    """S = C / N, NaN where no clustering labels both."""
    C, N = twins.coassociation(X)
    return np.divide(C, N, out=np.full(C.shape, np.nan), where=N > 0)


def known_pairs(S):
    return np.array([S[i, j] for i, j in combinations(range(len(S)), 2) if not np.isnan(S[i, j])])


def item_slowly(S, labels):
    out = np.full((len(S), len(np.unique(labels))), np.nan)
    for i in range(len(S)):
        for k, c in enumerate(np.unique(labels)):
            others = [S[i, j] for j in range(len(S)) if labels[j] == c and j != i and not np.isnan(S[i, j])]
            out[i, k] = np.mean(others) if others else np.nan
    return out


def cluster_slowly(S, labels):
    out = []
    for c in np.unique(labels):
        members = np.flatnonzero(labels == c)
        within = known_pairs(S[np.ix_(members, members)])
        out.append(within.mean() if len(within) else np.nan)
    return np.array(out)


def forms(X):
    """The same ensemble in every form that holds all pairs."""
    S = similarity_of(X)
    labelled = S.copy()
    np.fill_diagonal(labelled, 1.0)
    return [X, coassociation(X), labelled, pd.DataFrame(labelled), {f"c{j}": X[:, j] for j in range(X.shape[1])}]


@given(with_labels)
def test_all_forms_are_double_loops(data):
    X, labels = data
    S = similarity_of(X)
    values = known_pairs(S)
    for ensemble in forms(X):
        for lower, upper in ((0.1, 0.9), (0, 1), (0.25, 0.5)):
            expected = np.mean((lower < values) & (values < upper)) if len(values) else np.nan
            assert pac_score(ensemble, (lower, upper)) == pytest.approx(expected, abs=1e-15, nan_ok=True)
        assert pac_score(ensemble, "strict") == pytest.approx(pac_score(ensemble, (0, 1)), nan_ok=True)
        cdf = consensus_cdf(ensemble, GRID)
        expected = [np.mean(values <= t) if len(values) else np.nan for t in GRID]
        assert cdf.cdf == pytest.approx(np.array(expected), abs=1e-15, nan_ok=True)
        area = 1 - values.mean() if len(values) else np.nan
        assert cdf.area == pytest.approx(area, abs=1e-12, nan_ok=True)
        assert item_consensus(ensemble, labels) == pytest.approx(item_slowly(S, labels), abs=1e-12, nan_ok=True)
        assert cluster_consensus(ensemble, labels) == pytest.approx(cluster_slowly(S, labels), abs=1e-12, nan_ok=True)


def test_many_blocks_and_clusterings(monkeypatch, rng):
    """Several blocks of rows, and more clusterings than a byte counts."""
    monkeypatch.setattr("partita.metrics._ensemble_pairs._BLOCK_ENTRIES", 200)
    X = noisy_ensemble(sizes=(20, 15), n_clusterings=300, missing=0.2).X
    labels = rng.integers(3, size=len(X))
    S = similarity_of(X)
    values = known_pairs(S)
    for ensemble in (X, coassociation(X)):
        assert pac_score(ensemble) == np.mean((values > 0.1) & (values < 0.9))
        assert pac_score(ensemble, n_jobs=2) == pac_score(ensemble, n_jobs=1)
        assert np.allclose(item_consensus(ensemble, labels), item_slowly(S, labels), rtol=1e-12)
        assert np.allclose(cluster_consensus(ensemble, labels), cluster_slowly(S, labels), rtol=1e-12)
    cdfs = [consensus_cdf(X, n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert np.array_equal(cdfs[0].cdf, cdfs[1].cdf)
    assert cdfs[0].area == cdfs[1].area
    assert _BLOCK_ENTRIES > 200


def test_unanimous_clusterings_leave_no_pair_ambiguous():
    truth = np.repeat([0, 1, 2], [4, 3, 1])
    X = np.column_stack([truth, (truth + 1) % 3])
    assert pac_score(X, "strict") == 0
    cdf = consensus_cdf(X)
    within = (6 + 3) / 28
    assert cdf.grid[[0, 10, 100]].tolist() == [0, 0.1, 1]
    assert np.allclose(cdf.cdf[:-1], 1 - within)
    assert cdf.cdf[-1] == 1
    assert cdf.area == pytest.approx(1 - within)
    assert np.array_equal(cluster_consensus(X, truth), [1, 1, np.nan], equal_nan=True)
    assert item_consensus(X, truth)[-1] == pytest.approx([0, 0, np.nan], nan_ok=True)


def test_thresholds_are_strict_and_named():
    X = np.zeros((2, 10), dtype=int)
    X[1, :9] = 1  # together in one of ten
    assert pac_score(X) == 0
    assert pac_score(X, (0.09, 0.9)) == 1
    assert pac_score(X, "strict") == 1
    assert pac_score(X, "senbabaoglu") == pac_score(X)
    X[1, :9] = np.r_[1, np.zeros(8, int)]  # and in nine of ten
    assert pac_score(X) == 0
    assert pac_score(X, "strict") == 1


def test_sampled_pairs_are_an_estimate():
    ensemble = noisy_ensemble(flip=0.3)
    X, labels = ensemble.X, ensemble.truth
    every = coassociation(X, form="pairs", pairs=1.0)
    assert pac_score(every) == pac_score(X)
    assert consensus_cdf(every).area == pytest.approx(consensus_cdf(X).area)
    assert np.allclose(item_consensus(every, labels), item_consensus(X, labels), equal_nan=True)
    assert np.allclose(cluster_consensus(every, labels), cluster_consensus(X, labels))
    some = coassociation(X, form="pairs", pairs=0.5, random_state=0)
    assert pac_score(some) == pytest.approx(pac_score(X), abs=0.05)


def test_weighted_counts_give_weighted_consensus(X, truth, rng):
    weights = rng.random(X.shape[1])
    weighted = coassociation(X, weights=weights)
    C, N = twins.coassociation(X, weights)
    S = np.divide(C, N, out=np.full(C.shape, np.nan), where=N > 0)
    assert np.allclose(item_consensus(weighted, truth), item_slowly(S, truth), rtol=1e-10)


def test_unlabelled_objects_belong_to_no_cluster():
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    with pytest.warns(LeftOutWarning, match="1 of 4 objects are unlabelled and were left out of the clusters"):
        items = item_consensus(X, [0, 0, -1, 1])
    assert np.allclose(items, [[1, 0], [1, 0], [0.5, 0.5], [0, np.nan]], equal_nan=True)
    with pytest.warns(LeftOutWarning, match="1 of 4"):
        assert np.array_equal(cluster_consensus(X, [0, 0, None, 1]), [1, np.nan], equal_nan=True)


def test_objects_without_any_label_are_in_no_pair():
    X = [[0, 0, None, None, 1]]
    assert pac_score(X) == 0
    assert consensus_cdf(X, [0]).cdf[0] == pytest.approx(2 / 3)
    assert np.isnan(item_consensus(X, [0, 0, 0, 0, 1])[2]).all()
    assert np.array_equal(cluster_consensus(X, [0, 0, 1, 1, 2]), [1, np.nan, np.nan], equal_nan=True)


def test_wrong_thresholds_grids_and_labels_are_refused():
    with pytest.raises(ValueError, match=r"thresholds=\(0.9, 0.1\) must satisfy 0 <= lower < upper <= 1"):
        pac_score([[0, 1]], (0.9, 0.1))
    with pytest.raises(ValueError, match="thresholds='wide' is not known; choose 'senbabaoglu' or 'strict'"):
        pac_score([[0, 1]], "wide")
    with pytest.raises(ValueError, match=r"thresholds=0\.5 must be two numbers"):
        pac_score([[0, 1]], 0.5)
    for grid in ([[0.5]], [], [np.nan]):
        with pytest.raises(ValueError, match="pass a series of at least one number"):
            consensus_cdf([[0, 1]], grid)
    for function in (item_consensus, cluster_consensus):
        with pytest.raises(ValueError, match="X has 2 objects, but labels has 3"):
            function([[0, 1]], [0, 1, 1])
        with pytest.raises(ValueError, match="none of the 2 objects is labelled"):
            function([[0, 1]], [-1, -1])


def test_tables_of_many_clusters_are_refused_before_any_work(monkeypatch, X):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "100kB")
    for function in (item_consensus, cluster_consensus):
        with pytest.raises(NotEnoughMemoryError, match="a table of 62 x 62 clusters needs"):
            function(X, np.arange(62))
