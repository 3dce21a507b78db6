"""``partita choose``."""

import json

import pandas as pd
import pytest

from partita.io import read_labels
from tests.cli.plants import frame

QUICK = ["--resamples", 6, "-k", "2-4"]


def test_choose_finds_the_clusters_behind_labels(call, labels):
    code, out, err = call("choose", labels, "-o", "t.csv", *QUICK)
    assert (code, err) == (0, "")
    assert out.startswith("3 clusters, from labels of 45 objects\n  - there are clusters (p = 0.05")
    assert "\nPAC        share of pairs that are now together, now apart; low is good\n" in out
    assert out.endswith("written to t.csv\n\nnext: partita consensus labels.csv -o consensus.csv --n-clusters 3\n")
    assert pd.read_csv("t.csv")["n_clusters"].tolist() == [2, 3, 4]


def test_choose_as_json_has_a_row_for_each_number_of_a_list(call, labels):
    facts = json.loads(call("choose", labels, "--json", "--resamples", 6, "-k", "3,2")[1])
    assert facts["n_clusters"] == 3
    assert facts["p_value"] == pytest.approx(0.05)
    assert [row["n_clusters"] for row in facts["table"]] == [2, 3]
    assert facts["proposals"]["pac"] == 3
    assert len(facts["reasons"]) >= 2


def test_choose_finds_the_clusters_behind_features(call, table):
    code, out, _ = call("choose", table, "--kind", "features", "--drop", "class", "--max-objects", 40, *QUICK)
    assert code == 0
    assert out.startswith("3 clusters, from features of 40 objects")
    assert "from 40 of 45 objects (--max-objects)\n" in out
    assert "features     width, height\nids          plant\n" in out
    assert out.endswith("next: partita cluster table.csv -o clusters.csv --n-clusters 3 --drop class\n")


def test_choose_is_what_the_function_gives(call, labels):
    from partita import choose_n_clusters

    facts = json.loads(call("choose", labels, "--json", "--seed", 5, "--columns", "c0,c1,c2,c3", *QUICK)[1])
    choice = choose_n_clusters(read_labels(labels).labels.iloc[:, :4], (2, 4), n_resamples=6, random_state=5)
    assert facts["reasons"] == choice.reasons
    assert [row["pac"] for row in facts["table"]] == pytest.approx(choice.table["pac"].tolist())


def test_choose_takes_noise_for_a_cluster(call, labels):
    assert call("choose", labels, "--noise", "cluster", *QUICK)[0] == 0


def test_the_kind_of_a_file_is_recognised(call, table, labels):
    of_table = ["--drop", "class", "--json", *QUICK]
    seen = json.loads(call("choose", table, *of_table)[1])
    assert seen == json.loads(call("choose", table, "--kind", "features", *of_table)[1])
    assert (seen["kind"], seen["n_features"], seen["n_objects"]) == ("features", 2, 45)
    seen = json.loads(call("choose", labels, "--json", *QUICK)[1])
    assert seen == json.loads(call("choose", labels, "--kind", "labels", "--json", *QUICK)[1])
    assert (seen["kind"], seen["n_clusterings"]) == ("labels", 8)


def test_whole_numbers_are_features_where_the_user_says_so(call, tmp_path):
    path = tmp_path / "whole.csv"
    (20 * frame()[["width", "height"]]).round().astype(int).to_csv(path, index=False)
    assert json.loads(call("choose", path, "--json", "--kind", "features", *QUICK)[1])["kind"] == "features"
