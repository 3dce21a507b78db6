"""``partita reproduce``: tables and figures of the papers, run again and set beside what the papers say."""

import os
from pathlib import Path
from typing import Any

import click

from partita.cli._command import command
from partita.cli._options import jobs_option, json_option, parse_names
from partita.cli._say import is_quiet, print_json, say

_LIST, _PAGES, _ALL = "list", "pages", "all"
_HELP = """Run tables and figures of the papers again.

ITEM is the name of a table or figure (pcc-table-4), of a paper (pcc, peace, nbce, bce, slides), or "all". "list" names
them; "pages" writes pages with all claims, tables and figures from the results in the output folder.

Data sets are read from the folder in the environment variable PARTITA_DATA, or downloaded. Results are kept in the
output folder as JSON, so that a run that was interrupted goes on where it was.
"""


@command(help=_HELP)
@click.argument("item", metavar="ITEM")
@click.option("-o", "--output", type=click.Path(), help="Folder for results, tables and figures [partita-results].")
@click.option("--quick", is_flag=True, help="Fewer data sets, repeats and objects: minutes instead of hours.")
@click.option("--data", metavar="A,B,...", help="Only these data sets, by the paper's names.")
@jobs_option
@json_option
def reproduce(item: str, output: str | None, quick: bool, data: str | None, jobs: int, as_json: bool) -> None:
    """Run items, or list them; the help is above."""
    folder = Path(output or "partita-results")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; pass a folder.")
    if item == _LIST:
        _list(as_json)
    elif item == _PAGES:
        _pages(folder, quick, as_json)
    else:
        n_processes = jobs if jobs > 0 else os.cpu_count() or 1
        _run(_names(item), folder, quick, None if data is None else parse_names(data), n_processes, as_json)


def _list(as_json: bool) -> None:
    from partita.experiments._reproduce import items

    known = [
        {"item": one.name, "title": one.title, "experiment": one.experiment.name, "words": one.experiment.words}
        for one in items().values()
    ]
    if as_json:
        print_json({"items": known, "quick": False, "output": None})
        return
    for one in known:
        click.echo(one["item"] if is_quiet() else f"{one['item']:<20} {one['title']}")
    say("\nitems of one experiment share its results:")
    for name, words in dict.fromkeys((one["experiment"], one["words"]) for one in known):
        say(f"{name:<20} {words}")


def _pages(folder: Path, quick: bool, as_json: bool) -> None:
    from partita.experiments._pages import write_pages

    written = [str(path) for path in write_pages(folder, quick=quick)]
    if as_json:
        print_json({"items": [], "quick": quick, "output": str(folder), "files": written})
        return
    for path in written:
        say(f"written to {path}")


def _names(word: str) -> list[str]:
    from partita.experiments._reproduce import item_named, items

    if word == _ALL:
        return list(items())
    of_paper = [name for name, one in items().items() if one.paper == word.lower()]
    return of_paper or [item_named(word).name]


def _run(names: list[str], folder: Path, quick: bool, data: list[str] | None, jobs: int, as_json: bool) -> None:
    from partita.experiments._reproduce import reproduce, save_text, text_of

    names = _with_data(names, data, quick)
    facts, n_missing = [], 0
    for name in names:
        found = reproduce(name, quick=quick, output=folder, data=data, jobs=jobs, verbose=not is_quiet())
        text = text_of(found)
        ending = ".quick" if quick else ""
        save_text(text, folder / f"{name}{ending}.md")
        picture = _draw(found, folder / f"{name}{ending}.svg")
        facts.append(_facts(found, picture))
        n_missing += found.n_missing + bool(found.stored.table["error"].notna().any())
        if not as_json:
            say(text)
            files = [f"{name}{ending}.md", *([f"{name}{ending}.svg"] if picture else []), found.stored_name]
            say(f"kept in {folder}: {', '.join(files)}\n")
    if as_json:
        print_json({"items": facts, "quick": quick, "output": str(folder)})
    if n_missing:
        click.echo("partita: some cells or fits failed; run the same command again to try them", err=True)
        click.get_current_context().exit(1)


def _with_data(names: list[str], data: list[str] | None, quick: bool) -> list[str]:
    """The items that have one of the data sets; refused, before anything runs, if none has."""
    from partita.experiments._reproduce import items, wanted_cells

    kept = []
    for name in names:
        try:
            wanted_cells(items()[name], data, quick=quick)
            kept.append(name)
        except ValueError:
            if len(names) == 1:
                raise
    if not kept:
        raise ValueError(f"none of these items has all of the data sets {', '.join(data or [])}.")
    return kept


def _draw(found: Any, path: Path) -> str | None:
    """Write the figure, if the item has one and matplotlib is there."""
    from partita.experiments._reproduce import save_picture

    try:
        figure = found.figure()
    except ImportError as error:
        click.echo(f"partita: no figure: {error}", err=True)
        return None
    except (KeyError, ValueError, TypeError, AttributeError) as error:  # a failed cell may lack what a figure needs
        click.echo(f"partita: no figure of {found.item.name}: {type(error).__name__}: {error}", err=True)
        return None
    if figure is None:
        return None
    save_picture(figure, path)
    return str(path)


def _facts(found: Any, picture: str | None) -> dict[str, Any]:
    item = found.item
    verdicts = [
        {"claim": claim.text, "verdict": verdict.word, "measured": verdict.figure, "p_value": verdict.p_value}
        for claim, verdict in found.verdicts
    ]
    tables = [{"title": table.title, "header": table.header, "rows": table.rows} for table in found.tables]
    return {
        "item": item.name,
        "title": item.title,
        "experiment": item.experiment.name,
        "tables": tables,
        "verdicts": verdicts,
        "notes": list(item.notes),
        "errors": found.stored.errors,
        "n_cells": len(found.stored.cells),
        "n_cells_missing": found.n_missing,
        "figure_output": picture,
    }
