"""Every block of code and every command line of the documentation runs, top to bottom, page by page."""

import io
import os
import re
import shlex
import sys
import warnings
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import pytest

from tests.docs.files import write_files
from tests.docs.pages import ROOT, SHOWN, Block, all_pages, anchors_of, blocks_of, commands_of, prose_of

NIGHTLY = os.environ.get("PARTITA_NIGHTLY") == "1"
PAGES = {path.relative_to(ROOT).as_posix(): path for path in all_pages()}
BLOCKS = [block for path in PAGES.values() for block in blocks_of(path)]
RUN = {"python", "sh", "console"}
WITH_CODE = sorted({block.page for block in BLOCKS if block.language in RUN})
# what is shown and not run, and why: a new reason, or one more block, is a decision
NOT_RUN = {
    "R": 7,
    "installs packages": 3,
    "makes an environment": 1,
    "needs three machines": 3,
    "needs a Dask cluster with TLS": 5,
    "needs frozen ensembles": 2,
    "needs the package of this page to be installed; tests/consensus/test_registered.py does it": 1,
    "opens a browser and waits": 1,
    "takes hours": 1,
    "takes minutes": 1,
}
FILE = re.compile(r"# ([\w/]+\.py)\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the pages speak of, which is also where modules are found."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before, shown = set(sys.modules), warnings.showwarning
    with mpl.rc_context({"backend": "agg"}):
        yield tmp_path
    warnings.showwarning = shown
    mpl.pyplot.close("all") if hasattr(mpl, "pyplot") else None
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


@pytest.mark.parametrize("page", WITH_CODE)
def test_a_page_runs(page, folder, monkeypatch):
    names = {"__name__": "page"}
    for block in blocks_of(PAGES[page]):
        if not block.is_run(nightly=NIGHTLY):
            continue
        if block.language == "python":
            run_python(block, names, folder)
        elif block.language in RUN:
            for line in commands_of(block):
                run_line(line, block, monkeypatch)


def run_python(block: Block, names: dict, folder: Path) -> None:
    """Run a block in the names of its page; one that begins with the name of a file is that file."""
    file = FILE.match(block.text)
    if file:
        path = folder / file[1]
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(block.text, encoding="utf-8")
        return
    # the code stands at its line of its page, so that a traceback names it
    exec(compile("\n" * block.line + block.text, block.page, "exec"), names)


def run_line(line: str, block: Block, monkeypatch) -> None:
    """Run one command line of partita in this process, with standard input and output from and to files."""
    words = shlex.split(line, comments=True)
    assert words[0] == "partita", f"{block.place}: {line!r} is no command of partita; say before it why it is not run"
    out = io.StringIO()
    with monkeypatch.context() as patch:
        if "<" in words:
            patch.setattr("sys.stdin", redirected(Path(after(words, "<")).read_bytes()))
        target = after(words, ">") if ">" in words else None
        patch.setattr("sys.stdout", out)
        code = exit_code(words[1:])
    assert code == 0, f"{block.place}: {line!r} ends with {code}\n{out.getvalue()}"
    if target:
        Path(target).write_text(out.getvalue(), encoding="utf-8")


def after(words: list[str], sign: str) -> str:
    """Take a redirection out of the words; gives its file."""
    place = words.index(sign)
    _, file = words[place : place + 2]
    del words[place : place + 2]
    return file


def redirected(content: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")


def exit_code(argv: list[str]) -> int | str | None:
    from partita.cli.main import main

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit) as stop:
            main(argv)
    return stop.value.code


def test_what_is_not_run_says_why():
    assert Counter(block.reason for block in BLOCKS if block.note == "not run") == NOT_RUN


def test_every_block_has_a_language_that_is_known():
    directives = {"{toctree}", "{partita-commands}"}
    unknown = {
        block.place: block.language
        for block in BLOCKS
        if block.language not in RUN | SHOWN | directives and not block.language.startswith("{include}")
    }
    assert unknown == {}


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_in_fences(page):
    """An indented command would be shown, and run by nobody."""
    assert re.findall(r"(?m)^ {4,}(?:\$ )?(?:partita|pip|python|make) .*", prose_of(PAGES[page])) == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    path = PAGES[page]
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(path)):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = path.parent / file if file else path
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors_of(there)):
            broken.append(target)
    assert broken == []


def test_the_readme_is_one_screen():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert {"make demo", "make test"} <= {" ".join(line.split()[:2]) for line in lines}
