"""Recipes that take labels, and those that simulate their data (eqs. R31, R33, R37 to R40)."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from partita._labels.validation import check_label_matrix
from partita.datasets._synthetic import four_gaussians, two_gaussians_with_outliers
from partita.experiments._recipe_ensemble import Draw, RecipeEnsemble, RecipeRun, as_list, draw_columns
from partita.generation._noisy_ensemble import NoisyEnsemble
from partita.generation._sampled_ensemble import SampledEnsemble


def labels_lost(X: Any, run: RecipeRun, *, shares: Any = None, n_draws: int = 10) -> RecipeEnsemble:
    """Copies of the labels with more and more of them missing (eq. R37)."""
    made = from_labels(X)
    lost = np.arange(21) * 0.045 if shares is None else np.array(as_list(shares), dtype=np.float64)
    seeds = run.rng().integers(2**31, size=(len(lost), n_draws))
    draws = [
        Draw({"missing": float(share), "draw": number}, lost=float(share), seed=int(seed))
        for share, row in zip(lost, seeds, strict=True)
        for number, seed in enumerate(row)
    ]
    return replace(made, draws=draws)


def random_columns(X: Any, run: RecipeRun, *, sizes: Any = range(1, 21), n_draws: int = 50) -> RecipeEnsemble:
    """Random sets of the clusterings (eq. R38)."""
    made = from_labels(X)
    return replace(made, draws=draw_columns(made.labels.shape[1], run, sizes, n_draws))


def blocks_of_rows(X: Any, run: RecipeRun, *, n_parties: Any = range(1, 11)) -> RecipeEnsemble:
    """Rows of several parties (eq. R39)."""
    made = from_labels(X)
    if max(as_list(n_parties)) > len(made.labels):
        raise ValueError(f"n_parties={n_parties!r:.60} exceeds the {len(made.labels)} objects; pass smaller numbers.")
    draws = [
        Draw({"n_parties": parties}, blocks=tuple(np.array_split(np.arange(len(made.labels)), parties)))
        for parties in as_list(n_parties)
    ]
    return replace(made, draws=draws)


def first_columns(X: Any, run: RecipeRun, *, sizes: Any = (20, 60, 120, 240, 480, 960, 1440, 1920)) -> RecipeEnsemble:
    """The first clusterings, more and more of them (eq. R40)."""
    made = from_labels(X)
    usable = [size for size in as_list(sizes) if size <= made.labels.shape[1]]
    if not usable:
        raise ValueError(f"there are {made.labels.shape[1]} clusterings, but sizes={sizes!r:.60}; pass smaller sizes.")
    return replace(made, draws=[Draw({"n_clusterings": s}, np.arange(s)) for s in usable])


def draws_from_posterior(
    X: Any, run: RecipeRun, *, n_clusterings: int = 1000, n_per_cluster: int = 200
) -> RecipeEnsemble:
    """The PCC paper's simulated experiment: draws from the posterior of four Gaussians (eqs. R31, R42)."""
    data = four_gaussians(n_per_cluster, run.seed)
    generator = SampledEnsemble(n_clusterings, random_state=run.seed)
    labels = np.asarray(generator.fit_transform(data.posterior))
    return RecipeEnsemble(labels, generator.manifest_, [Draw({})], data.features, truth=data.posterior)


def labels_changed(
    X: Any, run: RecipeRun, *, noise: Any = (0.05, 0.1, 0.15, 0.2), n_clusterings: int = 10, n_per_cluster: int = 100
) -> RecipeEnsemble:
    """The NBCE paper's synthetic experiment: copies of a partition with labels changed (eqs. R33, R44)."""
    features = None
    if X is None:
        features, truth = two_gaussians_with_outliers(n_per_cluster, run.seed)
    else:
        truth = np.asarray(X)
    noise = as_list(noise)
    levels = [level for level in noise for _ in range(n_clusterings)]
    generator = NoisyEnsemble(len(levels), noise=levels, random_state=run.seed)
    labels = np.asarray(generator.fit_transform(truth))
    draws = [
        Draw({"noise": level}, np.arange(place * n_clusterings, (place + 1) * n_clusterings))
        for place, level in enumerate(noise)
    ]
    return RecipeEnsemble(labels, generator.manifest_, draws, features, truth=truth)


def from_labels(X: Any) -> RecipeEnsemble:
    """Given labels, or those of another recipe, as one ensemble."""
    matrix = check_label_matrix(X.labels if isinstance(X, RecipeEnsemble) else X)
    manifest = pd.DataFrame({"name": matrix.names, "algorithm": "given", "n_clusters": matrix.n_labels})
    return RecipeEnsemble(matrix.codes.astype(np.int64), manifest, [Draw({})])
