"""The files that the pages speak of, small: labels of several clusterings, features, parts, sites."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

from partita.datasets import load_wine_ensemble

N_OBJECTS = 178


def write_files(folder: Path) -> None:
    """Write all of them to a folder."""
    wine = load_wine_ensemble()
    rows = np.sort(np.random.default_rng(0).permutation(len(wine.labels))[:N_OBJECTS])
    ids = pd.Index([f"w{row}" for row in rows], name="id")
    labels = pd.DataFrame(np.asarray(wine.labels)[rows, :12], index=ids, columns=[f"run{i}" for i in range(12)])
    labels.to_csv(folder / "labels.csv")
    labels.iloc[:20].to_csv(folder / "new.csv")
    features = pd.DataFrame(load_wine().data[rows, :4], index=ids, columns=["alcohol", "acid", "ash", "alkali"])
    features.to_csv(folder / "features.csv")
    _write_tables(folder, ids)
    _write_parts(folder)
    _write_sites(folder, labels)
    labels.rename_axis("").to_csv(folder / "from_r.csv", na_rep="NA")


def _write_tables(folder: Path, ids: pd.Index) -> None:
    rng = np.random.default_rng(1)
    known = {"age": rng.integers(20, 80, N_OBJECTS), "tissue": rng.choice(["liver", "skin"], N_OBJECTS)}
    pd.DataFrame(known, index=ids).to_csv(folder / "patients.csv")
    iris = load_iris()
    table = pd.DataFrame(iris.data, columns=["sepal_length", "sepal_width", "petal_length", "petal_width"])
    table["class"] = iris.target_names[iris.target]
    table.to_csv(folder / "table.csv", index=False)
    raw = table.rename(columns={"class": "species"})
    raw.loc[::7, "sepal_width"] = np.nan
    raw.insert(0, "date", pd.date_range("2026-01-01", periods=len(raw)).strftime("%Y-%m-%d"))
    raw.to_csv(folder / "raw.csv", index=False)


def _write_parts(folder: Path) -> None:
    (folder / "parts").mkdir()
    rng = np.random.default_rng(2)
    for name in ("a", "b"):
        truth = rng.integers(3, size=(80, 1))
        np.save(folder / "parts" / f"{name}.npy", np.where(rng.random((80, 4)) < 0.1, 0, truth))


def _write_sites(folder: Path, labels: pd.DataFrame) -> None:
    for number, name in enumerate(("berlin", "paris", "rome")):
        labels.iloc[number::3].to_csv(folder / f"{name}.csv")
