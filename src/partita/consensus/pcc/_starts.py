"""Where PCC starts: at random, or at a partition that some other method found (eq. P32).

The uniform point y_i = (1/K, ..., 1/K) is stationary for every divergence, so no start is near it (eq. C24). KL is
infinite where clusters are never shared but objects are together, so hard starts are smoothed: y <- (1 - t) y + t / K.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import check_membership, one_hot
from partita._labels.validation import check_labels
from partita._typing import FloatArray, IntArray
from partita.base import LabelledRows
from partita.consensus.pairwise._evidence_accumulation import EAC
from partita.consensus.pairwise._memberships import random_memberships
from partita.consensus.pcc._label_space import label_space
from partita.consensus.pcc._problem import descend

NAMES = ("random", "insertion", "l2", "eac")
DRAWN = ("random", "insertion", "l2")  # starts that differ from seed to seed

_SMOOTHING = 0.1  # share of the uniform membership in a start that has zeros: far inside, and still near the start
_COARSE = 1e-2  # gap to which the l2 problem is solved when it is only a start
_SWEEPS = 100  # limit of its sweeps, for the same reason: the fit itself does the rest


def start_memberships(name: str, ensemble: Ensemble, n_clusters: int, seed: int) -> FloatArray:
    """Memberships (n_rows, n_clusters) to start from."""
    if name == "random":
        return random_memberships(ensemble.n_rows, n_clusters, np.random.default_rng(seed))
    if name == "eac":
        return one_hot(_eac_labels(ensemble, n_clusters), n_clusters)
    problem = label_space(ensemble)
    run = problem.start_by_insertion(n_clusters, seed)
    if name == "l2":
        descend(problem, run, tol=_COARSE, max_iter=_SWEEPS)
    return run.Y


def smooth(Y: FloatArray) -> FloatArray:
    """Move memberships into the interior of the simplex."""
    return np.asarray((1 - _SMOOTHING) * Y + _SMOOTHING / Y.shape[1], dtype=np.float64)


def given_start(init: Any, rows: LabelledRows, n_clusters: int) -> FloatArray:
    """Memberships of the rows from labels (n_samples,) or memberships (n_samples, n_clusters) of the objects."""
    n_samples = len(rows.row_of_object)
    shape = np.shape(init)
    if shape == (n_samples,):
        codes = check_labels(init, "init")
        if codes.max() >= n_clusters:
            raise ValueError(
                f"init has {codes.max() + 1} clusters, more than n_clusters={n_clusters}; raise n_clusters, or pass "
                "fewer."
            )
        of_objects = np.where(codes[:, None] >= 0, one_hot(codes, n_clusters), 1 / n_clusters)
    elif shape == (n_samples, n_clusters):
        of_objects = np.maximum(check_membership(init, "init"), 0.0)
    else:
        raise ValueError(
            f"init has shape {shape}; pass one of {', '.join(map(repr, NAMES))}, labels ({n_samples},), or "
            f"memberships ({n_samples}, {n_clusters})."
        )
    members = np.flatnonzero(rows.row_of_object >= 0)
    Y = np.zeros((len(rows.n_objects), n_clusters))
    np.add.at(Y, rows.row_of_object[members], of_objects[members])
    return np.asarray(Y / Y.sum(axis=1, keepdims=True), dtype=np.float64)


def _eac_labels(ensemble: Ensemble, n_clusters: int) -> IntArray:
    """Average linkage on the same rows, with as many clusters as there are rows at most."""
    model = EAC(min(n_clusters, ensemble.n_rows), weights=ensemble.clustering_weights)
    return np.asarray(model.fit(ensemble.codes, sample_weight=ensemble.row_weights).labels_)
