"""The generators of ensembles that the command line offers, and their options."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from partita.cli._options import add_options, parse_names, parse_numbers

F = TypeVar("F", bound=Callable[..., Any])


def generator_options(command: F) -> F:
    """Options on how clusterings are made from features."""
    return add_options(
        command,
        click.option("--base", metavar="NAME,...",
                     help="kmeans [default], mixed, or algorithms: single, average, complete, ward, centroid, kmeans, "
                          "spectral, fuzzy, affinity, metis, gmm."),
        click.option("--n-clusterings", type=click.IntRange(min=1),
                     help="Number of k-means clusterings [100]; mixed: runs of each algorithm and number [5]."),
        click.option("--base-clusters", metavar="K|A,B,...|LOW-HIGH",
                     help="Numbers of clusters of the clusterings [about sqrt(n), 10-30 at most; mixed: 2-10]."),
        click.option("--sample-fraction", type=click.FloatRange(0, 1, min_open=True),
                     help="Share of the objects that each clustering sees [1]."),
    )  # fmt: skip


class Generator(NamedTuple):
    """A generator by its name and parameters."""

    name: str  # public name in partita
    parameters: dict[str, Any]

    def build(self, *, verbose: bool) -> Any:
        """The generator itself."""
        import partita

        return getattr(partita, self.name)(**self.parameters, verbose=verbose)


def choose_generator(
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    seed: int,
    jobs: int,
) -> Generator:
    """The generator that the options describe; beside the seed, only what differs from its defaults is set."""
    base = base or "kmeans"
    parameters: dict[str, Any] = {}
    if base not in ("kmeans", "mixed"):
        parameters["clusterers"] = parse_names(base)
    if n_clusterings is not None:
        parameters["n_clusterings" if base == "kmeans" else "n_repeats"] = n_clusterings
    if base_clusters is not None:
        parameters["n_clusters"] = parse_numbers(base_clusters)
    if sample_fraction is not None:
        parameters["sample_fraction"] = sample_fraction
    parameters["random_state"] = seed
    if jobs != 1:
        parameters["n_jobs"] = jobs
    return Generator("KMeansEnsemble" if base == "kmeans" else "MixedEnsemble", parameters)
