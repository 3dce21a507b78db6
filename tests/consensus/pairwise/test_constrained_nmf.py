"""Pairs that must be together or apart: what they add against dense matrices of all objects, and what they change."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import ConstrainedNMF, LabelBlocks, NMFConsensus
from partita.consensus.pairwise import _nmf_consensus as nmf
from partita.consensus.pairwise._constrained_nmf import LinkedSimilarity, weakest_cluster
from partita.consensus.pairwise._links import link_matrix, read_links
from tests.consensus.pairwise.test_nmf_consensus import as_rows, coassociation
from tests.ensembles import noisy_ensemble, same_partition

MUST = [(0, 1), (1, 2), (5, 6), (5, 6)]
CANNOT = [(2, 5), (3, 8), (3, 0)]


def dense_links(must, cannot, n, w, strength):
    """L by pairs of objects: what follows from the pairs, by closing them one by one."""
    group = np.arange(n)
    for _ in range(n):
        for i, j in must:
            group[group == max(group[i], group[j])] = min(group[i], group[j])
    linked = {i for pair in [*must, *cannot] for i in pair}
    L = np.zeros((n, n))
    for i in linked:
        for j in linked:
            if group[i] == group[j] and (group == group[i]).sum() > 1:
                L[i, j] = 1
            elif any({group[i], group[j]} == {group[a], group[b]} for a, b in cannot):
                L[i, j] = -1
    reach = np.abs(L) @ w
    root = np.divide(1, np.sqrt(reach), out=np.zeros(n), where=reach > 0)
    return strength * L * np.outer(root, root)


@pytest.fixture(params=[0.0, 0.3])
def problem(request, rng):
    X = noisy_ensemble(missing=request.param, flip=0.4).X[:20]
    w = rng.integers(1, 4, len(X)).astype(float)
    rows = as_rows(X, w)
    matrix = LinkedSimilarity(nmf.similarity_of(rows), link_matrix(read_links(MUST, CANNOT, 20), rows, 3.0))
    return coassociation(X) + dense_links(MUST, CANNOT, 20, w, 3.0), w, matrix


def test_products_and_norms_are_those_of_the_matrix(problem, rng):
    dense, w, matrix = problem
    Y = rng.random((20, 3))
    assert np.allclose(matrix.times(Y), dense @ (w[:, None] * Y))
    assert matrix.squared_norm() == pytest.approx(w @ dense**2 @ w)
    error = w @ (dense - Y @ Y.T) ** 2 @ w
    assert nmf.factor_of(matrix, matrix.squared_norm(), Y).error == pytest.approx(error)


def test_eigenvalues_are_bounded_by_the_penalty(problem):
    _, w, matrix = problem
    root = np.sqrt(w)
    values = np.linalg.eigvalsh(root[:, None] * dense_links(MUST, CANNOT, 20, w, 3.0) * root)
    assert -3.0 - 1e-9 <= values.min() < -0.1
    assert values.max() <= 3.0 + 1e-9
    assert values.min() >= -matrix.lowest() - 1e-9


def test_the_start_takes_the_largest_eigenvalues(problem):
    dense, w, matrix = problem
    root = np.sqrt(w)[:, None]
    B = nmf.best_factor(matrix, root, 3)
    values, vectors = np.linalg.eigh(root * dense * root.T)
    assert np.allclose(B @ B.T, vectors[:, -3:] * values[-3:] @ vectors[:, -3:].T, atol=0.05 * values[-1])


def test_the_objective_falls_and_is_that_of_the_matrix(rng):
    X = noisy_ensemble(missing=0.2, flip=0.3).X
    w = rng.integers(1, 4, len(X)).astype(float)
    model = ConstrainedNMF(3, random_state=0).fit(X, sample_weight=w, must_link=MUST, cannot_link=CANNOT)
    assert (np.diff(model.history_) <= 0).all()
    S = coassociation(X)
    values = np.linalg.eigvalsh(np.sqrt(w)[:, None] * S * np.sqrt(w))
    L = dense_links(MUST, CANNOT, len(X), w, 0.5 * values[-3])  # eq. P75
    assert model.objective_ <= w @ (S + L) ** 2 @ w
    free = ConstrainedNMF(3, penalty=0.0, random_state=0).fit(X, sample_weight=w, must_link=MUST)
    assert free.objective_ == pytest.approx(NMFConsensus(3).fit(X, sample_weight=w).objective_, rel=1e-3)


@pytest.mark.parametrize("nothing", [None, [], np.empty((0, 2), dtype=int)])
def test_without_pairs_it_is_the_other_method(X, nothing):
    plain = NMFConsensus(3, n_init=2, random_state=0).fit(X)
    model = ConstrainedNMF(3, n_init=2, random_state=0).fit(X, must_link=nothing)
    assert np.array_equal(model.membership_, plain.membership_)
    assert model.n_violated_ == 0


def two_answers():
    """Clusterings of which ten show one partition of the objects, and twelve another."""
    one, two = (noisy_ensemble((60, 60), m, 0.1, 0.05, seed) for m, seed in ((10, 0), (12, 5)))
    return np.column_stack([one.X, two.X]), one.truth, two.truth


def pairs_of(truth, n_pairs, seed=0):
    P = np.random.default_rng(seed).integers(len(truth), size=(n_pairs, 2))
    P = P[P[:, 0] != P[:, 1]]
    same = truth[P[:, 0]] == truth[P[:, 1]]
    return {"must_link": P[same], "cannot_link": P[~same]}


def test_pairs_of_a_few_objects_decide_for_all():
    X, weak, strong = two_answers()
    assert same_partition(NMFConsensus(2).fit_predict(X), strong)
    model = ConstrainedNMF(2).fit(X, **pairs_of(weak, 60))
    assert model.n_violated_ == 0
    assert same_partition(model.labels_, weak)


def noisy_labels(sizes, n_clusterings, flip, n_labels, seed):
    """Labels that are drawn at random, from more labels than clusters, in a share of the cells."""
    rng, truth = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    shape = (len(truth), n_clusterings)
    return np.where(rng.random(shape) < flip, rng.integers(0, n_labels, shape), truth[:, None]), truth


@pytest.mark.parametrize("n_pairs", [1, 20, 100])
@pytest.mark.parametrize(("sizes", "flip"), [((50,) * 10, 0.4), ((120, 60, 30, 20), 0.5)])
def test_true_pairs_do_not_make_good_clusters_worse(sizes, flip, n_pairs):
    X, truth = noisy_labels(sizes, 15, flip, 12, 0)
    pairs = {"must_link": [(0, 1)]} if n_pairs == 1 else pairs_of(truth, n_pairs)
    without, model = NMFConsensus(len(sizes)).fit(X), ConstrainedNMF(len(sizes)).fit(X, **pairs)
    assert adjusted_rand_score(truth, model.labels_) > adjusted_rand_score(truth, without.labels_) - 0.02
    assert np.bincount(model.labels_).min() > 10  # linked objects are no cluster of their own
    assert model.n_violated_ <= 0.1 * n_pairs


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_weakest_cluster_is_the_last_of_the_leading_eigenvalues(missing, rng):
    X = noisy_ensemble(missing=missing, flip=0.3).X
    w = rng.integers(1, 4, len(X)).astype(float)
    values = np.linalg.eigvalsh(np.sqrt(w)[:, None] * coassociation(X) * np.sqrt(w))
    assert weakest_cluster(nmf.similarity_of(as_rows(X, w)), 3) == pytest.approx(values[-3], rel=0.02)
    two = as_rows(np.repeat([[0], [1]], [6, 4], axis=0), np.ones(10))
    assert weakest_cluster(nmf.similarity_of(two), 5) == pytest.approx(4.0)  # there is no fifth


def test_more_penalty_less_violations():
    X, truth = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=6, flip=0.55, missing=0)
    pairs = pairs_of(truth, 60)
    without = ConstrainedNMF(3, penalty=0.0).fit(X, **pairs)
    model = ConstrainedNMF(3).fit(X, **pairs)
    given, labels = np.vstack([pairs["must_link"], pairs["cannot_link"]]), model.labels_
    together = labels[given[:, 0]] == labels[given[:, 1]]
    n_must = len(pairs["must_link"])
    assert model.n_violated_ == (~together[:n_must]).sum() + together[n_must:].sum()
    assert model.n_violated_ < without.n_violated_
    assert adjusted_rand_score(truth, model.labels_) > adjusted_rand_score(truth, without.labels_)


def test_objects_with_equal_labels_can_be_apart():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 5, axis=0)
    model = ConstrainedNMF(2).fit(X, must_link=[(0, 6), (0, 5)], cannot_link=[(0, 10), (0, 15)])
    assert same_partition(model.labels_, X[:, 0])
    split = ConstrainedNMF(3, penalty=2.0).fit(X, cannot_link=[(0, 1)])
    assert split.labels_[0] != split.labels_[1]
    assert split.predict_proba(X).shape == (20, 3)


def test_objects_without_label_or_weight_join_others_only():
    X, weak, _ = two_answers()
    pairs = pairs_of(weak, 60)
    X[pairs["must_link"][0, 0]] = -1
    weight = np.ones(len(X))
    weight[pairs["cannot_link"][0, 0]] = 0
    with pytest.warns(UserWarning, match="1 of 120 objects have no label"):
        model = ConstrainedNMF(2).fit(X, sample_weight=weight, **pairs)
    assert model.labels_[pairs["must_link"][0, 0]] == -1
    counted = (model.labels_ >= 0) & (weight > 0)
    assert same_partition(model.labels_[counted], weak[counted])


def test_the_scale_of_the_weights_does_not_matter():
    X, weak, _ = two_answers()
    models = [
        ConstrainedNMF(2).fit(X, sample_weight=np.full(120, scale), **pairs_of(weak, 60)) for scale in (1.0, 2.0**60)
    ]
    assert np.allclose(models[0].membership_, models[1].membership_)


@pytest.mark.parametrize(
    ("pairs", "match"),
    [
        ({"must_link": [(0, 62)]}, r"must_link has the pair \(0, 62\), but the rows of X are numbered from 0 to 61"),
        ({"cannot_link": [(-1, 3)]}, r"cannot_link has the pair \(-1, 3\), but the rows"),
        ({"must_link": [(4, 4)]}, r"must_link has the pair \(4, 4\), an object and itself"),
        ({"must_link": [0, 1]}, r"must_link must be pairs of row numbers, .* received \[0, 1\]"),
        ({"must_link": [(0, 1, 2)]}, "must_link must be pairs of row numbers"),
        ({"must_link": [(0, 1), (2,)]}, "must_link must be pairs of row numbers"),
        ({"cannot_link": [(0.5, 1.0)]}, "cannot_link must be pairs of row numbers"),
        ({"cannot_link": [("a", "b")]}, "cannot_link must be pairs of row numbers"),
        (
            {"must_link": [(0, 1), (1, 2)], "cannot_link": [(3, 4), (2, 0)]},
            r"cannot_link has the pair \(2, 0\), but must_link joins .* 1 of 2 pairs contradict",
        ),
    ],
)
def test_wrong_pairs_are_refused(X, pairs, match):
    with pytest.raises(ValueError, match=match):
        ConstrainedNMF(3).fit(X, **pairs)


def test_blocks_have_no_pairs(X):
    blocks = LabelBlocks.from_iterable(lambda: [X[:30], X[30:]])
    with pytest.raises(ValueError, match="ConstrainedNMF with pairs needs labels in memory"):
        ConstrainedNMF(3).fit(blocks, must_link=[(0, 1)])
    model = ConstrainedNMF(3).fit(X, must_link=[(0, 1)]).fit(blocks)
    assert model.n_violated_ == 0
