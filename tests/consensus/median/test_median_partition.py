"""The median partition: fixed ensembles, limits of the loss, ensembles of k-means from several seeds."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partita import KMeansEnsemble, MedianPartition
from partita.exceptions import FewerClustersWarning
from partita.metrics import adjusted_rand_score, expected_loss
from tests.consensus.label_space.fixed_ensembles import BOTH, E16, E16_HOLES
from tests.consensus.median.reference import all_partitions, slow_loss

# Best partitions of all, and their losses: reference values of another search; "vi" of E16 also those of salso 0.3.35.
BEST = [
    ("complete", "vi", 0.8706915, "0000111100022222"),
    ("holes", "vi", 0.7809014, "0100022211133333"),
    ("complete", "binder", 0.1666667, "0011222200033333"),
    ("holes", "binder", 0.1593348, "0100022211123333"),
]


def as_labels(digits):
    return np.array([int(digit) for digit in digits])


def noisy(rng, n=300, m=12, k=4, noise=0.2, missing=0.0):
    truth = rng.choice(k, p=np.array([0.5, 0.3, 0.15, 0.05]), size=n)
    X = np.where(rng.random((n, m)) < noise, rng.integers(k, size=(n, m)), truth[:, None])
    X[rng.random((n, m)) < missing] = -1
    return X, truth


@pytest.mark.parametrize(("which", "loss", "value", "labels"), BEST)
def test_best_partition_of_a_fixed_ensemble(which, loss, value, labels):
    model = MedianPartition(loss=loss, random_state=0).fit(BOTH[which])
    assert model.objective_ == pytest.approx(value, abs=1e-7)
    assert model.objective_ == pytest.approx(expected_loss(BOTH[which], model.labels_, loss=loss), rel=1e-12)
    best = as_labels(labels)
    if which == "holes" and loss == "binder":  # another partition has the same loss
        assert expected_loss(E16_HOLES, best, loss=loss) == pytest.approx(value, abs=1e-7)
    else:
        assert adjusted_rand_score(best, model.labels_) == 1


def test_three_clusters_as_salso_limits_them():
    for parameters in ({"max_clusters": 3}, {"n_clusters": 3}):
        model = MedianPartition(**parameters, random_state=0).fit(E16)
        assert model.loss_ == "binder"
        assert model.objective_ == pytest.approx(0.171875, abs=1e-12)
        assert adjusted_rand_score(as_labels("0000111100022222"), model.labels_) == 1


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_ends_of_the_cost(loss):
    apart = MedianPartition(loss=loss, a=0.0, random_state=0).fit(E16)
    assert apart.objective_ == pytest.approx(0, abs=1e-12)
    together = MedianPartition(loss=loss, a=2.0, random_state=0).fit(E16)
    assert together.objective_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("loss", ["vi", "binder"])
@pytest.mark.parametrize("n_clusters", [None, 4])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_seed_ends_at_the_best_loss(loss, n_clusters, missing):
    X = np.array(KMeansEnsemble(20, random_state=0).fit_transform(load_iris().data))
    X[np.random.default_rng(0).random(X.shape) < missing] = -1
    found = [
        MedianPartition(n_clusters, loss=loss, random_state=seed, n_init=10 if seed else 30).fit(X) for seed in range(4)
    ]
    losses = np.array([model.objective_ for model in found])
    assert losses == pytest.approx(losses.min(), rel=1e-9)
    if n_clusters is None:
        assert losses.min() <= min(expected_loss(X[x >= 0], x[x >= 0], loss=loss) for x in X.T) + 1e-12 or missing
    else:
        assert all(model.n_clusters_ == n_clusters for model in found)


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_rows_beyond_the_sample(loss, rng, monkeypatch):
    X, truth = noisy(rng, n=600, m=15, missing=0.1)
    all_rows = MedianPartition(4, loss=loss, random_state=0).fit(X)
    monkeypatch.setattr("partita._runs.SAMPLE_SIZE", 200)
    sampled = MedianPartition(4, loss=loss, random_state=0).fit(X)
    assert sampled.objective_ == pytest.approx(all_rows.objective_, rel=1e-3)
    assert adjusted_rand_score(truth, sampled.labels_) > 0.9


def test_new_objects_join_where_they_add_least(rng):
    X, _ = noisy(rng, n=80, m=8, missing=0.2)
    model = MedianPartition(loss="vi", random_state=0).fit(X)
    assert (model.predict(X) == model.labels_)[(X >= 0).any(axis=1)].all()
    new = np.where(rng.random((10, 8)) < 0.3, -1, rng.integers(4, size=(10, 8)))
    new[:, 0] = 1
    placed = model.predict(new)
    for row, cluster in zip(new, placed, strict=True):
        losses = [_with_object(X, model.labels_, row, q) for q in range(model.n_clusters_)]
        assert losses[cluster] == pytest.approx(min(losses), abs=1e-12)


def _with_object(X, labels, row, cluster):
    """What one object more adds to the loss, on the scale of the fitted objects."""
    total = 0.0
    for m in np.flatnonzero(row >= 0):
        seen = X[:, m] >= 0
        for mass, sign in ((seen & (labels == cluster), 1), (seen & (labels == cluster) & (X[:, m] == row[m]), -2)):
            x = mass.sum()
            f = [value * np.log2(value) if value else 0.0 for value in (x, x + 1)]
            total += sign * (f[1] - f[0]) / seen.sum()
    return total


def apart(rng, n=2100, m=3, together=0.02):
    """Clusterings that keep almost all objects apart."""
    return np.where(rng.random((n, m)) < together, 0, np.arange(n)[:, None])


@pytest.mark.parametrize(
    "parameters", [{"max_clusters": 10}, {"n_clusters": 5, "loss": "vi"}, {"n_clusters": 2010, "loss": "vi"}]
)
def test_limits_hold_where_starts_have_thousands_of_clusters(parameters, rng):
    X = apart(rng)
    model = MedianPartition(**parameters, n_init=1, max_iter=30, random_state=0).fit(X)
    assert model.n_clusters_ == next(iter(parameters.values()))
    assert model.objective_ == pytest.approx(expected_loss(X, model.labels_, loss=model.loss_), rel=1e-9)


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_a_clustering_of_objects_without_weight_does_not_count(loss):
    X = np.array([[0, 0, -1], [0, 1, -1], [1, 1, -1], [1, 1, -1], [0, 0, 3], [1, 0, 4]])
    w = [1, 1, 1, 1, 0, 0]
    model = MedianPartition(loss=loss, random_state=0).fit(X, sample_weight=w)
    assert model.objective_ == pytest.approx(expected_loss(X, model.labels_, loss=loss, sample_weight=w), rel=1e-12)
    assert model.objective_ == pytest.approx(MedianPartition(loss=loss, random_state=0).fit(X[:4, :2]).objective_)


def test_few_rows_of_unequal_weights_do_not_hold_the_search():
    X = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 1]])
    w = np.array([5.0, 5, 1, 30, 2, 30, 30])
    best = min(slow_loss(X, z, "vi", 1.0, w) for z in all_partitions(7) if z.max() == 1)
    for seed in range(8):
        model = MedianPartition(2, loss="vi", random_state=seed).fit(X, sample_weight=w)
        assert model.objective_ == pytest.approx(best, rel=1e-9)


def test_the_loss_is_never_below_zero():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = np.repeat(rng.integers(4, size=(30, 1)), 7, axis=1)  # all clusterings are equal: the least loss is 0
        model = MedianPartition(loss="vi", random_state=0).fit(X, sample_weight=rng.random(30))
        assert 0 <= model.objective_ <= 1e-12
        assert min(model.history_) >= 0


def test_a_number_and_a_limit_are_refused():
    with pytest.raises(
        ValueError, match=r"n_clusters=3 and max_clusters=4 are both given; pass n_clusters for exactly"
    ):
        MedianPartition(3, max_clusters=4).fit(E16)
    with pytest.raises(ValueError, match="'a' parameter"):
        MedianPartition(a=2.5).fit(E16)


def test_more_clusters_than_rows_are_said_before():
    with pytest.warns(FewerClustersWarning, match="exceeds the 7 distinct rows"):
        assert MedianPartition(9, random_state=0).fit(E16).n_clusters_ == 7


def test_a_fit_that_is_stopped_says_so(rng):
    X, _ = noisy(rng, n=200, m=20, noise=0.7)
    with pytest.warns(match=r"MedianPartition did not converge in max_iter=1 sweeps"):
        model = MedianPartition(loss="binder", max_iter=1, random_state=0).fit(X)
    assert not model.converged_
    assert model.n_iter_ == 1
