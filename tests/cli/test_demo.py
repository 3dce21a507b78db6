"""``partita demo``."""

import numpy as np
import pandas as pd


def test_demo_writes_a_consensus_of_the_wines(call, tmp_path):
    code, out, _ = call("demo")
    assert code == 0
    assert "clusters     3, of sizes" in out
    assert "reasons      - lwgp is the default method" in out
    assert "result = combine(X, random_state=0)" in out
    assert "Consensus: partita-demo/consensus.csv" in out
    result = pd.read_csv(tmp_path / "partita-demo" / "consensus.csv")
    assert result.columns.tolist() == ["wine", "label"]
    assert result["wine"].iloc[0] == "wine-001"
    assert np.bincount(result["label"]).tolist() == [66, 62, 50]


def test_a_folder_that_cannot_be_made_is_told_in_words(call, tmp_path):
    (tmp_path / "file.txt").write_text("")
    code, out, err = call("demo", "-d", "file.txt/wines")
    assert (code, out) == (2, "")
    assert err.startswith("partita: error: the folder 'file.txt/wines' cannot be made (")
    assert err.strip().endswith("name another by --folder.")
