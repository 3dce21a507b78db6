"""Objects without a label: a metric leaves them out, and a warning says how many they are."""

import numpy as np

from partita._runs import warn
from partita._typing import Array, IntArray
from partita.exceptions import LeftOutWarning


def leave_out(kept: Array) -> IntArray:
    """Places of the objects that are kept, with a warning if some are not."""
    place = np.flatnonzero(kept)
    if len(place) == 0:
        raise ValueError(f"none of the {len(kept)} objects is labelled, so there is no partition to judge.")
    warn_left_out(len(kept) - len(place), len(kept), "are unlabelled and were left out")
    return place


def warn_left_out(n_left_out: int, n_objects: int, what: str) -> None:
    """Say how many objects were left out, if any, and for what reason."""
    if n_left_out:
        warn(f"{n_left_out} of {n_objects} objects {what}.", LeftOutWarning)
