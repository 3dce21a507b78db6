"""The experiments of the papers: their ensembles by name, their simulated data, their tables of critical values.

Frozen ensembles are kept in files and named by a hash, so that results of different ensembles are never compared.
"""

from partita.experiments._critical_values import mann_whitney_critical_table, mann_whitney_critical_value
from partita.experiments._frozen import (
    FrozenEnsemble,
    check_same_ensembles,
    ensemble_hash,
    freeze,
    half_of,
    load_frozen,
    save_frozen,
)
from partita.experiments._options import NUMBERS_OF_CLUSTERS
from partita.experiments._recipe_ensemble import RecipeEnsemble
from partita.experiments._recipes import RECIPES, ensemble_recipe, recipe_input
from partita.experiments._reproduce import Reproduced, reproduce

__all__ = [
    "NUMBERS_OF_CLUSTERS",
    "RECIPES",
    "FrozenEnsemble",
    "RecipeEnsemble",
    "Reproduced",
    "check_same_ensembles",
    "ensemble_hash",
    "ensemble_recipe",
    "freeze",
    "half_of",
    "load_frozen",
    "mann_whitney_critical_table",
    "mann_whitney_critical_value",
    "recipe_input",
    "reproduce",
    "save_frozen",
]
