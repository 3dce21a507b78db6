"""The command line, as a user meets it: in a process of its own where that matters, in this one elsewhere."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from partita.cli.main import main
from partita.datasets import load_wine_ensemble


@pytest.fixture
def labels(tmp_path):
    wine = load_wine_ensemble()
    path = tmp_path / "labels.csv"
    pd.concat([wine.ids, wine.labels.astype("Int64")], axis=1).to_csv(path, index=False)
    return path


def test_demo(call, tmp_path):
    code, out, _ = call("demo")
    assert code == 0
    assert "clusters     3, of sizes" in out
    assert "Consensus: partita-demo/consensus.csv" in out
    result = pd.read_csv(tmp_path / "partita-demo" / "consensus.csv")
    assert result.columns.tolist() == ["wine", "label"]
    assert result["wine"].iloc[0] == "wine-001"
    assert np.bincount(result["label"]).tolist() == [65, 64, 49]


def test_check(call, labels):
    code, out, _ = call("check", labels)
    assert code == 0
    assert "178 objects, 30 clusterings" in out
    assert "column 'wine'" in out
    assert "distinct rows         178" in out
    facts = json.loads(call("check", labels, "--json")[1])
    assert facts["n_missing"] == 1080
    assert facts["columns"][0] == {"name": "kmeans_k7_s0", "n_labels": 7, "n_missing": 36}


def test_consensus_writes_ids_and_labels(call, labels, tmp_path):
    code, out, err = call("consensus", labels, "-o", "out.tsv", "--method", "label-kmeans", "-k", 3, "--seed", 0)
    assert (code, err) == (0, "")
    table = pd.read_csv(tmp_path / "out.tsv", sep="\t")
    assert table["wine"].tolist() == load_wine_ensemble().ids.tolist()
    assert table["label"].nunique() == 3
    assert "written to   out.tsv" in out


def test_consensus_prints_the_python_that_does_the_same(call, labels, tmp_path):
    _, out, _ = call(
        "consensus", labels, "-o", "o.csv", "--set", "linkage=ward", "-k", 4, "--noise", "singleton", "--columns",
        "kmeans_k7_s0,kmeans_k6_s1,kmeans_k6_s2,kmeans_k3_s3"
    )  # fmt: skip
    lines = [line.strip() for line in out.split("in Python:")[1].splitlines()]
    assert "labels = EAC(linkage='ward', n_clusters=4).fit_predict(X)" in lines
    namespace = {}
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec("\n".join(lines), namespace)
    assert namespace["labels"].tolist() == pd.read_csv(tmp_path / "o.csv")["label"].tolist()


def test_consensus_to_stdout(call, labels):
    code, out, err = call("consensus", labels)
    assert code == 0
    assert out.splitlines()[0] == "wine,label"
    assert len(out.splitlines()) == 179
    assert "178 objects, 30 clusterings, method eac" in err


def test_consensus_json(call, labels):
    summary = json.loads(call("consensus", labels, "--json", "-k", 5)[1])
    assert summary["n_clusters"] == 5
    assert len(summary["labels"]) == 178
    assert sum(summary["cluster_sizes"]) == 178
    summary = json.loads(call("consensus", labels, "-o", "o.npy", "--json")[1])
    assert summary["output"] == "o.npy"
    assert "labels" not in summary


def test_objects_without_label_are_warned_about(call, tmp_path):
    (tmp_path / "a.csv").write_text("id,p,q\nu,1,1\nv,,\nw,2,2\nx,1,1\n")
    code, out, err = call("consensus", "a.csv", "-k", 2)
    assert code == 0
    assert out.splitlines() == ["id,label", "u,0", "v,-1", "w,1", "x,0"]
    assert "partita: warning: 1 of 4 objects have no label" in err
    assert "unlabelled   1 objects" in err


def test_ids_called_label_are_kept(call, tmp_path):
    (tmp_path / "a.csv").write_text("label,a,b\nx1,0,0\nx2,0,0\nx3,1,1\nx4,1,1\n")
    assert call("consensus", "a.csv")[1].splitlines() == ["label_id,label", "x1,0", "x2,0", "x3,1", "x4,1"]


def test_probabilities_are_written(call, labels, tmp_path):
    code, out, err = call(
        "consensus", labels, "-o", "o.csv", "--method", "pcc", "-k", 3, "--divergence", "l2", "--pairs", "0.5",
        "--seed", 0, "--membership", "m.csv",
    )  # fmt: skip
    assert (code, err) == (0, "")
    table = pd.read_csv(tmp_path / "m.csv")
    assert table.columns.tolist() == ["wine", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(table.iloc[:, 2:].sum(axis=1), 1)
    assert table["label"].tolist() == table.iloc[:, 2:].to_numpy().argmax(axis=1).tolist()
    assert "labels = PCC(n_clusters=3, divergence='l2', pairs=0.5, random_state=0).fit_predict(X)" in out


def test_methods(call):
    code, out, _ = call("methods")
    assert code == 0
    assert "partita.EAC" in out
    assert json.loads(call("methods", "--json")[1])["eac"]["finds_k"]


def test_every_estimator_is_a_method():
    from partita.cli._methods import METHODS
    from tests.registry import ESTIMATORS

    assert {method.estimator for method in METHODS.values()} == {type(e.make()).__name__ for e in ESTIMATORS.values()}


WRONG = {
    "unknown file": (["check", "none.csv"], "there is no file 'none.csv'"),
    "unknown column": (["consensus", "labels.csv", "--columns", "zz"], "has no column 'zz'; it has 'kmeans_k7_s0'"),
    "unknown ids": (["check", "labels.csv", "--id-column", "zz"], "has no column 'zz'"),
    "unknown command": (["consens"], "No such command 'consens'"),
    "unknown option": (["check", "labels.csv", "--colour"], "No such option:? '?--colour"),
    "unknown method": (["consensus", "labels.csv", "--method", "magic"], "'magic' is not one of 'eac'"),
    "no file named": (["consensus"], "Missing argument 'FILE'"),
    "bad number": (["consensus", "labels.csv", "-k", "0"], "0 is not in the range x>=1"),
    "too many clusters": (["consensus", "labels.csv", "-k", "500"], "n_clusters=500 exceeds the 178 distinct rows"),
    "missing number": (
        ["consensus", "labels.csv", "-m", "label-kmeans"],
        "needs the number of clusters; pass --n-clusters",
    ),
    "bad setting": (["consensus", "labels.csv", "--set", "linkage"], "must be NAME=VALUE"),
    "unknown setting": (["consensus", "labels.csv", "--set", "power=9"], "has no parameter 'power'; it has allow_one"),
    "bad value": (["consensus", "labels.csv", "--set", "linkage=best"], "'linkage' parameter of EAC must be"),
    "no folder": (["consensus", "labels.csv", "-o", "none/o.csv"], "there is no folder 'none'"),
    "output is input": (["consensus", "labels.csv", "-o", "labels.csv"], "is the input"),
    "output of unknown kind": (["consensus", "labels.csv", "-o", "o.doc"], "the format of 'o.doc' is not known"),
    "bad divergence": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--divergence", "chi2"],
        "neither one of 'kl'",
    ),
    "bad pairs": (["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--pairs", "few"], "pairs"),
    "no probabilities": (["consensus", "labels.csv", "--membership", "m.csv"], "gives no probabilities"),
    "two results in one file": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "-o", "o.csv", "--membership", "o.csv"],
        "choose different names",
    ),
    "exclusive options": (["check", "labels.csv", "--id-column", "wine", "--no-ids"], "exclude each other"),
    "a folder": (["check", "."], "is a folder"),
    "empty file": (["check", "empty.csv"], "is empty"),
    "all missing": (["consensus", "holes.csv"], "all 6 labels of X, shape .3, 2., are missing"),
    "infinity": (["consensus", "inf.csv"], "is infinity"),
    "ragged": (["check", "ragged.csv"], "row 3 has 3 fields and the first row has 2"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_get_one_clear_line(call, labels, tmp_path, case):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "holes.csv").write_text("p,q\n-1,-1\n-1,\n,-1\n")
    (tmp_path / "inf.csv").write_text("p,q\n1,inf\n1,2\n2,2\n")
    (tmp_path / "ragged.csv").write_text("p,q\n1,2\n1,2,3\n")
    before = labels.read_bytes()
    files = set(os.listdir(tmp_path))
    argv, message = WRONG[case]
    code, out, err = call(*argv)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("partita: error: ")
    import re

    assert re.search(message, err), err
    assert labels.read_bytes() == before
    assert set(os.listdir(tmp_path)) == files


def test_a_fault_of_ours_shows_its_traceback_on_request(call, labels, monkeypatch):
    monkeypatch.setenv("PARTITA_DEBUG", "1")
    with pytest.raises(FileNotFoundError):
        main(["check", "none.csv"])


def run_alone(*argv, **environment):
    return subprocess.run(
        [sys.executable, "-m", "partita", *argv], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_version_and_help_in_a_process_of_its_own():
    import partita

    assert run_alone("--version").stdout.strip() == f"partita {partita.__version__}"
    start = time.perf_counter()
    shown = run_alone("--help")
    assert shown.returncode == 0
    assert "consensus" in shown.stdout
    assert time.perf_counter() - start < 3  # 0.1 s on an idle machine; 3 s tells a heavy import from a busy core
    assert run_alone().returncode == 2


def test_first_run_says_that_it_compiles(tmp_path, labels):
    first = run_alone("consensus", str(labels), "-o", str(tmp_path / "o.csv"), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert first.returncode == 0, first.stderr
    assert first.stderr.count("compiling, once") == 1
    again = run_alone("consensus", str(labels), "-o", str(tmp_path / "o.csv"), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert again.stderr == ""


def test_a_reader_that_goes_away_is_no_error(labels):
    pipe = f"{sys.executable} -m partita consensus {labels} 2>/dev/null | head -1"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True)
    assert done.stdout.strip() == "wine,label"
    assert "Traceback" not in done.stderr


@pytest.fixture
def features(tmp_path):
    """Three features of the wines in another order, with their ids."""
    target = pd.factorize(load_wine_ensemble().target)[0]
    frame = pd.DataFrame({"wine": load_wine_ensemble().ids, "size": 3.0 * target, "count": 4 * target, "kind": "u"})
    frame.loc[frame["count"] > 3, "kind"] = "v"
    path = tmp_path / "features.csv"
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    return path


def test_features_are_matched_by_id(call, labels, features, tmp_path):
    arguments = ["--method", "gbce", "-k", 3, "--seed", 0, "--features", features, "--family", "count=poisson"]
    code, out, err = call("consensus", labels, "-o", "out.csv", *arguments)
    assert (code, err) == (0, "")
    assert "families={'count': 'poisson'}).fit_predict(X, features=F)" in out
    found = pd.read_csv(tmp_path / "out.csv")
    table = pd.crosstab(load_wine_ensemble().target, found["label"])
    assert (table.max(axis=1) > 40).all()


def test_features_that_do_not_fit_are_refused(call, labels, features, tmp_path):
    of_bce = call("consensus", labels, "--method", "bce", "-k", 3, "--features", features)
    assert of_bce[0] == 2
    assert "features are for --method gbce" in of_bce[2]
    short = tmp_path / "short.csv"
    pd.read_csv(features).drop(columns="wine").head(5).to_csv(short, index=False)
    assert (
        "has 5 rows and the labels have 178" in call("consensus", labels, "-m", "gbce", "-k", 3, "--features", short)[2]
    )
    pd.read_csv(features).head(5).to_csv(short, index=False)
    assert "has no row for the object" in call("consensus", labels, "-m", "gbce", "-k", 3, "--features", short)[2]
    twice = pd.concat([pd.read_csv(features)] * 2)
    twice.to_csv(short, index=False)
    assert "twice; ids must be different" in call("consensus", labels, "-m", "gbce", "-k", 3, "--features", short)[2]
    assert "--family is of no use" in call("consensus", labels, "-m", "gbce", "-k", 3, "--family", "poisson")[2]


@pytest.mark.parametrize("method", ["bce", "mm", "qmi", "nbce", "cspa", "mcla", "hbgf", "hgpa", "voting", "nmf"])
def test_methods_run_from_the_command_line(call, labels, method, tmp_path):
    k = [] if method == "nbce" else ["-k", 3]
    code, out, _ = call("consensus", labels, "-o", "out.csv", "--method", method, "--seed", 0, *k)
    assert code == 0
    assert f"method {method}" in out
    assert len(pd.read_csv(tmp_path / "out.csv")) == 178
