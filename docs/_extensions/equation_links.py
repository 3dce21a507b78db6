"""Tags of equations, such as (P12), are places to link to; a tag in the text of any page links to its equation."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

TAG = re.compile(r"\(([A-Z]\d+)\)")


def setup(app: Sphinx) -> dict[str, Any]:
    """Collect the places while pages are read, and make the links when all places are known."""
    app.connect("doctree-read", mark_places)
    app.connect("doctree-resolved", link_tags)
    app.connect("env-merge-info", merge_places)
    app.connect("env-purge-doc", forget_places)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}


def places_of(env: BuildEnvironment) -> dict[str, str]:
    """Page of each equation."""
    if not hasattr(env, "equation_pages"):
        env.equation_pages = {}
    found: dict[str, str] = env.equation_pages
    return found


def mark_places(app: Sphinx, doctree: nodes.document) -> None:
    """Give the bold tag at the beginning of a paragraph an id."""
    page = app.env.docname
    if not page.startswith("theory/"):
        return
    for paragraph in doctree.findall(nodes.paragraph):
        first = next((child for child in paragraph.children if child.astext()), None)  # an empty text may come before
        found = TAG.fullmatch(first.astext()) if isinstance(first, nodes.strong) else None
        if found:
            paragraph["ids"].append(found[1])
            places_of(app.env)[found[1]] = page


def link_tags(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace tags in the text by links."""
    if not docname.startswith("theory/"):
        return
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, nodes.paragraph | nodes.list_item | nodes.entry) and TAG.search(text):
            text.parent.replace(text, pieces(app, docname, text))


def pieces(app: Sphinx, docname: str, text: str) -> list[nodes.Node]:
    """The text with its tags as links."""
    parts: list[nodes.Node] = []
    end = 0
    for found in TAG.finditer(text):
        page = places_of(app.env).get(found[1])
        if page is None:
            continue
        address = "" if page == docname else app.builder.get_relative_uri(docname, page)
        parts += [nodes.Text(text[end : found.start()])]
        parts += [nodes.reference("", found[0], refuri=f"{address}#{found[1]}", internal=True)]
        end = found.end()
    return [*parts, nodes.Text(text[end:])]


def merge_places(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """Take over what a parallel reader has found."""
    places_of(env).update({tag: page for tag, page in places_of(other).items() if page in docnames})


def forget_places(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget the places of a page that is read again."""
    for tag in [tag for tag, page in places_of(env).items() if page == docname]:
        del places_of(env)[tag]
