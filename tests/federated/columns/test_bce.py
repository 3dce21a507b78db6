"""BCE by columns: the parameters of the pooled columns after every iteration, by our messages and by the paper's."""

import numpy as np
import pytest

from partita import BCE
from partita.consensus.models._bce_steps import BCEColumns, BCEState, hard_gamma, label_problem, run_bce
from partita.consensus.models._starts import as_state
from partita.federated import simulate
from partita.federated.columns._bce import run_columns
from partita.federated.columns._bce_steps import ColumnState
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.columns.parts import close, opened, pooled, split_columns, tables_of
from tests.federated.parts import labels_with_holes

K, MIXED = 3, 0.4
ALPHA = np.array([0.5, 0.2, 0.9])


def starts(X, weights=None, smoothing=0.0, seed=0):
    """The same first parameters, pooled and by columns."""
    ensemble = pooled(X, weights)
    labels = np.random.default_rng(seed).integers(K, size=ensemble.n_rows)
    first = BCEState(ALPHA, as_state(ensemble, labels, K, MIXED).table, np.empty((0, K)), np.empty((0, K)))
    change = {"action": "start", "labels": labels, "n_clusters": K, "mixed": MIXED}
    return label_problem(ensemble, BCEColumns(ensemble.layout, smoothing)), first, ColumnState(ALPHA, change)


CASES = [
    ((), 0.0, None),
    ((3,), 0.01, None),
    ((1, 2, 3, 4, 5, 6, 7), 0.0, [1, 0.5, 2, 1, 0.7, 1, 3, 1]),  # one clustering per site
    ((2, 5), 0.01, [1, 0.5, 2, 1, 0, 1, 3, 1]),
]


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize(("cuts", "smoothing", "weights"), CASES)
def test_it_has_the_pooled_parameters_after_every_iteration(cuts, smoothing, weights, paper):
    X, estimator = labels_with_holes(), BCE(K, smoothing=smoothing, weights=weights)
    problem, first, state = starts(X, weights, smoothing)
    sites, owners, common = opened(estimator, split_columns(X, cuts), paper=paper)
    for n_iter in (1, 2, 3, 5, 8, 12, 25):
        want = run_bce(problem, first, tol=1e-9, max_iter=n_iter)
        got = run_columns(sites, state, common, tol=1e-9, max_iter=n_iter, hard=False)
        assert close(got.run.history, want.history)
        assert close(got.run.state.alpha, want.state.alpha)
        assert close(tables_of(owners), want.state.table)
        assert close(got.gamma, want.gamma)


def test_it_takes_updates_back_where_the_pooled_fit_does():
    X, estimator = labels_with_holes(3), BCE(K)
    problem, first, state = starts(X, seed=1)
    sites, owners, common = opened(estimator, split_columns(X, (4,)))
    want = run_bce(problem, first, tol=1e-12, max_iter=80)
    got = run_columns(sites, state, common, tol=1e-12, max_iter=80, hard=False)
    actions = [values.get("action") for question, values, _ in sites._engine.log if question == "bce.step"]
    assert "back" in actions
    assert np.allclose(got.run.history, want.history, rtol=1e-10)
    assert np.allclose(tables_of(owners), want.state.table, rtol=1e-6, atol=1e-9)  # rounding grows in 80 iterations


def test_rows_can_begin_hard():
    X, estimator = labels_with_holes(), BCE(K)
    problem, first, state = starts(X)
    sites, _, common = opened(estimator, split_columns(X, (4,)))
    want = run_bce(problem, first, tol=1e-9, max_iter=10, gamma=hard_gamma(problem, first))
    got = run_columns(sites, state, common, tol=1e-9, max_iter=10, hard=True)
    assert close(got.run.history, want.history)
    assert close(got.gamma, want.gamma)


def test_an_iteration_takes_one_exchange_more_than_steps_and_settled_objects_are_not_asked_about():
    X, estimator = labels_with_holes(), BCE(K)
    sites, _, common = opened(estimator, split_columns(X, (4,)))
    n_before = len(sites.exchanges)
    run_columns(sites, starts(X)[2], common, tol=1e-12, max_iter=4, hard=False)
    assert [exchange.question for exchange in sites.exchanges[n_before:]] == 4 * (5 * ["bce.step"] + ["bce.finish"])
    run_columns(sites, starts(X)[2], common, tol=1e-3, max_iter=40, hard=False)
    asked = [len(values["objects"]) for question, values, _ in sites._engine.log if question == "bce.step"]
    assert min(asked) < common.n == max(asked)


def test_the_fit_finds_the_clusters_of_the_pooled_fit():
    X = noisy_ensemble(seed=1).X
    want = BCE(K, random_state=0).fit(X)
    got = simulate(BCE(K, random_state=0), split_columns(X, (2, 5)), by="columns", accept_disclosure=True)
    assert same_partition(got.labels_, want.labels_)
    assert got.lower_bound_ > want.lower_bound_ - 1e-3 * abs(want.lower_bound_)
    assert close(got.gamma_.sum(axis=1), got.alpha_.sum() + (X >= 0).sum(axis=1))
    assert np.array_equal(got.predict(X), got.labels_)
    assert [len(table) for table in got.beta_] == [K] * X.shape[1]


def test_the_papers_messages_give_the_same_fit_with_fewer_exchanges():
    X, settings = labels_with_holes(), {"by": "columns", "accept_disclosure": True}
    ours = simulate(BCE(K, random_state=0), split_columns(X, (2, 5)), **settings)
    papers = simulate(BCE(K, random_state=0), split_columns(X, (2, 5)), paper=True, **settings)
    assert np.array_equal(ours.labels_, papers.labels_)
    assert close(ours.lower_bound_, papers.lower_bound_)
    sent = [exchange for exchange in papers.exchanges_ if exchange.question == "paper.send"]
    assert 0 < len(sent) < sum(exchange.question == "bce.step" for exchange in ours.exchanges_)
    assert all(exchange.seconds > 0 for exchange in sent)
