"""The theory pages: equations are numbered in order, and what code and tests cite exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {page.stem: page.read_text() for page in (ROOT / "docs" / "theory").glob("*.md")}
LETTERS = {
    "index": "C",
    "pairwise": "P",
    "models": "M",
    "nbce": "N",
    "graph": "G",
    "dirichlet_process": "D",
    "indices": "I",
    "ensembles": "R",
}
TAG = re.compile(r"^\*\*\(([A-Z]\d+)\)\*\*", re.MULTILINE)
CITATION = re.compile(r"\beqs?\. ((?:[A-Z]\d+(?:(?:,| and| to|, and) )?)+)")
SOURCES = sorted(path for room in ("src", "tests", "benchmarks", "tools") for path in (ROOT / room).rglob("*.py"))
# numbers of tests, recipes, errata and open points in a document that readers of the project do not have
FOREIGN = re.compile(r"\b(?:T|E)-\d\d\b|\b(?:UND|ERR)-\d|(?<![\w\])])\([1-9]\d?\.\d{1,2}\)")


def tags_of(page):
    return TAG.findall(PAGES[page])


def test_every_page_has_a_letter():
    assert set(PAGES) == set(LETTERS)


@pytest.mark.parametrize("page", LETTERS)
def test_equations_are_numbered_in_order(page):
    tags = tags_of(page)
    assert tags == [f"{LETTERS[page]}{number}" for number in range(1, len(tags) + 1)]
    assert len(tags) > 10


@pytest.mark.parametrize("page", LETTERS)
def test_a_page_refers_to_equations_that_exist(page):
    known = {tag for name in PAGES for tag in tags_of(name)}
    cited = set(re.findall(r"\(([CPMNGDIR]\d+)\)", PAGES[page]))
    assert cited <= known


def test_cited_equations_exist():
    known = {tag for name in PAGES for tag in tags_of(name)}
    missing = [
        (path.relative_to(ROOT).as_posix(), tag)
        for path in SOURCES
        for cited in CITATION.findall(path.read_text())
        for tag in re.findall(r"[A-Z]\d+", cited)
        if tag not in known
    ]
    assert missing == []


def test_the_code_cites_the_pages():
    """Every page is cited by some module: the equations stand beside the lines that compute them."""
    cited = {tag[0] for path in SOURCES for group in CITATION.findall(path.read_text()) for tag in group.split()}
    assert cited >= set(LETTERS.values()) - {"R"}


def test_no_number_of_a_foreign_document_is_left():
    texts = [*SOURCES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    found = [
        (path.relative_to(ROOT).as_posix(), match.group())
        for path in texts
        for match in FOREIGN.finditer(path.read_text())
    ]
    assert found == []
