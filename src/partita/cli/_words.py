"""Messages of the library in the words of the command line: options instead of Python's parameters.

Every error and warning passes through ``in_options`` before it is shown.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# Parameters that have an option, in the order of preference: the first one that the command has is named.
OPTIONS = {
    "n_clusters": ("--n-clusters", "--base-clusters"),
    "random_state": ("--seed",),
    "n_jobs": ("--jobs",),
    "max_time": ("--max-time",),
    "divergence": ("--divergence",),
    "pairs": ("--pairs",),
    "families": ("--family",),
    "features": ("--features",),
    "noise": ("--noise",),
    "kind": ("--kind",),
    "columns": ("--columns",),
    "drop": ("--drop",),
    "impute": ("--impute",),
    "encode": ("--encode",),
    "id_column": ("--id-column",),
    "missing": ("--missing",),
    "encoding": ("--encoding",),
    "separator": ("--separator",),
    "header": ("--header",),
    "n_clusterings": ("--n-clusterings",),
    "n_repeats": ("--n-clusterings",),
    "clusterers": ("--base",),
    "clusterer": ("--base",),
    "sample_fraction": ("--sample-fraction",),
    "n_resamples": ("--resamples",),
    "n_references": ("--references",),
    "max_objects": ("--max-objects", "--max-drawn"),
    "annotations": ("--annotate",),
    "coordinates": ("--coordinates",),
    "order": ("--order",),
    "measure": ("--measure",),
    "over": ("--over",),
    "methods": ("--methods", "--compare-methods"),
    "accept_disclosure": ("--accept-disclosure",),
    "secret_key": ("--secret-key",),
    "keys": ("--keys",),
    "min_objects": ("--min-objects",),
    "min_count": ("--min-count",),
    "epsilon": ("--epsilon",),
    "encrypted": ("--encrypted",),
    "heuristic": ("--heuristic",),
    "paper": ("--paper",),
    "checkpoint": ("--checkpoint",),
    "state": ("--state",),
    "by": ("--by",),
    "rows": ("--block-rows",),
    "resume": ("--resume",),
    "client": ("--dask",),
}
_FLAGS = {("id_column", "False"): "--no-ids", ("missing_words", "False"): "--no-missing-words"}
GENERATOR = {"n_clusters": "--base-clusters"}  # where clusterings are made and then combined
RECIPE = {name: f"--set {name}" for name in OPTIONS if name not in ("random_state", "n_jobs", "columns", "drop")}

_VALUE = r"\.\.\.|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|'[^']*'|\"[^\"]*\"|-?[\w.+]*\w"
_NOT_WITHIN = r"(?<![\w'\"./-])(?<!--set )"  # names in quotes are the user's own
_FIRST: list[tuple[str, str]] = [  # words that have no equal on the command line, before names are looked for
    (r"fit received no features; pass fit\(X, features=\.\.\.\)", "there are no features; pass --features FILE"),
    (r"is neither one of (.*?) nor an object with methods .*\)\.", r"is not known; choose from \1."),
    (r"\(low, high\)", "LOW-HIGH"),
    (r"resume=FOLDER, or --resume", "--resume"),
    (r"choose_n_clusters, or `partita choose`, compares|choose_n_clusters compares", "`partita choose` compares"),
    (r", as X\.toarray\(\)|, or X\.toarray\(\) if its entries are labels", ""),
]
_LAST: list[tuple[str, str]] = [
    (r"NaN, None(, pd\.NA)?,? or -1", "an empty field or -1"),
    (r"\b(labels|samples|membership|coassignment)_(?!\w)", r"\1"),
    (r"\bmanifest_ gives", "the manifest (`partita generate --manifest`) gives"),
    (r"(?<![\w'\"./-])X(?![\w'\"/-]|\.\w)", "FILE"),
]

_SUBJECTS = "weights|features|families|init|groups|pairs|divergence"  # plain words that are parameters before a verb

_now: dict[str, str] = {}  # parameter -> option, where the command is at the moment


def begin(options: set[str]) -> None:
    """Set the options of the command that runs; a parameter without one is set by --set, where there is that."""
    _now.clear()
    for name, candidates in OPTIONS.items():
        present = [option for option in candidates if option in options]
        if present or "--set" in options:
            _now[name] = present[0] if present else f"--set {name}"


@contextmanager
def naming(options: dict[str, str]) -> Iterator[None]:
    """Name other options inside. After an error they stay, since the error is shown outside."""
    before = dict(_now)
    _now.update(options)
    yield
    _now.clear()
    _now.update(before)


def in_options(text: str) -> str:
    """A message with options instead of parameters."""
    for pattern, words in _FIRST:
        text = re.sub(pattern, words, text)
    text = re.sub(r"The '(\w+)' parameter of (\w+)", lambda found: f"{option_of(found[1])} of {found[2]}", text)
    text = re.sub(_NOT_WITHIN + rf"([a-z]\w*)=({_VALUE}|(?=[\s)]))", _with_value, text)
    text = re.sub(_NOT_WITHIN + r"([a-z]+(?:_[a-z]+)+|tol)(?![\w'\"=(/-]|\.\w)", _by_itself, text)
    text = re.sub(_NOT_WITHIN + rf"({_SUBJECTS})(?=\[\d+\]=| (?:has|is|names|contains|must)\b)", _by_itself, text)
    for pattern, words in _LAST:
        text = re.sub(pattern, words, text)
    return text


def option_of(name: str) -> str:
    """The option of a parameter."""
    return _now.get(name, f"--set {name}")


def _with_value(found: re.Match[str]) -> str:
    """NAME=VALUE as an option with its value."""
    name, value = found[1], found[2]
    if (name, value) in _FLAGS:
        return _FLAGS[name, value]
    if name not in _now and name not in _parameters():
        return found[0]
    option = option_of(name)
    if value in ("True", "") and not option.startswith("--set"):
        return option
    return f"{option}{'=' if option.startswith('--set') else ' '}{_as_typed(value)}"


def _by_itself(found: re.Match[str]) -> str:
    """A parameter that is named without a value."""
    return option_of(found[1]) if found[1] in _now or found[1] in _parameters() else found[0]


def _as_typed(value: str) -> str:
    """A Python value as it is typed after an option."""
    pair = re.fullmatch(r"\((\d+), (\d+)\)", value)
    if pair:
        return f"{pair[1]}-{pair[2]}"
    items = re.fullmatch(r"\[(.*)\]", value)
    if items and "'" in items[1]:
        names = re.findall(r"'([^']*)'|\"([^\"]*)\"", items[1])
        return _quoted(",".join(first or second for first, second in names))
    return value.strip("'\"") if value[:1] in "'\"" else value


def _quoted(text: str) -> str:
    """A word for the shell."""
    import shlex

    return shlex.quote(text)


@cache
def _parameters() -> frozenset[str]:
    """Names of the parameters of all methods and generators, for --set."""
    from inspect import signature

    import partita
    from partita.consensus._methods import METHODS

    classes: list[Callable[..., Any]] = [getattr(partita, method.estimator) for method in METHODS.values()]
    classes += [partita.KMeansEnsemble, partita.MixedEnsemble, partita.USpecEnsemble, partita.AnchorEnsemble]
    classes += [partita.ProjectionEnsemble, partita.WeakEnsemble]
    return frozenset(name for kind in classes for name in signature(kind).parameters) - {"verbose"}
