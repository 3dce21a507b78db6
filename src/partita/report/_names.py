"""Names of files that a report can have."""

from pathlib import Path

PAGES = (".html", ".htm")  # suffixes
TABLES = ("objects", "clusters", "clusterings", "stability", "methods", "annotations")  # what can be written beside it


def table_path(page: str | Path, name: str) -> Path:
    """File of a table beside a page: ``report.objects.csv`` beside ``report.html``."""
    return Path(page).with_name(f"{Path(page).stem}.{name}.csv")
