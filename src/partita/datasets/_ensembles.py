"""Ensembles that are part of the package."""

from importlib import resources
from typing import NamedTuple

import pandas as pd


class EnsembleData(NamedTuple):
    """A label matrix with the true classes."""

    labels: pd.DataFrame  # one row per object, one column per clustering, NaN where an object was left out
    target: "pd.Series[str]"  # class of each object
    ids: "pd.Series[str]"  # name of each object
    description: str


_WINE = (
    "178 wines of three cultivars: 30 k-means clusterings of the 13 standardised measurements, each of a random "
    "80 % of the wines and with 2 to 10 clusters. Measurements: Forina et al., the UCI wine data (CC BY 4.0), as "
    "shipped with scikit-learn; clusterings: tools/make_wine_ensemble.py."
)


def load_wine_ensemble() -> EnsembleData:
    """Thirty k-means clusterings of 178 wines of three cultivars, with a fifth of the labels missing.

    Returns
    -------
    EnsembleData
        ``labels`` (178 x 30), ``target`` (cultivar), ``ids``, ``description``.

    Examples
    --------
    >>> from partita import EAC
    >>> from partita.datasets import load_wine_ensemble
    >>> wine = load_wine_ensemble()
    >>> wine.labels.shape
    (178, 30)
    >>> EAC().fit(wine.labels).n_clusters_
    3
    """
    file = resources.files("partita.datasets").joinpath("wine_ensemble.csv")
    with file.open(encoding="utf-8") as handle:
        table = pd.read_csv(handle, dtype={"wine": str, "cultivar": str})
    return EnsembleData(table.drop(columns=["wine", "cultivar"]), table["cultivar"], table["wine"], _WINE)
