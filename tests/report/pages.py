"""Read a page without a browser: its sections, texts, ids, links and tables, and whether its tags are closed."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

VOID = {"meta", "link", "input", "img", "br", "hr"}
HOSTILE = "<script>alert(1)</script>"


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.source = Path(path).read_text(encoding="utf-8")
        self.open, self.faults = [], []
        self.ids, self.links, self.attributes = [], [], []
        self.section, self.titles, self.texts = "", {}, {}
        self.scripts, self.tables, self._cell = [], {}, None
        self.failed = {}
        self.feed(self.source)
        self.close()
        if self.open:
            self.faults.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = found["id"]
            self.texts[self.section] = ""
        if found.get("class") == "failed":
            self.failed[self.section] = self.failed.get(self.section, 0) + 1
        if tag == "table":
            self.tables[found["id"].removesuffix("-rows")] = []
        if tag == "tr":
            self.tables[list(self.tables)[-1]].append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
        if tag in ("td", "th"):
            self.tables[list(self.tables)[-1]][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts += [data] if self.open[-1] == "script" else []
            return
        if self._cell is not None:
            self._cell += data
        if self.section:
            self.texts[self.section] += data

    @property
    def policy(self):
        return next(value for tag, name, value in self.attributes if tag == "meta" and "default-src" in str(value))


def hostile_labels(n=60, seed=0):
    """Three clusters of objects; ids, names of clusterings and labels try to leave their place."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 3
    names = np.array([HOSTILE, "</td><b>", "'\"&amp;"])
    columns = {}
    for name in (HOSTILE, "</style></svg>$x^2$", 'id="verdict" url(#a)', "\x00\x1b\u202e中", "plain"):
        columns[name] = names[np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), truth)]
    ids = [f"<img src=x onerror=alert({number})>" for number in range(n)]
    return pd.DataFrame(columns, index=ids)
