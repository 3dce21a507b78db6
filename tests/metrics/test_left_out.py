"""A warning says how many objects were left out, and points at the user's line."""

import numpy as np
import pytest

from partita import metrics
from partita.exceptions import LeftOutWarning

LABELS = [0, 0, 1, 1, None]
POINTS = np.arange(5)[:, None]
CALLS = {
    "contingency": lambda: metrics.contingency(LABELS, [0, 1, 1, 1, 1]),
    "partitions": lambda: metrics.rand_score(LABELS, [0, 1, 1, 1, 1]),
    "information": lambda: metrics.normalized_mutual_info_score(LABELS, [0, 1, 1, 1, 1]),
    "ensemble": lambda: metrics.average_nmi_score({"a": [0, 1, 1, 1, 1]}, LABELS),
    "memberships": lambda: metrics.jensen_shannon_distance(LABELS, [0, 1, 1, 1, 1]),
    "points": lambda: metrics.davies_bouldin_score(POINTS, LABELS),
    "samples": lambda: metrics.silhouette_samples(POINTS, LABELS),
    "features": lambda: metrics.rank_features(POINTS, LABELS),
    "report": lambda: metrics.validity_report(POINTS, LABELS),
    "clusters": lambda: metrics.cluster_consensus({"a": [0, 1, 1, 1, 1]}, LABELS),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_warning_points_at_the_caller(name):
    with pytest.warns(LeftOutWarning, match="1 of 5 objects .* left out") as caught:
        CALLS[name]()
    assert [warning.filename for warning in caught] == [__file__]
