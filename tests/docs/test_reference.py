"""What the reference and the theory must hold: every public name, and the formulas of every method."""

import ast
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest
from tools.write_tables import THEORY, room_of

import partita
from partita.consensus._methods import METHODS
from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "partita"
STUBS = {".".join(path.parent.relative_to(ROOT / "src").parts): path for path in PACKAGE.rglob("__init__.pyi")}
COMMANDS = {"partita.app", "partita.cli"}  # used by commands, which docs/command-line.md describes
# tables, described with the functions that read them, and the version
VALUES = {"PROMISES", "NUMBERS_OF_CLUSTERS", "RECIPES", "__version__"}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The pages of the modules as Sphinx gets them, by module."""
    sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
    try:
        names = importlib.import_module("public_names")
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("site") / "api"
    names.write_pages(folder)
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


def names_of_stub(path: Path) -> set[str]:
    imports = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_every_public_module_has_a_page(reference):
    public = {f"partita.{module.name}" for module in pkgutil.iter_modules(partita.__path__) if module.name[0] != "_"}
    assert public - COMMANDS == set(reference) - {"partita", "index"}
    for module in public - COMMANDS:
        assert f"\n{module}\n" in reference["index"]


@pytest.mark.parametrize("module", sorted(STUBS))
def test_every_name_of_a_stub_is_in_the_reference(module, reference):
    names = {name for name in names_of_stub(STUBS[module]) if f"{module}.{name}" not in reference}
    assert {name for name in names - VALUES if not is_listed(name, reference[module])} == set()


def test_every_name_that_a_module_declares_is_in_the_reference(reference):
    missing = []
    for page in set(reference) - {"index"}:
        module = importlib.import_module(page)
        names = {name for name in getattr(module, "__all__", ()) if f"{page}.{name}" not in reference}
        missing += [f"{page}.{name}" for name in names - VALUES if not is_listed(name, reference[page])]
    assert missing == []


def is_listed(name: str, page: str) -> bool:
    """Whether a list of the page has the name on a line of its own, by itself or with its module."""
    return any(line.strip().removeprefix("~").split(".")[-1] == name for line in page.splitlines())


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_method_has_its_formulas(method):
    pages = [ROOT / "docs" / "theory" / f"{page}.md" for page in THEORY[room_of(method)]]
    assert any(method.estimator in page.read_text(encoding="utf-8") for page in pages)
