"""What hostile text, other sites and broken files cannot do."""

import pytest

from tests.app.browsing import HOSTILE, TABS, file, hostile

expect = pytest.importorskip("playwright.sync_api").expect


def refused(page, given):
    page.tab.locator("#file").set_input_files(given)
    expect(page.tab.get_by_role("alert")).to_be_visible()
    expect(page.tab.get_by_role("progressbar")).to_have_count(0)
    return page.tab.get_by_role("alert").inner_text()


def test_hostile_text_is_shown_as_text(desk):
    page = desk()
    page.choose(file(f"{HOSTILE}.csv".replace("/", ""), hostile()))
    expect(page.tab.locator(".preview th").first).to_have_text(f"{HOSTILE} id")
    page.tab.get_by_label("Use of column <u>known</u>").select_option("annotation")
    expect(page.figure("Clusterings")).to_contain_text("3")
    page.run()
    page.wait_for_result()
    page.tab.get_by_label("Colour beside the heatmap by").select_option("<u>known</u>")
    expect(page.tab.locator(".strip-legend")).to_contain_text("</script><script>alert(2)</script>")
    page.tab.mouse.move(*page.corner("heat", 0.3, 0.6))
    expect(page.tab.locator(".tip")).to_contain_text(HOSTILE)
    page.tab.locator(".rows tbody tr").first.click()
    expect(page.tab.get_by_role("region", name="Details of one object").locator("h3")).to_contain_text(HOSTILE)
    for name in TABS:
        page.open(name)
        expect(page.tab.locator(".panel .note", has_text="…")).to_have_count(0)
    expect(page.tab.locator("pre").first).to_contain_text("read_labels")
    assert page.tab.locator("main img, main script, main b, main i:not(.swatch), main u, main svg").count() == 0
    assert (page.messages, page.dialogs) == ([], [])


def test_nobody_else_is_asked_for_anything(desk, result):
    page = desk(result)
    for name in TABS:
        page.open(name)
        page.tab.wait_for_load_state("networkidle")
    assert len(page.requests) > 10
    assert [url for url in page.requests if not url.startswith(f"{page.home}/")] == []
    assert (page.messages, page.dialogs) == ([], [])


def test_scripts_of_others_do_not_run_and_tell_nobody(desk):
    page = desk()
    page.tab.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\\"document.title = 'taken'\\">");
    }""")
    answer = page.tab.evaluate("fetch('http://localhost:9/').then(() => 'sent', (error) => String(error))")
    assert "Failed to fetch" in answer
    assert page.tab.title() == "partita"
    assert len([text for text in page.messages if "Content Security Policy" in text]) >= 3


def test_another_site_reaches_nothing(desk):
    page = desk()
    files = "fetch('/api/datasets', {headers: {'X-Partita': '1'}}).then((answer) => answer.json())"
    before = page.tab.evaluate(files)
    page.tab.goto("about:blank")  # the cookie of the page is still in the browser
    ask = "([url, how]) => fetch(url, {credentials: 'include', ...how}).then((answer) => answer.type, String)"
    assert "Failed to fetch" in page.tab.evaluate(ask, [f"{page.home}/api/runs", {}])
    page.tab.evaluate(ask, [f"{page.home}/api/datasets/example", {"method": "POST", "mode": "no-cors"}])
    assert page.go().tab.evaluate(files) == before


def test_a_link_on_a_page_of_another_site_opens_the_page(desk, server):
    """Such as a terminal within a page: its links do not bring the cookie that the token has just left."""
    page = desk()
    page.tab.context.clear_cookies()
    link = f"<a href='{server.address}/?token={server.token}'>partita</a>"
    page.tab.route("http://localhost:8889/", lambda route: route.fulfill(body=link, content_type="text/html"))
    page.tab.goto("http://localhost:8889/")
    page.tab.get_by_role("link").click()
    expect(page.tab.locator("h1")).to_have_text("Many clusterings, one answer")
    assert page.tab.url == f"{server.address}/"


def test_without_the_key_there_is_no_page(desk, browser, server):
    context = browser.new_context()
    tab = context.new_page()
    assert tab.goto(f"{server.address}/").status == 403
    assert tab.locator("h1").inner_text() == "This page needs its key"
    context.close()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("binary.csv", bytes(range(256)) * 9, "is not a text file"),
        ("empty.csv", b"", "is empty"),
        ("unequal.csv", b"id,a,b\n1,0,1\n2,1\n3,0,1,1\n", "line 3 has 2 fields"),
        ("large.csv", b"1,2\n" * 100_000, "at most 300 kB can be read here"),
        ("words.doc", b"hello", "use CSV, TSV"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_why(desk, name, content, words):
    page = desk()
    assert words in refused(page, file(name, content))
    page.choose()  # the next one is taken
