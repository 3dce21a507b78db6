"""Methods of one sum: the tables of the sites add up, and the consensus is that of the pooled objects."""

import numpy as np
import pytest

from partita import ECPCS, MCLA
from partita._labels.tables import cluster_tables
from partita._labels.validation import check_label_matrix
from partita.exceptions import FewerClustersWarning, SiteError
from partita.federated import simulate
from partita.federated._methods import ROW_METHODS
from partita.federated.rows._fit import fit_rows
from partita.federated.rows._tables import ask_tables
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.parts import ask, labels_with_holes, opened, share_out

WEIGHTS = [1, 2, 0, 0.5, 1, 3, 1, 1]


def pooled_ensemble(estimator, X):
    return estimator._open(check_label_matrix(X), np.ones(len(X))).ensemble


@pytest.mark.parametrize("n_sites", [1, 2, 5])
def test_tables_of_sites_add_up(n_sites):
    X, estimator = labels_with_holes(), MCLA(3)
    sites, _, layout = opened(estimator, share_out(X, n_sites))
    want, found = cluster_tables(pooled_ensemble(estimator, X)), ask_tables(sites, layout)
    assert np.array_equal(found.together, want.together)
    assert np.array_equal(found.cell_clustering, want.cell_clustering)


@pytest.mark.parametrize("n_sites", [1, 2, 4])
@pytest.mark.parametrize(
    "estimator",
    [
        ECPCS(3),
        ECPCS(2, weights=WEIGHTS),
        MCLA(3, random_state=0),
        MCLA(4, random_state=1, weights=WEIGHTS, partitioner="spectral"),
        MCLA(3, random_state=0, partitioner="metis", imbalance=0.1),
    ],
)
def test_clusters_are_those_of_the_pooled_objects(estimator, n_sites):
    parts = share_out(labels_with_holes(), n_sites)
    X = np.vstack(parts)
    found, want = simulate(estimator, parts), estimator.fit(X)
    assert same_partition(found.labels_, want.labels_)
    assert found.n_clusters_ == want.n_clusters_
    fresh = labels_with_holes(seed=9)  # rows that took no part
    assert same_partition(np.append(found.labels_, found.predict(fresh)), np.append(want.labels_, want.predict(fresh)))
    questions = [exchange.question for exchange in found.exchanges_]
    assert questions == ["labels", "open", "tables", "place", "close"]


def test_new_rows_of_mcla_are_placed_by_the_shares_of_all_sites():
    parts = share_out(labels_with_holes(), 3)
    want = MCLA(3, random_state=0).fit(np.vstack(parts))
    sites, owners = ask(parts)
    fit_rows(sites, MCLA(3, random_state=0), ROW_METHODS["MCLA"])
    for owner in owners:
        shares = owner.estimator._shares[:, owner.estimator._placement.order]
        assert np.allclose(shares, want._shares[:, want._placement.order], rtol=1e-12)
        assert owner.estimator.partitioner_ == want.partitioner_
        assert np.array_equal(owner.estimator.predict(parts[0]), want.predict(parts[0]))


def test_sites_of_one_cluster_each_and_labels_that_one_site_has():
    X, truth = noisy_ensemble(sizes=(40, 30, 20), flip=0.1, seed=2)
    X = np.where((truth == 2)[:, None] & (X >= 0), X + 10, X)  # no other site has these labels
    parts = [X[truth == q] for q in range(3)]
    for estimator in (MCLA(3, random_state=0), ECPCS(3)):
        found = simulate(estimator, parts)
        assert same_partition(found.labels_, np.sort(truth))
        assert same_partition(found.labels_, estimator.fit(np.vstack(parts)).labels_)


def test_equal_rows_are_one_cluster():
    with pytest.warns(FewerClustersWarning, match="2 clusters were asked for, and MCLA found 1"):
        found = simulate(MCLA(2, random_state=0), [np.zeros((5, 3), int), np.zeros((7, 3), int)])
    assert found.n_clusters_ == 1


def test_a_tree_of_objects_is_refused():
    with pytest.raises(ValueError, match=r"compares all pairs of objects.*output='meta'"):
        simulate(ECPCS(3, output="tree"), share_out(labels_with_holes(), 2))


def test_small_counts_are_not_sent():
    sites, _ = ask(share_out(labels_with_holes(), 2), min_count=3)
    with pytest.raises(SiteError, match="below min_count=3"):
        fit_rows(sites, MCLA(3, random_state=0), ROW_METHODS["MCLA"])
