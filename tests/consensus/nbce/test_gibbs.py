"""Gibbs sampling of NBCE as a whole: consensus, traces, samples and weights of objects."""

import pickle

import numpy as np
import pytest

from partita._numbering import number_by_size
from partita._sampling import effective_sample_size, split_r_hat
from partita.consensus.nbce import _gibbs as module
from partita.consensus.nbce._gibbs_chain import run_chain
from partita.consensus.nbce._nbce import NBCE
from partita.exceptions import UnlabelledObjectsWarning
from tests.consensus.nbce import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import LOSSES, PRIORS, TINY, Posterior, make_model, within_monte_carlo_error
from tests.ensembles import noisy_ensemble, same_partition


def joint_of_labels(X, labels, model, n_clusters):
    fitted = make_model(X.max(axis=0) + 1, model.prior, alpha0=model.alpha0_, beta=model.beta_, weights=model.weights)
    return reference.log_joint(X, labels, n_clusters, fitted)


def test_log_joint_is_that_of_the_labels(X):
    weights = np.linspace(0.5, 1.5, X.shape[1])
    model = NBCE(prior="fsd", truncation=20, n_sweeps=40, thin=2, weights=weights, random_state=0).fit(X)
    assert model.log_joint_ == pytest.approx(joint_of_labels(X, model.labels_, model, 20), rel=1e-10)
    assert model.log_joint_ >= model.log_joint_trace_[:, 20:].max() - 1e-9


def test_log_joint_of_sampled_parameters_is_theirs(X):
    model = NBCE("gibbs", "fsd", 20, alpha0="auto", beta="auto", n_sweeps=40, random_state=0).fit(X)
    assert (model.alpha0_, model.beta_) != (1.0, 0.5)
    assert model.log_joint_ == pytest.approx(joint_of_labels(X, model.labels_, model, 20), rel=1e-10)


@pytest.mark.parametrize("names", [(), ("alpha0",), ("beta",), ("alpha0", "beta")])
def test_best_chain_has_the_highest_joint_with_the_prior_of_what_is_sampled(names, X, monkeypatch):
    chains = []

    def record(*arguments):
        chains.append(run_chain(*arguments))
        return chains[-1]

    monkeypatch.setattr(module, "run_chain", record)
    auto = dict.fromkeys(names, "auto")
    model = NBCE(prior="fsd", n_sweeps=20, n_chains=6, random_state=0, **auto).fit(X)
    modes = [chain.mode for chain in chains]
    priors = [sum(np.log(getattr(mode.model, name)) - getattr(mode.model, name) for name in names) for mode in modes]
    best = modes[int(np.argmax([mode.log_joint + prior for mode, prior in zip(modes, priors, strict=True)]))]
    assert (model.alpha0_, model.beta_) == (best.model.alpha0, best.model.beta)
    assert model.log_joint_ == pytest.approx(best.log_joint)


# what a fit hands out


@pytest.fixture(scope="module")
def fitted():
    X = noisy_ensemble(flip=0.25).X
    return X, NBCE(truncation=15, n_sweeps=61, burn_in=11, thin=5, n_chains=3, coassignment=True, random_state=0).fit(X)


def test_traces_and_samples_belong_together(fitted):
    X, model = fitted
    assert model.log_joint_trace_.shape == model.n_clusters_trace_.shape == (3, 61)
    assert model.samples_.shape == (30, len(X))
    kept = np.arange(11 + 4, 61, 5)
    n_clusters = [len(set(z)) for z in model.samples_.tolist()]
    assert np.array_equal(np.reshape(n_clusters, (3, 10)), model.n_clusters_trace_[:, kept])
    of_model = make_model(X.max(axis=0) + 1, "tsb")
    for z, value in zip(model.samples_[9:21], model.log_joint_trace_[:, kept].ravel()[9:21], strict=True):
        assert value == pytest.approx(reference.log_joint(X, z, 15, of_model), rel=1e-10)
    assert model.history_ in model.log_joint_trace_.tolist()
    assert model.n_iter_ == 61


def test_r_hat_is_of_what_follows_the_burn_in(fitted):
    _, model = fitted
    assert set(model.r_hat_) == {"n_clusters", "log_joint"}
    assert model.r_hat_["log_joint"] == pytest.approx(split_r_hat(model.log_joint_trace_[:, 11:]))
    assert model.r_hat_["n_clusters"] == pytest.approx(split_r_hat(model.n_clusters_trace_[:, 11:]))
    assert model.converged_ == (max(model.r_hat_.values()) < 1.1)


def test_effective_sample_size_is_of_what_follows_the_burn_in(fitted):
    _, model = fitted
    assert model.ess_["log_joint"] == pytest.approx(effective_sample_size(model.log_joint_trace_[:, 11:]))
    assert set(model.ess_) == {"n_clusters", "log_joint"}


def test_many_clusterings_of_distinct_rows_are_tempered(rng):
    layout = make_model([3] * 60).layout
    distinct = layout.with_rows(rng.integers(3, size=(40, 60)).astype(np.int32))
    assert module.choose_temperatures(distinct) == 6
    assert module.choose_temperatures(layout.with_rows(distinct.codes[np.arange(40) % 15])) == 1
    few = make_model([3] * 30).layout.with_rows(np.ascontiguousarray(distinct.codes[:, :30]))
    assert module.choose_temperatures(few) == 1
    heavy = make_model([3] * 30, weights=[2.0] * 30).layout.with_rows(few.codes)
    assert module.choose_temperatures(heavy) == 6


@pytest.mark.parametrize("consensus", ["map", "vi"])
@pytest.mark.parametrize("prior", PRIORS)
def test_log_joint_is_that_of_the_labels_as_numbered(prior, consensus):
    X = noisy_ensemble(flip=0.3).X
    model = NBCE(prior=prior, truncation=20, n_sweeps=60, consensus=consensus, random_state=0).fit(X)
    assert model.log_joint_ == pytest.approx(joint_of_labels(X, model.labels_, model, 20), rel=1e-10)


def test_coassignment_is_the_share_of_samples(fitted):
    _, model = fitted
    together = (model.samples_[:, :, None] == model.samples_[:, None, :]).mean(axis=0)
    assert np.allclose(model.coassignment_, together, atol=1e-12)


def test_objects_without_labels_are_not_sampled():
    X = np.insert(noisy_ensemble().X, 4, -1, axis=0)
    with pytest.warns(UnlabelledObjectsWarning):
        model = NBCE(n_sweeps=30, coassignment=True, random_state=0).fit(X)
    assert (model.samples_[:, 4] == -1).all()
    assert (np.delete(model.samples_, 4, axis=1) >= 0).all()
    assert np.isnan(model.coassignment_[4]).all()
    assert np.isnan(model.coassignment_[:, 4]).all()
    assert not np.isnan(np.delete(np.delete(model.coassignment_, 4, 0), 4, 1)).any()
    assert model.labels_[4] == -1
    plain = NBCE(n_sweeps=30, coassignment=True, random_state=0).fit(np.delete(X, 4, axis=0))
    assert np.array_equal(np.delete(model.samples_, 4, axis=1), plain.samples_)


def test_threads_change_no_bit(X):
    one, many = (NBCE(n_sweeps=30, n_chains=4, alpha0="auto", random_state=3, n_jobs=jobs).fit(X) for jobs in (1, 4))
    assert np.array_equal(one.samples_, many.samples_)
    assert np.array_equal(one.log_joint_trace_, many.log_joint_trace_)
    assert np.array_equal(one.membership_, many.membership_)


def test_chains_differ_and_seeds_repeat(X):
    models = [NBCE(n_sweeps=20, n_chains=2, random_state=seed).fit(X) for seed in (0, 0, 1)]
    assert np.array_equal(models[0].samples_, models[1].samples_)
    assert not np.array_equal(models[0].samples_, models[2].samples_)
    assert not np.array_equal(*models[0].log_joint_trace_)


def test_no_sample_left_is_refused(X):
    with pytest.raises(
        ValueError, match=r"burn_in=4 and thin=7 leave no sample of n_sweeps=10; raise n_sweeps or lower"
    ):
        NBCE(n_sweeps=10, burn_in=4, thin=7).fit(X)


def test_as_few_samples_as_asked_for(X):
    assert NBCE(n_sweeps=10, burn_in=4, thin=6, n_chains=1, random_state=0).fit(X).samples_.shape[0] == 1
    assert NBCE(n_sweeps=10, burn_in=0, thin=1, n_chains=1, random_state=0).fit(X).samples_.shape[0] == 10


# weights of objects


def test_whole_weight_is_the_object_repeated():
    """Both fits have the co-assignments that enumeration gives to the repeated objects."""
    X, times = TINY[[0, 2, 4]], np.array([2, 1, 2])
    long = np.repeat(X, times, axis=0)
    first = np.array([0, 2, 3])
    options = {"prior": "fsd", "n_sweeps": 8000, "burn_in": 100, "thin": 1, "n_chains": 1, "random_state": 0}
    once = NBCE(truncation=3, **options).fit(X, sample_weight=times)
    repeated = NBCE(truncation=3, **options).fit(long)
    expected = Posterior(long, 3, make_model(X.max(axis=0) + 1, "fsd")).coassignment()[np.ix_(first, first)]
    for draws in (once.samples_, repeated.samples_[:, first]):
        together = draws[:, :, None] == draws[:, None, :]
        assert within_monte_carlo_error(together, expected)
    assert once.membership_.shape == (3, once.n_clusters_)


@pytest.mark.parametrize("weighted", [False, True])
def test_predictive_density_of_repeated_objects_is_a_ratio_of_evidences(weighted):
    X, times = TINY[[0, 2, 4]], np.array([3, 1, 3])
    long, model = np.repeat(X, times, axis=0), make_model([2, 2, 2], "fsd", alpha0=3.0)
    options = {"alpha0": 3.0, "n_sweeps": 6000, "burn_in": 100, "thin": 2, "n_chains": 1, "random_state": 0}
    data, weight = (X, times) if weighted else (long, None)
    fitted = NBCE("gibbs", "fsd", 3, **options).fit(data, sample_weight=weight)
    rows = reference.assignments(3, 2)
    before = Posterior(long, 3, model).log_evidence
    exact = [Posterior(np.vstack([long, row]), 3, model).log_evidence - before for row in rows]
    assert np.allclose(fitted.score_samples(rows), exact, atol=0.02)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("alpha0", [1.0, "auto"])
def test_scores_need_no_labels_of_the_training_objects(alpha0, prior, X, monkeypatch):
    """Occupancies of the samples, and recounting them from the labels where they are many, give the same bits."""
    weight = np.arange(len(X)) % 3 + 1
    options = {"prior": prior, "alpha0": alpha0, "n_sweeps": 30, "random_state": 0}
    light = NBCE(**options).fit(X, sample_weight=weight)
    monkeypatch.setattr(module, "_NUMBERS", 0)
    recounted = NBCE(**options).fit(X, sample_weight=weight)
    assert isinstance(light._posterior.predictive, module.SampledLogs)
    assert isinstance(recounted._posterior.predictive, module.RecountedLogs)
    assert np.array_equal(light.score_samples(X), recounted.score_samples(X))
    assert np.array_equal(pickle.loads(pickle.dumps(light)).score_samples(X), light.score_samples(X))


def test_fitted_model_does_not_grow_with_the_number_of_clusterings_times_objects(rng):
    truth = rng.integers(2, size=2000)
    few, many = (NBCE(n_sweeps=6, thin=1, n_chains=1, random_state=0).fit(np.tile(truth[:, None], m)) for m in (5, 50))
    assert len(pickle.dumps(many)) < 1.2 * len(pickle.dumps(few))


def test_fractions_of_objects_are_refused(X):
    weight = np.ones(len(X))
    weight[3] = 0.5
    with pytest.raises(ValueError, match=r"sample_weight contains 0.5: .*whole numbers; use inference='vb' or 'cvb'"):
        NBCE(n_sweeps=10).fit(X, sample_weight=weight)
    NBCE("vb", n_init=1, random_state=0).fit(X, sample_weight=weight)
    NBCE("cvb", truncation=5, n_init=1, random_state=0).fit(X, sample_weight=weight)


def test_object_without_weight_has_no_influence(X):
    weight = (np.arange(len(X)) != 2).astype(float)
    model = NBCE(n_sweeps=30, random_state=0).fit(X, sample_weight=weight)
    plain = NBCE(n_sweeps=30, random_state=0).fit(np.delete(X, 2, axis=0))
    assert np.array_equal(np.delete(model.samples_, 2, axis=1), plain.samples_)
    assert model.labels_[2] == plain.predict(X[2:3])[0]


# consensus of least expected loss


@pytest.mark.parametrize("loss", LOSSES)
def test_consensus_is_nearer_to_the_samples_than_any_of_them(loss):
    X = noisy_ensemble(sizes=(12, 8, 5), flip=0.5, n_clusterings=6).X
    model = NBCE(n_sweeps=80, thin=2, n_chains=2, consensus=loss, random_state=0).fit(X)
    samples = model.samples_
    assert len(samples) == 40
    expected = [np.mean([LOSSES[loss](a, b) for b in samples]) for a in samples]
    ours = np.mean([LOSSES[loss](model.labels_, b) for b in samples])
    assert ours < 0.99 * min(expected)
    assert max(expected) > min(expected) + 1e-6
    assert not any(same_partition(model.labels_, z) for z in samples)
    assert np.array_equal(model.labels_, number_by_size(model.labels_))
    assert model.membership_.shape == (len(X), len(set(model.labels_)))


def test_weights_that_make_very_many_objects_are_refused_before_any_work():
    X = noisy_ensemble(sizes=(5, 5, 4)).X
    with pytest.raises(ValueError, match=r"adds up to 1.4e[+]07 objects, .* more than 1e[+]06 are refused. Use inf"):
        NBCE(random_state=0).fit(X, sample_weight=np.full(14, 1e6))
    assert NBCE("cvb", random_state=0).fit(X, sample_weight=np.full(14, 1e6)).converged_


def test_samples_that_do_not_fit_in_memory_are_refused(monkeypatch, X):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "10kB")
    with pytest.raises(MemoryError, match=r"Gibbs sampling of 62 objects needs .* use inference='vb' or 'cvb'"):
        NBCE(random_state=0).fit(X)
