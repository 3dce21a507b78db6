"""The leaderboard on tiny ensembles: cells, resumption, figures, page."""

import json
from argparse import Namespace

import numpy as np
import pytest
from benchmarks import answer, ensembles
from benchmarks._answer_cells import Store, hashes_of, key, read_cells, read_compact, write_compact
from benchmarks._answer_contestants import FOUND, GIVEN, contestants
from benchmarks._answer_figure import complete_methods, diagram, entries, left_out, scores, short_table, write_pictures
from benchmarks._answer_run import is_done, is_hopeless, run_cell, tasks_of
from benchmarks._answer_summary import lines, mean_ranks, newest, paired, select
from benchmarks._answer_table import page

from partita.consensus._methods import METHODS
from partita.experiments import freeze, save_frozen
from tests.plotting.overlap import assert_legible

MODULE = "tests.leaderboard.slow_contestants"
ABOUT = {"limit": 60.0, "versions": {"partita": "0"}}


def make(data, columns, truth, recipe="hand"):
    return freeze(np.column_stack(columns), truth, data=data, recipe=recipe, seed=0)


@pytest.fixture
def folder(tmp_path):
    """Two ensembles, of 2 and of 4 distinct rows; the first column is the truth of one of them."""
    path = tmp_path / "frozen"
    path.mkdir()
    save_frozen(make("wine", [[0, 0, 1, 1], [0, 0, 1, 1]], ["a", "a", "b", "b"]), path)
    save_frozen(make("iris", [[0, 0, 1, 1], [0, 1, 2, 3]], ["a", "b", "a", None]), path)
    return path


def options(tmp_path, folder, **changes):
    given = {"ensembles": folder, "cells": tmp_path / "cells.jsonl", "output": tmp_path / "answer.json"}
    return Namespace(**{**given, "methods": None, "again": [], "limit": 1.0, "jobs": 1, **changes})


def cell(data="wine", method="default", mode=FOUND, ari=0.5, k=2, **changes):
    made = {"hash": f"of-{data}", "data": data, "recipe": "hand", "half": "test", "n": 9, "rows": 5, "classes": 2}
    made |= {"method": method, "mode": mode, "version": "1", "ari": ari, "nmi": ari, "k": k, "seconds": 0.1}
    return {**made, **changes}


# ------------------------------------------------------------------------------------------------------- running cells
def test_a_run_stores_every_cell_and_goes_on_where_it_was(tmp_path, folder, capsys):
    answer.run(options(tmp_path, folder), MODULE)
    cells = read_cells(tmp_path / "cells.jsonl")
    found = {(one["data"], one["method"]): one for one in cells.values()}
    assert found["wine", "default"]["ari"] == 1.0
    assert found["wine", "reference-rule"]["ari"] == 0.0
    assert found["iris", "default"]["ari"] == -0.5  # of the three objects with a class
    assert found["iris", "default"]["k"] == 2
    assert found["wine", "refuses"]["error"] == "ValueError: too many objects"
    assert found["iris", "crashes"]["error"] == "its process ended (exit code 3)"
    assert found["wine", "sleeps"]["timeout"] == 1.0
    assert ("iris", "sleeps") not in found  # larger than one that was not done in time
    assert {data for data, method in found if method == "small"} == {"wine"}  # not tried above three rows
    first = (tmp_path / "cells.jsonl").read_text()
    capsys.readouterr()

    answer.run(options(tmp_path, folder), MODULE)  # all is done: nothing starts
    assert (tmp_path / "cells.jsonl").read_text() == first
    assert "min left" not in capsys.readouterr().err
    stored, about = read_compact(tmp_path / "answer.json")
    assert len(stored) == len(cells)
    assert about["limit"] == 1.0

    (tmp_path / "cells.jsonl").unlink()  # a new clone has the committed results only
    answer.run(options(tmp_path, folder), MODULE)
    assert "min left" not in capsys.readouterr().err
    assert read_compact(tmp_path / "answer.json")[0] == stored


def test_cells_of_other_ensembles_are_not_mixed_in(tmp_path, folder):
    store = Store(tmp_path / "cells.jsonl")
    store.add(cell(hash="another"))
    store.close()
    with pytest.raises(ValueError, match=r"wine\.hand come from different ensembles"):
        answer.run(options(tmp_path, folder), MODULE)


def test_what_is_done_and_what_is_hopeless(folder):
    tasks = {(task.head["data"], task.head["method"]): task for task in tasks_of(folder, MODULE)}
    small, large = tasks["wine", "sleeps"], tasks["iris", "sleeps"]
    assert (small.head["rows"], large.head["rows"]) == (2, 4)
    late = {key(small.head): {**small.head, "error": "not done", "timeout": 5.0}}
    assert is_done(small, late, limit=5.0)
    assert not is_done(small, late, limit=9.0)  # more time is given now
    assert is_hopeless(large, late, limit=5.0)
    of_more = {key(small.head): {**late[key(small.head)], "n": 5}}
    assert not is_hopeless(large, of_more, limit=5.0)  # the slow one had fewer rows but more objects
    assert not is_hopeless(large, late, limit=9.0)
    assert not is_hopeless(tasks["iris", "refuses"], late, limit=5.0)
    assert is_hopeless(tasks["iris", "small"], {}, limit=5.0)


def test_the_order_is_that_of_the_distinct_rows(folder):
    assert [task.head["data"] for task in tasks_of(folder, MODULE, ["default"])] == ["wine", "iris"]
    with pytest.raises(SystemExit, match="there is no method 'magic'"):
        tasks_of(folder, MODULE, ["magic"])
    with pytest.raises(SystemExit, match="has no frozen ensembles"):
        tasks_of(folder / "nowhere", MODULE)


def test_every_method_for_labels_is_a_contestant():
    names = {(one.name, one.mode) for one in contestants()}
    for method in METHODS.values():
        expected = not method.for_soft and method.name not in ("gbce", "nbce", "constrained-nmf", "robust")
        assert ((method.name, GIVEN) in names) == expected
        assert ((method.name, FOUND) in names) == (method.finds_k and not method.for_soft)
    assert {("nbce-vb", FOUND), ("reference-rule", FOUND), ("reference-lwgp", GIVEN)} <= names


@pytest.mark.parametrize("name", ["eac", "mcla", "label-kmeans"])
def test_methods_get_the_number_of_classes(name):
    frozen = make("toy", [[0, 0, 1, 1, 2, 2]] * 3, [0, 0, 1, 1, 2, 2])
    chosen = next(one for one in contestants() if (one.name, one.mode) == (name, GIVEN))
    assert {**run_cell(frozen, chosen), "seconds": 0} == {"ari": 1.0, "nmi": 1.0, "k": 3, "seconds": 0}


# ------------------------------------------------------------------------------------------------------- stored results
def test_a_torn_line_is_left_out_and_does_not_spoil_the_next(tmp_path, capsys):
    path = tmp_path / "cells.jsonl"
    path.write_text(json.dumps(cell()) + "\n" + json.dumps(cell("iris"))[:40])
    store = Store(path)
    store.add(cell("glass"))
    store.close()
    assert [one["data"] for one in read_cells(path).values()] == ["wine", "glass"]
    assert "1 lines are not whole" in capsys.readouterr().err


def test_of_several_results_of_a_cell_the_last_counts(tmp_path):
    store = Store(tmp_path / "cells.jsonl")
    for ari in (0.1, 0.2):
        store.add(cell(ari=ari))
    store.close()
    assert [one["ari"] for one in read_cells(tmp_path / "cells.jsonl").values()] == [0.2]


def test_the_compact_file_holds_everything(tmp_path):
    failed = {**cell("iris"), "ari": None, "nmi": None, "k": None, "seconds": None, "error": "no", "timeout": 3.0}
    cells = [cell(), cell(method="eac", mode=GIVEN, version="2"), failed]
    write_compact(cells, tmp_path / "new" / "a.json", ABOUT)
    back, about = read_compact(tmp_path / "new" / "a.json")
    assert about == ABOUT
    filled = [{"error": None, "timeout": None, **one} for one in cells]
    assert sorted(back, key=str) == sorted(({name: one[name] for name in back[0]} for one in filled), key=str)


@pytest.mark.parametrize("text", ["", "{}", '{"about": 1, "ensembles": [], "methods": [], "cells": [[0]]}'])
def test_a_damaged_compact_file_is_refused(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SystemExit, match="is damaged"):
        read_compact(tmp_path / "a.json")


def test_a_missing_compact_file_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"run python -m benchmarks answer first"):
        answer.main(["--table", "--output", str(tmp_path / "nowhere.json")])


def test_results_on_two_ensembles_of_one_name_are_refused():
    with pytest.raises(ValueError, match="different ensembles"):
        hashes_of([cell(), cell(hash="another")])


# -------------------------------------------------------------------------------------------------------------- figures
def test_a_data_set_counts_once():
    cells = [
        cell(ari=0.0, k=2),
        cell(ari=0.5, k=3, hash="b", recipe="other"),
        cell("iris", ari=1.0, k=5, seconds=7.0),
    ]
    (line,) = lines(cells)
    assert line.ari == pytest.approx((0.25 + 1.0) / 2)
    assert line.right == pytest.approx((0.5 + 0) / 2)
    assert line.within_one == pytest.approx((1 + 0) / 2)
    assert line.above_twice == pytest.approx((0 + 1) / 2)
    assert (line.seconds, line.n_ensembles, line.rank) == (0.1, 3, 1.0)


def test_methods_that_did_not_run_everywhere_have_no_rank_but_the_default_beside_them():
    cells = [
        cell(ari=0.6),
        cell("iris", ari=0.2),
        cell(method="eac", ari=0.5),
        cell("iris", method="eac", ari=0.4),
        cell(method="slow", ari=0.9),
        {**cell("iris", method="slow", ari=None), "error": "not done in 60 s", "timeout": 60.0},
    ]
    made = {line.method: line for line in lines(cells)}
    assert (made["default"].rank, made["eac"].rank, made["slow"].rank) == (1.5, 1.5, None)
    assert made["slow"].beside == pytest.approx(0.6)
    assert made["eac"].beside == pytest.approx(0.4)
    assert [line.method for line in lines(cells)][-1] == "slow"


def test_ties_share_their_ranks():
    complete = {name: {"of-wine": cell(method=name, ari=ari)} for name, ari in (("a", 0.5), ("b", 0.5), ("c", 0.1))}
    assert mean_ranks(complete) == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_paired_differences_use_what_both_ran():
    first = [cell(ari=0.6), cell("iris", ari=0.5), cell("glass", ari=0.0)]
    second = [cell(ari=0.5, method="eac"), cell("iris", ari=0.2, method="eac")]
    made = paired(first, second)
    assert (made.mean, made.n_datasets) == (pytest.approx(0.2), 2)
    assert (made.low, made.high) == (pytest.approx(0.1), pytest.approx(0.3))  # resamples of two: .1, .2 or .3
    assert paired(first, []) is None


def test_the_newest_cell_counts():
    assert [one["ari"] for one in newest([cell(ari=0.1), cell(ari=0.3, version="2")])] == [0.3]
    assert select([cell(), cell(mode=GIVEN)], mode=GIVEN, half="test", recipe=None) == [cell(mode=GIVEN)]


# ----------------------------------------------------------------------------------------------------------------- page
def test_the_page_says_what_was_measured(tmp_path):
    cells = [
        cell(ari=0.6),
        cell("iris", ari=0.2, half="development"),
        cell(method="reference-rule", ari=0.5),
        cell(method="lwgp", mode=GIVEN, ari=0.9),
        {**cell(method="slow", ari=None), "error": "not done in 60 s", "timeout": 60.0},
    ]
    write_compact(cells, tmp_path / "a.json", ABOUT)
    answer.main(["--table", "--output", str(tmp_path / "a.json"), "--page", str(tmp_path / "page.md")])
    text = (tmp_path / "page.md").read_text()
    assert "2 ensembles of 2 data sets" in text
    assert text.index("## The test half") < text.index("## The development half")
    assert "| default        | 1.0  | 0.600 | 1.00    | 1.00     | 0.00" in text
    assert "| reference-rule, k found | +0.100 " in text
    assert "| lwgp, k given           | -0.300 " in text
    assert "slow (k found): 1, 1 of them by time" in text
    assert text == page(read_compact(tmp_path / "a.json")[0], ABOUT, (tmp_path / "a.json").as_posix())


def small_leaderboard():
    """Three methods with k given on four data sets of one or two ensembles; one more is slow, one twice the same."""
    values = {"a": (0.9, 0.8, 0.7, 0.9), "b": (0.8, 0.7, 0.6, 0.7), "c": (0.5, 0.7, 0.5, 0.6)}
    values["default"] = values["a"]
    halves = {"wine": "test", "iris": "test", "glass": "development", "ecoli": "development"}
    made = [
        cell(data, method, GIVEN, ari, half=halves[data])
        for method, of in values.items()
        for data, ari in zip(halves, of, strict=True)
    ]
    made += [cell("wine", method, GIVEN, of[0] - 0.1, hash="w2", recipe="other") for method, of in values.items()]
    made += [cell("magic04", "a", GIVEN, 0.1, n=19020), cell("wine", "slow", GIVEN, 1.0)]
    return [*made, {**cell("iris", "slow", GIVEN, None), "error": "not done in 60 s", "timeout": 60.0}]


def test_ranks_are_of_methods_that_ran_everywhere_on_small_data():
    cells = small_leaderboard()
    frame = scores(cells, GIVEN)
    assert frame.index.tolist() == ["ecoli", "glass", "iris", "wine"]
    assert frame.columns.tolist() == ["a = default", "b", "c"]
    np.testing.assert_allclose(frame.loc["wine"], [0.85, 0.75, 0.45])  # its two ensembles are averaged
    assert left_out(cells, GIVEN) == ["slow"]
    made = diagram(cells, GIVEN)
    assert made.names == ["a = default", "b", "c"]
    assert made.mean_ranks.tolist() == [1.0, 2.125, 2.875]
    assert made.n_datasets == 4
    assert made.note == "k given; data sets with at most 2,500 objects; not on all of them: slow"
    assert diagram(cells, FOUND) is None
    assert short_table(cells, GIVEN)[1] == ["b", "2.12", "0.688", "0.725", "0.650"]


def test_methods_with_the_same_answers_are_one_entry():
    complete = complete_methods([cell(method="a"), cell(method="b"), cell(method="c", ari=0.4)])
    assert list(entries(complete)) == ["a = b", "c"]
    differ = complete_methods([cell(method="a"), cell("iris", "a"), cell(method="b"), cell("iris", "b", ari=0.4)])
    assert list(entries(differ)) == ["a", "b"]


def test_the_diagram_is_legible_and_written_the_same_each_time(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = diagram(small_leaderboard(), GIVEN).plot().figure_
    assert_legible(figure)
    pyplot.close(figure)
    first, second = (write_pictures(small_leaderboard(), tmp_path / name) for name in "ab")
    assert [path.name for path in first] == ["leaderboard-given.svg"]
    assert first[0].read_bytes() == second[0].read_bytes()
    assert b" \n" not in first[0].read_bytes()


def test_the_page_links_its_diagrams(tmp_path):
    pytest.importorskip("matplotlib")
    write_compact(small_leaderboard(), tmp_path / "a.json", ABOUT)
    answer.main(["--table", "--output", str(tmp_path / "a.json"), "--page", str(tmp_path / "page.md")])
    text = (tmp_path / "page.md").read_text()
    assert "](images/leaderboard-given.svg)" in text
    assert "leaderboard-found.svg" not in text
    assert (tmp_path / "images" / "leaderboard-given.svg").exists()
    assert "(5 ensembles of 4 data sets)" in text
    assert "| a = default | 1.00 " in text
    assert text.index("## In one look") < text.index("## The test half")


def test_one_command_freezes_runs_and_writes(tmp_path, monkeypatch):
    """With two drawn data sets and two quick methods."""
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    monkeypatch.setattr(ensembles, "leaderboard_names", lambda: ["spiral", "two_clusters_outliers"])
    paths = {name: str(tmp_path / name) for name in ("frozen", "answer.json", "cells.jsonl", "page.md")}
    answer.main(
        ["--all", "--ensembles", paths["frozen"], "--output", paths["answer.json"], "--cells", paths["cells.jsonl"]]
        + ["--page", paths["page.md"], "--methods", "voting", "lwea"]
    )
    assert len(list((tmp_path / "frozen").iterdir())) == 6
    cells = read_compact(tmp_path / "answer.json")[0]
    assert {(one["method"], one["mode"]) for one in cells} == {("voting", GIVEN), ("lwea", GIVEN), ("lwea", FOUND)}
    assert "# Leaderboard" in (tmp_path / "page.md").read_text()
    assert (tmp_path / "images" / "leaderboard-given.svg").exists()


def test_comparing_leaves_out_ensembles_with_other_labels(tmp_path, capsys):
    write_compact([cell(ari=0.6), cell("iris", hash="x")], tmp_path / "new.json", ABOUT)
    write_compact([cell(ari=0.5), cell("iris", hash="y")], tmp_path / "old.json", ABOUT)
    answer.main(["--output", str(tmp_path / "new.json"), "--compare", str(tmp_path / "old.json")])
    out = capsys.readouterr().out
    assert "left out, because the labels are not the same: iris.hand" in out
    assert "test, k found, default: +0.1000" in out


def test_comparing_stored_results(tmp_path, capsys):
    for name, ari, code in (("new", 0.6, "x"), ("old", 0.5, "x"), ("other", 0.5, "y")):
        write_compact([cell(ari=ari, hash=code)], tmp_path / f"{name}.json", ABOUT)
    answer.main(["--output", str(tmp_path / "new.json"), "--compare", str(tmp_path / "old.json")])
    assert "test, k found, default: +0.1000 (+0.1000 to +0.1000)" in capsys.readouterr().out
    with pytest.raises(ValueError, match="different ensembles"):
        answer.main(["--output", str(tmp_path / "new.json"), "--compare", str(tmp_path / "other.json")])


def test_what_the_command_needs():
    with pytest.raises(SystemExit, match="pass --ensembles"):
        answer.main([])
    with pytest.raises(SystemExit, match="must be positive"):
        answer.main(["--jobs", "0"])
