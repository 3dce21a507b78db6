"""Silence, colour, and standard output for every kind of result."""

import json
import logging
import os
import subprocess
import sys

import pytest

from partita.cli import _say

QUIET = {
    "check": ["check", "labels.csv"],
    "consensus": ["consensus", "labels.csv", "-o", "y.csv"],
    "cluster": ["cluster", "table.csv", "--drop", "class", "-o", "y.csv", "--n-clusterings", 5],
    "compare": ["compare", "labels.csv", "-k", 3, "--methods", "eac,mcla", "-o", "y.csv"],
    "ensemble": ["ensemble", "labels.csv", "--select", "cas", "-o", "y.csv"],
    "generate": ["generate", "table.csv", "--drop", "class", "-o", "y.csv", "--n-clusterings", 5],
    "plot": ["plot", "agreement", "labels.csv", "-k", 3, "-o", "y.svg"],
    "report": ["report", "labels.csv", "-o", "y.html", "--resamples-of-clusterings", 0],
    "simulate": ["federate", "simulate", "labels.csv", "labels.csv", "-m", "ecpcs", "-k", 3, "-o", "y.csv"],
}


@pytest.mark.parametrize("case", QUIET)
def test_quiet_says_nothing(case, call, labels, table):
    assert call(*QUIET[case], "--quiet") == (0, "", "")
    assert call(*QUIET[case])[1] != ""


def test_quiet_prints_results_that_go_to_standard_output(call, labels):
    _, spoken, _ = call("consensus", labels)
    assert call("consensus", labels, "-q") == (0, spoken, "")
    assert json.loads(call("consensus", labels, "-q", "--json")[1])["n_clusters"] == 3
    assert call("choose", labels, "-q", "-k", "2-4", "--resamples", 6)[1] == "3\n"
    names = call("methods", "-q")[1].split()
    assert names[:2] == ["eac", "pcc"]
    assert "pcc-table-4" in call("reproduce", "list", "-q")[1].splitlines()


def test_quiet_prints_tables_that_no_file_holds(call, labels):
    lines = call("compare", labels, "-q", "-k", 3, "--methods", "eac,mcla")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["method", "eac", "mcla"]
    lines = call("compare", labels, "-q", "-k", 3, "--methods", "eac,mcla", "--matrix", "-o", "y.csv")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["eac", "eac", "mcla"]
    lines = call("ensemble", labels, "-q")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["clustering", *(f"c{j}" for j in range(8))]


def test_quiet_leaves_warnings_and_errors(call, tmp_path):
    (tmp_path / "labels.csv").write_text("a,b,c\n0,0,?\n1,1,0\n0,1,1\n0,0,1\n")
    code, out, err = call("consensus", "labels.csv", "-k", 2, "-q", "-o", "y.csv")
    assert (code, out) == (0, "")
    assert err.startswith("partita: warning: ")
    assert call("check", "none.csv", "-q") == (2, "", "partita: error: there is no file 'none.csv'.\n")


def test_quiet_is_of_one_call(call, labels):
    call("check", labels, "-q")
    assert logging.getLogger("partita").level == logging.WARNING
    assert call("check", labels)[1] != ""
    assert logging.getLogger("partita").level == logging.INFO


def test_quiet_shows_no_progress(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert _say.shows_progress()
    monkeypatch.setattr(_say, "is_quiet", lambda: True)
    assert not _say.shows_progress()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, None),
        ({"CLICOLOR": "0"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_follows_the_environment(environment, expected, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert _say.colour() is expected


def test_errors_are_red_and_warnings_yellow_where_colour_is_wanted(call, tmp_path, monkeypatch):
    (tmp_path / "labels.csv").write_text("a,b,c\n0,0,?\n1,1,0\n0,1,1\n0,0,1\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31m\x1b[1merror:\x1b[0m" in call("check", "none.csv")[2]
    assert "\x1b[33mwarning:\x1b[0m" in call("check", "labels.csv")[2]
    assert "\x1b" not in call("check", "labels.csv", "--json")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert call("check", "none.csv")[2] == "partita: error: there is no file 'none.csv'.\n"


def standard_output(folder, *argv):
    environment = {**os.environ, "NO_COLOR": ""}
    run = [sys.executable, "-m", "partita", *argv]
    return subprocess.run(run, capture_output=True, cwd=folder, env=environment, check=True)


def test_pictures_and_reports_go_to_standard_output(tmp_path, labels):
    picture = standard_output(tmp_path, "plot", "agreement", labels, "-k", "3", "-o", "-")
    assert picture.stdout.startswith(b"<?xml")
    assert picture.stdout.rstrip().endswith(b"</svg>")
    assert b"written to -" in picture.stderr
    page = standard_output(tmp_path, "report", labels, "-o", "-", "--resamples-of-clusterings", "0", "-q")
    assert page.stdout.startswith(b"<!DOCTYPE html>")
    assert page.stderr == b""


@pytest.mark.parametrize(
    "argv",
    [
        ["report", "labels.csv", "-o", "-", "--json"],
        ["plot", "agreement", "labels.csv", "-o", "-", "--json"],
        ["report", "labels.csv", "-o", "-", "--tables"],
        ["consensus", "labels.csv", "--report", "-"],
    ],
)
def test_two_results_do_not_share_standard_output(argv, call, labels):
    code, out, err = call(*argv)
    assert (code, out) == (2, "")
    assert "standard output" in err
