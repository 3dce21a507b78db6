"""What the cells of most experiments do: make an ensemble by a recipe, draw from it, fit methods, measure.

Each function takes settings that JSON can keep, and seeds among them, so that a cell can be run again by anyone.
"""

from typing import Any

import numpy as np

from partita.experiments._cells import Measured, Row
from partita.experiments._contestants import Problem
from partita.experiments._recipe_ensemble import RecipeEnsemble
from partita.experiments._recipes import ensemble_recipe, recipe_input
from partita.experiments._scoring import Points, ensemble_of, left_out, of_base, points, scores, trivial


def on_ensembles(
    *,
    data: str,
    shown: str,
    recipe: str,
    options: dict[str, Any],
    ensemble: int,
    starts: int,
    methods: list[str],
    metrics: list[str],
) -> Measured:
    """Every method on one ensemble of a recipe, from one seed or from several.

    Column ``ensemble`` is the seed of the recipe, ``start`` the seed of the method.
    """
    given = points(data)
    made = ensemble_of(data, recipe, ensemble, **options)
    head = {"data": shown, "recipe": recipe, "ensemble": ensemble}
    rows: list[Row] = []
    for start in range(starts):
        problem = Problem(made.labels, given.n_classes, start)
        rows += scores(problem, given.classes, methods, metrics, **head, start=start)
    rows.append(trivial(given.classes, metrics, **head, start=0))
    return Measured(rows, notes=left_out(made))


def on_draws(
    *,
    data: str,
    shown: str,
    pool: dict[str, Any],
    recipe: str | None,
    options: dict[str, Any],
    seed: int,
    draws: list[int],
    methods: list[str],
    metrics: list[str],
    standardise: bool = False,
    base: bool = True,
) -> Measured:
    """Every method on some of the ensembles that a recipe draws.

    ``pool`` names the recipe that makes clusterings of the features, with its options; ``recipe``, if there is one,
    takes these clusterings and draws from them. ``draws`` are the first draw and the one after the last.
    """
    given = points(data, standardise)
    made = _drawn(data, given, pool, recipe, options, seed, standardise)
    rows: list[Row] = []
    for number, (draw, labels) in enumerate(made.ensembles()):
        if not draws[0] <= number < draws[1]:
            continue
        head = {"data": shown, "draw": number, **_scalars(draw.setting)}
        problem = Problem(labels, given.n_classes, number, given.features)
        rows += scores(problem, given.classes, methods, metrics, **head)
        if base:
            rows += of_base(labels, given.classes, metrics, **head)
    rows.append(trivial(given.classes, metrics, data=shown, draw=draws[0]))
    return Measured(rows, notes=left_out(made))


def _drawn(
    data: str,
    given: Points,
    pool: dict[str, Any],
    recipe: str | None,
    options: dict[str, Any],
    seed: int,
    standardise: bool,
) -> RecipeEnsemble:
    """The ensembles of a pool, or those that a second recipe draws from it."""
    name = pool["recipe"]
    chosen = {key: value for key, value in pool.items() if key != "recipe"}
    made = ensemble_of(data, name, seed, standardise=standardise, n_classes=given.n_classes, **chosen)
    if recipe is None:
        return made
    if recipe_input(recipe) != "labels":
        raise ValueError(f"recipe {recipe!r} takes {recipe_input(recipe)}, not the clusterings of a pool.")
    return ensemble_recipe(recipe, made.labels, random_state=seed, **options)


def _scalars(setting: dict[str, Any]) -> dict[str, Any]:
    """What a draw varies, without lists."""
    return {name: value for name, value in setting.items() if np.ndim(value) == 0 and name != "draw"}
