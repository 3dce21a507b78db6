"""What "vb" and "cvb" share: starts, samples of objects, weights of objects, and the end of the iterations."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from partita import _runs
from partita.consensus.nbce import _variational_starts as starts
from partita.consensus.nbce._nbce import NBCE
from tests.ensembles import noisy_ensemble


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_starts_with_few_and_with_many_clusters_and_the_best_is_kept(inference, X):
    one = NBCE(inference, truncation=10, n_init=1, random_state=0).fit(X)
    many = NBCE(inference, truncation=10, n_init=6, random_state=0).fit(X)
    assert many.lower_bound_ >= one.lower_bound_ - 1e-6 * abs(one.lower_bound_)


@pytest.mark.parametrize("inference", ["vb", "cvb"])
@pytest.mark.parametrize(("init", "searched"), [("kmeans", 0), ("random", 0), ("random", 10_000)])
def test_start_that_is_best_on_a_sample_continues_on_all_rows(init, searched, inference, monkeypatch):
    X, truth = noisy_ensemble(sizes=(150, 100, 60), flip=0.15)
    options = {"truncation": 8, "init": init, "n_init": 4, "random_state": 0}
    everything = NBCE(inference, **options).fit(X)
    n_rows, search = [], starts.search_labels

    def counted(ensemble, *arguments, **keywords):
        n_rows.append(ensemble.n_rows)
        return search(ensemble, *arguments, **keywords)

    monkeypatch.setattr(_runs, "SAMPLE_SIZE", 60)
    monkeypatch.setattr(starts, "_SEARCHED", searched)
    monkeypatch.setattr(starts, "search_labels", counted)
    sampled = NBCE(inference, **options).fit(X)
    assert max(n_rows[:4]) <= 60
    assert n_rows[4:] == ([len(np.unique(X, axis=0))] if searched else [])
    assert sampled.converged_
    assert adjusted_rand_score(sampled.labels_, truth) > 0.97
    assert sampled.lower_bound_ == pytest.approx(everything.lower_bound_, rel=0.02)
    assert np.allclose(sampled.membership_.sum(axis=1), 1)
    if inference == "vb":
        assert (np.diff(sampled.history_) >= -1e-10 * abs(sampled.lower_bound_)).all()


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_threads_change_no_bit(inference, monkeypatch):
    X = noisy_ensemble(sizes=(60, 40), flip=0.3).X
    monkeypatch.setattr(_runs, "_BLOCK", 1)
    one, many = (NBCE(inference, truncation=6, n_init=4, random_state=0, n_jobs=n).fit(X) for n in (1, 3))
    assert one.history_ == many.history_
    assert np.array_equal(one.membership_, many.membership_)


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_stopping_early_is_reported(inference):
    X = noisy_ensemble(flip=0.45).X  # so uncertain that the clusters of the search are not yet the answer
    with pytest.warns(
        ConvergenceWarning, match=f"NBCE with inference='{inference}' did not converge in max_iter=2 iterations"
    ):
        model = NBCE(inference, truncation=6, max_iter=2, tol=0.0, random_state=0).fit(X)
    assert model.n_iter_ == 2
    assert len(model.history_) == 2
    assert not model.converged_


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_sample_weight_is_the_object_repeated(inference, rng):
    X = noisy_ensemble(missing=0.2).X
    times = rng.integers(1, 4, size=len(X))
    options = {"truncation": 6, "n_init": 3, "random_state": 0, "tol": 1e-8, "max_iter": 3000}
    once = NBCE(inference, **options).fit(X, sample_weight=times)
    long = NBCE(inference, **options).fit(np.repeat(X, times, axis=0))
    assert once.lower_bound_ == pytest.approx(long.lower_bound_, rel=1e-8)
    assert np.allclose(np.repeat(once.membership_, times, axis=0), long.membership_, atol=1e-5)


@pytest.mark.parametrize("inference", ["vb", "cvb"])
def test_equal_rows_have_equal_membership(inference, X):
    model = NBCE(inference, truncation=6, n_init=2, random_state=0).fit(np.vstack([X, X[:9]]))
    assert np.array_equal(model.membership_[:9], model.membership_[len(X) :])
