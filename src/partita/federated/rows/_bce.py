"""BCE on rows of several sites: exact variational EM, with one exchange of sums per iteration (eqs. S1 to S3).

The E-step needs alpha and beta alone, the M-step sums over objects alone. The statistics of Newton's method for alpha
do not depend on alpha, because gamma is fixed during an M-step, so that they are asked for once per iteration and not,
as in the paper, once per Newton step. Given the same first parameters, every iteration is that of the pooled rows.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from partita._kernels.bce import MembershipSums
from partita._labels.ensemble import Ensemble
from partita._runs import warn_not_converged
from partita._typing import FloatArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._bce import AGAIN, ALPHAS, MIXED, RISE, SHORT
from partita.consensus.models._bce_gibbs import refuse_sampling
from partita.consensus.models._bce_steps import (
    SETTLED,
    BCEColumns,
    BCEProblem,
    BCERun,
    BCEState,
    climb_bce,
    e_step,
    flat_gamma,
    hard_gamma,
    label_problem,
)
from partita.consensus.models._em import EMRun, minus_bound, warn_one_clustering
from partita.consensus.models._mixture import PLAIN
from partita.consensus.models._starts import state_of_counts
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, MOST_CLUSTERS, MOST_STEPS, array_of, kept, number_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._mixture import run_starts
from partita.federated.rows._starts import HardStart

MIXTURE_TOL = 1e-4  # of the mixtures whose clusters are a start
_FINALISTS = 4  # starts that are run to the end


# -------------------------------------------------------------------------------------------------------- at a site
def problem_of(rows: LabelledRows, smoothing: float) -> BCEProblem:
    """The rows of a site as a problem of BCE."""
    return label_problem(rows.ensemble, BCEColumns(rows.ensemble.layout, smoothing))


def state_from(values: Values, n_cells: int, n_clusters: int | None = None) -> BCEState:
    """Parameters as they were sent."""
    alpha = array_of(values, "alpha", n_clusters)
    return BCEState(alpha, array_of(values, "table", n_cells, len(alpha)), *no_features(len(alpha)))


def no_features(k: int) -> tuple[FloatArray, FloatArray]:
    """Location and spread of no features."""
    return np.empty((0, k)), np.empty((0, k))


def set_gamma(problem: BCEProblem, state: BCEState, values: Values, memory: SiteMemory) -> FloatArray:
    """Where the E-step of the rows begins; every run has gamma in a place of its own."""
    action, place = values["action"], f"gamma-{number_of(values, 'place', 0, LAST_PLACE)}"
    if action == "flat":
        memory[place] = flat_gamma(problem, state.alpha)
    elif action == "hard":
        memory[place] = hard_gamma(problem, state)
    elif action == "keep":
        memory["before"] = kept(memory, place).copy()
    elif action == "restore":
        memory[place] = kept(memory, "before").copy()
    return kept(memory, place, len(problem.row_weights), len(state.alpha))


def _expect(site: Any, values: Values) -> dict[str, Any]:
    """E-step of the site's rows."""
    n_steps = number_of(values, "n_steps", 1, MOST_STEPS)
    problem, state = problem_of(site.rows, site.estimator.smoothing), state_from(values, site.rows.ensemble.n_cells)
    gamma = set_gamma(problem, state, values, site.memory)
    sums = e_step(problem, state, gamma, np.empty(len(gamma)), n_steps=n_steps, tol=SETTLED)
    return {"labels": sums.labels, "log_theta": sums.log_theta, "bound": sums.bound}


ANSWERS = {"bce.expect": _expect}


# ------------------------------------------------------------------------------------------------ at the coordinator
class RemoteGamma:
    """Gamma of all rows, which stays at the sites: what the next E-step is to do with it."""

    def __init__(self, action: str) -> None:
        self.action = action

    def copy(self) -> "RemoteGamma":
        """Have the sites keep what they have; it stands for what they kept."""
        self.action = "keep"
        return self

    def __setitem__(self, place: Any, values: Any) -> None:
        self.action = "restore"

    def take(self) -> str:
        """The action; it is done once."""
        action, self.action = self.action, "go"
        return action


class RowRun(NamedTuple):
    """A run, and the place where the sites have gamma of its end."""

    run: EMRun
    place: int


def run_rows(
    sites: Sites,
    first: BCEState,
    *,
    columns: BCEColumns,
    n: float,
    tol: float,
    max_iter: int,
    begin: str = "flat",
    place: int = 0,
) -> RowRun:
    """Variational EM from a state to its end; gamma begins "flat", or "hard"."""
    gamma, (t, k) = RemoteGamma(begin), first.table.shape
    shapes = {"labels": (t, k), "log_theta": (k,), "bound": (1,)}

    def sums_of(state: BCEState, n_steps: int) -> MembershipSums:
        values = {"alpha": state.alpha, "table": state.table, "n_steps": n_steps}
        total = sites.total("bce.expect", {**values, "action": gamma.take(), "place": place}, shapes)
        return MembershipSums(total["labels"], np.zeros((3, 0, k)), total["log_theta"], total["bound"])

    return RowRun(climb_bce(sums_of, gamma, first, columns=columns, n=n, tol=tol, max_iter=max_iter), place)


def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """The best of several starts, all of them from sums over the sites."""
    refuse_sampling(estimator, "a fit by rows of several sites")
    warn_one_clustering(estimator, layout)
    columns, found = BCEColumns(layout, estimator.smoothing), starts_for(sites, estimator, layout)
    run = partial(run_rows, sites, columns=columns, n=found[0].n, tol=estimator.tol)
    firsts = first_states(found, layout)
    ends = [run(first, max_iter=SHORT).run for first in firsts]
    order = np.argsort([minus_bound(end) for end in ends], kind="stable")[:_FINALISTS]
    best = run_on([firsts[i] for i in order], partial(run, max_iter=estimator.max_iter))
    if not best.run.converged:
        warn_not_converged(type(estimator).__name__, estimator.max_iter)
    return as_model(best)


def starts_for(sites: Sites, estimator: Any, layout: Ensemble) -> list[HardStart]:
    """The clusters of mixtures of multinomials, which are near those of BCE and cost few exchanges."""
    limits = {"tol": MIXTURE_TOL, "max_iter": int(estimator.max_iter)}
    runs = run_starts(sites, layout, int(estimator.n_clusters), PLAIN, estimator.random_state, limits)
    return [HardStart(run.stats.mass, run.stats.label_mass, float(run.stats.mass.sum())) for run in runs]


def first_states(found: list[HardStart], layout: Ensemble) -> list[BCEState]:
    """Hard clusters, mixed with what all objects have."""
    k = len(found[0].size)
    return [
        BCEState(np.full(k, alpha), state_of_counts(start.size, start.mass, layout, mixed).table, *no_features(k))
        for start in found
        for mixed in MIXED
        for alpha in ALPHAS
    ]


def run_on(firsts: list[BCEState], run: Callable[..., RowRun]) -> RowRun:
    """The best of some starts, each run from equal memberships and from hard ones; then again from its end.

    That is with each row in one cluster, as long as the bound rises (eq. M58). The sites keep gamma of the best run,
    and that of the present one.
    """
    best = run(firsts[0], begin="flat", place=0)
    others = [(first, begin) for first in firsts for begin in ("flat", "hard")][1:]
    for first, begin in others:
        best = _better(best, run(first, begin=begin, place=1 - best.place), 0.0)
    for _ in range(AGAIN):
        before, best = best, _better(best, run(best.run.state, begin="hard", place=1 - best.place), RISE)
        if best is before:
            break
    return best


def _better(best: RowRun, other: RowRun, rise: float) -> RowRun:
    """The other one, if its bound is higher by more than ``rise``, relatively."""
    before = best.run.history[-1]
    return other if other.run.history[-1] - before > rise * abs(before) else best


# ---------------------------------------------------------------------------------------------------------- the model
def as_model(best: RowRun) -> Model:
    """What every site may know."""
    state, history, converged = best.run.state, best.run.history, best.run.converged
    return {
        "alpha": state.alpha,
        "table": state.table,
        "history": list(history),
        "converged": converged,
        "place": best.place,
        "n_clusters": len(state.alpha),
    }


def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows, with gamma where the last E-step left it."""
    k, place = number_of(model, "n_clusters", 1, MOST_CLUSTERS), number_of(model, "place", 0, LAST_PLACE)
    problem, state = problem_of(rows, estimator.smoothing), state_from(model, rows.ensemble.n_cells, k)
    gamma = kept(memory, f"gamma-{place}", rows.ensemble.n_rows, k)
    history = array_of(model, "history", None).tolist()
    run = BCERun(state, state, gamma, history, bool(model["converged"]))
    found: Consensus = estimator._keep(problem, run)
    estimator._observed_weight = observed_weight(rows)
    return found


def observed_weight(rows: LabelledRows) -> FloatArray:
    """Weight of the clusterings that label each object."""
    of_rows = (rows.ensemble.codes >= 0) @ rows.ensemble.clustering_weights
    return np.append(of_rows, 0.0)[rows.row_of_object]


METHOD = RowMethod(fit, restore)
