"""Enough clusterings: verdicts of clear cases, the curve, threads, refusals."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from partita import EAC, combine, enough_clusterings, register_method
from partita.ensembles._enough import Curve, _judge, _Problem, _table, fit_curve
from partita.metrics import adjusted_rand_score
from tests.ensembles import noisy_ensemble

CLEAR = noisy_ensemble((20, 15, 10), n_clusterings=8, flip=0.02, missing=0.05).X
QUICK = {"n_clusters": 3, "sizes": [2, 4], "n_repeats": 2, "method": EAC(3)}


@pytest.fixture(scope="module")
def quick():
    return enough_clusterings(CLEAR, n_repeats=2, sizes=[2, 4, 6])


def test_clear_clusters_need_no_more(quick):
    assert quick.verdict == "enough"
    assert quick.needed is None
    assert (quick.n_clusterings, quick.n_clusters) == (8, 3)
    assert quick.summary.startswith("Enough: two parts of 4 of the 8 clusterings")
    assert quick.table["n_clusterings"].tolist() == [2, 4, 6]
    assert np.isnan(quick.table["agreement"][2])  # there are no six others
    assert quick.table["with_all"][2] > 0.95


def test_the_table_is_that_of_the_measurements(quick):
    rows = quick.measurements
    assert len(rows) == 2 * (2 + 2 + 1)
    between = rows[rows["compared_with"] == "other clusterings"].groupby("n_clusterings")["agreement"]
    np.testing.assert_allclose(between.mean(), quick.table["agreement"][:2])


def test_measurements_are_a_picture(quick):
    from partita.plotting import CurveDisplay

    display = CurveDisplay.from_table(quick.measurements, x="n_clusterings", y="agreement", by="compared_with")
    assert sorted(display.names) == ["all clusterings", "other clusterings"]


def test_parts_share_no_clustering_and_are_what_the_method_gives(monkeypatch):
    """All draws of four of eight: the agreement is that of EAC on the two halves."""
    seen = []
    from partita.ensembles import _enough

    real = _enough._part
    monkeypatch.setattr(_enough, "_part", lambda p, columns, seed: seen.append(columns) or real(p, columns, seed))
    found = enough_clusterings(CLEAR, **{**QUICK, "sizes": [4]})
    first, second = seen[:2]
    assert sorted([*first, *second]) == list(range(8))
    ours = [EAC(3).fit(CLEAR[:, np.sort(part)]).labels_ for part in (first, second)]
    both = (ours[0] >= 0) & (ours[1] >= 0)
    expected = adjusted_rand_score(ours[0][both], ours[1][both])
    assert found.measurements["agreement"][0] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")
def test_random_labels_are_not_enough(rng):
    X = rng.integers(3, size=(60, 8))
    found = enough_clusterings(X, n_clusters=3, n_repeats=3, method="eac")
    assert found.verdict in ("unclear", "more")
    assert found.table["agreement"].max() < 0.3


def test_threads_do_not_change_anything():
    one, two = enough_clusterings(CLEAR, **QUICK), enough_clusterings(CLEAR, **QUICK, n_jobs=2)
    assert one.measurements.equals(two.measurements)
    assert one.summary == two.summary


def test_the_curve_is_found_again():
    curve = Curve(-1.2, 0.8)
    sizes = np.array([2.0, 4, 8, 16])
    found = fit_curve(sizes, np.array([curve.agreement(s) for s in sizes]))
    assert found == pytest.approx(curve)
    assert curve.agreement(curve.needed(0.9)) == pytest.approx(0.9)
    assert Curve(0.0, 0.0).needed(0.9) == np.inf
    assert fit_curve(sizes[:2], np.array([0.1, 0.2])) is None


def problem():
    sample = combine(CLEAR, n_clusters=3, random_state=0)
    return _Problem.of(sample, 0)


@pytest.mark.parametrize(
    ("agreement", "verdict"),
    [
        ([0.5, 0.8, 0.95], "enough"),
        ([0.6, 0.75, 0.88], "probably"),
        ([0.1, 0.2, 0.35], "more"),
        ([0.5, 0.5, 0.5], "unclear"),
        ([np.nan] * 3, "unclear"),
    ],
)
def test_verdicts(agreement, verdict):
    rows = [(s, "other clusterings", a, 3.0) for s, a in zip((2, 5, 10), agreement, strict=True)]
    rows += [(s, "all clusterings", 0.9, 3.0) for s in (2, 5, 10)]
    measured = pd.DataFrame(rows, columns=["n_clusterings", "compared_with", "agreement", "n_clusters"])
    found, needed, summary = _judge(_table(measured, 3), problem(), 20, 0.9)
    assert found == verdict
    assert (needed is not None) == (verdict == "more")
    assert needed is None or 20 < needed <= 400
    assert summary.endswith("All clusterings lead to 3 clusters (found by LWGP), and so do 100% of the parts of 10.")


@pytest.mark.parametrize(
    ("X", "options", "match"),
    [
        (CLEAR[:, :3], {}, "X has 3 clusterings; at least 4"),
        (np.zeros((9, 6), int), {}, "every clustering of X has one cluster only"),
        (CLEAR, {"sizes": [1]}, "whole numbers from 2 to 8"),
        (CLEAR, {"sizes": [2.5]}, "whole numbers from 2 to 8"),
        (CLEAR, {"sizes": "all"}, "whole numbers from 2 to 8"),
        (CLEAR, {"level": 1}, "level=1"),
        (CLEAR, {"n_repeats": 0}, "n_repeats=0"),
        (CLEAR, {"method": "magic"}, "there is no method 'magic'"),
        (CLEAR, {"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_wrong_values_are_refused(X, options, match):
    with pytest.raises(ValueError, match=match):
        enough_clusterings(X, **options)


def test_a_method_without_weights_is_used_itself():
    """Parts are columns, so that no weights are needed."""
    calls = []

    class First(ClusterMixin, BaseEstimator):
        """The first clustering that it is given."""

        def __init__(self, n_clusters=3):
            self.n_clusters = n_clusters

        def fit(self, X, y=None):
            calls.append(X.shape[1])
            self.labels_ = np.asarray(X)[:, 0].clip(0)
            return self

    register_method("first", First)
    found = enough_clusterings(CLEAR, method="first", n_clusters=3, sizes=[2, 4], n_repeats=3)
    assert calls == [8, 8, *[2] * 6, *[4] * 6]
    assert found.n_clusters == 3
