"""``partita compare``."""

import json

import pandas as pd
import pytest

import partita
from tests.broken import Broken
from tests.ensembles import noisy_ensemble, same_partition


@pytest.fixture
def clusterings(tmp_path):
    """Fifteen clusterings of 62 objects, with ids and holes."""
    X = noisy_ensemble(missing=0.2).X
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).astype("Int64").mask(X < 0)
    table.insert(0, "object", [f"o{i:02}" for i in range(len(X))])
    path = tmp_path / "labels.csv"
    table.to_csv(path, index=False)
    return path


def test_compare_prints_a_table_and_the_agreement(call, clusterings):
    argv = ["compare", clusterings, "-k", 3, "--methods", "eac,mcla, hbgf"]
    assert "adjusted Rand index between methods" not in call(*argv)[1]
    code, out, err = call(*argv, "--matrix", "--matrix-output", "m.csv")
    assert pd.read_csv("m.csv")["method"].tolist() == ["eac", "mcla", "hbgf"]
    assert (code, err) == (0, "")
    assert "62 objects, 15 clusterings" in out
    assert "k = 3" in out
    assert "adjusted Rand index between methods" in out
    names = [line.split()[0] for line in out.splitlines() if line.split()[1:2] == ["3"]]
    assert sorted(names) == ["eac", "hbgf", "mcla"]


def test_compare_runs_every_method_for_labels(call, clusterings):
    from partita.cli._methods import METHODS

    code, out, _ = call("compare", clusterings, "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["given_n_clusters"] == 3
    names = [row["method"] for row in facts["methods"]]
    assert names[0] == "auto"
    assert set(names[1:]) == {name for name, method in METHODS.items() if not method.for_soft} - {"lwgp"}
    assert not [row["error"] for row in facts["methods"] if row["error"]]
    scores = [row["average_nmi"] for row in facts["methods"][1:]]
    assert scores == sorted(scores, reverse=True)
    assert facts["agreement"]["cspa"]["mcla"] == facts["agreement"]["mcla"]["cspa"] == pytest.approx(1)


def test_compare_writes_table_and_labels(call, clusterings, tmp_path):
    truth = noisy_ensemble(missing=0.2).truth
    code, _, _ = call("compare", clusterings, "-k", 3, "--methods", "cspa,mcla", "-o", "t.csv", "--labels", "l.csv")
    assert code == 0
    table, found = pd.read_csv(tmp_path / "t.csv"), pd.read_csv(tmp_path / "l.csv")
    assert set(table["method"]) == {"cspa", "mcla"}
    assert table.columns.tolist() == ["method", "n_clusters", "average_nmi", "seconds", "error", "warning"]
    assert found.columns.tolist() == ["object", "cspa", "mcla"]
    assert found["object"].tolist()[:2] == ["o00", "o01"]
    assert same_partition(found["mcla"], truth)


def test_compare_goes_on_after_a_failure(call, clusterings, tmp_path, monkeypatch):
    monkeypatch.setattr(partita, "MCLA", Broken)
    code, out, _ = call("compare", clusterings, "-k", 3, "--methods", "mcla,cspa", "--labels", "l.csv")
    assert code == 0
    assert "mcla failed: RuntimeError: it broke" in out.splitlines()
    assert pd.read_csv(tmp_path / "l.csv").columns.tolist() == ["object", "cspa"]
    row = json.loads(call("compare", clusterings, "-k", 3, "--methods", "mcla,cspa", "--json")[1])["methods"][1]
    assert (row["method"], row["average_nmi"], row["error"]) == ("mcla", None, "RuntimeError: it broke")


def test_compare_where_every_method_fails_says_so_in_one_line(call, clusterings, monkeypatch):
    monkeypatch.setattr(partita, "MCLA", Broken)
    code, out, err = call("compare", clusterings, "-k", 3, "--methods", "mcla")
    assert (code, out) == (2, "")
    assert "no method gave a result: mcla: RuntimeError: it broke" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("names", ["eac,nosuch", "nosuch", ","])
def test_compare_names_an_unknown_method(names, call, clusterings):
    code, out, err = call("compare", clusterings, "--methods", names)
    assert code == 2
    assert "there is no method" in err
    assert "mcla" in err
    assert out == ""


def test_compare_refuses_a_bad_target_before_it_runs(call, clusterings):
    code, out, err = call("compare", clusterings, "--methods", "eac", "-o", "nowhere/t.csv")
    assert code != 0
    assert "nowhere" in err
    assert out == ""


def test_compare_says_which_methods_did_not_converge(call, clusterings, monkeypatch):
    from partita import MultinomialMixture

    class Stopped(MultinomialMixture):
        def fit(self, X, **more):
            self.max_iter, self.tol = 1, 0.0
            return super().fit(X, **more)

    monkeypatch.setattr(partita, "MultinomialMixture", Stopped)
    code, out, err = call("compare", clusterings, "-k", 3, "--methods", "mm,cspa")
    assert (code, err) == (0, "")
    assert next(line for line in out.splitlines() if line.startswith("mm ")).endswith("  *")
    assert "* mm: Stopped did not converge in --set max_iter=1 iterations;" in out
    rows = json.loads(call("compare", clusterings, "-k", 3, "--methods", "mm,cspa", "--json")[1])["methods"]
    assert {row["method"]: bool(row["warning"]) for row in rows} == {"mm": True, "cspa": False}


def test_a_repeated_id_is_no_clustering(call, clusterings, tmp_path):
    table = pd.read_csv(clusterings).rename(columns={"object": "id"}).assign(id=[f"o{i // 3}" for i in range(62)])
    table.to_csv(tmp_path / "twice.csv", index=False)
    code, out, _ = call("compare", "twice.csv", "-k", 3, "--methods", "cspa")
    assert code == 0
    assert "62 objects, 15 clusterings" in out
