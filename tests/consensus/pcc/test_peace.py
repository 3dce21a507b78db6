"""PEACE's likelihood."""

import numpy as np
import pytest
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from partita import PCC, PEACE
from tests.consensus.pcc import pcc_reference as reference
from tests.ensembles import noisy_ensemble


def test_likelihood_is_binomial(rng):
    """Up to the coefficients, and up to the entropy of the counts that of PCC with KL (eqs. P40, P41)."""
    X = noisy_ensemble(sizes=(5, 4), n_clusterings=6, missing=0.2).X
    C, N = reference.counts(X)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    i, j = np.triu_indices(len(X), 1)
    p = (Y @ Y.T)[i, j]
    full = binom.logpmf(C[i, j], N[i, j], p).sum()
    coefficients = (gammaln(N + 1) - gammaln(C + 1) - gammaln(N - C + 1))[i, j].sum()
    assert reference.log_likelihood(C, N, Y) + coefficients == pytest.approx(full)
    share = np.divide(C, N, out=np.ones_like(C), where=N > 0)
    entropy = -(N * (xlogy(share, share) + xlogy(1 - share, 1 - share)))[i, j].sum()
    assert reference.objective("kl", C, N, Y) == pytest.approx(-reference.log_likelihood(C, N, Y) - entropy)


def test_peace_reports_the_likelihood(rng):
    X = reference.copied(rng)
    model = PEACE(3, n_init=2, random_state=0).fit(X)
    C, N = reference.counts(X)
    assert model.log_likelihood_ == pytest.approx(reference.log_likelihood(C, N, model.membership_), rel=1e-9)


def test_peace_is_pcc_with_kl_by_greedy_steps(X):
    """On distinct rows the same end."""
    distinct = np.unique(X, axis=0)
    peace = PEACE(3, n_init=2, random_state=0).fit(distinct)
    pcc = PCC(3, solver="greedy", init="random", n_init=2, random_state=0).fit(distinct)
    assert np.allclose(peace.membership_, pcc.membership_, atol=1e-3)  # other rounding
    assert peace.objective_ == pytest.approx(pcc.objective_, rel=1e-5)


def test_the_end_is_stationary_for_all_objects():
    """The gap of shared memberships is that of one membership per object (eq. P25)."""
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=6, flip=0.1).X
    assert len(np.unique(X, axis=0)) < 0.7 * len(X)
    model = PEACE(3, n_init=2, random_state=0).fit(X)
    C, N = reference.counts(X)
    assert reference.kkt_gap("kl", C, N, model.membership_) == pytest.approx(model.kkt_gap_, rel=1e-3, abs=1e-9)
    assert model.converged_
    assert model.objective_ == pytest.approx(reference.objective("kl", C, N, model.membership_), rel=1e-9)


def test_starts_on_a_sample_reach_what_starts_on_all_rows_reach():
    X = noisy_ensemble(sizes=(300, 200, 100), n_clusterings=12, flip=0.3, missing=0.1).X
    sampled = PEACE(3, random_state=0).fit(X)
    on_all = PEACE(3, n_init=1, keep_starts=True, random_state=0).fit(X)
    assert sampled.objective_ <= on_all.objective_ * 1.0001
    assert sampled.kkt_gap_ <= 1e-4


def test_the_likelihood_is_finite_for_any_weights(rng):
    """C and N are sums of the same weights in another order, so that C / N may exceed 1 by rounding."""
    X = rng.integers(3, size=(20, 6))
    model = PEACE(3, n_init=1, weights=[0.925, 0.406, 0.007, 0.899, 0.26, 0.653], random_state=0).fit(X)
    assert np.isfinite(model.log_likelihood_)
