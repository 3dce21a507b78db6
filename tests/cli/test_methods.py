"""``partita methods``."""

import json


def test_methods_are_listed_as_text_and_as_json(call):
    code, out, _ = call("methods")
    assert code == 0
    assert "partita.EAC" in out
    assert json.loads(call("methods", "--json")[1])["eac"]["finds_k"]


def test_methods_say_what_the_number_of_clusters_is(call):
    lines = call("methods")[1].splitlines()
    said = dict(zip((line.split()[0] for line in lines[::2]), lines[1::2], strict=True))
    assert "finds the number of clusters; hard labels; partita.EAC" in said["eac"]
    assert "takes --n-clusters as an upper bound; probabilities; partita.PCC" in said["pcc"]
    assert "needs --n-clusters; hard labels; partita.QMI" in said["qmi"]
