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
