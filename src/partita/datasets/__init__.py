"""Small ensembles for examples and tests."""

from partita.datasets._ensembles import EnsembleData, load_wine_ensemble

__all__ = ["EnsembleData", "load_wine_ensemble"]
