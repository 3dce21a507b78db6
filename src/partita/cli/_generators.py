"""The generators of ensembles that the command line offers, their options, and the Python lines that do the same."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from partita.cli._options import parse_numbers

F = TypeVar("F", bound=Callable[..., Any])


def generator_options(command: F) -> F:
    """Options on how clusterings are made from features."""
    for option in (
        click.option("--jobs", type=int, help="Number of threads [1]; the result does not depend on it."),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed."),
        click.option("--sample-fraction", type=click.FloatRange(0, 1, min_open=True),
                     help="Share of the objects that each clustering sees [1]."),
        click.option("--base-clusters", metavar="K|A,B,...|LOW-HIGH",
                     help="Numbers of clusters of the clusterings [about sqrt(n), 10-30 at most; mixed: 2-10]."),
        click.option("--n-clusterings", type=click.IntRange(min=1),
                     help="Number of k-means clusterings [100]; mixed: runs of each algorithm and number [5]."),
        click.option("--base", metavar="NAME,...",
                     help="kmeans [default], mixed, or algorithms: single, average, complete, ward, centroid, kmeans, "
                          "spectral, fuzzy, affinity, metis, gmm."),
    ):  # fmt: skip
        command = option(command)
    return command


class Generator(NamedTuple):
    """A generator by its name and parameters."""

    name: str  # public name in partita
    parameters: dict[str, Any]

    def build(self, *, verbose: bool) -> Any:
        """The generator itself."""
        import partita

        return getattr(partita, self.name)(**self.parameters, verbose=verbose)

    def call(self) -> str:
        """How it is written in Python."""
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"


def choose_generator(
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    seed: int | None,
    jobs: int | None,
) -> Generator:
    """The generator that the options describe; only what differs from its defaults is set."""
    base = base or "kmeans"
    parameters: dict[str, Any] = {}
    if base != "kmeans" and base != "mixed":
        parameters["clusterers"] = [name.strip() for name in base.split(",") if name.strip()]
    if n_clusterings is not None:
        parameters["n_clusterings" if base == "kmeans" else "n_repeats"] = n_clusterings
    given = {"sample_fraction": sample_fraction, "random_state": seed, "n_jobs": jobs}
    if base_clusters is not None:
        parameters["n_clusters"] = parse_numbers(base_clusters)
    parameters |= {name: value for name, value in given.items() if value is not None}
    return Generator("KMeansEnsemble" if base == "kmeans" else "MixedEnsemble", parameters)
