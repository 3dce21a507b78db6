"""Files: what is understood of them, corrections, limits, names."""

import pytest

from partita.app._datasets import safe_name
from tests.app.clients import csv, open_client, plants


def test_a_file_of_labels_is_understood(client):
    told = client.upload("plants.csv", plants())
    assert (told["name"], told["kind"], told["n_objects"], told["id_column"]) == ("plants.csv", "labels", 60, "plant")
    roles = {column["name"]: column["role"] for column in told["columns"]}
    assert roles == {"plant": "id", **dict.fromkeys("abcde", "clustering"), "height": "annotation"}
    assert any("'height' looks like a measurement" in words for words in told["warnings"])
    assert told["preview"]["rows"][0] == ["p000", "1", "0", "0", "0", "0", "0"]
    assert told["n_distinct_rows"] < 60
    assert told["reading"]["separator"] == ","
    assert {"auto", "soft-cspa", "gbce"}.isdisjoint(method["name"] for method in told["methods"])
    assert client.ok("get", f"datasets/{told['id']}") == told
    assert [one["id"] for one in client.ok("get", "datasets")] == [told["id"]]


def test_free_text_among_clusterings_is_pointed_out(client):
    rows = [["id", "a", "b", "note"], *([f"o{i}", i % 2, i % 3, f"seen on day {i}"] for i in range(12))]
    (words,) = client.upload("notes.csv", csv(rows))["warnings"]
    assert words.startswith("'note' has another value for every object")
    assert client.upload("few.csv", csv([*rows[:9]]))["warnings"] == []


def test_a_file_of_features_is_understood(client):
    rows = [["name", "w", "h", "kind"], *([f"n{i}", i / 7, (i * i) / 13, "ab"[i % 2]] for i in range(30))]
    rows[3][1] = ""
    told = client.upload("points.csv", csv(rows))
    roles = {column["name"]: column["role"] for column in told["columns"]}
    assert told["kind"] == "features"
    assert roles == {"name": "id", "w": "feature", "h": "feature", "kind": "annotation"}
    assert told["n_missing"] == 1
    assert any("filled with the median" in words for words in told["warnings"])
    again = client.ok("post", f"datasets/{told['id']}/reading", json={"annotations": [], "columns": ["w", "h", "kind"]})
    assert any("becomes columns of 0 and 1" in words for words in again["warnings"])


def test_the_reading_is_corrected_step_by_step(client):
    rows = [["x;u", "y"], *([f"o{i};{i % 2}", "-1" if i == 3 else "none" if i == 4 else i % 3] for i in range(20))]
    told = client.upload("odd.csv", csv(rows).replace(b",", b"/"))
    assert told["n_objects"] == 20
    path = f"datasets/{told['id']}/reading"
    told = client.ok("post", path, json={"separator": "/"})
    assert told["preview"]["columns"] == ["x;u", "y"]
    assert told["n_missing"] == 2
    assert client.ok("post", path, json={"missing_words": False})["n_missing"] == 1
    assert client.ok("post", path, json={"noise": "cluster"})["n_missing"] == 0
    told = client.ok("post", path, json={"id_column": None, "kind": "labels"})
    assert [column["role"] for column in told["columns"]] == ["clustering", "clustering"]
    told = client.ok("post", path, json={"id_column": "x;u"})
    assert (told["id_column"], told["columns"][0]["role"]) == ("x;u", "id")
    told = client.ok("post", path, json={"header": False})
    assert (told["n_objects"], told["reading"]["header"]) == (21, False)
    told = client.ok("post", path, json={"separator": None, "header": None, "missing_words": None, "noise": None})
    assert told["reading"]["noise"] == "missing"


def test_columns_get_other_roles_and_are_automatic_again(client):
    told = client.upload("plants.csv", plants())
    path = f"datasets/{told['id']}/reading"
    asked = {"id_column": "plant", "columns": ["a", "b"], "drop": ["d"], "annotations": ["c"]}
    corrected = client.ok("post", path, json=asked)
    roles = {column["name"]: column["role"] for column in corrected["columns"]}
    assert roles == {"plant": "id", "a": "clustering", "b": "clustering", "c": "annotation", "d": "dropped",
                     "e": "dropped", "height": "dropped"}  # fmt: skip
    assert client.ok("post", path, json=corrected["reading"])["columns"] == corrected["columns"]
    again = client.ok("post", path, json={"columns": None, "drop": None, "annotations": None})
    assert again["columns"] == told["columns"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"columns": ["nothing"]}, "has no column 'nothing'"),
        ({"id_column": "nothing"}, "has no column 'nothing'"),
        ({"columns": []}, "no column of labels left"),
        ({"separator": "ab"}, "is not allowed; pass one character"),
        ({"encoding": "klingon"}, "klingon"),
        ({"noise": "loud"}, "noise cannot be 'loud'; it is one of missing, singleton, cluster"),
        ({"kind": "both"}, "kind cannot be 'both'"),
        ({"colums": ["a"]}, "There is no correction 'colums'"),
        ({"columns": "a"}, "columns cannot be 'a'"),
        ({"columns": [1]}, "columns cannot be [1]"),
        ([], "Corrections of the reading are an object"),
    ],
)
def test_a_correction_that_cannot_work_leaves_all_as_it_was(shown, wrong, words):
    answer = shown.post(f"/api/datasets/{shown.dataset['id']}/reading", json=wrong)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert shown.ok("get", f"datasets/{shown.dataset['id']}") == shown.dataset


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "is empty"),
        ("a.pdf", b"%PDF", "the format of 'a.pdf' is not known"),
        ("", b"a,b", "is not a table|has a line of names but no rows|no rows"),
        ("a.xlsx", b"no excel", "cannot be read as"),
        ("a.csv", b"a,b\n1,2\n1\n", "line 3 has 1 fields"),
    ],
)
def test_files_that_cannot_be_read_are_refused_and_leave_nothing(client, tmp_path, name, content, words):
    answer = client.post("/api/datasets", params={"name": name}, content=content)
    assert answer.status_code == 400
    assert any(one in answer.json()["error"] for one in words.split("|")), answer.text
    assert client.ok("get", "datasets") == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_whose_separator_is_not_recognised_is_taken_and_can_be_corrected(client):
    told = client.upload("plants.csv", plants().replace(b",", b"/"))
    assert (told["kind"], len(told["columns"])) == ("labels", 1)
    assert "/" in told["separators"]
    told = client.ok("post", f"datasets/{told['id']}/reading", json={"separator": "/"})
    assert (told["id_column"], len(told["columns"])) == ("plant", 7)


def test_a_file_that_is_no_table_as_it_looks_is_tried_with_other_separators(client):
    lines = [f"o{i},{'x,' * (i % 3)};{i % 2};{i % 3}" for i in range(20)]
    told = client.upload("mixed.csv", "\n".join(["id;a;b", *lines]).encode())
    assert (told["reading"]["separator"], told["preview"]["columns"]) == (";", ["id", "a", "b"])


@pytest.mark.parametrize("streamed", [True, False])
def test_a_file_above_the_limit_is_refused_with_a_clear_message(tmp_path, streamed):
    content = plants(500)
    with open_client(tmp_path, max_upload=1000) as client:
        body = iter([content[:600], content[600:]]) if streamed else content
        answer = client.post("/api/datasets?name=plants.csv", content=body)
        assert answer.status_code == 413
        assert "'plants.csv' is larger than 1 kB" in answer.json()["error"]
        assert "--max-upload" in answer.json()["error"]
        assert client.ok("get", "datasets") == []
        assert list(tmp_path.iterdir()) == []
        assert client.ok("get", "version")["max_upload"] == 1000


def test_a_large_request_that_is_no_file_is_refused(client):
    answer = client.post("/api/runs", content=b"[" + b"1," * 5_000_000 + b"1]")
    assert answer.status_code == 413
    assert client.post("/api/runs", content=b"{").json()["error"] == "This request is not JSON."
    assert client.post("/api/runs", content=b"[" * 100_000).status_code == 400


def test_a_file_is_removed_with_its_copy_and_a_file_of_the_user_stays(client, tmp_path):
    key = client.upload("plants.csv", plants())["id"]
    assert len(list(tmp_path.rglob("plants.csv"))) == 1
    client.ok("delete", f"datasets/{key}")
    assert client.get(f"/api/datasets/{key}").status_code == 404
    assert list(tmp_path.rglob("plants.csv")) == []
    own = tmp_path / "own.csv"
    own.write_bytes(plants())
    client.ok("delete", f"datasets/{client.space.datasets.add(own, owned=False).id}")
    assert own.exists()


def test_names_are_made_safe():
    assert safe_name("../../etc/passwd.csv") == "passwd.csv"
    assert safe_name("C:\\data\\my file.csv") == "my file.csv"
    assert safe_name('a"\r\nb<c>.csv') == "a___b_c_.csv"
    assert safe_name("..") == "file.csv"
    assert len(safe_name("x" * 500 + ".csv")) < 255
    long = safe_name("\N{GRINNING FACE}\N{LATIN SMALL LETTER E WITH ACUTE}" * 100 + ".csv")
    assert len(long.encode()) < 255  # what a file system takes
    assert long.isprintable()
    assert "\N{REPLACEMENT CHARACTER}" not in long
    assert long.endswith(".csv")
    assert safe_name("x" * 500 + ".csv").endswith(".csv")


def test_hostile_text_comes_back_as_data(client):
    name = "<img/src=x/onerror=alert(1)>"
    rows = [["id", name], *([f"<script>{i}</script>", f"{name}{i % 2}"] for i in range(12))]
    told = client.upload(f"{name}.csv", csv(rows))
    answer = client.get(f"/api/datasets/{told['id']}")
    assert answer.headers["content-type"] == "application/json"
    assert told["columns"][1]["name"] == name
    assert told["preview"]["rows"][0] == ["<script>0</script>", f"{name}0"]
    assert "<" not in told["name"]
