"""``partita methods``: which methods there are."""

import json

import click

from partita.cli._options import json_option
from partita.consensus._methods import METHODS, Method


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List the consensus methods."""
    if as_json:
        click.echo(json.dumps({name: method._asdict() for name, method in METHODS.items()}, indent=2))
        return
    width = max(map(len, METHODS))
    for name, method in METHODS.items():
        output = "probabilities" if method.soft else "hard labels"
        click.echo(f"{name:<{width}}  {method.summary}")
        click.echo(f"{'':<{width}}  {_number(method)}; {output}; partita.{method.estimator}; {method.source}")


def _number(method: Method) -> str:
    """What --n-clusters is to the method."""
    if method.finds_k:
        return "finds the number of clusters"
    return "takes --n-clusters as an upper bound" if method.upper_bound else "needs --n-clusters"
