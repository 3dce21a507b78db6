"""Files that the tests of the command line work on."""

import numpy as np
import pandas as pd
import pytest

from partita.datasets import load_wine_ensemble
from tests.cli.plants import IDS, TRUTH, frame


@pytest.fixture
def wines(tmp_path):
    """30 clusterings of 178 wines, with ids."""
    wine = load_wine_ensemble()
    path = tmp_path / "labels.csv"
    pd.concat([wine.ids, wine.labels.astype("Int64")], axis=1).to_csv(path, index=False)
    return path


@pytest.fixture
def table(tmp_path):
    """Ids, two features, and a class in text."""
    frame().to_csv(tmp_path / "table.csv", index=False)
    return "table.csv"


@pytest.fixture
def plain(tmp_path):
    """Two features and nothing else."""
    frame()[["width", "height"]].to_csv(tmp_path / "plain.csv", index=False)
    return "plain.csv"


@pytest.fixture
def labels(tmp_path):
    """Eight clusterings of the plants, with ids."""
    rng = np.random.default_rng(0)
    columns = {f"c{j}": np.where(rng.random(45) < 0.1, rng.integers(3, size=45), TRUTH) for j in range(8)}
    pd.DataFrame({"plant": IDS, **columns}).to_csv(tmp_path / "labels.csv", index=False)
    return "labels.csv"


@pytest.fixture
def customers(tmp_path):
    """Two features of 45 customers, one with holes, beside a numeric id, a class, dates, other ids and a constant."""
    plants = frame().drop(columns="plant")
    plants.loc[[3, 7], "height"] = np.nan
    plants.insert(0, "customer_id", 7000 + np.random.default_rng(1).permutation(45))
    plants["day"] = pd.date_range("2024-01-01", periods=45).strftime("%Y-%m-%d")
    plants["shop_id"] = np.arange(45) % 4
    plants["one"] = 1
    plants.to_csv(tmp_path / "customers.csv", index=False)
    return "customers.csv"
