"""Write what follows from the one table of methods and from the estimators' signatures.

    python -m tools.write_tables        # or: make tables

The stubs that make the methods public (``partita/__init__.pyi``, ``partita/consensus/__init__.pyi``), docs/methods.md,
and the table of parameters in CONTRIBUTING. tests/test_api.py fails when one of them is out of date.
"""

import importlib
import inspect
from pathlib import Path
from textwrap import fill
from typing import Any

from tools.measured_methods import counted, measured_table

import partita
from partita.consensus._method_tables import markdown_table
from partita.consensus._methods import COST_SYMBOLS, METHODS, OTHER_NAMES, Method

ROOT = Path(__file__).parents[1]
METHODS_PAGE = ROOT / "docs" / "methods.md"
RESULTS = ROOT / "docs" / "results" / "answer.json"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
STUB = ROOT / "src" / "partita" / "__init__.pyi"
CONSENSUS_STUB = ROOT / "src" / "partita" / "consensus" / "__init__.pyi"
STUB_BEGIN, STUB_END = "# begin: written by make tables\n", "# end: written by make tables\n"
BEGIN, END = "<!-- begin: written by make tables -->", "<!-- end: written by make tables -->"

# Parameters that estimators share, in the order that all constructors have; they come last.
SHARED = ("init", "n_init", "keep_starts", "max_iter", "tol", "weights", "random_state", "n_jobs", "verbose")

# The pages of docs/theory for each room of partita.consensus.
THEORY = {
    "graph": ("graph",),
    "kmeans": ("models", "utilities"),
    "label_space": ("label_space",),
    "median": ("median",),
    "models": ("models",),
    "nbce": ("nbce",),
    "pairwise": ("pairwise",),
    "pcc": ("pairwise",),
    "soft": ("graph", "label_space"),
    "voting": ("graph", "votes"),
    "walks": ("label_space",),
}

_ABOVE = fill(
    "Which of the consensus methods to take, and what each of them gives, needs and costs. All of them take a label "
    "matrix, one row per object and one column per clustering; those of the group `soft` take soft clusterings "
    "(probabilities instead of labels) too. If in doubt, take the default: `combine` without `method`.",
    width=120,
)
_MEASURED = """Every method was run on the same {n_small} ensembles of {n_data} data sets with at most {most:,} objects
and known classes; the [leaderboard](leaderboard.md) has all {n_all} ensembles, and says how it was done. Neighbours in
the table mostly do not differ by more than chance.

- **ARI**: mean adjusted Rand index with the classes, with the number of clusters (k) given, or found by the method.
- **seconds**: median per fit, one thread.
- **output**: hard (a label for each object) or soft (a probability of each cluster, too).
- **clusters**: their number is given, found if none is given, or given as an upper bound.
- **missing label**: what it means to the method.
- **cost** with {symbols}.

Methods without figures need something that these ensembles do not have (features, pairs of objects, soft
clusterings)."""
_GROUPS = fill(
    "By what they work on. Also: `extend` goes on with more clusterings of the same objects; federated by rows "
    "(objects) or by columns (clusterings) fits labels that their owners do not pool, see [federation](federation.md); "
    "beyond memory: see [large data](large-data.md).",
    width=120,
)
# Which method to use: what was measured is on the leaderboard, which is written from the stored results.
_WHICH = [
    ("nothing special, or no idea how many clusters there are", "`combine`, which is `LWGP`"),
    (
        "the best partition for a number of clusters that you know",
        '`BCE`, `MultinomialMixture`, `LWGP`, `KCC(utility="h")`; `DREC` up to some thousand distinct rows',
    ),
    ("a probability of each cluster for every object", "`BCE`, `MultinomialMixture`; `PCC` for pairs; `MatchedVoting`"),
    ("a posterior: number of clusters, memberships and their doubt", '`NBCE`; `BCE(inference="gibbs")` for a given k'),
    ("a tree to look at and to cut", "`EAC`, `LWEA`"),
    ("draws of one posterior, or runs at one resolution: their centre", '`MedianPartition(loss="vi")`'),
    ("clusterings that all have about k clusters", "`MatchedVoting`, `CumulativeVoting`"),
    ("pairs of objects that must be together, or apart", "`ConstrainedNMF`"),
    ("features beside the labels", "`GBCE`"),
    ("soft clusterings: probabilities instead of labels", "`SoftLWGP`, `ITK`"),
    ("only what nearly all clusterings agree on", "`RobustClusters`"),
    ("millions of objects", "any method that is linear in r; `LabelBlocks` where memory ends"),
    ("very unequal cluster sizes", "`LWGP`, `ECPCS`; not the balanced ones (`CSPA`, `HGPA`), nor k-means on labels"),
    ("to repeat a paper or another package", "the method of that name: [other packages](peers.md)"),
]

_BELOW = fill(
    "Beside them, `supra_consensus` keeps the best of several methods (Strehl and Ghosh 2002), and `majority_vote` "
    "is the vote of several partitions. (This page is written by `make tables` from the table of methods, "
    "`src/partita/consensus/_methods.py`, and from the stored results of the leaderboard.)",
    width=120,
)


def main() -> None:
    """Write the stubs, then what is read from the classes that they make public."""
    CONSENSUS_STUB.write_text(consensus_stub(), encoding="utf-8")
    STUB.write_text(with_methods(STUB.read_text(encoding="utf-8")), encoding="utf-8")
    METHODS_PAGE.write_text(methods_page(), encoding="utf-8")
    text = CONTRIBUTING.read_text(encoding="utf-8")
    CONTRIBUTING.write_text(with_parameters(text), encoding="utf-8")


# -------------------------------------------------------------------------------------------------------- the stubs
def consensus_stub() -> str:
    """Where each name of partita.consensus lives, as lazy_loader and type checkers read it."""
    homes = {**{method.estimator: method.module for method in METHODS.values()}, **OTHER_NAMES}
    lines = [f"from .{homes[name]} import {name} as {name}" for name in sorted(homes, key=lambda name: homes[name])]
    return "\n".join(["# Written by make tables from the one table of methods, _methods.py.", *lines]) + "\n"


def with_methods(text: str) -> str:
    """The stub of partita with the names of partita.consensus as they are now."""
    names = sorted([*(method.estimator for method in METHODS.values()), *OTHER_NAMES])
    body = "".join(f"    {name} as {name},\n" for name in names)
    before, rest = text.split(STUB_BEGIN)
    after = rest.split(STUB_END)[1]
    return f"{before}{STUB_BEGIN}from .consensus import (\n{body})\n\n{STUB_END}{after}"


# ----------------------------------------------------------------------------------------------------- the methods
def methods_page() -> str:
    """docs/methods.md: one table per room."""
    rooms: dict[str, list[Method]] = {}
    for method in METHODS.values():
        rooms.setdefault(room_of(method), []).append(method)
    parts = [
        "# Consensus methods",
        _ABOVE,
        "## When to use which",
        _which_table(),
        "## What each gives, needs and costs",
        _measured(),
        "## All methods",
        _GROUPS,
        *(_room(room, methods) for room, methods in sorted(rooms.items())),
        _BELOW,
    ]
    return "\n\n".join(parts) + "\n"


def _measured() -> str:
    n_all, _, n_small, n_data, most = counted(RESULTS)
    words = _MEASURED.format(n_small=n_small, n_data=n_data, most=most, n_all=n_all, symbols=COST_SYMBOLS)
    return f"{words}\n\n{measured_table(RESULTS)}"


def _which_table() -> str:
    return markdown_table(["you have, or want", "take"], [list(row) for row in _WHICH])


def _room(room: str, methods: list[Method]) -> str:
    summary = inspect.getdoc(importlib.import_module(f"partita.consensus.{room}")) or ""
    theory = ", ".join(f"[{page}](theory/{page}.md)" for page in THEORY[room])
    rows = [
        [
            f"`{method.estimator}`",
            f"`{method.name}`",
            method.summary,
            method.source,
            method.variants,
            f"`{room}/{file_of(method)}`",
        ]
        for method in methods
    ]
    header = ["class", "--method", "what it does", "source", "also", "file"]
    return f"### {room}\n\n{summary} Theory: {theory}.\n\n{markdown_table(header, rows)}"


def room_of(method: Method) -> str:
    """Room of partita.consensus that holds the method."""
    return method.module.split(".")[0]


def file_of(method: Method) -> str:
    """File of that room."""
    return f"{method.module.split('.')[1]}.py"


# -------------------------------------------------------------------------------------------------- the parameters
def with_parameters(text: str) -> str:
    """CONTRIBUTING with the table of parameters as it is now."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{parameter_table()}\n{END}{after}"


def parameter_table() -> str:
    """Estimators and the shared parameters they have, with defaults."""
    rows = []
    for name, estimator in public_estimators().items():
        parameters = inspect.signature(estimator).parameters
        first = [key for key, parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        shared = [repr(parameters[key].default) if key in parameters else "" for key in SHARED]
        rows.append([name, ", ".join(f"{key}={parameters[key].default!r}" for key in first), *shared])
    return markdown_table(["estimator", "by position", *SHARED], rows)


def public_estimators() -> dict[str, Any]:
    """Public estimators by name: consensus methods, then the others."""
    found: dict[str, Any] = {}
    for method in METHODS.values():  # by module: a method that is new is not public before this tool has run
        module = importlib.import_module(f"partita.consensus.{method.module}")
        found[method.estimator] = getattr(module, method.estimator)
    found |= {name: getattr(partita, name) for name in partita.__all__ if name not in found}
    return {name: value for name, value in found.items() if inspect.isclass(value) and hasattr(value, "get_params")}


if __name__ == "__main__":
    main()
