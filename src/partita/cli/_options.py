"""Options that several commands share, each with one meaning, and how their values are read."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from partita.cli._file_options import reading_arguments, reading_options
from partita.cli._interrupt import heard_interrupt
from partita.cli._methods import AUTO, MethodName

_MAX_TIME = "partita.max_time"  # where the context keeps --max-time

F = TypeVar("F", bound=Callable[..., Any])
Option = Callable[[F], F]


class Jobs(click.types.IntParamType):
    """A number of threads: any whole number but 0."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a refusal."""
        number = int(super().convert(value, param, ctx))
        if number == 0:
            self.fail("pass a whole number other than 0; -1 takes all cores.", param, ctx)
        return number


class NumberOfClusters(click.types.IntParamType):
    """A number of clusters from 1, or "auto"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number or the word, or a refusal."""
        if str(value) == AUTO:
            return AUTO
        if not str(value).isdecimal() or int(value) < 1:
            self.fail(f"{str(value)!r} is no number of clusters; pass a whole number from 1, or auto.", param, ctx)
        return int(value)


seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Seed of all that is random."
)
jobs_option = click.option(
    "--jobs",
    type=Jobs(),
    default=1,
    show_default=True,
    help="Number of threads, -1 for all cores; the result does not depend on it.",
)
max_time_option = click.option(
    "--max-time",
    type=click.FloatRange(min=0, min_open=True, max=1e9),
    metavar="SECONDS",
    expose_value=False,
    callback=lambda context, _, seconds: context.meta.__setitem__(_MAX_TIME, seconds),
    help="Give up, with an error and nothing written, when the result is not found in this time [no limit].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/command-line.md lists its keys.")
noise_option = click.option(
    "--noise",
    type=click.Choice(["missing", "singleton", "cluster"]),
    default="missing",
    show_default=True,
    help="What the label -1 means: not labelled, a cluster of its own, or one cluster.",
)
columns_option = click.option("--columns", metavar="A,B,...", help="Columns of FILE to use [all but the ids].")
drop_option = click.option(
    "--drop",
    metavar="A,B,...",
    multiple=True,
    help="Columns to leave out, such as a known class; repeatable.",
)
kind_option = click.option(
    "--kind",
    type=click.Choice(["auto", "labels", "features"]),
    default="auto",
    show_default=True,
    help="What FILE holds; auto: features if columns hold measurements, else labels.",
)
settings_option = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Any parameter, by its name in Python: of the consensus method, or, in generate, of the recipe; repeatable.",
)
membership_option = click.option(
    "--membership",
    type=click.Path(),
    help="File to write the probabilities of the clusters to, from a soft method; from others the votes for them.",
)
confidence_option = click.option(
    "--confidence",
    type=click.Path(),
    help="File to write how sure the result is of each object to: confidence, vote, and the second cluster.",
)
report_option = click.option(
    "--report", type=click.Path(), help="File to write a report to: one HTML page that opens offline (extra report)."
)
compare_option = click.option("--compare", is_flag=True, help="Show ten quick methods side by side in the report, too.")
annotate_option = click.option(
    "--annotate",
    metavar="A,B,...",
    multiple=True,
    help="Columns that are no clusterings and no features, to show and to test against the clusters; repeatable.",
)


def max_time() -> float | None:
    """The limit of --max-time, None if there is none."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_MAX_TIME)


@contextmanager
def within_max_time() -> Iterator[None]:
    """Let what is computed inside end when the time of --max-time is over, or at Ctrl-C; writing belongs outside."""
    from partita import limits

    with heard_interrupt() as interrupt, limits(max_time(), cancel=interrupt):
        yield


def add_options(command: F, *options: Option[Any]) -> F:
    """Add options so that the help shows them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def method_options(command: F) -> F:
    """Options on the consensus method and its parameters."""
    return add_options(
        command,
        click.option("-m", "--method", metavar="NAME", type=MethodName(), default=AUTO,
                     show_default=True, help="Consensus method; see `partita methods`."),
        click.option("-k", "--n-clusters", type=NumberOfClusters(), metavar="NUMBER|auto",
                     help="Number of clusters; auto: on which halves of the clusterings agree best. Without it, auto "
                          "and others find one, some take an upper bound [8]."),
        settings_option,
    )  # fmt: skip


def label_reading_options(command: F) -> F:
    """Options on how a label file is read, where a model says what -1 means."""
    return add_options(command, columns_option, drop_option, *_id_options(), *reading_options)


def label_file_options(command: F) -> F:
    """Options on how a label file is read."""
    return label_reading_options(noise_option(command))


def feature_file_options(command: F) -> F:
    """Options on how a table of features is read and scaled."""
    return add_options(
        command,
        columns_option,
        drop_option,
        *_id_options(),
        *reading_options,
        click.option("--impute", type=click.Choice(["median", "mean"]),
                     help="Fill missing numbers with the median or mean of their column, missing text with the most "
                          "frequent one."),
        click.option("--encode", is_flag=True, help="Turn text into columns of 0 and 1, one per value."),
        click.option("--scale/--no-scale", default=True, show_default=True,
                     help="Give every feature mean 0 and variance 1 first."),
    )  # fmt: skip


def _id_options() -> list[Option[Any]]:
    return [
        click.option("--id-column", metavar="NAME", help="Column that names the objects [recognised]."),
        click.option("--no-ids", is_flag=True, help="The file has no column of ids."),
        click.option("--header/--no-header", default=None, help="Whether the file begins with names [recognised]."),
    ]


# ----------------------------------------------------------------------------------------------- values of options
def label_file_arguments(
    columns: str | None, drop: tuple[str, ...], id_column: str | None, no_ids: bool, header: bool | None
) -> dict[str, Any]:
    """Keyword arguments of ``read_labels``, only those that differ from its defaults; and what is left out after it."""
    arguments: dict[str, Any] = {}
    if id_column is not None and no_ids:
        raise click.UsageError("--id-column and --no-ids exclude each other; pass one of them.")
    if columns is not None:
        arguments["columns"] = parse_names(columns)
    if id_column is not None or no_ids:
        arguments["id_column"] = id_column if id_column is not None else False
    if header is not None:
        arguments["header"] = header
    if drop:
        arguments["drop"] = parse_names(*drop)
    return arguments | reading_arguments()


def feature_file_arguments(
    columns: str | None,
    drop: tuple[str, ...],
    id_column: str | None,
    no_ids: bool,
    header: bool | None,
    impute: str | None,
    encode: bool,
) -> dict[str, Any]:
    """Keyword arguments of ``read_feature_table``, only those that differ from its defaults."""
    arguments = label_file_arguments(columns, drop, id_column, no_ids, header)
    return arguments | ({"impute": impute} if impute else {}) | ({"encode": True} if encode else {})


def words_of_reading(reading: dict[str, Any]) -> list[str]:
    """The words of the command line that give these arguments."""
    words = []
    for name in ("columns", "drop"):
        if name in reading:
            words += [f"--{name}", ",".join(f'"{text}"' if "," in text else text for text in reading[name])]
    if "id_column" in reading:
        words += ["--no-ids"] if reading["id_column"] is False else ["--id-column", reading["id_column"]]
    if "header" in reading:
        words.append("--header" if reading["header"] else "--no-header")
    words += [word for value in reading.get("missing", ()) for word in ("--missing", value)]
    words += ["--no-missing-words"] if "missing_words" in reading else []
    words += ["--encoding", reading["encoding"]] if "encoding" in reading else []
    words += ["--separator", reading["separator"]] if "separator" in reading else []
    words += ["--impute", reading["impute"]] if "impute" in reading else []
    return words + (["--encode"] if "encode" in reading else [])


def parse_names(*texts: str) -> list[str]:
    """Names between commas; one that has a comma itself stands in double quotes."""
    rows = csv.reader(texts, skipinitialspace=True)
    return list(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))


# Parameters that have an option of their own, and the argument of a command that holds its value.
_OPTIONS = {
    "n_clusters": ("--n-clusters", "n_clusters"),
    "random_state": ("--seed", "seed"),
    "n_jobs": ("--jobs", "jobs"),
    "divergence": ("--divergence", "divergence"),
    "pairs": ("--pairs", "pairs"),
    "families": ("--family", "families"),
}


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """Parameters from NAME=VALUE; a value is read as JSON where it can be, else as text.

    A parameter that is set by its own option too is refused.
    """
    context = click.get_current_context()
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set {setting!r} must be NAME=VALUE, for instance --set linkage=single.")
        name = name.strip()
        option, argument = _OPTIONS.get(name, ("", ""))
        if option and context.get_parameter_source(argument) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} and --set {name}=... set the same parameter; pass one of them.")
        parameters[name] = parse_value(text)
    return parameters


def parse_families(families: tuple[str, ...]) -> str | dict[str, str]:
    """One family for all features, or families by name."""
    if len(families) == 1 and "=" not in families[0]:
        return families[0]
    wrong = [family for family in families if "=" not in family]
    if wrong:
        raise click.UsageError(f"--family {wrong[0]!r} must be NAME=FAMILY where there are several.")
    return {name.strip(): family.strip() for name, _, family in (text.partition("=") for text in families)}


def parse_value(text: str) -> Any:
    """A number, list or truth value where the text is one, else the text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"None": None, "True": True, "False": False}.get(text, text)


def parse_numbers(text: str) -> int | list[int] | tuple[int, int]:
    """Numbers of clusters: "8", "2,3,5", or "10-30" for a range."""
    try:
        if "-" in text:
            low, high = (int(part) for part in text.split("-"))
            return low, high
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"{text!r} is not a number of clusters; write 8, 2,3,5 or 10-30.") from None
    return values[0] if len(values) == 1 else values
