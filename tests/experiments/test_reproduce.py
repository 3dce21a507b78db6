import itertools
import json

import numpy as np
import pytest

from partita.experiments import _reproduce as module
from partita.experiments import reproduce
from partita.experiments._cells import Cell, Experiment
from partita.experiments._claims import FAILS, HOLDS, Claim, Verdict
from partita.experiments._items import Item, as_table
from partita.experiments._pages import front_page, page_of, stored_items, write_pages
from partita.experiments._reproduce import item_named, items, text_of, wanted_cells
from partita.experiments.papers.nbce import best_perplexity
from tests.experiments.made_up_cells import fails, squares

# numbered tables and figures with content, of the papers
EXPECTED = {
    *(f"pcc-table-{n}" for n in range(4, 8)),
    *(f"pcc-figure-{n}" for n in range(1, 9)),
    *(f"peace-table-{n}" for n in (2, 3)),
    *(f"peace-figure-{n}" for n in range(1, 5)),
    *(f"nbce-table-{n}" for n in range(2, 8)),
    "nbce-figure-3",
    *(f"bce-table-{n}" for n in range(3, 7)),
    *(f"bce-figure-{n}" for n in range(3, 9)),
    "slides-table-u-05",
    "slides-table-u-01",
}


def test_every_item_of_the_papers_is_there():
    assert set(items()) == EXPECTED


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_cells_have_names_of_their_own_and_settings_that_json_keeps(name):
    item = items()[name]
    for quick in (False, True):
        cells = item.experiment.cells(quick)
        assert len({cell.name for cell in cells}) == len(cells)
        assert all(json.loads(json.dumps(cell.settings)) is not None for cell in cells)
        assert all(cell.cost > 0 for cell in cells)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_figures_have_twins_and_claims_end_without_a_stop(name):
    item = items()[name]
    assert (item.draw is not None) == ("-figure-" in name)
    assert all(claim.text and not claim.text.endswith(".") for claim in item.claims)


def test_quick_is_less_work():
    for item in items().values():
        assert sum(c.cost for c in item.experiment.cells(True)) <= sum(c.cost for c in item.experiment.cells(False))


def test_one_experiment_has_one_name():
    by_name = {}
    for item in items().values():
        assert by_name.setdefault(item.experiment.name, item.experiment) is item.experiment


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("PCC Table 4", "pcc-table-4"),
        ("pcc t4", "pcc-table-4"),
        ("pcc-table4", "pcc-table-4"),
        ("nbce_figure_3", "nbce-figure-3"),
        ("BCE F8", "bce-figure-8"),
        ("bce fig. 8", "bce-figure-8"),
        ("slides-table-u-05", "slides-table-u-05"),
    ],
)
def test_items_are_found_by_their_names_in_words(words, name):
    assert item_named(words).name == name


def test_an_unknown_item_names_those_of_its_paper():
    with pytest.raises(ValueError, match="there is no item 'pcc-table-9'; choose from pcc-table-4"):
        item_named("pcc-table-9")


# ------------------------------------------------------------------------------------------------------ a made-up item
def _squares_hold(stored):
    table = stored.table
    return Verdict(HOLDS if (table["value"] == table["n"] ** 2).all() else FAILS, f"{len(table)} squares", 0.01)


@pytest.fixture
def made_up(monkeypatch):
    """An item with two cells that work and one that fails."""

    def cells(quick):
        few = [Cell("a", squares, {"numbers": [1, 2], "shown": "a"}), Cell("b", fails, {"shown": "b"})]
        return few if quick else [*few, Cell("c", squares, {"numbers": [3], "shown": "c"}, 2.0)]

    def tables(stored):
        return [as_table(stored.table[["data", "n", "value"]].set_index("data"))]

    item = Item(
        "pcc-table-0",
        "squares",
        Experiment("made-up", "squares of numbers", cells),
        tables,
        (Claim("squares are squares", _squares_hold),),
        ("a note",),
    )
    monkeypatch.setattr(module, "items", lambda: {item.name: item})
    monkeypatch.setattr("partita.experiments._pages.items", lambda: {item.name: item})
    return item


def test_results_are_kept_and_only_what_failed_is_run_again(made_up, tmp_path, monkeypatch):
    first = reproduce("pcc-table-0", output=tmp_path / "new", verbose=False)
    assert first.n_missing == 1
    assert first.stored.table["value"].tolist() == [1, 4, 9]
    run = []
    monkeypatch.setattr(module, "outcomes", lambda cells, jobs: run.extend(cells) or [])
    second = reproduce("pcc-table-0", output=tmp_path / "new", verbose=False)
    assert [cell.name for cell in run] == ["b"]
    assert second.stored.table["value"].tolist() == [1, 4, 9]


def test_an_interrupted_run_goes_on(made_up, tmp_path, monkeypatch):
    real = module.outcomes

    def interrupted(cells, jobs):
        for number, found in enumerate(real(cells, jobs)):
            if number == 1:
                raise KeyboardInterrupt
            yield found

    monkeypatch.setattr(module, "outcomes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce("pcc-table-0", output=tmp_path, verbose=False)
    assert list(json.loads((tmp_path / "made-up.json").read_text())["cells"]) == ["a"]
    monkeypatch.setattr(module, "outcomes", real)
    assert reproduce("pcc-table-0", output=tmp_path, verbose=False).stored.table["value"].tolist() == [1, 4, 9]


def test_several_processes_give_the_same(made_up, tmp_path):
    alone, together = (reproduce("pcc-table-0", jobs=jobs, verbose=False) for jobs in (None, 2))
    assert text_of(alone) == text_of(together)


def test_some_data_sets(made_up):
    assert [cell.name for cell in wanted_cells(made_up, ["c"], quick=False)] == ["c"]
    assert reproduce("pcc-table-0", data=["a"], verbose=False).stored.table["value"].tolist() == [1, 4]
    with pytest.raises(ValueError, match="has no data set 'z'; it has a, b, c"):
        reproduce("pcc-table-0", data=["z"])


def test_text_has_tables_verdicts_notes_and_failures(made_up):
    text = text_of(reproduce("pcc-table-0", verbose=False))
    assert text.startswith("## pcc-table-0: squares\n")
    assert "| c    | 3 | 9.000 |" in text
    assert "| squares are squares | paper | holds   | 3 squares     | 0.01 |" in text
    assert "- a note\n" in text
    assert "**Only 2 of 3 cells are computed; tables and verdicts rest on these.**" in text
    assert "not as planned: b: ValueError: there is nothing to compute" in text


def test_pages_show_what_is_stored(made_up, tmp_path):
    with pytest.raises(ValueError, match="holds no results of full runs"):
        write_pages(tmp_path)
    reproduce("pcc-table-0", output=tmp_path, verbose=False)
    written = write_pages(tmp_path)
    assert [path.name for path in written] == ["pcc.md", "README.md"]
    front = (tmp_path / "README.md").read_text()
    assert "1 claims of the papers: 1 holds, 0 does not hold, 0 cannot be decided." in front
    assert "[pcc-table-0](pcc.md#pcc-table-0-squares)" in front
    assert "2 of 3" in front  # cells
    assert "| c    | 3 | 9.000 |" in (tmp_path / "pcc.md").read_text()
    known = list(stored_items(tmp_path, quick=False))
    assert front == front_page(known)
    assert (tmp_path / "pcc.md").read_text() == page_of("pcc", known, ())


def test_cells_with_other_settings_are_not_shown(made_up, tmp_path):
    reproduce("pcc-table-0", output=tmp_path, verbose=False)
    path = tmp_path / "made-up.json"
    stored = json.loads(path.read_text())
    stored["cells"]["c"]["settings"]["numbers"] = [4]
    path.write_text(json.dumps(stored))
    found = next(stored_items(tmp_path, quick=False))
    assert found.stored.table["value"].tolist() == [1, 4]
    assert found.n_missing == 2


def test_an_item_of_which_nothing_was_measured_is_shown_with_its_errors(made_up):
    found = reproduce("pcc-table-0", data=["b"], verbose=False)
    text = text_of(found)
    assert "**Nothing was measured.**" in text
    assert "there is nothing to compute" in text
    assert found.tables == []
    assert found.figure() is None


def test_quick_pages_have_a_folder_of_their_own(made_up, tmp_path):
    reproduce("pcc-table-0", quick=True, output=tmp_path, verbose=False)
    assert {path.parent for path in write_pages(tmp_path, quick=True)} == {tmp_path / "quick"}
    assert "These are quick runs" in (tmp_path / "quick" / "README.md").read_text()


def test_wrong_number_of_processes():
    with pytest.raises(ValueError, match="jobs"):
        reproduce("slides-table-u-05", jobs=0)


# ----------------------------------------------------------------------------------------------------------- real items
def test_the_slides_tables():
    found = reproduce("slides-table-u-05", verbose=False)
    verdict = found.verdicts[0][1]
    assert verdict.word == FAILS
    assert "(9, 10): printed 21, exact 20" in verdict.figure
    table = found.stored.table
    values = table[table["alpha"] == 0.05].set_index(["n1", "n2"])["U"]
    assert values[9, 10] == 20  # counted by hand in test_critical_values
    assert np.isnan(values[2, 3])
    assert found.tables[0].header[:3] == ["n1", "2", "3"]


def test_a_real_item_without_files():
    """Noisy copies of two clusters: perplexities lie between the theory and two."""
    cell = items()["nbce-table-3"].experiment.cells(True)[0]
    rows = cell.compute(**cell.settings).rows
    fitted = [row for row in rows if row["method"] in ("MM", "BCE", "NBCE")]
    assert not [row for row in rows if row.get("error")]
    assert {row["noise"] for row in fitted} == {0.05, 0.1, 0.15, 0.2}
    for row in fitted:
        assert best_perplexity(row["noise"]) * 0.95 < row["train perplexity"] < 2
        assert row["ARI"] > 0.7
    one = next(row for row in rows if row["method"] == "one cluster")
    assert (one["ARI"], one["train perplexity"]) == (0.0, 2.0)


def test_best_perplexity_by_enumeration():
    """Of three labels, over all eight rows."""
    noise = 0.2
    entropy = 0.0
    for row in itertools.product((0, 1), repeat=3):
        of_class = [np.prod([1 - noise if label == one else noise for label in row]) for one in (0, 1)]
        entropy -= np.mean(of_class) * np.log(np.mean(of_class))
    assert best_perplexity(noise, 3) == pytest.approx(np.exp(entropy / 3))
    assert best_perplexity(0.5) == pytest.approx(2.0)
