"""The site builds without warnings, has its parts, and asks nothing of other hosts. At night: it takes minutes."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.docs.pages import MADE, ROOT

pytestmark = pytest.mark.skipif(os.environ.get("PARTITA_NIGHTLY") != "1", reason="at night: PARTITA_NIGHTLY=1")
FROM_OUTSIDE = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\bhref="(?:https?:)?//"""
)
WITHOUT_NETWORK = """
import socket, sys

def refuse(*args, **kwargs):
    raise OSError("the documentation is built without a network")

socket.socket.connect = socket.socket.connect_ex = refuse
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; examples of the gallery are shown and not run, a test of their own runs them."""
    pytest.importorskip("sphinx", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns(*MADE, "sg_execution_times.rst"))
    for page in ROOT.glob("*.md"):
        shutil.copy(page, folder)
    options = ["-b", "html", "-W", "--keep-going", "-n", "-q", "-D", "plot_gallery=0"]
    command = [sys.executable, "-c", WITHOUT_NETWORK, *options, str(folder / "docs"), str(folder / "html")]
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_its_parts_are_there(site):
    examples = [path.stem for path in (ROOT / "docs" / "gallery").glob("*.py")]
    parts = [
        "index",
        "start",
        "methods",
        "api/names/partita.LWGP",
        "theory/graph",
        *(f"auto_gallery/{name}" for name in examples),
    ]
    assert [part for part in parts if not (site / f"{part}.html").exists()] == []


def test_methods_are_described_with_what_they_inherit(site):
    page = (site / "api" / "names" / "partita.LWGP.html").read_text(encoding="utf-8")
    assert {"fit", "predict"} <= set(re.findall(r'id="partita\.LWGP\.(\w+)"', page))


def test_equations_can_be_linked_to(site):
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (site / "theory").glob("*.html")}
    assert '<p id="G6">' in pages["graph"]
    assert 'href="#G6"' in pages["graph"]
    assert 'href="index.html#C8"' in pages["pairwise"]
    assert all("<math" in page for page in pages.values())


def test_it_asks_nothing_of_other_hosts(site):
    found = [
        path.relative_to(site).as_posix()
        for path in site.rglob("*.html")
        if FROM_OUTSIDE.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert list(site.rglob("*.html"))
