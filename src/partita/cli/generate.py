"""``partita generate``: features in, a table of labels out."""

from typing import Any, NamedTuple

import click

from partita.cli._command import command
from partita.cli._feature_file import print_features, read_points
from partita.cli._file_options import (
    STANDARD,
    InputFile,
    printed_output_option,
    save_matrix,
    save_table,
    spreadsheet_option,
)
from partita.cli._generators import Generator, choose_generator, generator_options
from partita.cli._label_file import read_any_labels
from partita.cli._options import (
    feature_file_arguments,
    feature_file_options,
    jobs_option,
    json_option,
    max_time_option,
    parse_settings,
    seed_option,
    settings_option,
    within_max_time,
)
from partita.cli._python_lines import generator_lines, print_python, recipe_lines
from partita.cli._results import check_targets, count, rounded
from partita.cli._say import print_json, say, shows_progress
from partita.cli._words import GENERATOR, RECIPE, naming


class MadeEnsemble(NamedTuple):
    """An ensemble, how it was made, and the Python lines for it."""

    ids: Any
    labels: Any  # (n_samples, n_clusterings) frame, -1 where missing
    manifest: Any
    python: str
    facts: dict[str, Any]  # features and id_column, where there are features


@command()
@click.argument("file", type=InputFile(), required=False)
@printed_output_option("File to write the labels to [stdout].")
@click.option("--manifest", type=click.Path(), help="File to write what was run to, one row per clustering.")
@generator_options
@click.option(
    "--recipe",
    metavar="NAME",
    help="An ensemble of the papers instead, such as pcc-1, or nbce with --set n_classes=3.",
)
@settings_option
@seed_option
@jobs_option
@max_time_option
@feature_file_options
@spreadsheet_option
@json_option
def generate(
    file: str | None,
    output: str | None,
    manifest: str | None,
    base: str | None,
    n_clusterings: int | None,
    base_clusters: str | None,
    sample_fraction: float | None,
    recipe: str | None,
    settings: tuple[str, ...],
    seed: int,
    jobs: int,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    impute: str | None,
    encode: bool,
    scale: bool,
    as_json: bool,
) -> None:
    """Make many clusterings of the features of FILE: one row per object, one column per clustering.

    FILE has one row per object and one column per feature. The result is what `partita consensus` reads.
    """
    check_targets([output], [file], tables=[manifest])
    if recipe is not None and {base, n_clusterings, base_clusters, sample_fraction} != {None}:
        raise click.UsageError("a recipe sets its own clusterings; change them by --set, see ensemble_recipe.")
    if settings and recipe is None:
        raise click.UsageError("--set is for --recipe.")
    if file is None and recipe is None:
        raise click.UsageError("name a FILE of features.")
    reading = feature_file_arguments(columns, drop, id_column, no_ids, header, impute, encode)
    if recipe is not None:
        made = _by_recipe(recipe, file, reading, scale, seed, jobs, parse_settings(settings))
    else:
        generator = choose_generator(base, n_clusterings, base_clusters, sample_fraction, seed, jobs)
        made = _by_generator(generator, file or "", reading, scale)  # there is one; str(file) would lose a pipe
    table = made.labels.where(made.labels >= 0).astype("Int64")  # empty where missing
    _write(made, table, output, manifest, as_json)
    missing = table.isna()
    summary = {
        "file": file,
        "seed": seed,
        **made.facts,
        "n_objects": len(table),
        "n_clusterings": table.shape[1],
        "n_missing": int(missing.to_numpy().sum()),
        "share_missing": rounded(missing.to_numpy().mean()),
        "columns": [
            {"name": name, "n_labels": int(table[name].nunique()), "n_missing": int(missing[name].sum())}
            for name in table.columns
        ],
        "output": output,
        "manifest_output": manifest,
        "python": made.python,
    }
    if as_json and output is None:
        summary["ids"] = made.ids.tolist()
        summary["labels"] = table.astype(object).where(~missing, None).to_numpy().tolist()
    _show(summary, as_json)


def _by_generator(generator: Generator, file: str, reading: dict[str, Any], scale: bool) -> MadeEnsemble:
    import pandas as pd

    points = read_points(file, reading, scale)
    with naming(GENERATOR), within_max_time():
        built = generator.build(verbose=shows_progress())
        labels = pd.DataFrame(built.fit_transform(points.values), columns=built.get_feature_names_out())
    lines = generator_lines(generator, file, reading, scale)
    return MadeEnsemble(points.ids, labels, built.manifest_, lines, points.facts)


def _by_recipe(
    recipe: str,
    file: str | None,
    reading: dict[str, Any],
    scale: bool,
    seed: int,
    jobs: int,
    options: dict[str, Any],
) -> MadeEnsemble:
    """An ensemble of the papers; a recipe that makes its own data can take a partition from a file instead."""
    import pandas as pd

    from partita import ensemble_recipe
    from partita.experiments import recipe_input

    takes = recipe_input(recipe)
    if takes == "labels":
        raise click.UsageError(
            f"recipe {recipe!r} draws many ensembles from the labels of a file; in Python: ensemble_recipe({recipe!r}, "
            "labels).ensembles()."
        )
    _check_recipe(recipe, takes, file, options)
    ids, data = None, None
    facts: dict[str, Any] = {}
    if file is not None and takes == "features":
        ids, data, facts = read_points(file, reading, scale)
    elif file is not None:
        table, reading, _ = read_any_labels(file, reading)
        ids, data = pd.Series(table.object_ids(), name=table.id_name), table.labels.iloc[:, 0]
    options = {"random_state": seed} | ({"n_jobs": jobs} if jobs != 1 else {}) | options
    with naming(RECIPE), within_max_time():
        made = ensemble_recipe(recipe, data, verbose=shows_progress(), **options)
    names = made.manifest["name"] if "name" in made.manifest else [f"c{j}" for j in range(made.labels.shape[1])]
    labels = pd.DataFrame(made.labels, columns=_different(list(names)))
    ids = pd.Series(range(len(labels)), name="object") if ids is None else ids
    return MadeEnsemble(ids, labels, made.manifest, recipe_lines(recipe, options, file, reading, scale, takes), facts)


def _check_recipe(recipe: str, takes: str, file: str | None, options: dict[str, Any]) -> None:
    """Refuse, in words of the command line, what is missing and what --set cannot set."""
    from inspect import signature

    from partita.experiments import RECIPES

    known = signature(RECIPES[recipe].make).parameters
    for name, option in {"random_state": "--seed", "n_jobs": "--jobs"}.items():
        if name in options:
            raise click.UsageError(f"--set {name} is no option of the recipe; pass {option}.")
    own = [name for name in known if name not in ("X", "run")]
    unknown = [name for name in options if name not in own]
    if unknown:
        raise click.UsageError(f"recipe {recipe!r} has no option {unknown[0]!r}; it has {', '.join(own) or 'none'}.")
    for name in own:
        if known[name].default is known[name].empty and name not in options:
            raise click.UsageError(f"recipe {recipe!r} needs --set {name}=..., for instance --set {name}=3.")
    if file is None and takes == "features":
        raise click.UsageError(f"recipe {recipe!r} needs features; name a FILE of features.")


def _different(names: list[str]) -> list[str]:
    """Names with a number where they are repeated, since a table's columns must differ."""
    return names if len(set(names)) == len(names) else [f"{name}_{place}" for place, name in enumerate(names)]


def _write(made: MadeEnsemble, table: Any, output: str | None, manifest: str | None, as_json: bool) -> None:
    """Write labels and manifest; without a file the labels go to stdout."""
    import pandas as pd

    if manifest is not None:
        save_table(manifest, made.manifest)
    if output is not None:
        save_matrix(output, table, ids=made.ids)
    elif not as_json:
        save_table(STANDARD, pd.concat([made.ids, table], axis=1))


def _show(summary: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    output = summary["output"]
    counts = f"{count(summary['n_objects'], 'object')}, {count(summary['n_clusterings'], 'clustering')}"
    say(counts, err=output is None)
    if "features" in summary:
        print_features(summary, err=output is None)
    if output is not None:
        say(f"written to {output}; next: partita consensus {output} -o consensus.csv")
    print_python(summary["python"], err=output is None)
