"""``partita ensemble``: what is printed, what is kept and written, options that do not fit."""

import json

import pandas as pd
import pytest

from partita import diversity, enough_clusterings, select_clusterings
from partita.io import read_labels


def test_what_is_printed(call, labels):
    code, out, err = call("ensemble", labels)
    assert (code, err) == (0, "")
    assert out.startswith("labels.csv: 45 objects, 8 clusterings\n  - 8 clusterings: the mean NMI of two of them is 0.")
    assert "No clustering stands apart from the consensus." in " ".join(out.split())
    assert "\nclustering  labels  quality  consensus  remarks\nc0" in out
    assert out.endswith("next: partita ensemble labels.csv --select cas -o selected.csv\n")


def test_it_is_what_the_functions_give(call, labels):
    argv = ["--select", "jc", "--keep", 3, "--enough", "--seed", 2, "--json"]
    facts = json.loads(call("ensemble", labels, *argv)[1])
    X = read_labels(labels).labels
    found = diversity(X, random_state=2)
    assert facts["summary"] == found.summary
    assert facts["mean_nmi"] == pytest.approx(found.mean_nmi, abs=1e-4)
    assert [row["quality"] for row in facts["clusterings"]] == pytest.approx(found.clusterings["quality"].tolist())
    assert facts["selection"]["names"] == select_clusterings(X, 3, method="jc", random_state=2).names
    assert facts["enough"]["summary"] == enough_clusterings(X, random_state=2).summary


def test_what_is_kept_is_written_with_the_ids(call, labels, tmp_path):
    frame = pd.read_csv(tmp_path / labels)
    frame["copy"] = frame["c3"].map({0: "x", 1: "y", 2: "z"})
    frame.loc[3, "c0"] = None
    frame.to_csv(tmp_path / "more.csv", index=False)
    code, out, err = call("ensemble", "more.csv", "--select", "cas", "--keep", 8, "-o", "kept.csv")
    assert (code, err) == (0, "")
    kept = pd.read_csv(tmp_path / "kept.csv", dtype=str)
    assert list(kept.columns) == ["plant", *(f"c{j}" for j in range(8))]
    assert kept["plant"].tolist() == frame["plant"].tolist()
    assert set(kept["c0"].dropna()) == {"0", "1", "2"}
    assert "same as c3" in out
    assert "The same partition: c3 = copy." in " ".join(out.split())
    assert out.endswith("written to kept.csv\n\nnext: partita consensus kept.csv -o consensus.csv\n")
    assert call("consensus", "kept.csv", "-o", "c.csv")[0] == 0


def test_reading_goes_on_in_the_next_command(call, labels):
    out = call("ensemble", labels, "--drop", "c7", "--noise", "cluster")[1]
    assert out.endswith("--select cas -o selected.csv --drop c7 --noise cluster\n")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--keep", 3], "--keep needs --select, which chooses"),
        (["-o", "x.csv"], "--output needs --select, which chooses"),
        (["--select", "hull", "--keep", 3], "--select hull finds how many to keep"),
        (["--select", "cas", "--keep", 9], "--keep 9 is more than FILE has: 8 clusterings"),
        (["--select", "cas", "-o", "labels.csv"], "is the input"),
        (["--columns", "c0,c1", "--enough"], "FILE has 2 clusterings; at least 4"),
    ],
)
def test_options_that_do_not_fit(call, labels, argv, words):
    code, _, err = call("ensemble", labels, *argv)
    assert code == 2
    assert words in err


def test_one_clustering_has_nothing_to_compare(call, labels):
    code, out, _ = call("ensemble", labels, "--columns", "c0")
    assert code == 0
    assert "There is one clustering only" in out
    assert "nan" not in out
    assert "next:" not in out
    assert "FILE has 1 clustering; at least 4" in call("ensemble", labels, "--columns", "c0", "--enough")[2]
