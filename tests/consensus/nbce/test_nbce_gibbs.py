"""Collapsed Gibbs sampling against enumerated posteriors: T-18 and T-19 of the catalogue."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.special import logsumexp

from partita._labels.ensemble import list_labels
from partita._runs import progress
from partita._sampling import best_sample, expected_loss, split_r_hat
from partita.consensus.nbce._gibbs import Plan, Sampler, climb_from, run_chain
from partita.consensus.nbce._joint import by_size
from partita.consensus.nbce._nbce import NBCE
from partita.exceptions import UnlabelledObjectsWarning
from tests import nbce_reference as reference
from tests.consensus.nbce.nbce_reference import PRIORS, Posterior, make_model, within_monte_carlo_error
from tests.ensembles import noisy_ensemble, same_partition

TINY = np.array([[0, 0, 1], [0, 0, -1], [1, -1, 0], [1, 1, 0], [0, 1, -1]])


def sampler_of(X, z, n_clusters, model):
    codes = np.asarray(X, dtype=np.int32)
    return Sampler(list_labels(codes, model.n_labels.astype(int)), model, np.asarray(z), n_clusters)


def random_labels(rng, n=12, missing=0.3, n_labels=(3, 2, 4, 2)):
    X = np.column_stack([rng.integers(size, size=n) for size in n_labels])
    X = np.where(rng.random(X.shape) < missing, -1, X)
    X[5] = -1
    return X


def sample(sampler, n_sweeps, rng, *, swap=False, plan=None):
    """Assignments, and alpha0 and beta, after every sweep."""
    draws, parameters = np.empty((n_sweeps, sampler.n), dtype=int), np.empty((n_sweeps, 2))
    for t in range(n_sweeps):
        sampler.sweep(rng.random(sampler.n))
        if swap:
            sampler.swap(rng)
        if plan is not None:
            sampler.draw_parameters(plan, rng)
        draws[t], parameters[t] = sampler.state.z, (sampler.model.alpha0, sampler.model.beta)
    return draws, parameters


# conditionals and sweeps


@pytest.mark.parametrize("weights", [None, [1.0, 0.3, 2.0, 1.7]])
@pytest.mark.parametrize("alpha0", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_conditional_is_a_ratio_of_joints(prior, alpha0, weights, rng):
    X = random_labels(rng)
    model = make_model([3, 2, 4, 2], prior, alpha0=alpha0, weights=weights)
    for n_clusters, used in ((6, 3), (4, 4), (1, 1), (12, 12)):
        z = rng.permutation(np.arange(12) % used)
        sampler = sampler_of(X, z, n_clusters, model)
        for i in range(12):
            expected = reference.conditional(X, z, i, n_clusters, model)
            assert np.allclose(sampler.conditional(i), expected, atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_tables_stay_what_they_are_made_anew(prior, rng):
    X = random_labels(rng, n=40)
    model = make_model([3, 2, 4, 2], prior, alpha0=2.0, weights=[1.0, 0.3, 2.0, 1.7])
    sampler = sampler_of(X, rng.integers(5, size=40), 20, model)
    sample(sampler, 200, rng, swap=prior == "tsb", plan=Plan(0, 0, 1, True, True, True))
    anew = sampler_of(X, sampler.state.z, 20, sampler.model)
    for ours, theirs in zip(sampler.state, anew.state, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    z = sampler.state.z.copy()
    for i in range(40):
        assert np.allclose(sampler.conditional(i), reference.conditional(X, z, i, 20, sampler.model), atol=1e-12)
    assert sampler.log_joint() == pytest.approx(reference.log_joint(X, z, 20, sampler.model), rel=1e-11)


def draw_slowly(X, z, i, n_clusters, model, uniform):
    """A label by the inverse of the distribution function; under a Dirichlet all new labels are one, and come last."""
    p, size = reference.conditional(X, z, i, n_clusters, model), np.bincount(np.delete(z, i), minlength=n_clusters)
    if model.prior == "tsb":
        return int(np.searchsorted(np.cumsum(p), uniform, side="right"))
    occupied = np.flatnonzero(size)
    place = int(np.searchsorted(np.cumsum(p[occupied]), uniform, side="right"))
    if place < len(occupied):
        return int(occupied[place])
    return int(z[i]) if size[z[i]] == 0 else int(np.flatnonzero(size == 0)[0])


@pytest.mark.parametrize("n_clusters", [3, 8])
@pytest.mark.parametrize("prior", PRIORS)
def test_sweep_draws_each_object_from_its_conditional(prior, n_clusters, rng):
    X, model = random_labels(rng), make_model([3, 2, 4, 2], prior, alpha0=1.5)
    z = rng.integers(3, size=12)
    sampler = sampler_of(X, z, n_clusters, model)
    for _ in range(30):
        uniform = rng.random(12)
        n_moved, before = sampler.sweep(uniform), z.copy()
        for i in range(12):
            z[i] = draw_slowly(X, z, i, n_clusters, model, uniform[i])
        assert np.array_equal(sampler.state.z, z)
        assert n_moved >= (z != before).sum()


@pytest.mark.parametrize("prior", PRIORS)
def test_object_unlike_all_clusters_is_drawn_right_when_no_label_is_left(prior, rng):
    """Both labels of the truncation are taken, and an empty cluster, which there is not, would fit far better."""
    X = np.repeat([[0] * 60, [1] * 60, [1] * 10 + [2] * 50], [100, 100, 1], axis=0)
    z = np.repeat([0, 1, 1], [100, 100, 1])
    sampler = sampler_of(X, z, 2, make_model([2] * 10 + [3] * 50, prior))
    assert sampler.conditional(200)[1] > 1 - 1e-12
    sampler.sweep(rng.random(201))
    assert np.array_equal(sampler.state.z, z)


def test_new_labels_of_sticks_are_drawn_by_their_prior(rng):
    """One object without labels: its cluster is drawn from E[pi]."""
    model = make_model([2], "tsb", alpha0=2.5)
    sampler = sampler_of([[-1]], [0], 6, model)
    draws = sample(sampler, 20_000, rng)[0][:, 0]
    expected = reference.conditional(np.array([[-1]]), [0], 0, 6, model)
    assert within_monte_carlo_error(draws[:, None] == np.arange(6), expected)


# long runs


@pytest.mark.parametrize(("n", "n_clusters"), [(5, 3), (4, 6)])
@pytest.mark.parametrize(("prior", "swap"), [("fsd", False), ("tsb", False), ("tsb", True)])
def test_long_run_has_the_posterior_of_partitions(prior, swap, n, n_clusters, rng):
    X, model = TINY[:n], make_model([2, 2, 2], prior, weights=[1.0, 2.0, 1.0])
    posterior = Posterior(X, n_clusters, model)
    draws = sample(sampler_of(X, [0] * n, n_clusters, model), 30_000, rng, swap=swap)[0]
    upper = np.triu_indices(n, 1)
    together = (draws[:, :, None] == draws[:, None, :])[:, upper[0], upper[1]]
    assert within_monte_carlo_error(together, posterior.coassignment()[upper])
    found = np.array([len(set(z)) for z in draws.tolist()])
    assert within_monte_carlo_error(found[:, None] == np.arange(n_clusters + 1), posterior.n_clusters_distribution())


@pytest.mark.parametrize("swap", [False, True])
def test_long_run_has_the_posterior_of_labels_under_stick_breaking(swap, rng):
    model = make_model([2, 2, 2], "tsb", alpha0=1.3)
    posterior = Posterior(TINY, 4, model)
    draws = sample(sampler_of(TINY, [0] * 5, 4, model), 30_000, rng, swap=swap)[0]
    assert within_monte_carlo_error(draws[:, :, None] == np.arange(4), posterior.label_distribution())


@pytest.mark.parametrize(("n", "n_clusters"), [(1, 3), (3, 4)])
def test_swaps_leave_the_prior_of_sticks_as_it_is(n, n_clusters, rng):
    """Assignments drawn from p(Z), after one round of swaps, are still drawn from p(Z)."""
    model, X = make_model([2], "tsb", alpha0=1.0), np.full((n, 1), -1)
    Z = reference.assignments(n, n_clusters)
    p = np.exp([reference.log_prior(z, n_clusters, model) for z in Z])
    sampler, seen = sampler_of(X, Z[0], n_clusters, model), []
    for start in rng.choice(len(Z), size=20_000, p=p / p.sum()):
        sampler.state.z[:] = Z[start]
        sampler.state.size[:] = np.bincount(Z[start], minlength=n_clusters)
        sampler.swap(rng)
        seen.append(sampler.state.z @ n_clusters ** np.arange(n)[::-1])
    frequency = np.bincount(seen, minlength=len(Z)) / len(seen)
    assert (np.abs(frequency - p) <= 4 * np.sqrt(p * (1 - p) / len(seen))).all()


def test_swaps_keep_the_partition_and_the_likelihood(rng):
    X = random_labels(rng)
    sampler = sampler_of(X, rng.integers(4, size=12), 6, make_model([3, 2, 4, 2], "tsb"))
    before, value = sampler.state.z.copy(), reference.log_likelihood(X, sampler.state.z, sampler.model)
    moved = 0
    for _ in range(50):
        sampler.swap(rng)
        moved += not np.array_equal(sampler.state.z, before)
        assert same_partition(sampler.state.z, before)
        assert np.array_equal(sampler.state.size, np.bincount(sampler.state.z, minlength=6))
    assert moved > 0
    assert reference.log_likelihood(X, sampler.state.z, sampler.model) == pytest.approx(value)
    assert np.allclose(sampler.conditional(3), reference.conditional(X, sampler.state.z, 3, 6, sampler.model))


def hyper_posterior(X, n_clusters, model, grid):
    """p(alpha0, beta | Y) on a grid of logs under Gamma(1, 1), with the assignments summed out."""
    Z = reference.assignments(len(X), n_clusters)
    of_prior = [[reference.log_prior(z, n_clusters, model._replace(alpha0=a)) for z in Z] for a in grid]
    of_labels = [[reference.log_likelihood(X, z, model._replace(beta=b)) for z in Z] for b in grid]
    logs = logsumexp(np.array(of_prior)[:, None] + np.array(of_labels)[None], axis=2)
    logs += (np.log(grid) - grid)[:, None] + (np.log(grid) - grid)[None]
    return np.exp(logs - logsumexp(logs))


@pytest.mark.parametrize("prior", PRIORS)
def test_sampled_parameters_have_their_posterior(prior, rng):
    X = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, -1]])
    model, grid = make_model([2, 2, 2], prior), np.exp(np.linspace(np.log(1e-3), np.log(30), 60))
    p = hyper_posterior(X, 3, model, grid)
    sampler = sampler_of(X, [0, 0, 1, 2], 3, model)
    parameters = sample(sampler, 25_000, rng, plan=Plan(0, 0, 1, False, True, True))[1]
    logs = np.log(grid)
    means = [p.sum(axis=1) @ grid, p.sum(axis=0) @ grid, p.sum(axis=1) @ logs, p.sum(axis=0) @ logs]
    assert within_monte_carlo_error(np.hstack([parameters, np.log(parameters)]), means, n_batches=25)
    fixed = sample(sampler, 10, rng, plan=Plan(0, 0, 1, False, True, False))[1]
    assert len(set(fixed[:, 1])) == 1
    assert len(set(fixed[:, 0])) > 1


# the best assignment


@pytest.mark.parametrize("alpha0", [0.3, 1.0, 8.0])
@pytest.mark.parametrize("prior", PRIORS)
def test_climb_never_lowers_the_joint_and_ends_where_no_move_improves(prior, alpha0, rng):
    for n_clusters in (1, 2, 3, 5, 12):
        X, z = random_labels(rng), rng.integers(min(n_clusters, 4), size=12)
        model = make_model([3, 2, 4, 2], prior, alpha0=alpha0, weights=[1.0, 0.5, 1.0, 2.0])
        sampler = sampler_of(X, np.zeros(12, dtype=int), n_clusters, model)
        end, _, value = climb_from(sampler, z, model)
        assert value == pytest.approx(reference.log_joint(X, end, n_clusters, model), rel=1e-11)
        assert value >= reference.log_joint(X, z, n_clusters, model) - 1e-9
        for i in range(12):
            p = reference.conditional(X, end, i, n_clusters, model)
            assert p[end[i]] >= p.max() * (1 - 1e-9)


def test_climb_finds_the_last_label_of_sticks():
    """What is left of the stick is more than the next piece if alpha0 is large and the truncation small."""
    model, X = make_model([2, 2, 2], "tsb", alpha0=8.0), np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    end = climb_from(sampler_of(X, [0, 0, 0], 5, model), np.zeros(3, dtype=int), model)[0]
    for i in range(3):
        p = reference.conditional(X, end, i, 5, model)
        assert p[end[i]] >= p.max() * (1 - 1e-9)


def test_climb_from_the_mode_stays_there():
    for prior in PRIORS:
        posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
        mode = posterior.Z[posterior.log_joint.argmax()]
        end, _, value = climb_from(sampler_of(TINY, [0] * 5, 3, posterior.model), mode, posterior.model)
        assert np.array_equal(end, mode)
        assert value == pytest.approx(posterior.log_joint.max())


@pytest.mark.parametrize("prior", PRIORS)
def test_best_sample_of_a_long_chain_is_the_mode(prior):
    posterior = Posterior(TINY, 3, make_model([2, 2, 2], prior))
    sampler = sampler_of(TINY, [0, 1, 2, 0, 1], 3, posterior.model)
    with progress(400, "", show=False) as bar:
        chain = run_chain(sampler, Plan(400, 100, 3, True, False, False), 0, bar)
    assert chain.best_log_joint == pytest.approx(posterior.log_joint.max(), rel=1e-10)
    assert chain.samples.shape == (100, 5)
    assert len(chain.models) == 100
    assert (chain.log_joint <= posterior.log_joint.max() + 1e-9).all()


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
    models = [NBCE(n_sweeps=20, random_state=seed).fit(X) for seed in (0, 0, 1)]
    assert np.array_equal(models[0].samples_, models[1].samples_)
    assert not np.array_equal(models[0].samples_, models[2].samples_)
    assert not np.array_equal(*models[0].log_joint_trace_)


@pytest.mark.parametrize(("burn_in", "thin"), [(10, 1), (4, 7), (None, 6)])
def test_no_sample_left_is_refused(burn_in, thin, X):
    with pytest.raises(ValueError, match=rf"thin={thin} leave no sample of n_sweeps=10; raise n_sweeps or lower"):
        NBCE(n_sweeps=10, burn_in=burn_in, thin=thin).fit(X)


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


# R-hat and losses


def test_r_hat_is_the_formula_of_halves(rng):
    traces = rng.normal(size=(3, 21)) + np.array([[0.0], [0.5], [1.0]])
    halves = [half for trace in traces for half in (trace[:10], trace[11:])]
    W = np.mean([np.var(half, ddof=1) for half in halves])
    B = 10 * np.var([half.mean() for half in halves], ddof=1)
    assert split_r_hat(traces) == pytest.approx(np.sqrt((9 / 10 * W + B / 10) / W), rel=1e-12)


def test_limits_of_r_hat(rng):
    noise = rng.normal(size=(4, 20_000))
    assert split_r_hat(noise) == pytest.approx(1, abs=1e-3)
    assert split_r_hat(noise + 5 * np.arange(4)[:, None]) > 2
    assert split_r_hat(noise[:1] + np.linspace(0, 10, 20_000)) > 1.5  # one chain that still drifts
    assert split_r_hat(np.full((2, 10), 3)) == 1
    assert split_r_hat(np.array([[1] * 10, [2] * 10])) == np.inf
    assert np.isnan(split_r_hat(np.zeros((2, 3))))


def binder_loss(a, b):
    return sum((a[i] == a[j]) != (b[i] == b[j]) for i, j in combinations(range(len(a)), 2))


def entropy(labels):
    shares = np.array(list(Counter(labels).values())) / len(labels)
    return -(shares @ np.log(shares))


def variation_of_information(a, b):
    """H(a | b) + H(b | a)."""
    a, b = list(a), list(b)
    return 2 * entropy(list(zip(a, b, strict=True))) - entropy(a) - entropy(b)


LOSSES = {"binder": binder_loss, "vi": variation_of_information}


@pytest.mark.parametrize("loss", LOSSES)
def test_expected_loss_is_a_mean_over_samples(loss, rng):
    samples = rng.integers(4, size=(9, 11))
    times = rng.integers(1, 4, size=11)
    candidate, long = rng.integers(3, size=11), np.repeat(samples, times, axis=1)
    plain = np.mean([LOSSES[loss](candidate, other) for other in samples])
    weighted = np.mean([LOSSES[loss](np.repeat(candidate, times), other) for other in long])
    assert expected_loss(candidate, samples, np.ones(11), loss) == pytest.approx(plain, rel=1e-10)
    assert expected_loss(candidate, samples, times.astype(float), loss) == pytest.approx(weighted, rel=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_best_sample_has_the_least_expected_loss(loss, rng):
    samples = rng.integers(3, size=(40, 8))
    expected = [np.mean([LOSSES[loss](a, b) for b in samples]) for a in samples]
    assert expected[best_sample(samples, np.ones(8), loss)] == pytest.approx(min(expected))


@pytest.mark.parametrize("loss", LOSSES)
def test_consensus_is_the_sample_of_least_expected_loss(loss):
    X = noisy_ensemble(sizes=(12, 8, 5), flip=0.5, n_clusterings=6).X
    model = NBCE(n_sweeps=80, thin=2, consensus=loss, random_state=0).fit(X)
    samples = model.samples_
    assert len(samples) == 40
    expected = [np.mean([LOSSES[loss](a, b) for b in samples]) for a in samples]
    ours = np.mean([LOSSES[loss](model.labels_, b) for b in samples])
    assert ours == pytest.approx(min(expected))
    assert max(expected) > min(expected) + 1e-6
    assert any(same_partition(model.labels_, z) for z in samples)
    assert np.array_equal(model.labels_, by_size(model.labels_, np.ones(len(X))))
    assert model.membership_.shape == (len(X), len(set(model.labels_)))


@pytest.mark.parametrize("loss", LOSSES)
def test_few_candidates_are_compared_with_all_samples(loss, rng):
    for _ in range(3):
        samples = rng.integers(3, size=(120, 6))
        tried = np.linspace(0, 119, 15).astype(int)
        expected = [np.mean([LOSSES[loss](samples[place], b) for b in samples]) for place in tried]
        found = best_sample(samples, np.ones(6), loss, limit=15)
        assert found in tried
        assert expected_loss(samples[found], samples, np.ones(6), loss) == pytest.approx(min(expected))
