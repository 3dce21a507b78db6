"""BCE on clusterings of several sites: what a site answers, and the E-step and M-step of the coordinator.

The coordinator keeps gamma and alpha; sites keep labels and beta of their clusterings. One step of the fixed point is
one exchange: w = psi(gamma) - psi(sum gamma) goes out, phi summed over columns comes back, and only objects that still
move are asked about. A last exchange per E-step gives the bound, and the sites what their M-step needs (eqs. S22 to
S25): an iteration takes one exchange more than it has steps, which are five at first.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from partita._kernels.bce import MembershipSums
from partita._labels.ensemble import Ensemble
from partita._typing import FloatArray, IntArray
from partita.consensus.models._bce_steps import SETTLED, SumsOf, alpha_beyond, table_beyond
from partita.consensus.models._dirichlet import maximise_alpha
from partita.consensus.models._em import normalise, penalty
from partita.consensus.models._mixture import MixtureState, log_tables
from partita.consensus.models._starts import label_mass, state_of_counts
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, MOST_CLUSTERS, array_of, kept, number_of, real_of, whole_numbers_of
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model


# -------------------------------------------------------------------------------------------------------- at a site
def change_table(site: Any, values: Values) -> FloatArray:
    """What the M-step, or the start of a run, makes of the site's beta; returns it."""
    action, place = values["action"], number_of(values, "place", 0, LAST_PLACE)
    memory, smoothing = site.memory, site.estimator.smoothing
    if action == "start":
        site.set_table(place, first_table(site.ensemble, values))
    elif action == "copy":
        site.set_table(place, site.table(number_of(values, "from", 0, LAST_PLACE)))
    elif action == "back":
        site.set_table(place, kept(memory, "plain", *site.table(place).shape))
    elif action == "update":
        old, factor = site.table(place), real_of(values, "factor")
        memory["plain"] = normalise(kept(memory, "sums", *old.shape) + smoothing, site.ensemble, old)
        further = factor > 1
        table = table_beyond(old, memory["plain"], factor, site.ensemble) if further else memory["plain"]
        site.set_table(place, table)
    return np.asarray(site.table(place))


def first_table(ensemble: Ensemble, values: Values) -> FloatArray:
    """Beta of hard clusters, mixed with what all objects have."""
    labels, k = clusters_from(values, ensemble.n_rows)
    size = np.bincount(labels, minlength=k).astype(np.float64)
    return state_of_counts(size, label_mass(ensemble, labels, k), ensemble, real_of(values, "mixed")).table


def clusters_from(values: Values, n: int) -> tuple[IntArray, int]:
    """Cluster of each object as they were sent, and the number of clusters."""
    k = number_of(values, "n_clusters", 1, MOST_CLUSTERS)
    return whole_numbers_of(values, "labels", 0, k - 1, n), k


class ColumnPart(NamedTuple):
    """The objects that have a label in one clustering."""

    column: int
    objects: IntArray | slice
    codes: IntArray
    phi: FloatArray  # (n, k)
    divisors: FloatArray  # (n,) s: what phi was divided by


def share_columns(ensemble: Ensemble, codes: IntArray, table: FloatArray, w: FloatArray) -> Iterator[ColumnPart]:
    """Phi of each clustering: prop. to beta exp(w)   (eq. S22)."""
    theta = np.exp(w)
    for j, first in enumerate(ensemble.first_cell):
        seen: IntArray | slice = slice(None) if codes[:, j].min(initial=0) >= 0 else np.flatnonzero(codes[:, j] >= 0)
        of_column = codes[seen, j]
        phi = table[first + of_column] * theta[seen]
        divisors = np.einsum("ih->i", phi)
        yield ColumnPart(j, seen, of_column, phi / divisors[:, None], divisors)


def _step(site: Any, values: Values) -> dict[str, Any]:
    """Phi of some objects, summed over the site's columns."""
    objects, table = whole_numbers_of(values, "objects", 0, site.ensemble.n_rows - 1, None), change_table(site, values)
    w = array_of(values, "w", len(objects), table.shape[1])
    phi, weights = np.zeros(w.shape), site.ensemble.clustering_weights
    for part in share_columns(site.ensemble, site.ensemble.codes[objects], table, w):
        phi[part.objects] += weights[part.column] * part.phi
    return {"phi": phi}


def _finish(site: Any, values: Values) -> dict[str, Any]:
    """The site's part of the bound, one number; what its M-step needs is kept."""
    ensemble, table = site.ensemble, site.table(number_of(values, "place", 0, LAST_PLACE))
    w = array_of(values, "w", ensemble.n_rows, table.shape[1])
    sums, bound = np.zeros(table.shape), penalty(table, site.estimator.smoothing, ensemble.cell_weights)
    for part in share_columns(ensemble, ensemble.codes, table, w):
        add_phi(sums, part.codes + ensemble.first_cell[part.column], part.phi)
        bound += ensemble.clustering_weights[part.column] * float(np.log(part.divisors).sum())
    site.memory["sums"] = sums
    return {"bound": np.array([bound])}


def add_phi(sums: FloatArray, cells: IntArray, phi: FloatArray) -> None:
    """Add phi of one clustering to the sums of its labels."""
    for h in range(sums.shape[1]):
        sums[:, h] += np.bincount(cells, weights=phi[:, h], minlength=len(sums))


def _logs(site: Any, values: Values) -> dict[str, Any]:
    """Log probability of the site's labels of each object in each cluster."""
    state = MixtureState(np.ones(1), change_table(site, values))
    return {"logs": site.ensemble.sum_over_labels(log_tables(state, site.ensemble.cell_weights)[0])}


ANSWERS = {"bce.step": _step, "bce.finish": _finish, "bce.logs": _logs}


# ------------------------------------------------------------------------------------------------ at the coordinator
class ColumnState(NamedTuple):
    """Alpha, and how the sites come to their beta."""

    alpha: FloatArray
    change: Model


class Gamma:
    """Gamma of all objects; it knows when an update is taken back, which the sites must do too."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self.restored = False

    def copy(self) -> FloatArray:
        """As it is now."""
        return self.values.copy()

    def __setitem__(self, place: Any, values: FloatArray) -> None:
        self.values[place] = values
        self.restored = True

    def take(self, change: Model) -> Model:
        """What the sites are to do; going back is done once."""
        found = {"action": "back"} if self.restored else change
        self.restored = False
        return found


def expected_logs(gamma: FloatArray) -> FloatArray:
    """E[log theta] = psi(gamma) - psi(sum gamma)."""
    return np.asarray(psi(gamma) - psi(gamma.sum(axis=1, keepdims=True)))


def bound_of_gamma(alpha: FloatArray, gamma: FloatArray, w: FloatArray) -> float:
    """The bound without what the sites add (eq. S24)."""
    of_alpha = float(gammaln(alpha.sum()) - gammaln(alpha).sum())
    of_gamma = gammaln(gamma).sum(axis=1) - gammaln(gamma.sum(axis=1)) + ((alpha - gamma) * w).sum(axis=1)
    return len(gamma) * of_alpha + float(of_gamma.sum())


def sums_at(sites: Sites, gamma: Gamma, place: int) -> SumsOf:
    """The E-step of all objects over the columns of all sites."""

    def sums_of(state: ColumnState, n_steps: int) -> MembershipSums:
        change, alpha, values = gamma.take(state.change), state.alpha, gamma.values
        moving = np.arange(len(values))
        for _ in range(n_steps):
            w = expected_logs(values[moving])
            asked = {**change, "place": place, "objects": moving, "w": w}
            moved = alpha + sites.total("bce.step", asked, {"phi": w.shape})["phi"]  # eq. S23
            changes = np.abs(moved - values[moving]).max(axis=1)
            values[moving], change = moved, {"action": "go"}
            moving = moving[changes >= SETTLED]
            if not len(moving):
                break
        w = expected_logs(values)
        bound = sites.total("bce.finish", {"place": place, "w": w}, {"bound": (1,)})["bound"]
        return as_sums(alpha, values, w, bound)

    return sums_of


def as_sums(alpha: FloatArray, gamma: FloatArray, w: FloatArray, bound: FloatArray) -> MembershipSums:
    """What the coordinator's M-step needs; the labels are the sites'."""
    no_labels, no_features = np.empty((0, len(alpha))), np.empty((3, 0, len(alpha)))
    return MembershipSums(no_labels, no_features, w.sum(axis=0), bound + bound_of_gamma(alpha, gamma, w))


def update(state: ColumnState, sums: MembershipSums, n: float) -> ColumnState:
    """M-step: alpha here, beta at the sites before the next step."""
    return ColumnState(maximise_alpha(state.alpha, sums.log_theta, n), {"action": "update", "factor": 1.0})


def beyond(old: ColumnState, new: ColumnState, factor: float) -> ColumnState:
    """The same further on (eq. M37)."""
    return ColumnState(alpha_beyond(old.alpha, new.alpha, factor), {"action": "update", "factor": factor})
