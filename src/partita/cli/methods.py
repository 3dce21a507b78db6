"""``partita methods``: which methods there are."""

import textwrap
from typing import Any

import click

from partita.cli._command import command
from partita.cli._options import json_option
from partita.cli._say import is_quiet, print_json, say
from partita.cli._width import width
from partita.consensus._methods import COST_SYMBOLS, Method
from partita.consensus._registered import all_methods


@command()
@click.option("--long", "long", is_flag=True, help="Show what a missing label means and what a method costs, too.")
@json_option
def methods(long: bool, as_json: bool) -> None:
    """List the consensus methods: what each does, whether it finds the number of clusters, and its paper."""
    known = all_methods()
    if as_json:
        print_json({"methods": [_facts(method) for method in known.values()]})
        return
    if is_quiet():
        click.echo("\n".join(known))
        return
    indent = max(map(len, known)) + 2
    for name, method in known.items():
        output = "probabilities" if method.soft else "hard labels"
        lines = [method.summary, f"{_number(method)}; {output}; {method.home}.{method.estimator}; {method.source}"]
        if long:
            lines += [f"missing label: {method.missing}", f"cost: {method.cost}"]
            lines += [f"also: {method.variants}"] if method.variants != "-" else []
        for place, line in enumerate(lines):
            first = f"{'' if place else name:<{indent}}"
            say(textwrap.fill(line, width(), initial_indent=first, subsequent_indent=" " * (indent + 2)))
    if long:
        say()
        say(textwrap.fill(f"cost with {COST_SYMBOLS}", width()))


def _facts(method: Method) -> dict[str, Any]:
    """What a user needs to know to choose the method, as plain values."""
    return {
        "method": method.name,
        "class": method.estimator,
        "import_from": method.home,
        "summary": method.summary,
        "source": method.source,
        "soft": method.soft,
        "clusters": method.number_of_clusters,
        "missing_label": method.missing,
        "cost": method.cost,
        "for_soft": method.for_soft,
        "more_clusterings": method.grows,
        "by_columns": method.by_columns,
        "by_rows": method.by_rows,
    }


def _number(method: Method) -> str:
    """What --n-clusters is to the method."""
    if method.finds_k:
        return "finds the number of clusters"
    return "takes --n-clusters as an upper bound" if method.upper_bound else "needs --n-clusters"
