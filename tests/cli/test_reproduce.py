"""The command line of the papers' experiments, on items that need no files."""

import json

import pytest

from partita.experiments._cells import Cell, Experiment
from partita.experiments._claims import Claim, Verdict
from partita.experiments._items import Item, as_table
from partita.experiments._reproduce import items
from tests.experiments.made_up_cells import fails, squares


def test_list_names_every_item(call):
    code, printed, _ = call("reproduce", "list")
    assert code == 0
    assert all(name in printed for name in items())
    assert all(item.experiment.name in printed for item in items().values())
    facts = json.loads(call("reproduce", "list", "--json")[1])
    assert [one["item"] for one in facts["items"]] == list(items())


def test_an_item_prints_and_writes_tables_and_verdicts(call, tmp_path):
    code, printed, _ = call("reproduce", "slides-table-u-05", "-o", "results")
    assert code == 0
    assert "does not hold" in printed
    assert "| 9 " in printed
    assert (tmp_path / "results" / "slides-table-u-05.md").read_text() in printed
    assert (tmp_path / "results" / "slides-u.json").exists()


def test_json_has_tables_and_verdicts(call):
    code, printed, _ = call("reproduce", "slides", "--quick", "-o", "results", "--json")
    assert code == 0
    facts = json.loads(printed)
    assert [one["item"] for one in facts["items"]] == ["slides-table-u-05", "slides-table-u-01"]
    first = facts["items"][0]
    assert first["verdicts"][0]["verdict"] == "does not hold"
    assert first["n_cells_missing"] == 0
    assert first["tables"][0]["header"][0] == "n1"
    assert (facts["quick"], facts["output"]) == (True, "results")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["pcc-table-99"], "there is no item 'pcc-table-99'; choose from pcc-table-4"),
        (["nonsense"], "there is no item 'nonsense'"),
        (["pcc-table-4", "--data", "mars"], "has no data set 'mars'; it has rings, image-1, iris"),
        (["pages"], "holds no results of full runs"),
        (["slides", "--jobs", "0"], "--jobs"),
        ([], "Missing argument 'ITEM'"),
    ],
)
def test_wrong_calls_are_refused_before_work(call, tmp_path, argv, words):
    code, _, errors = call("reproduce", *argv)
    assert code == 2
    assert words in errors
    assert not list(tmp_path.glob("partita-results/*"))


def test_an_output_that_is_a_file_is_refused(call, tmp_path):
    (tmp_path / "taken").write_text("mine")
    code, _, errors = call("reproduce", "slides", "-o", "taken")
    assert code == 2
    assert "taken" in errors
    assert (tmp_path / "taken").read_text() == "mine"


def test_damaged_results_are_refused_and_kept(call, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "slides-u.json").write_text("{")
    code, _, errors = call("reproduce", "slides", "-o", "results")
    assert code == 2
    assert "move it away" in errors
    assert (tmp_path / "results" / "slides-u.json").read_text() == "{"


# --------------------------------------------------------------------------------------------------- a figure and pages
@pytest.fixture
def made_up(monkeypatch):
    """An item with a figure and a cell that fails."""

    def draw(stored):
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots()
        ax.plot(stored.table["n"], stored.table["value"])
        return figure

    cells = [Cell("a", squares, {"numbers": [1, 2, 3]}), Cell("b", fails, {})]
    experiment = Experiment("made-up", "squares", lambda quick: cells)
    claim = Claim("they rise", lambda stored: Verdict("holds", "1, 4, 9"))
    item = Item(
        "pcc-figure-0", "squares", experiment, lambda stored: [as_table(stored.table.set_index("n")[["value"]])],
        (claim,), draw=draw,
    )  # fmt: skip
    for module in ("_reproduce", "_pages"):
        monkeypatch.setattr(f"partita.experiments.{module}.items", lambda: {item.name: item})


def test_figures_are_written_and_failures_told(call, tmp_path, made_up):
    code, printed, errors = call("reproduce", "pcc-figure-0", "-o", "results")
    assert code == 1
    assert "not as planned: b: ValueError: there is nothing to compute" in printed
    assert "run the same command again" in errors
    assert (tmp_path / "results" / "pcc-figure-0.svg").read_text().startswith("<?xml")


def test_pages_of_what_is_stored(call, tmp_path, made_up):
    call("reproduce", "pcc-figure-0", "-o", "results")
    code, printed, _ = call("reproduce", "pages", "-o", "results")
    assert code == 0
    assert printed.splitlines()[-1].endswith("README.md")
    assert "images/pcc-figure-0.png" in (tmp_path / "results" / "pcc.md").read_text()
    assert (tmp_path / "results" / "images" / "pcc-figure-0.png").read_bytes().startswith(b"\x89PNG")
    assert "| they rise" in (tmp_path / "results" / "README.md").read_text()
