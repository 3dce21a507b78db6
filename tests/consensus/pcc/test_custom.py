"""A divergence of the user's own against the definition, the kernels and its own derivatives (eq. P21)."""

import numpy as np
import pytest

from partita import coassociation
from partita.consensus.pcc._custom import RowBound, custom_space
from partita.consensus.pcc._stored_pairs import all_pairs, chosen_pairs
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import KullbackLeibler, SquaredEuclidean

OWN = {"kl": KullbackLeibler(), "l2": SquaredEuclidean()}
both = pytest.mark.parametrize("divergence", OWN)


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_gap_and_objective_over_all_pairs_are_those_of_the_definition(divergence, weighted, rng):
    _, ensemble, Y, expected, _, _ = reference.placed_rows(divergence, weighted, rng)
    kernels = all_pairs(ensemble, 3, reference.KINDS[divergence])
    custom = custom_space(OWN[divergence], ensemble)
    assert custom.scale == kernels.scale
    run, gaps = custom.start_at(Y), np.empty(len(Y))
    run.sweep(np.arange(len(Y)), np.inf, gaps)
    assert np.allclose(gaps, expected, rtol=1e-8)
    assert run.objective() == pytest.approx(kernels.start_at(Y).objective(), rel=1e-9)


@both
def test_gap_and_objective_over_chosen_pairs_are_those_of_the_kernels(divergence, rng):
    X, ensemble, Y, _, _, _ = reference.placed_rows(divergence, False, rng)
    chosen = coassociation(X, form="pairs", pairs=0.5, random_state=0)
    kernels = chosen_pairs(chosen, ensemble, reference.KINDS[divergence])
    custom = custom_space(OWN[divergence], ensemble, chosen)
    assert custom.scale == pytest.approx(kernels.scale)
    assert np.array_equal(custom.isolated, kernels.isolated)
    found, expected = np.zeros(len(X)), np.zeros(len(X))
    one, other = custom.start_at(Y), kernels.start_at(Y)
    for run, gaps in ((one, found), (other, expected)):
        run.sweep(np.flatnonzero(~custom.isolated), np.inf, gaps)
    assert np.allclose(found, expected, rtol=1e-8)
    assert one.objective() == pytest.approx(other.objective(), rel=1e-9)


def row_bound(divergence, rng):
    V, y = rng.dirichlet(np.ones(3), size=12), rng.dirichlet(np.ones(3))
    return RowBound(OWN[divergence], V, rng.random(12), rng.random(12) + 0.5, V @ y), y


@both
def test_the_bend_is_the_second_derivative(divergence, rng):
    bound, _ = row_bound(divergence, rng)
    c, a = bound.shares, bound.a
    second = np.full(12, 2.0) if divergence == "l2" else c / a**2 + (1 - c) / (1 - a) ** 2
    assert np.allclose(bound.bend(), bound.totals * second, rtol=1e-5)


@both
def test_a_step_ends_where_the_sum_is_lowest_or_at_its_full_length(divergence, rng):
    bound, y = row_bound(divergence, rng)

    def value(e, step):
        return bound.totals @ bound.divergence.value(bound.shares, bound.a + step * e)

    steps = np.linspace(0, 1, 2001)
    for corner in np.eye(3):
        for e in (bound.V @ (corner - y), -0.1 * (bound.V @ (corner - y))):
            if e @ bound.slope(bound.a) < 0:  # downhill
                step = bound.step_along(e)
                assert step == pytest.approx(steps[np.argmin([value(e, s) for s in steps])], abs=1e-3)
                assert value(e, step) < value(e, 0)
