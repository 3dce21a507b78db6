"""The page in a real browser: it loads alone, sorts, searches, prints, and runs nothing of the user's."""

import shutil

import pytest

from tests.report.pages import HOSTILE

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
TABLE = "#least-certain-objects-rows"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, full_report):
    """Open the report; gives the tab and what it has said and asked for."""
    contexts = []

    def open_it(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        heard = {"messages": [], "requests": [], "dialogs": []}
        tab.on("console", lambda message: heard["messages"].append(message.text))
        tab.on("pageerror", lambda error: heard["messages"].append(str(error)))
        tab.on("request", lambda request: heard["requests"].append(request.url))
        tab.on("dialog", lambda dialog: (heard["dialogs"].append(dialog.message), dialog.dismiss()))
        tab.goto(full_report.as_uri())
        return tab, heard

    yield open_it
    for context in contexts:
        context.close()


def column(tab, place):
    """Texts of a column of the rows that are shown."""
    cells = tab.locator(f"{TABLE} tbody tr:not([hidden]) > :nth-child({place})")
    return cells.all_inner_texts()


def confidences(tab):
    return [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(tab, 3)]


def test_it_asks_for_nothing_but_itself_and_runs_no_text(opened, full_report):
    tab, heard = opened()
    assert heard == {"messages": [], "requests": [full_report.as_uri()], "dialogs": []}
    assert tab.title() == HOSTILE
    assert tab.locator("section").count() == 12
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_tables_sort_by_click_and_by_key(opened):
    tab, _ = opened()
    before = confidences(tab)
    assert before == sorted(before)
    button = tab.locator(f"{TABLE} thead button", has_text="Confidence")
    head = tab.locator(f"{TABLE} thead th", has_text="Confidence")
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    button.focus()
    tab.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert confidences(tab) == sorted(before, reverse=True)
    tab.locator(f"{TABLE} thead button", has_text="Object").click()
    assert head.get_attribute("aria-sort") is None
    numbers = [int(text.split("(")[1].split(")")[0]) for text in column(tab, 1)]
    assert numbers == sorted(numbers)  # numbers inside of names count as numbers


def test_search_keeps_the_rows_with_all_words(opened):
    tab, _ = opened()
    field = tab.get_by_label("Search these rows").first
    field.fill("ALERT(7)")
    assert column(tab, 1) == ["<img src=x onerror=alert(7)>"]
    count = tab.locator("#least-certain output")
    assert count.inner_text() == "1 of 60 rows"
    assert count.get_attribute("aria-live") == "polite"
    field.fill("")
    assert len(column(tab, 1)) == 60


def test_without_script_the_text_is_there_and_no_dead_control(opened):
    tab, heard = opened(java_script_enabled=False)
    assert heard["messages"] == []
    assert tab.locator(f"{TABLE} tbody tr").count() == 60
    assert tab.locator("thead button").count() == 0
    assert not tab.get_by_label("Search these rows").first.is_visible()
    assert "not a probability of being right" in tab.locator("#made").inner_text()


def test_the_first_key_skips_to_the_verdict(opened):
    tab, _ = opened()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "verdict"


def test_dark_and_light_differ_and_can_be_read(opened):
    colors = {}
    for scheme in ("light", "dark"):
        tab, _ = opened(color_scheme=scheme)
        colors[scheme] = [
            tab.evaluate(f"getComputedStyle(document.body).{name}.match(/\\d+/g).map(Number)")
            for name in ("backgroundColor", "color")
        ]
    assert min(colors["light"][0]) > 240
    assert max(colors["light"][1]) < 60
    assert max(colors["dark"][0]) < 40
    assert min(colors["dark"][1]) > 200


def test_it_fits_a_narrow_screen(opened):
    tab, _ = opened(viewport={"width": 360, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") == 360


def test_print_hides_controls_and_shows_what_scrolls(opened):
    tab, _ = opened(viewport={"width": 720, "height": 900}, color_scheme="dark")
    tab.emulate_media(media="print")
    assert not tab.get_by_label("Search these rows").first.is_visible()
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.locator(f"{TABLE} tbody tr:visible").count() == 40
    assert tab.locator("#least-certain .on-paper").is_visible()
    assert tab.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.scrollHeight <= e.clientHeight + 2)")
    assert tab.pdf(format="A4")[:5] == b"%PDF-"
