"""All can use the page: every view fits the screen, can be read, and is reached by keyboard."""

import pytest

from tests.app.browsing import NARROW, TABS, WIDE

expect = pytest.importorskip("playwright.sync_api").expect

# Texts whose contrast with what is behind them is less than 4.5, or 3 if they are large (WCAG 2, level AA).
CONTRAST = """() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const behind = (node) => (node ? [...behind(node.parentElement), getComputedStyle(node).backgroundColor] : ["white"]);
  const light = (colors) => {
    for (const color of colors) { context.fillStyle = color; context.fillRect(0, 0, 1, 1); }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data]
      .map((part) => (part > 10 ? ((part / 255 + 0.055) / 1.055) ** 2.4 : part / 255 / 12.92));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const seen = node.checkVisibility() && !node.closest(":disabled, .unseen, .skip, option, .preview .dropped");
    if (!walker.currentNode.textContent.trim() || !seen) continue;
    const style = getComputedStyle(node), colors = behind(node);
    const [one, two] = [light(colors), light([...colors, style.color])];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio >= (large ? 3 : 4.5)) continue;
    found.push(`${node.className}: ${walker.currentNode.textContent}: ${ratio.toFixed(2)}`);
  }
  return found;
}"""
CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, select, summary, canvas, [tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)"""


def views(desk, result, **options):
    """Every view, one after the other."""
    page = desk(**options)
    yield page, "start"
    page.choose()
    page.tab.locator("summary", has_text="Options").click()
    yield page, "reading"
    page.go(result)
    page.wait_for_result()
    page.tab.locator(".chip").nth(1).click()
    page.tab.locator(".rows tbody tr").nth(2).click()
    page.tab.get_by_role("region", name="Details of one object").locator("h3").wait_for()
    yield page, "details"
    for name in TABS[1:]:
        page.open(name)
        expect(page.tab.locator(".panel .note", has_text="…")).to_have_count(0)
        yield page, name


SCREENS = [
    pytest.param(WIDE, "light", id="wide-light"),
    pytest.param(NARROW, "dark", id="narrow-dark"),
    pytest.param(WIDE, "dark", id="wide-dark", marks=pytest.mark.nightly),
    pytest.param(NARROW, "light", id="narrow-light", marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("screen", "scheme"), SCREENS)
def test_every_view_fits_and_can_be_read(desk, result, screen, scheme):
    for page, view in views(desk, result, viewport=screen, color_scheme=scheme):
        assert page.tab.evaluate("document.documentElement.scrollWidth") <= screen["width"], view
        assert page.tab.evaluate(CONTRAST) == [], view


@pytest.mark.parametrize("screen", [pytest.param(WIDE, marks=pytest.mark.nightly), NARROW], ids=["wide", "narrow"])
def test_every_control_is_reached_by_tab_and_shows_it(desk, result, screen):
    for page, view in views(desk, result, viewport=screen):
        page.tab.evaluate("document.activeElement.blur()")
        page.tab.evaluate(f"window.left = new Set(({CONTROLS})())")
        for _ in range(page.tab.evaluate("window.left.size") + 3):
            page.press("Tab")
            shown = page.tab.evaluate("""() => {
              const at = document.activeElement;
              window.left.delete(at);
              const mark = at.type === "file" ? at.nextElementSibling : at;
              return at === document.body || getComputedStyle(mark).outlineStyle !== "none" || at.className === "skip";
            }""")
            assert shown, (view, page.tab.evaluate("document.activeElement.outerHTML"))
        assert page.tab.evaluate("[...window.left].map((one) => one.outerHTML.slice(0, 90))") == [], view
