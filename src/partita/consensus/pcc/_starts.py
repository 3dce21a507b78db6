"""Where PCC starts: at random, or at a partition that some other method found.

The uniform point y_i = (1/K, ..., 1/K) is stationary for every divergence, so no start is near it. KL is infinite
where clusters are never shared but objects are together, so hard starts are smoothed: y <- (1 - t) y + t / K.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_labels
from partita._typing import FloatArray
from partita.base import LabelledRows
from partita.consensus.pcc._label_space import LabelSolver, solve_labels

SMOOTHING = 0.1
_COARSE = 1e-2  # gap to which the l2 problem is solved when it only serves as a start
_SWEEPS = 100

NAMES = ("random", "insertion", "l2", "eac")


def start(name: str, ensemble: Ensemble, n_clusters: int, seed: int) -> FloatArray:
    """Memberships (n_rows, n_clusters) to start from."""
    if name == "random":
        drawn: FloatArray = np.random.default_rng(seed).dirichlet(np.ones(n_clusters), size=ensemble.n_rows)
        return drawn
    if name == "eac":
        return one_hot(_eac_labels(ensemble, n_clusters), n_clusters)
    solver = LabelSolver(ensemble, n_clusters)
    solver.insert(seed)
    if name == "l2":
        solve_labels(ensemble, solver, tol=_COARSE, max_iter=_SWEEPS)
    return np.asarray(solver.problem.Y, dtype=np.float64)


def smooth(Y: FloatArray) -> FloatArray:
    """Move memberships into the interior of the simplex."""
    return np.asarray((1 - SMOOTHING) * Y + SMOOTHING / Y.shape[1], dtype=np.float64)


def one_hot(labels: Any, n_clusters: int) -> FloatArray:
    """Memberships of a partition."""
    return np.asarray(np.eye(n_clusters)[labels], dtype=np.float64)


def given_start(init: Any, rows: LabelledRows, n_clusters: int) -> FloatArray:
    """Memberships of the rows from labels (n_samples,) or memberships (n_samples, n_clusters) of the objects."""
    n_samples = len(rows.row_of_object)
    array = np.asarray(init)
    if array.shape == (n_samples,):
        codes = check_labels(init, "init")
        if codes.max() >= n_clusters:
            raise ValueError(f"init has {codes.max() + 1} clusters, more than n_clusters={n_clusters}.")
        of_objects = np.where(codes[:, None] >= 0, one_hot(codes, n_clusters), 1 / n_clusters)
    elif array.shape == (n_samples, n_clusters) and array.dtype.kind in "fiub":
        of_objects = array.astype(np.float64)
        if (of_objects < 0).any() or not np.allclose(of_objects.sum(axis=1), 1, atol=1e-6):
            raise ValueError("init has rows that are not probabilities; each must be non-negative and sum to 1.")
    else:
        raise ValueError(
            f"init has shape {array.shape}; pass one of {', '.join(map(repr, NAMES))}, labels ({n_samples},), or "
            f"memberships ({n_samples}, {n_clusters})."
        )
    members = np.flatnonzero(rows.row_of_object >= 0)
    Y = np.zeros((len(rows.n_objects), n_clusters))
    np.add.at(Y, rows.row_of_object[members], of_objects[members])
    return np.asarray(Y / Y.sum(axis=1, keepdims=True), dtype=np.float64)


def _eac_labels(ensemble: Ensemble, n_clusters: int) -> Any:
    """Average linkage on the same rows, with as many clusters as there are rows at most."""
    from partita.consensus.pairwise._evidence_accumulation import EAC

    model = EAC(min(n_clusters, ensemble.n_rows), weights=ensemble.clustering_weights)
    return model.fit(ensemble.codes, sample_weight=ensemble.row_weights).labels_
