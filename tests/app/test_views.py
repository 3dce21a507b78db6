"""What the page asks of a result: pages of objects, one object, pictures, selections, tables."""

import json

import numpy as np
import pytest

from tests.app.clients import csv, plants


def rows_of(client, **asked):
    query = {"limit": 500, **asked}
    return client.ok("get", f"{client.at}/objects", params=query)["rows"]


def test_the_summary_says_what_was_found(shown):
    summary = shown.ok("get", f"{shown.at}/summary")
    assert (summary["n_objects"], summary["n_clusterings"], summary["n_clusters"]) == (60, 5, 3)
    assert sum(summary["sizes"]) == 60
    assert len(summary["colors"]) == 3
    assert summary["summary"].startswith("5 clusterings of 60 objects lead to 3 clusters")
    assert summary["annotations"] == ["height"]
    assert 0 < summary["average_nmi"] <= 1
    assert summary["n_in_doubt"] == len(rows_of(shown, doubt=1))


# ------------------------------------------------------------------------------------------------------------- objects
def test_objects_come_in_pages(shown):
    whole = shown.ok("get", f"{shown.at}/objects?sort=row&limit=500")
    assert whole["total"] == 60
    assert [row["row"] for row in whole["rows"]] == list(range(60))
    page = shown.ok("get", f"{shown.at}/objects?sort=row&offset=50&limit=25")
    assert page["rows"] == whole["rows"][50:]
    assert len(shown.ok("get", f"{shown.at}/objects")["rows"]) == 50
    assert shown.ok("get", f"{shown.at}/objects?offset=99")["rows"] == []


@pytest.mark.parametrize("column", ["confidence", "vote", "cluster", "id", "row", "annotation:height"])
@pytest.mark.parametrize("descending", [0, 1])
def test_objects_are_sorted_by_any_column(shown, column, descending):
    rows = rows_of(shown, sort=column, descending=descending)
    name = column.removeprefix("annotation:")
    values = [row["annotations"][name] if name == "height" else row[name] for row in rows]
    assert values == sorted(values, reverse=bool(descending))


def test_objects_without_a_value_come_last_in_both_directions(client):
    rows = [["id", "a", "b", "c", "note"], *([f"o{i}", i % 2, i % 2, i % 2, f"n{i % 5}"] for i in range(20))]
    rows[4] = ["o3", "", "", "", ""]
    dataset = client.upload("holes.csv", csv(rows), annotations=["note"])
    client.at = f"runs/{client.run(dataset['id'], n_clusters=2)['id']}"
    for column in ("confidence", "vote", "annotation:note", "cluster"):
        for descending in (0, 1):
            last = rows_of(client, sort=column, descending=descending)[-1]
            assert last["id"] == "o3", column
    assert (last["cluster"], last["confidence"], last["annotations"]) == (-1, None, {"note": None})


def test_numbers_as_ids_are_sorted_as_numbers(client):
    rows = [["id", "a", "b"], *([i, i % 2, i % 2] for i in (10, 9, 100, 2, 1, 30, 21, 22, 23, 24, 25, 26))]
    dataset = client.upload("numbers.csv", csv(rows), id_column="id")
    client.at = f"runs/{client.run(dataset['id'], n_clusters=2)['id']}"
    assert [row["id"] for row in rows_of(client, sort="id")][:4] == ["1", "2", "9", "10"]


def test_objects_are_searched_and_filtered(shown):
    assert {row["id"] for row in rows_of(shown, search=" P01 ")} == {f"p01{digit}" for digit in range(10)}
    assert rows_of(shown, search="nothing") == []
    assert {row["cluster"] for row in rows_of(shown, cluster=1)} == {1}
    both = rows_of(shown, cluster=1, search="p01")
    assert 0 < len(both) < 10
    assert all(row["in_doubt"] for row in rows_of(shown, doubt=1))


def test_labels_of_the_clusterings_come_with_objects_if_asked_for(shown):
    (first, *_) = rows_of(shown, sort="row", labels=1)
    assert first["labels"] == ["1", "0", "0", "0", "0"]
    assert "labels" not in rows_of(shown)[0]


@pytest.mark.parametrize(
    "query", ["sort=magic", "sort=annotation:magic", "offset=-1", "limit=x", "cluster=x", "offset=1e3"]
)
def test_pages_that_there_are_not_are_refused(shown, query):
    assert shown.get(f"/api/{shown.at}/objects?{query}").status_code == 400


def test_one_object_is_told_in_full(shown):
    told = shown.ok("get", f"{shown.at}/object/0")
    assert told["labels"][0] == {"clustering": "a", "label": "1"}
    assert len(told["labels"]) == 5
    assert sum(told["membership"]) == pytest.approx(1)
    assert told["annotations"] == {"height": 0.0}
    heatmap = shown.ok("get", f"{shown.at}/heatmap")
    assert heatmap["order"][told["position"]] == 0
    assert shown.get(f"/api/{shown.at}/object/60").status_code == 404
    assert shown.get(f"/api/{shown.at}/object/-1").status_code == 404


# ------------------------------------------------------------------------------------------------------------ pictures
def test_the_drawn_objects_can_be_coloured_by_annotations(shown):
    told = shown.ok("get", f"{shown.at}/heatmap")
    heights = {row["row"]: row["annotations"]["height"] for row in rows_of(shown)}
    assert told["annotations"] == {"height": {"values": [heights[row] for row in told["order"]]}}


def test_the_heatmap_its_pixels_and_its_tree_go_together(shown):
    told = shown.ok("get", f"{shown.at}/heatmap")
    n = told["n_drawn"]
    pixels = np.frombuffer(shown.get(f"/api/{shown.at}/heatmap/pixels").content, dtype=np.uint8).reshape(n, n)
    assert sorted(told["order"]) == list(range(60))
    assert (pixels == pixels.T).all()
    assert (np.diag(pixels) == 254).all()
    by_row = {row["row"]: row for row in rows_of(shown, labels=1)}
    assert told["clusters"] == [by_row[row]["cluster"] for row in told["order"]]
    assert told["ids"] == [by_row[row]["id"] for row in told["order"]]
    one, other = (by_row[told["order"][place]]["labels"] for place in (0, 40))
    assert pixels[0, 40] == round(np.mean([a == b for a, b in zip(one, other, strict=True)]) * 254)
    merges = told["tree"]["merges"]
    assert len(merges) == n - 1
    assert merges[-1][3] == n


def test_branches_of_the_tree_do_not_cross(shown):
    told = shown.ok("get", f"{shown.at}/heatmap")
    n = told["n_drawn"]
    under = {place: {place} for place in range(n)}
    for place, (left, right, _, size) in enumerate(told["tree"]["merges"]):
        under[n + place] = under[left] | under[right]
        assert len(under[n + place]) == size
        assert max(under[n + place]) - min(under[n + place]) == size - 1


def test_pairs_that_no_clustering_has_have_no_value_and_many_objects_are_sampled(client):
    rows = [["id", "a", "b"], *([f"o{i:04}", i % 3 if i < 500 else "", "" if i < 500 else i % 3] for i in range(1000))]
    dataset = client.upload("gaps.csv", csv(rows))
    at = f"runs/{client.run(dataset['id'], n_clusters=3)['id']}"
    told = client.ok("get", f"{at}/heatmap")
    assert (told["n_drawn"], told["n_objects"]) == (800, 1000)
    assert "a sample of 800 of 1,000 objects" in told["note"]
    pixels = np.frombuffer(client.get(f"/api/{at}/heatmap/pixels").content, dtype=np.uint8).reshape(800, 800)
    first = np.array(told["order"]) < 500
    assert (pixels[np.ix_(first, ~first)] == 255).all()
    assert (pixels[np.ix_(first, first)] < 255).all()
    drawn = client.ok("post", f"{at}/selections", json={"cluster": 0})["drawn"]
    assert set(drawn) == {row for row, cluster in zip(told["order"], told["clusters"], strict=True) if cluster == 0}


def test_the_membership_is_that_of_the_drawn_objects(shown):
    told = shown.ok("get", f"{shown.at}/membership")
    assert told["rows"] == shown.ok("get", f"{shown.at}/heatmap")["order"]
    assert np.allclose(np.sum(told["values"], axis=1), 1, atol=1e-3)
    assert told["kind"] == "votes"


# ---------------------------------------------------------------------------------------------------------- selections
def test_selections_are_made_joined_and_told_by_cluster(shown):
    def select(**asked):
        return shown.ok("post", f"{shown.at}/selections", json=asked)

    sizes = shown.ok("get", f"{shown.at}/summary")["sizes"]
    first = select(cluster=0)
    assert (first["n"], first["by_cluster"]) == (sizes[0], [[0, sizes[0]]])
    assert select(base=first["id"], mode="add", cluster=1)["n"] == sizes[0] + sizes[1]
    assert select(base=first["id"], mode="remove", cluster=0)["n"] == 0
    two = select(rows=[5, 7])
    assert sorted(two["drawn"]) == [5, 7]
    assert sorted(select(base=two["id"], mode="toggle", rows=[7, 9])["drawn"]) == [5, 9]
    assert select(where={"search": "p00"})["n"] == 10
    assert select(where={"doubt": True})["n"] == shown.ok("get", f"{shown.at}/summary")["n_in_doubt"]
    assert {row["row"] for row in rows_of(shown, selection=two["id"])} == {5, 7}
    assert {row["row"] for row in rows_of(shown, mark=two["id"]) if row["selected"]} == {5, 7}
    again = shown.ready(f"{shown.at}/selections/{two['id']}?k=2").json()
    assert again["n"] == 2
    assert sum(size for _, size in again["by_cluster"]) == 2


@pytest.mark.parametrize(
    "asked",
    [{}, [], {"rows": [60]}, {"rows": [-1]}, {"rows": ["1"]}, {"rows": [True]}, {"rows": 3}, {"cluster": "x"},
     {"rows": [1], "mode": "magic"}, {"k": "x", "rows": [1]}],
)  # fmt: skip
def test_what_is_no_selection_is_refused(shown, asked):
    assert shown.post(f"/api/{shown.at}/selections", json=asked).status_code == 400
    assert shown.get(f"/api/{shown.at}/objects?selection=nothing").status_code == 404


def test_old_selections_are_forgotten(client):
    run = client.run(client.upload("plants.csv", plants())["id"], n_clusters=3)["id"]
    found = client.space.runs.get(run)
    first = found.keep(np.array([1]))
    for row in range(200):
        found.keep(np.array([row % 60]))
    assert len(found.selections) == 200
    assert client.get(f"/api/runs/{run}/selections/{first}").status_code == 404


# -------------------------------------------------------------------------------------------------------------- tables
def test_tables_name_and_explain_their_columns(shown):
    clusters = shown.ok("get", f"{shown.at}/clusters")
    names = [column["name"] for column in clusters["columns"]]
    assert names[:3] == ["cluster", "size", "share"]
    assert [row[1] for row in clusters["rows"]] == shown.ok("get", f"{shown.at}/summary")["sizes"]
    clusterings = shown.ok("get", f"{shown.at}/clusterings")
    assert [row[0] for row in clusterings["rows"]] == list("abcde")
    for table in (clusters, clusterings):
        assert all(column["title"] and column["kind"] for column in table["columns"])
        json.dumps(table, allow_nan=False)


def test_annotations_are_tested(shown):
    told = shown.ok("get", f"{shown.at}/annotations")
    names = [column["name"] for column in told["columns"]]
    (row,) = [dict(zip(names, row, strict=True)) for row in told["rows"]]
    assert row["annotation"] == "height"
    assert row["p_value"] < 0.01


def test_without_annotations_it_is_said_how_to_get_them(client):
    dataset = client.upload("plants.csv", plants(), drop=["height"], annotations=[])
    run = client.run(dataset["id"], n_clusters=3)["id"]
    told = client.ok("get", f"runs/{run}/annotations")
    assert told["rows"] == []
    assert "use a column of the file as an annotation" in told["note"]
