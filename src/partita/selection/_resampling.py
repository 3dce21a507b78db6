"""Clusterings of random samples of the objects, for every number of clusters.

Features are clustered anew in each sample. Labels are combined anew, in each sample, from a random half of the
clusterings: a consensus that another half would not give is no property of the data.
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

_OBJECTS = 0.8  # share of the objects in a sample
_CLUSTERINGS = 0.5  # share of the clusterings in a sample


class Sampling(NamedTuple):
    """How samples are drawn and clustered."""

    method: Any  # a clusterer of features, or a consensus estimator
    numbers: list[int]  # of clusters
    n_samples: int
    n_jobs: int | None


def sample_features(F: FloatArray, sampling: Sampling, seed: int) -> list[IntArray]:
    """For every number of clusters an (n, n_samples) label matrix, -1 where an object was not in the sample."""
    if isinstance(sampling.method, QuickKMeans):
        return _sample_quickly(F, sampling, seed)
    generator = MixedEnsemble(
        {"base": sampling.method},
        sampling.numbers,
        n_repeats=sampling.n_samples,
        sample_fraction=_OBJECTS,
        random_state=seed,
        n_jobs=sampling.n_jobs,
    )
    labels = np.asarray(generator.fit_transform(F))
    made = generator.manifest_[generator.manifest_["status"] == "ok"]
    return [labels[:, (made["n_clusters"] == k).to_numpy(dtype=bool)] for k in sampling.numbers]


def _sample_quickly(F: FloatArray, sampling: Sampling, seed: int) -> list[IntArray]:
    """The same without a manifest: with small data its making takes longer than k-means."""
    n = len(F)
    results = [np.full((n, sampling.n_samples), -1, dtype=np.int64) for _ in sampling.numbers]
    tasks = [(k, place) for k in range(len(sampling.numbers)) for place in range(sampling.n_samples)]
    seeds = draw_seeds(seed, len(tasks)).tolist()

    def run(task: tuple[int, int, int]) -> None:
        k, place, task_seed = task
        chosen = np.random.default_rng([task_seed, 1]).choice(n, max(2, round(_OBJECTS * n)), replace=False)
        model = QuickKMeans(sampling.numbers[k], n_init=sampling.method.n_init, random_state=task_seed)
        results[k][chosen, place] = model.fit(F[chosen]).labels_

    list(in_order(run, [(*task, seed) for task, seed in zip(tasks, seeds, strict=True)], sampling.n_jobs))
    return results


def cluster_all(F: FloatArray, sampling: Sampling, seed: int) -> list[IntArray]:
    """Clusters of all objects for every number of clusters."""
    generator = MixedEnsemble({"base": sampling.method}, sampling.numbers, n_repeats=1, random_state=seed)
    labels = np.asarray(generator.fit_transform(F))
    if labels.shape[1] < len(sampling.numbers):
        failed = generator.manifest_[generator.manifest_["status"] != "ok"].iloc[0]
        raise ValueError(f"base fails with n_clusters={failed['n_clusters']}: {failed['message']}")
    return list(labels.T)


def sample_labels(X: Codes, sampling: Sampling, seed: int) -> list[IntArray]:
    """The same from labels: the consensus of a sample of the objects and of the clusterings."""
    n, m = X.shape
    results = [np.full((n, sampling.n_samples), -1, dtype=np.int64) for _ in sampling.numbers]

    def run(task_seed: int) -> tuple[IntArray, list[IntArray]]:
        rng = np.random.default_rng(task_seed)
        objects = np.sort(rng.choice(n, max(2, round(_OBJECTS * n)), replace=False))
        columns = np.sort(rng.choice(m, max(1, int(np.ceil(_CLUSTERINGS * m))), replace=False))
        there = X[np.ix_(objects, columns)] >= 0
        labelled, filled = objects[there.any(axis=1)], columns[there.any(axis=0)]
        return labelled, combine(sampling.method, X[np.ix_(labelled, filled)], sampling.numbers, task_seed)

    seeds = [int(task_seed) for task_seed in draw_seeds(seed, sampling.n_samples)]
    for place, (objects, found) in enumerate(in_order(run, seeds, sampling.n_jobs)):
        for result, labels in zip(results, found, strict=True):
            result[objects, place] = labels
    return results


def combine(consensus: Any, X: Array, numbers: Sequence[int], seed: int) -> list[IntArray]:
    """The consensus for every number of clusters; one tree serves them all."""
    if isinstance(consensus, EAC):
        tree = clone(consensus).set_params(n_clusters=None, cut="lifetime").fit(X).dendrogram_
        return [cut_tree(tree, max(len(tree) + 1 - k, 0)) for k in numbers]
    settings = {"random_state": seed} if "random_state" in consensus.get_params(deep=False) else {}
    return [clone(consensus).set_params(n_clusters=k, **settings).fit(X).labels_ for k in numbers]
