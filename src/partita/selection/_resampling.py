"""Clusterings of random samples of the objects, for every number of clusters.

Features are clustered again in each sample. Labels are combined again, in each sample, from a random half of the
clusterings: a consensus that another half does not give is not a property of the data (eq. I54).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from partita._runs import draw_seeds, in_order
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.consensus import EAC
from partita.consensus.pairwise._evidence_accumulation import cut_tree
from partita.generation import MixedEnsemble
from partita.selection._quick_kmeans import QuickKMeans

SHARE_OF_OBJECTS = 0.8  # in a sample: samples differ, and a pair is still together in about 64 % of them
_SHARE_OF_CLUSTERINGS = 0.5  # in a sample: fewer would make a poor consensus, more would make the samples too similar


class Resampling(NamedTuple):
    """How samples are drawn and clustered."""

    method: Any  # a clusterer of features, or a consensus estimator
    numbers: list[int]  # of clusters
    n_samples: int
    n_jobs: int | None


def sample_features(F: FloatArray, plan: Resampling, seed: int) -> list[IntArray]:
    """For every number of clusters an (n, n_samples) label matrix, -1 where an object was not in the sample."""
    if isinstance(plan.method, QuickKMeans):
        return _sample_quickly(F, plan, seed)
    generator = MixedEnsemble(
        {"base": plan.method},
        plan.numbers,
        n_repeats=plan.n_samples,
        sample_fraction=SHARE_OF_OBJECTS,
        random_state=seed,
        n_jobs=plan.n_jobs,
    )
    labels = np.asarray(generator.fit_transform(F))
    made = generator.manifest_[generator.manifest_["status"] == "ok"]
    return [labels[:, (made["n_clusters"] == k).to_numpy(dtype=bool)] for k in plan.numbers]


def _sample_quickly(F: FloatArray, plan: Resampling, seed: int) -> list[IntArray]:
    """The same without a manifest: for small data a manifest takes longer than k-means."""
    n = len(F)

    def run(task: tuple[int, int]) -> tuple[IntArray, IntArray]:
        k, task_seed = task
        chosen = np.random.default_rng([task_seed, 1]).choice(n, max(2, round(SHARE_OF_OBJECTS * n)), replace=False)
        model = QuickKMeans(k, n_init=plan.method.n_init, random_state=task_seed)
        return chosen, model.fit(F[chosen]).labels_

    numbers = np.repeat(plan.numbers, plan.n_samples).tolist()
    tasks = zip(numbers, draw_seeds(seed, len(numbers)).tolist(), strict=True)
    results = [np.full((n, plan.n_samples), -1, dtype=np.int64) for _ in plan.numbers]
    for task, (objects, labels) in enumerate(in_order(run, tasks, plan.n_jobs)):
        number, place = divmod(task, plan.n_samples)
        results[number][objects, place] = labels
    return results


def cluster_all(F: FloatArray, plan: Resampling, seed: int) -> list[IntArray]:
    """Clusters of all objects for every number of clusters."""
    generator = MixedEnsemble({"base": plan.method}, plan.numbers, n_repeats=1, random_state=seed)
    labels = np.asarray(generator.fit_transform(F))
    if labels.shape[1] < len(plan.numbers):
        failed = generator.manifest_[generator.manifest_["status"] != "ok"].iloc[0]
        raise ValueError(f"base fails with n_clusters={failed['n_clusters']}: {failed['message']}")
    return list(labels.T)


def sample_labels(X: Codes, plan: Resampling, seed: int) -> list[IntArray]:
    """The same from labels: the consensus of a sample of the objects and of the clusterings."""
    n, m = X.shape
    results = [np.full((n, plan.n_samples), -1, dtype=np.int64) for _ in plan.numbers]

    def run(task_seed: int) -> tuple[IntArray, list[IntArray]]:
        rng = np.random.default_rng(task_seed)
        objects = np.sort(rng.choice(n, max(2, round(SHARE_OF_OBJECTS * n)), replace=False))
        columns = np.sort(rng.choice(m, max(1, int(np.ceil(_SHARE_OF_CLUSTERINGS * m))), replace=False))
        there = X[np.ix_(objects, columns)] >= 0
        labelled, filled = objects[there.any(axis=1)], columns[there.any(axis=0)]
        return labelled, combine(plan.method, X[np.ix_(labelled, filled)], plan.numbers, task_seed)

    seeds = [int(task_seed) for task_seed in draw_seeds(seed, plan.n_samples)]
    for place, (objects, found) in enumerate(in_order(run, seeds, plan.n_jobs)):
        for result, labels in zip(results, found, strict=True):
            result[objects, place] = labels
    return results


def combine(consensus: Any, X: Array, numbers: Sequence[int], seed: int) -> list[IntArray]:
    """The consensus for every number of clusters; a tree of EAC is made once and cut for each of them."""
    if isinstance(consensus, EAC):
        known = consensus.get_params(deep=False)  # MultiEAC has fewer
        freed = {"n_clusters": 1, "threshold": None, "cut": "n_clusters", "allow_one": False, "max_clusters": "sqrt"}
        model = clone(consensus).set_params(**{name: value for name, value in freed.items() if name in known})
        tree = model.fit(X).dendrogram_
        return [cut_tree(tree, max(len(tree) + 1 - k, 0)) for k in numbers]
    settings = {"random_state": seed} if "random_state" in consensus.get_params(deep=False) else {}
    return [clone(consensus).set_params(n_clusters=k, **settings).fit(X).labels_ for k in numbers]
