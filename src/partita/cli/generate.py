"""``partita generate``: features in, a table of labels out."""

import json
import sys
from typing import Any

import click

from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._options import feature_arguments, feature_options, parse_settings
from partita.cli._results import check_targets, print_python


@click.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("-o", "--output", type=click.Path(), help="File to write the labels to [stdout].")
@click.option("--manifest", type=click.Path(), help="File to write what was run to, one row a clustering.")
@generator_options
@click.option("--recipe", metavar="NAME", help="An ensemble of the papers instead, such as pcc-2 or nbce.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="Option of the recipe; repeatable.")
@feature_options
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON.")
def generate(
    file: str | None,
    output: str | None,
    manifest: str | None,
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    seed: int,
    jobs: int | None,
    recipe: str | None,
    settings: tuple[str, ...],
    columns: str | None,
    drop: str | None,
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    scale: bool,
    as_json: bool,
) -> None:
    """Make many clusterings of the features of FILE: one row an object, one column a clustering.

    FILE has one row an object and one column a feature. The result is what `partita consensus` reads.
    """
    import pandas as pd

    from partita.io import write_matrix, write_table

    check_targets([output], [file], tables=[manifest])
    if recipe is not None and {base, n_clusterings, base_clusters, sample_fraction} != {None}:
        raise click.UsageError("a recipe knows its clusterings; change them by --set, see ensemble_recipe in Python.")
    if settings and recipe is None:
        raise click.UsageError("--set is for --recipe.")
    if file is None and recipe is None:
        raise click.UsageError("name a FILE of features.")
    reading = feature_arguments(columns, drop, id_column, no_ids, header)
    if recipe is not None:
        options = parse_settings(settings)
        ids, labels, made = _by_recipe(recipe, file, reading, scale, seed, jobs, options)
        given = "".join(f", {name}={value!r}" for name, value in {"random_state": seed, **options}.items())
        lines = f"from partita import ensemble_recipe\nmade = ensemble_recipe({recipe!r}, F{given})"
    else:
        generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
        ids, labels, made = _by_generator(generator, str(file), reading, scale)
        lines = _python_call(str(file), generator, reading, scale)
    holes = labels.where(labels >= 0).astype("Int64")
    if manifest is not None:
        write_table(manifest, made)
    if output is not None:
        write_matrix(output, holes, ids=ids)
    elif not as_json:
        pd.concat([ids, holes], axis=1).to_csv(sys.stdout, index=False)
    summary = {
        "n_objects": len(labels),
        "n_clusterings": labels.shape[1],
        "share_missing": round(float((labels < 0).to_numpy().mean()), 4),
        "output": output,
        "manifest": manifest,
        "python": lines,
    }
    _tell(summary, as_json)


def _tell(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summary, indent=2))
        return
    output = summary["output"]
    click.echo(f"{summary['n_objects']} objects, {summary['n_clusterings']} clusterings", err=output is None)
    if output is not None:
        click.echo(f"written to {output}; next: partita consensus {output} -o consensus.csv")
    print_python(summary["python"], err=output is None)


def _python_call(file: str, generator: Generator, reading: dict[str, Any], scale: bool) -> str:
    """The Python lines that do the same."""
    how = "".join(f", {name}={value!r}" for name, value in reading.items())
    scaled = "StandardScaler().fit_transform(F)" if scale else "F"
    return "\n".join(
        [
            f"from partita import {generator.name}",
            "from partita.io import read_feature_table",
            *(["from sklearn.preprocessing import StandardScaler"] if scale else []),
            f"F = read_feature_table({file!r}{how}).features",
            f"labels = {generator.call()}.fit_transform({scaled})",
        ]
    )


def _by_generator(generator: Generator, file: str, reading: dict[str, Any], scale: bool) -> tuple[Any, Any, Any]:
    """Ids, labels and manifest of a generator."""
    import pandas as pd

    ids, features = read_scaled(file, reading, scale)
    built = generator.build(verbose=sys.stderr.isatty())
    labels = pd.DataFrame(built.fit_transform(features), columns=built.get_feature_names_out())
    return ids, labels, built.manifest_


def read_scaled(file: str, reading: dict[str, Any], scale: bool) -> tuple[Any, Any]:
    """Ids, and features with mean 0 and variance 1 if wanted."""
    import pandas as pd
    from sklearn.preprocessing import StandardScaler

    from partita.io import read_feature_table

    table = read_feature_table(file, **reading)
    features = table.features.to_numpy()
    scaled = StandardScaler().fit_transform(features) if scale else features
    return pd.Series(table.object_ids(), name=table.id_name), scaled


def _by_recipe(
    recipe: str,
    file: str | None,
    reading: dict[str, Any],
    scale: bool,
    seed: int,
    jobs: int | None,
    options: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Ids, labels and manifest of a recipe; one that makes its data can take a partition from a file instead."""
    import pandas as pd

    from partita import ensemble_recipe
    from partita.experiments import recipe_input
    from partita.io import read_labels

    wanted = recipe_input(recipe)
    if wanted == "labels":
        raise click.UsageError(
            f"recipe {recipe!r} draws many ensembles from the labels of a file; in Python: ensemble_recipe({recipe!r}, "
            "labels).ensembles()."
        )
    ids, data = None, None
    if file is not None and wanted == "features":
        ids, data = read_scaled(file, reading, scale)
    elif file is not None:
        table = read_labels(file, **reading)
        ids, data = pd.Series(table.object_ids(), name=table.id_name), table.labels.iloc[:, 0]
    made = ensemble_recipe(recipe, data, random_state=seed, n_jobs=jobs, verbose=sys.stderr.isatty(), **options)
    names = made.manifest["name"] if "name" in made.manifest else [f"c{j}" for j in range(made.labels.shape[1])]
    labels = pd.DataFrame(made.labels, columns=_different(list(names)))
    return pd.Series(range(len(labels)), name="object") if ids is None else ids, labels, made.manifest


def _different(names: list[str]) -> list[str]:
    """Names with a number where they are repeated, since a table's columns must differ."""
    return names if len(set(names)) == len(names) else [f"{name}_{place}" for place, name in enumerate(names)]
