"""Relative indices and p-values by loops (eqs. I58 to I62)."""

import numpy as np
import pytest

from partita.selection._comparison import Profile, compare_with_references
from tests.selection.recorded import coassociations


def ambiguous(X):
    S = coassociations(X)
    return ((S > 0.1) & (S < 0.9)).mean()


def within(F, labels):
    """Share of the sum of squares that is within clusters."""
    total = ((F - F.mean(axis=0)) ** 2).sum()
    return sum(((F[labels == k] - F[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels)) / total


def p_values(logs):
    """Of each number, by the sum of z at it; and of all together, by the sum of the largest z."""
    n_sets, n_numbers = logs[0].shape
    z = [(values.mean(axis=0) - values) / values.std(axis=0, ddof=1) for values in logs]
    at = [[sum(one[s, k] for one in z) for k in range(n_numbers)] for s in range(n_sets)]
    over = [sum(max(one[s]) for one in z) for s in range(n_sets)]
    of_numbers = [sum(at[s][k] >= at[0][k] - 1e-9 for s in range(n_sets)) / n_sets for k in range(n_numbers)]
    return of_numbers, sum(value >= over[0] - 1e-9 for value in over) / n_sets


def test_references_and_p_values_by_loops(recorded):
    """Logs of data set s and number k: the first data set is the given one, the others are without clusters."""
    pac = np.array([[ambiguous(X) for X in samples] for samples in recorded.samples])
    logs = {"rcsi": np.log(pac + 1e-3)}
    if recorded.choice.kind == "features":
        pairs = zip(recorded.data, recorded.of_all, strict=True)
        scatter = [[within(F, labels) for labels in clusterings] for F, clusterings in pairs]
        logs["gap"] = np.log(np.array(scatter) + 1e-3)
    kinds = [[0, *range(1, 20)], [0, *range(20, 39)]] if recorded.choice.kind == "features" else [[*range(20)]]
    assert len(pac) == 1 + 19 * len(kinds)
    for name, values in logs.items():
        expected = [values[rows[1:]].mean(axis=0) - values[0] for rows in kinds]
        assert np.allclose(recorded.table[name], np.min(expected, axis=0))
    assert np.allclose(recorded.table["reference_pac"], np.min([pac[rows[1:]].mean(axis=0) for rows in kinds], axis=0))
    of_numbers, of_all = zip(*[p_values([values[rows] for values in logs.values()]) for rows in kinds], strict=True)
    assert np.allclose(recorded.table["p_value"], np.max(of_numbers, axis=0))
    assert recorded.choice.p_value == pytest.approx(max(of_all))


def test_p_value_of_data_that_stand_out_or_do_not():
    references = [Profile(np.full(3, 0.5 + 0.01 * s)) for s in range(19)]
    found = compare_with_references(Profile(np.array([0.6, 0.1, 0.9])), references)
    assert found.p_value == 1 / 20
    assert found.columns["p_value"].tolist() == [12 / 20, 1 / 20, 1]
    assert compare_with_references(Profile(np.full(3, 0.9)), references).p_value == 1


def test_p_values_are_exact_without_clusters(rng):
    """Data and references alike: p <= 0.05 in a twentieth of all cases, also if the two measures are correlated."""
    n = 2000
    shared = rng.random((n, 20, 1))
    pac, scatter = rng.random((n, 20, 4)) * shared, rng.random((n, 20, 4)) * shared**2
    p = np.array(
        [
            compare_with_references(*profiles[:1], profiles[1:]).p_value
            for profiles in (
                [Profile(a, b) for a, b in zip(*both, strict=True)] for both in zip(pac, scatter, strict=True)
            )
        ]
    )
    assert abs((p <= 0.05).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n)
    assert np.allclose(np.unique(p), np.arange(1, 21) / 20)
