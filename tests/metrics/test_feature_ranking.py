"""Features ranked by the adjusted Rand index of their bins (eq. I53)."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from partita import metrics
from partita.exceptions import LeftOutWarning


def test_features_are_ranked_by_their_bins(rng):
    y = np.repeat(["a", "b", "c"], 20)
    X = pd.DataFrame(
        {
            "noise": rng.random(60),
            "constant": np.ones(60),
            "exact": np.repeat([0.0, 5.0, 10.0], 20),
            "near": np.repeat([0.0, 5.0, 10.0], 20) + 2 * rng.normal(size=60),
        }
    )
    ranking = metrics.rank_features(X, y)
    assert ranking.columns.tolist() == ["feature", "ari", "rank"]
    assert ranking["feature"].tolist()[:2] == ["exact", "near"]
    assert ranking["rank"].tolist() == [1, 2, 3, 4]
    assert ranking["ari"][0] == 1
    assert ranking.set_index("feature").loc["constant", "ari"] == 0
    bins = pd.cut(X["near"], 3, labels=False)  # equal width, closed on the other side: no value is at an edge
    assert ranking["ari"][1] == pytest.approx(sk.adjusted_rand_score(y, bins))


def test_there_are_as_many_bins_as_classes_or_as_asked_for():
    X = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1]])
    assert metrics.rank_features(X, [0, 0, 1, 1])["feature"].tolist() == [0, 1]
    assert metrics.rank_features(X, [0, 1, 2, 3])["ari"].tolist() == [1, 0]
    assert metrics.rank_features(X, [0, 0, 1, 1], n_bins=1)["ari"].tolist() == [0, 0]
    assert metrics.rank_features(X, [0, 1, 2, 3], n_bins=10**30)["ari"].tolist() == [1, 0]
    assert metrics.rank_features(X, [0, 0, 1, 1], n_bins=1)["rank"].tolist() == [1, 1]
    with pytest.warns(LeftOutWarning, match="1 of 4"):
        assert metrics.rank_features(X, [0, 1, 1, None])["ari"].tolist() == [1, -0.5]
    assert metrics.rank_features(X, [5, 5, 5, 5])["ari"].tolist() == [1, 1]  # one class, one bin
    for wrong in (0, 2.5, True):
        with pytest.raises(ValueError, match=f"n_bins={wrong} is not allowed; pass a whole number, at least 1"):
            metrics.rank_features(X, [0, 0, 1, 1], n_bins=wrong)
    with pytest.raises(ValueError, match="X has 4 objects, but y has 2"):
        metrics.rank_features(X, [0, 1])
