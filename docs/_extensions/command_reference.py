"""The directive ``partita-commands``: the help of every command, asked of the command line itself."""

from collections.abc import Iterator
from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH = 100


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("partita-commands", CommandReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class CommandReference(SphinxDirective):
    """One section per command with its help, sub-commands after their group."""

    def run(self) -> list[nodes.Node]:
        """Sections in the order of the names."""
        return [self.section(name, text) for name, text in helps()]

    def section(self, name: str, text: str) -> nodes.section:
        """A section that can be linked to, such as #partita-consensus."""
        section = nodes.section(ids=[nodes.make_id(name)], names=[nodes.fully_normalize_name(name)])
        block = nodes.literal_block(text, text, language="none")
        section += [nodes.title(name, "", nodes.literal(name, name)), block]
        self.state.document.note_explicit_target(section)
        return section


def helps() -> Iterator[tuple[str, str]]:
    """Each command as it is called, and its help."""
    from partita.cli.main import app

    context = click.Context(app, info_name="partita", terminal_width=WIDTH, max_content_width=WIDTH)
    yield "partita", app.get_help(context)
    yield from below(app, context)


def below(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """Commands of a group, each followed by its own."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(
            command, info_name=name, parent=context, terminal_width=WIDTH, max_content_width=WIDTH,
            help_option_names=["-h", "--help"],
        )  # fmt: skip
        yield inner.command_path, command.get_help(inner)
        if isinstance(command, click.Group):
            yield from below(command, inner)
