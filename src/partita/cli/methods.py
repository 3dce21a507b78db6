"""``partita methods``: what can be asked for."""

import json

import click

from partita.cli._methods import METHODS


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(as_json: bool) -> None:
    """List the consensus methods."""
    if as_json:
        click.echo(json.dumps({name: method._asdict() for name, method in METHODS.items()}, indent=2))
        return
    width = max(map(len, METHODS))
    for name, method in METHODS.items():
        finds = "finds the number of clusters" if method.finds_k else "needs --n-clusters"
        output = "probabilities" if method.soft else "hard labels"
        click.echo(f"{name:<{width}}  {method.summary}")
        click.echo(f"{'':<{width}}  {finds}; {output}; partita.{method.estimator}; {method.source}")
