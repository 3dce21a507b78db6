"""Options that several commands share."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def reading_options(command: F) -> F:
    """Options on how a label file is read."""
    for option in (
        click.option("--noise", type=click.Choice(["missing", "singleton", "cluster"]), default="missing",
                     show_default=True, help="What -1 means: not labelled, a cluster of its own, or one cluster."),
        click.option("--header/--no-header", default=None, help="Whether the file begins with names [recognised]."),
        click.option("--no-ids", is_flag=True, help="The file has no column of ids."),
        click.option("--id-column", metavar="NAME", help="Column that names the objects [recognised]."),
        click.option("--columns", metavar="A,B,...", help="Clusterings to use [all]."),
    ):  # fmt: skip
        command = option(command)
    return command


def reading_arguments(columns: str | None, id_column: str | None, no_ids: bool, header: bool | None) -> dict[str, Any]:
    """Keyword arguments of ``read_labels``, only those that differ from its defaults."""
    arguments: dict[str, Any] = {}
    if id_column is not None and no_ids:
        raise click.UsageError("--id-column and --no-ids exclude each other.")
    if columns is not None:
        arguments["columns"] = [name.strip() for name in columns.split(",") if name.strip()]
    if id_column is not None or no_ids:
        arguments["id_column"] = id_column if id_column is not None else False
    if header is not None:
        arguments["header"] = header
    return arguments


def parse_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """Estimator parameters from NAME=VALUE; a value is read as JSON where it can be, else as text."""
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set {setting!r} must be NAME=VALUE, for instance --set linkage=single.")
        parameters[name.strip()] = parse_value(text)
    return parameters


def parse_families(families: tuple[str, ...]) -> str | dict[str, str] | None:
    """One family for all features, or families by name."""
    if not families:
        return None
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


def feature_options(command: F) -> F:
    """Options on how a table of features is read and scaled."""
    for option in (
        click.option("--scale/--no-scale", default=True, show_default=True,
                     help="Give every feature mean 0 and variance 1 first."),
        click.option("--header/--no-header", default=None, help="Whether the file begins with names [recognised]."),
        click.option("--no-ids", is_flag=True, help="The file has no column of ids."),
        click.option("--id-column", metavar="NAME", help="Column that names the objects [recognised]."),
        click.option("--drop", metavar="A,B,...", help="Columns to leave out, such as a known class."),
        click.option("--columns", metavar="A,B,...", help="Features to use [all]."),
    ):  # fmt: skip
        command = option(command)
    return command


def feature_arguments(
    columns: str | None, drop: str | None, id_column: str | None, no_ids: bool, header: bool | None
) -> dict[str, Any]:
    """Keyword arguments of ``read_feature_table``, only those that differ from its defaults."""
    arguments = reading_arguments(columns, id_column, no_ids, header)
    if drop is not None:
        arguments["drop"] = [name.strip() for name in drop.split(",") if name.strip()]
    return arguments


def parse_numbers(text: str) -> int | list[int] | tuple[int, int]:
    """Numbers of clusters: "8", "2,3,5", or "10-30" for a range."""
    try:
        if "-" in text:
            low, high = (int(part) for part in text.split("-"))
            return low, high
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"{text!r} is no number of clusters; write 8, 2,3,5 or 10-30.") from None
    return values[0] if len(values) == 1 else values
