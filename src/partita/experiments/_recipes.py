"""The ensembles of the papers' experiments, by name.

A recipe makes clusterings (or takes them), and says which ensembles the experiment draws from them: all of them as one,
groups of columns, copies with labels lost, or blocks of rows. Where a paper leaves a choice open it is in the recipe's
parameters.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

from partita._runs import draw_seeds
from partita.experiments import _feature_recipes as of_features
from partita.experiments import _label_recipes as of_labels
from partita.experiments._recipe_ensemble import How, RecipeEnsemble


def ensemble_recipe(
    name: str, X: Any = None, *, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0, **options: Any
) -> RecipeEnsemble:
    """Make the ensemble of a paper's experiment.

    | name           | id   | from     | what                                                                          |
    |----------------|------|----------|-------------------------------------------------------------------------------|
    | eac            | E-01 | features | k-means, k drawn from ``n_clusters``                                          |
    | pcc-1, peace-1 | E-02 | features | 100 k-means, k from sqrt(n)/2 to sqrt(n)                                      |
    | pcc-2, peace-2 | E-03 | features | four linkages, k-means, spectral, every k of a list; PEACE: of 90 %           |
    | peace-1a       | E-04 | features | spherical k-means of text                                                     |
    | peace-1b       | E-05 | features | the same with mini-batches                                                    |
    | pcc-simulated  | E-06 | nothing  | 1000 partitions drawn from the posterior of four Gaussians                    |
    | pcc-large      | E-07 | features | 100 k-means of 50 % each, k from 2 to 10; a sample of the pairs               |
    | nbce-synthetic | E-08 | nothing  | (or a partition) ten copies with 5, 10, 15, 20 % of the labels changed        |
    | nbce           | E-09 | features | 10 k-means, k from 50 to 200 % of ``n_classes``; 1/4 held out                 |
    | bce            | E-10 | features | 2000 k-means with ``n_classes`` clusters, in 100 ensembles of 20              |
    | bce-mixed      | E-11 | features | k-means, fuzzy c-means, METIS, affinity propagation, in 100 of 20             |
    | bce-missing    | E-12 | labels   | 0 to 90 % of the labels lost, ten times each                                  |
    | bce-columns    | E-13 | labels   | 1 to 20 of the clusterings, fifty times each                                  |
    | bce-rows       | E-14 | labels   | rows in 1 to 10 blocks                                                        |
    | bce-timing     | E-15 | labels   | the first 20, 60, ..., 1920 clusterings                                       |
    | gbce           | E-16 | features | 1 to 10 of 50 k-means, fifty times each; weights of labels                    |

    Parameters
    ----------
    name : str
        Name or id of the recipe.
    X : array-like or label matrix, optional
        Features (or labels), as the table says.
    random_state : int, RandomState or None
        Seed; the result does not depend on ``n_jobs``.
    n_jobs : int, optional
        Number of threads.
    verbose : int, default=0
        Show a progress bar on what takes more than two seconds.
    **options
        Parameters of the recipe, such as ``n_clusters``, ``n_clusterings``, ``n_classes``, ``dataset`` (pcc-2: a data
        set of the papers, whose list of k is used). An unknown one is refused, with those that there are.

    Returns
    -------
    RecipeEnsemble
        ``labels``, ``manifest``, and ``ensembles()``: what the experiment runs on, one after another. Most recipes have
        one ensemble, all of ``labels``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import ensemble_recipe
    >>> made = ensemble_recipe("pcc-2", load_iris().data, dataset="iris", n_repeats=1, random_state=0)
    >>> made.labels.shape
    (150, 60)
    """
    needed = recipe_input(name)
    recipe = RECIPES[_BY_ID.get(name, name)]
    _check_options(name, recipe, options)
    if X is None and needed != "nothing":
        raise ValueError(f"recipe {name!r} needs {needed}; pass X.")
    return recipe(X, How(int(draw_seeds(random_state, 1)[0]), n_jobs, verbose), **options)


def recipe_input(name: str) -> str:
    """What a recipe is made from: "features", "labels" or "nothing"."""
    recipe = RECIPES.get(_BY_ID.get(name, name))
    if recipe is None:
        raise ValueError(f"there is no recipe {name!r}; choose from {', '.join(RECIPES)}.")
    if recipe in _WITHOUT_DATA:
        return "nothing"
    return "labels" if recipe.__module__ == of_labels.__name__ else "features"


def _check_options(name: str, recipe: Callable[..., RecipeEnsemble], options: dict[str, Any]) -> None:
    known = {option: given for option, given in signature(recipe).parameters.items() if option not in ("X", "how")}
    unknown = [option for option in options if option not in known]
    if unknown:
        raise ValueError(f"recipe {name!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    missing = [option for option, given in known.items() if given.default is given.empty and option not in options]
    if missing:
        raise ValueError(f"recipe {name!r} needs {missing[0]}=...; its options are {', '.join(known)}.")


RECIPES: dict[str, Callable[..., RecipeEnsemble]] = {
    "eac": of_features.eac,
    "pcc-1": of_features.split_and_merge,
    "peace-1": of_features.split_and_merge,
    "pcc-2": of_features.several_algorithms,
    "peace-2": of_features.several_algorithms_of_samples,
    "peace-1a": of_features.text,
    "peace-1b": of_features.text_in_batches,
    "pcc-simulated": of_labels.simulated,
    "pcc-large": of_features.large,
    "nbce-synthetic": of_labels.synthetic,
    "nbce": of_features.around_the_classes,
    "bce": of_features.pool_of_kmeans,
    "bce-mixed": of_features.mixed_pool,
    "bce-missing": of_labels.missing,
    "bce-columns": of_labels.columns,
    "bce-rows": of_labels.rows,
    "bce-timing": of_labels.timing,
    "gbce": of_features.with_features,
}
_IN_ORDER = [name for name in RECIPES if name not in ("peace-1", "peace-2")]  # share an id with PCC's
_BY_ID = {f"E-{number:02d}": name for number, name in enumerate(_IN_ORDER, start=1)}
_WITHOUT_DATA = (of_labels.simulated, of_labels.synthetic)
