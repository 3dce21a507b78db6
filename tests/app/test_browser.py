"""The page in a real browser: from a file over its correction and a run to what is taken away."""

import csv
import io

import pytest

from tests.app.browsing import NARROW, WIDE, file

expect = pytest.importorskip("playwright.sync_api").expect
SEMICOLONS = "\n".join(
    ["name;a;b;c;d", *(f"x{i};{i % 3};{(i + (i % 10 == 0)) % 3};{i % 3 if i % 5 else 'unknown'};{i % 2 - (i % 4 == 2)}"
                       for i in range(90))]
).encode()  # fmt: skip


# ------------------------------------------------------------------------------------------------- a file, and its use
@pytest.mark.parametrize("screen", [WIDE, pytest.param(NARROW, marks=pytest.mark.nightly)], ids=["wide", "narrow"])
def test_a_file_is_corrected_run_and_explored_with_the_mouse(desk, screen):
    page = desk(viewport=screen)
    page.choose(file("colons.csv", SEMICOLONS))
    expect(page.figure("Objects")).to_contain_text("90")
    expect(page.figure("Missing labels")).to_contain_text("22")
    page.tab.get_by_label("Missing is written as").fill("unknown")
    page.tab.get_by_label("Missing is written as").press("Enter")
    expect(page.figure("Missing labels")).to_contain_text("40")
    expect(page.tab.locator(".changed")).to_contain_text("missing 22 → 40")
    page.tab.get_by_label("The label \N{MINUS SIGN}1 means").select_option("cluster")
    expect(page.figure("Missing labels")).to_contain_text("18")
    page.tab.get_by_role("button", name="Undo").click()
    expect(page.figure("Missing labels")).to_contain_text("40")
    page.tab.get_by_label("Use of column d").select_option("annotation")
    expect(page.figure("Clusterings")).to_contain_text("3")
    page.tab.get_by_label("Names of the objects").select_option("")
    expect(page.tab.get_by_label("Use of column name")).to_be_visible()
    page.tab.get_by_label("Use of column name").select_option("id")
    expect(page.tab.get_by_label("Names of the objects")).to_have_value("=name")
    page.run()
    page.wait_for_result()
    assert len(page.names()) == 50
    assert page.messages == []


def test_a_separator_that_cannot_be_is_said_and_leaves_the_reading(desk):
    page = desk()
    page.choose(file("colons.csv", SEMICOLONS))
    page.tab.get_by_label("Separator").select_option("|")
    expect(page.figure("Clusterings")).not_to_contain_text("4")
    page.tab.get_by_label("Separator").select_option(";")
    expect(page.figure("Clusterings")).to_contain_text("4")
    for column in "abc":
        page.tab.get_by_label(f"Use of column {column}").select_option("dropped")
    expect(page.figure("Clusterings")).to_contain_text("1")
    page.tab.get_by_label("Use of column d").select_option("dropped")
    expect(page.tab.get_by_role("alert")).to_contain_text("The reading stays as it was.")
    expect(page.tab.get_by_label("Use of column d")).to_have_value("clustering")


def test_a_file_is_dropped(desk):
    page = desk()
    transfer = page.tab.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'dropped.csv')); return data; }",
        SEMICOLONS.decode(),
    )
    page.tab.dispatch_event(".drop", "dragover", {"dataTransfer": transfer})
    expect(page.tab.locator(".drop.over")).to_be_visible()
    page.tab.dispatch_event("body", "drop", {"dataTransfer": transfer})
    expect(page.tab.locator("h1")).to_have_text("dropped.csv")
    page.tab.dispatch_event("body", "drop", {"dataTransfer": transfer})  # here it is not taken, and replaces nothing
    expect(page.tab.locator("h1")).to_have_text("dropped.csv")


def test_the_whole_way_by_keyboard(desk):
    page = desk(viewport=NARROW)
    page.tab.on("filechooser", lambda chooser: chooser.set_files(file()))
    page.press("Tab")
    assert page.tab.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.press("Enter")
    assert page.tab.evaluate("document.activeElement.id") == "main"
    page.press("Tab", "Enter")
    page.tab.locator(".reading").wait_for()
    page.press("Tab")
    assert page.tab.evaluate("document.activeElement.textContent") == "Find the consensus"
    page.press("Tab", "Enter")
    page.tab.get_by_label("Number of clusters", exact=True).focus()
    page.tab.keyboard.type("3")
    page.press("Shift+Tab", "Shift+Tab", "Shift+Tab", "Enter")
    page.wait_for_result()
    expect(page.figure("Clusters")).to_contain_text("3")
    page.tab.get_by_role("tab", name="Objects").focus()
    page.press("ArrowRight")
    expect(page.tab.get_by_role("tab", name="Clusters", exact=True)).to_be_focused()
    expect(page.tab.get_by_role("region", name="Clusters", exact=True).locator("tbody tr")).to_have_count(3)
    page.press("End")
    link = page.tab.get_by_role("link", name="Cluster of each object as CSV")
    link.focus()
    with page.tab.expect_download() as download:
        page.press("Enter")
    assert download.value.suggested_filename == "plants-consensus-k3.csv"


def test_features_become_clusterings(desk):
    rows = [f"n{i},{i % 2 * 9 + i / 70:.3f},{i % 2 * 7 + (i * 7 % 13) / 9:.3f}" for i in range(60)]
    page = desk()
    page.choose(file("points.csv", "\n".join(["name,w,h", *rows]).encode()))
    expect(page.tab.get_by_label("It holds")).to_have_value("features")
    page.run(**{"Number of clusterings to make": "10", "Clusters in each of them": "2-5", "Number of clusters": "2"})
    page.wait_for_result()
    expect(page.figure("Clusterings")).to_contain_text("10")
    expect(page.tab.locator(".chip")).to_have_text(["Cluster 030", "Cluster 130"])
    page.open("Downloads")
    expect(page.tab.locator("pre").first).to_contain_text("n_clusters=(2, 5)")


# ------------------------------------------------------------------------------------------------ numbers and methods
def test_another_number_of_clusters_by_keys_and_back(desk, result):
    page = desk(result)
    page.tab.locator("#k").focus()
    page.press("ArrowRight")
    expect(page.figure("Clusters")).to_contain_text("4instead of 3")
    expect(page.tab.locator(".chip")).to_have_count(4)
    assert "k=4" in page.tab.evaluate("location.hash")
    page.tab.get_by_role("button", name="Back to 3").click()
    expect(page.figure("Clusters")).to_contain_text("3as you asked")
    page.tab.go_back()
    expect(page.figure("Clusters")).to_contain_text("4instead of 3")
    page.tab.reload()
    expect(page.figure("Clusters")).to_contain_text("4instead of 3")


def test_numbers_that_keys_pass_over_are_not_fitted(desk, result):
    page = desk(result)
    page.tab.evaluate("""async () => {
      const slider = document.getElementById("k");
      for (const k of [4, 5, 6, 7]) {
        slider.value = String(k);
        slider.dispatchEvent(new Event("change"));
        await new Promise((done) => setTimeout(done, 10));
      }
    }""")
    expect(page.figure("Clusters")).to_contain_text("7instead of 3")
    assert {url.split("k=")[1] for url in page.requests if "/summary?k=" in url} == {"7"}


def test_methods_are_compared(desk, result):
    page = desk(result)
    page.open("Compare")
    page.tab.locator("summary", has_text="Which methods").click()
    for box in page.tab.locator(".check input").all():
        box.set_checked(box.get_attribute("id") in ("compare-mcla", "compare-voting"))
    page.tab.get_by_role("button", name="Compare", exact=True).click()
    table = page.tab.get_by_role("region", name="Methods compared")
    expect(table.locator("tbody th")).to_have_text(["mcla", "voting"])
    expect(page.tab.locator(".matrix tbody th")).to_have_text(["this result", "mcla", "voting"])
    assert page.tab.locator(".matrix td.n").first.inner_text() == "1.00"


def test_annotations_are_tested_and_colour_the_pictures(desk, result):
    page = desk(result)
    strip = page.tab.locator("canvas.strip")
    expect(strip).to_be_hidden()
    page.tab.get_by_label("Colour beside the heatmap by").select_option("height")
    expect(strip).to_be_visible()
    expect(page.tab.locator(".strip-legend span")).to_have_text(["0", "20.608"])
    page.open("Annotations")
    row = page.tab.get_by_role("region", name="Annotations", exact=True).locator("tbody tr")
    expect(row).to_contain_text("Kruskal-Wallis")


# ----------------------------------------------------------------------------------------------------------- downloads
def saved(page, act):
    with page.tab.expect_download(timeout=60_000) as download:
        act()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_everything_can_be_taken_away(desk, result):
    page = desk(result)
    page.open("Downloads")
    link = lambda name: page.tab.get_by_role("link", name=name, exact=True)  # noqa: E731
    expect(link("Confidence of the objects of each cluster as PNG")).to_be_visible()
    name, content = saved(page, link("Confidence of the objects of each cluster as SVG").click)
    assert name == "plants-uncertainty-k3.svg"
    assert content.startswith(b"<?xml")
    name, content = saved(page, link("Cluster of each object as CSV").click)
    rows = list(csv.reader(io.StringIO(content.decode())))
    page.tab.get_by_label("CSV and TSV for a spreadsheet").check()
    assert "spreadsheet_safe=1" in link("Cluster of each object as CSV").get_attribute("href")
    assert "spreadsheet_safe=1" in page.tab.locator(".first-downloads a").first.get_attribute("href")
    assert (name, rows[0], len(rows)) == ("plants-consensus-k3.csv", ["plant", "label"], 61)
    expect(link("Report")).to_be_visible()
    _, script = saved(page, page.tab.locator(".code-head a").click)
    assert script.decode() == page.tab.locator("pre").first.inner_text()
    assert [url for url in page.requests if not url.startswith(page.home)] == []


@pytest.mark.nightly
def test_the_report_can_be_taken_away_and_opened(desk, result, tmp_path):
    page = desk(result)
    page.open("Downloads")
    name, content = saved(page, page.tab.get_by_role("link", name="Report", exact=True).click)
    assert name == "plants-report-k3.html"
    (tmp_path / name).write_bytes(content)
    page.tab.goto((tmp_path / name).as_uri())
    expect(page.tab.locator("h1")).to_be_visible()
    assert page.messages == []


def test_a_selection_can_be_taken_away(desk, result):
    page = desk(result)
    page.tab.locator(".chip").nth(1).click()
    name, content = saved(page, page.tab.get_by_role("link", name="Download selection").click)
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "plants-objects-k3.csv"
    assert {row["label"] for row in rows} == {"1"}
    assert len(rows) == 20
