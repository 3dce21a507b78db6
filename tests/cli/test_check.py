"""``partita check``."""

import json


def test_check_tells_size_ids_and_missing_labels(call, wines):
    code, out, _ = call("check", wines)
    assert code == 0
    assert "178 objects, 30 clusterings" in out
    assert "column 'wine'" in out
    assert "distinct rows         178" in out
    facts = json.loads(call("check", wines, "--json")[1])
    assert facts["n_missing"] == 1080
    assert facts["columns"][0] == {"name": "kmeans_k7_s0", "n_labels": 7, "n_missing": 36}


def test_check_understands_features_and_says_what_is_next(call, customers):
    code, out, err = call("check", customers)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "customers.csv: 45 objects, 6 columns of features, not labels"
    assert "ids of objects column 'customer_id'" in lines
    assert "width number 45 0" in lines
    assert "height number 43 2 --impute" in lines
    assert "class text 3 0 --encode, or --drop" in lines
    assert "day date 45 0 --drop" in lines
    assert "one number 1 0 (constant: without effect)" in lines
    assert (
        lines[-2] == "next: partita cluster customers.csv -o clusters.csv --drop day,shop_id --impute median --encode"
    )
    assert call(*lines[-2].split()[2:], "--n-clusterings", 5)[0] == 0  # and the next command works


def test_check_of_features_as_json(call, customers):
    facts = json.loads(call("check", customers, "--json")[1])
    assert (facts["kind"], facts["n_features"], facts["id_column"], facts["n_missing"]) == (
        "features",
        6,
        "customer_id",
        2,
    )
    assert facts["columns"][0] == {"name": "width", "kind": "number", "n_different": 45, "n_missing": 0}


def test_check_takes_a_table_for_what_the_user_says(call, customers, labels):
    assert "7 clusterings" in call("check", customers, "--kind", "labels", "--no-ids")[1]
    assert "8 columns of features" in call("check", labels, "--kind", "features")[1]
    assert call("check", labels)[1].endswith("next: partita consensus labels.csv -o consensus.csv\n")


def test_the_next_command_keeps_the_options(call, labels, customers):
    said = call("check", customers, "--drop", "day")[1].splitlines()[-2]
    assert said == "next: partita cluster customers.csv -o clusters.csv --drop day,shop_id --impute median --encode"
    said = call("check", labels, "--noise", "cluster", "--missing", "unknown")[1].splitlines()[-1]
    assert said == "next: partita consensus labels.csv -o consensus.csv --missing unknown --noise cluster"
