"""Selection: each rule by its definition on few clusterings, the hull by scipy."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from partita import diversity, select_clusterings
from partita.ensembles._selection import _joint_criterion, outer_corners
from tests.ensembles import noisy_ensemble

DATA = noisy_ensemble(n_clusterings=9, flip=0.2, missing=0.1)


def joint(S, nmi, q, alpha):
    """The criterion of a set, by its definition."""
    pairs = [1 - nmi[i, j] for i, j in combinations(S, 2)]
    return alpha * np.mean(q[list(S)]) + (1 - alpha) * np.mean(pairs)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_the_joint_criterion_takes_the_best_next_one(alpha):
    found = diversity(DATA.X, DATA.truth)
    nmi, q = found.nmi.to_numpy(), found.clusterings["quality"].to_numpy()
    order, _ = _joint_criterion(nmi, q, 6, alpha)
    assert order[0] == q.argmax()
    for size in range(1, 6):
        S = order[:size]
        values = {j: joint([*S, j], nmi, q, alpha) for j in range(9) if j not in S}
        assert joint(order[: size + 1], nmi, q, alpha) == pytest.approx(max(values.values()))
    chosen = select_clusterings(DATA.X, 6, method="jc", alpha=alpha)
    assert sorted(chosen.positions.tolist()) == sorted(order)
    assert alpha < 1 or sorted(order) == sorted(np.argsort(-q)[:6].tolist())


def test_greedy_is_near_the_best_set():
    found = diversity(DATA.X, DATA.truth)
    nmi, q = found.nmi.to_numpy(), found.clusterings["quality"].to_numpy()
    best = max(joint(S, nmi, q, 0.5) for S in combinations(range(9), 4))
    order, _ = _joint_criterion(nmi, q, 4, 0.5)
    assert joint(order, nmi, q, 0.5) > 0.97 * best


def groups_of_clusterings(rng):
    """Three partitions that have nothing in common, each several times with few changes."""
    base = rng.integers(3, size=(3, 120))
    columns = {}
    for g, copies in enumerate((5, 3, 2)):
        for c in range(copies):
            columns[f"{'abc'[g]}{c}"] = np.where(rng.random(120) < 0.02 * c, rng.integers(3, size=120), base[g])
    return pd.DataFrame(columns)


def test_cluster_and_select_takes_the_best_of_each_group(rng):
    X = groups_of_clusterings(rng)
    chosen = select_clusterings(X, 3)
    assert [name[0] for name in chosen.names] == ["a", "b", "c"]
    table = chosen.table
    for _, group in table.groupby("group"):
        assert group.loc[group["kept"], "quality"].item() == group["quality"].max()
        assert len({name[0] for name in group["clustering"]}) == 1


def test_fewer_groups_than_asked_for_are_filled_up():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 3, axis=1)
    chosen = select_clusterings(X, 4)
    assert len(chosen.names) == 4
    assert chosen.table["group"].tolist() == [0, 0, 0, 1, 1, 1]
    assert chosen.table["reason"].str.startswith("next best").sum() == 2
    assert select_clusterings(X, 6).names == [f"c{j}" for j in range(6)]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=3, max_size=25, unique=True))
def test_the_hull_is_that_of_scipy(places):
    points = np.array(places, dtype=float)
    if np.linalg.matrix_rank(points[1:] - points[0]) < 2:
        return  # scipy has no hull of points on a line
    corners = points[ConvexHull(points).vertices]
    found = points[outer_corners(points)]
    assert {tuple(point) for point in found} <= {tuple(point) for point in corners}
    # corners that are best for some positive weights, and only those, beside the ends
    top = max(corners.tolist(), key=lambda p: (p[1], p[0]))
    right = max(corners.tolist(), key=lambda p: (p[0], p[1]))
    expected = [p for p in corners.tolist() if top[0] <= p[0] <= right[0] and right[1] <= p[1] <= top[1]]
    line = [p for p in expected if (p[0] - top[0]) * (right[1] - top[1]) <= (p[1] - top[1]) * (right[0] - top[0])]
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, line))


def test_points_on_a_line():
    assert outer_corners(np.array([[0, 2.0], [1, 1], [2, 0]])) == [0, 2]
    assert outer_corners(np.array([[0, 0.0], [1, 1], [2, 2]])) == [2]
    assert outer_corners(np.array([[1, 1.0], [1, 1]])) == [0]


def test_the_hull_keeps_the_best_and_the_most_diverse_pair():
    found = diversity(DATA.X, DATA.truth)
    nmi, q = found.nmi.to_numpy(), found.clusterings["quality"].to_numpy()
    pairs = list(combinations(range(9), 2))
    kept = set(select_clusterings(DATA.X, method="hull").positions.tolist())
    assert set(max(pairs, key=lambda pair: 1 - nmi[pair])) <= kept
    assert set(max(pairs, key=lambda pair: q[pair[0]] + q[pair[1]])) <= kept


def test_outliers_are_dropped_and_positions_are_columns_of_the_input(rng):
    X = pd.DataFrame(noisy_ensemble(n_clusterings=8, missing=0).X, columns=list("abcdefgh"))
    X.insert(2, "noise", rng.permutation(X["a"].to_numpy()))
    X.insert(0, "empty", np.nan)
    with pytest.warns(UserWarning, match="have no label at all"):
        chosen = select_clusterings(X, method="outliers")
    assert chosen.names == list("abcdefgh")
    assert X.columns[chosen.positions].tolist() == chosen.names


def test_half_is_the_default_and_the_same_seed_gives_the_same():
    assert len(select_clusterings(DATA.X).names) == 5
    one, two = (select_clusterings(DATA.X, 4, random_state=3).names for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "best"}, "method='best' is not known"),
        ({"n_clusterings": 10}, "whole number from 1 to 9"),
        ({"n_clusterings": True}, "whole number from 1 to 9"),
        ({"n_clusterings": 3, "method": "hull"}, "finds the number"),
        ({"alpha": 2}, "number from 0 to 1"),
    ],
)
def test_wrong_values_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        select_clusterings(DATA.X, **options)


def test_the_hull_keeps_one_of_equal_clusterings():
    X = np.column_stack([DATA.X, DATA.X])
    kept = select_clusterings(X, method="hull").positions
    assert kept.max() < DATA.X.shape[1]
