"""The benchmark of optima: gaps to the best value ever found, which never gets worse."""

import json

import numpy as np
import pytest
from benchmarks import optima
from benchmarks._optima_cells import agreement, best_values, gaps, read_results, run_cell, with_cell
from benchmarks._optima_ensembles import ALL, NBCE, STARTS
from benchmarks._optima_methods import METHODS
from benchmarks._optima_table import figures, page

import partita
from partita.experiments import freeze, load_frozen, save_frozen
from tests.ensembles import noisy_ensemble


def cell(method, values, **more):
    return {"run": "1", "ensemble": "toy", "method": method, "values": values, "self_ari": 1.0, "share_same": 1.0} | {
        "seconds": 0.1,
        **more,
    }


def frozen_toy(name="iris-10"):
    made = noisy_ensemble()
    return freeze(made.X, made.truth, data=name, recipe="optima", seed=0)


def test_the_best_value_never_gets_worse():
    known = {"toy": {"LabelKMeans": 4.0, "BCE": -7.0}}
    cells = [cell("LabelKMeans", [5.0, 6.0]), cell("BCE", [-9.0, -6.5])]
    best = best_values(cells, known)
    assert best == {"toy": {"LabelKMeans": 4.0, "BCE": -6.5}}
    assert known["toy"]["BCE"] == -7.0  # what was passed is not changed


def test_gaps_are_relative_and_in_nats_for_nbce():
    best = {"toy": {"LabelKMeans": 4.0, "BCE": -8.0, "NBCE-vb": -100.0}}
    assert gaps(cell("LabelKMeans", [4.0, 5.0]), best) == pytest.approx([0.0, 0.25])
    assert gaps(cell("BCE", [-8.0, -10.0]), best) == pytest.approx([0.0, 0.25])
    assert gaps(cell("NBCE-vb", [-100.0, -103.5]), best) == pytest.approx([0.0, 3.5])


def test_figures_count_the_seeds_near_the_best():
    found = figures(cell("LabelKMeans", [4.0, 4.003, 4.4]), {"toy": {"LabelKMeans": 4.0}})
    assert found["near"] == pytest.approx(2 / 3)
    assert found["max"] == pytest.approx(10.0)
    nats = figures(cell("NBCE-vb", [-10.0, -10.9, -12.0], r_hats=[1.0, 1.3, 1.1]), {"toy": {"NBCE-vb": -10.0}})
    assert nats["near"] == pytest.approx(2 / 3)
    assert nats["r_hat"] == 1.3


def test_agreement_is_with_the_best_seed():
    labels = [np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), np.array([0, 1, 0, 1])]
    assert agreement([3.0, 2.0, 1.0], labels, rises=True)["share_same"] == pytest.approx(2 / 3, abs=1e-3)
    assert agreement([3.0, 2.0, 1.0], labels, rises=False)["share_same"] == pytest.approx(1 / 3, abs=1e-3)


def test_a_budget_stops_after_the_seed_that_exceeds_it():
    found = run_cell(frozen_toy(), "LabelKMeans", 5, 0.0)
    assert len(found["values"]) == 1
    model = partita.LabelKMeans(frozen_toy().n_classes, random_state=0).fit(frozen_toy().labels)
    assert found["values"][0] == pytest.approx(model.objective_)


def test_a_cell_replaces_that_of_the_same_run():
    results = with_cell({"cells": [], "best": {}}, cell("BCE", [-8.0]))
    results = with_cell(results, cell("BCE", [-9.0]))
    assert [one["values"] for one in results["cells"]] == [[-9.0]]
    assert results["best"]["toy"]["BCE"] == -8.0


def test_a_run_stores_cells_and_goes_on_where_it_was(tmp_path, capsys):
    frozen = frozen_toy()
    save_frozen(frozen, tmp_path)
    output = tmp_path / "results" / "optima.json"
    words = ["--ensembles", str(tmp_path), "--output", str(output), "--names", "iris-10", "--seeds", "3", "--run", "a"]
    optima.main([*words, "--methods", "LabelKMeans"])
    stored = read_results(output)
    assert [one["ensemble"] for one in stored["cells"]] == [frozen.name]
    assert len(stored["cells"][0]["values"]) == 3
    capsys.readouterr()
    optima.main([*words, "--methods", "LabelKMeans"])
    assert "1/1" not in capsys.readouterr().err  # nothing was run again
    optima.main(["--table", "--output", str(output), "--page", str(tmp_path / "page.md")])
    text = (tmp_path / "page.md").read_text()
    assert "## LabelKMeans" in text
    assert "| iris-10 | a | 3 |" in text


def test_ensembles_can_be_made_without_a_data_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("PARTITA_DATA", raising=False)
    path = optima.frozen_file(tmp_path, "iris-10")
    frozen = load_frozen(path)
    assert frozen.labels.shape == (150, 10)
    assert frozen.n_classes == 3
    assert optima.frozen_file(tmp_path, "iris-10") == path
    assert optima.frozen_file(tmp_path, "glass-10") is None


def test_every_method_with_starts_is_measured():
    with_starts = {name for name in dir(partita) if "keep_starts" in _parameters(name)} - {"GBCE"}  # needs features
    assert with_starts <= {name.split("-")[0] for name in METHODS}
    assert len(STARTS) >= 10
    assert len(NBCE) == 4
    assert set(ALL) == set(STARTS) | set(NBCE)


def _parameters(name):
    estimator = getattr(partita, name)
    return getattr(estimator, "_parameter_constraints", {})


def test_the_page_is_made_from_the_stored_results():
    path = optima.RESULTS
    if not path.exists():
        pytest.skip("no stored results")
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert optima.PAGE.read_text(encoding="utf-8") == page(stored), "run `python -m benchmarks optima --table`"
