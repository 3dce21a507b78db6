"""Messages speak of options, not of Python's parameters."""

import ast
import re
from pathlib import Path

import click
import pytest

import partita
from partita.cli import _words
from partita.cli.main import app
from tests.cli.leaks import leaks

SOURCE = Path(partita.__file__).parent
# Rooms whose messages only a Python user can meet: the command line has no option for what they speak of.
NOT_FROM_THE_COMMAND_LINE = ("cli", "anndata", "metrics", "dirichlet_process", "text.py", "consensus_clustering.py")
OF_ONE_COMMAND = {
    "blocks": "consensus",
    "plotting": "plot",
    "report": "report",
    "federated": "federate",
}  # rooms whose messages one command shows


def options_of(command):
    found = app.commands[command]
    members = found.commands.values() if isinstance(found, click.Group) else [found]
    parameters = [parameter for member in members for parameter in member.params]
    return {name for option in parameters if isinstance(option, click.Option) for name in option.opts}


def text_of(node):
    """A literal or formatted text, with a number where a value is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
    return text_of(node.left) + text_of(node.right) if isinstance(node, ast.BinOp) else ""


def messages(command):
    """Every message of the library that a command can show."""
    for file in sorted(SOURCE.rglob("*.py")):
        room = file.relative_to(SOURCE).parts[0]
        if room in NOT_FROM_THE_COMMAND_LINE or OF_ONE_COMMAND.get(room, command) != command:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else node
            named = isinstance(node, ast.Raise) or getattr(getattr(node, "func", None), "id", "").startswith("warn")
            if named and isinstance(call, ast.Call):
                yield from filter(None, map(text_of, [*call.args, *(keyword.value for keyword in call.keywords)]))


# What only a call from Python can cause.
IN_PYTHON_ONLY = re.compile(
    r"np\.asarray|\(n_samples|must implement|constructor|unexpected keyword|coassignment=|does not exist after|"
    r"methods=|methods is|n_samples|estimator|sample_weight|toarray|reshape|labels_true|log_likelihood|"
    r"n_clusters to be|is a label table|prior_mean|base fails|base is for|consensus is for|X\[7\]|X\.\w|label matrix|"
    r"derivative|max_time.* seconds above"
)


def test_no_message_of_the_library_leaks_a_parameter():
    found = {}
    for command in ("consensus", "cluster", "generate", "choose", "report", "plot", "federate"):
        _words.begin(options_of(command))
        for message in messages(command):
            if not IN_PYTHON_ONLY.search(message):
                said = _words.in_options(message)
                if leaks(said):
                    found[message] = (said, leaks(said))
    assert not found


CASES = {
    "n_clusters=500 exceeds the 9 distinct rows of X. Pass n_clusters <= 9.": (
        "--n-clusters 500 exceeds the 9 distinct rows of FILE. Pass --n-clusters <= 9."
    ),
    "PCC did not converge in max_iter=1 sweeps; raise max_iter or tol.": (
        "PCC did not converge in --set max_iter=1 sweeps; raise --set max_iter or --set tol."
    ),
    "The 'linkage' parameter of EAC must be a str. Got 'best' instead.": (
        "--set linkage of EAC must be a str. Got 'best' instead."
    ),
    "all 6 labels of X are missing (NaN, None, pd.NA or -1).": (
        "all 6 labels of FILE are missing (an empty field or -1)."
    ),
    "weights has shape (1,); pass linkage='single'": "--set weights has shape (1,); pass --set linkage=single",
    "weights[3]=-1 is not a weight": "--set weights[3]=-1 is not a weight",
    "random_state='x' and n_jobs=0": "--seed x and --jobs 0",
    "drop=['a', 'b c'] and encode=True, impute='median'": "--drop 'a,b c' and --set encode=True, --set impute=median",
    "pass encoding= if it is not": "pass --encoding if it is not",
    "id_column=False if it has no ids": "--no-ids if it has no ids",
    "'q.csv' has no column 'n_clusters'; it has 'X', 'random_state'": (
        "'q.csv' has no column 'n_clusters'; it has 'X', 'random_state'"  # the user's own names stay
    ),
    "there is no file 'X.csv' and no X.csv in /tmp/X/": "there is no file 'X.csv' and no X.csv in /tmp/X/",
    "--set n_clusters=... is no option": "--set n_clusters=... is no option",
    "PARTITA_MAX_MEMORY=4GiB sets the limit": "PARTITA_MAX_MEMORY=4GiB sets the limit",
}


@pytest.mark.parametrize("message", CASES)
def test_a_message_in_the_words_of_the_command_line(message):
    _words.begin(options_of("consensus"))
    assert _words.in_options(message) == CASES[message]


def test_other_options_are_named_inside_and_after_an_error():
    _words.begin(options_of("cluster"))
    with _words.naming(_words.GENERATOR):
        assert _words.in_options("n_clusters=(2, 5)") == "--base-clusters 2-5"
    assert _words.in_options("n_clusters=2") == "--n-clusters 2"
    with pytest.raises(ValueError, match="n"), _words.naming(_words.GENERATOR):
        raise ValueError("n_clusters=2")
    assert _words.in_options("n_clusters=2") == "--base-clusters 2"
