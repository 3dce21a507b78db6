"""``partita federate``: a simulation, certificates, keys, and wrong calls; processes are in tests/federated."""

import json
import os
import stat
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from partita import LWGP, MultinomialMixture
from partita.federated import simulate
from tests.ensembles import noisy_ensemble

X, TRUTH = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=9, seed=2)


@pytest.fixture
def sites(tmp_path):
    """The same labels shared out by rows (one, two, three) and by columns (a, b, c)."""
    frame = pd.DataFrame(X, columns=[f"run{j}" for j in range(9)])
    frame.insert(0, "plant", [f"p{i}" for i in range(len(X))])
    for name, part in zip(("one", "two", "three"), (frame[:30], frame[30:50], frame[50:]), strict=True):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    for j, name in enumerate("abc"):
        frame[["plant", *(f"run{i}" for i in range(3 * j, 3 * j + 3))]].to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


class Done(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(call):
    return lambda *words: Done(*call(*words))


ROWS = ["one.csv", "two.csv", "three.csv"]


def test_the_default_finds_the_number_and_names_the_sites(sites, run):
    done = run("federate", "simulate", *ROWS, "-o", "out.csv")
    assert done.exit_code == 0, done.stderr
    found = pd.read_csv(sites / "out.csv")
    assert list(found.columns) == ["site", "id", "label"]
    assert found["site"].value_counts().to_dict() == {"one": 30, "two": 20, "three": 40}
    assert found["id"].tolist() == [f"p{i}" for i in range(90)]
    want = simulate(LWGP(random_state=0), [X[:30], X[30:50], X[50:]])
    assert found["label"].tolist() == want.labels_.tolist()
    assert "3 sites, 90 objects, by rows, method lwgp" in done.stdout
    assert "clusters     3, of sizes 41, 30, 19" in done.stdout or "clusters     3" in done.stdout


def test_json_has_what_a_program_needs(sites, run):
    done = run("federate", "simulate", *ROWS, "-m", "mm", "-k", 3, "--json")
    found = json.loads(done.stdout)
    want = simulate(MultinomialMixture(3, random_state=0), [X[:30], X[30:50], X[50:]])
    assert found["labels"] == want.labels_.tolist()
    assert found["sites"] == ["one", "two", "three"]
    assert found["cluster_sizes"] == np.bincount(want.labels_).tolist()
    assert found["n_exchanges"] == len(want.exchanges_)


def test_by_columns_needs_consent(sites, run):
    call = ["federate", "simulate", "a.csv", "b.csv", "c.csv", "--by", "columns", "-m", "mm", "-k", 3]
    refused = run(*call, "-o", "out.csv")
    assert refused.exit_code == 2
    assert "--accept-disclosure" in refused.stderr
    assert "accept_disclosure" not in refused.stderr
    assert not (sites / "out.csv").exists()
    assert run(*call, "--accept-disclosure", "-o", "out.csv").exit_code == 0
    found = pd.read_csv(sites / "out.csv")
    assert list(found.columns) == ["plant", "label"]
    assert len(found) == 90


def test_options_reach_the_fit(sites, run):
    (sites / "key.txt").write_text("a key of the three sites\n")
    told = run("federate", "simulate", *ROWS, "-m", "ecpcs", "-k", 3, "--secret-key", "key.txt")
    if os.name == "posix":  # Windows has other permissions
        assert told.exit_code == 2
        assert "chmod 600" in told.stderr
    (sites / "key.txt").chmod(0o600)
    plain = run("federate", "simulate", *ROWS, "-m", "ecpcs", "-k", 3, "--json")
    hashed = run("federate", "simulate", *ROWS, "-m", "ecpcs", "-k", 3, "--json", "--secret-key", "key.txt")
    assert json.loads(plain.stdout)["labels"] == json.loads(hashed.stdout)["labels"]
    kept = run("federate", "simulate", *ROWS, "-m", "ecpcs", "-k", 3, "--json", "--checkpoint", "sums")
    assert json.loads(kept.stdout)["labels"] == json.loads(plain.stdout)["labels"]
    assert (sites / "sums" / "settings.npz").exists()


def test_files_of_one_name_are_two_sites(sites, run):
    (sites / "other").mkdir()
    (sites / "two.csv").rename(sites / "other" / "one.csv")
    done = run("federate", "simulate", "one.csv", "other/one.csv", "-m", "ecpcs", "-k", 3, "--json")
    assert json.loads(done.stdout)["sites"] == ["one", "one-2"]


WRONG = {
    "a method that needs all objects": (
        ["-m", "pcc", "-k", 3],
        "method 'pcc' cannot be fitted by rows of several sites; pass --method bce",
    ),
    "no number": (["-m", "bce"], "needs the number of clusters"),
    "auto for another method": (["-m", "bce", "-k", "auto"], "--n-clusters auto is for --method lwgp"),
    "the heuristic of another method": (["-m", "mm", "-k", 3, "--heuristic"], "cannot be fitted by the heuristic"),
    "the paper's messages by rows": (["-m", "bce", "-k", 3, "--paper"], "--paper has no meaning with --by rows"),
    "noise for another method": (["-m", "bce", "-k", 3, "--epsilon", 1], "cannot be fitted from noisy tables"),
    "no such file": (["nowhere.csv"], "nowhere.csv"),
    "gibbs": (["-m", "nbce", "--set", "inference=gibbs"], "one object after another"),
    "the output is an input": (["-o", "one.csv"], "one.csv"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls_are_told_in_one_line(name, sites, run):
    words, message = WRONG[name]
    before = (sites / "one.csv").read_text()
    done = run("federate", "simulate", *ROWS, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (sites / "one.csv").read_text() == before


def test_sites_that_do_not_match_are_named(sites, run):
    frame = pd.read_csv(sites / "two.csv").rename(columns={"run3": "other"})
    frame.to_csv(sites / "two.csv", index=False)
    done = run("federate", "simulate", *ROWS, "-m", "ecpcs", "-k", 3)
    assert done.exit_code == 2
    assert "site 'two' calls column 4 'other', and site 'one' calls it 'run3'" in done.stderr


def test_certificates_for_named_sites(sites, run):
    pytest.importorskip("nvflare")
    done = run("federate", "certificates", "kits", "--server", "127.0.0.1", "--site", "a", "--site", "b")
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in (sites / "kits").iterdir()) == ["a", "b", "server"]
    assert stat.S_IMODE(os.stat(sites / "kits" / "a" / "client.key").st_mode) == 0o600
    again = run("federate", "certificates", "kits", "--server", "127.0.0.1", "--site", "a")
    assert again.exit_code == 2
    assert "exists" in again.stderr
    twice = run("federate", "certificates", "more", "--server", "127.0.0.1", "--site", "a", "--site", "a")
    assert twice.exit_code == 2
    assert not (sites / "more").exists()


def test_keys_are_private_and_never_replaced(sites, run):
    pytest.importorskip("tenseal")
    assert run("federate", "keys", "sites.key").exit_code == 0
    assert stat.S_IMODE(os.stat(sites / "sites.key").st_mode) == 0o600
    before = (sites / "sites.key").read_bytes()
    assert run("federate", "keys", "sites.key").exit_code == 2
    assert (sites / "sites.key").read_bytes() == before


def test_a_folder_that_is_no_kit_is_told(sites, run):
    for words in (["server", ".", "-m", "mm", "-k", 3], ["site", ".", "one.csv"]):
        done = run("federate", *words)
        assert done.exit_code == 2
        assert "is no kit" in done.stderr
