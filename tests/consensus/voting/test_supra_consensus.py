"""Several methods side by side, from Python and from the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import partita
from partita import CSPA, EAC, HBGF, MCLA, LabelKMeans, supra_consensus
from partita.consensus.voting._supra_consensus import Outcome, agreement
from partita.metrics import adjusted_rand_score, average_nmi_score
from tests.ensembles import noisy_ensemble, same_partition


class Broken(LabelKMeans):
    def fit(self, X, y=None, sample_weight=None):
        raise RuntimeError("it broke")


@pytest.fixture
def labels(tmp_path):
    X = noisy_ensemble(missing=0.2).X
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).astype("Int64").mask(X < 0)
    table.insert(0, "object", [f"o{i:02}" for i in range(len(X))])
    path = tmp_path / "labels.csv"
    table.to_csv(path, index=False)
    return path


def test_the_highest_average_nmi_is_kept():
    X, truth = noisy_ensemble()
    methods = {"two": LabelKMeans(2, random_state=0), "three": LabelKMeans(3, random_state=0), "one": CSPA(1)}
    found = supra_consensus(X, methods=methods)
    scores = {name: average_nmi_score(X, method.fit(X).labels_) for name, method in methods.items()}
    assert found.best == max(scores, key=scores.get) == "three"
    assert same_partition(found.labels, truth)
    assert found.table["method"].tolist() == sorted(scores, key=scores.get, reverse=True)
    assert np.allclose(found.table["average_nmi"], sorted(scores.values(), reverse=True))
    assert found.table["n_clusters"].tolist() == [3, 2, 1]
    assert [outcome.name for outcome in found.outcomes] == ["two", "three", "one"]


def test_default_methods_are_those_of_the_paper(X, truth):
    found = supra_consensus(X, 3, random_state=0)
    assert {outcome.name for outcome in found.outcomes} == {"CSPA", "HGPA", "MCLA"}
    assert same_partition(found.labels, truth)
    assert (found.table["seconds"] > 0).all()
    assert (found.table["error"] == "").all()


def test_estimators_are_not_changed(X):
    method = MCLA(3, random_state=0)
    supra_consensus(X, methods={"mcla": method})
    assert not hasattr(method, "labels_")


def test_verbose_changes_nothing(X):
    quiet, loud = (supra_consensus(X, 3, random_state=0, verbose=verbose) for verbose in (False, True))
    assert quiet.best == loud.best
    assert np.array_equal(quiet.labels, loud.labels)


def test_a_failing_method_is_reported_and_does_not_stop_the_rest(X, truth):
    found = supra_consensus(X, methods={"broken": Broken(3), "eac": EAC(3), "bad": HBGF(0)})
    assert found.best == "eac"
    assert same_partition(found.labels, truth)
    assert found.table["method"].tolist()[0] == "eac"
    rows = found.table.set_index("method")
    assert rows.loc["broken", "error"] == "RuntimeError: it broke"
    assert "n_clusters" in rows.loc["bad", "error"]
    assert np.isnan(rows.loc["broken", "average_nmi"])
    assert found.outcomes[0].labels is None


def test_what_cannot_work_raises(X):
    with pytest.raises(ValueError, match="broken: RuntimeError: it broke"):
        supra_consensus(X, methods={"broken": Broken(3)})
    with pytest.raises(ValueError, match="n_clusters is None"):
        supra_consensus(X)
    with pytest.raises(ValueError, match="methods is empty"):
        supra_consensus(X, methods={})


def test_agreement_is_the_adjusted_rand_index_between_results(rng):
    labellings = {name: rng.integers(3, size=40) for name in "abc"}
    labellings["b"][:10] = labellings["a"][:10]
    outcomes = [Outcome(name, found, 3, 0.5, 0.1, "") for name, found in labellings.items()]
    table = agreement([*outcomes, Outcome("failed", None, 0, np.nan, 0.1, "ValueError: no")])
    assert table.index.tolist() == table.columns.tolist() == ["a", "b", "c"]
    assert np.array_equal(table, table.T)
    for first in "abc":
        for second in "abc":
            expected = adjusted_rand_score(labellings[first], labellings[second])
            assert table.loc[first, second] == pytest.approx(expected)


def test_compare_prints_a_table_and_the_agreement(call, labels):
    code, out, err = call("compare", labels, "-k", 3, "--methods", "eac,mcla, hbgf")
    assert (code, err) == (0, "")
    assert "62 objects, 15 clusterings" in out
    assert "k = 3" in out
    assert "adjusted Rand index between methods" in out
    names = [line.split()[0] for line in out.splitlines() if line.split()[1:2] == ["3"]]
    assert sorted(names) == ["eac", "hbgf", "mcla"]


def test_compare_runs_every_method_for_labels(call, labels):
    from partita.cli._methods import METHODS

    code, out, _ = call("compare", labels, "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["n_clusters"] == 3
    names = [row["method"] for row in facts["methods"]]
    assert set(names) == {name for name, method in METHODS.items() if not method.for_soft}
    assert not [row["error"] for row in facts["methods"] if row["error"]]
    scores = [row["average_nmi"] for row in facts["methods"]]
    assert scores == sorted(scores, reverse=True)
    assert facts["agreement"]["cspa"]["mcla"] == facts["agreement"]["mcla"]["cspa"] == pytest.approx(1)


def test_compare_writes_table_and_labels(call, labels, tmp_path):
    truth = noisy_ensemble(missing=0.2).truth
    code, _, _ = call("compare", labels, "-k", 3, "--methods", "cspa,mcla", "-o", "t.csv", "--labels", "l.csv")
    assert code == 0
    table, found = pd.read_csv(tmp_path / "t.csv"), pd.read_csv(tmp_path / "l.csv")
    assert set(table["method"]) == {"cspa", "mcla"}
    assert table.columns.tolist() == ["method", "n_clusters", "average_nmi", "seconds", "error"]
    assert found.columns.tolist() == ["object", "cspa", "mcla"]
    assert found["object"].tolist()[:2] == ["o00", "o01"]
    assert same_partition(found["mcla"], truth)


def test_compare_goes_on_after_a_failure(call, labels, tmp_path, monkeypatch):
    monkeypatch.setattr(partita, "MCLA", Broken)
    code, out, _ = call("compare", labels, "-k", 3, "--methods", "mcla,cspa", "--labels", "l.csv")
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("mcla"))
    assert "failed: RuntimeError: it broke" in row
    assert pd.read_csv(tmp_path / "l.csv").columns.tolist() == ["object", "cspa"]
    row = json.loads(call("compare", labels, "-k", 3, "--methods", "mcla,cspa", "--json")[1])["methods"][1]
    assert (row["method"], row["average_nmi"], row["error"]) == ("mcla", None, "RuntimeError: it broke")


def test_compare_where_every_method_fails_still_prints_the_rows(call, labels, monkeypatch):
    monkeypatch.setattr(partita, "MCLA", Broken)
    _, out, err = call("compare", labels, "-k", 3, "--methods", "mcla")
    assert "failed: RuntimeError: it broke" in out
    assert "Traceback" not in out + err


@pytest.mark.parametrize("names", ["eac,nosuch", "nosuch", ","])
def test_compare_names_an_unknown_method(names, call, labels):
    code, out, err = call("compare", labels, "--methods", names)
    assert code == 2
    assert "there is no method" in err
    assert "mcla" in err
    assert out == ""


def test_compare_refuses_a_bad_target_before_it_runs(call, labels):
    code, out, err = call("compare", labels, "--methods", "eac", "-o", "nowhere/t.csv")
    assert code != 0
    assert "nowhere" in err
    assert out == ""


def test_methods_may_be_a_list(X):
    assert len(supra_consensus(X, methods=[CSPA(3, random_state=0), CSPA(2, random_state=0)]).outcomes) == 2
    with pytest.raises(TypeError, match="must be a dict of estimators by name, or a list of estimators"):
        supra_consensus(X, methods=["cspa"])
