"""Cumulative voting against its formulas: votes, mergers, and probabilities of new objects."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import jensenshannon
from sklearn.metrics import adjusted_rand_score

from partita import CumulativeVoting
from partita.consensus.voting import _cumulative_voting as module
from partita.exceptions import FewerClustersWarning
from tests.consensus.graph.label_ensembles import as_ensemble
from tests.ensembles import label_matrices, noisy_ensemble, same_partition


def one_hot_column(column):
    return (column[:, None] == np.arange(column.max() + 1)).astype(float)


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("missing", [0, 0.3])
def test_votes_are_the_formula(normalised, missing, rng):
    X = noisy_ensemble(flip=0.4, missing=missing).X
    row_weights = rng.integers(1, 4, len(X)).astype(float)
    voter, reference = X[:, 0], X[:, 1]
    found = module.vote_table(voter, 3, one_hot_column(reference), row_weights, normalised=normalised)
    for label in range(3):
        votes = np.array([row_weights[(voter == label) & (reference == q)].sum() for q in range(3)])
        if normalised:
            votes = votes / [row_weights[reference == q].sum() for q in range(3)]
        assert np.allclose(found[label], votes / votes.sum())


def test_urcv_votes_sum_to_the_sizes_of_the_reference(rng):
    X = noisy_ensemble(flip=0.5, missing=0).X
    row_weights = rng.integers(1, 4, len(X)).astype(float)
    reference = one_hot_column(X[:, 0])
    for voter in X.T[1:]:
        V = module.vote_table(voter, 3, reference, row_weights, normalised=False)[voter]
        assert np.allclose(row_weights @ V, row_weights @ reference)
    votes, _ = module.cumulative_votes(as_ensemble(X, row_weights=row_weights), "urcv")
    entropies = [module._entropy(column, row_weights) for column in X.T]
    assert np.allclose(np.sort(row_weights @ votes), np.sort(row_weights @ one_hot_column(X[:, np.argmax(entropies)])))


@pytest.mark.parametrize("normalised", [False, True])
def test_a_voter_equal_to_the_reference_maps_to_itself(normalised):
    column = noisy_ensemble().truth
    table = module.vote_table((column + 1) % 3, 3, one_hot_column(column), np.ones(len(column)), normalised=normalised)
    assert np.allclose(table, np.eye(3)[(np.arange(3) - 1) % 3])


@pytest.mark.parametrize("scheme", ["urcv", "rcv", "acv"])
@given(X=label_matrices(max_rows=15))
def test_mean_votes_are_row_stochastic(scheme, X):
    X = X[(X >= 0).any(axis=1)][:, (X >= 0).any(axis=0)]
    votes, tables = module.cumulative_votes(as_ensemble(X), scheme)
    assert np.allclose(votes.sum(axis=1), 1)
    assert (votes >= 0).all()
    assert all(np.allclose(table.sum(axis=1), 1) for table in tables)


@pytest.mark.parametrize("scheme", ["urcv", "rcv"])
def test_mean_votes_are_the_mean_over_clusterings_that_label_the_object(scheme):
    X = noisy_ensemble(flip=0.3, missing=0.3, n_clusterings=5).X
    ones = np.ones(len(X))
    votes, _ = module.cumulative_votes(as_ensemble(X), scheme)
    r = int(np.argmax([module._entropy(column, ones) for column in X.T]))
    total = np.zeros((len(X), 3))
    for j, column in enumerate(X.T):
        table = np.eye(3)
        if j != r:
            table = module.vote_table(column, 3, one_hot_column(X[:, r]), ones, normalised=scheme == "rcv")
        total[column >= 0] += table[column[column >= 0]]
    assert np.allclose(votes, total / (X >= 0).sum(axis=1, keepdims=True))


def test_acv_lets_each_vote_change_the_reference():
    X = noisy_ensemble(flip=0.4, missing=0, n_clusterings=6).X
    ones = np.ones(len(X))
    order = np.argsort([-module._entropy(column, ones) for column in X.T], kind="stable")
    reference = one_hot_column(X[:, order[0]])
    for i, j in enumerate(order[1:], start=2):
        U = one_hot_column(X[:, j])
        W = (U.T @ reference) / U.sum(axis=0)[:, None]
        reference = ((i - 1) * reference + U @ W) / i
    assert np.allclose(module.cumulative_votes(as_ensemble(X), "acv")[0], reference)


def test_acv_of_two_clusterings_is_urcv_with_missing_labels_too():
    X = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [0, 1], [1, 1], [-1, 0], [-1, 0], [-1, 1]])
    adaptive, fixed = (module.cumulative_votes(as_ensemble(X), scheme)[0] for scheme in ("acv", "urcv"))
    assert np.allclose(adaptive, fixed)


def js_loss(a, b):
    p, q = a.sum(), b.sum()
    mean = (a + b) / (p + q)
    kl = lambda u: sum(x * np.log(x / y) for x, y in zip(u, mean, strict=True) if x > 0)  # noqa: E731
    return p * kl(a / p) + q * kl(b / q)


def test_loss_is_the_jensen_shannon_divergence(rng):
    a, b = rng.dirichlet(np.ones(9)) * 0.2, rng.dirichlet(np.ones(9)) * 0.5
    a[:3], b[2:5] = 0, 0
    assert module._merger_loss(a, b) == pytest.approx(js_loss(a, b))
    even = b / b.sum() * a.sum()
    distance = jensenshannon(a / a.sum(), even / even.sum())
    assert module._merger_loss(a, even) == pytest.approx(2 * a.sum() * distance**2)
    assert module._merger_loss(a, 3 * a) == pytest.approx(0, abs=1e-12)


def test_mergers_are_greedy(rng):
    votes = rng.dirichlet(np.full(6, 0.3), size=20)
    row_weights = rng.integers(1, 4, 20).astype(float)
    joint = votes * (row_weights / row_weights.sum())[:, None]
    groups = [frozenset([q]) for q in range(6)]
    for k in (5, 4, 3, 2, 1):
        mass = {g: joint[:, list(g)].sum(axis=1) for g in groups}
        a, b = min(
            ((g, h) for g in groups for h in groups if g is not h), key=lambda p: js_loss(mass[p[0]], mass[p[1]])
        )
        groups = [g for g in groups if g not in (a, b)] + [a | b]
        merged = module.merge_clusters(votes, row_weights, k)
        assert {frozenset(np.flatnonzero(merged == c).tolist()) for c in np.unique(merged)} == set(groups)


@pytest.mark.parametrize("scheme", ["urcv", "rcv", "acv"])
def test_voting_recovers_a_unanimous_and_a_noisy_ensemble(scheme):
    X, truth = noisy_ensemble(flip=0, missing=0.3)
    model = CumulativeVoting(3, scheme=scheme).fit(np.column_stack([X, truth]))
    assert same_partition(model.labels_, truth)
    assert np.allclose(model.membership_.max(axis=1), 1)
    X, truth = noisy_ensemble(missing=0.3)
    assert adjusted_rand_score(truth, CumulativeVoting(3, scheme=scheme).fit(X).labels_) > 0.95


def test_rcv_recovers_unbalanced_clusters():
    X, truth = noisy_ensemble(sizes=(2000, 300, 60), n_clusterings=20, flip=0.1, missing=0.3)
    assert adjusted_rand_score(truth, CumulativeVoting(3).fit(X).labels_) > 0.95


def test_more_clusters_than_the_reference_has_cannot_be_made(X):
    with pytest.warns(FewerClustersWarning, match="9 clusters were asked for, and CumulativeVoting found 3"):
        assert CumulativeVoting(9).fit(X).n_clusters_ == 3


@pytest.mark.parametrize("scheme", ["urcv", "rcv", "acv"])
def test_new_objects_get_the_mean_of_their_votes(scheme):
    X = noisy_ensemble(missing=0.2).X
    weights = np.linspace(1, 2, X.shape[1])
    model = CumulativeVoting(3, scheme=scheme, weights=weights).fit(X)
    assert np.allclose(model.predict_proba(X), model.membership_)
    assert np.array_equal(model.predict(X), model.labels_)
    new = np.vstack([X[:2], np.full(X.shape[1], -1)])
    assert np.allclose(model.predict_proba(new)[2], 1 / 3)
    assert model.predict(new)[2] == -1


def test_verbose_changes_nothing(X):
    quiet, loud = (CumulativeVoting(2, verbose=verbose).fit(X) for verbose in (False, True))
    assert np.array_equal(quiet.membership_, loud.membership_)
