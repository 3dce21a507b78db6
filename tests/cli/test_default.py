"""What `partita consensus` does without options, `--n-clusters auto`, and how sure it is."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from partita import KMeansEnsemble, combine
from partita.datasets import load_wine_ensemble
from partita.io import read_labels
from tests.cli.leaks import leaks
from tests.cli.plants import TRUTH, run_lines


@pytest.fixture
def clear(tmp_path):
    """Twelve clusterings of 80 objects that differ in one object each."""
    truth = np.repeat([0, 1, 2, 3], 20)
    columns = {f"c{j}": np.where(np.arange(80) == 7 * j, 3, truth) for j in range(12)}
    pd.DataFrame({"id": [f"o{i}" for i in range(80)], **columns}).to_csv(tmp_path / "clear.csv", index=False)
    return "clear.csv"


@pytest.fixture
def noise(tmp_path):
    """Ten clusterings that have nothing to do with each other."""
    rng = np.random.default_rng(3)
    pd.DataFrame({f"c{j}": rng.integers(3, size=90) for j in range(10)}).to_csv(tmp_path / "noise.csv", index=False)
    return "noise.csv"


def words(text):
    """The text without line breaks."""
    return " ".join(text.split())


# ----------------------------------------------------------------------------------------------------- the default
def test_the_default_is_combine(call, wines):
    code, out, _ = call("consensus", wines, "-o", "o.csv")
    assert code == 0
    expected = combine_quietly(load_wine_ensemble().labels)
    assert pd.read_csv("o.csv").columns.tolist() == ["wine", "label"]
    assert pd.read_csv("o.csv")["label"].tolist() == expected.labels.tolist()
    assert "result = combine(X, random_state=0)" in out
    assert run_lines(out).tolist() == expected.labels.tolist()


def combine_quietly(labels, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return combine(labels, random_state=0, **parameters)


def test_it_says_what_was_chosen_and_why_and_what_was_second(call, clear):
    code, out, err = call("consensus", clear, "-o", "o.csv")
    assert (code, err) == (0, "")
    said = words(out)
    assert "80 objects, 12 clusterings, method lwgp clusters 4, of sizes 20, 20, 20, 20" in said
    assert "reasons - lwgp is the default method" in said
    assert "two halves of the clusterings agree best on 4: they share" in said
    assert "second best: " in said
    assert "one cloud" not in said


def test_random_labels_are_one_cluster_in_words(call, noise):
    code, out, err = call("consensus", noise, "-o", "o.csv")
    assert (code, err) == (0, "")
    assert "clusters     1, of sizes 90" in out
    assert "one cluster: the clusterings do not agree more than chance (p = " in words(out)
    assert set(pd.read_csv("o.csv")["label"]) == {0}
    facts = json.loads(call("consensus", noise, "--json")[1])["choice"]
    assert (facts["n_clusters"], facts["runner_up"], facts["verdict"], facts["table"]) == (1, None, "chance", [])
    assert facts["p_value"] > 0.05


def test_weak_structure_is_told_in_options(call):
    cloud = np.random.default_rng(0).standard_normal((120, 4))
    pd.DataFrame(KMeansEnsemble(15, random_state=0).fit_transform(cloud)).to_csv("cloud.csv", index=False)
    _, out, err = call("consensus", "cloud.csv", "-o", "o.csv")
    assert err.startswith("partita: warning: the clusterings agree, but as they would on one cloud without clusters: ")
    assert "`partita choose` compares them with data without clusters" in err
    assert "(`partita choose` compares them with data without clusters)" in words(out)
    assert "choose_n_clusters" not in out + err
    assert not leaks(err)


def test_json_holds_the_choice(call, clear):
    facts = json.loads(call("consensus", clear, "--json")[1])
    choice = facts["choice"]
    assert list(choice) == ["n_clusters", "runner_up", "reasons", "verdict", "p_value", "table"]
    assert (facts["method"], choice["n_clusters"], choice["verdict"]) == ("lwgp", 4, "clusters")
    assert choice["runner_up"] != 4
    rows = {row["n_clusters"]: row["score"] for row in choice["table"]}
    assert max(rows, key=rows.get) == 4
    assert sorted(rows, key=rows.get)[-2] == choice["runner_up"]


def test_a_given_number_and_a_setting_of_the_default(call, clear):
    for argv, line in (
        (["-k", 2], "result = combine(X, n_clusters=2, random_state=0)"),
        (["-k", "auto", "--jobs", 2], "result = combine(X, random_state=0, n_jobs=2)"),
        (["--set", "theta=0.2", "-k", 3], "combine(X, method=LWGP(theta=0.2, n_clusters=3, random_state=0))"),
    ):
        code, out, _ = call("consensus", clear, "-o", "o.csv", *argv)
        assert code == 0
        assert line in out
        assert run_lines(out).tolist() == pd.read_csv("o.csv")["label"].tolist()
    assert json.loads(call("consensus", clear, "-k", 2, "--json")[1])["choice"]["reasons"][-1] == (
        "--n-clusters 2 was given"
    )


# --------------------------------------------------------------------------------------------------- -k auto
BY_RULE = {
    "mm": ([], "result = combine(X, method='mm', random_state=0)"),
    "eac": (["--set", "linkage=ward"], "labels = EAC(n_clusters=k, linkage='ward', random_state=0).fit_predict(X)"),
    "pcc": ([], "result = combine(X, method='pcc', random_state=0)"),
    "lwgp": ([], "labels = LWGP(random_state=0).fit_predict(X)"),
    "nbce": (["--set", "inference=vb"], "labels = NBCE(inference='vb', random_state=0).fit_predict(X)"),
}


@pytest.mark.parametrize("method", BY_RULE)
def test_the_rule_gives_its_number_to_methods_that_take_one(call, clear, method):
    more, line = BY_RULE[method]
    code, out, err = call("consensus", clear, "-o", "o.csv", "-m", method, "-k", "auto", *more)
    assert (code, err) == (0, "")
    assert line in out
    assert pd.read_csv("o.csv")["label"].nunique() == 4
    assert run_lines(out).tolist() == pd.read_csv("o.csv")["label"].tolist()
    assert ("agree best on 4" in out) == (method != "nbce")  # which finds the number in its own way


def test_one_cluster_is_an_answer_for_every_method(call, noise):
    facts = json.loads(call("consensus", noise, "-m", "mcla", "-k", "auto", "--json")[1])
    assert (facts["n_clusters"], facts["choice"]["verdict"]) == (1, "chance")


def test_compare_takes_the_number_of_the_rule(call, clear, noise):
    out = call("compare", clear, "--methods", "mcla,auto,mm")[1]
    assert "k = 4, on which halves of the clusterings agree best" in words(out)
    assert next(line.split()[0] for line in out.splitlines() if line.split()[1:2] == ["4"]) == "auto"
    out = call("compare", noise, "--methods", "auto,mm", "-k", "auto")[1]
    assert "take k = 1: the clusterings do not agree more than chance" in words(out)


def test_choose_names_the_number_of_the_rule(call, clear):
    argv = ["choose", clear, "--resamples", 4, "-k", "3-4"]
    assert "  - halves of the clusterings: 4 (what --n-clusters auto takes)\n" in call(*argv)[1]
    assert json.loads(call(*argv, "--json")[1])["halves_n_clusters"] == 4


# ---------------------------------------------------------------------------------------------------- how sure it is
def test_a_hard_method_writes_votes_and_says_so(call, wines):
    code, out, _ = call("consensus", wines, "-o", "o.csv", "--membership", "m.csv")
    assert code == 0
    assert "membership   m.csv (votes, not probabilities)\n" in out
    table, expected = pd.read_csv("m.csv"), combine_quietly(read_labels(wines).labels)
    assert table.columns.tolist() == ["wine", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(table.iloc[:, 2:], expected.estimator.votes_)
    out = call("consensus", wines, "-o", "o.csv", "-m", "mm", "-k", 3, "--membership", "m.csv")[1]
    assert "membership   m.csv\n" in out
    kinds = [
        json.loads(call("consensus", wines, "-k", 3, "-m", m, "--json")[1])["membership_kind"] for m in ("mm", "eac")
    ]
    assert kinds == ["probabilities", "votes"]


@pytest.mark.parametrize("command", ["consensus", "cluster"])
def test_confidence_goes_to_a_file_of_its_own(call, labels, table, command):
    file = [labels] if command == "consensus" else [table, "--drop", "class", "--n-clusterings", 8]
    code, out, _ = call(command, *file, "-o", "o.csv", "-k", 3, "--confidence", "c.csv")
    assert code == 0
    assert "confidence   c.csv (log-odds, not probabilities of being right)\n" in out
    sure = pd.read_csv("c.csv")
    assert sure.columns.tolist() == ["plant", "label", "confidence", "vote", "second"]
    assert sure[["plant", "label"]].equals(pd.read_csv("o.csv"))
    assert (sure["second"] != sure["label"]).all()
    if command == "consensus":
        expected = combine_quietly(read_labels(labels).labels, n_clusters=3)
        assert np.allclose(sure["confidence"], expected.confidence)


def test_objects_in_doubt_are_counted(call, tmp_path):
    rng = np.random.default_rng(13)
    columns = {f"c{j}": np.where(rng.random(45) < 0.5, rng.integers(3, size=45), TRUTH) for j in range(6)}
    pd.DataFrame(columns).to_csv(tmp_path / "noisy.csv", index=False)
    argv = ["consensus", "noisy.csv", "-m", "eac", "-k", 3, "-o", "o.csv", "--confidence", "c.csv"]
    _, out, _ = call(*argv)
    doubt = int((pd.read_csv("c.csv")["confidence"] <= 0).sum())
    assert doubt > 1
    assert f"in doubt {doubt} objects, whose labels speak for another cluster as much or more" in words(out)
    assert json.loads(call(*argv, "--json")[1])["n_in_doubt"] == doubt
