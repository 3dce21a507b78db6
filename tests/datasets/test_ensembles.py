"""The ensemble of wines that is part of the package."""

import numpy as np
import pytest

from partita import check_label_matrix
from partita.datasets import load_wine_ensemble


def test_the_wines_have_thirty_clusterings_of_four_fifths_of_them():
    wine = load_wine_ensemble()
    assert wine.labels.shape == (178, 30)
    assert (wine.labels.isna().sum() == 36).all()  # 178 - 142, the whole number below 80 %
    assert wine.labels.isna().to_numpy().mean() == pytest.approx(0.2, abs=0.01)
    assert wine.labels.notna().any(axis=1).all()


def test_the_clusterings_are_named_by_their_number_of_clusters():
    wine = load_wine_ensemble()
    names = wine.labels.columns
    assert names.is_unique
    assert not {"wine", "cultivar"} & set(names)
    named = [int(name.split("_")[1].removeprefix("k")) for name in names]
    assert check_label_matrix(wine.labels).n_labels.tolist() == named
    assert 2 <= min(named) <= max(named) <= 10


def test_wines_have_a_name_and_one_of_three_cultivars():
    wine = load_wine_ensemble()
    assert wine.ids.tolist() == [f"wine-{i:03}" for i in range(1, 179)]
    assert sorted(np.unique(wine.target, return_counts=True)[1].tolist()) == [48, 59, 71]
    assert "178 wines of three cultivars" in wine.description
