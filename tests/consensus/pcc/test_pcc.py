"""PCC and PEACE against their definition: T-02 to T-15 of the catalogue."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom

from partita import PCC, PEACE, AspectModel, BaumEagon, coassociation
from partita._kernels import pcc_pairs
from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_label_matrix
from partita.consensus.pcc import _problem as problem_module
from partita.consensus.pcc import _stored_pairs as pairs_module
from partita.consensus.pcc._divergences import KullbackLeibler, SquaredEuclidean
from partita.consensus.pcc._label_space import LabelSolver, constant_of_l2
from partita.exceptions import NotEnoughMemoryError
from partita.metrics import jensen_shannon_distance
from tests import pcc_reference as reference
from tests.ensembles import label_matrices, noisy_ensemble, same_partition

KINDS = {"kl": pcc_pairs.KL, "l2": pcc_pairs.L2}
both = pytest.mark.parametrize("divergence", ["kl", "l2"])

CONFIGURATIONS = {
    "kl block": {},
    "l2 block": {"divergence": "l2"},
    "kl greedy": {"solver": "greedy"},
    "l2 greedy": {"solver": "greedy", "divergence": "l2"},
    "kl pairs": {"pairs": 0.5},
    "l2 pairs": {"pairs": 12, "divergence": "l2"},
    "kl pairs greedy": {"pairs": 0.5, "solver": "greedy"},
    "l2 pairs greedy": {"pairs": 12, "solver": "greedy", "divergence": "l2"},
    "own kl": {"divergence": KullbackLeibler()},
    "own l2": {"divergence": SquaredEuclidean()},
    "own kl pairs": {"divergence": KullbackLeibler(), "pairs": 0.5},
    "i-divergence": {"divergence": "i-divergence"},
    "mahalanobis": {"divergence": "mahalanobis"},
}
every = pytest.mark.parametrize("case", CONFIGURATIONS)


def divergence_of(case):
    return "l2" if ("l2" in case or case == "mahalanobis") else "kl"


def rows_of(X, weight=None, weights=None):
    matrix = check_label_matrix(X)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, float)
    weights = np.ones(X.shape[1]) if weights is None else weights
    return Ensemble(matrix.codes, matrix.n_labels, weights, weight)


def copied(rng, n=25, missing=0.25):
    """An ensemble in which many rows are equal."""
    X = noisy_ensemble(sizes=(12, 8, 5), n_clusterings=7, missing=missing, flip=0.2, seed=3).X
    return np.vstack([X, X[rng.integers(len(X), size=n)]])


@every
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_attributes_are_what_the_definition_gives(case, missing, rng):
    """f and the KKT gap from membership_, by an independent computation, to 1e-8."""
    X = copied(rng, missing=missing)
    options = CONFIGURATIONS[case]
    model = PCC(4, random_state=0, n_init=2, **options).fit(X)
    C, N = reference.counts(X)
    if "pairs" in options:
        chosen = coassociation(X, form="pairs", pairs=options["pairs"], random_state=model_seed(model))
        keep = chosen.totals.toarray() > 0
        C, N = C * keep, N * keep
    kind = divergence_of(case)
    # a divergence of one's own is kept 1e-9 away from the ends of its range
    assert model.objective_ == pytest.approx(reference.objective(kind, C, N, model.membership_), rel=1e-8)
    if "own" not in case:
        assert model.kkt_gap_ == pytest.approx(reference.kkt_gap(kind, C, N, model.membership_), abs=1e-8)
    assert model.converged_
    assert model.kkt_gap_ <= 1e-4
    assert np.allclose(model.membership_.sum(axis=1), 1, atol=1e-12)
    assert (model.membership_ >= 0).all()
    assert (np.diff(model.history_) <= 1e-10 * abs(model.history_[0])).all()


def model_seed(model):
    """The seed with which a fitted model drew its pairs."""
    from partita._random import draw_seeds

    return int(draw_seeds(model.random_state, model.n_init + 1)[-1])


@both
def test_gradient_is_the_derivative_of_the_objective(divergence, rng):
    X = noisy_ensemble(sizes=(4, 3, 3), n_clusterings=5, missing=0.3).X
    C, N = reference.counts(X)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    g = reference.gradient(divergence, C, N, Y)
    for i in range(len(X)):
        for k in range(3):
            step = np.zeros_like(Y)
            step[i, k] = 1e-6
            numeric = (
                reference.objective(divergence, C, N, Y + step) - reference.objective(divergence, C, N, Y - step)
            ) / 2e-6
            assert numeric == pytest.approx(g[i, k], rel=1e-5, abs=1e-5)


@both
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_know_the_gradient(divergence, weighted, rng):
    """Gaps of all rows, dense, sparse and through the labels, against the full problem over all objects."""
    X = noisy_ensemble(sizes=(9, 6, 4), n_clusterings=6, missing=0.3).X
    X = np.unique(X, axis=0)
    weight = rng.integers(1, 4, size=len(X)) if weighted else np.ones(len(X), int)
    ensemble = rows_of(X, weight)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    if divergence == "l2":  # KL has no gradient where objects that are together share no cluster
        Y[rng.random(Y.shape) < 0.2] = 0
        Y /= Y.sum(axis=1, keepdims=True)
    full_C, full_N = reference.counts(np.repeat(X, weight, axis=0))
    g = reference.gradient(divergence, full_C, full_N, np.repeat(Y, weight, axis=0))
    used = np.where(np.repeat(Y, weight, axis=0) > 0, g, -np.inf).max(axis=1)
    expected = (used - g.min(axis=1))[np.cumsum(weight) - 1]
    everything, gaps = np.arange(len(X)), np.empty(len(X))
    dense = pairs_module.dense_pairs(ensemble, 3, KINDS[divergence]).start_at(Y)
    dense.sweep(everything, np.inf, gaps)
    assert np.allclose(gaps, expected, rtol=1e-9)
    assert dense.scale == pytest.approx(max(1, full_N.sum(axis=1).mean()))
    assert dense.objective() == pytest.approx(
        reference.objective(divergence, full_C, full_N, np.repeat(Y, weight, axis=0)), rel=1e-12
    )
    if divergence == "l2":
        labels = LabelSolver(ensemble, 3)
        labels.start_at(Y)
        labels.sweep(everything, np.inf, gaps)
        assert np.allclose(gaps, expected, rtol=1e-9)
        assert labels.objective() + constant_of_l2(ensemble) == pytest.approx(dense.objective(), rel=1e-12)
    if not weighted:
        pattern = coassociation(X, form="pairs", pairs=1.0)
        stored = pairs_module.PairSolver(pattern, ensemble, 3, KINDS[divergence], sparse=True).start_at(Y)
        stored.sweep(everything, np.inf, gaps)
        assert np.allclose(gaps, expected, rtol=1e-9)
        assert stored.objective() == pytest.approx(dense.objective(), rel=1e-12)


def test_likelihood_is_binomial(rng):
    X = noisy_ensemble(sizes=(5, 4), n_clusterings=6, missing=0.2).X
    C, N = reference.counts(X)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    i, j = np.triu_indices(len(X), 1)
    p = (Y @ Y.T)[i, j]
    full = binom.logpmf(C[i, j], N[i, j], p).sum()
    from scipy.special import gammaln

    coefficients = (gammaln(N + 1) - gammaln(C + 1) - gammaln(N - C + 1))[i, j].sum()
    assert reference.log_likelihood(C, N, Y) + coefficients == pytest.approx(full)
    share = np.divide(C, N, out=np.ones_like(C), where=N > 0)
    from scipy.special import xlogy

    entropy = -(N * (xlogy(share, share) + xlogy(1 - share, 1 - share)))[i, j].sum()
    assert reference.objective("kl", C, N, Y) == pytest.approx(-reference.log_likelihood(C, N, Y) - entropy)


def test_peace_tells_the_likelihood(rng):
    X = copied(rng)
    model = PEACE(3, n_init=2, random_state=0).fit(X)
    C, N = reference.counts(X)
    assert model.log_likelihood_ == pytest.approx(reference.log_likelihood(C, N, model.membership_), rel=1e-9)


@both
@pytest.mark.parametrize("sparse_pairs", [False, True])
def test_greedy_takes_the_largest_gap_and_never_drifts(divergence, sparse_pairs, rng):
    """Step by step: the row chosen is the one a full scan finds; gradients kept up to date equal those from scratch."""
    X = noisy_ensemble(sizes=(10, 8, 6), n_clusterings=6, missing=0.2).X
    ensemble = rows_of(X)
    Y = rng.dirichlet(np.ones(3), size=len(X))
    if sparse_pairs:
        counts = coassociation(X, form="pairs", pairs=0.5, random_state=0)
        solver = pairs_module.PairSolver(counts, ensemble, 3, KINDS[divergence], sparse=True).start_at(Y)
    else:
        solver = pairs_module.dense_pairs(ensemble, 3, KINDS[divergence]).start_at(Y)
    tree, gradient = np.empty(64), np.empty((3, len(X)))
    pcc_pairs.start_greedy(solver.problem, solver.row, tree, gradient)
    chosen, gaps = np.empty(1, np.int64), np.empty(len(X))
    before = solver.objective()
    n_steps = 0
    while n_steps < 500:
        solver.sweep(np.arange(len(X)), np.inf, gaps)
        if pcc_pairs.greedy_pairs(solver.problem, solver.row, tree, gradient, 1e-9, 1, chosen) == 0:
            break
        n_steps += 1
        assert gaps[chosen[0]] == pytest.approx(gaps.max(), rel=1e-6, abs=1e-9)
        now = solver.objective()
        assert now <= before + 1e-10 * abs(before)
        before = now
    fresh_tree, fresh = np.empty(64), np.empty((3, len(X)))
    pcc_pairs.start_greedy(solver.problem, solver.row, fresh_tree, fresh)
    assert n_steps > 50
    assert np.allclose(gradient, fresh, rtol=1e-8, atol=1e-8)
    assert np.allclose(solver.Y.sum(axis=1), 1, atol=1e-12)
    assert solver.Y.min() >= 0


@both
def test_no_small_step_of_any_pair_of_clusters_helps(divergence, rng):
    X = copied(rng)
    model = PCC(3, divergence=divergence, tol=1e-6, random_state=0).fit(X)
    C, N = reference.counts(X)
    Y, scale = model.membership_, N.sum(axis=1).mean()
    f = reference.objective(divergence, C, N, Y)
    eps = 1e-4
    for i in range(len(X)):
        for u in range(3):
            for v in np.flatnonzero(Y[i] > eps):
                if u != v:
                    moved = Y.copy()
                    moved[i, u] += eps
                    moved[i, v] -= eps
                    assert reference.objective(divergence, C, N, moved) >= f - 1.1e-6 * scale * eps


@both
def test_line_searches_agree_and_slopes_are_derivatives(divergence, rng):
    kind, m = KINDS[divergence], 40
    n = rng.integers(1, 9, size=m).astype(float)
    c = np.minimum(rng.integers(0, 9, size=m), n)
    a = rng.uniform(0.2, 0.8, size=m)
    e = rng.uniform(-0.19, 0.19, size=m)
    row = pcc_pairs.Row(np.empty((1, 1)), c, n, a, e)
    value = lambda eps: sum(pcc_pairs._value(kind, *entry) for entry in zip(c, n, a + eps * e, strict=True))  # noqa: E731
    slopes = []
    for eps in np.linspace(0, 1, 11):
        slope = pcc_pairs._slope_at(kind, row, m, 0.0, 0.0, 0.0, eps)
        slopes.append(slope)
        assert slope == pytest.approx((value(eps + 1e-6) - value(eps - 1e-6)) / 2e-6, rel=1e-4, abs=1e-4)
    assert (np.diff(slopes) >= 0).all()
    if slopes[0] > 0:
        e *= -1
        slopes[0] *= -1
    found = pcc_pairs._bisect(kind, row, m, 0.0, 0.0, 0.0, 1.0, -slopes[0])
    assert pcc_pairs._slope_at(kind, row, m, 0.0, 0.0, 0.0, found) <= 0
    if divergence == "l2" and found < 1:
        assert found == pytest.approx((e @ (c - n * a)) / (n @ e**2), rel=1e-8)  # the closed form
    loose = pcc_pairs._line_search(kind, row, m, 0.0, 0.0, 0.0, slopes[0])
    assert 0 < loose <= 1
    assert 0.1 * slopes[0] <= pcc_pairs._slope_at(kind, row, m, 0.0, 0.0, 0.0, loose) <= 1e-9 or loose == 1


def test_aliases_are_two_methods(rng):
    X = copied(rng)
    fits = {
        name: PCC(3, divergence=name, random_state=0).fit(X) for name in ("kl", "i-divergence", "l2", "mahalanobis")
    }
    assert np.array_equal(fits["kl"].membership_, fits["i-divergence"].membership_)
    assert np.array_equal(fits["l2"].membership_, fits["mahalanobis"].membership_)


def test_divergences_on_pairs_of_outcomes():
    """The generalised I-divergence is KL; Mahalanobis is a multiple of the squared difference."""
    x1, x2 = np.meshgrid(np.linspace(0.01, 0.99, 25), np.linspace(0.01, 0.99, 25))
    kl = KullbackLeibler().value(x1, x2)
    i_divergence = sum(p * np.log(p / q) - p + q for p, q in ((x1, x2), (1 - x1, 1 - x2)))
    assert np.allclose(kl, i_divergence)
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    difference = np.stack([x1 - x2, x2 - x1], axis=-1)
    mahalanobis = np.einsum("...i,ij,...j", difference, A, difference)
    assert np.allclose(mahalanobis, (2 - 0.5 - 0.5 + 1) * SquaredEuclidean().value(x1, x2))


@both
def test_the_uniform_point_is_stationary_and_no_start_is_there(divergence):
    """A gap of 0 fools whoever trusts it alone: the objective there is far above what a start reaches."""
    X = noisy_ensemble(missing=0.1).X
    C, N = reference.counts(X)
    uniform = np.full((len(X), 3), 1 / 3)
    assert reference.kkt_gap(divergence, C, N, uniform) < 1e-12
    stuck = PCC(3, divergence=divergence, init=uniform).fit(X)
    assert stuck.kkt_gap_ < 1e-12
    for init in ("auto", "random", "insertion", "l2", "eac"):
        found = PCC(3, divergence=divergence, init=init, random_state=0).fit(X)
        assert found.objective_ < 0.67 * stuck.objective_


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "l2 greedy"])
@pytest.mark.parametrize("n_clusterings", [1, 5])
def test_unanimous_ensembles_are_fitted_exactly(case, n_clusterings, truth):
    X = np.repeat(truth[:, None], n_clusterings, axis=1)
    for seed in range(5):
        model = PCC(5, n_init=2, random_state=seed, **CONFIGURATIONS[case]).fit(X)
        assert same_partition(model.labels_, truth)
        assert model.n_clusters_ == 3
        assert model.objective_ == pytest.approx(0, abs=1e-3 * len(X) * n_clusterings)


@both
def test_two_objects_are_together_as_often_as_the_clusterings_say(divergence):
    X = np.array([[0] * 10, [0] * 7 + [1] * 3])
    model = PCC(2, divergence=divergence, tol=1e-9, random_state=0).fit(X)
    assert model.membership_[0] @ model.membership_[1] == pytest.approx(0.7, abs=1e-6)
    assert model.objective_ == pytest.approx(0, abs=1e-9)


@both
def test_counts_times_a_number_take_the_same_path(divergence, rng):
    X = copied(rng)
    init = rng.dirichlet(np.ones(3), size=len(X))
    once = PCC(3, divergence=divergence, init=init).fit(X)
    thrice = PCC(3, divergence=divergence, init=init, weights=np.full(X.shape[1], 3.0)).fit(X)
    assert once.n_iter_ == thrice.n_iter_
    assert np.allclose(once.membership_, thrice.membership_, atol=1e-4)  # rounding moves the end of line searches


@pytest.mark.parametrize("case", ["kl greedy", "l2 greedy", "kl block", "l2 block"])
def test_permuting_objects_permutes_the_answer(case, rng):
    X = noisy_ensemble(sizes=(12, 9, 6), n_clusterings=7, missing=0.2).X
    init = rng.dirichlet(np.ones(3), size=len(X))
    order = rng.permutation(len(X))
    one = PCC(3, init=init, tol=1e-7, max_iter=10**6, **CONFIGURATIONS[case]).fit(X)
    other = PCC(3, init=init[order], tol=1e-7, max_iter=10**6, **CONFIGURATIONS[case]).fit(X[order])
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)
    assert jensen_shannon_distance(one.membership_[order], other.membership_) < 1e-4


@both
def test_all_pairs_stored_are_all_pairs(divergence, rng):
    """Sparse with every pair = dense over objects, from the same start."""
    X = noisy_ensemble(sizes=(12, 9, 6), n_clusterings=7, missing=0.2).X
    X = np.unique(X, axis=0)
    init = rng.dirichlet(np.ones(3), size=len(X))
    dense = PCC(3, divergence=divergence, init=init, solver="greedy").fit(X)
    everything = sparse.csr_array(np.ones((len(X), len(X))))
    stored = PCC(3, divergence=divergence, init=init, solver="greedy", pairs=everything).fit(X)
    assert dense.n_iter_ == stored.n_iter_
    assert np.allclose(dense.membership_, stored.membership_, atol=1e-9)
    block = PCC(3, divergence=divergence, init=init, pairs=everything).fit(X)
    assert block.objective_ == pytest.approx(dense.objective_, rel=1e-5)


@both
def test_block_reaches_what_greedy_reaches(divergence):
    X = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=15, flip=0.2, missing=0.2).X
    start = PCC(3, divergence="l2", random_state=0).fit(X).membership_ * 0.8 + 0.2 / 3
    greedy = PCC(3, divergence=divergence, solver="greedy", init=start, tol=1e-6, max_iter=10**6).fit(X)
    block = PCC(3, divergence=divergence, init=start, tol=1e-6).fit(X)
    assert block.objective_ == pytest.approx(greedy.objective_, rel=1e-6)


@given(label_matrices(max_rows=10, max_columns=5, min_rows=2), st.sampled_from(["kl", "l2"]), st.integers(1, 4))
def test_small_problems_always_end_well(X, divergence, n_clusters):
    """No NaN, a simplex in every row, a gap within tol, whatever the labels."""
    X = X[(X >= 0).any(axis=1)]
    X = X[:, (X >= 0).any(axis=0)]
    model = PCC(n_clusters, divergence=divergence, n_init=2, random_state=0).fit(X)
    assert np.isfinite(model.membership_).all()
    assert np.allclose(model.membership_.sum(axis=1), 1)
    C, N = reference.counts(X)
    expected = reference.objective(divergence, C, N, model.membership_)
    assert model.objective_ == pytest.approx(expected, rel=1e-8, abs=1e-8)
    if n_clusters > 1:
        assert model.converged_


def test_simulation_of_the_paper():
    """Section 7.1: a thousand partitions drawn from a soft one with four clusters; asked for eight, four are found."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        means = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * rng.uniform(1.5, 4, size=(4, 2))
        points = np.vstack([rng.normal(mean, 1, size=(60, 2)) for mean in means])
        logits = -((points[:, None] - means) ** 2).sum(axis=-1) / 2
        truth = np.exp(logits - logits.max(axis=1, keepdims=True))
        truth /= truth.sum(axis=1, keepdims=True)
        X = (rng.random((240, 1000, 1)) > np.cumsum(truth, axis=1)[:, None]).sum(axis=-1)
        for divergence in ("kl", "l2"):
            model = PCC(8, divergence=divergence, random_state=0).fit(X)
            assert model.n_clusters_ == 4
            assert jensen_shannon_distance(truth, model.membership_) < 0.0012


@both
def test_same_bits_for_any_number_of_jobs(divergence, X):
    one = PCC(3, divergence=divergence, n_init=4, random_state=7).fit(X)
    four = PCC(3, divergence=divergence, n_init=4, random_state=7, n_jobs=4).fit(X)
    assert np.array_equal(one.membership_, four.membership_)


@pytest.mark.parametrize("method", [PCC, BaumEagon, AspectModel])
def test_pairs_are_named_by_object_whoever_is_left_out(method, rng):
    """An object without a label, or without weight, does not shift the pairs of the others."""
    X = rng.integers(0, 3, size=(20, 6))
    pairs = np.array([[i, j] for i in range(1, 20) for j in range(i) if (i * j) % 3 != 1])
    options = {"random_state": 0, "diagonal": False} if method is BaumEagon else {"random_state": 0}
    without = method(2, pairs=pairs[(pairs > 0).all(axis=1)] - 1, **options).fit(X[1:])
    weight = np.ones(20)
    weight[0] = 0
    idle = method(2, pairs=pairs, **options).fit(X, sample_weight=weight)
    assert np.allclose(idle.membership_[1:], without.membership_)
    X[0] = -1
    stored = sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(20, 20))
    for named in (pairs, stored):
        with pytest.warns(UserWarning, match="1 of 20 objects"):
            model = method(2, pairs=named, **options).fit(X)
        assert np.allclose(model.membership_[1:], without.membership_)


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "l2 greedy"])
def test_an_object_that_is_always_alone_is_one_cluster(case):
    """From random starts it can be spread over spare clusters at no cost."""
    truth = np.array([0] * 5 + [1] * 5 + [2])
    X = np.repeat(truth[:, None], 4, axis=1)
    for seed in range(10):
        model = PCC(8, init="random", n_init=1, random_state=seed, **CONFIGURATIONS[case]).fit(X)
        assert model.n_clusters_ == 3
        assert same_partition(model.labels_, truth)
    light = PCC(4, random_state=0, **CONFIGURATIONS[case]).fit(X, sample_weight=[1] * 10 + [0.1])
    assert same_partition(light.labels_, truth)
    assert PCC(8, init="random", random_state=0, **CONFIGURATIONS[case]).fit(X[:1]).n_clusters_ == 1


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "l2 greedy"])
def test_real_weights_of_clusterings(case, rng):
    """Sums of real weights round; where all clusterings agree that must not look like a doubt."""
    X = copied(rng)
    for seed in range(4):
        weights = np.random.default_rng(seed).uniform(0.5, 3, size=X.shape[1])
        model = PCC(4, weights=weights, random_state=0, n_init=1, **CONFIGURATIONS[case]).fit(X)
        C, N = reference.counts(X, weights)
        C = np.where(N - C <= 1e-12 * N, N, C)
        assert model.converged_
        kind = divergence_of(case)
        assert model.objective_ == pytest.approx(reference.objective(kind, C, N, model.membership_), rel=1e-8)
        assert model.kkt_gap_ == pytest.approx(reference.kkt_gap(kind, C, N, model.membership_), abs=1e-8)


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "l2 greedy"])
def test_light_objects(case, rng):
    """Weights below 1 weigh pairs, and leave a row without pairs of its own."""
    X = np.unique(copied(rng), axis=0)
    weight = rng.uniform(0.1, 0.9, size=len(X))
    model = PCC(3, random_state=0, n_init=1, **CONFIGURATIONS[case]).fit(X, sample_weight=weight)
    C, N = reference.counts(X)
    each = np.outer(weight, weight)
    expected = reference.objective(divergence_of(case), C * each, N * each, model.membership_)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "kl pairs", "own kl"])
def test_an_object_without_any_pair_is_uniform(case):
    X = noisy_ensemble(sizes=(8, 6), n_clusterings=5, missing=0).X
    X = np.column_stack([X, np.full(len(X), -1)])
    X = np.vstack([X, [[-1] * 5 + [0]]])
    model = PCC(2, random_state=0, **CONFIGURATIONS[case]).fit(X)
    assert np.allclose(model.membership_[-1], 1 / model.n_clusters_)


def test_an_interior_start_is_taken_as_it_is(X, rng):
    init = rng.dirichlet(np.ones(3), size=len(X))
    X, first = np.unique(X, axis=0, return_index=True)
    model = PCC(3, init=init[first]).fit(X)
    assert model.history_[0] == pytest.approx(reference.objective("kl", *reference.counts(X), init[first]))


def test_one_cluster():
    X = noisy_ensemble().X
    one = PCC(1).fit(X)
    assert one.history_ == [np.inf]
    assert one.n_iter_ == 0
    assert one.kkt_gap_ == 0
    assert PCC(1, divergence="l2").fit(X).objective_ > 0
    unanimous = PCC(1).fit(np.zeros((5, 3), int))
    assert unanimous.objective_ == 0
    assert unanimous.n_clusters_ == 1


def test_starts_of_the_users_own(X, truth):
    by_labels = PCC(3, init=truth).fit(X)
    by_membership = PCC(3, init=np.eye(3)[truth]).fit(X)
    assert np.array_equal(by_labels.membership_, by_membership.membership_)
    with pytest.raises(ValueError, match=r"init has shape \(4,\); pass one of 'random'"):
        PCC(3, init=[0, 1, 2, 0]).fit(X)
    with pytest.raises(ValueError, match="init has 3 clusters, more than n_clusters=2"):
        PCC(2, init=truth).fit(X)
    with pytest.raises(ValueError, match="not probabilities"):
        PCC(3, init=np.ones((len(X), 3))).fit(X)


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
        raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"divergence": NotConvex()}, r"NotConvex is not convex in x2: at x1 = 0.0 its derivative falls from"),
        (
            {"divergence": WrongDerivative()},
            r"WrongDerivative: derivative\(0.0, 1.00\) = 2.997, but value has slope 1.998",
        ),
        ({"divergence": ConcaveAtTheEdge()}, "ConcaveAtTheEdge is not convex in x2"),
        ({"divergence": Broken()}, "Broken fails on arrays x1, x2 .* no idea"),
        ({"divergence": 3}, "divergence=3 is neither one of 'kl', .* nor an object with methods"),
        ({"divergence": "chi2"}, "'divergence' parameter of PCC|divergence='chi2' is neither one of"),
        ({"divergence": SquaredEuclidean(), "solver": "greedy"}, "solver='greedy' knows divergence 'kl' and 'l2'"),
        ({"solver": "newton"}, "'solver' parameter of PCC must be a str among"),
        ({"pairs": "some"}, "'pairs' parameter of PCC|pairs"),
        ({"pairs": 0}, "pairs"),
        ({"n_clusters": 0}, "'n_clusters' parameter of PCC"),
        ({"tol": -1.0}, "'tol' parameter of PCC"),
    ],
)
def test_refused(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        PCC(**parameters).fit(X)


def test_more_pairs_than_memory_is_refused_and_l2_is_not(X, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "10kB")
    with pytest.raises(
        NotEnoughMemoryError, match=r"all pairs of 60 distinct rows needs .* pairs=30 .* divergence='l2'"
    ):
        PCC(3, init="random", random_state=0).fit(X)
    PCC(3, divergence="l2", random_state=0).fit(X)


def test_stopping_early_is_said(X):
    with pytest.warns(UserWarning, match=r"PCC stopped at a gap of .*, above tol=0.0001; raise max_iter or tol"):
        model = PCC(3, max_iter=1, init="random", n_init=1, random_state=0).fit(X)
    assert not model.converged_


def test_the_end_is_only_believed_after_a_full_check():
    """A solver whose skipped rows go wrong meanwhile: the last gap that counts is that of all rows at once."""

    class Treacherous:
        sweeps = 0

        def sweep(self, rows, threshold, gaps):
            self.sweeps += 1
            if threshold == np.inf:
                gaps[:] = 0.5 if self.sweeps > 20 else 2.0
            else:
                gaps[rows] = 0.1

        def objective(self):
            return 1.0

        def refresh(self):
            pass

    solver = Treacherous()
    _, n_iter, converged, gap = problem_module.descend(
        solver, 5, scale=1.0, tol=1.0, max_iter=100, show=False, title=""
    )
    assert converged
    assert gap == 0.5
    assert solver.sweeps > 20
    assert n_iter < 100
