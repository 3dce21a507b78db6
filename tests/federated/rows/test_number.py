"""The number of clusters from samples of several sites: sums that equal the pooled ones, and the same verdicts."""

import numpy as np
import pytest

from partita import LWGP
from partita._labels.tables import ClusterTables, cluster_entropies, cluster_tables
from partita._labels.validation import check_label_matrix
from partita.consensus.graph._cell_memberships import cell_memberships
from partita.consensus.label_space import _halves
from partita.consensus.label_space._chance import LEVEL, pair_agreement, shuffle_columns
from partita.consensus.label_space._cluster_number import N_SAMPLED, N_SPLITS, ClusterNumber
from partita.exceptions import WeakStructureWarning
from partita.federated import simulate
from partita.federated.rows import _number as module
from partita.federated.rows._number import (
    NumberLimit,
    SiteNumberProblem,
    all_alike,
    ask_limit,
    choice_from,
    choice_values,
    deal,
    symmetric,
    upper,
)
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.parts import labels_with_holes, opened, share_out


def clear():
    """Two clusters, and a third that is hardly one."""
    return noisy_ensemble(sizes=(40, 30, 5), flip=0.05, n_clusterings=8).X


def pooled_ensemble(X):
    return LWGP()._open(check_label_matrix(X), np.ones(len(X))).ensemble


def drawn(parts, seed=0):
    """Sites that have drawn their samples, and the sums of what they sent."""
    sites, owners, layout = opened(LWGP(), parts)
    n, t = sum(map(len, parts)), layout.n_cells
    shapes = {"together": (t, t), "labelled": (len(parts), layout.n_clusterings), "drawn": (1,)}
    found = sites.total("number.draw", {"n_objects": n, "n_sites": len(parts), "seed": seed}, shapes)
    tables = ClusterTables(found["together"], layout.cell_clustering, layout.clustering_weights)
    return sites, owners, tables, found


# -------------------------------------------------------------------------------------------------------- the sample
def test_few_objects_are_all_taken():
    X = labels_with_holes()
    _, _, tables, found = drawn(share_out(X, 3))
    assert np.array_equal(tables.together, cluster_tables(pooled_ensemble(X)).together)
    assert found["drawn"] == len(X)
    assert np.array_equal(found["labelled"].sum(axis=0), (X >= 0).sum(axis=0))


def test_of_many_objects_each_site_draws_its_share():
    X = np.random.default_rng(0).integers(2, size=(6000, 3))
    parts, sizes = [X[:600], X[600:2400], X[2400:]], []
    for seed in range(5):
        _, owners, _, found = drawn(parts, seed)
        for owner in owners:
            assert (owner.memory["sample"] <= owner.rows.ensemble.row_weights).all()  # no object twice
        sizes.append([owner.memory["sample"].sum() for owner in owners])
        assert found["drawn"] == sum(sizes[-1])
    assert (np.abs(np.array(sizes) - N_SAMPLED * np.array([0.1, 0.3, 0.6])) <= 1).all()
    assert len({tuple(owner.memory["sample"]) for owner in owners}) == 3


def test_a_sample_in_fractions_is_rounded_at_random():
    X = np.zeros((4800, 2), dtype=int)
    parts = [X[:16] + 1, *np.array_split(X[16:], 3)]
    sizes = [drawn(parts, seed)[1][0].memory["sample"].sum() for seed in range(60)]
    assert set(sizes) == {1, 2}  # 16 x 500 / 4800 = 1.67
    assert 1.45 < np.mean(sizes) < 1.85


def test_the_limit_is_that_of_all_objects():
    X = labels_with_holes()
    sites, _, _ = opened(LWGP(), share_out(X, 3))
    assert ask_limit(sites, None) == NumberLimit(120, 10)
    assert ask_limit(sites, 7) == NumberLimit(120, 7)


# --------------------------------------------------------------------------------------------------- the test of chance
def test_labels_are_dealt_as_a_shuffle_of_all_objects_does():
    _, _, tables, found = drawn(share_out(labels_with_holes(), 3))
    labelled, rng = found["labelled"].astype(int), np.random.default_rng(0)
    dealt = np.array([deal(tables, labelled, rng) for _ in range(400)])
    assert (dealt.sum(axis=1) == tables.size).all()
    assert ((dealt @ tables.blocks) == labelled).all()
    share = labelled / labelled.sum(axis=0)
    want = tables.size * share[:, tables.cell_clustering]
    assert np.abs(dealt.mean(axis=0) - want).max() < 0.6  # four standard errors of the most frequent label


def test_the_statistic_of_dealt_labels_is_that_of_shuffled_ones(monkeypatch):
    X = labels_with_holes()
    sites, _, tables, found = drawn(share_out(X, 3))
    observed, values = [], []
    monkeypatch.setattr(module, "p_value_against", lambda one, draw: observed.append(one) or values.extend(draw(300)))
    module.chance(sites, tables, found["labelled"].astype(int), np.random.default_rng(1))
    pooled, rng = pooled_ensemble(X).with_rows(check_label_matrix(X).codes), np.random.default_rng(2)
    want = [pair_agreement(cluster_tables(pooled.with_rows(shuffle_columns(pooled.codes, rng)))) for _ in range(300)]
    assert observed == [pytest.approx(pair_agreement(cluster_tables(pooled)))]
    error = np.sqrt((np.var(values) + np.var(want)) / 300)
    assert abs(np.mean(values) - np.mean(want)) < 4 * error
    assert 0.7 < np.std(values) / np.std(want) < 1.4


def test_shuffled_tables_keep_the_sizes_of_labels():
    sites, _, tables, found = drawn(share_out(labels_with_holes(), 3))
    t, rng = len(tables.size), np.random.default_rng(0)
    counts = np.stack([deal(tables, found["labelled"].astype(int), rng) for _ in range(3)])
    sent = sites.total("number.shuffle", {"counts": counts, "seed": 5}, {"tables": (3, t * (t + 1) // 2)})["tables"]
    for lower in sent:
        table = symmetric(lower, t)
        assert np.array_equal(np.diag(table), tables.size)
        both = tables.blocks.T @ table @ tables.blocks
        assert np.array_equal(both, tables.blocks.T @ tables.together @ tables.blocks)


@pytest.mark.parametrize("by_cluster", [False, True])
def test_chance_and_clusters_are_told_apart(by_cluster):
    rng = np.random.default_rng(3)
    found = simulate(LWGP(random_state=0), share_out(rng.integers(3, size=(150, 6)), 3))
    assert (found.choice_.verdict, found.n_clusters_) == ("chance", 1)
    X, truth = noisy_ensemble(sizes=(50, 40, 30, 20), flip=0.1, seed=1)
    parts = [X[truth == q] for q in range(4)] if by_cluster else share_out(X, 3)
    found, want = simulate(LWGP(random_state=0), parts), LWGP(random_state=0).fit(np.vstack(parts))
    assert (found.choice_.verdict, found.choice_.p_value, found.n_clusters_) == ("clusters", LEVEL, 4)
    assert same_partition(found.labels_, want.labels_)
    assert np.allclose(found.choice_.gap, want.choice_.gap, atol=1e-9)
    assert np.allclose(found.singular_values_, want.singular_values_, atol=1e-9)
    assert found.choice_.numbers.tolist() == want.choice_.numbers.tolist()


# ------------------------------------------------------------------------------------------------------------ halves
def test_halves_agree_as_in_the_pooled_fit_from_the_same_first_centres(monkeypatch):
    """First centres that do not depend on rows or labels: all that follows are sums."""

    def directions(P, weights, k, rng):
        centers = np.random.default_rng(k).normal(size=(len(P), k, P.shape[2]))
        return centers / np.linalg.norm(centers, axis=2, keepdims=True)

    for where in (module, _halves):
        monkeypatch.setattr(where, "plus_plus", directions)
    X = noisy_ensemble(sizes=(60, 40, 20), n_clusterings=7, flip=0.25, missing=0.3, seed=4).X
    ensemble = pooled_ensemble(X)
    whole = cluster_tables(ensemble)
    want = _halves.compare_halves(
        cell_memberships(ensemble),
        cluster_entropies(whole),
        whole.seen,
        theta=0.4,
        max_clusters=6,
        n_splits=N_SPLITS,
        rng=np.random.default_rng(8),
    )
    sites, owners, tables, _ = drawn(share_out(X, 3))
    problem = SiteNumberProblem(tables, np.ones(1), 1, 0.4, NumberLimit(len(X), 6))
    found = module.compare_halves(sites, problem, tables, np.random.default_rng(8))
    for own, other in zip(found, want, strict=True):
        assert np.allclose(own, other, atol=1e-10)
    assert not any(owner.memory for owner in owners)


def test_graphs_come_in_messages_of_bounded_size(monkeypatch):
    sites, _, tables, _ = drawn(share_out(labels_with_holes(), 2))
    rng, t = np.random.default_rng(0), len(tables.size)
    halves = [module.Half(np.arange(j, t), rng.random(t - j)) for j in range(5)]
    once = module.ask_graphs(sites, halves)
    n_before = len(sites.exchanges)
    monkeypatch.setattr(module, "_NUMBERS", 2 * t * t // 3)
    for own, other in zip(module.ask_graphs(sites, halves), once, strict=True):
        assert np.array_equal(own, other)
    assert len(sites.exchanges) - n_before > 2


# ------------------------------------------------------------------------------------------------------- the estimator
def test_clusterings_that_do_not_differ():
    parts = [np.array([[0, 5], [1, 6]] * 4), np.array([[2, 7], [0, 5]] * 3)]
    found = simulate(LWGP(random_state=0), parts)
    assert (found.choice_.verdict, found.n_clusters_) == ("agreed", 3)
    assert all_alike(cluster_tables(pooled_ensemble(np.vstack(parts))))
    assert not all_alike(cluster_tables(pooled_ensemble(np.vstack([*parts, [[0, 6]]]))))
    assert not all_alike(cluster_tables(pooled_ensemble(np.vstack([*parts, [[0, -1]]]))))
    assert simulate(LWGP(), [np.zeros((3, 2), int)] * 2).choice_.n_clusters == 1


def test_weak_structure_is_said():
    from sklearn.cluster import KMeans

    cloud = np.random.default_rng(0).normal(size=(300, 2))
    X = np.column_stack([KMeans(k, n_init=1, random_state=k).fit_predict(cloud) for k in range(2, 12)])
    with pytest.warns(WeakStructureWarning, match="one cloud without clusters"):
        found = simulate(LWGP(random_state=0), share_out(X, 3))
    assert found.choice_.verdict == "weak"


def test_a_limit_is_kept_and_two_numbers_are_refused():
    parts = share_out(clear(), 2)
    found = simulate(LWGP(max_clusters=4, random_state=0), parts)
    assert (found.n_clusters_, found.choice_.numbers.tolist()) == (3, [2, 3, 4])
    with pytest.raises(ValueError, match="both given"):
        simulate(LWGP(3, max_clusters=5), parts)


def test_the_reasons_travel_as_plain_values():
    first = simulate(LWGP(random_state=0), share_out(clear(), 2)).choice_
    again = choice_from(choice_values(first))
    assert (again.n_clusters, again.verdict, again.runner_up) == (first.n_clusters, first.verdict, first.runner_up)
    assert np.array_equal(again.halves.apart, first.halves.apart)
    assert choice_from(choice_values(ClusterNumber(1, "agreed"))).halves is None


def test_upper_halves_of_tables():
    table = np.array([[1.0, 2, 3], [2, 4, 5], [3, 5, 6]])
    assert np.array_equal(symmetric(upper(table), 3), table)


def test_encrypted_samples_lead_to_the_same_number():
    pytest.importorskip("tenseal")
    parts = share_out(clear(), 2)
    plain = simulate(LWGP(random_state=0, max_clusters=3), parts)
    sealed = simulate(LWGP(random_state=0, max_clusters=3), parts, encrypted=True)
    assert np.array_equal(plain.labels_, sealed.labels_)
    assert np.allclose(plain.choice_.score, sealed.choice_.score, atol=1e-3)
