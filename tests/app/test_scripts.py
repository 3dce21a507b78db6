"""The script and the command do the same as the page."""

import shlex

import numpy as np
import pandas as pd
import pytest

from partita.cli.main import main
from tests.app.clients import csv, plants

LABELS = plants()
rng = np.random.default_rng(0)
POINTS = np.r_[rng.normal(size=(25, 2)), rng.normal(size=(25, 2)) + 6].round(3)
FEATURES = csv([["name", "w", "h", "kind"], *([f"n{i}", *row, "xy"[i % 2]] for i, row in enumerate(POINTS.tolist()))])

CASES = {
    "as it is": ("plants.csv", LABELS, {}, {}),
    "a method": ("plants.csv", LABELS, {}, {"method": "mcla", "n_clusters": 4, "seed": 3}),
    "the number found for a method": ("plants.csv", LABELS, {}, {"method": "eac"}),
    "settings": ("plants.csv", LABELS, {}, {"method": "eac", "n_clusters": 2, "settings": {"linkage": "single"}}),
    "settings, number found": ("plants.csv", LABELS, {}, {"method": "eac", "settings": {"linkage": "single"}}),
    "few columns": ("plants.csv", LABELS, {"columns": ["a", "b"]}, {}),
    "no ids": ("plants.csv", LABELS, {"id_column": None, "drop": ["plant"], "kind": "labels"}, {}),
    "another separator": ("a, b.csv", LABELS.replace(b",", b"/"), {"separator": "/"}, {}),
    "words and noise": ("plants.csv", LABELS.replace(b",2,", b",-1,"), {"noise": "cluster", "missing": ["0"]}, {}),
    "a name like an option": ("-plants.csv", LABELS, {"noise": "singleton", "annotations": ["height"]}, {}),
    "features": ("points.csv", FEATURES, {}, {"base": {"n_clusterings": 10, "base_clusters": [2, 6]}, "seed": 2}),
    "features and text": ("points.csv", FEATURES, {"annotations": [], "columns": ["w", "h", "kind"]},
                          {"base": {"n_clusterings": 8}, "n_clusters": 2}),
}  # fmt: skip


@pytest.fixture
def found(client, request, tmp_path, monkeypatch):
    """The summary of a run, its labels, and a folder with its file."""
    name, content, corrections, asked = CASES[request.param]
    dataset = client.upload(name, content, **corrections)
    run = client.run(dataset["id"], **asked)
    assert run["state"] == "done", run
    rows = client.ok("get", f"runs/{run['id']}/objects?sort=row&limit=500")["rows"]
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / name).write_bytes(content)
    monkeypatch.chdir(folder)
    return client.ok("get", f"runs/{run['id']}/summary"), rows


@pytest.mark.parametrize("found", CASES, indirect=True)
def test_the_script_finds_the_same_labels(found):
    summary, rows = found
    labels, names = [row["cluster"] for row in rows], [row["id"] for row in rows]
    lines = [line for line in summary["python"].splitlines() if not line.startswith("result.report(")]
    assert len(lines) == len(summary["python"].splitlines()) - 1
    space = {}
    exec("\n".join(lines), space)
    assert space["result"].labels.tolist() == labels
    assert [str(name) for name in space["result"].ids] == names
    written = pd.read_csv("consensus.csv", index_col=0)
    assert (written["label"].tolist(), [str(name) for name in written.index]) == (labels, names)


@pytest.mark.parametrize("found", CASES, indirect=True)
def test_the_command_finds_the_same_labels(found):
    summary, rows = found
    program, *words = shlex.split(summary["command"])
    assert program == "partita"
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    assert pd.read_csv("consensus.csv")["label"].tolist() == [row["cluster"] for row in rows]
