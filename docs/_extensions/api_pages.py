"""Pages of the API, one per module with all its public names, written before Sphinx looks for pages."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FOLDER = "api"
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
# inherited from scikit-learn, whose own pages describe them
NOT_OURS = re.compile(r"(set|get)_(\w+_request|metadata_routing|params|output|feature_names_out)$|_.*")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages, and leave members of scikit-learn out of them."""
    write_pages(Path(app.srcdir) / FOLDER)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("missing-reference", find_by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def skip_member(app: Sphinx, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what other packages have written."""
    home = getattr(inspect.unwrap(member) if callable(member) else member, "__module__", None) or ""
    ours = home.startswith("partita") or not home
    return True if NOT_OURS.match(name) or not ours else None


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


def find_by_last_name(app: Sphinx, env: BuildEnvironment, node: nodes.Element, inner: nodes.Node) -> nodes.Node | None:
    """Docstrings name classes and functions as users write them, without their module."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].split(".")[-1]
    names = [name for name in env.domains.python_domain.objects if name.endswith(f".{target}")]
    if not names:
        return None
    entry = env.domains.python_domain.objects[min(names, key=len)]
    address = app.builder.get_relative_uri(node["refdoc"], entry.docname)
    return nodes.reference("", "", inner, refuri=f"{address}#{entry.node_id}", internal=True)


def write(path: Path, text: str) -> None:
    """Write a page only if it changed, so that Sphinx reads it again only then."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
