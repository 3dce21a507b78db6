"""How "vb" and "cvb" find a start: clusters of rows of the highest log p(Y, Z), by merging and splitting (eq. N53).

log p(Y, Z) of an assignment is the variational bound of a q(Z) without doubt (eq. N30), so what raises one raises the
other. The search is annealed: at first it also accepts changes that lower the joint a little.
"""

from typing import NamedTuple

import numpy as np

from partita._kernels import nbce_search as kernel
from partita._labels.ensemble import Ensemble
from partita._numbering import number_by_size
from partita._stopping import until_stopped
from partita._typing import FloatArray, IntArray
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import NBCEModel, Occupancy, log_joint

# Measured on five ensembles of ecoli, glass and control charts, ten seeds each: with heat 1 or 10, half the sweeps or
# 20 proposals the mean of single searches is lower on most, by up to 12 nats; seven times the sweeps gain below 1.
_SWEEPS = 40
_PROPOSALS = 50  # after each sweep, or as many as there are rows
_HEAT = 3.0  # in nats, at the start
ROUNDS = 4  # searches at most: alpha0 and beta settle in two or three
_MOVED = 0.1  # change of log alpha0 or log beta after which clusters are searched again: less hardly changes them
_MOST = 1000  # clusters of a search: keeps its tables small where K is as large as the number of objects


class LabelledRows(NamedTuple):
    """Where a search ended."""

    labels: IntArray  # (n_rows,) clusters by decreasing size
    model: NBCEModel  # with alpha0 and beta of these clusters, if they are estimated
    joint: float  # log p(Y, Z)


def search_labels(
    ensemble: Ensemble,
    model: NBCEModel,
    labels: IntArray,
    n_clusters: int,
    *,
    estimate: tuple[bool, bool],
    seed: int,
    n_rounds: int = ROUNDS,
) -> LabelledRows:
    """Clusters of the highest joint that searches from the given ones find; alpha0 and beta are estimated between."""
    rows, state = search_rows(ensemble), search_state(ensemble, labels, n_clusters, seed)
    model = estimate_parameters(hard_occupancy(ensemble, state.z, n_clusters), model, *estimate)
    for _ in range(n_rounds):
        search(rows, state, model, n_clusters)
        found = number_by_size(state.z, ensemble.row_weights, ties="number")
        occupancy, before = hard_occupancy(ensemble, found, n_clusters), model
        model = estimate_parameters(occupancy, model, *estimate)
        if max(abs(np.log(model.alpha0 / before.alpha0)), abs(np.log(model.beta / before.beta))) < _MOVED:
            break
    return LabelledRows(found, model, log_joint(occupancy, model))


def search(rows: kernel.SearchRows, state: kernel.SearchState, model: NBCEModel, n_clusters: int) -> float:
    """Search from the state's clusters, and leave the best ones in it; returns how much the joint rose."""
    prior = kernel.SearchModel(model.alpha0, model.beta, float(n_clusters), model.prior == "tsb")
    kernel.joint_of_search(rows, state, prior)
    n_proposals = min(_PROPOSALS, len(state.z))
    return float(until_stopped(kernel.search_clusters, rows, state, prior, _SWEEPS, n_proposals, _HEAT))


def search_rows(ensemble: Ensemble) -> kernel.SearchRows:
    """Rows as the kernel needs them."""
    return kernel.SearchRows(
        ensemble.row_starts,
        ensemble.row_cells,
        ensemble.row_clusterings,
        ensemble.row_weights,
        ensemble.clustering_weights,
        ensemble.n_labels.astype(np.float64),
        np.asarray(ensemble.cell_clustering, dtype=np.int64),
    )


def search_state(ensemble: Ensemble, labels: IntArray, n_clusters: int, seed: int) -> kernel.SearchState:
    """State of the kernel, before it is counted."""
    n, slots = ensemble.n_rows, min(n_clusters, ensemble.n_rows, max(_MOST, int(labels.max()) + 1)) + 2
    return kernel.SearchState(
        z=labels.astype(np.int64),
        n_rows=np.zeros(slots, dtype=np.int64),
        size=np.zeros(slots),
        label_size=np.zeros((slots, ensemble.n_cells)),
        observed=np.zeros((slots, ensemble.n_clusterings)),
        value=np.zeros(slots),
        sorted=np.zeros(slots),
        members=np.zeros(n, dtype=np.int64),
        sides=np.zeros(n, dtype=np.int64),
        prior=np.zeros(1),
        generator=np.array([2 * seed + 1], dtype=np.uint64),
        best=np.zeros(n, dtype=np.int64),
    )


def hard_occupancy(ensemble: Ensemble, labels: IntArray, n_clusters: int) -> Occupancy:
    """Occupancy of labelled rows; all K sizes, and the labels of the clusters that may have rows."""
    k, weights = int(labels.max()) + 1, ensemble.row_weights
    label_size = np.zeros((ensemble.n_cells, k))
    for j, first in enumerate(ensemble.first_cell):
        seen = ensemble.codes[:, j] >= 0
        place = (first + ensemble.codes[seen, j]).astype(np.int64) * k + labels[seen]
        label_size += np.bincount(place, weights[seen], minlength=label_size.size).reshape(label_size.shape)
    return Occupancy(np.bincount(labels, weights, minlength=n_clusters).astype(np.float64), label_size)


def occupancy_of_weights(ensemble: Ensemble, weighted: FloatArray, n_clusters: int) -> Occupancy:
    """Occupancy of rows that belong to clusters with these weights, (n_rows, k)."""
    size = np.zeros(n_clusters)
    size[: weighted.shape[1]] = weighted.sum(axis=0)
    return Occupancy(size, np.asarray(ensemble.indicator.T @ weighted))
