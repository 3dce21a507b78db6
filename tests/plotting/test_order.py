"""Orders of objects, and their names."""

import numpy as np
import pandas as pd

from partita import EAC, ConsensusResult
from partita.plotting._order import by_cluster, longest_runs, object_names, runs_of


def test_clusters_first_then_the_surest_and_objects_without_a_cluster_last():
    labels = np.array([1, 0, -1, 1, 0])
    confidence = np.array([0.5, 1.0, np.nan, 2.0, 3.0])
    np.testing.assert_array_equal(by_cluster(labels, confidence), [4, 1, 3, 0, 2])


def test_runs_cover_all_places():
    starts, stops = runs_of(np.array([2, 2, 0, 2]))
    assert starts.tolist() == [0, 2, 3]
    assert stops.tolist() == [2, 3, 4]


def test_the_longest_run_of_each_value():
    assert longest_runs(np.array([2, 0, 2, 2, 0, 0, 0, -1])) == {2: (2, 4), 0: (4, 7), -1: (7, 8)}


def test_objects_have_the_names_of_the_frame_or_numbers():
    X = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1]}, index=["x", "y", "z"])
    assert object_names(ConsensusResult.from_estimator(EAC(2).fit(X)), np.array([2, 0])) == ["z", "x"]
    assert object_names(ConsensusResult.from_estimator(EAC(2).fit(X.to_numpy())), np.array([2, 0])) == ["2", "0"]
