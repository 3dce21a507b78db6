"""The ensembles of the papers' experiments, by name (eqs. R25 to R49).

A recipe makes clusterings (or takes them), and lists the ensembles that the experiment draws from them: all of them as
one, groups of columns, copies with labels lost, or blocks of rows. Where a paper leaves a choice open, the choice is a
parameter of the recipe.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, Literal, NamedTuple

from partita._runs import check_run, draw_seeds
from partita.experiments import _feature_recipes as of_features
from partita.experiments import _label_recipes as of_labels
from partita.experiments._options import check_option
from partita.experiments._recipe_ensemble import RecipeEnsemble, RecipeRun


def ensemble_recipe(
    name: str,
    X: Any = None,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    **options: Any,
) -> RecipeEnsemble:
    """Make the ensemble of a paper's experiment.

    | name           | from     | ensemble                                                                             |
    |----------------|----------|--------------------------------------------------------------------------------------|
    | eac            | features | k-means, k drawn from ``n_clusters``                                                 |
    | pcc-1, peace-1 | features | 100 k-means, k from sqrt(n)/2 to sqrt(n)                                             |
    | pcc-2, peace-2 | features | four linkages, k-means, spectral, with every k of a list; PEACE: of 90 % samples     |
    | peace-1a       | features | spherical k-means of text                                                            |
    | peace-1b       | features | the same with mini-batches                                                           |
    | pcc-simulated  | nothing  | 1000 partitions drawn from the posterior of four Gaussians                           |
    | pcc-large      | features | 100 k-means of 50 % samples, k from 2 to 10; a sample of the pairs                   |
    | nbce-synthetic | nothing  | (or a partition) ten copies with 5, 10, 15, 20 % of the labels changed               |
    | nbce           | features | 10 k-means, k from 50 to 200 % of ``n_classes``; 1/4 held out                        |
    | bce            | features | 2000 k-means with ``n_classes`` clusters, in 100 ensembles of 20                     |
    | bce-mixed      | features | k-means, fuzzy c-means, METIS, affinity propagation, in 100 ensembles of 20          |
    | bce-missing    | labels   | 0 to 90 % of the labels lost, ten times each                                         |
    | bce-columns    | labels   | 1 to 20 of the clusterings, fifty times each                                         |
    | bce-rows       | labels   | rows in 1 to 10 blocks                                                               |
    | bce-timing     | labels   | the first 20, 60, ..., 1920 clusterings                                              |
    | gbce           | features | 1 to 10 of 50 k-means, fifty times each; weights of labels                           |

    Parameters
    ----------
    name : str
        Name of the recipe.
    X : array-like or label matrix, optional
        Features or labels, as in the table.
    random_state : int, RandomState, Generator or None
        Seed of the clusterings and of the ensembles drawn from them.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.
    **options
        Parameters of the recipe, such as ``n_clusters``, ``n_clusterings``, ``n_classes``, ``dataset`` (pcc-2: a data
        set of the papers, whose list of k is used). An unknown option is refused with a list of the known ones.

    Returns
    -------
    RecipeEnsemble
        ``labels``, ``manifest``, and ``ensembles()``, which gives the ensembles of the experiment one after another.
        Most recipes have one ensemble, all of ``labels``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partita import ensemble_recipe
    >>> made = ensemble_recipe("pcc-2", load_iris().data, dataset="iris", n_repeats=1, random_state=0)
    >>> made.labels.shape
    (150, 60)
    """
    needed = recipe_input(name)
    make = RECIPES[name].make
    _check_options(name, make, options)
    check_run(n_jobs, verbose)
    if X is None and needed != "nothing":
        raise ValueError(f"recipe {name!r} needs {needed}; pass X.")
    return make(X, RecipeRun(int(draw_seeds(random_state, 1)[0]), n_jobs, verbose), **options)


def recipe_input(name: str) -> str:
    """What a recipe is made from: "features", "labels" or "nothing"."""
    if not isinstance(name, str) or name not in RECIPES:
        raise ValueError(f"there is no recipe {name!r:.60}; choose from {', '.join(RECIPES)}.")
    return RECIPES[name].made_from


def _check_options(name: str, make: Callable[..., RecipeEnsemble], options: dict[str, Any]) -> None:
    known = {option: given for option, given in signature(make).parameters.items() if option not in ("X", "run")}
    unknown = [option for option in options if option not in known]
    if unknown:
        raise ValueError(f"recipe {name!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    missing = [option for option, given in known.items() if given.default is given.empty and option not in options]
    if missing:
        raise ValueError(f"recipe {name!r} needs {missing[0]}=...; its options are {', '.join(known)}.")
    for option, value in options.items():
        check_option(option, value)


class Recipe(NamedTuple):
    """How an ensemble is made, and from what."""

    make: Callable[..., RecipeEnsemble]
    made_from: Literal["features", "labels", "nothing"]


RECIPES: dict[str, Recipe] = {
    "eac": Recipe(of_features.kmeans_runs, "features"),
    "pcc-1": Recipe(of_features.split_and_merge, "features"),
    "peace-1": Recipe(of_features.split_and_merge, "features"),
    "pcc-2": Recipe(of_features.several_algorithms, "features"),
    "peace-2": Recipe(of_features.several_algorithms_of_samples, "features"),
    "peace-1a": Recipe(of_features.spherical_kmeans_runs, "features"),
    "peace-1b": Recipe(of_features.spherical_minibatch_runs, "features"),
    "pcc-simulated": Recipe(of_labels.draws_from_posterior, "nothing"),
    "pcc-large": Recipe(of_features.kmeans_of_halves, "features"),
    "nbce-synthetic": Recipe(of_labels.labels_changed, "nothing"),
    "nbce": Recipe(of_features.around_the_classes, "features"),
    "bce": Recipe(of_features.pool_of_kmeans, "features"),
    "bce-mixed": Recipe(of_features.mixed_pool, "features"),
    "bce-missing": Recipe(of_labels.labels_lost, "labels"),
    "bce-columns": Recipe(of_labels.random_columns, "labels"),
    "bce-rows": Recipe(of_labels.blocks_of_rows, "labels"),
    "bce-timing": Recipe(of_labels.first_columns, "labels"),
    "gbce": Recipe(of_features.with_features, "features"),
}
