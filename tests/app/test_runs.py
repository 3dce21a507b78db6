"""Runs: to their end, cancelled, stopped, failed; two at a time; another number of clusters; methods side by side."""

import threading

import numpy as np
import pytest

import partita
from partita._stopping import check_stop
from partita.app._jobs import Job, Jobs
from tests.app.clients import csv, plants

_go = threading.Event()


class Endless(partita.EAC):
    """Fits as long as it is not stopped, or let go."""

    def __init__(self, n_clusters=None, *, weights=None):
        super().__init__(n_clusters, weights=weights)

    def fit(self, X, y=None, sample_weight=None):
        while not _go.wait(0.005):
            check_stop()
        return super().fit(X, y, sample_weight=sample_weight)


class Broken(Endless):
    """Has a fault of its own."""

    def fit(self, X, y=None, sample_weight=None):
        raise KeyError("secret detail")


@pytest.fixture(autouse=True)
def _methods():
    from partita.consensus import _registered

    _go.clear()
    partita.register_method("endless", Endless)
    partita.register_method("broken", Broken)
    yield
    _go.set()
    for name in ("endless", "broken"):
        _registered._registered.pop(name)
        _registered._classes.pop(name)


@pytest.fixture
def dataset(client):
    return client.upload("plants.csv", plants())["id"]


def test_a_run_comes_to_the_result_of_the_library(client, dataset):
    run = client.run(dataset, n_clusters=3, seed=1)
    assert (run["state"], run["result_ready"], run["k_done"]) == ("done", True, [3])
    table = client.space.datasets.get(dataset).understood
    expected = partita.combine(table.frame[list("abcde")], n_clusters=3, random_state=1)
    rows = client.ok("get", f"runs/{run['id']}/objects?sort=row&limit=500")["rows"]
    assert [row["cluster"] for row in rows] == expected.labels.tolist()
    assert [run["id"]] == [one["id"] for one in client.ok("get", "runs")]


def test_features_are_clustered(client):
    rng = np.random.default_rng(0)
    points = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 9].round(4)
    dataset = client.upload("points.csv", csv([["w", "h"], *points.tolist()]))
    run = client.run(dataset["id"], base={"n_clusterings": 12, "base_clusters": [2, 5]})
    assert run["state"] == "done", run
    summary = client.ok("get", f"runs/{run['id']}/summary")
    assert (summary["n_clusters"], summary["n_clusterings"], summary["sizes"]) == (2, 12, [30, 30])


def test_a_run_is_cancelled_and_leaves_no_result(client, dataset):
    run = client.ok("post", "runs", json={"dataset": dataset, "method": "endless", "n_clusters": 2})["id"]
    client.wait(f"runs/{run}", until=("running",))
    client.ok("post", f"runs/{run}/cancel")
    told = client.wait(f"runs/{run}")
    assert (told["state"], told["result_ready"], told["error"]) == ("cancelled", False, None)
    answer = client.get(f"/api/runs/{run}/summary")
    assert (answer.status_code, answer.json()["error"]) == (409, "This run was cancelled.")
    client.ok("delete", f"runs/{run}")
    assert client.get(f"/api/runs/{run}").status_code == 404
    assert client.run(dataset, n_clusters=3)["state"] == "done"


def test_a_run_stops_at_its_time_limit(client, dataset):
    told = client.run(dataset, method="endless", n_clusters=2, max_time=0.05)
    assert told["state"] == "stopped"
    assert "give it more time" in told["error"]


def test_two_runs_go_on_and_the_others_wait(client, dataset):
    asked = {"dataset": dataset, "method": "endless", "n_clusters": 2}
    runs = [client.ok("post", "runs", json=asked)["id"] for _ in range(4)]
    for run in runs[:2]:
        client.wait(f"runs/{run}", until=("running",))
    assert [client.ok("get", f"runs/{run}")["state"] for run in runs[2:]] == ["waiting", "waiting"]
    assert client.ok("post", f"runs/{runs[3]}/cancel")["state"] == "cancelled"
    _go.set()
    assert [client.wait(f"runs/{run}")["state"] for run in runs] == ["done", "done", "done", "cancelled"]


def test_a_fault_of_ours_is_one_sentence_on_the_page_and_a_traceback_in_the_terminal(client, dataset, capfd):
    told = client.run(dataset, method="broken", n_clusters=2)
    assert told["state"] == "failed"
    assert told["error"].startswith("Something went wrong inside partita")
    assert "secret detail" not in str(told)
    assert "KeyError: 'secret detail'" in capfd.readouterr().err


def test_a_run_tells_its_warnings_and_not_those_of_others(client, dataset):
    rng = np.random.default_rng(0)
    rows = [["a", "b", "c", "d"], *rng.integers(3, size=(40, 4)).tolist()]
    rows[5] = ["", "", "", ""]
    noisy = client.upload("noise.csv", csv(rows), id_column=None)
    assert any(
        "no label in any clustering; they get no cluster" in words
        for words in client.run(noisy["id"], n_clusters=2)["warnings"]
    )
    assert client.run(dataset, n_clusters=3)["warnings"] == []


def test_a_correction_of_the_file_does_not_disturb_a_run_of_it(client, dataset):
    run = client.run(dataset, n_clusters=3)["id"]
    before = client.ok("get", f"runs/{run}/object/0")
    client.ok("post", f"datasets/{dataset}/reading", json={"columns": ["a", "b"], "id_column": None})
    assert client.ok("get", f"runs/{run}/object/0") == before
    client.ok("delete", f"datasets/{dataset}")
    assert client.ok("get", f"runs/{run}/object/0") == before


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "magic"}, "there is no method 'magic'"),
        ({"method": 3}, "method is a name"),
        ({"n_clusters": 0}, "number of clusters cannot be 0"),
        ({"n_clusters": "three"}, "number of clusters cannot be 'three'"),
        ({"n_clusters": 61}, "61 clusters are more than the 60 objects"),
        ({"method": "nbce", "n_clusters": 3}, "nbce finds the number of clusters itself"),
        ({"seed": -1}, "seed cannot be -1"),
        ({"seed": True}, "seed cannot be True"),
        ({"max_time": 0}, "max_time cannot be 0"),
        ({"settings": {"magic": 1}}, "has no setting 'magic'"),
        ({"settings": {"random_state": 1}}, "has no setting 'random_state'"),
        ({"settings": []} | {"settings": [1]}, "settings are an object"),
        ({"base": {"magic": 1}}, "base is an object of"),
        ({"magic": 1}, "A run is an object of"),
    ],
)
def test_what_cannot_be_fitted_is_refused_before_it_begins(shown, asked, words):
    answer = shown.post("/api/runs", json={"dataset": shown.dataset["id"], **asked})
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert len(shown.ok("get", "runs")) == 1


def test_a_run_of_a_file_that_is_gone_is_refused(client):
    assert client.post("/api/runs", json={"dataset": "nothing"}).status_code == 404


def test_settings_reach_the_method_and_the_number_is_found_for_it(client, dataset):
    run = client.run(dataset, method="eac", settings={"linkage": "single"})
    summary = client.ok("get", f"runs/{run['id']}/summary")
    assert (run["state"], summary["n_clusters"], summary["method"]) == ("done", 3, "eac")
    assert client.space.runs.get(run["id"]).own.result.estimator.linkage == "single"


def test_settings_that_the_method_refuses_are_told(client, dataset):
    run = client.run(dataset, method="eac", n_clusters=2, settings={"linkage": "magic"})
    assert run["state"] == "failed"
    assert "linkage" in run["error"]


# ----------------------------------------------------------------------------------------------------- another number
def test_another_number_is_fitted_once_and_then_there(client, dataset):
    run = client.run(dataset, n_clusters=3)["id"]
    first = client.get(f"/api/runs/{run}/summary?k=4")
    assert first.status_code == 202
    assert first.json()["state"] in ("waiting", "running")
    summary = client.ready(f"runs/{run}/summary?k=4").json()
    assert (summary["k"], summary["k_chosen"], len(summary["sizes"])) == (4, 3, summary["n_clusters"])
    job = client.space.runs.get(run)._others[4]
    assert client.get(f"/api/runs/{run}/objects?k=4").status_code == 200
    assert client.space.runs.get(run)._others[4] is job
    assert client.ok("get", f"runs/{run}")["k_done"] == [3, 4]
    assert client.ok("get", f"runs/{run}/summary")["n_clusters"] == 3


def test_a_number_that_cannot_be_asked_for_is_refused(shown):
    numbers = shown.ok("get", f"{shown.at}/summary")["ks"]
    assert numbers == list(range(2, 16))
    for k, words in ((1, "1 clusters cannot be asked for"), (99, "99 clusters"), ("x", "cannot be 'x'"), (-2, "'-2'")):
        answer = shown.get(f"/api/{shown.at}/summary?k={k}")
        assert answer.status_code == 400
        assert words in answer.json()["error"]


def test_a_method_that_finds_the_number_itself_has_one(client, dataset):
    run = client.run(dataset, method="nbce")["id"]
    summary = client.ok("get", f"runs/{run}/summary")
    assert summary["ks"] == [summary["n_clusters"]]


# -------------------------------------------------------------------------------------------------------- comparison
def test_methods_are_compared(client, dataset):
    run = client.run(dataset, n_clusters=3)["id"]
    path = f"runs/{run}/compare"
    before = client.ok("get", path)
    assert before["state"] == "none"
    assert {"name", "title", "default"} == set(before["methods"][0])
    client.ok("post", path, json={"methods": ["eac", "mcla"]})
    told = client.wait(path)
    assert told["state"] == "done"
    assert {row[0] for row in told["table"]["rows"]} == {"eac", "mcla"}
    assert told["agreement"]["methods"] == ["this result", "eac", "mcla"]
    assert told["agreement"]["values"][0][0] == 1
    for wrong in (["magic"], "eac", [1]):
        assert client.post(f"/api/{path}", json={"methods": wrong}).status_code == 400


def test_a_comparison_is_cancelled(client, dataset):
    run = client.run(dataset, n_clusters=3)["id"]
    path = f"runs/{run}/compare"
    client.ok("post", path, json={"methods": ["endless"]})
    client.wait(path, until=("running",))
    assert client.post(f"/api/{path}", json={}).status_code == 409
    client.ok("post", f"{path}/cancel")
    assert client.wait(path)["state"] == "cancelled"
    assert client.ok("get", f"runs/{run}")["state"] == "done"


# -------------------------------------------------------------------------------------------------------------- jobs
def test_progress_is_told():
    job = Job(lambda: None)
    job.tell("starts", 3, 4)
    assert job.progress()["share"] == 0.75
    job.tell("reading", 3, None)
    assert job.progress()["share"] is None


def test_closing_cancels_what_runs_and_what_waits():
    jobs, running = Jobs(at_a_time=1), threading.Event()

    def work():
        running.set()
        while True:
            check_stop()
            threading.Event().wait(0.005)

    first, second = jobs.start(work), jobs.start(work)
    assert running.wait(30)
    jobs.close(30)
    assert (first.state, second.state) == ("cancelled", "cancelled")
