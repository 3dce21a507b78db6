"""``partita demo``: the main job on data that comes with the package."""

import textwrap
from pathlib import Path

import click

from partita._optional import available
from partita.cli._command import command
from partita.cli._methods import AUTO
from partita.cli._options import json_option
from partita.cli._pages import Page
from partita.cli._results import print_summary, rounded
from partita.cli._say import print_json, say
from partita.cli._width import width
from partita.cli.consensus import run_consensus


@command()
@click.option("-d", "--folder", type=click.Path(file_okay=False), default="partita-demo", show_default=True,
              help="Where to write labels.csv, consensus.csv and report.html.")  # fmt: skip
@json_option
def demo(folder: str, as_json: bool) -> None:
    """Run a consensus on 30 clusterings of 178 wines, and show what came out.

    The files in the folder are what you would have: labels.csv is a table of labels, consensus.csv the clusters that
    were found, report.html a page that opens offline.
    """
    import pandas as pd

    from partita.datasets import load_wine_ensemble
    from partita.io import write_table
    from partita.metrics import adjusted_rand_score, consistency_index

    wine = load_wine_ensemble()
    place = _made(folder)
    labels, output = place / "labels.csv", place / "consensus.csv"
    table = wine.labels.astype("Int64")
    write_table(labels, pd.concat([wine.ids, table], axis=1))
    page = str(place / "report.html") if available("jinja2") and available("matplotlib") else None
    if not as_json:
        say(f"{textwrap.fill(wine.description, width())}\n")
    summary, result = run_consensus(str(labels), str(output), AUTO, {}, {}, page=None if page is None else Page(page))
    agreement = consistency_index(wine.target, result["label"])
    ari = adjusted_rand_score(wine.target, result["label"])
    if as_json:
        print_json({**summary, "consistency_index": rounded(agreement), "adjusted_rand": rounded(ari)})
        return
    print_summary(summary)
    found = (
        f"The cultivars were not used; {agreement:.1%} of the wines are in their cultivar's cluster (ARI {ari:.2f})."
    )
    say(f"\n{textwrap.fill(found, width())}")
    say(f"Labels: {labels}   Consensus: {output}")
    say(f"Report: {page}" if page is not None else 'For a report, first run: pip install "partita[report]"')
    say(f"Next:   partita check {labels}")
    say("then:   partita consensus YOUR_LABELS.csv -o consensus.csv")


def _made(folder: str) -> Path:
    """The folder, which may be there already."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror
        raise ValueError(f"the folder {folder!r} cannot be made ({why}); name another by --folder.") from None
    return place
