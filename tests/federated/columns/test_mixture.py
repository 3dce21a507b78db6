"""Mixture of multinomials and NBCE by columns: the parameters of the pooled columns after every iteration."""

import numpy as np
import pytest

from partita import NBCE, MultinomialMixture
from partita._runs import progress
from partita.consensus.models._mixture import MixtureModel, run_mixture
from partita.consensus.models._starts import as_state
from partita.consensus.nbce._joint import NBCEModel
from partita.consensus.nbce._label_search import LabelledRows
from partita.consensus.nbce._variational_starts import VariationalSettings
from partita.consensus.nbce._vb import run_vb, state_of
from partita.federated import simulate
from partita.federated.columns import _mixture as _column_mixture
from partita.federated.columns import _nbce as _column_nbce
from tests.ensembles import noisy_ensemble, same_partition
from tests.federated.columns.parts import close, opened, pooled, split_columns, tables_of
from tests.federated.parts import labels_with_holes

K = 3
WEIGHTS = [1, 0.5, 2, 1, 0, 1, 3, 1]


@pytest.mark.parametrize("cuts", [(), (3,), (1, 3, 6)])
@pytest.mark.parametrize(
    ("model", "weights"),
    [(MixtureModel(), None), (MixtureModel(True, 0.01), WEIGHTS), (MixtureModel(False, 0.1), None)],
)
def test_the_mixture_has_the_pooled_parameters_after_every_iteration(cuts, model, weights):
    X, ensemble = labels_with_holes(), pooled(labels_with_holes(), weights)
    labels = np.random.default_rng(0).integers(K, size=ensemble.n_rows)
    sites, owners, common = opened(MultinomialMixture(K, weights=weights), split_columns(X, cuts))
    for n_iter in (1, 2, 3, 5, 10, 30):
        limits = {"tol": 1e-12, "max_iter": n_iter}
        want = run_mixture(ensemble, as_state(ensemble, labels, K, 0.1), model, **limits)
        first = _column_mixture.first_state(labels, K, 0.1)
        n_before = len(sites.exchanges)
        got = _column_mixture.run_columns(sites, first, model, common=common, **limits).run
        assert len(sites.exchanges) - n_before == len(got.history)  # one exchange per iteration
        assert close(got.history, want.history)
        assert close(got.state.pi, want.state.pi)
        assert close(tables_of(owners), want.state.table)


def test_the_mixture_finds_the_clusters_of_the_pooled_fit():
    X = noisy_ensemble(seed=1).X
    want = MultinomialMixture(K, random_state=0).fit(X)
    parts = split_columns(X, (2, 5))
    got = simulate(MultinomialMixture(K, random_state=0), parts, by="columns", accept_disclosure=True)
    assert same_partition(got.labels_, want.labels_)
    assert got.lower_bound_ > want.lower_bound_ - 1e-3
    assert np.allclose(got.predict_proba(X), got.membership_)


@pytest.mark.parametrize("estimate", [(False, False), (True, True)])
@pytest.mark.parametrize("cuts", [(3,), (1, 3, 6)])
def test_nbce_has_the_pooled_parameters_after_every_iteration(cuts, estimate):
    X, ensemble = labels_with_holes(), pooled(labels_with_holes())
    labels = np.random.default_rng(0).integers(5, size=ensemble.n_rows)
    sites, owners, common = opened(NBCE(inference="vb"), split_columns(X, cuts))
    prior = NBCEModel(ensemble.layout, "fsd", 1.0, 0.5)
    for n_iter in (1, 2, 3, 5, 10, 20):
        settings = VariationalSettings(12, estimate, "kmeans", n_iter, 1e-12, None)
        with progress(1, "", show=False) as bar:
            want = run_vb(ensemble, state_of(ensemble, LabelledRows(labels, prior, 0.0), 12), settings, bar)
        got = _column_nbce.run_columns(sites, labels, common=common, settings=settings, prior=prior).run
        assert close(got.history, want.history)
        assert close(got.state.xi, want.state.xi)
        assert close(tables_of(owners), want.state.rho)
        assert close([got.state.alpha0, got.state.beta], [want.state.model.alpha0, want.state.model.beta])


def test_the_prior_of_the_labels_takes_few_small_exchanges():
    sites, _, common = opened(NBCE(inference="vb"), split_columns(labels_with_holes(), (4,)))
    labels = np.random.default_rng(0).integers(5, size=common.n)
    settings = VariationalSettings(12, (True, True), "kmeans", 10, 1e-12, None)
    prior = NBCEModel(_column_nbce.NO_CLUSTERINGS, "fsd", 1.0, 0.5)
    _column_nbce.run_columns(sites, labels, common=common, settings=settings, prior=prior)
    slopes = [exchange for exchange in sites.exchanges if exchange.question == "nbce.slopes"]
    assert 9 <= len(slopes) <= 9 * 8
    assert max(exchange.bytes_received for exchange in slopes) < 100


def test_nbce_finds_about_the_clusters_of_the_pooled_fit():
    X = noisy_ensemble(seed=1).X
    want = NBCE(inference="vb", random_state=0).fit(X)
    got = simulate(NBCE(inference="vb", random_state=0), split_columns(X, (2, 5)), by="columns", accept_disclosure=True)
    assert got.lower_bound_ > want.lower_bound_ - 0.02 * abs(want.lower_bound_)
    assert got.n_clusters_ == want.n_clusters_
    assert np.allclose(got.predict_proba(X), got.membership_)


def test_nbce_by_sampling_is_refused():
    parts = split_columns(labels_with_holes(), (4,))
    with pytest.raises(ValueError, match="one object after another"):
        simulate(NBCE(), parts, by="columns", accept_disclosure=True)
