"""What distinguishes a cluster, by plain counting; large tables with missing labels through a sample."""

import numpy as np
import pandas as pd
import pytest

from partita import ConsensusResult, combine
from partita.results import _cluster_table


def test_labels_that_distinguish_a_cluster_by_counting():
    frame = pd.DataFrame(
        {
            "a": ["x"] * 4 + ["y"] * 4,
            "b": [1, 1, 1, 2, 2, 2, 2, 2],
            "c": [0.0, 1.0] * 4,
        }
    )
    result = ConsensusResult.from_labels(frame, [0, 0, 0, 0, 1, 1, 1, 1])
    assert result.clusters["distinguished_by"].tolist() == [
        "a = x (100% of it, 0% of the others); b = 1 (75% of it, 0% of the others)",
        "a = y (100% of it, 0% of the others); b = 2 (100% of it, 25% of the others)",
    ]


def test_objects_without_a_label_do_not_count_in_shares():
    frame = pd.DataFrame({"a": ["x", "x", None, None, "y", "y"], "b": [0, 1, 0, 1, 0, 1]})
    words = ConsensusResult.from_labels(frame, [0, 0, 0, 1, 1, 1]).clusters["distinguished_by"]
    assert words[0].startswith("a = x (100% of it, 0% of the others)")


def test_a_sample_is_near_the_whole(monkeypatch, rng):
    truth = rng.integers(4, size=3000)
    X = np.where(rng.random((3000, 9)) < 0.2, rng.integers(4, size=(3000, 9)), truth[:, None])
    X[rng.random(X.shape) < 0.1] = -1
    exact = combine(X, n_clusters=4, random_state=0).clusters
    monkeypatch.setattr(_cluster_table, "_MOST_ROWS", 800)
    sampled = combine(X, n_clusters=4, random_state=0).clusters
    assert not np.array_equal(exact["consensus"], sampled["consensus"])
    assert np.allclose(exact["consensus"], sampled["consensus"], atol=0.02)
    assert exact["closest_consensus"].to_numpy() == pytest.approx(sampled["closest_consensus"].to_numpy(), abs=0.02)


def test_a_small_cluster_is_looked_at_as_a_whole(monkeypatch, rng):
    truth = np.repeat([0, 1, 2], [1500, 1480, 20])
    X = np.where(rng.random((3000, 9)) < 0.3, rng.integers(3, size=(3000, 9)), truth[:, None])
    X[rng.random(X.shape) < 0.1] = -1
    exact = ConsensusResult.from_labels(X, truth).clusters["consensus"]
    monkeypatch.setattr(_cluster_table, "_MOST_ROWS", 600)
    sampled = ConsensusResult.from_labels(X, truth).clusters["consensus"]
    assert sampled[2] == exact[2]
    assert np.allclose(sampled, exact, atol=0.03)
