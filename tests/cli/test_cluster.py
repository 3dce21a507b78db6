"""``partita cluster``."""

import json

import numpy as np
import pandas as pd
import pytest

from partita.io import read_labels
from tests.cli.plants import IDS, SMALL, TRUTH, frame, read, run_lines
from tests.ensembles import same_partition


def test_cluster_writes_ids_and_clusters(call, table):
    code, out, err = call("cluster", table, "--drop", "class", "-o", "y.csv", "-k", 3, *SMALL)
    assert (code, err) == (0, "")
    result = read("y.csv")
    assert result.columns.tolist() == ["plant", "label"]
    assert result["plant"].tolist() == IDS
    assert same_partition(result["label"], TRUTH)
    assert result["label"].tolist() == sorted(result["label"].tolist())  # the largest cluster is 0
    assert "45 objects, 2 features, 8 clusterings, method lwgp" in out
    assert "clusters     3, of sizes 20, 15, 10" in out


LINES = {
    "default": ["--drop", "class"],
    "default with a setting": ["--drop", "class", "--set", "theta=0.3", "--no-scale"],
    "eac": ["--drop", "class", "-m", "eac"],
    "number by the rule": ["--drop", "class", "-m", "mm", "-k", "auto"],
    "one column": ["--columns", "width", "-k", 2],
    "pcc": ["--drop", "class", "-m", "pcc", "-k", 3, "--set", "divergence=l2", "--seed", 3],
    "not scaled": ["--drop", "class", "--no-scale", "-k", 3],
    "ids": ["--drop", "class", "--id-column", "plant", "-k", 3],
    "no ids": ["--columns", "width,height", "--no-ids", "-k", 3],
    "uspec": ["--drop", "class", "--base", "uspec", "-k", 3],
    "subspace": ["--drop", "class", "--base", "subspace", "-k", 3, "--sample-fraction", 0.8],
    "mixed": ["--drop", "class", "--base", "ward,kmeans", "-m", "mm", "-k", 3, "--sample-fraction", 0.8],
}


@pytest.mark.parametrize("case", LINES)
def test_the_printed_lines_give_the_same_clusters(call, table, case):
    small = ["--n-clusterings", 3] if case == "mixed" else SMALL
    code, out, err = call("cluster", table, "-o", "y.csv", *small, *LINES[case])
    assert code == 0
    assert not [line for line in err.splitlines() if "agree, but as they would on one cloud" not in line]
    assert run_lines(out).tolist() == read("y.csv")["label"].tolist()


def test_cluster_without_output_prints_the_labels(call, table):
    code, out, err = call("cluster", table, "--drop", "class", "-k", 3, *SMALL)
    assert code == 0
    assert out.splitlines()[:2] == ["plant,label", "p000,0"]
    assert len(out.splitlines()) == 46
    assert "in Python:" in err


def test_cluster_as_json_holds_labels_unless_written_to_a_file(call, table):
    facts = json.loads(call("cluster", table, "--drop", "class", "-k", 3, "--json", *SMALL)[1])
    assert facts["n_clusters"] == 3
    assert facts["cluster_sizes"] == [20, 15, 10]
    assert facts["n_features"] == 2
    assert facts["n_clusterings"] == 8
    assert facts["ids"] == IDS
    assert same_partition(facts["labels"], TRUTH)
    to_file = json.loads(call("cluster", table, "--drop", "class", "-o", "y.csv", "--json", *SMALL)[1])
    assert to_file["output"] == "y.csv"
    assert "ids" not in to_file


def test_cluster_writes_all_labels_and_the_probabilities(call, table):
    code, out, _ = call(
        "cluster", table, "--drop", "class", "-o", "y.csv", "-m", "pcc", "-k", 3, "--labels", "x.csv", "--membership",
        "m.csv", *SMALL,
    )  # fmt: skip
    assert code == 0
    call("generate", table, "--drop", "class", "-o", "again.csv", *SMALL)
    assert read("x.csv").equals(read("again.csv"))
    membership = read("m.csv")
    assert membership.columns.tolist() == ["plant", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(membership.iloc[:, 2:].sum(axis=1), 1)
    assert (membership["label"] == read("y.csv")["label"]).all()
    assert "labels       x.csv" in out
    assert "membership   m.csv" in out


def test_ids_called_label_are_kept(call, tmp_path):
    frame().drop(columns="class").rename(columns={"plant": "label"}).to_csv(tmp_path / "t.csv", index=False)
    assert call("cluster", "t.csv", "-o", "y.csv", "-k", 3, *SMALL)[0] == 0
    assert pd.read_csv("y.csv", dtype=str).columns.tolist() == ["label_id", "label"]


@pytest.mark.parametrize("kind", ["tsv", "csv.gz", "parquet"])
def test_other_formats_in_and_out(call, tmp_path, kind):
    numbers = frame().drop(columns="class")
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        numbers.to_parquet(tmp_path / "t.parquet")
    else:
        numbers.to_csv(tmp_path / f"t.{kind}", index=False, sep="\t" if kind == "tsv" else ",")
    assert call("cluster", f"t.{kind}", "-o", f"y.{kind}", "-k", 3, *SMALL)[0] == 0
    written = read_labels(f"y.{kind}", id_column="plant")
    assert list(written.ids) == IDS
    assert same_partition(written.labels["label"], TRUTH)


def test_probabilities_in_npy_are_probabilities(call, plain):
    code = call("cluster", plain, "-o", "y.csv", "-m", "pcc", "-k", 3, "--membership", "m.npy", *SMALL)[0]
    assert code == 2 or np.load("m.npy").shape == (45, 3)


def test_cluster_names_the_columns_that_it_used(call, customers):
    argv = ["--drop", "day", "--drop", "shop_id", "--impute", "median", "--encode", "-k", 3]
    code, out, err = call("cluster", customers, "-o", "y.csv", *argv, *SMALL)
    assert (code, err) == (0, "")
    assert "features     width, height, class=u, class=v, class=w, one\n" in out
    assert "constant     one: without effect\nids          customer_id\n" in out
    assert pd.read_csv("y.csv")["customer_id"].tolist() == pd.read_csv(customers)["customer_id"].tolist()
    assert same_partition(read("y.csv")["label"], TRUTH)
    assert run_lines(out).tolist() == read("y.csv")["label"].tolist()


def test_a_name_with_a_comma_stands_in_quotes(call, tmp_path):
    frame().rename(columns={"class": "class, known"}).to_csv(tmp_path / "t.csv", index=False)
    assert call("cluster", "t.csv", "-o", "y.csv", "--drop", '"class, known"', "-k", 3, *SMALL)[0] == 0
