"""Fits between real processes on 127.0.0.1, started by the command line: equal to the pooled fit, resumed, encrypted.

Starting a federation takes about ten seconds, so that each run here holds several things at a time.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from partita import MultinomialMixture
from partita._labels.validation import check_label_matrix
from partita.federated import simulate
from partita.federated._deployment import answerer, read_labels, site_settings, write_labels
from partita.federated._modes import mode_faults
from tests.federated.parts import free_port, labels_with_holes

PATIENCE = 120.0  # seconds after which a test fails instead of waiting on
NAMES = ["berlin", "paris"]  # each is three processes
X = labels_with_holes()
PARTS = dict(zip(NAMES, np.split(X, [70]), strict=True))


def partita(*words, folder):
    """A process of the command line; it ends with the test."""
    return subprocess.Popen(
        [sys.executable, "-m", "partita", *map(str, words)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def end(*processes):
    """What all of them wrote, once they have ended; those that do not end are killed."""
    deadline = time.monotonic() + PATIENCE
    try:
        told = [process.communicate(timeout=max(1.0, deadline - time.monotonic())) for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return told


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Label files of two sites, and kits."""
    if sys.platform == "win32":
        pytest.skip("a federation between machines does not run on Windows")
    pytest.importorskip("nvflare")
    from partita.federated import make_certificates

    inside = tmp_path_factory.mktemp("federation")
    for name, part in PARTS.items():
        frame = pd.DataFrame(part, columns=[f"run{j}" for j in range(X.shape[1])]).replace(-1, pd.NA)
        frame.insert(0, "patient", [f"{name}-{i}" for i in range(len(part))])
        frame.to_csv(inside / f"{name}.csv", index=False)
    make_certificates(inside / "kits", server="127.0.0.1", sites=NAMES, port=free_port())
    return inside


def run(folder, *words, sites=(), each=None):
    """One server and its sites; returns (outputs, exit codes)."""
    server = partita("federate", "server", "kits/server", "--local", "--json", *words, folder=folder)
    started = [
        partita(
            "federate", "site", f"kits/{name}", f"{name}.csv", "-o", f"{name}-labels.csv", *sites,
            *([] if each is None else each(name)), folder=folder,
        )
        for name in NAMES
    ]  # fmt: skip
    told = end(server, *started)
    return told, [process.returncode for process in (server, *started)]


def labels_of(folder):
    return np.concatenate([pd.read_csv(folder / f"{name}-labels.csv")["label"].to_numpy() for name in NAMES])


MM = ("--method", "mm", "-k", 3, "--seed", 0)


def test_processes_find_what_one_process_finds(folder):
    told, codes = run(folder, *MM, each=lambda name: ["--membership", f"{name}-shares.csv"])
    assert codes == [0, 0, 0], told
    want = simulate(MultinomialMixture(3, random_state=0), PARTS)
    pooled = MultinomialMixture(3, random_state=0).fit(X)
    assert np.array_equal(labels_of(folder), want.labels_)
    assert want.lower_bound_ >= pooled.lower_bound_ - 0.005 * abs(pooled.lower_bound_)
    shares = pd.concat([pd.read_csv(folder / f"{name}-shares.csv") for name in NAMES])
    assert np.allclose(shares.filter(like="cluster").to_numpy(), want.membership_)
    assert "70 objects here, of clusters" in told[1][1]
    summary = json.loads(told[0][0])
    assert summary["cluster_sizes"] == np.bincount(want.labels_).tolist()
    assert summary["history"] == want.history_  # the same bits
    assert "patient" in (folder / "paris-labels.csv").read_text()
    assert "patient" not in told[0][0] + told[0][1]
    assert "berlin-1" not in told[0][0] + told[0][1]  # no id leaves a site


def test_an_encrypted_fit_resumed_after_a_site_was_killed(folder):
    """A site dies in the middle: the server names it, the others end; then the fit goes on and has the same labels."""
    pytest.importorskip("tenseal")
    from partita.federated import make_keys

    make_keys(folder / "sites.key")
    words = ("--encrypted", *MM)
    sums = folder / "state-berlin" / "sums"
    site = lambda name: ["--keys", "sites.key", "--state", f"state-{name}"]  # noqa: E731
    server = partita("federate", "server", "kits/server", "--local", *words, folder=folder)
    started = [partita("federate", "site", f"kits/{name}", f"{name}.csv", *site(name), folder=folder) for name in NAMES]
    deadline = time.monotonic() + PATIENCE
    while len(list(sums.glob("sum-*.npz"))) < 12:
        assert time.monotonic() < deadline
        assert server.poll() is None
        time.sleep(0.01)
    os.killpg(started[1].pid, signal.SIGKILL)
    told = end(server, *started)
    assert server.returncode != 0
    assert "paris" in told[0][1], told
    assert started[0].returncode != 0
    stored = len(list(sums.glob("sum-*.npz")))
    told, codes = run(folder, *words, each=site)
    assert codes == [0, 0, 0], told
    assert len(list(sums.glob("sum-*.npz"))) > stored
    assert np.array_equal(labels_of(folder), simulate(MultinomialMixture(3, random_state=0), PARTS).labels_)
    assert json.loads(told[0][0]) == {
        "method": "mm",
        "seed": 0,
        "by": "rows",
        "sites": NAMES,
    }  # the server has nothing to tell


# ------------------------------------------------------------------------------------------- without a network
def test_labels_for_the_process_that_answers(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, None], "b": ["x", None, "y"], "c": [0.5, 1.5, 0.5], "d": [True, False, True]})
    matrix = check_label_matrix(frame)
    write_labels(tmp_path, matrix)
    found = read_labels(tmp_path)
    assert np.array_equal(found.codes, matrix.codes)
    assert [labels.tolist() for labels in found.labels] == [labels.tolist() for labels in matrix.labels]
    assert [labels.dtype.kind for labels in found.labels] == [labels.dtype.kind for labels in matrix.labels]
    assert (found.names, found.n_columns_in, found.noise) == (matrix.names, matrix.n_columns_in, matrix.noise)


def site_in(folder, **options):
    given = {
        "name": "berlin", "by": "rows", "accept_disclosure": False, "epsilon": None, "min_objects": 1, "min_count": 1
    }  # fmt: skip
    return answerer(site_settings(folder, check_label_matrix(PARTS["berlin"]), **{**given, **options}))


def test_parties_that_were_started_differently_are_named():
    rows = {"by": "rows", "encrypted": False, "noise": False, "hashed": False}
    assert mode_faults(rows, {"a": rows, "b": rows}) == {}
    cases = {
        "by": ("columns", "with --by columns, and the server with --by rows"),
        "encrypted": (True, "with --keys, and the server without --encrypted"),
        "noise": (True, "with --epsilon, and the server without --with-noise"),
        "hashed": (True, "with --secret-key, and site 'a' without"),
    }
    for mode, (value, words) in cases.items():
        assert mode_faults(rows, {"a": rows, "b": {**rows, mode: value}}) == {"b": f"was started {words}"}
    without = mode_faults({**rows, "encrypted": True}, {"a": {**rows, "encrypted": True}, "b": rows})
    assert without == {"b": "was started without --keys, and the server with --encrypted"}


def test_settings_of_a_site_hold_no_key(tmp_path):
    settings = site_settings(tmp_path, check_label_matrix(X), name="a", secret_key="k" * 20, ids=["x"] * len(X))
    assert "k" * 20 not in json.dumps(settings)
    assert "x" not in json.dumps(settings.get("ids", ""))


def test_a_site_has_what_its_operator_set(tmp_path):
    hashed = site_in(tmp_path, secret_key="k" * 20).answer("labels", {})
    assert all(len(label) == 64 for labels in hashed["labels"] for label in labels)
    with pytest.raises(ValueError, match="min_objects=1000"):
        site_in(tmp_path, min_objects=1000)
    noisy = site_in(tmp_path, epsilon=1.0)
    with pytest.raises(ValueError, match="with epsilon=1 it releases one table"):
        noisy.answer("count", {"exchange": 0})
    columns = site_in(tmp_path, by="columns", accept_disclosure=True, ids=[str(i) for i in range(70)])
    assert columns.answer("describe", {})["n_objects"] == 70
    assert Path(tmp_path / "labels.json").exists()


def test_windows_is_told_that_machines_need_another_system(tmp_path, monkeypatch):
    from partita.exceptions import FederationError
    from partita.federated.flare._children import Workspace

    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        with pytest.raises(FederationError, match="needs Linux or macOS"):
            Workspace("s", None)
