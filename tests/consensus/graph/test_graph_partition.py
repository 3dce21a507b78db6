"""Partitions of small graphs against enumeration, balance, whole numbers, and what happens without METIS."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from partita import CSPA, HBGF, HGPA, MCLA
from partita.consensus.graph import _graph_partition as module
from partita.consensus.graph._graph_partition import PartitionerSettings
from partita.exceptions import PartitionerWarning
from tests.ensembles import noisy_ensemble, same_partition


def cut_by_hand(W, labels, n_parts):
    total = 0.0
    for part in range(n_parts):
        inside = [i for i in range(len(W)) if labels[i] == part]
        volume = sum(W[i, j] for i in inside for j in range(len(W)))
        total += sum(W[i, j] for i in inside for j in range(len(W)) if labels[j] != part) / volume
    return total


def planted_graph(sizes, rng, noise=0.05):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    W = np.where(truth[:, None] == truth, 1.0, noise) * rng.uniform(0.5, 1, (len(truth), len(truth)))
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return W, truth


@pytest.fixture
def no_extras(monkeypatch):
    monkeypatch.setattr(module, "available", lambda name: False)


def test_normalised_cut_is_the_formula(rng):
    W, _ = planted_graph((5, 4, 3), rng, noise=0.4)
    W += np.diag(rng.random(len(W)))
    labels = rng.permutation(np.arange(len(W)) % 3)
    assert module.normalised_cut(sparse.csr_array(W), labels, 3) == pytest.approx(cut_by_hand(W, labels, 3))
    two = module.normalised_cut(sparse.csr_array(W), labels % 2, 2)
    assert module.normalised_cut(sparse.csr_array(W), labels % 2, 3) == two  # a part without vertices adds nothing


def test_cut_of_a_factor_is_the_cut_of_its_graph(rng):
    A = rng.random((9, 4)) * (rng.random((9, 4)) < 0.6)
    row_weights = rng.integers(1, 5, 9).astype(float)
    labels = np.arange(9) % 3
    W = A @ A.T * np.outer(row_weights, row_weights)
    found = module.cut_of_factor(sparse.csr_array(A), row_weights, labels, 3)
    assert found == pytest.approx(cut_by_hand(W, labels, 3))


@pytest.mark.parametrize("partitioner", ["auto", "metis", "spectral"])
def test_the_lowest_normalised_cut_of_a_small_graph_is_found(partitioner, rng):
    W, truth = planted_graph((5, 4), rng)
    lowest = min(cut_by_hand(W, (0, *rest), 2) for rest in product((0, 1), repeat=8) if any(rest))
    found = module.partition_graph(W, 2, np.ones(9), PartitionerSettings(partitioner))
    assert cut_by_hand(W, found.labels, 2) == pytest.approx(lowest)
    assert same_partition(found.labels, truth)


def test_embedding_separates_components():
    W = sparse.csr_array(np.kron(np.eye(3), np.ones((4, 4))))
    found = module.partition_graph(W, 3, np.ones(12), PartitionerSettings("spectral"))
    assert same_partition(found.labels, np.repeat([0, 1, 2], 4))
    assert found.partitioner == "spectral"


@pytest.mark.parametrize("imbalance", [0.05, 0.2])
def test_metis_keeps_the_imbalance(imbalance, rng):
    W, _ = planted_graph((150, 50), rng)
    found = module.partition_graph(W, 2, np.ones(200), PartitionerSettings("metis", imbalance=imbalance))
    assert found.partitioner == "metis"
    assert np.bincount(found.labels).max() <= (1 + imbalance) * 100 + 1


def test_a_generous_imbalance_recovers_unequal_parts(rng):
    W, truth = planted_graph((150, 50), rng)
    assert same_partition(module.partition_graph(W, 2, np.ones(200), PartitionerSettings()).labels, truth)
    strict = module.partition_graph(W, 2, np.ones(200), PartitionerSettings("metis", imbalance=0.05))
    assert not same_partition(strict.labels, truth)


def test_metis_balances_the_weights_of_the_vertices():
    path = np.diag(np.ones(99), 1)
    weight = np.repeat([5.0, 1.0], [20, 80])
    found = module.partition_graph(path + path.T, 2, weight, PartitionerSettings("metis", imbalance=0.05))
    assert np.bincount(found.labels, weights=weight).max() <= 1.05 * 90 + 5


def test_imbalances_end_with_the_allowed_one():
    assert module.imbalances_to_try(0.05) == [0.03, 0.05]
    assert module.imbalances_to_try(2.0)[-1] == 2.0
    assert module.imbalances_to_try(0.0) == [0.0]


@pytest.mark.parametrize("partitioner", ["auto", "metis", "spectral"])
def test_same_seed_same_labels(partitioner, rng):
    W, _ = planted_graph((20, 15, 10), rng, noise=0.7)
    runs = [
        module.partition_graph(W, 3, np.ones(45), PartitionerSettings(partitioner, seed=3)).labels for _ in range(2)
    ]
    assert np.array_equal(*runs)


def test_auto_is_never_worse_than_spectral_or_metis(rng):
    W, _ = planted_graph((20, 15, 10), rng, noise=0.8)
    found = [
        module.normalised_cut(
            sparse.csr_array(W), module.partition_graph(W, 3, np.ones(45), PartitionerSettings(name)).labels, 3
        )
        for name in ("auto", "metis", "spectral")
    ]
    assert found[0] == min(found)


def test_one_part_and_one_per_vertex_need_no_partitioner():
    W = np.ones((3, 3))
    assert module.partition_graph(W, 1, np.ones(3), PartitionerSettings()) == module.GraphPartition(
        pytest.approx([0, 0, 0]), "none"
    )
    assert module.partition_graph(W, 3, np.ones(3), PartitionerSettings()) == module.GraphPartition(
        pytest.approx([0, 1, 2]), "none"
    )
    assert module.partition_factor(sparse.csr_array(W), 1, np.ones(3), 0).partitioner == "none"
    assert module.partition_factor(sparse.csr_array(W), 4, np.ones(3), 0).labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("method", "fallback"), [(CSPA, "spectral"), (MCLA, "spectral"), (HBGF, "spectral"), (HGPA, "clique")]
)
def test_without_the_extra_the_default_falls_back_and_says_so(method, fallback, no_extras):
    X, truth = noisy_ensemble(missing=0.3)
    model = method(3, random_state=0).fit(X)
    assert model.partitioner_ == fallback
    assert same_partition(model.labels_, truth)


@pytest.mark.parametrize(
    ("method", "asked", "fallback"),
    [
        (CSPA, "metis", "spectral"),
        (MCLA, "metis", "spectral"),
        (HBGF, "metis", "spectral"),
        (HGPA, "kahypar", "clique"),
    ],
)
def test_without_the_extra_a_partitioner_asked_for_by_name_warns(method, asked, fallback, no_extras):
    X = noisy_ensemble().X
    with pytest.warns(PartitionerWarning, match=rf"{asked}.*{fallback}.*partita\[graph\]"):
        model = method(3, partitioner=asked, random_state=0).fit(X)
    assert model.partitioner_ == fallback


def test_spectral_needs_no_extra(no_extras):
    X = noisy_ensemble().X
    assert HGPA(3, partitioner="clique", random_state=0).fit(X).partitioner_ == "clique"
    assert CSPA(3, partitioner="spectral", random_state=0).fit(X).partitioner_ == "spectral"


def test_graph_is_left_as_it_was(rng):
    W = sparse.csr_array(rng.random((12, 12)) + 5 * np.eye(12))
    W = sparse.csr_array(W + W.T)
    before = W.toarray().copy()
    module.partition_graph(W, 3, np.ones(12), PartitionerSettings("metis"))
    assert np.array_equal(W.toarray(), before)


def test_more_parts_win_over_a_lower_cut_and_the_cut_decides_among_equals():
    W = sparse.csr_array(np.kron(np.eye(2), np.ones((3, 3))))
    one, two, bad_two, three = [0] * 6, [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], [0, 0, 2, 1, 1, 1]
    candidates = [module.GraphPartition(np.array(labels), "metis") for labels in (one, bad_two, two)]
    cut = partial(module.normalised_cut, W)
    assert module.best_partition(candidates, cut).labels.tolist() == two
    with_three = [*candidates, module.GraphPartition(np.array(three), "metis")]
    assert module.best_partition(with_three, cut).labels.tolist() == three
    assert module.best_partition(with_three, cut, n_counted=2).labels.tolist() == bad_two


@pytest.mark.parametrize("n_parts", [10, 20, 30])
def test_metis_finds_all_parts_where_each_has_one_or_two_vertices(n_parts, rng):
    W, _ = planted_graph((20, 20), rng)
    found = module.partition_graph(W, n_parts, np.ones(40), PartitionerSettings("metis", imbalance=0.05))
    assert found.partitioner == "metis"
    assert np.bincount(found.labels, minlength=n_parts).min() >= 1


def columns_and_rows(sizes, rng):
    """Probabilities of 3 clusters from 5 clusterings, all positive, for a large cluster and small ones."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    A = np.hstack([0.85 * np.eye(3)[truth] + 0.05 + 0.01 * rng.random((len(truth), 3)) for _ in range(5)])
    return sparse.csr_array(A), truth, np.tile([0, 1, 2], 5)


def test_rows_join_the_columns_where_their_probability_is(rng):
    A, truth, of_columns = columns_and_rows((40, 6, 4), rng)
    assert (A.toarray() > 0).all()
    assert np.array_equal(module.join_columns(A, of_columns, 3), truth)


def test_the_candidate_from_the_columns_of_a_positive_factor_has_all_parts(rng, monkeypatch):
    A, truth, _ = columns_and_rows((400, 6, 4), rng)
    candidates = []
    original = module.cut_of_factor
    spy = lambda A, weights, labels, k: candidates.append(labels) or original(A, weights, labels, k)  # noqa: E731
    monkeypatch.setattr(module, "cut_of_factor", spy)
    found = module.partition_factor(A, 3, np.ones(len(truth)), 0)
    assert len(candidates) == 2
    assert same_partition(candidates[1], truth)
    assert same_partition(found.labels, truth)


def test_votes_decide_where_rows_join(rng):
    A, truth, of_columns = columns_and_rows((40, 6, 4), rng)
    weighted = sparse.csr_array(A * np.where(of_columns == 0, 100.0, 1.0))
    found = module.partition_factor(weighted, 3, np.ones(len(truth)), 0, votes=A)
    assert same_partition(found.labels, truth)


@pytest.mark.parametrize("entries", [0, 10_000])
def test_auto_runs_metis_up_to_a_number_of_stored_entries(entries, rng, monkeypatch):
    W, _ = planted_graph((20, 15), rng)
    runs = []
    original = module.metis_parts
    monkeypatch.setattr(module, "metis_parts", lambda *args: runs.append(args) or original(*args))
    monkeypatch.setattr(module, "_MANY_ENTRIES", entries)
    module.partition_graph(W, 2, np.ones(35), PartitionerSettings())
    assert len(runs) == (0 if entries == 0 else 5)
