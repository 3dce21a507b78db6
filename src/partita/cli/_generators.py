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
                     help="kmeans [default]; uspec or anchor, for clusters of any shape and many objects; projection, "
                          "subspace, line, hyperplanes; mixed, or algorithms: single, average, complete, ward, "
                          "centroid, kmeans, spectral, fuzzy, affinity, metis, gmm."),
        click.option("--n-clusterings", type=click.IntRange(min=1),
                     help="Number of clusterings [100; uspec, anchor: 20; line, hyperplanes: 200]; mixed: runs of each "
                          "algorithm and number [5]."),
        click.option("--base-clusters", metavar="K|A,B,...|LOW-HIGH",
                     help="Numbers of clusters of the clusterings [about sqrt(n), 10-30 at most; uspec: 20-60 at most; "
                          "anchor: 10-50 at most; mixed: 2-10]."),
        click.option("--sample-fraction", type=click.FloatRange(0, 1, min_open=True),
                     help="Share of the objects that each clustering sees [1]."),
    )  # fmt: skip


# of each base that is not a list of algorithms: public name of the generator, and its parameters
_GENERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "kmeans": ("KMeansEnsemble", {}),
    "uspec": ("USpecEnsemble", {}),
    "anchor": ("AnchorEnsemble", {}),
    "projection": ("ProjectionEnsemble", {}),
    "subspace": ("ProjectionEnsemble", {"kind": "subspace"}),
    "line": ("WeakEnsemble", {}),
    "hyperplanes": ("WeakEnsemble", {"kind": "hyperplanes"}),
    "mixed": ("MixedEnsemble", {}),
}


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
    name, own = _GENERATORS[base] if base in _GENERATORS else ("MixedEnsemble", {"clusterers": parse_names(base)})
    parameters = dict(own)
    if base == "anchor" and sample_fraction is not None:
        raise click.UsageError("--sample-fraction is not for --base anchor, whose clusterings share all objects.")
    if n_clusterings is not None:
        parameters["n_repeats" if name == "MixedEnsemble" else "n_clusterings"] = n_clusterings
    if base_clusters is not None:
        parameters["n_clusters"] = parse_numbers(base_clusters)
    if sample_fraction is not None:
        parameters["sample_fraction"] = sample_fraction
    parameters["random_state"] = seed
    if jobs != 1:
        parameters["n_jobs"] = jobs
    return Generator(name, parameters)
