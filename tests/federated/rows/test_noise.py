"""Noise with a budget: what one object can change, how the noise is distributed, and that nothing else leaves."""

import numpy as np
import pytest

from partita import BCE, ECPCS, MCLA
from partita._labels.ensemble import Ensemble
from partita._labels.tables import ClusterTables, cluster_tables
from partita.exceptions import SiteError
from partita.federated import Site, simulate
from partita.federated._engine import InProcess
from partita.federated._methods import ROW_METHODS
from partita.federated._sites import PlainSites
from partita.federated.rows._noise import (
    NoisySite,
    NoisyTables,
    add_noise,
    check_epsilon,
    counted_once,
    discrete_laplace,
    estimated_totals,
    fit_noisy_rows,
    sensitivity,
)

pytest.importorskip("opendp")


def ensemble_of(codes, n_labels):
    codes = np.asarray(codes, dtype=np.int32).reshape(-1, len(n_labels))
    return Ensemble(codes, np.asarray(n_labels, dtype=np.int64), np.ones(len(n_labels)), np.ones(len(codes)))


# ---------------------------------------------------------------------------------------------- what one object changes
def test_sensitivity_is_the_largest_change_by_one_object():
    rng = np.random.default_rng(0)
    for m in (1, 2, 5):
        n_labels = rng.integers(1, 5, m)
        largest = 0.0
        for _ in range(60):
            codes = rng.integers(-1, n_labels, (rng.integers(2, 9), m))
            codes[0] = np.maximum(codes[0], 0)  # every data set has at least one object with all labels
            gone = int(rng.integers(len(codes))) if rng.random() < 0.7 else 0
            both = [cluster_tables(ensemble_of(part, n_labels)).together for part in (codes, np.delete(codes, gone, 0))]
            above = counted_once(ensemble_of(codes, n_labels))
            largest = max(largest, float(np.abs(both[0] - both[1])[above].sum()))
            assert np.array_equal(both[0], both[0].T)
            assert not both[0][~(above | above.T)].any()  # what gets no noise is 0 whatever the objects are
        assert largest == sensitivity(m) == m * (m + 1) // 2


# ------------------------------------------------------------------------------------------------ distribution of noise
def frequencies(value, change, epsilon, n=40_000):
    drawn = np.array(discrete_laplace(change, epsilon)([value] * n))
    values, counts = np.unique(drawn, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def exceeds(one, other, epsilon):
    """Whether the frequencies of an outcome differ by more than a factor of exp(epsilon), beyond chance (5 sigma)."""
    for value in one.keys() & other.keys():
        a, b = one[value], other[value]
        if min(a, b) >= 100 and abs(np.log(a / b)) > epsilon + 5 * np.sqrt(1 / a + 1 / b):
            return True
    return False


def test_outcomes_of_neighbours_differ_by_the_factor_that_epsilon_allows():
    epsilon = 0.8  # one object changes this count by 1, which is all that it changes
    here, there = frequencies(7, 1, epsilon), frequencies(8, 1, epsilon)
    assert not exceeds(here, there, epsilon)
    assert exceeds(here, there, 0.6 * epsilon)  # the noise is not larger than it must be, and the test would notice
    too_little = frequencies(7, 1, 2 * epsilon), frequencies(8, 1, 2 * epsilon)
    assert exceeds(*too_little, epsilon)


@pytest.mark.parametrize(("change", "epsilon"), [(1, 1.0), (15, 0.3), (210, 7.0)])
def test_noise_is_discrete_laplace_of_the_stated_scale(change, epsilon):
    n, rate = 20_000, epsilon / change
    drawn = np.array(discrete_laplace(change, epsilon)([0] * n))
    expected = 2 * np.exp(-rate) / (1 - np.exp(-rate)) ** 2  # variance (eq. S34)
    assert abs(drawn.mean()) < 5 * np.sqrt(expected / n)
    assert abs((drawn**2).mean() / expected - 1) < 5 * np.sqrt(5 / n) + 0.02
    assert discrete_laplace(change, epsilon).map(change) <= epsilon


def test_every_count_that_an_object_can_change_gets_noise_of_its_own():
    layout = ensemble_of(np.zeros((1, 3)), [2, 3, 2])
    noisy = add_noise(np.zeros((7, 7)), layout, 1e-4)
    above = counted_once(layout)
    assert above.sum() == 7 + 6 + 4 + 6
    assert len(np.unique(noisy[above])) == above.sum()
    assert np.array_equal(noisy, noisy.T)
    assert not noisy[~(above | above.T)].any()


@pytest.mark.parametrize("epsilon", [0, -1.0, np.inf, np.nan, "1", True])
def test_a_wrong_epsilon_is_refused(epsilon):
    with pytest.raises(ValueError, match="positive number"):
        check_epsilon(epsilon)


# --------------------------------------------------------------------------------------------------- what leaves a site
def labels(n, m=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    return truth, np.where(rng.random((n, m)) < 0.15, rng.integers(3, size=(n, m)), truth[:, None])


def sites_of(parts, epsilon, **options):
    owners = {f"s{i}": Site(part, name=f"s{i}") for i, part in enumerate(parts)}
    noisy = {name: NoisySite(site, epsilon, **options) for name, site in owners.items()}
    return owners, noisy


class Heard(InProcess):
    """Keeps every reply that leaves a site."""

    def send(self, question, values, to=None):
        replies = super().send(question, values, to)
        self.log = [*getattr(self, "log", []), *((question, reply) for reply in replies.values())]
        return replies


def test_nothing_but_labels_and_one_noisy_table_leaves_a_site():
    parts = np.split(labels(600)[1], [250])
    owners, noisy = sites_of(parts, 5.0)
    engine = Heard(noisy)
    fit_noisy_rows(PlainSites(engine), ECPCS(3), ROW_METHODS["ECPCS"])
    told = {question: set(reply) for question, reply in engine.log}
    assert told == {
        "labels": {"names", "kinds", "labels"},
        "open": {"ready"},
        "tables": {"together"},
        "settle": {"ready"},
        "close": {"ready"},
    }
    sent = [reply["together"] for question, reply in engine.log if question == "tables"]
    for site, table in zip(owners.values(), sent, strict=True):
        assert np.abs(table - cluster_tables(site.rows.ensemble).together).max() > 0
        assert len(site.estimator.labels_) in (250, 350)


def test_a_second_fit_gets_the_same_table_and_other_questions_are_refused():
    _, noisy = sites_of([labels(600)[1]], 20.0)
    sites = PlainSites(InProcess(noisy))
    tables = []
    for _ in range(2):
        fit_noisy_rows(sites, ECPCS(3), ROW_METHODS["ECPCS"])
        tables.append(noisy["s0"].answer("tables", {})["together"])
    assert np.array_equal(*tables)
    for question in ["place", "start.count", "bce.expect", "count", "mixture.expect"]:
        with pytest.raises(ValueError, match=f"does not answer '{question}'"):
            noisy["s0"].answer(question, {"exchange": 0})
    with pytest.raises(SiteError, match="would add to epsilon"):
        fit_noisy_rows(sites, ECPCS(3, weights=[1, 1, 1, 0]), ROW_METHODS["ECPCS"])


def test_a_release_is_kept_on_disk(tmp_path):
    X, tables = labels(600)[1], []
    for _ in range(2):  # the second time as if the site had been started again
        _, noisy = sites_of([X], 20.0, folder=tmp_path)
        fit_noisy_rows(PlainSites(InProcess(noisy)), ECPCS(3), ROW_METHODS["ECPCS"])
        tables.append(noisy["s0"].answer("tables", {})["together"])
    assert np.array_equal(*tables)
    with pytest.raises(ValueError, match="was released with epsilon=20"):
        sites_of([X], 2.0, folder=tmp_path)


def test_methods_that_need_more_than_the_tables_are_refused():
    with pytest.raises(ValueError, match=r"BCE cannot be fitted from noisy tables of several sites; .* ECPCS, MCLA"):
        simulate(BCE(3), np.split(labels(100)[1], 2), epsilon=1.0)
    _, noisy = sites_of([labels(600)[1]], 20.0)
    with pytest.raises(ValueError, match=r"asks the sites for .* release their tables only"):
        fit_noisy_rows(PlainSites(InProcess(noisy)), BCE(3), ROW_METHODS["BCE"])


# --------------------------------------------------------------------------------------------------- at the coordinator
@pytest.mark.parametrize(
    "estimator", [ECPCS(3), MCLA(3, partitioner="spectral", random_state=0)], ids=["ECPCS", "MCLA"]
)
def test_much_data_or_a_large_budget_give_the_clusters_without_noise(estimator):
    truth, X = labels(3000)
    parts = np.split(X, [1000, 1800])
    plain, noisy = simulate(estimator, parts), simulate(estimator, parts, epsilon=50.0)
    same = np.array([np.bincount(noisy.labels_[plain.labels_ == h]).max() for h in range(3)])
    assert same.sum() > 0.98 * len(truth)
    assert noisy.n_clusters_ == 3
    assert (noisy.predict(X) == noisy.labels_).mean() > 0.98
    assert np.isfinite(noisy.confidence_).all()


def test_no_count_above_the_noise_is_said():
    class Zero:
        names, exchanges = (), ()

        def total(self, question, values, shapes):
            return {"together": -np.ones((2, 2))}

    with pytest.raises(ValueError, match="larger epsilon"):
        NoisyTables(Zero(), ensemble_of([[0]], [2])).total("tables", {}, {})


def test_totals_of_exact_tables_are_the_votes_of_the_objects():
    rng = np.random.default_rng(0)
    ensemble = ensemble_of(rng.integers(0, 3, (40, 4)), [3, 3, 3, 3])
    tables = cluster_tables(ensemble)
    assert isinstance(tables, ClusterTables)
    group = rng.integers(0, 2, 12)
    member = np.eye(2)[group]
    found = estimated_totals(tables, member)
    cells = ensemble.codes + ensemble.first_cell
    votes = member[cells].mean(axis=1)  # share of each object's labels in each group
    expected = np.zeros((12, 2))
    for row, share in zip(cells, votes, strict=True):
        expected[row] += share
    np.testing.assert_allclose(found.counts.cells, expected)
    np.testing.assert_allclose(found.counts.sizes, votes.sum(axis=0))
