"""What a recipe makes: clusterings, and the ensembles that an experiment draws from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import Array, FloatArray, IntArray
from partita.generation._noisy_ensemble import lose_labels


class Draw(NamedTuple):
    """One ensemble of an experiment: what it takes from the clusterings of the recipe."""

    setting: dict[str, Any]  # what the experiment varies
    columns: IntArray | None = None  # clusterings; None: all
    lost: float = 0.0  # share of the labels that are made missing
    seed: int = 0  # of that
    blocks: tuple[IntArray, ...] = ()  # rows of each party, or of the training and the test part


@dataclass(frozen=True)
class RecipeEnsemble:
    """What a recipe made."""

    labels: IntArray  # (n_samples, n_clusterings), -1 where a clustering did not see an object
    manifest: pd.DataFrame  # one row a clustering
    draws: list[Draw] = field(repr=False)
    features: FloatArray | None = field(default=None, repr=False)  # where the recipe makes the data too
    skipped: pd.DataFrame | None = field(default=None, repr=False)  # clusterings that failed, and why
    truth: Array | None = field(default=None, repr=False)  # classes, or probabilities of a soft partition

    def ensembles(self) -> Iterator[tuple[Draw, IntArray]]:
        """The ensembles of the experiment, one after another, each with its setting."""
        for draw in self.draws:
            columns = self.labels if draw.columns is None else self.labels[:, draw.columns]
            yield draw, lose_labels(columns, draw.lost, draw.seed) if draw.lost else columns


class How(NamedTuple):
    """How any recipe is run."""

    seed: int
    n_jobs: int | None
    verbose: int

    @property
    def settings(self) -> dict[str, Any]:
        return {"random_state": self.seed, "n_jobs": self.n_jobs, "verbose": self.verbose}

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def check_pool(n_clusterings: int, n_ensembles: int, size: int) -> None:
    """Refuse, before clusterings are made, ensembles that need more of them."""
    needed = n_ensembles * size
    if needed > n_clusterings:
        raise ValueError(
            f"{n_ensembles} ensembles of {size} need {needed} clusterings, and n_clusterings={n_clusterings}; pass a "
            "smaller n_ensembles or size, or a larger n_clusterings."
        )


def shuffled(made: RecipeEnsemble, how: How, n_ensembles: int, size: int) -> RecipeEnsemble:
    """The pool in random order, cut into ensembles; fewer of them where some clusterings failed."""
    n_pool = made.labels.shape[1]
    n_ensembles = min(n_ensembles, n_pool // size)
    order = how.rng().permutation(n_pool)[: n_ensembles * size].reshape(n_ensembles, size)
    return replace(made, draws=[Draw({"ensemble": e}, row) for e, row in enumerate(order)])


def as_list(values: Any) -> list[Any]:
    """A list, also of a single number."""
    return list(np.atleast_1d(values).tolist())


def draw_columns(n_pool: int, how: How, sizes: Any, n_draws: int) -> list[Draw]:
    rng, sizes = how.rng(), as_list(sizes)
    too_many = [size for size in sizes if size > n_pool]
    if too_many:
        raise ValueError(f"sizes has {too_many[0]}, and there are {n_pool} clusterings; pass smaller sizes.")
    return [
        Draw({"n_clusterings": int(size), "draw": number}, np.sort(rng.choice(n_pool, size, replace=False)))
        for size in sizes
        for number in range(n_draws)
    ]
