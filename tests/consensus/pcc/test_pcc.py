"""PCC against its definition: objective, gradient and KKT gap (eqs. P17, P22 to P25), and what it answers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from partita import PCC, PEACE, AspectModel, BaumEagon, coassociation
from partita._runs import draw_seeds
from partita.metrics import jensen_shannon_distance
from tests.consensus.pcc import pcc_reference as reference
from tests.consensus.pcc.pcc_reference import SquaredEuclidean
from tests.ensembles import label_matrices, noisy_ensemble, same_partition

both = pytest.mark.parametrize("divergence", ["kl", "l2"])

every = pytest.mark.parametrize("case", reference.CONFIGURATIONS)

over_all_pairs = pytest.mark.parametrize("case", reference.OVER_ALL_PAIRS)


@every
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_attributes_are_what_the_definition_gives(case, missing, rng):
    """f and the KKT gap from membership_, by an independent computation, to 1e-8."""
    X = reference.copied(rng, missing=missing)
    options = reference.CONFIGURATIONS[case]
    model = PCC(4, random_state=0, n_init=2, **options).fit(X)
    C, N = reference.counts(X)
    if "pairs" in options:
        chosen = coassociation(X, form="pairs", pairs=options["pairs"], random_state=model_seed(model))
        keep = chosen.totals.toarray() > 0
        C, N = C * keep, N * keep
    kind = reference.divergence_of(case)
    # a user-defined divergence is kept 1e-9 away from the ends of its range
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
def test_no_small_step_of_any_pair_of_clusters_helps(divergence, rng):
    X = reference.copied(rng)
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


@over_all_pairs
@pytest.mark.parametrize("n_clusterings", [1, 5])
def test_unanimous_ensembles_are_fitted_exactly(case, n_clusterings, truth):
    X = np.repeat(truth[:, None], n_clusterings, axis=1)
    for seed in range(5):
        model = PCC(5, n_init=2, random_state=seed, **reference.CONFIGURATIONS[case]).fit(X)
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
    X = reference.copied(rng)
    init = rng.dirichlet(np.ones(3), size=len(X))
    once = PCC(3, divergence=divergence, init=init).fit(X)
    fourfold = PCC(3, divergence=divergence, init=init, weights=np.full(X.shape[1], 4.0)).fit(X)  # rounds like 1
    assert once.n_iter_ == fourfold.n_iter_
    assert np.allclose(once.membership_, fourfold.membership_, atol=1e-9)
    thrice = PCC(3, divergence=divergence, init=init, weights=np.full(X.shape[1], 3.0)).fit(X)
    assert np.allclose(once.membership_, thrice.membership_, atol=1e-3)  # rounding moves the end of line searches


@over_all_pairs
def test_permuting_objects_permutes_the_answer(case, rng):
    X = noisy_ensemble(sizes=(12, 9, 6), n_clusterings=7, missing=0.2).X
    init = rng.dirichlet(np.ones(3), size=len(X))
    order = rng.permutation(len(X))
    one = PCC(3, init=init, tol=1e-7, max_iter=10**6, **reference.CONFIGURATIONS[case]).fit(X)
    other = PCC(3, init=init[order], tol=1e-7, max_iter=10**6, **reference.CONFIGURATIONS[case]).fit(X[order])
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)
    assert jensen_shannon_distance(one.membership_[order], other.membership_) < 1e-4


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
    """A thousand partitions drawn from a soft one with four clusters; asked for eight, four are found (eq. P37)."""
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
def test_pairs_are_named_by_object_even_if_some_are_left_out(method, rng):
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


@over_all_pairs
def test_an_object_that_is_always_alone_is_one_cluster(case):
    """From random starts it can be spread over spare clusters at no cost."""
    truth = np.array([0] * 5 + [1] * 5 + [2])
    X = np.repeat(truth[:, None], 4, axis=1)
    for seed in range(10):
        model = PCC(8, init="random", n_init=1, random_state=seed, **reference.CONFIGURATIONS[case]).fit(X)
        assert model.n_clusters_ == 3
        assert same_partition(model.labels_, truth)
    light = PCC(4, random_state=0, **reference.CONFIGURATIONS[case]).fit(X, sample_weight=[1] * 10 + [0.1])
    assert same_partition(light.labels_, truth)
    assert PCC(8, init="random", random_state=0, **reference.CONFIGURATIONS[case]).fit(X[:1]).n_clusters_ == 1


@over_all_pairs
def test_weights_below_one_weigh_pairs(case, rng):
    """Weights below 1 weigh pairs, and leave a row without pairs of its own."""
    X = np.unique(reference.copied(rng), axis=0)
    weight = rng.uniform(0.1, 0.9, size=len(X))
    model = PCC(3, random_state=0, n_init=1, **reference.CONFIGURATIONS[case]).fit(X, sample_weight=weight)
    C, N = reference.counts(X)
    each = np.outer(weight, weight)
    expected = reference.objective(reference.divergence_of(case), C * each, N * each, model.membership_)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("case", ["kl block", "l2 block", "kl greedy", "kl pairs", "own kl"])
def test_an_object_without_any_pair_is_uniform(case):
    X = noisy_ensemble(sizes=(8, 6), n_clusterings=5, missing=0).X
    X = np.column_stack([X, np.full(len(X), -1)])
    X = np.vstack([X, [[-1] * 5 + [0]]])
    model = PCC(2, random_state=0, **reference.CONFIGURATIONS[case]).fit(X)
    assert np.allclose(model.membership_[-1], 1 / model.n_clusters_)


def test_one_cluster_takes_no_sweep():
    X = noisy_ensemble().X
    one = PCC(1).fit(X)
    assert one.history_ == [np.inf]
    assert one.n_iter_ == 0
    assert one.kkt_gap_ == 0
    assert PCC(1, divergence="l2").fit(X).objective_ > 0
    unanimous = PCC(1).fit(np.zeros((5, 3), int))
    assert unanimous.objective_ == 0
    assert unanimous.n_clusters_ == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"divergence": SquaredEuclidean(), "solver": "greedy"}, "solver='greedy' supports divergence 'kl' and 'l2'"),
        ({"solver": "newton"}, "'solver' parameter of PCC must be a str among"),
        ({"pairs": "some"}, "'pairs' parameter of PCC|pairs"),
        ({"pairs": 0}, "pairs"),
        ({"n_clusters": 0}, "'n_clusters' parameter of PCC"),
        ({"tol": -1.0}, "'tol' parameter of PCC"),
    ],
)
def test_wrong_parameters_are_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        PCC(**parameters).fit(X)


def test_stopping_early_is_reported(X):
    expected = r"PCC did not converge in max_iter=1 sweeps \(gap .*, tol=0.0001\); raise max_iter or tol"
    with pytest.warns(ConvergenceWarning, match=expected):
        model = PCC(3, max_iter=1, init="random", n_init=1, random_state=0).fit(X)
    assert not model.converged_
    with pytest.warns(ConvergenceWarning, match=r"PEACE did not converge in max_iter=7 steps"):
        PEACE(3, max_iter=7, n_init=1, random_state=0).fit(X)


@over_all_pairs
def test_new_objects_are_where_equal_ones_are(case, X):
    """Distinct training rows keep their memberships; others fit by l2 with the fitted ones, which stay (eq. P36)."""
    X = np.unique(X, axis=0)
    model = PCC(3, random_state=0, n_init=1, **reference.CONFIGURATIONS[case]).fit(X)
    assert np.array_equal(model.predict_proba(X), model.membership_)
    assert np.array_equal(model.predict(X), model.labels_)
    new = X[:5].copy()
    new[:, :4] = -1
    probabilities = model.predict_proba(new)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(model.predict(new), probabilities.argmax(axis=1))
    weight = np.append(np.ones(len(X)), np.zeros(5))
    again = PCC(3, random_state=0, n_init=1, **reference.CONFIGURATIONS[case])
    again.fit(np.vstack([X, new]), sample_weight=weight)
    assert np.allclose(again.membership_[-5:], probabilities)


# the papers' own data, with both kinds of ensemble

DATA = Path(__file__).parents[4] / "shared" / "data"

SMALL = ("iris", "wine", "glass", "ecoli", "ionosphere", "yeast_cellcycle_384_std", "house_votes_84")


def features_of(name):
    table = pd.read_csv(DATA / f"{name}.csv.gz").dropna()
    features = pd.get_dummies(table.drop(columns="label")).to_numpy(float)
    return StandardScaler().fit_transform(features), table["label"].nunique()


def split_and_merge(F, rng, n_clusterings=20):
    """Ensemble 1: k-means with many clusters."""
    root = np.sqrt(len(F))
    sizes = rng.integers(int(np.ceil(root / 2)), int(root) + 1, size=n_clusterings)
    return np.column_stack(
        [KMeans(int(k), n_init=1, init="random", random_state=m).fit_predict(F) for m, k in enumerate(sizes)]
    )


def many_algorithms(F, rng, sizes=(3, 5, 8, 12)):
    """Ensemble 2: linkages and k-means, each on nine tenths of the objects."""
    columns = []
    for k in sizes:
        for method in ("single", "average", "ward", "centroid", "kmeans"):
            part = rng.choice(len(F), size=int(0.9 * len(F)), replace=False)
            column = np.full(len(F), -1)
            if method == "kmeans":
                column[part] = KMeans(k, n_init=1, random_state=k).fit_predict(F[part])
            else:
                column[part] = fcluster(linkage(F[part], method), k, "maxclust")
            columns.append(column)
    return np.column_stack(columns)


@pytest.mark.skipif(not DATA.is_dir(), reason="the papers' data are not here")
@pytest.mark.parametrize("make", [split_and_merge, many_algorithms])
@pytest.mark.parametrize("name", SMALL)
def test_kl_is_never_nan_on_the_data_of_the_papers(name, make, rng):
    F, n_classes = features_of(name)
    X = make(F, rng)
    for k in (n_classes, 2 * n_classes):
        model = PCC(k, n_init=1, random_state=0).fit(X)
        assert np.isfinite(model.membership_).all()
        assert np.isfinite(model.objective_)
        assert model.converged_
