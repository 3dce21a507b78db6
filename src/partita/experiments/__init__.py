"""The experiments of the papers: their ensembles by name, their simulated data, their tables of critical values."""

from partita.experiments._critical_values import mann_whitney_critical_table, mann_whitney_critical_value
from partita.experiments._options import NUMBERS_OF_CLUSTERS
from partita.experiments._recipe_ensemble import RecipeEnsemble
from partita.experiments._recipes import RECIPES, ensemble_recipe, recipe_input

__all__ = [
    "NUMBERS_OF_CLUSTERS",
    "RECIPES",
    "RecipeEnsemble",
    "ensemble_recipe",
    "mann_whitney_critical_table",
    "mann_whitney_critical_value",
    "recipe_input",
]
