"""Information-theoretic k-means against its formula: objective, means, starts, and what it reports."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from partita import ITK
from partita.consensus.soft._itk import CenterDivergence
from partita.consensus.soft._soft_input import stack_clusterings
from tests.consensus.soft.soft_clusterings import one_hot_blocks, posteriors
from tests.ensembles import noisy_ensemble, same_partition


def divergence_by_hand(blocks, weights, row_weights, labels, centers):
    """Sum of w_m KL(s_im || c_m); centers[k][m]."""
    total = 0.0
    for i, k in enumerate(labels):
        saw = [m for m, block in enumerate(blocks) if not np.isnan(block[i]).any()]
        for m in saw:
            s, c = blocks[m][i], centers[k][m]
            kl = sum(p * np.log(p / q) for p, q in zip(s, c, strict=True) if p > 0)
            total += row_weights[i] * weights[m] / sum(weights[j] for j in saw) * kl
    return total


def test_itk_objective_is_the_sum_of_divergences_from_the_best_centres(rng):
    blocks = posteriors(missing=0.3)[0]
    weights, row_weights = rng.random(6) + 0.5, rng.integers(1, 4, 62).astype(float)
    model = ITK(3, weights=weights, random_state=0, tol=0).fit(blocks, sample_weight=row_weights)
    seen = np.column_stack([~np.isnan(block[:, 0]) for block in blocks])
    share = seen * weights / (seen * weights).sum(axis=1, keepdims=True) * row_weights[:, None]
    centers = [
        [np.average(np.nan_to_num(block)[mine], axis=0, weights=share[mine, m]) for m, block in enumerate(blocks)]
        for mine in (model.labels_ == k for k in range(3))
    ]
    best = divergence_by_hand(blocks, weights, row_weights, model.labels_, centers)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    for _ in range(20):
        moved = [[0.98 * c + 0.02 * rng.dirichlet(np.ones(len(c))) for c in center] for center in centers]
        assert divergence_by_hand(blocks, weights, row_weights, model.labels_, moved) > best


@pytest.mark.parametrize("make_sparse", [False, True])
def test_itk_means_are_the_members_means(make_sparse, rng):
    X = noisy_ensemble(missing=0.3).X
    cells = stack_clusterings(one_hot_blocks(X), np.ones(X.shape[1]), np.ones(len(X)))
    if make_sparse:
        cells = cells._replace(H=sparse.csr_array(cells.H))
    labels = np.arange(len(X)) % 2
    share = (X >= 0) / (X >= 0).sum(axis=1, keepdims=True)
    found = CenterDivergence(cells).means(labels, np.full((2, cells.H.shape[1]), 1 / 3))
    for k in range(2):
        expected = [
            np.average(np.nan_to_num(block)[labels == k], axis=0, weights=share[labels == k, m])
            for m, block in enumerate(one_hot_blocks(X))
        ]
        assert np.allclose(found[k], np.concatenate(expected))


@pytest.mark.parametrize("seed", range(5))
def test_itk_never_gets_worse(seed, rng):
    blocks = [rng.dirichlet(np.ones(4), size=80) for _ in range(5)]
    for block in blocks[1:]:
        block[rng.random(80) < 0.3] = np.nan
    model = ITK(5, n_init=1, random_state=seed).fit(blocks)
    assert len(model.history_) > 2
    assert (np.diff(model.history_) <= 1e-7).all()
    assert model.objective_ == model.history_[-1]
    assert model.converged_


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("exponent", [-1000, 900])
def test_itk_reports_on_the_scale_of_the_weights(soft, exponent, rng):
    X = posteriors(missing=0.3)[0] if soft else noisy_ensemble(flip=0.4).X
    weights = rng.integers(1, 4, 62).astype(float)
    plain = ITK(3, random_state=0).fit(X, sample_weight=weights)
    scaled = ITK(3, random_state=0).fit(X, sample_weight=np.ldexp(weights, exponent))
    assert scaled.history_ == pytest.approx(np.ldexp(plain.history_, exponent).tolist(), rel=1e-12)
    assert scaled.objective_ == scaled.history_[-1]


@pytest.mark.parametrize("soft", [True, False])
def test_itk_refuses_weights_whose_objective_is_no_number(soft):
    X = posteriors()[0] if soft else noisy_ensemble().X
    with pytest.raises(ValueError, match="sample_weight"):
        ITK(3, random_state=0).fit(X, sample_weight=np.full(62, 1e307))


def test_itk_on_labels_finds_the_clusters():
    X, truth = noisy_ensemble(missing=0.3)
    assert same_partition(ITK(3, random_state=0).fit(X).labels_, truth)


@pytest.mark.parametrize(("n_clusters", "n", "seed"), [(2, 6, 9), (2, 6, 26), (3, 8, 43), (3, 12, 10), (4, 12, 20)])
def test_fitted_rows_of_labels_keep_their_clusters(n_clusters, n, seed):
    X = np.random.default_rng(seed).integers(-1, 3, (n, 3))  # by the agreement alone, some went elsewhere
    X[(X < 0).all(axis=1), 0] = 0
    model = ITK(n_clusters, random_state=0).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)


def test_itk_starts_at_different_objects(rng):
    rows = rng.dirichlet(np.ones(3), size=4)
    cells = stack_clusterings([np.repeat(rows, 5, axis=0)], np.ones(1), np.ones(20))
    divergence = CenterDivergence(cells)
    for seed in range(5):
        centers = divergence.draw_centers(6, np.random.default_rng(seed))
        found = (centers - 0.1 / 3) / 0.9  # first centres are mixed with 10 % of equal probabilities
        assert sorted(found.round(9).tolist()) == sorted(rows.round(9).tolist())


def test_itk_starts_do_not_depend_on_the_unit_of_weights():
    blocks, truth = posteriors()
    labels = ITK(3, random_state=0).fit(blocks, sample_weight=np.full(62, 1e-13)).labels_
    assert same_partition(labels, truth)


def test_itk_does_not_depend_on_threads(rng):
    blocks = [rng.dirichlet(np.ones(4), size=80) for _ in range(5)]
    one, two = (ITK(5, random_state=0, n_jobs=n_jobs, verbose=True).fit(blocks) for n_jobs in (None, 2))
    assert np.array_equal(one.labels_, two.labels_)
    assert one.history_ == two.history_
    assert one.n_iter_ == len(one.history_)


def test_itk_warns_at_the_users_line_if_the_best_start_does_not_converge(rng):
    blocks = [rng.dirichlet(np.ones(4), size=80) for _ in range(5)]
    with pytest.warns(ConvergenceWarning, match=r"ITK did not converge in max_iter=2 iterations; raise") as caught:
        model = ITK(5, max_iter=2, n_init=2, random_state=0).fit(blocks)
    assert caught[0].filename == __file__
    assert not model.converged_
    assert model.n_iter_ == len(model.history_) == 2


# ---------------------------------------------------------------------------------------------------- the optimum
def objective_of(blocks, labels, row_weights):
    """The objective at the best centres, the means, of given labels."""
    weights = np.ones(len(blocks))
    centers = []
    for k in range(labels.max() + 1):
        mine = labels == k
        centers.append([])
        for block in blocks:
            saw = mine & ~np.isnan(block[:, 0])
            mean = np.full(block.shape[1], 1 / block.shape[1])
            if saw.any():
                n_seen = np.array([sum(not np.isnan(b[i, 0]) for b in blocks) for i in np.flatnonzero(saw)])
                mean = np.average(block[saw], axis=0, weights=row_weights[saw] / n_seen)
            centers[-1].append(mean)
    return divergence_by_hand(blocks, weights, row_weights, labels, centers)


@pytest.mark.parametrize("seed", range(4))
def test_itk_finds_the_best_of_all_partitions_of_few_objects(seed):
    rng = np.random.default_rng(seed)
    blocks = [rng.dirichlet(np.full(3, 0.5), size=8) for _ in range(3)]
    blocks[1][rng.random(8) < 0.3] = np.nan
    row_weights = rng.integers(1, 4, 8).astype(float)
    every = {tuple(np.unique(labels, return_inverse=True)[1]) for labels in np.ndindex(*([2] * 8))}
    best = min(objective_of(blocks, np.array(labels), row_weights) for labels in every)
    model = ITK(2, random_state=0).fit(blocks, sample_weight=row_weights)
    assert model.objective_ == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("soft", [True, False])
def test_no_single_move_lowers_the_objective(soft, rng):
    n = 40
    blocks = [rng.dirichlet(np.full(4, 0.3), size=n) for _ in range(4)]
    for block in blocks[1:]:
        block[rng.random(n) < 0.3] = np.nan
    if not soft:
        blocks = [np.where(np.isnan(b), np.nan, b == b.max(axis=1, keepdims=True)) for b in blocks]
    row_weights = rng.integers(1, 4, n).astype(float)
    model = ITK(3, n_init=1, random_state=0).fit(blocks, sample_weight=row_weights)
    best = objective_of(blocks, model.labels_, row_weights)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    for i in range(n):
        for k in range(3):
            labels = model.labels_.copy()
            labels[i] = k
            if len(np.unique(labels)) == 3:
                assert objective_of(blocks, labels, row_weights) >= best * (1 - 1e-7)
