"""Small ensembles to try things out with."""

from partita.datasets._ensembles import EnsembleData, load_wine_ensemble

__all__ = ["EnsembleData", "load_wine_ensemble"]
