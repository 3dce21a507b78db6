"""An option means the same in every command, and so does a key of the JSON output."""

import importlib
import json
import re
from pathlib import Path

import click
import pytest

from partita.cli.main import app
from tests.cli.plants import SMALL

COMPUTING = ["consensus", "report", "plot", "compare", "choose", "ensemble", "generate", "cluster"]
SAME_HELP = {
    "--seed",
    "--jobs",
    "--max-time",
    "--json",
    "--columns",
    "--set",
    "--noise",
    "--membership",
    "--confidence",
    "--id-column",
    "--header",
}
QUICK = ["--resamples", 6, "-k", "2-4"]

ROOT = Path(__file__).parents[2]

# What every command that has it prints under a key. Files that were written end in "output".
KEYS = {
    "file": str,
    "kind": str,
    "method": str,
    "seed": int,
    "n_objects": int,
    "n_objects_used": int,
    "n_features": int,
    "features": list,
    "constant_features": list,
    "id_column": str | None,
    "n_clusterings": int,
    "choice": dict,
    "halves_n_clusters": int | None,
    "n_clusters": int,
    "given_n_clusters": int,
    "n_components": int,
    "n_distinct_rows": int,
    "n_missing": int,
    "n_unlabelled": int,
    "n_in_doubt": int,
    "membership_kind": str,
    "share_missing": float,
    "upper_bound": int | None,
    "cluster_sizes": list,
    "average_nmi": float,
    "seconds": float,
    "seconds_compiling": float,
    "seconds_report": float,
    "tables_output": list | None,
    "p_value": float,
    "ids": list,
    "labels": list,
    "columns": list,
    "reasons": list,
    "proposals": dict,
    "table": list,
    "methods": list,
    "agreement": dict,
    "summary": str,
    "mean_nmi": float,
    "mean_adjusted_rand": float,
    "against_consensus": dict,
    "redundant": list,
    "outliers": list,
    "clusterings": list,
    "selection": dict | None,
    "enough": dict | None,
    "output": str | None,
    "files": list,
    "labels_output": str | None,
    "methods_output": str | None,
    "matrix_output": str | None,
    "membership_output": str | None,
    "confidence_output": str | None,
    "report_output": str | None,
    "model": str,
    "model_version": str,
    "model_output": str | None,
    "n_unseen": int,
    "consistency_index": float,
    "adjusted_rand": float,
    "site": str,
    "kits": dict,
    "shell": str,
    "script": str,
    "picture": str,
    "manifest_output": str | None,
    "python": str,
    "by": str,
    "sites": list,
    "n_exchanges": int,
    "items": list,
    "quick": bool,
}


def options_of(command):
    return {option.opts[-1]: option for option in app.commands[command].params if isinstance(option, click.Option)}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("consensus", ["labels.csv", "-o"]),
        ("cluster", ["table.csv", "--drop", "class", "-o"]),
        ("report", ["labels.csv", "-o"]),
        ("plot", ["membership", "labels.csv", "-o"]),
        ("compare", ["labels.csv", "-o"]),
        ("choose", ["labels.csv", "-o"]),
        ("ensemble", ["labels.csv", "--select", "cas", "-o"]),
        ("generate", ["table.csv", "--drop", "class", "-o"]),
    ],
)
def test_a_command_that_runs_out_of_time_says_so_and_writes_nothing(call, labels, table, command, words, tmp_path):
    assert command in COMPUTING
    endings = {"report": "new.html", "plot": "new.svg"}
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = call(command, *words, endings.get(command, "new.csv"), "--max-time", "1e-6")
    assert (code, out) == (2, "")
    assert "--max-time 1e-06 seconds were over" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", COMPUTING)
def test_seed_jobs_and_json_are_everywhere_and_have_one_default(command):
    options = options_of(command)
    assert options["--seed"].default == 0
    assert options["--jobs"].default == 1
    assert options["--json"].is_flag


def test_an_option_is_the_same_in_every_command():
    seen = {}
    for command in app.commands:
        for name, option in options_of(command).items():
            if not option.hidden and (command, name) != ("choose", "--n-clusters"):  # numbers to compare, not one
                kind = (str(option.type.to_info_dict()), option.is_flag, option.multiple, repr(option.default))
                kind += (option.help,) if name in SAME_HELP else ()
                seen.setdefault(name, {})[command] = kind
    assert not {name: kinds for name, kinds in seen.items() if len(set(kinds.values())) > 1}


def test_features_are_a_file_wherever_they_are_an_option():
    for command in app.commands:
        option = options_of(command).get("--features")
        assert option is None or option.hidden or isinstance(option.type, click.Path)


# Calls that print, together, every key that a command can print.
CALLS = {
    "check": [["labels.csv"], ["table.csv"]],
    "consensus": [["labels.csv", "-m", "pcc", "-k", 3], ["labels.csv", "-o", "y.csv"], ["labels*.csv", "-o", "out"]],
    "report": [["labels.csv", "-m", "pcc", "-k", 3, "-o", "y.html", "--resamples-of-clusterings", 0]],
    "plot": [["agreement", "labels.csv", "-k", 3, "-o", "y.svg"]],
    "cluster": [["table.csv", "--drop", "class", *SMALL, "-k", 3]],
    "compare": [["labels.csv", "-k", 3, "--methods", "eac,mcla"]],
    "choose": [["labels.csv", *QUICK], ["table.csv", "--drop", "class", *QUICK]],
    "ensemble": [["labels.csv"]],
    "generate": [["table.csv", "--drop", "class", *SMALL]],
    "federate": [["simulate", "labels.csv", "labels.csv", "-m", "ecpcs", "-k", 3]],
    "reproduce": [["list"]],
    "methods": [[]],
    "demo": [[]],
    "predict": [["labels.csv", "--model", "model.npz"], ["labels.csv", "--model", "model.npz", "-o", "y.csv"]],
    "completion": [["fish"]],
}
NOT_CALLED = {  # keys that need a second machine, a report, or clusters without objects: tested elsewhere
    "consensus": {"n_components", "seconds_report"},
    "cluster": {"n_components", "seconds_report"},
    "report": {"n_components", "seconds_report"},
    "reproduce": {"files"},
    "federate": {"site", "kits", "membership_output"},
}


def table_after(words):
    """Lines of the table that follows these words, in the README or on a page of the documentation."""
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    text = next(text for text in (page.read_text(encoding="utf-8") for page in pages) if words in text)
    return text.split(words)[1].split("\n\n")[0].splitlines()


def keys_in_the_docs():
    """Keys of each command, as the table of the documentation has them."""
    header, _, *rows = table_after("each with one meaning:\n\n")
    commands = [cell.strip() for cell in header.split("|")[2:-2]]
    found = {command: set() for command in commands}
    for row in rows:
        cells = row.split("|")
        for command, mark in zip(commands, cells[2:-2], strict=True):
            if mark.strip():
                found[command] |= set(re.findall(r"`(\w+)`", cells[1]))
    return found


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=pytest.mark.nightly if name == "demo" else ()) for name in CALLS]
)
def test_the_docs_list_the_keys_that_a_command_prints(call, table, labels, command):
    if command == "predict":
        call("consensus", labels, "-o", "c.csv", "--save-model", "model.npz")
    printed = set()
    for argv in CALLS[command]:
        facts = json.loads(call(command, *argv, "--json")[1])
        printed |= set(facts)
        for key, value in facts.items():
            assert isinstance(value, KEYS[key]), key
    assert printed | NOT_CALLED.get(command, set()) == keys_in_the_docs()[command]


def test_the_docs_list_every_key():
    assert set().union(*keys_in_the_docs().values()) == set(KEYS)


def leaves(command, path=()):
    """All commands that do something, with the words that call them."""
    if isinstance(command, click.Group):
        return [leaf for name, one in command.commands.items() for leaf in leaves(one, (*path, name))]
    return [(" ".join(path), command)]


@pytest.mark.parametrize(("path", "command"), [leaf for leaf in leaves(app) if leaf[0] != "app"])
def test_json_and_quiet_are_everywhere(path, command):
    names = {name for option in command.params for name in option.opts}
    assert {"--json", "--quiet", "-q"} <= names, path


def test_shares_and_indices_have_the_same_digits_everywhere(call, table, labels):
    call("generate", table, "--drop", "class", *SMALL, "--sample-fraction", 0.7, "-o", "x.csv")
    argv = ["--drop", "class", *SMALL, "--sample-fraction", 0.7, "--json"]
    made = json.loads(call("generate", table, *argv)[1])
    seen = json.loads(call("check", "x.csv", "--json")[1])
    assert {made[key] == seen[key] for key in ("n_missing", "share_missing", "columns")} == {True}
    one = json.loads(call("consensus", labels, "-m", "pcc", "-k", 3, "--json")[1])
    row = json.loads(call("compare", labels, "--methods", "pcc", "-k", 3, "--json")[1])["methods"][0]
    assert [one[key] for key in ("n_clusters", "average_nmi")] == [row[key] for key in ("n_clusters", "average_nmi")]
    assert one["average_nmi"] == round(one["average_nmi"], 4)


def test_paths_in_json_are_those_of_the_options(call, table):
    argv = ["-o", "y.csv", "--labels", "x.csv", "--membership", "m.csv", "-m", "pcc", "--drop", "class"]
    facts = json.loads(call("cluster", table, *argv, *SMALL, "--json")[1])
    assert [facts[name] for name in ("output", "labels_output", "membership_output")] == ["y.csv", "x.csv", "m.csv"]


def test_threads_do_not_change_a_result(call, table, labels):
    def outputs(jobs):
        more = ["--jobs", jobs, "--seed", 3]
        yield call("consensus", labels, "-m", "mm", "-k", 3, *more)[1]
        yield call("compare", labels, "-k", 3, "--methods", "mm,pcc", "--labels", f"{jobs}.csv", *more)[0]
        yield call("choose", labels, *QUICK, *more)[1]
        yield call("cluster", table, "--drop", "class", "-m", "mm", "-k", 3, *SMALL, *more)[1]

    assert list(outputs(1)) == list(outputs(3))


def test_every_row_of_what_is_around_the_methods_names_something():
    _, _, *rows = table_after("Around them:\n\n")
    for row in rows:
        _, _, names, where, _ = row.split("|")
        module = importlib.import_module(where.strip().strip("`"))
        assert names.strip()
        assert all(hasattr(module, name) for name in re.findall(r"`(\w+)`", names)), row
