"""The page: what is in it, that nothing leaves its place, how large it is, and what happens when something fails."""

import base64
import hashlib
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import partita
from partita import ConsensusResult
from partita.report import write_report
from partita.report._sections import SECTIONS
from tests.report.pages import HOSTILE, Page, hostile_labels

MAX_BYTES = 3_000_000
ALWAYS = [name for name in SECTIONS if name not in ("methods", "annotations")]


def report_of(result, tmp_path, **options):
    path = tmp_path / "report.html"
    write_report(result, path, **{"n_resamples": 2, **options})
    assert path.stat().st_size <= MAX_BYTES
    return Page(path)


@pytest.fixture
def without_pictures(monkeypatch):
    """They take most of the time, and are in the full report."""
    monkeypatch.setattr("partita.report._sections.picture", lambda *_, **__: [])


def block_labels(n=12, m=4):
    return np.repeat(np.arange(3), n // 3)[:, None] + np.zeros((1, m), dtype=int)


# -------------------------------------------------------------------------------------------------------- what it holds
def test_all_sections_are_there_in_their_order_and_linked(page):
    assert list(page.texts) == list(SECTIONS)
    assert [link for link in page.links if link in {f"#{name}" for name in SECTIONS}][1:] == [
        f"#{name}" for name in SECTIONS
    ]


def test_nothing_failed_and_all_tags_are_closed(page):
    assert page.failed == {}
    assert page.faults == []


def test_ids_are_unique_and_references_lead_somewhere(page):
    assert len(set(page.ids)) == len(page.ids)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    named = re.findall(r"url\(#(.*?)\)", " ".join(str(value) for _, name, value in page.attributes if name != "href"))
    labelled = [value for _, name, value in page.attributes if name in ("aria-labelledby", "for", "data-tools")]
    assert set(inside + named + labelled) <= set(page.ids)
    assert named


def test_verdict_and_reasons_are_those_of_the_result(page, result):
    assert result.summary[1:] in page.texts["verdict"]
    for reason in result.choice.reasons:
        assert reason in page.texts["number"]
    assert "Could it be one cluster?" in page.texts["number"]
    rows = page.tables["numbers"]
    assert [row[0] for row in rows[1:]] == [str(k) for k in result.choice.table["n_clusters"]]
    assert [row[0] for row in rows if row[-1] == "chosen"] == [str(result.n_clusters)]


def test_the_least_certain_objects_come_first(page, result):
    rows = page.tables["least-certain-objects"][1:]
    order = np.argsort(result.confidence, kind="stable")
    assert [row[0] for row in rows] == result.ids[order].tolist()
    assert [int(row[1]) for row in rows] == result.labels[order].tolist()
    shown = [float(row[2].replace("\N{MINUS SIGN}", "-")) for row in rows]
    np.testing.assert_allclose(shown, result.confidence[order], atol=0.00501)


def test_clusters_and_clusterings_have_one_row_each(page, result):
    assert [int(row[1]) for row in page.tables["cluster-table"][1:]] == np.bincount(result.labels).tolist()
    assert "Stability" in page.tables["cluster-table"][0]
    assert len(page.tables["clustering-table"]) == 1 + len(result.clusterings)


def test_every_picture_has_a_name_and_a_caption(page):
    captions = re.findall(r"<figcaption><b>(.*?)</b> (.*?)</figcaption>", page.source, flags=re.S)
    pictures = [found for found in page.attributes if found[:2] == ("svg", "aria-label")]
    assert len(captions) == len(pictures) == 7
    assert all(len(words) > 80 for _, words in captions)
    assert [value for *_, value in pictures] == [title.rstrip(".") for title, _ in captions]


def test_calls_versions_and_meaning_are_told(page):
    told = page.texts["made"]
    assert "partita consensus <in >out" in told
    assert f"print('{HOSTILE}')" in told
    assert all(name in told for name in ("numpy 2", "scikit-learn 1", "numba", "Python 3"))
    assert "not a probability of being right" in told


def test_outliers_are_told_in_words(tmp_path, without_pictures):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(np.repeat(np.arange(3), 20)[:, None] + np.zeros((1, 6), dtype=int))
    X.columns = [f"good {m}" for m in range(6)]
    X.iloc[:2, 0] = 1
    X["lost"] = rng.integers(0, 3, 60)
    page = report_of(partita.combine(X, n_clusters=3, random_state=0), tmp_path, n_resamples=0)
    assert "One clustering is an outlier, of 7: “lost”" in page.texts["clusterings"]
    assert page.tables["clustering-table"][1][0] == "lost"
    place = page.tables["clustering-table"][0].index("Outlier")
    assert [row[place] for row in page.tables["clustering-table"][1:]] == ["yes"] + 6 * ["no"]


# ------------------------------------------------------------------------------------------------------------ safe text
def test_no_text_of_the_user_becomes_markup(page):
    assert len(page.scripts) == 1
    assert HOSTILE not in page.source
    assert not [found for found in page.attributes if found[1].startswith("on")]
    assert not [found for found in page.attributes if found[0] in ("iframe", "object", "embed", "form", "base")]
    assert HOSTILE in page.tables["clustering-table"][1][0] or any(
        row[0] == HOSTILE for row in page.tables["clustering-table"]
    )
    assert any(row[0] == HOSTILE for row in page.tables["annotation-table"])


def test_signs_that_no_page_may_hold_are_replaced(page):
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e]", page.source)
    assert any("中" in row[0] for row in page.tables["clustering-table"])


def test_the_page_asks_for_nothing_outside(page):
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert "@import" not in page.source
    assert re.findall(r"url\((?!#)", page.source) == []


def test_only_our_own_script_may_run(page):
    digest = base64.b64encode(hashlib.sha256(page.scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.policy
    assert page.policy.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline';")


# ------------------------------------------------------------------------------------------------------ files beside it
def test_full_tables_are_written_beside(full_report, page, result):
    names = ["objects", "clusters", "clusterings", "stability", "methods", "annotations"]
    for name in names:
        assert f"full.{name}.csv" in page.texts["made"]
    objects = pd.read_csv(full_report.with_name("full.objects.csv"))
    assert objects["id"].tolist() == hostile_labels().index.tolist()
    np.testing.assert_allclose(objects["confidence"], result.confidence)
    assert sorted(path.name for path in full_report.parent.iterdir()) == sorted(
        ["full.html", *(f"full.{name}.csv" for name in names)]
    )


def test_an_error_leaves_the_old_file(result, tmp_path, monkeypatch, without_pictures):
    path = tmp_path / "old.html"
    path.write_text("old")
    monkeypatch.setattr("partita.report._write.render", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(result, path, n_resamples=0)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["old.html"]


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("report.csv", ValueError, r"let its name end in \.html or \.htm"),
        ("missing/report.html", FileNotFoundError, "create it first"),
        (".", IsADirectoryError, "is a folder"),
        (3, TypeError, "is no path"),
    ],
)
def test_paths_are_refused_before_any_work(path, error, words, result, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("partita.report._write.make_sections", lambda _: pytest.fail("work was done"))
    with pytest.raises(error, match=words):
        write_report(result, path)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_resamples": -1}, ValueError, "n_resamples=-1"),
        ({"n_resamples": 2.5}, ValueError, "n_resamples=2.5"),
        ({"compare": ["nonsense"]}, ValueError, "nonsense"),
        ({"annotations": pd.DataFrame({"a": [1, 2]})}, ValueError, "one row per object"),
        ({"random_state": "x"}, ValueError, "random_state"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"calls": {"python": 3}}, TypeError, "calls"),
    ],
)
def test_wrong_options_are_refused_before_any_work(options, error, words, result, tmp_path, monkeypatch):
    monkeypatch.setattr("partita.report._write.make_sections", lambda _: pytest.fail("work was done"))
    with pytest.raises(error, match=words):
        write_report(result, tmp_path / "report.html", **options)
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_named_before_any_work(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("partita.report._write.make_sections", lambda _: pytest.fail("work was done"))
    with pytest.raises(partita.exceptions.MissingExtraError, match=r"partita\[report\]"):
        write_report(result, tmp_path / "report.html")


def test_importing_the_room_loads_neither_library():
    code = "import sys; from partita.report import write_report; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jinja2", "matplotlib"} & set(done.stdout.split())


def test_only_results_are_reported(tmp_path):
    with pytest.raises(TypeError, match="ConsensusResult"):
        write_report([[0, 1]], tmp_path / "report.html")


# ------------------------------------------------------------------------------------------------------------- failures
def test_a_section_that_fails_becomes_a_sentence(result, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ValueError(f"no luck {HOSTILE}")

    monkeypatch.setattr(ConsensusResult, "stability", broken)
    monkeypatch.setattr("partita.plotting.ScatterDisplay.from_result", broken)
    monkeypatch.setitem(SECTIONS, "clusterings", ("Agreement", broken))
    page = report_of(result, tmp_path)
    assert list(page.texts) == ALWAYS
    assert "could not be made: no luck <script>" in page.texts["stability"]
    assert 'A map of the objects" could not be made' in page.texts["objects"]
    assert "This section could not be made" in page.texts["clusterings"]
    assert "Without their stability" in page.texts["clusters"]
    assert page.failed == {"objects": 1, "clusterings": 1, "stability": 1}


def test_stability_can_be_left_out(result, tmp_path, monkeypatch, without_pictures):
    monkeypatch.setattr(ConsensusResult, "stability", lambda *_, **__: pytest.fail("it was not asked for"))
    page = report_of(result, tmp_path, n_resamples=0)
    assert "not asked for" in page.texts["stability"]
    assert page.failed == {}


# ------------------------------------------------------------------------------------------------------------- extremes
def test_one_object_has_a_report_with_its_pictures(tmp_path):
    page = report_of(partita.combine(np.array([[0, 0, 1]]), random_state=0), tmp_path)
    assert list(page.texts) == ALWAYS
    assert page.failed.keys() <= {"other-numbers"}  # there are no other numbers of clusters to compare
    assert page.faults == []


@pytest.mark.parametrize(
    "labels",
    [[[0, 1], [0, 1]], [[0, 0, 1, 1, 2, 2]], [[0] * 8, [0] * 8, [1] * 8]],
    ids=["two objects", "one clustering", "one cluster"],
)
def test_small_results_have_a_report(labels, tmp_path, without_pictures):
    page = report_of(partita.combine(np.array(labels).T, random_state=0), tmp_path)
    assert list(page.texts) == ALWAYS
    assert page.failed == {}


def test_objects_without_labels_are_counted(tmp_path, without_pictures):
    X = block_labels()
    X[:2] = -1
    X[5, 1] = -1
    with pytest.warns(partita.exceptions.UnlabelledObjectsWarning):
        result = partita.combine(X, random_state=0)
    page = report_of(result, tmp_path)
    assert "2 without any cluster" in page.texts["verdict"]
    assert re.search(r"Missing labels\s*9\b", page.texts["verdict"])  # 2 x 4 + 1
    assert "2 objects without a cluster are not listed" in page.texts["least-certain"]
    assert len(page.tables["least-certain-objects"]) == 1 + 10


def test_tables_stop_at_500_rows_and_say_so(tmp_path, without_pictures):
    pairs = np.arange(1400) // 2
    page = report_of(
        ConsensusResult.from_labels(np.column_stack([pairs, pairs, pairs]), pairs), tmp_path, n_resamples=0
    )
    assert len(page.tables["least-certain-objects"]) == len(page.tables["cluster-table"]) == 501
    assert "500 of 1,400 objects" in page.texts["least-certain"]
    assert "500 of 700 clusters" in page.texts["clusters"]


def test_long_names_and_many_clusterings_stay_small(tmp_path, without_pictures):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 4)
    columns = {f"{m} " + "<&'\"$ä中" * 43: np.where(rng.random(12) < 0.1, 0, truth) for m in range(600)}
    X = pd.DataFrame(columns, index=[f"{i} " + "&" * 5000 for i in range(12)])
    page = report_of(ConsensusResult.from_labels(X, truth), tmp_path, n_resamples=0, title="&" * 100_000)
    assert page.faults == []
    assert "500 of 600 clusterings" in page.texts["clusterings"]


def test_rows_are_left_out_where_the_page_would_be_too_large(result, tmp_path, monkeypatch, without_pictures):
    plain = report_of(result, tmp_path, n_resamples=0)
    monkeypatch.setattr("partita.report._write._ROWS", (500, 7))
    monkeypatch.setattr("partita.report._write.MAX_BYTES", len(plain.source.encode()) - 1000)
    page = report_of(result, tmp_path, n_resamples=0)
    assert len(page.tables["least-certain-objects"]) == 8
    assert "7 of 60 objects" in page.texts["least-certain"]


def test_a_given_number_is_judged_by_the_rule(tmp_path, without_pictures):
    rng = np.random.default_rng(0)
    noise = partita.combine(rng.integers(4, size=(300, 12)), method="mm", n_clusters=4, random_state=0)
    page = report_of(noise, tmp_path, n_resamples=0)
    assert "but the 12 clusterings agree no more than by chance" in page.texts["verdict"]
    assert "Yes: the clusterings agree no more than by chance" in page.texts["number"]


def test_a_result_that_does_not_fit_its_clusterings_is_told(tmp_path, without_pictures):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(25), 8)
    X = np.where(rng.random((200, 30)) < 0.15, rng.integers(25, size=(200, 30)), truth[:, None])
    page = report_of(partita.combine(X, n_clusters=2, random_state=0), tmp_path, n_resamples=0)
    assert "Caution: the clusterings agree with each other" in page.texts["verdict"]
    good = report_of(partita.combine(X, n_clusters=25, random_state=0), tmp_path, n_resamples=0)
    assert "Caution" not in good.texts["verdict"]
