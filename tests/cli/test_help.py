"""The help of every command: groups, a width of 80, and examples that are run."""

import io
import re
import shlex

import click
import numpy as np
import pandas as pd
import pytest

from partita.cli import _command, _examples
from partita.cli.main import _HEADINGS, app
from tests.cli.plants import IDS, TRUTH, frame

# Examples that need a second machine, a browser, the data of the papers or a shell's own files.
NOT_RUN = {"federate server", "federate site", "app", "reproduce pcc-table-4", "completion"}


def pages(command=app, path=()):
    """Every command and group, with the words that call it."""
    found = {" ".join(path): command}
    for name, one in getattr(command, "commands", {}).items():
        found |= pages(one, (*path, name))
    return found


PAGES = pages()


def help_of(path, call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    return call(*path.split(), "--help")[1]


@pytest.mark.parametrize("path", PAGES)
def test_help_fits_in_eighty_columns_and_has_examples(path, call, monkeypatch):
    shown = help_of(path, call, monkeypatch)
    assert shown.startswith(f"Usage: partita {path}".rstrip())
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert "\nExamples:\n" in shown
    assert all(line in shown for line, _ in _examples.EXAMPLES[path])
    assert "\x1b" not in shown


@pytest.mark.parametrize("path", [path for path, one in PAGES.items() if not isinstance(one, click.Group)])
def test_a_command_says_what_goes_with_it_and_where_its_options_belong(path, call, monkeypatch):
    shown = help_of(path, call, monkeypatch)
    assert f"See also:\n  {_examples.SEE_ALSO[path][:20]}" in shown
    headings = re.findall(r"^(\w[\w ]*):$", shown, re.M)
    known = ["Options", *_command._GROUPS, "Examples", "See also"]
    assert headings == [heading for heading in known if heading in headings]
    assert {"Output", "Run", "Examples", "See also"} <= set(headings)


@pytest.mark.parametrize("path", PAGES)
def test_see_also_names_commands_and_options_that_there_are(path):
    text = _examples.SEE_ALSO.get(path, "")
    for words in re.findall(r"partita ((?:[a-z]+ ?)+)", text):
        assert words.split()[0] in PAGES, words
    for page in re.findall(r"docs/[\w-]+\.md", text):
        assert page in ("docs/federation.md", "docs/model-files.md")


def test_the_list_of_commands_has_them_all_in_one_line_each(call, monkeypatch):
    shown = help_of("", call, monkeypatch)
    listed = re.findall(r"^  ([a-z]+) +\S", shown.split("\nExamples:")[0].split("\nOptions:")[1], re.M)
    assert sorted(listed) == sorted(app.commands)
    assert "...\n" not in shown.split("\nOptions:")[1]
    named = [name for names in _HEADINGS.values() for name in names]
    assert set(app.commands) <= set(named)
    assert all(f"\n{heading}:\n" in shown for heading in _HEADINGS)


def test_headings_are_bold_in_a_terminal_and_with_no_colour_nowhere(call, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1mExamples\x1b[0m:" in call("check", "--help")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in call("check", "--help")[1]


@pytest.fixture
def files(tmp_path):
    """The files that examples name."""
    rng = np.random.default_rng(0)
    columns = {f"c{j}": np.where(rng.random(45) < 0.1, rng.integers(3, size=45), TRUTH) for j in range(8)}
    table = pd.DataFrame({"plant": IDS, **columns})
    table.to_csv(tmp_path / "labels.csv", index=False)
    table.sample(12, random_state=0).to_csv(tmp_path / "new.csv", index=False)
    frame().drop(columns="class").to_csv(tmp_path / "table.csv", index=False)


def run(line, call, monkeypatch, tmp_path):
    """Run a line of a shell in this process: pipes, and > FILE."""
    printed = ""
    for part in line.split(" | "):
        words = shlex.split(part)
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if ">" in words else words
        if words[0] == "cat":
            printed = (tmp_path / words[1]).read_text()
            continue
        assert words[0] == "partita"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(printed.encode())))
        code, printed, err = call(*words[1:])
        assert code == 0, err
        if target is not None:
            (tmp_path / target).write_text(printed)
            assert printed


RUN = [path for path in _examples.EXAMPLES if path not in NOT_RUN and path in PAGES]


# two reports of the demo take long; .ci/run makes the demo, too
@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=pytest.mark.nightly if path == "demo" else ()) for path in RUN]
)
def test_examples_run(path, call, files, monkeypatch, tmp_path):
    for line, words in _examples.EXAMPLES[path]:
        assert words.endswith(":")
        elsewhere = path == "" and any(line in dict(lines) for other, lines in _examples.EXAMPLES.items() if other)
        if not elsewhere and not any(line.startswith(f"partita {start}") for start in NOT_RUN):
            run(line, call, monkeypatch, tmp_path)
            assert all((tmp_path / word).exists() for word in re.findall(r"-o (\S+\.\w+)", line)), line


@pytest.mark.parametrize("path", ["federate server", "federate site"])
def test_examples_that_are_not_run_name_options_that_there_are(path):
    known = {name for option in PAGES[path].params for name in option.opts}
    for line, _ in _examples.EXAMPLES[path]:
        assert {word for word in line.split() if word.startswith("-")} <= known
