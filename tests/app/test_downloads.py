"""Files to take away: every one that is offered can be had, as an attachment with a safe name."""

import io
import zipfile

import pandas as pd
import pytest

from tests.app.clients import csv, plants


def get(client, what, **query):
    answer = client.get(f"/api/{client.at}/download/{what}", params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    return answer


def test_tables_hold_what_the_page_shows(shown):
    rows = shown.ok("get", f"{shown.at}/objects?sort=row&limit=500")["rows"]
    consensus = pd.read_csv(io.BytesIO(get(shown, "consensus").content))
    assert list(consensus.columns) == ["plant", "label"]
    assert consensus["plant"].tolist() == [row["id"] for row in rows]
    assert consensus["label"].tolist() == [row["cluster"] for row in rows]
    confidence = pd.read_csv(io.BytesIO(get(shown, "confidence", format="tsv").content), sep="\t")
    assert confidence["confidence"].round(4).tolist() == [row["confidence"] for row in rows]
    membership = pd.read_csv(io.BytesIO(get(shown, "membership").content))
    assert membership[["cluster_0", "cluster_1", "cluster_2"]].sum(axis=1).round(9).eq(1).all()
    assert pd.read_csv(io.BytesIO(get(shown, "objects").content))["height"].tolist() == [
        row["annotations"]["height"] for row in rows
    ]
    book = pd.read_excel(io.BytesIO(get(shown, "clusters", format="xlsx").content))
    assert book["size"].tolist() == shown.ok("get", f"{shown.at}/summary")["sizes"]


def test_every_table_and_text_that_is_offered_can_be_had(shown):
    offered = shown.ok("get", f"{shown.at}/downloads")
    names = {one["what"] for group in offered.values() for one in group}
    assert {"consensus", "objects", "annotations", "figure-coassociation", "report", "script", "all"} <= names
    assert {"methods", "figure-dendrogram", "figure-convergence"}.isdisjoint(names)
    for one in [*offered["tables"], *(other for other in offered["others"] if other["what"] in ("script", "command"))]:
        for form in one["formats"]:
            assert get(shown, one["what"], format=form).content


@pytest.mark.parametrize("kind", ["coassociation", "scatter"])
def test_figures_are_attachments_of_their_kind(shown, kind):
    drawn = get(shown, f"figure-{kind}", format="png")
    assert drawn.content.startswith(b"\x89PNG")
    assert drawn.headers["content-type"] == "image/png"
    drawn = get(shown, f"figure-{kind}", format="svg")
    assert b"<svg" in drawn.content
    assert drawn.headers["content-disposition"] == f'attachment; filename="plants-{kind}-k3.svg"'
    assert drawn.headers["content-security-policy"].startswith("default-src 'none'")


def test_the_archive_has_tables_figures_script_and_report(shown):
    with zipfile.ZipFile(io.BytesIO(get(shown, "all").content)) as archive:
        names = set(archive.namelist())
        report = archive.read("report.html").decode()
    assert {"consensus.csv", "coassociation.svg", "script.py", "command.txt", "report.html"} <= names
    assert "height" in report
    assert "partita consensus plants.csv" in report


def test_the_objects_of_a_selection_can_be_had(shown):
    selection = shown.ok("post", f"{shown.at}/selections", json={"rows": [4, 2]})["id"]
    table = pd.read_csv(io.BytesIO(get(shown, "objects", selection=selection).content))
    assert table["plant"].tolist() == ["p002", "p004"]


def test_the_download_is_that_of_the_number_looked_at(shown):
    shown.ready(f"{shown.at}/summary?k=2")
    table = pd.read_csv(io.BytesIO(get(shown, "consensus", k=2).content))
    assert table["label"].nunique() == 2
    assert "n_clusters=2" in get(shown, "script", k=2).text
    assert "--n-clusters 2" in get(shown, "command", k=2).text


@pytest.mark.parametrize(
    ("path", "status"),
    [("nothing", 404), ("figure-nothing", 404), ("figure-convergence", 404), ("consensus?format=exe", 400),
     ("figure-scatter?format=pdf", 400), ("methods", 404)],
)  # fmt: skip
def test_what_is_not_offered_is_refused(shown, path, status):
    assert shown.get(f"/api/{shown.at}/download/{path}").status_code == status


def test_names_of_files_are_safe_in_a_header(client):
    dataset = client.upload('ä"\r\nx: y;<b>.csv', plants())
    client.at = f"runs/{client.run(dataset['id'], n_clusters=3)['id']}"
    assert get(client, "consensus").headers["content-disposition"] == 'attachment; filename="x__y__b-consensus-k3.csv"'


def test_formulas_are_marked_if_asked_for(client):
    rows = [["id", "a", "b"], *([f"=1+{i}", i % 2, i % 2] for i in range(12))]
    dataset = client.upload("formulas.csv", csv(rows), id_column="id")
    client.at = f"runs/{client.run(dataset['id'], n_clusters=2)['id']}"
    assert "\n=1+3," in get(client, "consensus").text
    assert "\n'=1+3," in get(client, "consensus", spreadsheet_safe=1).text
    with zipfile.ZipFile(io.BytesIO(get(client, "all", spreadsheet_safe=1).content)) as archive:
        assert "\n'=1+3," in archive.read("consensus.csv").decode()
