"""What a recipe makes: clusterings, and the ensembles that an experiment draws from them (eq. R25)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import Array, FloatArray, IntArray
from partita.generation._noisy_ensemble import lose_labels


class Draw(NamedTuple):
    """One ensemble of an experiment: which part of the recipe's clusterings it uses."""

    setting: dict[str, Any]  # what the experiment varies
    columns: IntArray | None = None  # clusterings; None: all
    lost: float = 0.0  # share of the labels that are made missing
    seed: int = 0  # which labels are made missing
    blocks: tuple[IntArray, ...] = ()  # rows of each party, or of the training and the test part


@dataclass(frozen=True)
class RecipeEnsemble:
    """The clusterings of a recipe, and the ensembles of its experiment."""

    labels: IntArray  # (n_samples, n_clusterings), -1 where a clustering did not see an object
    manifest: pd.DataFrame  # one row per clustering
    draws: list[Draw] = field(repr=False)
    features: FloatArray | None = field(default=None, repr=False)  # of recipes that simulate their data
    skipped: pd.DataFrame | None = field(default=None, repr=False)  # clusterings that were left out, and why
    truth: Array | None = field(default=None, repr=False)  # classes, or probabilities of a soft partition

    def ensembles(self) -> Iterator[tuple[Draw, IntArray]]:
        """The ensembles of the experiment one after another, each with its draw."""
        for draw in self.draws:
            columns = self.labels if draw.columns is None else self.labels[:, draw.columns]
            yield draw, lose_labels(columns, draw.lost, draw.seed) if draw.lost else columns


class RecipeRun(NamedTuple):
    """The settings that every recipe has."""

    seed: int
    n_jobs: int | None
    verbose: bool

    @property
    def for_generator(self) -> dict[str, Any]:
        """Parameters of the generator that makes the clusterings."""
        return {"random_state": self.seed, "n_jobs": self.n_jobs, "verbose": self.verbose}

    def rng(self) -> np.random.Generator:
        """Random numbers for what the recipe itself draws."""
        return np.random.default_rng(self.seed)


def check_pool(n_clusterings: int, n_ensembles: int, size: int) -> None:
    """Refuse, before clusterings are made, ensembles that need more of them."""
    needed = n_ensembles * size
    if needed > n_clusterings:
        raise ValueError(
            f"{n_ensembles} ensembles of {size} need {needed} clusterings, but n_clusterings={n_clusterings}; pass a "
            "smaller n_ensembles or size, or a larger n_clusterings."
        )


def shuffled(made: RecipeEnsemble, run: RecipeRun, n_ensembles: int, size: int) -> RecipeEnsemble:
    """The clusterings in random order, cut into ensembles; fewer ensembles if some clusterings failed."""
    n_pool = made.labels.shape[1]
    n_ensembles = min(n_ensembles, n_pool // size)
    order = run.rng().permutation(n_pool)[: n_ensembles * size].reshape(n_ensembles, size)
    return replace(made, draws=[Draw({"ensemble": e}, row) for e, row in enumerate(order)])


def check_sizes(sizes: Any, n_pool: int) -> None:
    """Refuse sets of more clusterings than there are."""
    too_many = [size for size in as_list(sizes) if size > n_pool]
    if too_many:
        raise ValueError(f"sizes has {too_many[0]}, but there are {n_pool} clusterings; pass smaller sizes.")


def draw_columns(n_pool: int, run: RecipeRun, sizes: Any, n_draws: int) -> list[Draw]:
    """``n_draws`` random sets of clusterings of each size."""
    check_sizes(sizes, n_pool)
    rng, sizes = run.rng(), as_list(sizes)
    return [
        Draw({"n_clusterings": int(size), "draw": number}, np.sort(rng.choice(n_pool, size, replace=False)))
        for size in sizes
        for number in range(n_draws)
    ]


def as_list(values: Any) -> list[Any]:
    """A list of the values, also of a single number."""
    return list(np.atleast_1d(values).tolist())
