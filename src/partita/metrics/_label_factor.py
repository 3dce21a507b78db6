"""The co-association as a product of a sparse factor with its transpose, through the labels."""

from typing import Any

import numpy as np
from scipy import sparse

from partita._labels.ensemble import Ensemble
from partita._stopping import check_stop


def through_labels(ensemble: Ensemble) -> Any:
    """Sparse A, (n_rows, n_cells), with W = A A': H H' / M, or C_ij M / (N_i N_j) with missing labels (eq. G13)."""
    total = ensemble.clustering_weights.sum()
    share = (ensemble.codes >= 0) @ ensemble.clustering_weights / total  # N_i / M
    check_stop()
    return sparse.csr_array(
        sparse.diags_array(1 / share) @ (ensemble.indicator * np.sqrt(ensemble.cell_weights / total))
    )
