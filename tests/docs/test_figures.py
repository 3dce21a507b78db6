"""Figures that pages quote are those of the stored results."""

import re

import pytest
from benchmarks._answer_cells import read_compact
from benchmarks._answer_contestants import DEFAULT, FOUND
from benchmarks._answer_summary import lines, select

from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def default():
    """The line of the default on the test half of the leaderboard, with the number of clusters found."""
    cells, _ = read_compact(ROOT / "docs" / "results" / "answer.json")
    return next(line for line in lines(select(cells, mode=FOUND, half="test")) if line.method == DEFAULT)


@pytest.mark.parametrize("page", ["docs/start.md", "docs/labels.md"])
def test_how_often_the_number_of_clusters_is_right(page, default):
    words = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert f"right in {100 * default.right:.0f} % of" in words


def test_how_many_claims_of_the_papers_hold():
    results = (ROOT / "docs" / "results" / "papers" / "README.md").read_text(encoding="utf-8")
    figures = re.search(r"(\d+) claims of the papers: (\d+) holds, (\d+) does not hold, (\d+) cannot be", results)
    assert figures
    claims, holds, not_, open_ = figures.groups()
    words = " ".join((ROOT / "docs" / "papers.md").read_text(encoding="utf-8").split())
    assert f"Of {claims} claims of the papers, {holds} hold here, {not_} do not, and {open_} cannot" in words


@pytest.mark.parametrize("page", ["docs/labels.md", "docs/gallery/plot_10_comparing_methods.py"])
def test_the_number_of_ensembles(page, default):
    words = (ROOT / page).read_text(encoding="utf-8").replace("\n# ", " ").replace("\n", " ")
    assert f"{default.n_ensembles} ensembles" in words
