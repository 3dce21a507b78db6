"""``partita completion``: the script that lets a shell complete commands, options, methods and files."""

from typing import Any

import click

from partita.cli._command import command
from partita.cli._options import json_option
from partita.cli._say import print_json

_VARIABLE = "_PARTITA_COMPLETE"  # click looks for it when a shell asks what could come next


@command()
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def completion(context: click.Context, shell: str, as_json: bool) -> None:
    """Print the script with which SHELL completes partita's commands, options, names of methods, and files.

    SHELL is bash, zsh or fish. Let it read the script when it starts, as the examples show; then press the Tab key
    after `partita `.
    """
    script = script_of(shell, context.find_root().command)
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)


def script_of(shell: str, root: Any) -> str:
    """The script; click's own, without the question for the shell's version, which would start that shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(root, {}, "partita", _VARIABLE)
    return str(made.source_template % made.source_vars())
