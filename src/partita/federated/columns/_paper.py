"""The column-distributed EM of the BCE paper (Wang, Shan and Banerjee, 2011), for its timing figure.

Every site sends, for each of its clusterings, log beta of the label of each object, n x k numbers; the coordinator runs
the whole inner loop and sends phi of that clustering back. Per iteration that is one message each way and clustering,
however many steps the loop has; but log beta has one distinct row per label, so that the coordinator reads every
clustering off.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita._kernels.bce import MembershipParameters, MembershipRows, MembershipSums, expect_memberships
from partita._typing import FloatArray, IntArray
from partita.consensus.models._bce_steps import SETTLED, SumsOf
from partita.consensus.models._em import penalty
from partita.exceptions import SiteError
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, array_of, number_of
from partita.federated._sites import Sites, fault_of
from partita.federated.columns._bce_steps import ColumnState, Gamma, add_phi, as_sums, change_table, expected_logs

_TINY = 1e-300  # instead of 0 in logs


# -------------------------------------------------------------------------------------------------------- at a site
def _send(site: Any, values: Values) -> dict[str, Any]:
    """Log beta of the label of each object, (m, n, k); NaN where there is none."""
    ensemble, table = site.ensemble, change_table(site, values)
    logs = np.log(np.maximum(np.vstack([table, np.ones(table.shape[1])]), _TINY))
    cells = np.where(ensemble.codes >= 0, ensemble.codes + ensemble.first_cell, -1).T
    sent = logs[cells]
    sent[cells < 0] = np.nan
    part = penalty(table, site.estimator.smoothing, ensemble.cell_weights)
    return {"logs": sent, "weights": ensemble.clustering_weights, "penalty": part}


def _receive(site: Any, values: Values) -> dict[str, Any]:
    """Phi of the site's clusterings: what its M-step needs."""
    ensemble = site.ensemble
    sums = np.zeros(site.table(number_of(values, "place", 0, LAST_PLACE)).shape)
    sent = array_of(values, "phi", ensemble.n_clusterings, ensemble.n_rows, sums.shape[1])
    for j, phi in enumerate(sent):
        seen = ensemble.codes[:, j] >= 0
        add_phi(sums, ensemble.codes[seen, j] + ensemble.first_cell[j], phi[seen])
    site.memory["sums"] = sums
    return {"ready": True}


ANSWERS = {"paper.send": _send, "paper.receive": _receive}


# ------------------------------------------------------------------------------------------------ at the coordinator
def paper_sums_at(sites: Sites, gamma: Gamma, place: int) -> SumsOf:
    """The E-step of all objects, with the labels' probabilities of every clustering."""

    def sums_of(state: ColumnState, n_steps: int) -> MembershipSums:
        change = {**gamma.take(state.change), "place": place}
        replies = sites.each("paper.send", change)
        _check(replies, len(gamma.values), len(state.alpha))
        logs = np.concatenate([np.asarray(replies[name]["logs"]) for name in sites.names])
        weights = np.concatenate([np.asarray(replies[name]["weights"]) for name in sites.names])
        phi, bound = expect_here(logs, weights, state.alpha, gamma.values, n_steps)
        first = np.cumsum([0, *(len(replies[name]["logs"]) for name in sites.names)])
        for name, lo, hi in zip(sites.names, first[:-1], first[1:], strict=True):
            sites.each("paper.receive", {"phi": phi[lo:hi], "place": place}, to=[name])
        penalties = sum(float(replies[name]["penalty"]) for name in sites.names)
        sums = as_sums(state.alpha, gamma.values, expected_logs(gamma.values), np.zeros(1))
        return sums._replace(bound=bound + penalties)

    return sums_of


def _check(replies: Mapping[str, Any], n: int, k: int) -> None:
    """Refuse what is not one table of logs and one weight per clustering."""
    failed = {}
    for name, reply in replies.items():
        shape = np.shape(reply.get("logs"))
        fault = fault_of(reply, {"weights": shape[:1], "penalty": ()})
        if len(shape) != 3 or shape[1:] != (n, k):
            fault = f"sent 'logs' of shape {shape} instead of one table {(n, k)} per clustering"
        if fault:
            failed[name] = fault
    if failed:
        raise SiteError(failed)


def expect_here(
    logs: FloatArray, weights: FloatArray, alpha: FloatArray, gamma: FloatArray, n_steps: int
) -> tuple[FloatArray, FloatArray]:
    """Phi (m, n, k) and the bound; the kernel of the pooled rows, in which every object has labels of its own."""
    m, n, k = logs.shape
    seen = ~np.isnan(logs[:, :, 0]).T  # (n, m)
    start = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int64)
    column: IntArray = np.broadcast_to(np.arange(m), (n, m))[seen]
    table = np.ascontiguousarray(np.exp(logs.transpose(1, 0, 2)[seen]))
    rows = MembershipRows(start, np.arange(len(table), dtype=np.int32), np.empty((n, 0)), np.ones(n))
    nothing, no_features = np.empty(0), np.empty((0, k))
    no_families = np.empty(0, dtype=np.int64)
    parameters = MembershipParameters(alpha, table, weights[column], no_families, no_features, no_features, nothing)
    sums = MembershipSums(np.zeros(table.shape), np.zeros((3, 0, k)), np.zeros(k), np.zeros(1))
    expect_memberships(rows, parameters, 0, n, n_steps, SETTLED, gamma, np.empty(n), sums)
    phi = np.zeros((n, m, k))
    phi[seen] = sums.labels
    return phi.transpose(1, 0, 2), sums.bound
