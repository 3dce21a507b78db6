"""Pages of the API, one per module with all its public names, written before Sphinx looks for pages."""

import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from public_names import write_pages
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FOLDER = "api"
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
