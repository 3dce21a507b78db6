"""Names of files that a report can have."""

PAGES = (".html", ".htm")  # suffixes
