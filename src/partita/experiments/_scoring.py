"""Fit the methods of an experiment on an ensemble, and measure what they find."""

import time
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from partita._typing import Array, FloatArray, IntArray
from partita.datasets import load
from partita.experiments._cells import Row, words_of
from partita.experiments._contestants import CONTESTANTS, ONE_CLUSTER, Problem
from partita.experiments._recipe_ensemble import RecipeEnsemble
from partita.experiments._recipes import ensemble_recipe
from partita.metrics import (
    adjusted_rand_score,
    class_weighted_f1_score,
    consistency_index,
    f1_score,
    micro_precision,
    rand_score,
)

METRICS: dict[str, Callable[[Any, Any], float]] = {
    "H": consistency_index,
    "RI": rand_score,
    "ARI": adjusted_rand_score,
    "MP": micro_precision,
    "F1": class_weighted_f1_score,
    "F1 macro": f1_score,
    "F1 of classes": partial(f1_score, recall="class"),
}


class Points(NamedTuple):
    """Features as numbers, with the class of each object."""

    features: Any
    classes: IntArray
    n_classes: int


@lru_cache(maxsize=2)
def points(data: str, standardise: bool = False) -> Points:
    """A data set by name; the last ones are kept, as the cells of one data set follow each other."""
    loaded = load(data)
    if loaded.target is None:
        raise ValueError(f"{data} has no classes to compare with.")
    classes = np.unique(loaded.target.to_numpy(dtype=object), return_inverse=True)[1]
    return Points(loaded.numbers(standardise=standardise), classes.astype(np.int64), loaded.n_classes)


@lru_cache(maxsize=2)
def _ensemble(data: str, recipe: str, seed: int, standardise: bool, options: tuple[tuple[str, Any], ...]) -> Any:
    features = points(data, standardise).features
    return ensemble_recipe(recipe, features, random_state=seed, **dict(options))


def ensemble_of(data: str, recipe: str, seed: int, *, standardise: bool = False, **options: Any) -> RecipeEnsemble:
    """The ensemble of a recipe on a data set; the last ones are kept."""
    fixed = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    made: RecipeEnsemble = _ensemble(data, recipe, seed, standardise, tuple(sorted(fixed.items())))
    return made


def left_out(made: RecipeEnsemble) -> tuple[str, ...]:
    """What is missing in an ensemble, in words; an algorithm of which nothing was made is an error."""
    if made.skipped is None or not len(made.skipped):
        return ()
    lost = made.skipped.groupby("algorithm").size()
    none = [name for name in lost.index if not (made.manifest["algorithm"] == name).any()]
    if none:
        why = made.skipped.loc[made.skipped["algorithm"] == none[0], "message"].iloc[0]
        raise ValueError(f"the recipe made no clustering by {none[0]}: {why}")
    return tuple(f"{count} clusterings by {name} failed and were left out" for name, count in lost.items())


def scores(problem: Problem, classes: Array, methods: Iterable[str], metrics: Iterable[str], **head: Any) -> list[Row]:
    """One row per method; a method that fails has its error in it, and the others go on."""
    return [fit_and_score(method, problem, classes, tuple(metrics), **head)[1] for method in methods]


def fit_and_score(
    method: str, problem: Problem, classes: Array, metrics: tuple[str, ...], **head: Any
) -> tuple[Any, Row]:
    """The fitted method (None if it failed) and its row."""
    row: Row = {**head, "method": method}
    begun = time.perf_counter()
    try:
        fitted = CONTESTANTS[method](problem)
        row["seconds"] = time.perf_counter() - begun
        row |= measured(classes, fitted.labels_, metrics)
        row |= {"k": int(fitted.n_clusters_), "largest": _largest_share(fitted.labels_)}
        if (fitted.labels_ < 0).any():  # these objects are left out of the indices
            row["unlabelled"] = float((fitted.labels_ < 0).mean())
    except Exception as error:
        return None, {**row, "error": words_of(error)}
    return fitted, row


def _largest_share(labels: Array) -> float:
    """Share of the objects with a label that are in the largest cluster."""
    sizes = np.bincount(labels[labels >= 0])
    return float(sizes.max() / sizes.sum())


def measured(classes: Array, labels: Array, metrics: Iterable[str]) -> Row:
    """The indices of a partition."""
    return {name: float(METRICS[name](classes, labels)) for name in metrics}


def trivial(classes: Array, metrics: Iterable[str], **head: Any) -> Row:
    """The row of the partition with one cluster, which knows nothing."""
    one = np.zeros(len(classes), dtype=np.int64)
    return {**head, "method": ONE_CLUSTER, **measured(classes, one, metrics), "k": 1}


def of_base(labels: IntArray, classes: Array, metrics: Iterable[str], **head: Any) -> list[Row]:
    """The best and the mean of the clusterings that are combined, each judged on the objects that it saw."""
    found: list[FloatArray] = []
    names = tuple(metrics)
    for column in labels.T:
        seen = column >= 0
        found.append(np.array([METRICS[name](classes[seen], column[seen]) for name in names]))
    table = np.array(found)
    return [
        {**head, "method": f"base {word}", **dict(zip(names, values.tolist(), strict=True))}
        for word, values in (("max", table.max(axis=0)), ("mean", table.mean(axis=0)))
    ]
