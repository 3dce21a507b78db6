"""The figure of the NBCE paper, drawn from stored results."""

from typing import Any

from partita.experiments._panels import draw_sketches
from partita.experiments._stored import Stored


def points(stored: Stored) -> Any:
    """Two clusters with outliers."""
    found, classes = stored.array("points"), stored.array("classes")
    return draw_sketches([] if found is None else [("two clusters with outliers", found, classes)])
