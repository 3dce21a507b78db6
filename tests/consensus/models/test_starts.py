"""Starts of the models of labels: annealing, children, and which of them are run to the end (eq. M56)."""

import numpy as np
import pytest

from partita._labels.ensemble import Ensemble
from partita.consensus.models import _starts as module
from partita.consensus.models._em import column_sums
from partita.consensus.models._mixture import MixtureModel, MixtureState
from tests.ensembles import noisy_ensemble


@pytest.fixture
def ensemble(rng):
    X = np.unique(noisy_ensemble(missing=0.2, flip=0.4).X, axis=0)
    return Ensemble(X.astype(np.int32), X.max(axis=0) + 1, rng.random(X.shape[1]) + 0.5, rng.random(len(X)) + 0.1)


def settings(k=4, init="kmeans"):
    return module.StartSettings(k, init, MixtureModel())


def is_a_state(state, ensemble, k):
    assert state.pi.sum() == pytest.approx(1)
    assert state.table.shape == (ensemble.n_cells, k)
    assert np.allclose(column_sums(state.table, ensemble), 1)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_starts_are_states_of_the_mixture(number, init, ensemble):
    is_a_state(settings(init=init).begin(ensemble, number, 3), ensemble, 4)


def test_the_best_starts_come_first_and_children_only_improve_them(ensemble, monkeypatch):
    def bounds(n_children):
        monkeypatch.setattr(module, "_CHILDREN", n_children)
        states = module.compete(ensemble, settings(), list(range(13)), 3, 1)
        return [settings().try_out(ensemble, state).history[0] for state in states]

    alone, with_children = bounds(0), bounds(10)
    assert alone == sorted(alone, reverse=True)
    assert with_children == sorted(with_children, reverse=True)
    assert with_children[0] >= alone[0]
    assert len(alone) == len(with_children) == 3


def test_a_child_has_the_matched_components_of_its_parents(ensemble, rng):
    first = settings().begin(ensemble, 0, 1)
    order = np.array([2, 0, 3, 1])
    second = MixtureState(first.pi[order], first.table[:, order])
    child = module._mix(first, second, rng)  # the same components, numbered in another way
    assert np.allclose(child.table, first.table)
    assert np.allclose(child.pi, first.pi)


def test_one_component_of_a_child_is_new(ensemble, rng):
    parent = settings().begin(ensemble, 0, 1)
    child = module._renew_one(ensemble, parent, rng)
    is_a_state(child, ensemble, 4)
    kept = np.isclose(child.table, 0.9 * parent.table + 0.1 * module.shares(ensemble)[:, None]).all(axis=0)
    assert kept.sum() == 3
    assert child.pi[~kept] == pytest.approx(1 / 4)


def test_a_new_component_has_half_of_a_row(ensemble):
    overall = module.shares(ensemble)
    table = module._half_of_row(ensemble, 0, overall)
    for j, code in enumerate(ensemble.codes[0]):
        own = slice(ensemble.first_cell[j], ensemble.first_cell[j] + ensemble.n_labels[j])
        expected = overall[own] if code < 0 else (overall[own] + np.eye(ensemble.n_labels[j])[code]) / 2
        assert np.allclose(table[own], expected)
