"""What a user does on the page, in words."""

import csv as csv_file
import io

from tests.app.clients import plants

HOSTILE = "<img src=x onerror=alert(1)>"
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
TABS = ("Objects", "Clusters", "Clusterings", "Annotations", "Compare", "Downloads")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 400, "height": 800}


def file(name="plants.csv", content=None):
    """A file as a form takes it."""
    return {"name": name, "mimeType": "text/csv", "buffer": plants() if content is None else content}


def hostile():
    """A table whose every word would be a script, if it were read as one."""
    words = ["</script><script>alert(2)</script>", "<svg onload=alert(3)>", "javascript:alert(4)"]
    rows = [[f"{HOSTILE} id", HOSTILE, words[0], "'\"><b>c</b>", "<u>known</u>"]]
    rows += [
        [f"{HOSTILE} {row}", words[row % 3], f"<i>{row % 3}</i>", row % 3, words[row // 3 % 3]] for row in range(60)
    ]
    text = io.StringIO()
    csv_file.writer(text).writerows(rows)
    return text.getvalue().encode()


class Desk:
    """A tab of the page, and what it has said and asked for."""

    def __init__(self, tab, process):
        tab.set_default_timeout(20_000)
        self.tab, self.home, self.key = tab, process.address, process.token
        self.messages, self.requests, self.dialogs = [], [], []
        tab.on("console", lambda message: self.messages.append(message.text))
        tab.on("pageerror", lambda error: self.messages.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))
        tab.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def go(self, place=""):
        """Open the page, as if the address had been copied from the terminal."""
        self.tab.goto(f"{self.home}/?token={self.key}{place}")
        self.tab.locator("h1").wait_for()
        return self

    def choose(self, given=None):
        """Choose a file, and see what was understood."""
        self.tab.locator("#file").set_input_files(given or file())
        self.tab.locator(".reading").wait_for()

    def run(self, **options):
        """Find the consensus with options by their labels."""
        if options:
            self.tab.locator("summary", has_text="Options").click()
        for label, value in options.items():
            control = self.tab.locator(".go").get_by_label(label, exact=True)
            (control.select_option if label == "Method" else control.fill)(value)
        self.tab.get_by_role("button", name="Find the consensus").click()

    def wait_for_result(self):
        self.tab.locator(".rows tbody td.n").first.wait_for()

    def open(self, tab):
        self.tab.get_by_role("tab", name=tab, exact=True).click()

    @property
    def selected(self):
        """The words of the selection."""
        return self.tab.locator(".selected > span")

    def figure(self, name):
        """A key figure, such as the number of objects."""
        return self.tab.locator(".figures > div", has=self.tab.get_by_text(name, exact=True)).locator("dd")

    def names(self):
        """The objects that the table shows."""
        return self.tab.locator(".rows tbody th").all_inner_texts()

    def pictures(self):
        """The pixels of the three pictures."""
        return self.tab.evaluate(
            "['tree', 'heat', 'membership'].map((n) => document.querySelector(`.${n}`).toDataURL())"
        )

    def corner(self, name, x, y):
        """A place of a picture, given as shares of its size."""
        canvas = self.tab.locator(f"canvas.{name}")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def drag(self, name, start, end):
        """Draw a rectangle with the mouse."""
        start, end = self.corner(name, *start), self.corner(name, *end)
        self.tab.mouse.move(*start)
        self.tab.mouse.down()
        self.tab.mouse.move(*end, steps=3)
        self.tab.mouse.up()

    def press(self, *keys):
        for key in keys:
            self.tab.keyboard.press(key)
