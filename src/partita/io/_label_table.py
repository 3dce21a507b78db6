"""Labels as read from a file."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import Array


class LabelTable(NamedTuple):
    """Labels read from a file: pass ``labels`` to any estimator."""

    labels: pd.DataFrame  # one row per object, one column per clustering
    ids: "pd.Series[Any] | None"  # name of each object, if the file has names
    has_header: bool

    @property
    def id_name(self) -> str:
        """Name of the column of ids; "object" if the file has none."""
        return "object" if self.ids is None else str(self.ids.name or "object")

    def object_ids(self) -> Array:
        """Ids of the objects; their numbers from 0 if the file has none."""
        return np.arange(len(self.labels)) if self.ids is None else np.asarray(self.ids, dtype=object)
