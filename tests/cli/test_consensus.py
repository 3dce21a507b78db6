"""``partita consensus``."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from partita.consensus._methods import METHODS
from partita.datasets import load_wine_ensemble
from tests.cli.plants import run_lines


def test_consensus_writes_ids_and_labels(call, wines, tmp_path):
    code, out, err = call("consensus", wines, "-o", "out.tsv", "--method", "label-kmeans", "-k", 3, "--seed", 0)
    assert (code, err) == (0, "")
    table = pd.read_csv(tmp_path / "out.tsv", sep="\t")
    assert table["wine"].tolist() == load_wine_ensemble().ids.tolist()
    assert table["label"].nunique() == 3
    assert "written to   out.tsv" in out


def test_consensus_prints_the_python_that_does_the_same(call, wines, tmp_path):
    _, out, _ = call(
        "consensus", wines, "-o", "o.csv", "-m", "eac", "--set", "linkage=ward", "-k", 4, "--noise", "singleton",
        "--columns", "kmeans_k7_s0,kmeans_k6_s1,kmeans_k6_s2,kmeans_k3_s3"
    )  # fmt: skip
    lines = [line.strip() for line in out.split("in Python:")[1].splitlines()]
    assert "labels = EAC(linkage='ward', n_clusters=4, random_state=0).fit_predict(X)" in lines
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec("\n".join(lines), namespace)
    assert namespace["labels"].tolist() == pd.read_csv(tmp_path / "o.csv")["label"].tolist()


def test_consensus_without_output_prints_the_labels(call, wines):
    code, out, err = call("consensus", wines)
    assert code == 0
    assert out.splitlines()[0] == "wine,label"
    assert len(out.splitlines()) == 179
    assert "178 objects, 30 clusterings, method lwgp" in err


def test_consensus_as_json_holds_labels_unless_written_to_a_file(call, wines):
    summary = json.loads(call("consensus", wines, "--json", "-k", 5)[1])
    assert summary["n_clusters"] == 5
    assert len(summary["labels"]) == 178
    assert sum(summary["cluster_sizes"]) == 178
    summary = json.loads(call("consensus", wines, "-o", "o.npy", "--json")[1])
    assert summary["output"] == "o.npy"
    assert "labels" not in summary


def test_objects_without_label_are_warned_about(call, tmp_path):
    (tmp_path / "a.csv").write_text("id,p,q\nu,1,1\nv,,\nw,2,2\nx,1,1\n")
    code, out, err = call("consensus", "a.csv", "-k", 2)
    assert code == 0
    assert out.splitlines() == ["id,label", "u,0", "v,-1", "w,1", "x,0"]
    assert "partita: warning: 1 of 4 objects have no label" in err
    assert "unlabelled   1 object (label -1)" in err


def test_ids_called_label_are_kept(call, tmp_path):
    (tmp_path / "a.csv").write_text("label,a,b\nx1,0,0\nx2,0,0\nx3,1,1\nx4,1,1\n")
    assert call("consensus", "a.csv")[1].splitlines() == ["label_id,label", "x1,0", "x2,0", "x3,1", "x4,1"]


def test_probabilities_are_written(call, wines, tmp_path):
    code, out, err = call(
        "consensus", wines, "-o", "o.csv", "--method", "pcc", "-k", 3, "--divergence", "l2", "--pairs", "0.5",
        "--seed", 0, "--membership", "m.csv",
    )  # fmt: skip
    assert (code, err) == (0, "")
    table = pd.read_csv(tmp_path / "m.csv")
    assert table.columns.tolist() == ["wine", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(table.iloc[:, 2:].sum(axis=1), 1)
    assert table["label"].tolist() == table.iloc[:, 2:].to_numpy().argmax(axis=1).tolist()
    assert "labels = PCC(n_clusters=3, divergence='l2', pairs=0.5, random_state=0).fit_predict(X)" in out


@pytest.fixture
def features(tmp_path):
    """Three features of the wines in another order, with their ids."""
    target = pd.factorize(load_wine_ensemble().target)[0]
    frame = pd.DataFrame({"wine": load_wine_ensemble().ids, "size": 3.0 * target, "count": 4 * target, "kind": "u"})
    frame.loc[frame["count"] > 3, "kind"] = "v"
    path = tmp_path / "features.csv"
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    return path


def test_features_are_matched_by_id(call, wines, features, tmp_path):
    arguments = ["--method", "gbce", "-k", 3, "--seed", 0, "--features", features, "--family", "count=poisson"]
    code, out, err = call("consensus", wines, "-o", "out.csv", *arguments)
    assert (code, err) == (0, "")
    assert "GBCE(n_clusters=3, families={'count': 'poisson'}, random_state=0).fit_predict(X, features=F)" in out
    found = pd.read_csv(tmp_path / "out.csv")
    table = pd.crosstab(load_wine_ensemble().target, found["label"])
    assert (table.max(axis=1) > 40).all()


def test_features_that_do_not_fit_are_refused(call, wines, features, tmp_path):
    of_bce = call("consensus", wines, "--method", "bce", "-k", 3, "--features", features)
    assert of_bce[0] == 2
    assert "features are for --method gbce" in of_bce[2]
    short = tmp_path / "short.csv"
    pd.read_csv(features).drop(columns="wine").head(5).to_csv(short, index=False)
    assert (
        "has 5 rows and the labels have 178" in call("consensus", wines, "-m", "gbce", "-k", 3, "--features", short)[2]
    )
    pd.read_csv(features).head(5).to_csv(short, index=False)
    assert "has no row for the object" in call("consensus", wines, "-m", "gbce", "-k", 3, "--features", short)[2]
    twice = pd.concat([pd.read_csv(features)] * 2)
    twice.to_csv(short, index=False)
    assert "twice; ids must be different" in call("consensus", wines, "-m", "gbce", "-k", 3, "--features", short)[2]
    assert (
        "--family describes the features; pass --features too"
        in call("consensus", wines, "-m", "gbce", "-k", 3, "--family", "poisson")[2]
    )


@pytest.mark.parametrize("method", ["bce", "mm", "qmi", "nbce", "cspa", "mcla", "hbgf", "hgpa", "voting", "nmf"])
def test_methods_run_from_the_command_line(call, wines, method, tmp_path):
    k = [] if method == "nbce" else ["-k", 3]
    code, out, _ = call("consensus", wines, "-o", "out.csv", "--method", method, "--seed", 0, *k)
    assert code == 0
    assert f"method {method}" in out
    assert len(pd.read_csv(tmp_path / "out.csv")) == 178


@pytest.mark.parametrize("method", ["pcc", "peace", "baum-eagon"])
def test_an_upper_bound_has_a_default_and_is_named(call, labels, method):
    code, out, _ = call("consensus", labels, "-o", "o.csv", "--method", method)
    assert code == 0
    assert "upper bound  8 clusters (--n-clusters sets another bound); 3 have objects" in out
    assert f"{METHODS[method].estimator}(random_state=0)" in out
    summary = json.loads(call("consensus", labels, "--method", method, "-k", 4, "--json")[1])
    assert summary["upper_bound"] == 4
    assert json.loads(call("consensus", labels, "--json")[1])["upper_bound"] is None


@pytest.mark.parametrize("method", [name for name, row in METHODS.items() if row.number_of_clusters == "given"])
def test_methods_with_an_exact_number_ask_for_it(call, labels, method):
    code, _, err = call("consensus", labels, "--method", method)
    assert code == 2
    assert f"method {method!r} needs the number of clusters; pass --n-clusters" in err


def test_the_seed_is_zero_by_default(call, labels):
    results = [call("consensus", labels, "-m", "pcc", *more)[1] for more in ([], [], ["--seed", 0])]
    assert results[0] == results[1] == results[2]


def test_a_setting_wins_over_the_defaults_of_seed_and_jobs(call, labels):
    settings = ["--set", "random_state=7", "--set", "n_jobs=2"]
    _, out, _ = call("consensus", labels, "-o", "o.csv", "-m", "mm", "-k", 3, *settings)
    assert "MultinomialMixture(random_state=7, n_jobs=2, n_clusters=3)" in out


def test_the_number_of_clusters_is_of_those_with_objects(call, wines, tmp_path):
    _, out, _ = call("consensus", wines, "-m", "pcc", "-o", "o.csv", "--membership", "m.csv")
    n_clusters = pd.read_csv(tmp_path / "o.csv")["label"].nunique()
    n_components = pd.read_csv(tmp_path / "m.csv").shape[1] - 2
    assert n_components > n_clusters
    assert f"clusters     {n_clusters}, of sizes " in out
    without = n_components - n_clusters
    assert f"components   {n_components} in the membership; {without} of them without an object of their own" in out
    facts = json.loads(call("consensus", wines, "-m", "pcc", "--json")[1])
    assert (facts["n_clusters"], facts["n_components"]) == (n_clusters, n_components)
    assert len(facts["cluster_sizes"]) == n_clusters


def test_one_clustering_is_one_clustering(call, wines):
    _, _, err = call("consensus", wines, "--columns", "kmeans_k7_s0", "-m", "mm", "-k", 3)
    assert "178 objects, 1 clustering, method mm" in err


def test_labels_that_look_like_features_are_taken_if_forced(call, plain):
    code, _, err = call("consensus", plain, "-o", "o.csv", "--force", "-k", 2)
    assert code == 0
    assert "partita: warning: column 'height' has 45 different fractional numbers" in err


def test_columns_are_left_out_of_labels_and_of_features(call, wines, features, tmp_path):
    arguments = ["-m", "gbce", "-k", 3, "--features", features, "--drop", "kind,kmeans_k7_s0", "--set", "n_init=1"]
    code, out, err = call("consensus", wines, "-o", "out.csv", *arguments)
    assert (code, err) == (0, "")
    assert "178 objects, 29 clusterings" in out
    assert f"F = read_features({str(features)!r}, table, drop=['kind'])" in out
    assert run_lines(out).tolist() == pd.read_csv(tmp_path / "out.csv")["label"].tolist()
    code, out, _ = call("consensus", wines, "-o", "out.csv", "--drop", "wine,kmeans_k7_s0")
    assert code == 0
    assert pd.read_csv(tmp_path / "out.csv").columns.tolist() == ["object", "label"]
    assert run_lines(out).tolist() == pd.read_csv(tmp_path / "out.csv")["label"].tolist()


def test_ids_beside_features_are_no_feature_and_dates_are_refused(call, labels, tmp_path):
    F = pd.DataFrame({"shop_id": range(45), "size": np.repeat([1.0, 5.0, 9.0], [20, 15, 10])})
    F.to_csv(tmp_path / "f.csv", index=False)
    code, _, err = call("consensus", labels, "-m", "gbce", "-k", 3, "--features", "f.csv", "--set", "n_init=1")
    assert code == 0
    assert "the column 'shop_id' of 'f.csv' is taken for ids and left out" in err
    F.assign(day="2024-01-31").to_csv(tmp_path / "f.csv", index=False)
    code, _, err = call("consensus", labels, "-m", "gbce", "-k", 3, "--features", "f.csv")
    assert code == 2
    assert "has dates or times in 'day'; pass --drop day" in err
