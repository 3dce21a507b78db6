"""Data sets by name, and small ensembles for examples and tests."""

from partita.datasets._dataset import Dataset
from partita.datasets._ensembles import EnsembleData, load_wine_ensemble
from partita.datasets._load import dataset_names, load

__all__ = ["Dataset", "EnsembleData", "dataset_names", "load", "load_wine_ensemble"]
