"""``partita demo``: the main job on data that comes with the package."""

import textwrap
from pathlib import Path

import click

from partita._optional import available
from partita.cli._methods import AUTO
from partita.cli._pages import Page
from partita.cli._results import print_summary
from partita.cli._width import width
from partita.cli.consensus import run_consensus


@click.command()
@click.option("-d", "--folder", type=click.Path(file_okay=False), default="partita-demo", show_default=True,
              help="Where to write labels.csv, consensus.csv and report.html.")  # fmt: skip
def demo(folder: str) -> None:
    """Run a consensus on 30 clusterings of 178 wines, and show what came out."""
    import pandas as pd

    from partita.datasets import load_wine_ensemble
    from partita.io import write_table
    from partita.metrics import adjusted_rand_score, consistency_index

    wine = load_wine_ensemble()
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    labels, output = place / "labels.csv", place / "consensus.csv"
    click.echo(textwrap.fill(wine.description, width()))
    click.echo()
    table = wine.labels.astype("Int64")
    write_table(labels, pd.concat([wine.ids, table], axis=1))
    page = str(place / "report.html") if available("jinja2") and available("matplotlib") else None
    summary, result = run_consensus(str(labels), str(output), AUTO, {}, {}, page=None if page is None else Page(page))
    print_summary(summary)
    click.echo()
    agreement = consistency_index(wine.target, result["label"])
    ari = adjusted_rand_score(wine.target, result["label"])
    found = (
        f"The cultivars were not used; {agreement:.1%} of the wines are in their cultivar's cluster (ARI {ari:.2f})."
    )
    click.echo(textwrap.fill(found, width()))
    click.echo(f"Labels: {labels}   Consensus: {output}")
    click.echo(f"Report: {page}" if page is not None else 'For a report, first run: pip install "partita[report]"')
    click.echo(f"Next:   partita check {labels}")
    click.echo("then:   partita consensus YOUR_LABELS.csv -o consensus.csv")
