"""Soft clusterings: one-hot rows are labels, and information-theoretic k-means against its formula."""

import numpy as np
import pytest
from scipy import sparse

from partita import CSPA, HBGF, ITK, MCLA, SoftCSPA, SoftHBGF, SoftMCLA
from partita.consensus.graph import _mcla
from partita.consensus.soft import _soft_graph
from partita.consensus.soft._itk import Divergence
from partita.consensus.soft._soft_ensemble import stack
from partita.exceptions import UnlabelledObjectsWarning
from tests import twins
from tests.ensembles import noisy_ensemble, same_partition

PAIRS = [(SoftCSPA, CSPA), (SoftMCLA, MCLA), (SoftHBGF, HBGF)]
METHODS = [SoftCSPA, SoftMCLA, SoftHBGF, ITK]


def one_hot(X):
    blocks = [(column[:, None] == np.arange(X.max() + 1)).astype(float) for column in X.T]
    return [np.where(column[:, None] >= 0, block, np.nan) for column, block in zip(X.T, blocks, strict=True)]


def posteriors(sizes=(30, 20, 12), n_clusterings=6, missing=0.0, seed=0):
    """Probabilities of three Gaussians on a line, of clusterings that saw them through noise."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat([0, 1, 2], sizes))
    blocks = []
    for _ in range(n_clusterings):
        x = 4.0 * truth + rng.normal(size=len(truth))
        density = np.exp(-0.5 * (x[:, None] - 4.0 * rng.permutation(3)) ** 2)
        block = density / density.sum(axis=1, keepdims=True)
        block[rng.random(len(truth)) < missing] = np.nan
        blocks.append(block)
    blocks[0] = np.where(np.isnan(blocks[0]), 1 / 3, blocks[0])
    return blocks, truth


def test_similarity_of_one_hot_rows_is_the_coassociation(rng):
    X = noisy_ensemble(missing=0.4).X
    weights = rng.random(X.shape[1]) + 0.1
    C, N = twins.coassociation(X, weights)
    found = _soft_graph.soft_similarity(stack(one_hot(X), weights, np.ones(len(X))))
    assert np.allclose(found, np.divide(C, N, out=np.zeros_like(C), where=N > 0))


def test_similarity_of_probabilities_is_a_mean_product(rng):
    blocks = posteriors(missing=0.3)[0]
    weights = rng.random(6) + 0.1
    found = _soft_graph.soft_similarity(stack(blocks, weights, np.ones(62)))
    for i, j in rng.integers(62, size=(40, 2)):
        both = [m for m in range(6) if not np.isnan(blocks[m][[i, j]]).any()]
        total = sum(weights[m] * blocks[m][i] @ blocks[m][j] for m in both)
        assert found[i, j] == pytest.approx(total / weights[both].sum() if both else 0)


@pytest.mark.parametrize(("soft", "hard"), PAIRS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_one_hot_rows_give_the_labels_of_the_hard_method(soft, hard, missing):
    X = noisy_ensemble(missing=missing).X
    expected = hard(3, random_state=0).fit(X)
    on_labels = soft(3, random_state=0).fit(X)
    assert np.array_equal(on_labels.labels_, expected.labels_)
    assert on_labels.partitioner_ == expected.partitioner_
    on_rows = soft(3, random_state=0).fit(one_hot(X))
    assert same_partition(on_rows.labels_, expected.labels_)
    assert on_rows.n_features_in_ == X.shape[1]


def test_edges_of_one_hot_rows_are_those_of_hbgf(monkeypatch):
    X = np.unique(noisy_ensemble(missing=0.3).X, axis=0)
    seen = []
    original = _soft_graph.partition_bipartite
    monkeypatch.setattr(_soft_graph, "partition_bipartite", lambda A, *rest: seen.append(A) or original(A, *rest))
    SoftHBGF(3, random_state=0).fit(one_hot(X))
    expected = np.hstack([np.nan_to_num(block) for block in one_hot(X)])
    assert np.array_equal(seen[0].toarray(), expected[:, expected.any(axis=0)])


def test_soft_mcla_compares_clusters_by_the_extended_jaccard(monkeypatch):
    blocks = posteriors(n_clusterings=3)[0]
    seen = []
    original = _mcla.partition_graph
    spy = lambda W, *args, **rest: seen.append(W) or original(W, *args, **rest)  # noqa: E731
    monkeypatch.setattr(_mcla, "partition_graph", spy)
    SoftMCLA(3, random_state=0).fit(blocks)
    S = np.hstack(blocks)
    for a in range(9):
        for b in range(9):
            ab = S[:, a] @ S[:, b]
            jaccard = ab / (S[:, a] @ S[:, a] + S[:, b] @ S[:, b] - ab)
            assert seen[0][a, b] == pytest.approx(0 if a // 3 == b // 3 else jaccard)


def test_soft_cspa_through_the_factor(monkeypatch):
    blocks, truth = posteriors()
    monkeypatch.setattr(_soft_graph, "_FEW_ROWS", 10)
    monkeypatch.setattr(_soft_graph, "soft_similarity", None)
    assert same_partition(SoftCSPA(3, random_state=0).fit(blocks).labels_, truth)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_probabilities_of_blobs_are_recovered(method, missing):
    blocks, truth = posteriors(missing=missing, n_clusterings=10)
    blocks[1] = blocks[1][:, :2] + blocks[1][:, 2:] / 2  # clusterings may have different numbers of clusters
    assert same_partition(method(3, random_state=0).fit(blocks).labels_, truth)
    named = {f"c{m}": block.tolist() for m, block in enumerate(blocks)}
    assert same_partition(method(3, random_state=0).fit(named).labels_, truth)


@pytest.mark.parametrize("method", METHODS)
def test_objects_that_no_clustering_saw_have_no_label(method):
    blocks, truth = posteriors()
    for block in blocks:
        block[5] = np.nan
    with pytest.warns(UnlabelledObjectsWarning):
        labels = method(3, random_state=0).fit(blocks).labels_
    assert np.flatnonzero(labels < 0).tolist() == [5]
    assert same_partition(np.delete(labels, 5), np.delete(truth, 5))


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_zero_silence_clusterings_and_objects(method, rng):
    blocks, truth = posteriors()
    nonsense = rng.dirichlet(np.ones(4), size=len(truth))
    weights = [0, *np.ones(6)]
    sample_weight = np.ones(len(truth))
    sample_weight[::4] = 0
    kept = sample_weight > 0
    model = method(3, weights=weights, random_state=0).fit([nonsense, *blocks], sample_weight=sample_weight)
    plain = method(3, random_state=0).fit([block[kept] for block in blocks])
    assert np.array_equal(model.labels_[kept], plain.labels_)
    assert same_partition(model.labels_, truth)


@pytest.mark.parametrize("method", METHODS)
def test_a_sample_weight_is_a_number_of_copies(method, rng):
    blocks, _ = posteriors()
    counts = rng.integers(1, 4, 62)
    weighted = method(3, random_state=0).fit(blocks, sample_weight=counts).labels_
    copied = method(3, random_state=0).fit([np.repeat(block, counts, axis=0) for block in blocks]).labels_
    assert same_partition(np.repeat(weighted, counts), copied)


def divergence_by_hand(blocks, weights, counts, labels, centers):
    """Sum of w_m KL(s_im || c_m); centers[k][m]."""
    total = 0.0
    for i, k in enumerate(labels):
        saw = [m for m, block in enumerate(blocks) if not np.isnan(block[i]).any()]
        for m in saw:
            s, c = blocks[m][i], centers[k][m]
            kl = sum(p * np.log(p / q) for p, q in zip(s, c, strict=True) if p > 0)
            total += counts[i] * weights[m] / sum(weights[j] for j in saw) * kl
    return total


def test_itk_objective_is_the_sum_of_divergences_from_the_best_centres(rng):
    blocks = posteriors(missing=0.3)[0]
    weights, counts = rng.random(6) + 0.5, rng.integers(1, 4, 62).astype(float)
    model = ITK(3, weights=weights, random_state=0, tol=0).fit(blocks, sample_weight=counts)
    seen = np.column_stack([~np.isnan(block[:, 0]) for block in blocks])
    share = seen * weights / (seen * weights).sum(axis=1, keepdims=True) * counts[:, None]
    centers = [
        [np.average(np.nan_to_num(block)[mine], axis=0, weights=share[mine, m]) for m, block in enumerate(blocks)]
        for mine in (model.labels_ == k for k in range(3))
    ]
    best = divergence_by_hand(blocks, weights, counts, model.labels_, centers)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    for _ in range(20):
        moved = [[0.98 * c + 0.02 * rng.dirichlet(np.ones(len(c))) for c in center] for center in centers]
        assert divergence_by_hand(blocks, weights, counts, model.labels_, moved) > best


@pytest.mark.parametrize("make_sparse", [False, True])
def test_itk_means_are_the_members_means(make_sparse, rng):
    X = noisy_ensemble(missing=0.3).X
    soft = stack(one_hot(X), np.ones(X.shape[1]), np.ones(len(X)))
    if make_sparse:
        soft = soft._replace(S=sparse.csr_array(soft.S))
    labels = np.arange(len(X)) % 2
    share = (X >= 0) / (X >= 0).sum(axis=1, keepdims=True)
    found = Divergence(soft).means(labels, np.full((2, soft.S.shape[1]), 1 / 3))
    for k in range(2):
        expected = [
            np.average(np.nan_to_num(block)[labels == k], axis=0, weights=share[labels == k, m])
            for m, block in enumerate(one_hot(X))
        ]
        assert np.allclose(found[k], np.concatenate(expected))


@pytest.mark.parametrize("seed", range(5))
def test_itk_never_gets_worse(seed, rng):
    blocks = [rng.dirichlet(np.ones(4), size=80) for _ in range(5)]
    for block in blocks[1:]:
        block[rng.random(80) < 0.3] = np.nan
    model = ITK(5, n_init=1, random_state=seed).fit(blocks)
    assert len(model.history_) > 2
    assert (np.diff(model.history_) <= 1e-7).all()
    assert model.objective_ == model.history_[-1]
    assert model.converged_


def test_itk_on_labels_finds_the_clusters():
    X, truth = noisy_ensemble(missing=0.3)
    assert same_partition(ITK(3, random_state=0).fit(X).labels_, truth)


@pytest.mark.parametrize("method", [SoftHBGF, ITK])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: [b[0], b[1][:-1]], "clustering 1 has shape"),
        (lambda b: [b[0], b[1][:, :0]], "clustering 1 has shape"),
        (lambda b: [b[0], b[1] * 1.01], "row 0 of clustering 1"),
        (lambda b: [b[0], b[1] + [[-0.5, 0.5, 0]] * 62], "not negative"),
        (lambda b: [np.where(np.arange(3) == 1, np.nan, b[0]), b[1]], "row 0 of clustering 0 is NaN in part"),
        (lambda b: [b[0], np.full(b[1].shape, "x")], "clustering 1 is not a matrix of numbers"),
        (lambda b: [b[0] * np.nan, b[1] * np.nan], "no object"),
    ],
)
@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_what_is_no_soft_clustering_is_refused(method, change, message):
    with pytest.raises(ValueError, match=message):
        method(3).fit(change(posteriors(n_clusterings=2)[0]))


@pytest.mark.parametrize("weights", [[1], [0, 0], [1, -1], [1, np.nan]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        SoftMCLA(3, weights=weights).fit(posteriors(n_clusterings=2)[0])
