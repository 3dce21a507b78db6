"""``partita plot``: one picture of the clusterings of a file and their consensus."""

from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from partita.cli._command import command
from partita.cli._figures import OVER, Drawing, draw_labels, draw_table, save_figure
from partita.cli._file_options import InputFile
from partita.cli._label_file import force_option
from partita.cli._methods import AUTO
from partita.cli._options import (
    annotate_option,
    jobs_option,
    json_option,
    label_file_arguments,
    label_file_options,
    max_time_option,
    method_options,
    parse_names,
    parse_settings,
    seed_option,
    within_max_time,
)
from partita.cli._python_lines import print_python
from partita.cli._results import check_targets
from partita.cli._say import print_json, say
from partita.plotting._kinds import KINDS


class _For(NamedTuple):
    """Kinds of pictures that an option is for."""

    option: str
    kinds: tuple[str, ...]


_METHODS = ("convergence", "curve", "rank")
_OF_ONE = tuple(name for name, kind in KINDS.items() if kind.of_result)
_OPTIONS = {
    "method": _For("--method", _OF_ONE),
    "settings": _For("--set", _OF_ONE),
    "jobs": _For("--jobs", tuple(kind for kind in KINDS if kind not in ("rank", "convergence", "resolutions"))),
    "n_clusters": _For("--n-clusters", tuple(kind for kind in KINDS if kind != "resolutions")),
    "partition": _For("--partition", tuple(kind for kind in _OF_ONE if kind not in ("dendrogram", "convergence"))),
    "annotate": _For("--annotate", ("coassociation",)),
    "coordinates": _For("--coordinates", ("scatter",)),
    "order": _For("--order", ("coassociation", "agreement", "resolutions")),
    "measure": _For("--measure", ("agreement",)),
    "methods": _For("--methods", _METHODS),
    "over": _For("--over", ("curve",)),
    "max_drawn": _For("--max-drawn", ("coassociation", "membership", "tracking", "cdf", "curve", "scatter")),
    "is_table": _For("--table", ("curve", "rank")),
    "x": _For("--x", ("curve",)),
    "y": _For("--y", ("curve",)),
    "by": _For("--by", ("curve",)),
}


_HELP = "\n".join(
    [
        "Draw one KIND of picture of the clusterings of FILE and their consensus.",
        "\n\b",
        *(f"{name:<14} {kind.words}" for name, kind in KINDS.items()),
    ]
)


@command(help=_HELP)
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
@click.argument("file", type=InputFile())
@click.option("-o", "--output", type=click.Path(), required=True, help="Picture to write: SVG, PNG or PDF by its name.")
@method_options
@click.option("--partition", metavar="NAME", help="Column of FILE with the clusters to show [the consensus].")
@annotate_option
@click.option("--coordinates", metavar="X,Y", help="For scatter: two columns of FILE [principal components of the "
              "labels].")  # fmt: skip
@click.option("--order", metavar="NAME", help="Order of the objects in coassociation: dendrogram, vat or cluster; of "
              "the clusterings in agreement: similarity or given, in resolutions: given [by size].")  # fmt: skip
@click.option("--measure", type=click.Choice(["adjusted_rand", "nmi"]), help="For agreement [adjusted_rand].")
@click.option("--methods", metavar="A,B,...", help="For convergence, curve and rank: methods to compare.")
@click.option("--over", type=click.Choice(OVER), help="For curve: what is varied [columns].")
@click.option("--table", "is_table", is_flag=True, help="For curve and rank: FILE holds results; for curve one row per "
              "measurement, with --x, --y and --by, for rank one row per data set, one column per method.")  # fmt: skip
@click.option("--x", metavar="NAME", help="With --table: column of the parameter.")
@click.option("--y", metavar="NAME", help="With --table: column of the quantity.")
@click.option("--by", metavar="NAME", help="With --table: column of the method.")
@click.option("--max-drawn", type=click.IntRange(1), help="Most objects that are drawn one by one [2000].")
@seed_option
@jobs_option
@max_time_option
@label_file_options
@force_option
@json_option
@click.pass_context
def plot(
    context: click.Context,
    kind: str,
    file: str,
    output: str,
    method: str,
    n_clusters: int | str | None,
    settings: tuple[str, ...],
    partition: str | None,
    annotate: tuple[str, ...],
    coordinates: str | None,
    order: str | None,
    measure: str | None,
    methods: str | None,
    over: str | None,
    is_table: bool,
    x: str | None,
    y: str | None,
    by: str | None,
    max_drawn: int | None,
    seed: int,
    jobs: int,
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    noise: Any,
    force: bool,
    as_json: bool,
) -> None:
    """Draw one kind of picture; the help is made from the table of pictures."""
    _check_options(context, kind)
    check_targets([], [file], figure=output)
    reading = label_file_arguments(columns, drop, id_column, no_ids, header)
    parameters = parse_settings(settings) | ({} if n_clusters is None else {"n_clusters": n_clusters})
    if is_table:
        drawn = draw_table(kind, file, reading, x, y, by)
    else:
        task = Drawing(kind, method, parameters, reading, noise, seed=seed, jobs=jobs, force=force)
        options: dict[str, Any] = {"order": order, "measure": measure, "max_objects": max_drawn, "over": over}
        chosen = {name: value for name, value in options.items() if value is not None}
        if methods is not None:
            chosen["methods"] = parse_names(methods)
        with within_max_time():
            drawn = draw_labels(task, file, parse_names(*annotate), parse_names(coordinates or ""), partition, chosen)
    save_figure(drawn, output)
    facts = {
        "file": file,
        "picture": kind,
        "seed": seed,
        **drawn.facts,
        "output": output,
        "python": drawn.lines(output),
    }
    if as_json:
        print_json(facts)
        return
    say(f"written to {output}")
    print_python(facts["python"], err=False)


def _check_options(context: click.Context, kind: str) -> None:
    """Refuse, before any work, options that this kind of picture cannot use."""
    for name, (option, kinds) in _OPTIONS.items():
        if kind not in kinds and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            instead = " (--drop leaves columns out)" if option == "--annotate" else ""
            raise click.UsageError(f"{option} is not for {kind}; it is for {', '.join(kinds)}{instead}.")
    given = context.params
    if given["is_table"]:
        missing = [option for option in ("x", "y") if kind == "curve" and given[option] is None]
        if missing:
            raise click.UsageError(f"curve --table needs --{missing[0]}, the name of a column of FILE.")
    elif any(given[option] is not None for option in ("x", "y", "by")):
        raise click.UsageError("--x, --y and --by name columns of a table of results; pass --table too.")
    fits = given["method"] != AUTO or given["n_clusters"] is not None or given["settings"]
    if given["partition"] is not None and fits:
        raise click.UsageError("--partition shows clusters that are there; leave out --method, --n-clusters and --set.")
    if kind == "convergence" and given["methods"] is not None and (given["method"] != AUTO or given["settings"]):
        raise click.UsageError("--methods names all methods of the picture; leave out --method and --set.")
    if given["coordinates"] is not None and len(parse_names(given["coordinates"])) != 2:
        raise click.UsageError(f"--coordinates {given['coordinates']!r} must name two columns, such as umap1,umap2.")
