"""Links of pages to files beside the docs folder lead to the pages of the site that show these files."""

from typing import Any

from sphinx.application import Sphinx

# as a page writes it -> the page of the site
SHOWN = {
    "](../CONTRIBUTING.md": "](/contributing.md",
    "](../CHANGELOG.md": "](/changelog.md",
    "](../README.md": "](/index.md",
    "](CONTRIBUTING.md": "](/contributing.md",
    "](CHANGELOG.md": "](/changelog.md",
    "](README.md#": "](/index.md#",
    "](docs/": "](/",
}
INCLUDED = ("contributing", "changelog", "security", "conduct")


def setup(app: Sphinx) -> dict[str, Any]:
    """Change the source of pages, and of the files that they include, as it is read."""
    app.connect("source-read", change)
    app.connect("include-read", change_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change(app: Sphinx, docname: str, source: list[str]) -> None:
    """Links of pages in the docs folder."""
    for written, shown in SHOWN.items():
        if written.startswith("](../"):
            source[0] = source[0].replace(written, shown)


def change_included(app: Sphinx, path: Any, docname: str, source: list[str]) -> None:
    """Links of files of the repository's first folder."""
    for written, shown in SHOWN.items():
        source[0] = source[0].replace(written, shown)
