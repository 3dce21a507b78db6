"""Commands whose help reads like a page of a manual: what it does, options in groups, examples, see also."""

from functools import partial
from typing import Any

import click

from partita.cli._examples import EXAMPLES, SEE_ALSO, SHORT
from partita.cli._say import quiet_option

# Groups of options in the order of the help, with the options that belong to them; others are "Options".
_GROUPS = {
    "Reading the file": (
        "kind", "columns", "drop", "id_column", "no_ids", "header", "separator", "missing", "no_missing_words",
        "encoding", "noise", "impute", "encode", "scale", "force", "features", "annotations", "coordinates",
        "partition", "is_table", "x", "y",
    ),
    "Method": (
        "model", "method", "n_clusters", "settings", "divergence", "pairs", "families", "base", "n_clusterings",
        "base_clusters", "sample_fraction", "recipe", "methods", "include_slow", "resamples", "references",
        "max_objects", "selection", "keep", "enough", "heuristic", "paper", "by", "names",
    ),
    "Privacy": (
        "encrypted", "with_noise", "epsilon", "accept_disclosure", "keys", "secret_key", "min_objects", "min_count",
    ),
    "Output": (
        "output", "folder", "labels", "membership", "confidence", "save_model", "report", "annotate", "compare",
        "compare_methods", "n_resamples", "tables", "title", "manifest", "matrix", "matrix_output", "long", "order",
        "measure", "over", "max_drawn", "spreadsheet_safe", "overwrite", "as_json", "quiet",
    ),
    "Run": (
        "seed", "jobs", "max_time", "quick", "data", "resume", "block_rows", "dask", "tls_ca", "tls_cert", "tls_key",
        "checkpoint", "state", "timeout", "sites", "valid_days", "join_timeout", "workspace", "local", "port", "host",
    ),
}  # fmt: skip
_OTHERS = "Options"


class _Formatter(click.HelpFormatter):
    """Headings in bold, which is left out where nobody sees it."""

    def write_heading(self, heading: str) -> None:
        super().write_heading(click.style(heading, bold=True))


class _Context(click.Context):
    formatter_class = _Formatter


class Command(click.Command):
    """A command with ``--quiet``, and with the examples of its name in its help."""

    context_class = _Context

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        quiet_option(self)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in their groups; what names files and methods comes first."""
        found: dict[str, list[tuple[str, str]]] = {name: [] for name in (_OTHERS, *_GROUPS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                found["Run" if "--help" in parameter.opts else _group_of(str(parameter.name))].append(record)
        for name, records in found.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and which commands go with this one."""
        _write_examples(ctx, formatter)


class Group(click.Group):
    """A group whose commands are listed under headings."""

    context_class = _Context
    command_class = Command

    def __init__(self, *args: Any, headings: dict[str, tuple[str, ...]] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._headings = headings or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their headings."""
        named = [name for names in self._headings.values() for name in names if name in self.commands]
        return named + [name for name in self.commands if name not in named]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, one line each, under their headings."""
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(len(name) for name in names)
        under: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            heading = next((title for title, ours in self._headings.items() if name in ours), "Commands")
            words = SHORT.get(name) or self.commands[name].get_short_help_str(limit)
            under.setdefault(heading, []).append((name, words))
        widest = max(len(name) for name in names)
        for heading, rows in under.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{widest}}", words) for name, words in rows])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        _write_examples(ctx, formatter)


command = partial(click.command, cls=Command)


def examples_of(path: str) -> list[tuple[str, str]]:
    """Command lines of the help, each with what it does; ``path`` is such as "partita federate simulate"."""
    return EXAMPLES.get(path.removeprefix("partita").strip(), [])


def _group_of(name: str) -> str:
    return next((group for group, names in _GROUPS.items() if name in names), _OTHERS)


def _write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    shown = examples_of(ctx.command_path)
    if shown:
        with formatter.section("Examples"):
            for line, words in shown:
                formatter.write_text(words)
                formatter.write(f"{'':>{formatter.current_indent + 2}}{line}\n")
    also = SEE_ALSO.get(ctx.command_path.removeprefix("partita").strip())
    if also:
        with formatter.section("See also"):
            formatter.write_text(also)
