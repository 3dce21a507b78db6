"""Pages of a folder of results: all claims with their verdicts, every table and every figure, from what is stored."""

from collections.abc import Collection, Iterator
from pathlib import Path

from partita._runs import warn
from partita.experiments._claims import FAILS, HOLDS, OPEN, p_words
from partita.experiments._items import Item, Table
from partita.experiments._reproduce import Reproduced, items, save_picture, save_text, shown, text_of
from partita.experiments._stored import Stored

PAPERS = {
    "pcc": "Probabilistic consensus clustering (Lourenço et al., Machine Learning 98, 2015)",
    "peace": "Probabilistic evidence accumulation (Lourenço et al., ICPRAM 2013)",
    "nbce": "Nonparametric Bayesian clustering ensembles (Wang, Domeniconi and Laskey, ECML PKDD 2010)",
    "bce": "Bayesian cluster ensembles (Wang, Shan and Banerjee, Statistical Analysis and Data Mining 4, 2011)",
    "slides": "Slides of a course: critical values of U",
}
_IMAGES = "images"

_INTRODUCTION = """# The papers, run again

{quick}Every numbered table and figure with measurements of the papers behind this library, computed again and set
beside what the papers say. Written by `partita reproduce pages --output FOLDER` from the JSON files in this folder; do
not edit.

- `partita reproduce ITEM --output FOLDER` runs one of them, `partita reproduce list` names them all.
- Settings come from the papers' text. Where a paper leaves one open, the choice is in the notes, and none was tuned to
  a paper's value. What was added after a first run is marked so.
- by **us**: a comparison that the paper does not state, beside its claims.
- **holds**, **does not hold**: a difference with a paired one-sided t-test at p <= 0.05 over data sets (or repeats), an
  equality whose 90 % interval lies within a margin, or a count. **cannot be decided**: anything else. Tests over a few
  data sets are weak, and many are made: read the verdicts as a summary, not as proofs.
- The methods are those of the library, with its starts, which are better than single random ones. Differences that the
  papers found between methods may be differences of their starts.
- `one cluster` is the trivial partition; for H and micro-precision its score is the share of the largest class.
- {cannot}

Made with {made}.
"""
_CANNOT = (
    "What the data at hand cannot give: KDD Cup 99 with 1,000,000 or 2,000,000 rows (the 10 % file has 494,021), the"
    " whole of ISOLET (two of five groups of speakers), the yeast data in other scalings, the terms that the papers"
    " chose for their texts, and the points of the papers' synthetic sets. Of the papers' own values only some are"
    " known to us."
)


def write_pages(folder: Path, *, quick: bool = False) -> list[Path]:
    """Write README.md, one page per paper and the figures; returns what was written.

    Only results that are stored are shown; a folder without any is refused. Pages of quick results are written in a
    folder of their own inside it. Without matplotlib the pages have no figures.
    """
    known = list(stored_items(folder, quick=quick))
    if not known:
        kind = "quick results" if quick else "results of full runs"
        raise ValueError(f"{str(folder)!r} holds no {kind}; run partita reproduce ITEM --output {str(folder)!r} first.")
    target = folder / "quick" if quick else folder
    target.mkdir(exist_ok=True)
    written = [*_write_figures(target, known)]
    pictures = {path.name for path in written}
    for paper in PAPERS:
        of_paper = [found for found in known if found.item.paper == paper]
        if of_paper:
            written.append(target / f"{paper}.md")
            save_text(page_of(paper, of_paper, pictures), written[-1])
    written.append(target / "README.md")
    save_text(front_page(known), written[-1])
    return written


def stored_items(folder: Path, *, quick: bool) -> Iterator[Reproduced]:
    """The items whose experiment has results in a folder."""
    for item in items().values():
        stored = Stored.at(folder, item.experiment.name, quick=quick)
        if stored.cells:
            yield shown(item, stored, item.experiment.cells(quick))


def page_of(paper: str, known: list[Reproduced], pictures: Collection[str]) -> str:
    """The page of a paper, with those of its figures that are there."""
    parts = [f"# {PAPERS[paper]}", "", "Written by `partita reproduce pages`; do not edit. [All claims](README.md)", ""]
    for found in known:
        head, _, rest = text_of(found).partition("\n")
        name = picture_name(found.item)
        picture = f"\n![{found.item.title}]({_IMAGES}/{name})\n" if name in pictures else ""
        parts.append(f"{head}\n{picture}{rest}")
    return "\n".join(parts)


def front_page(known: list[Reproduced]) -> str:
    """Introduction, all claims, and which items there are."""
    quick = "**These are quick runs: fewer data sets, repeats and objects.**\n\n" if known[0].stored.quick else ""
    parts = [
        _INTRODUCTION.format(cannot=_CANNOT, quick=quick, made=made_with(known)),
        f"## Claims\n\n{counted(known)}\n",
    ]
    for paper, words in PAPERS.items():
        of_paper = [found for found in known if found.item.paper == paper and found.item.claims]
        if of_paper:
            parts.append(f"### {words}\n\n{claims_table(of_paper).text()}\n")
    parts.append(f"## Tables and figures\n\n{contents(known).text()}\n")
    parts.append(f"## Experiments\n\n{experiments(known).text()}\n")
    return "\n".join(parts)


def made_with(known: list[Reproduced]) -> str:
    """Versions and machines of the results, each once."""
    said: dict[str, None] = {}
    for found in known:
        about = found.stored.about
        versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
        machine = f"{about['machine']['system']}, {about['machine']['architecture']}, {about['machine']['cores']} cores"
        said[f"{versions}, on {machine}"] = None
    return "; ".join(said)


def counted(known: list[Reproduced]) -> str:
    """How many claims hold, of the papers and of ours."""
    words: dict[str, list[str]] = {"paper": [], "us": []}
    for found in known:
        for claim, verdict in found.verdicts:
            words[claim.source].append(verdict.word)
    told = [
        f"{len(of)} {name}: {', '.join(f'{of.count(word)} {word}' for word in (HOLDS, FAILS, OPEN))}."
        for name, of in (("claims of the papers", words["paper"]), ("that we add (by us)", words["us"]))
        if of
    ]
    return " ".join(told)


def claims_table(known: list[Reproduced]) -> Table:
    """Every claim with its verdict, and a link to where it is."""
    rows = [
        [_link(found.item), claim.text, claim.source, verdict.word, verdict.figure, p_words(verdict.p_value)]
        for found in known
        for claim, verdict in found.verdicts
    ]
    return Table(["item", "claim", "by", "verdict", "measured here", "p"], rows)


def contents(known: list[Reproduced]) -> Table:
    """The items and their experiments."""
    rows = [[_link(found.item), found.item.title, found.item.experiment.name] for found in known]
    return Table(["item", "shows", "experiment"], rows)


def experiments(known: list[Reproduced]) -> Table:
    """What was computed: how much of it there is, and how long that took."""
    rows = {}
    for found in known:
        cells = found.stored.cells.values()
        done = sum(cell["error"] is None for cell in cells)
        minutes = sum(cell["seconds"] for cell in cells) / 60
        experiment = found.item.experiment
        rows[experiment.name] = [
            experiment.name,
            experiment.words,
            f"{done} of {done + found.n_missing}",
            f"{minutes:.1f}",
        ]
    return Table(["experiment", "what", "cells", "minutes, one process on a busy machine"], list(rows.values()))


def _link(item: Item) -> str:
    anchor = "".join(sign for sign in f"{item.name}: {item.title}".lower() if sign.isalnum() or sign in " -_")
    return f"[{item.name}]({item.paper}.md#{anchor.replace(' ', '-')})"


def picture_name(item: Item) -> str:
    """The file of an item's figure."""
    return f"{item.name}.png"


def _write_figures(folder: Path, known: list[Reproduced]) -> Iterator[Path]:
    drawn = [found for found in known if found.item.draw is not None]
    if drawn:
        (folder / _IMAGES).mkdir(exist_ok=True)
    for found in drawn:
        path = folder / _IMAGES / picture_name(found.item)
        try:
            figure = found.figure()
        except ImportError as error:
            warn(f"the pages have no figures: {error}", UserWarning)
            return
        if figure is not None:
            save_picture(figure, path)
            yield path
