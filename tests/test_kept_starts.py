"""``keep_starts=True``: every start runs to its end, and ``starts_`` says what each found."""

import inspect

import numpy as np
import pandas as pd
import pytest

import partita
from partita.metrics import adjusted_rand_score
from tests.ensembles import noisy_ensemble, same_partition
from tests.registry import ESTIMATORS

N_INIT = 4
KEEPERS = [
    name
    for name, entry in ESTIMATORS.items()
    if "keep_starts" in inspect.signature(type(entry.make())).parameters and name != "BCE-gibbs"  # it has chains
]


def value_of(model):
    return model.objective_ if hasattr(model, "objective_") else model.lower_bound_


def fit(name, **own):
    entry = ESTIMATORS[name]
    model = entry.make(n_clusters=3) if entry.takes_k else entry.make()
    return model.set_params(n_init=N_INIT, random_state=1, **own).fit(noisy_ensemble(flip=0.4).X)


@pytest.mark.parametrize("name", KEEPERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_start_is_kept_and_the_best_one_is_the_result(name):
    model = fit(name, keep_starts=True)
    drawn_once = "given" in name
    assert len(model.starts_) == (1 if drawn_once else N_INIT)
    assert len({start.seed for start in model.starts_}) == len(model.starts_)
    values = np.array([start.objective for start in model.starts_])
    best = values.max() if hasattr(model, "lower_bound_") else values.min()
    assert value_of(model) == pytest.approx(best, rel=1e-6)
    selected = model.starts_[int(np.flatnonzero(values == best)[0])]
    assert same_partition(selected.labels, model.labels_) or adjusted_rand_score(selected.labels, model.labels_) > 0.99
    for start in model.starts_:
        assert start.labels.shape == model.labels_.shape
        sizes = np.bincount(start.labels[start.labels >= 0])
        assert (np.diff(sizes) <= 0).all()
        assert start.n_iter >= 1
    assert {"objective", "seed", "n_iter", "labels"} == set(pd.DataFrame(model.starts_).columns)


@pytest.mark.parametrize("name", KEEPERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_threads_do_not_change_the_starts(name):
    one, two = fit(name, keep_starts=True, n_jobs=1), fit(name, keep_starts=True, n_jobs=2)
    assert [start.objective for start in one.starts_] == [start.objective for start in two.starts_]
    assert all(np.array_equal(a.labels, b.labels) for a, b in zip(one.starts_, two.starts_, strict=True))


@pytest.mark.parametrize("name", KEEPERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nothing_is_kept_unless_asked_for(name):
    assert not hasattr(fit(name), "starts_")


def test_chains_are_no_starts():
    with pytest.raises(ValueError, match=r"keep_starts=True is for inference='vb'"):
        fit("BCE-gibbs", keep_starts=True)


def test_the_methods_with_starts_can_keep_them():
    drawn = {"LabelKMeans", "QMI", "MultinomialMixture", "BCE", "GBCE", "NMFConsensus", "PCC", "PEACE", "BaumEagon"}
    drawn |= {"AspectModel", "KCC", "KModes", "ConstrainedNMF", "FuzzyKMeans", "FuzzyKMedoids"}
    without = [
        name for name in sorted(drawn) if "keep_starts" not in inspect.signature(getattr(partita, name)).parameters
    ]
    assert not without
