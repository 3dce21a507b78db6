"""Labels of every kind are labels; measurements are features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from partita.datasets import load_wine_ensemble
from partita.io._label_table import LabelTable
from partita.io._looks_like_features import feature_like_columns
from tests.ensembles import noisy_ensemble

RNG = np.random.default_rng(0)


def found(frame, ids=None):
    return feature_like_columns(LabelTable(pd.DataFrame(frame), ids, True))


LABELS = {
    "integers": RNG.integers(5, size=(200, 6)),
    "floats": RNG.integers(1, 5, size=(200, 6)).astype(float),
    "floats with holes": np.where(RNG.random((200, 6)) < 0.2, np.nan, RNG.integers(1, 5, size=(200, 6))),
    "text": {"a": RNG.choice(["x", "y", "z"], 100), "b": RNG.choice(["x1", "y1"], 100)},
    "many clusters": RNG.integers(150, size=(200, 6)),
    "a million clusters": {"a": RNG.permutation(100_000), "b": np.arange(100_000) // 2},
    "numbers as names": {"a": RNG.choice([10**6, 7, 10**9], 100), "b": RNG.choice([3, 900], 100)},
    "few rows": {"a": [1, 2, 3], "b": [7, 900, 20]},
    "few rows of text": {"a": ["p", "q", "r"], "b": ["s", "t", "u"]},
    "one column": {"a": RNG.integers(4, size=50)},
    "one row": {"a": [1], "b": [2]},
    "levels": {"a": RNG.choice([1.1, 1.2, 2.1, 2.2, 3.1], 80), "b": RNG.choice([1.1, 2.1], 80)},
    "truth": {"a": RNG.random(50) < 0.5, "b": RNG.random(50) < 0.5},
    "singletons among others": {"a": np.arange(60), "b": RNG.integers(3, size=60), "c": RNG.integers(3, size=60)},
    "wine": load_wine_ensemble().labels,
    "noisy": noisy_ensemble(missing=0.2).X,
}
FEATURES = {
    "iris": load_iris().data,
    "wine": load_wine().data,
    "cancer": load_breast_cancer().data,
    "diabetes": load_diabetes().data,
    "one digit": RNG.normal(size=(3000, 2)).round(1),
    "large": RNG.normal(size=(30, 2)) * 1e200,
    "few": RNG.normal(size=(4, 2)),
    "incomes and ages": {"income": RNG.integers(20_000, 90_000, size=100), "age": RNG.integers(18, 80, size=100)},
    "names": {"name": [f"n{i}" for i in range(50)], "town": [f"t{i}" for i in range(50)]},
    "with holes": np.where(RNG.random((50, 3)) < 0.3, np.nan, RNG.normal(size=(50, 3))),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_are_labels(case):
    assert found(LABELS[case]) == []


@pytest.mark.parametrize("case", FEATURES)
def test_measurements_are_features(case):
    assert found(FEATURES[case])


def test_one_measurement_among_labels_is_named():
    frame = {f"c{j}": RNG.integers(3, size=60) for j in range(9)} | {"score": RNG.random(60)}
    assert found(frame) == ["score"]


def test_ids_that_are_measurements_are_named():
    ids = pd.Series([str(x) for x in RNG.random(30)], name="width")
    assert found({"a": RNG.integers(3, size=30)}, ids) == ["width"]
    assert found({"a": RNG.integers(3, size=30)}, pd.Series([str(i) for i in range(30)], name="n")) == []


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(np.arange(200) * 351 % 70_000 + 20_000, id="incomes"),
        pytest.param([f"2024-01-{1 + i % 28:02d}" for i in range(200)], id="dates"),
    ],
)
def test_one_column_of_counts_or_dates_is_enough(column):
    frame = pd.DataFrame({"visits": np.arange(200) % 7, "other": column, "children": np.arange(200) % 3})
    assert feature_like_columns(LabelTable(frame, None, True)) == ["other"]
