"""Divergences on pairs of outcomes, and which objects are refused as divergences."""

import numpy as np
import pytest

from partita import PCC
from partita.consensus.pcc._divergences import check_divergence
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import KullbackLeibler, SquaredEuclidean


def test_aliases_are_two_methods(rng):
    X = reference.copied(rng)
    fits = {
        name: PCC(3, divergence=name, random_state=0).fit(X) for name in ("kl", "i-divergence", "l2", "mahalanobis")
    }
    assert np.array_equal(fits["kl"].membership_, fits["i-divergence"].membership_)
    assert np.array_equal(fits["l2"].membership_, fits["mahalanobis"].membership_)


def test_divergences_on_pairs_of_outcomes():
    """The generalised I-divergence is KL; Mahalanobis is a multiple of the squared difference (eq. P19)."""
    x1, x2 = np.meshgrid(np.linspace(0.01, 0.99, 25), np.linspace(0.01, 0.99, 25))
    kl = KullbackLeibler().value(x1, x2)
    i_divergence = sum(p * np.log(p / q) - p + q for p, q in ((x1, x2), (1 - x1, 1 - x2)))
    assert np.allclose(kl, i_divergence)
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    difference = np.stack([x1 - x2, x2 - x1], axis=-1)
    mahalanobis = np.einsum("...i,ij,...j", difference, A, difference)
    assert np.allclose(mahalanobis, (2 - 0.5 - 0.5 + 1) * SquaredEuclidean().value(x1, x2))


class NotConvex:
    def value(self, x1, x2):
        return -((x1 - x2) ** 2)

    def derivative(self, x1, x2):
        return 2 * (x1 - x2)


class WrongDerivative(SquaredEuclidean):
    def derivative(self, x1, x2):
        return 3 * (x2 - x1)


class ConcaveAtTheEdge(SquaredEuclidean):
    def value(self, x1, x2):
        return (x1 - x2) ** 2 - 0.01 * np.maximum(0.01 - x2, 0) ** 2 * 1e3

    def derivative(self, x1, x2):
        return 2 * (x2 - x1) + 0.02 * np.maximum(0.01 - x2, 0) * 1e3


class Broken(SquaredEuclidean):
    def value(self, x1, x2):
        raise RuntimeError("broken")


class NoSlope(SquaredEuclidean):
    def derivative(self, x1, x2):
        return np.full_like(x2, np.nan)


@pytest.mark.parametrize(
    ("divergence", "message"),
    [
        (NotConvex(), r"NotConvex is not convex in x2: at x1 = 0.0 its derivative falls from"),
        (WrongDerivative(), r"WrongDerivative: derivative\(0.0, 1.00\) = 2.997, but value has slope 1.998"),
        (ConcaveAtTheEdge(), "ConcaveAtTheEdge is not convex in x2"),
        (Broken(), "Broken fails on arrays x1, x2 .* broken"),
        (NoSlope(), "NoSlope: derivative must be finite inside"),
        (3, "divergence=3 is neither one of 'kl', .* nor an object with methods"),
        ("chi2", "'divergence' parameter of PCC|divergence='chi2' is neither one of"),
    ],
)
def test_what_is_not_a_divergence_is_refused(X, divergence, message):
    with pytest.raises(ValueError, match=message):
        PCC(divergence=divergence).fit(X)


def test_the_papers_divergences_pass_their_own_check():
    for divergence in (KullbackLeibler(), SquaredEuclidean()):
        check_divergence(divergence)
