"""The public modules and names of partita, and a page for each module. It needs no Sphinx, so that tests can ask it."""

import importlib
import inspect
from pathlib import Path
from typing import Any

MODULES = {
    "partita": "Everything that a first program needs",
    "partita.results": "Labels to one result, with its tables, stability and reasons",
    "partita.consensus": "The consensus methods",
    "partita.base": "The contract of consensus estimators, for methods of your own",
    "partita.metrics": "Co-association, indices of partitions and of features, tests",
    "partita.plotting": "Pictures",
    "partita.report": "A result as one HTML page",
    "partita.ensembles": "The ensemble itself: diversity, selection, resolutions",
    "partita.generation": "Clusterings from features",
    "partita.consensus_clustering": "Features to a consensus in one call",
    "partita.selection": "The number of clusters",
    "partita.dirichlet_process": "Clusters of features, their number unknown",
    "partita.io": "Files of labels and features",
    "partita.model_files": "Fitted models in files",
    "partita.datasets": "Data sets by name",
    "partita.blocks": "More labels than memory",
    "partita.federated": "Labels of several owners",
    "partita.anndata": "Single cells",
    "partita.testing": "Checks of consensus estimators",
    "partita.experiments": "The papers' tables and figures, run again",
    "partita.text": "Documents to features",
    "partita.exceptions": "Errors and warnings",
}


def write_pages(folder: Path) -> None:
    """One page per module that is there, and their contents; an object is described where it is named first."""
    folder.mkdir(exist_ok=True)
    described: dict[int, str] = {}
    known = {module: names for module in MODULES if (names := names_of(module))}
    for module, names in known.items():
        found = importlib.import_module(module)
        new = [name for name in names if id(getattr(found, name)) not in described]
        described |= {id(getattr(found, name)): f"~{module}.{name}" for name in new}
        again = [described[id(getattr(found, name))] for name in names if name not in new]
        write(folder / f"{module}.md", module_page(module, new, again))
    rows = [f"| [{module}]({module}.md) | {MODULES[module]} |" for module in known]
    contents = ["```{toctree}", ":hidden:", "", *known, "```"]
    write(folder / "index.md", "\n".join(["# API", "", "| module | holds |", "|---|---|", *rows, "", *contents]) + "\n")


def names_of(module: str) -> list[str]:
    """Public names of a module: classes, functions and exceptions that are defined in partita."""
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return []
    names = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if getattr(value, "__module__", "") == module and name[0] != "_"
    ]
    return sorted((name for name in names if is_shown(getattr(found, name))), key=str.lower)


def is_shown(value: Any) -> bool:
    """Modules have pages of their own, and values such as tables of recipes are described where they are used."""
    return inspect.isclass(value) or inspect.isfunction(value)


def module_page(module: str, new: list[str], again: list[str]) -> str:
    """Headline of the module's docstring, its own names, and those that are described with another module."""
    words = (inspect.getdoc(importlib.import_module(module)) or MODULES[module]).split("\n\n")[0]
    lines = [f"# {module}", "", words, "", "```{eval-rst}", f".. currentmodule:: {module}", ""]
    for names, options in ((new, ["   :toctree: names"]), (again, [])):
        if names:
            lines += [".. autosummary::", *options, "   :nosignatures:", "", *(f"   {name}" for name in names), ""]
    return "\n".join([*lines, "```", ""])


def write(path: Path, text: str) -> None:
    """Write a page only if it changed, so that Sphinx reads it again only then."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
