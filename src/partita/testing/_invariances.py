"""Checks of what must not matter: names, order, and whether something is there twice or weighs twice."""

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita.exceptions import EmptyColumnWarning, FewerClustersWarning, IdentifiabilityWarning
from partita.testing._data import noisy_ensemble, same_partition
from partita.testing._tools import (
    data,
    expect,
    expect_equal,
    fresh,
    generator,
    heard,
    ignoring,
    labels_of,
    need,
    need_parameter,
    need_sample_weight,
    parameters,
    tell_again,
)

_WEIGHTS_MATTER = (1, 2, 25)  # seeds; among them weights change the answer of EAC, LWEA, LWGP, k-means, mixtures, cuts
_TWICE = "objects that are repeated and objects with a weight of"


def check_relabelling(estimator: Any) -> None:
    """Renaming the labels of a clustering changes nothing."""
    X, rng = data(), generator()
    renamed = np.column_stack([np.append(rng.permutation(4), -1)[column] for column in X.T])
    expect_equal(labels_of(fresh(estimator), renamed), labels_of(fresh(estimator), X), "labels renamed")


def check_column_order(estimator: Any) -> None:
    """The order of the clusterings does not matter."""
    X = data()
    order = generator().permutation(X.shape[1])
    expect_equal(labels_of(fresh(estimator), X[:, order]), labels_of(fresh(estimator), X), "clusterings reordered")


def check_row_order(estimator: Any) -> None:
    """The order of the objects does not matter."""
    X = data()
    order = generator().permutation(len(X))
    first, second = labels_of(fresh(estimator), X)[order], labels_of(fresh(estimator), X[order])
    expect(same_partition(first, second), "the partition changes with the order of the objects")


def check_clustering_twice(estimator: Any) -> None:
    """A clustering twice is the same as with weight 2."""
    need_parameter(estimator, "weights")
    X = data()
    weights = np.ones(X.shape[1])
    weights[[2, 5]] = 2
    weighted = labels_of(fresh(estimator, weights=weights), X)
    twice = labels_of(fresh(estimator), np.column_stack([X, X[:, [2, 5]]]))
    expect(same_partition(weighted, twice), "two clusterings twice, and with weight 2, give different partitions")
    truth = noisy_ensemble().truth
    other = generator().permutation(truth)
    few = np.column_stack([truth, other, other])  # the weight decides which of the two partitions is the answer
    heavy = labels_of(fresh(estimator, weights=[6, 1, 1]), few)
    again = labels_of(fresh(estimator), few[:, [0] * 6 + [1, 2]])
    expect(same_partition(heavy, again), "a clustering six times, and with weight 6, give different partitions")


def check_clustering_of_weight_zero(estimator: Any) -> None:
    """A clustering of weight 0 is absent."""
    need_parameter(estimator, "weights")
    X = data()
    weights = np.ones(X.shape[1])
    weights[3] = 0
    weighted = labels_of(fresh(estimator, weights=weights), X)
    expect_equal(weighted, labels_of(fresh(estimator), np.delete(X, 3, axis=1)), "a clustering of weight 0, and absent")
    truth = noisy_ensemble().truth
    other = generator().permutation(truth)
    many = np.column_stack([truth, truth, other, other, other])
    with ignoring(ConvergenceWarning):
        weighted = labels_of(fresh(estimator, weights=[1, 1, 0, 0, 0]), many)
    expect(same_partition(weighted, truth), "clusterings of weight 0 decide the partition")


def check_object_twice(estimator: Any) -> None:
    """An object twice is the same as with weight 2."""
    need_sample_weight(estimator)
    X = data()
    weight = generator().integers(1, 4, size=len(X))
    once = labels_of(fresh(estimator), X, sample_weight=weight)
    repeated = labels_of(fresh(estimator), np.repeat(X, weight, axis=0))
    expect(same_partition(np.repeat(once, weight), repeated), f"{_TWICE} 1 to 3 give different partitions")
    apart = np.vstack([X, np.full((2, X.shape[1]), 9)])  # with their weight, two objects are a cluster like the others
    weight = np.append(np.ones(len(X), dtype=int), [40, 40])
    once = labels_of(fresh(estimator), apart, sample_weight=weight)
    repeated = labels_of(fresh(estimator), np.repeat(apart, weight, axis=0))
    expect(same_partition(np.repeat(once, weight), repeated), f"{_TWICE} 40 give different partitions")
    _expect_weights_to_matter(estimator)


def _expect_weights_to_matter(estimator: Any) -> None:
    """Noisy labels, where most methods have another answer without the weights."""
    for seed in _WEIGHTS_MATTER:
        X = noisy_ensemble(sizes=(8, 7, 5), n_clusterings=6, flip=0.3, missing=0, seed=seed).X
        weight = np.where(np.random.default_rng(seed).random(len(X)) < 0.2, 9, 1)
        with ignoring(FewerClustersWarning, ConvergenceWarning):
            once = labels_of(fresh(estimator), X, sample_weight=weight)
            repeated = labels_of(fresh(estimator), np.repeat(X, weight, axis=0))
        expect(same_partition(np.repeat(once, weight), repeated), f"{_TWICE} 9 give different partitions")


def check_object_of_weight_zero(estimator: Any) -> None:
    """An object of weight 0 has no influence, and gets a cluster."""
    need_sample_weight(estimator)
    X, weight = data(), np.ones(len(data()))
    weight[generator().choice(len(X), size=8, replace=False)] = 0
    weighted = labels_of(fresh(estimator), X, sample_weight=weight)
    alone = labels_of(fresh(estimator), X[weight > 0])
    expect_equal(weighted[weight > 0], alone, "objects of weight 0, and absent")
    expect((weighted >= 0).all(), "an object of weight 0 that has labels is in no cluster")
    apart = np.vstack([X, np.repeat([7, 8], 40)[:, None] + np.zeros_like(X[0])])  # two large clusters, without weight
    weighted = labels_of(fresh(estimator), apart, sample_weight=np.arange(len(apart)) < len(X))
    expect_equal(weighted[: len(X)], labels_of(fresh(estimator), X), "two clusters of weight 0, and absent")


def check_empty_clustering(estimator: Any) -> None:
    """A clustering without any label is absent."""
    X = data()
    with ignoring(EmptyColumnWarning):
        with_empty = labels_of(fresh(estimator), np.column_stack([X, np.full(len(X), -1)]))
    expect_equal(with_empty, labels_of(fresh(estimator), X), "with and without a clustering that has no label")


def check_missing_labels(estimator: Any) -> None:
    """A missing label says nothing: objects are not together because they lack the same labels."""
    truth = noisy_ensemble().truth
    X = np.repeat(truth[:, None], 6, axis=1)
    X[::2, :4] = -1
    labels = labels_of(fresh(estimator), X)
    expect(same_partition(labels, truth), "all labels agree, and some are missing: the partition is not the common one")


def check_unanimous(estimator: Any) -> None:
    """Clusterings that agree give that partition."""
    _expect_unanimous(estimator)


def check_finds_k(estimator: Any) -> None:
    """Without n_clusters, clusterings that agree give their number of clusters."""
    known = parameters(estimator)
    need("n_clusters" not in known or known["n_clusters"] is None, "n_clusters is given")
    _expect_unanimous(estimator, **({"n_clusters": None} if "n_clusters" in known else {}))


def _expect_unanimous(estimator: Any, **changed: Any) -> None:
    """Four equal clusterings, and one, unless a model of several says that it cannot be fitted to one."""
    truth = noisy_ensemble().truth
    for n_clusterings in (4, 1):
        with heard() as caught:
            labels = labels_of(fresh(estimator, **changed), np.repeat(truth[:, None], n_clusterings, axis=1))
        tell_again(caught, IdentifiabilityWarning)
        if n_clusterings > 1 or not any(issubclass(entry.category, IdentifiabilityWarning) for entry in caught):
            found = f"{n_clusterings} equal clusterings of 3 clusters give {len(np.unique(labels))} clusters"
            expect(same_partition(labels, truth), f"{found}, and not the same")


def check_accurate(estimator: Any) -> None:
    """The partition behind noisy labels is found: at least 90 of 100 objects are in the right cluster."""
    from partita.metrics import consistency_index

    truth = noisy_ensemble().truth
    with ignoring(ConvergenceWarning):
        share = consistency_index(truth, labels_of(fresh(estimator), data()))
    expect(share > 0.9, f"{share:.0%} of the objects are in the right cluster")
