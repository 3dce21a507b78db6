"""The pages of docs/results/papers say what the results beside them say."""

from pathlib import Path

import pytest

from partita.experiments._pages import PAPERS, front_page, page_of, stored_items

FOLDER = Path(__file__).parents[2] / "docs" / "results" / "papers"


@pytest.fixture(scope="module")
def known():
    return list(stored_items(FOLDER, quick=False))


def test_front_page(known):
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == front_page(known)


@pytest.mark.parametrize("paper", PAPERS)
def test_page_of_each_paper(known, paper):
    of_paper = [found for found in known if found.item.paper == paper]
    assert of_paper
    pictures = {path.name for path in (FOLDER / "images").glob("*.png")}
    assert (FOLDER / f"{paper}.md").read_text(encoding="utf-8") == page_of(paper, of_paper, pictures)


def test_every_figure_is_there(known):
    drawn = {f"{found.item.name}.png" for found in known if found.item.draw is not None}
    assert {path.name for path in (FOLDER / "images").glob("*.png")} == drawn


def test_every_claim_is_judged(known):
    for found in known:
        for claim, verdict in found.verdicts:
            assert not verdict.figure.startswith("not measured"), (found.item.name, claim.text)
