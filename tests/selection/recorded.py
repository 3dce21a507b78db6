"""Small data with clusters, and a choice with all that it was computed from; the tests of this room share them."""

import numpy as np
import pytest

from partita import NoisyEnsemble, choose_n_clusters
from partita.selection import _choice as module

FAST = {"base": "ward", "n_resamples": 6, "random_state": 0}  # of features

HASTY = {"alpha": 0.5, "n_references": 1, "n_resamples": 3, "random_state": 0}  # where the answer does not matter


def blobs(sizes=(20, 15, 15), seed=0):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return 7 * np.eye(len(sizes))[truth] + np.random.default_rng(seed).standard_normal((len(truth), len(sizes)))


def copies(n_clusters=4, noise=0.1, missing=0.0):
    truth = np.repeat(np.arange(n_clusters), 10)
    return NoisyEnsemble(10, noise=noise, missing=missing, random_state=0).fit_transform(truth)


class Recorded:
    """A choice, with what is behind it: of the data first, then of the references."""

    def __init__(self, *arguments, **options):
        self.samples, self.of_all, self.data = [], [], []
        with pytest.MonkeyPatch.context() as monkeypatch:
            for name, calls in [
                ("sample_features", self.samples),
                ("sample_labels", self.samples),
                ("cluster_all", self.of_all),
            ]:
                monkeypatch.setattr(module, name, self._recorder(getattr(module, name), calls))
            self.choice = choose_n_clusters(*arguments, **options)
        self.table = self.choice.table

    def _recorder(self, plain, calls):
        def record(data, *more):
            if calls is self.samples:
                self.data.append(data)
            calls.append(plain(data, *more))
            return calls[-1]

        return record


def coassociations(X):
    """S_ij of every pair that occurs together, by two loops."""
    found = []
    for i in range(len(X)):
        for j in range(i):
            both = [(a, b) for a, b in zip(X[i], X[j], strict=True) if a >= 0 and b >= 0]
            if both:
                found.append(sum(a == b for a, b in both) / len(both))
    return np.array(found)
