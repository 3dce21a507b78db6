"""The paper's heuristic for BCE on rows of several sites: parameters go round, from one site to the next (eq. S6).

Each site makes an E-step and an M-step on its own rows only, and hands alpha and beta on; a round ends when all sites
have had them once. There is no bound that rises, and the parameters are mainly those of the last site: exact EM
(``_bce.py``) needs no more messages, so that this is here for comparison. Labels that a site does not have would
become impossible there, and ruin the rows of the next one: counts are smoothed, by 0.001 at least.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import warn_not_converged
from partita.consensus.models._bce_gibbs import refuse_sampling
from partita.consensus.models._bce_steps import SETTLED, BCEColumns, BCEState, e_step, m_step, penalised_bound
from partita.consensus.models._em import EMRun, warn_one_clustering
from partita.exceptions import SiteError
from partita.federated._engine import Values
from partita.federated._incoming import real_of
from partita.federated._sites import Sites, fault_of
from partita.federated.rows._bce import (
    RowRun,
    as_model,
    first_states,
    problem_of,
    restore,
    run_rows,
    set_gamma,
    starts_for,
    state_from,
)
from partita.federated.rows._fit import Model, RowMethod

SMOOTHING = 1e-3  # pseudo-count of every label, if the estimator has less
ROUNDS = 10  # at most, as in the paper
_STEPS = 50  # of the inner fixed point: each site has its rows once per round


def _visit(site: Any, values: Values) -> dict[str, Any]:
    """One E-step and M-step on the site's own rows."""
    problem, state = problem_of(site.rows, real_of(values, "smoothing")), state_from(values, site.rows.ensemble.n_cells)
    gamma = set_gamma(problem, state, values, site.memory)
    sums = e_step(problem, state, gamma, np.empty(len(gamma)), n_steps=_STEPS, tol=SETTLED)
    bound = penalised_bound(state, sums, problem.columns)
    after = m_step(state, sums, columns=problem.columns, n=problem.n)
    return {"alpha": after.alpha, "table": after.table, "bound": bound}


ANSWERS = {"bce.visit": _visit}


def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """Rounds through the sites, until the sum of their bounds hardly changes."""
    refuse_sampling(estimator, "a fit by rows of several sites")
    warn_one_clustering(estimator, layout)
    smoothing = max(float(estimator.smoothing), SMOOTHING)
    found = starts_for(sites, estimator, layout)
    state = _best_first(sites, first_states(found, layout), BCEColumns(layout, smoothing), found[0].n)
    history: list[float] = []
    converged = False
    for number in range(min(int(estimator.max_iter), ROUNDS)):
        bound = 0.0
        for name in sites.names:
            state, its_bound = _ask(sites, name, state, smoothing, "flat" if number == 0 else "go")
            bound += its_bound
        history.append(bound)
        converged = number > 0 and abs(bound - history[-2]) <= estimator.tol * max(abs(bound), found[0].n)
        if converged:
            break
    if not converged and int(estimator.max_iter) < ROUNDS:
        warn_not_converged("BCE by the heuristic", estimator.max_iter)
    return as_model(RowRun(EMRun(state, None, history, converged), 0))


def _best_first(sites: Sites, firsts: list[BCEState], columns: BCEColumns, n: float) -> BCEState:
    """The start of the highest bound."""
    bounds = [run_rows(sites, first, columns=columns, n=n, tol=0.0, max_iter=1).run.history[0] for first in firsts]
    return firsts[int(np.argmax(bounds))]


def _ask(sites: Sites, name: str, state: BCEState, smoothing: float, action: str) -> tuple[BCEState, float]:
    """Parameters and bound after the visit of one site."""
    values = {"alpha": state.alpha, "table": state.table, "smoothing": smoothing, "action": action, "place": 0}
    reply = sites.each("bce.visit", values, [name])[name]
    fault = fault_of(reply, {"alpha": state.alpha.shape, "table": state.table.shape, "bound": ()})
    if fault:
        raise SiteError({name: fault})
    return state_from(reply, len(state.table)), float(reply["bound"])


METHOD = RowMethod(fit, restore)
