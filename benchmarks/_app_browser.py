"""The page of ``partita app`` in Debian's chromium: from an input event to the painted response.

Every figure is the time from the time stamp of the event (a mouse or a key, sent as a user would) to the second
animation frame after the response is on the page: the first of them draws it, the second begins when it is drawn.
"""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
LIMIT = 200  # milliseconds
_PAUSE = 400  # milliseconds between two actions, so that all of the last one has come
_WATCH = """window.response = null; {
  const words = () => %(text)s;
  const before = words();
  window.response = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("no response within 20 seconds")), 20000);
    let began = null;
    addEventListener("%(event)s", (event) => { began = event.timeStamp; }, { capture: true, once: true });
    const look = () => {
      if (began === null || words() === before) { requestAnimationFrame(look); return; }
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
    };
    requestAnimationFrame(look);
  });
  null;
}"""
_ROWS = "document.querySelector('.rows tbody').textContent"
_SELECTED = "document.querySelector('.selected').textContent"
_TIP = "document.querySelector('.tip').textContent"
_PLACE = "document.querySelector('.objects .foot .note').textContent"
_FIGURES = "document.querySelector('.figures').textContent"
_DETAILS = "document.querySelector('.details').textContent"


@contextmanager
def page_of(file: Path) -> Iterator[Any]:
    """A page on which the file is open, in a browser and with a server of its own."""
    from playwright.sync_api import sync_playwright

    call = [sys.executable, "-m", "partita", "app", str(file), "--no-browser"]
    server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(60_000)
            page.goto(address)
            yield page
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


class Stopwatch:
    """Actions on a page, repeated, and how long each took to be seen."""

    def __init__(self, page: Any, repeat: int) -> None:
        self.page, self.repeat = page, repeat
        self.slow: list[str] = []

    def __call__(self, name: str, event: str, act: Callable[[int], None], of: str = _ROWS) -> None:
        """Time an action; it is answered when the text ``of`` the page is another one than before."""
        took = []
        for turn in range(self.repeat):
            self.page.wait_for_timeout(_PAUSE)
            self.page.evaluate(_WATCH % {"event": event, "text": of})
            act(turn)
            took.append(self.page.evaluate("window.response"))
        print(f"{name:<44} median {median(took):7.1f} ms   worst {max(took):7.1f} ms", flush=True)
        self.slow += [name] if max(took) >= LIMIT else []


def measure(file: Path, repeat: int) -> list[str]:
    """Run the consensus of a file on the page, then time what a user does; gives what took too long."""
    with page_of(file) as page:
        page.get_by_label("Use of column batch").select_option("annotation")
        page.locator(".changed").wait_for()
        page.get_by_role("button", name="Find the consensus").click()
        page.locator(".rows tbody td.n").first.wait_for()
        time = Stopwatch(page, repeat)
        _heatmap(page, time)
        _other_numbers(page, time)
        _table(page, time)
        return time.slow


def _heatmap(page: Any, time: Stopwatch) -> None:
    heat = page.locator("canvas.heat")
    heat.scroll_into_view_if_needed()
    box = heat.bounding_box()
    at = lambda share: (box["x"] + share * box["width"], box["y"] + share * box["height"])  # noqa: E731
    page.mouse.move(*at(0.1))
    time("heatmap: hover", "pointermove", lambda turn: page.mouse.move(*at(0.15 + 0.02 * turn)), _TIP)

    def rectangle(turn: int) -> None:
        page.mouse.move(*at(0.2 + 0.01 * turn))
        page.mouse.down()
        page.mouse.move(*at(0.5 + 0.02 * turn))
        page.mouse.up()

    time("heatmap: rectangle, selection is told", "pointerup", rectangle, _SELECTED)
    time("heatmap: rectangle, its objects in the table", "pointerup", rectangle)
    time("heatmap: hover with a selection", "pointermove", lambda turn: page.mouse.move(*at(0.15 + 0.02 * turn)), _TIP)
    heat.focus()
    time("heatmap: arrow key", "keydown", lambda _: page.keyboard.press("ArrowDown"), _TIP)
    page.keyboard.press("Escape")
    tree = page.locator("canvas.tree")
    tree.focus()
    time("tree: arrow key", "keydown", lambda turn: page.keyboard.press(("ArrowRight", "ArrowLeft")[turn % 2]), _TIP)
    page.mouse.move(*at(0.9))


def _other_numbers(page: Any, time: Stopwatch) -> None:
    """Between the number that was found and the next one, once it has been fitted."""
    slider = page.locator("#k")
    found = int(slider.input_value())
    slider.focus()
    for k in (found + 1, found):
        slider.fill(str(k))
        page.locator(".figures div:first-child dd", has_text=re.compile(rf"^{k}\D")).wait_for()
    numbers = cycle((found + 1, found))
    time("number of clusters, among those computed", "change", lambda _: slider.fill(str(next(numbers))), _FIGURES)
    time("number of clusters, the table follows", "change", lambda _: slider.fill(str(next(numbers))))


def _table(page: Any, time: Stopwatch) -> None:
    page.get_by_role("tab", name="Objects").click()
    page.locator("[data-filter=all]").click()
    for column in ("Vote", "Object", "Cluster", "batch"):
        head = page.locator(".rows thead button", has_text=column)
        order = "[...document.querySelectorAll('.rows th')].map((head) => head.ariaSort).join() + " + _ROWS
        time(f"table: sort by {column.lower()}", "click", lambda _, head=head: head.click(), order)
    search = page.get_by_label("Search the names")
    search.focus()
    time("table: search, a letter more or less", "input",
         lambda turn: page.keyboard.press(("7", "Backspace")[turn % 2]), _PLACE)  # fmt: skip
    search.fill("")
    page.locator(".objects .foot .note", has_text="1\N{EN DASH}50 of").wait_for()
    later = page.get_by_role("button", name="Later objects")
    time("table: next page", "click", lambda _: later.click())
    time("table: filter by a cluster", "click", lambda turn: page.locator(".chip").nth(turn % 3).click())
    page.locator("[data-filter=all]").click()
    rows = page.locator(".rows tbody tr")
    time("table: select a row", "click", lambda turn: rows.nth(turn + 1).click(), _SELECTED)
    time("table: details of a row", "click", lambda turn: rows.nth(turn + 1).click(), _DETAILS)
    page.keyboard.press("Home")
    time("table: add a row by Shift and arrow", "keydown", lambda _: page.keyboard.press("Shift+ArrowDown"), _SELECTED)
