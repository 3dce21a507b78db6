"""Seeds, drawn once and in order, so that no result depends on the number of threads."""

from typing import Any

import numpy as np

from partita._typing import IntArray


def draw_seeds(random_state: Any, n_seeds: int) -> IntArray:
    """Draw one integer seed a task from scikit-learn's kind of ``random_state``."""
    from sklearn.utils import check_random_state

    seeds: IntArray = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_seeds)
    return seeds.astype(np.int64)
