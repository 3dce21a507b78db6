"""``partita report`` and ``--report``: the page, annotations, comparison, tables, the lines in Python, wrong calls."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.plants import SMALL

QUICK = ["--resamples-of-clusterings", 4]


@pytest.fixture
def cells(tmp_path):
    """Text labels with holes, ids, and three annotations."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [30, 20, 10])
    columns = {f"c{j}": np.where(rng.random(60) < 0.05, rng.integers(3, size=60), truth) for j in range(8)}
    frame = pd.DataFrame({name: np.array(["T <b>", "B & C", "NK"])[codes] for name, codes in columns.items()})
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame.insert(0, "cell", [f"cell-{i}" for i in range(60)])
    frame["batch"] = np.array(["left", "right"])[rng.integers(2, size=60)]
    frame["kind"] = np.array(["A", "B", "C"])[truth]
    frame["age"] = rng.random(60) + truth
    frame.to_csv(tmp_path / "cells.csv", index=False)
    return "cells.csv"


def text_of(path):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8")))


def test_a_report_of_labels_with_text_and_holes(call, cells, tmp_path):
    code, out, err = call("report", cells, "-o", "r.html", "--annotate", "batch,kind,age", *QUICK)
    assert (code, err) == (0, "")
    assert "written to   r.html" in out
    text = text_of(tmp_path / "r.html")
    assert "8 clusterings of 60 objects lead to 3 clusters (method lwgp)" in text
    assert "cell-" in text
    assert "partita report cells.csv -o r.html --annotate batch,kind,age" in text
    assert "chi-squared" in text
    assert "Kruskal-Wallis" in text
    assert "T <b>" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_python_lines_make_the_same_report(call, cells, tmp_path, monkeypatch):
    argv = ["report", cells, "-o", "r.html", "--annotate", "batch,kind,age", "-m", "eac", "-k", 3, "--seed", 3, *QUICK]
    lines = json.loads(call(*argv, "--json")[1])["python"]
    assert lines.endswith("result.report('r.html', random_state=3, n_resamples=4, annotations=A)")
    first = text_of(tmp_path / "r.html")
    (tmp_path / "r.html").unlink()
    exec(lines, {})
    again = text_of(tmp_path / "r.html")
    verdict = "8 clusterings of 60 objects lead to 3 clusters (method eac)"
    assert verdict in first
    assert verdict in again
    assert again.count("cell-") == first.count("cell-")


def test_annotations_of_another_file_are_matched_by_id(call, cells, tmp_path):
    frame = pd.read_csv(tmp_path / cells)
    frame[["cell", "kind"]].rename(columns={"kind": "type"}).sample(frac=1, random_state=0).to_csv(
        tmp_path / "meta.csv", index=False
    )
    argv = ["report", cells, "-o", "r.html", "--annotate", "batch,kind,age", "--annotations", "meta.csv", *QUICK]
    code, out, _ = call(*argv, "--tables")
    assert code == 0
    assert "A = A.join(read_features('meta.csv', table))" in out
    table = pd.read_csv(tmp_path / "r.annotations.csv").set_index("annotation")
    assert table.loc["type", "effect"] == pytest.approx(table.loc["kind", "effect"])
    assert table.loc["type", "effect"] > 0.9


def test_full_tables_and_methods_beside(call, cells, tmp_path):
    argv = ["--columns", "c0,c1,c2,c3,c4", "--compare-methods", "eac,mcla", "--tables", "--title", "Our cells", *QUICK]
    assert call("report", cells, "-o", "r.html", *argv)[0] == 0
    assert pd.read_csv(tmp_path / "r.objects.csv")["id"].tolist() == [f"cell-{i}" for i in range(60)]
    assert sorted(pd.read_csv(tmp_path / "r.methods.csv")["method"]) == ["eac", "mcla"]
    assert "Our cells" in text_of(tmp_path / "r.html")


def test_consensus_writes_a_report_too(call, cells, tmp_path):
    argv = ["-o", "y.csv", "--drop", "batch,kind", "--annotate", "age", "--report", "r.html", "-m", "pcc", "-k", 3]
    code, out, _ = call("consensus", cells, *argv)
    assert code == 0
    assert "report       r.html" in out
    assert "lead to 3 clusters (method pcc)" in text_of(tmp_path / "r.html")
    assert len(pd.read_csv(tmp_path / "y.csv")) == 60


def test_cluster_writes_a_report_too(call, table, tmp_path):
    argv = ["-o", "y.csv", "--annotate", "class", "--report", "r.html", *SMALL, "-k", 3]
    code, out, _ = call("cluster", table, *argv)
    assert code == 0
    assert "result.report('r.html', annotations=A)" in out
    text = text_of(tmp_path / "r.html")
    assert "class" in text
    assert "partita cluster table.csv" in text


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-o", "r.pdf"], "let its name end in .html or .htm"),
        (["-o", "nowhere/r.html"], "there is no folder 'nowhere'"),
        (["-o", "r.html", "--annotate", "colour"], "has no column 'colour'"),
        (["-o", "r.html", "--compare-methods", "magic"], "--compare-methods magic cannot be compared"),
        (["-o", "r.html", "-m", "hbgf"], "needs the number of clusters"),
        (["-o", "r.html", "--resamples-of-clusterings", "-1"], "-1"),
        ([], "Missing option '-o'"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(call, labels, tmp_path, argv, message):
    code, _, err = call("report", labels, *argv)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("*.html"))


def test_the_input_is_not_overwritten(call, labels, tmp_path):
    (tmp_path / labels).rename(tmp_path / "labels.html")
    before = (tmp_path / "labels.html").read_bytes()
    assert call("report", "labels.html", "-o", "labels.html")[0] == 2
    assert (tmp_path / "labels.html").read_bytes() == before


def test_two_results_do_not_go_to_one_file(call, labels):
    code, _, err = call("consensus", labels, "-o", "y.csv", "--confidence", "r.html", "--report", "r.html")
    assert code == 2
    assert err


def test_a_missing_extra_is_named_before_any_work(call, labels, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    code, _, err = call("consensus", labels, "-o", "y.csv", "--report", "r.html")
    assert code == 2
    assert 'pip install "partita[report]"' in err


def test_tables_never_replace_an_input(call, labels, tmp_path):
    (tmp_path / labels).rename(tmp_path / "r.clusters.csv")
    before = (tmp_path / "r.clusters.csv").read_bytes()
    code, _, err = call("report", "r.clusters.csv", "-o", "r.html", "--tables", *QUICK)
    assert code == 2
    assert "is the input; choose another name" in err
    assert (tmp_path / "r.clusters.csv").read_bytes() == before
    assert not (tmp_path / "r.html").exists()


def test_tables_and_times_are_told(call, labels, tmp_path):
    argv = ["report", labels, "-o", "r.html", "--tables", *QUICK]
    out = call(*argv)[1]
    assert re.search(r"written to   r\.html \(in \d+\.\d s\)", out)
    assert "tables       r.objects.csv, r.clusters.csv, r.clusterings.csv, r.stability.csv" in " ".join(out.split("\n"))
    facts = json.loads(call(*argv, "--json")[1])
    assert facts["tables_output"] == [f"r.{name}.csv" for name in ("objects", "clusters", "clusterings", "stability")]
    assert facts["seconds_report"] > 0


def test_options_of_a_report_need_one(call, labels):
    for option in (["--compare"], ["--annotate", "c0"]):
        code, _, err = call("consensus", labels, "-o", "y.csv", *option)
        assert code == 2
        assert "pass --report FILE too" in err


def test_consensus_can_compare_methods_in_its_report(call, labels, tmp_path):
    assert call("consensus", labels, "-o", "y.csv", "-k", 3, "--report", "r.html", "--compare")[0] == 0
    assert "Methods side by side" in text_of(tmp_path / "r.html")


def test_a_measurement_among_the_labels_can_be_an_annotation(call, cells):
    err = call("consensus", cells, "-o", "y.csv", "--drop", "kind,batch")[2]
    assert "--drop age, show it in the report by --annotate age, or pass --force" in err


def test_the_python_lines_of_features_name_objects_and_clusterings(call, table, tmp_path):
    argv = ["cluster", table, "-o", "y.csv", "--annotate", "class", "--report", "r.html", *SMALL, "-k", 3]
    lines = json.loads(call(*argv, "--json")[1])["python"]
    first = text_of(tmp_path / "r.html")
    exec(lines, {})
    again = text_of(tmp_path / "r.html")
    assert "kmeans" in first
    assert [first.count(word) for word in ("kmeans", "plant")] == [again.count(word) for word in ("kmeans", "plant")]


def test_names_that_a_spreadsheet_would_compute_can_be_marked(call, cells, tmp_path):
    frame = pd.read_csv(tmp_path / cells)
    frame["cell"] = [f"={i}+1" for i in range(60)]
    frame.to_csv(tmp_path / "x.csv", index=False)
    argv = ["report", "x.csv", "-o", "r.html", "--drop", "batch,kind,age", "--tables", *QUICK]
    assert call(*argv)[0] == 0
    assert pd.read_csv(tmp_path / "r.objects.csv")["id"][0] == "=0+1"
    assert call(*argv, "--spreadsheet-safe")[0] == 0
    assert pd.read_csv(tmp_path / "r.objects.csv")["id"][0] == "'=0+1"
