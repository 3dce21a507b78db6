"""Recipes that make clusterings of features (eqs. R26 to R36, R41)."""

from dataclasses import replace
from typing import Any

import numpy as np

from partita._features import check_points
from partita.experiments._options import NUMBERS_OF_CLUSTERS, TO_20
from partita.experiments._recipe_ensemble import (
    Draw,
    RecipeEnsemble,
    RecipeRun,
    check_pool,
    check_sizes,
    draw_columns,
    shuffled,
)
from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble


def kmeans_runs(X: Any, run: RecipeRun, *, n_clusterings: int = 100, n_clusters: Any = "auto") -> RecipeEnsemble:
    """k-means from random objects (eq. R26)."""
    return from_features(KMeansEnsemble(n_clusterings, n_clusters, **run.for_generator), X)


def split_and_merge(X: Any, run: RecipeRun, *, n_clusterings: int = 100, n_clusters: Any = None) -> RecipeEnsemble:
    """The "ensemble 1" of PCC and PEACE: k-means with more clusters than classes (eq. R27)."""
    return from_features(KMeansEnsemble(n_clusterings, _numbers_or_root(n_clusters, X), **run.for_generator), X)


def several_algorithms(
    X: Any,
    run: RecipeRun,
    *,
    n_clusters: Any = None,
    dataset: str | None = None,
    n_repeats: Any = 5,
    fraction: float = 1.0,
) -> RecipeEnsemble:
    """The "ensemble 2" of PCC: six algorithms with every number of a list (eq. R28)."""
    numbers = n_clusters if n_clusters is not None else _numbers_of(dataset)
    generator = MixedEnsemble(n_clusters=numbers, n_repeats=n_repeats, sample_fraction=fraction, **run.for_generator)
    return from_features(generator, X)


def several_algorithms_of_samples(
    X: Any, run: RecipeRun, *, n_clusters: Any = None, dataset: str | None = None, n_repeats: Any = None
) -> RecipeEnsemble:
    """The "ensemble 2" of PEACE: the same, each clustering of another 90 % of the objects (eq. R28)."""
    repeats = {"kmeans": 5, "spectral": 5} if n_repeats is None else n_repeats
    return several_algorithms(X, run, n_clusters=n_clusters, dataset=dataset, n_repeats=repeats, fraction=0.9)


def spherical_kmeans_runs(
    X: Any, run: RecipeRun, *, n_clusterings: int = 100, n_clusters: Any = None
) -> RecipeEnsemble:
    """Spherical k-means, for text (eq. R29)."""
    numbers = _numbers_or_root(n_clusters, X)
    return from_features(KMeansEnsemble(n_clusterings, numbers, metric="cosine", **run.for_generator), X)


def spherical_minibatch_runs(
    X: Any, run: RecipeRun, *, n_clusterings: int = 100, n_clusters: Any = None
) -> RecipeEnsemble:
    """Spherical k-means by mini-batches, for text (eq. R30)."""
    numbers = _numbers_or_root(n_clusters, X)
    generator = KMeansEnsemble(n_clusterings, numbers, metric="cosine", algorithm="minibatch", **run.for_generator)
    return from_features(generator, X)


def kmeans_of_halves(
    X: Any,
    run: RecipeRun,
    *,
    n_clusterings: int = 100,
    n_clusters: Any = (2, 10),
    fraction: float = 0.5,
    pairs: float = 0.00025,
) -> RecipeEnsemble:
    """The PCC paper's large experiment: k-means of random halves, a sample of the pairs (eqs. R32, R43)."""
    made = from_features(KMeansEnsemble(n_clusterings, n_clusters, sample_fraction=fraction, **run.for_generator), X)
    return replace(made, draws=[Draw({"pairs": pairs})])


def around_the_classes(
    X: Any, run: RecipeRun, *, n_classes: int, n_runs: int = 2, held_out: float = 0.25
) -> RecipeEnsemble:
    """k-means with 50 to 200 % of the number of classes; a quarter of the objects held out (eqs. R34, R45)."""
    n = check_points(X).shape[0]
    n_test = round(held_out * n)
    if not 0 < n_test < n:
        raise ValueError(f"held_out={held_out} of {n} objects leaves a part without objects; pass another share.")
    # rounded half up, and at least two (eq. R45)
    numbers = [max(2, int(np.floor(share * n_classes + 0.5))) for share in (0.5, 0.75, 1.0, 1.5, 2.0)]
    made = from_features(KMeansEnsemble(n_runs * len(numbers), numbers, **run.for_generator), X)
    order = run.rng().permutation(len(made.labels))
    blocks = (np.sort(order[n_test:]), np.sort(order[:n_test]))
    return replace(made, draws=[Draw({"blocks": "training, test"}, blocks=blocks)])


def pool_of_kmeans(
    X: Any, run: RecipeRun, *, n_classes: int, n_clusterings: int = 2000, n_ensembles: int = 100, size: int = 20
) -> RecipeEnsemble:
    """Many k-means with the number of classes, shuffled into ensembles (eqs. R35, R46)."""
    check_pool(n_clusterings, n_ensembles, size)
    made = from_features(KMeansEnsemble(n_clusterings, n_classes, **run.for_generator), X)
    return shuffled(made, run, n_ensembles, size)


def mixed_pool(
    X: Any, run: RecipeRun, *, n_classes: int, n_clusterings: int = 2000, n_ensembles: int = 100, size: int = 20
) -> RecipeEnsemble:
    """The same of four algorithms; the one clustering of affinity propagation is repeated (eqs. R36, R46)."""
    check_pool(n_clusterings, n_ensembles, size)
    of_2000 = {"kmeans": 500, "fuzzy": 800, "metis": 200, "affinity": 500}
    numbers = {name: max(1, round(share * n_clusterings / 2000)) for name, share in of_2000.items()}
    generator = MixedEnsemble([*of_2000], [n_classes], n_repeats={**numbers, "affinity": 1}, **run.for_generator)
    made = from_features(generator, X)
    times = np.where(made.manifest["algorithm"] == "affinity", numbers["affinity"], 1)
    repeated = made.manifest.loc[made.manifest.index.repeat(times)].reset_index(drop=True)
    pool = replace(made, labels=np.repeat(made.labels, times, axis=1), manifest=repeated)
    return shuffled(pool, run, n_ensembles, size)


def with_features(
    X: Any, run: RecipeRun, *, n_classes: int, n_clusterings: int = 50, sizes: Any = range(1, 11), n_draws: int = 50
) -> RecipeEnsemble:
    """k-means with features beside it: a label has the weight D of all features; sweep D / 8 to 8 D (eqs. R41, R48)."""
    check_sizes(sizes, n_clusterings)
    made = from_features(KMeansEnsemble(n_clusterings, n_classes, **run.for_generator), X)
    n_features = np.shape(X)[1]
    sweep = [n_features * factor for factor in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)]
    draws = draw_columns(made.labels.shape[1], run, sizes, n_draws)
    weighted = [
        draw._replace(setting={**draw.setting, "label_weight": n_features, "label_weight_sweep": sweep})
        for draw in draws
    ]
    return replace(made, draws=weighted)


def from_features(generator: Any, X: Any) -> RecipeEnsemble:
    """All clusterings of a generator as one ensemble."""
    labels = np.asarray(generator.fit_transform(X))
    made = generator.manifest_["status"] == "ok"
    manifest, skipped = (generator.manifest_[rows].reset_index(drop=True) for rows in (made, ~made))
    return RecipeEnsemble(labels, manifest, [Draw({})], skipped=skipped)


def _numbers_or_root(n_clusters: Any, X: Any) -> Any:
    return _root_range(X) if n_clusters is None else n_clusters


def _root_range(X: Any) -> tuple[int, int]:
    """From sqrt(n) / 2 to sqrt(n), both at least 2 (eq. R27)."""
    root = np.sqrt(check_points(X, sparse=True).shape[0])
    return max(2, int(np.ceil(root / 2))), max(2, int(root))


def _numbers_of(dataset: str | None) -> list[int]:
    if dataset is None:
        return [*range(4, 11), *TO_20]  # the list that most data sets of the papers have
    return NUMBERS_OF_CLUSTERS[dataset]
