"""``partita methods``."""

import json

from partita.consensus._methods import METHODS


def test_methods_are_listed_as_text_and_as_json(call):
    code, out, _ = call("methods")
    assert code == 0
    assert "partita.EAC" in out
    assert "cost" not in out


def test_methods_as_json(call):
    rows = json.loads(call("methods", "--json")[1])["methods"]
    assert [row["method"] for row in rows] == list(METHODS)
    assert (rows[0]["class"], rows[0]["clusters"], rows[0]["soft"]) == ("EAC", "found", False)
    assert not any("module" in row for row in rows)


def test_methods_with_missing_labels_and_cost_on_request(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    out = call("methods", "--long")[1]
    for method in METHODS.values():
        assert f"missing label: {method.missing}\n" in out
        assert f"cost: {method.cost}\n" in out
    assert "cost with n objects, r distinct rows" in out


def test_methods_say_what_the_number_of_clusters_is(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    lines = call("methods")[1].splitlines()
    said = dict(zip((line.split()[0] for line in lines[::2]), lines[1::2], strict=True))
    assert "finds the number of clusters; hard labels; partita.EAC" in said["eac"]
    assert "takes --n-clusters as an upper bound; probabilities; partita.PCC" in said["pcc"]
    assert "needs --n-clusters; hard labels; partita.QMI" in said["qmi"]
