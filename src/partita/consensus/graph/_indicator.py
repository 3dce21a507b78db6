"""A factor of the similarity graph through the labels."""

from typing import Any

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble


def through_labels(ensemble: Ensemble) -> Any:
    """A with W = A A': H H' / M, or C_ij M / (N_i N_j) with missing labels."""
    total = ensemble.clustering_weights.sum()
    share = (ensemble.codes >= 0) @ ensemble.clustering_weights / total  # N_i / M
    return sparse.csr_array(
        sparse.diags_array(1 / share) @ (ensemble.indicator * np.sqrt(ensemble.cell_weights / total))
    )
