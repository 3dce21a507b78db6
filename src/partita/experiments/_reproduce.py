"""Run a table or a figure of the papers again: compute what is missing, store it, and show it beside the paper."""

import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from partita._checks import check_count
from partita.experiments._cells import Cell, outcomes
from partita.experiments._claims import Claim, Verdict, p_words
from partita.experiments._items import Item, Table, beside_the_paper
from partita.experiments._stored import Stored, file_name
from partita.io._replacing import replacing


class Reproduced(NamedTuple):
    """A table or a figure of a paper, run again."""

    item: Item
    stored: Stored  # what was measured
    n_missing: int = 0  # cells that were not computed, or failed

    @property
    def tables(self) -> list[Table]:
        """Ours, beside the paper's values where they are known; none if nothing was measured."""
        if not self.is_measured:
            return []
        printed = beside_the_paper(self.item.printed, self.stored)
        return [*self.item.tables(self.stored), *([] if printed is None else [printed])]

    @property
    def is_measured(self) -> bool:
        """Whether there are measurements, and not only errors."""
        table = self.stored.table
        return bool(len(table)) and bool(table["error"].isna().any())

    @property
    def stored_name(self) -> str:
        """The file of the measurements."""
        return file_name(self.item.experiment.name, quick=self.stored.quick)

    @property
    def verdicts(self) -> list[tuple[Claim, Verdict]]:
        """What the measurements say about each claim of the paper."""
        return [(claim, claim.verdict(self.stored)) for claim in self.item.claims]

    def figure(self) -> Any:
        """The twin of the paper's figure, as a matplotlib figure; None for tables, or if nothing was measured."""
        return None if self.item.draw is None or not self.is_measured else self.item.draw(self.stored)


@lru_cache(maxsize=1)
def items() -> dict[str, Item]:
    """All items by name, paper by paper."""
    from partita.experiments.papers import bce, nbce, pcc, peace, slides

    return {item.name: item for paper in (pcc, peace, nbce, bce, slides) for item in paper.items()}


_SHORT = re.compile(r"([a-z]+)-*(?:(t)(?:able)?|f(?:ig|igure)?)-*([0-9].*)")  # pcc table 4, PCC T4, pcc-fig6


def item_named(name: str) -> Item:
    """The item of this name; "PCC Table 4" and "PCC T4" are understood."""
    plain = re.sub(r"[\s_:.]+", "-", str(name).strip().lower())
    short = _SHORT.fullmatch(plain)
    if short:
        plain = f"{short[1]}-{'table' if short[2] else 'figure'}-{short[3]}"
    if plain not in items():
        near = [known for known in items() if known.startswith(plain.split("-")[0])]
        raise ValueError(f"there is no item {name!r:.60}; choose from {', '.join(near or items())}.")
    return items()[plain]


def reproduce(
    name: str,
    *,
    quick: bool = False,
    output: str | os.PathLike[str] | None = None,
    data: list[str] | None = None,
    jobs: int | None = None,
    verbose: bool = True,
) -> Reproduced:
    """Run a table or a figure of the papers again.

    Parameters
    ----------
    name : str
        Name of the item, such as "pcc-table-4"; ``partita reproduce list`` shows all.
    quick : bool, default=False
        Fewer data sets, repeats and objects, for a first look within minutes.
    output : path, optional
        Folder in which the results are kept as JSON. What is there is not computed again; items that share an
        experiment share its results. Without it nothing is kept.
    data : list of str, optional
        Only cells of these data sets, by the paper's names.
    jobs : int, optional
        Number of processes of one thread each; None computes in this process, which a crash of a library would end.
    verbose : bool, default=True
        Show progress and the time left.

    Returns
    -------
    Reproduced
        ``tables``, ``verdicts``, ``figure()``, ``stored`` (all measurements, ``stored.table`` as a frame).

    Notes
    -----
    A cell (a data set, an ensemble or a part of them) that fails is recorded with its error and does not end the run;
    the next run tries it again. Settings are fixed in ``partita.experiments.papers``, and no result changes them.

    Examples
    --------
    >>> from partita.experiments import reproduce
    >>> found = reproduce("slides-table-u-05", verbose=False)
    >>> found.verdicts[0][1].word
    'does not hold'
    """
    item = item_named(name)
    if jobs is not None:
        check_count(jobs, "jobs")
    stored = stored_results(item, output, quick=quick)
    cells = wanted_cells(item, data, quick=quick)
    run_cells(cells, stored, jobs=jobs, verbose=verbose)
    return shown(item, stored, cells)


def stored_results(item: Item, output: str | os.PathLike[str] | None, *, quick: bool) -> Stored:
    """The results of the item's experiment in a folder, which is made if it is not there."""
    if output is None:
        return Stored(None, item.experiment.name, quick=quick)
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    return Stored.at(folder, item.experiment.name, quick=quick)


def wanted_cells(item: Item, data: list[str] | None, *, quick: bool) -> list[Cell]:
    """The cells of an item; of some data sets, if they are named."""
    cells = item.experiment.cells(quick)
    if data is None:
        return cells
    known = list(dict.fromkeys(str(cell.settings.get("shown", cell.name)) for cell in cells))
    unknown = [one for one in data if one not in known]
    if unknown:
        raise ValueError(f"{item.name} has no data set {unknown[0]!r:.60}; it has {', '.join(known)}.")
    return [cell for cell in cells if cell.settings.get("shown", cell.name) in data]


def run_cells(cells: list[Cell], stored: Stored, *, jobs: int | None, verbose: bool) -> None:
    """Compute the cells that are not stored; each is stored as soon as it is done."""
    missing = [cell for cell in cells if not stored.is_current(cell)]
    total = sum(cell.cost for cell in missing)
    shape = "{desc} {percentage:3.0f}%|{bar}| {elapsed} passed, {remaining} left"
    with tqdm(total=total, desc=stored.experiment, disable=not (verbose and missing), bar_format=shape) as bar:
        for number, (cell, outcome) in enumerate(outcomes(missing, jobs), start=1):
            stored.add(cell, outcome)
            bar.set_description(f"{stored.experiment}, cell {number} of {len(missing)}")
            bar.update(cell.cost)
            if outcome.error is not None and verbose:
                tqdm.write(f"{cell.name} failed: {outcome.error}", file=sys.stderr)


def shown(item: Item, stored: Stored, cells: list[Cell]) -> Reproduced:
    """What is stored of these cells, with these settings; and of those that failed, why."""
    known = [cell for cell in cells if stored.holds(cell) or stored.failed(cell)]
    made = stored.only([cell.name for cell in known])
    return Reproduced(item, made, sum(not stored.holds(cell) for cell in cells))


# -------------------------------------------------------------------------------------------------------------- as text
def text_of(found: Reproduced, *, heading: Callable[[str], str] = "## {}".format) -> str:
    """An item as Markdown: tables, verdicts, notes, what failed."""
    item = found.item
    parts = [heading(f"{item.name}: {item.title}"), ""]
    if found.n_missing:
        parts += [_incomplete(found), ""]
    try:
        shown_tables = found.tables
    except (KeyError, ValueError, IndexError, TypeError) as error:  # too little was measured for a table
        shown_tables = []
        parts += [f"The tables need more than was measured ({type(error).__name__}: {error}).", ""]
    for table in shown_tables:
        parts += [table.text(), ""]
    if item.claims:
        parts += [verdict_table(found.verdicts).text(), ""]
    parts += [f"- {note}" for note in item.notes]
    parts += [f"- not as planned: {error}" for error in found.stored.errors]
    return "\n".join(parts).rstrip() + "\n"


def _incomplete(found: Reproduced) -> str:
    """How much there is, where it is not all."""
    done = sum(cell["error"] is None for cell in found.stored.cells.values())
    if not done:
        return "**Nothing was measured.**"
    return f"**Only {done} of {done + found.n_missing} cells are computed; tables and verdicts rest on these.**"


def verdict_table(verdicts: list[tuple[Claim, Verdict]]) -> Table:
    """Claims with their verdicts."""
    rows = [
        [claim.text, claim.source, verdict.word, verdict.figure, p_words(verdict.p_value)]
        for claim, verdict in verdicts
    ]
    return Table(["claim", "by", "verdict", "measured here", "p"], rows)


def save_text(text: str, path: Path) -> None:
    """Write a text as a whole or not at all."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def save_picture(figure: Any, path: Path) -> None:
    """Write a figure as a whole or not at all, and forget it."""
    import matplotlib.pyplot as plt

    with replacing(path) as beside:
        figure.savefig(
            beside, format=path.suffix[1:], dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None
        )
    plt.close(figure)
