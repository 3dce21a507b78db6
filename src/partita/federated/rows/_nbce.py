"""NBCE by variational Bayes on rows of several sites: exact, one exchange of sums per iteration (eq. S5).

Only "vb" is federated. Collapsed variational Bayes and Gibbs sampling update one object after another from counts that
contain all others: exact versions would exchange the counts after every single object. Sites that go on with old counts
of the others are an approximation whose limit is not the posterior, so that it is not offered under these names.
"""

from typing import Any, NamedTuple

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._runs import draw_seeds, warn_not_converged
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import EMRun, warn_one_clustering
from partita.consensus.nbce._hyperparameters import estimate_parameters
from partita.consensus.nbce._joint import NBCEModel, Occupancy
from partita.consensus.nbce._variational_starts import VariationalSettings
from partita.consensus.nbce._vb import VBState, climb_vb, expected_logs, most_probable, summarise
from partita.federated._engine import Values
from partita.federated._incoming import MOST_CLUSTERS, array_of, number_of, real_of, whole_numbers_of
from partita.federated._memory import SiteMemory
from partita.federated._sites import Sites
from partita.federated.rows._fit import Model, RowMethod
from partita.federated.rows._merge import CountedClusters, merge_clusters, nbce_value, side_by_side
from partita.federated.rows._mixture import stats_at
from partita.federated.rows._starts import MOST, search_sites, split_sites

_SEQUENTIAL = (
    "NBCE(inference={!r}) updates one object after another from counts of all others, which sites that do not pool "
    "their objects do not have; pass NBCE(inference='vb')."
)
_ESTIMATES = 4  # of alpha0 and beta, with merges between: they settle in two or three
_IN_VAIN = 1  # splits without success after which a fit ends
_ROUNDS = 10  # of splitting and merging: most fits need two to four


# ------------------------------------------------------------------------------------------------------- at a site
def _use(site: Any, values: Values) -> dict[str, Any]:
    """Weight of the rows whose most probable cluster is each one."""
    ensemble = site.rows.ensemble
    state = state_from(values, ensemble.layout)
    labels = most_probable(ensemble, expected_logs(state))
    return {"size": np.bincount(labels, ensemble.row_weights, minlength=len(state.xi))}


ANSWERS = {"nbce.use": _use}


def state_from(values: Values, layout: Ensemble) -> VBState:
    """Variational parameters as they were sent."""
    model, xi = (
        NBCEModel(layout, "fsd", real_of(values, "alpha0"), real_of(values, "beta")),
        array_of(values, "xi", None),
    )
    return VBState(xi, array_of(values, "rho", layout.n_cells, len(xi)), model)


def values_of(state: VBState) -> dict[str, Any]:
    """Variational parameters as they are sent."""
    return {"xi": state.xi, "rho": state.rho, "alpha0": state.model.alpha0, "beta": state.model.beta}


# ------------------------------------------------------------------------------------------------ at the coordinator
class NBCEFit(NamedTuple):
    """What stays the same during a fit."""

    sites: Sites
    layout: Ensemble
    settings: VariationalSettings
    n: float  # weight of all objects
    K: int

    def climb(self, state: VBState) -> EMRun:
        """Variational Bayes from a state to its end."""
        return climb_vb(stats_at(self.sites), state, self.settings, self.n)

    def merge(self, clusters: CountedClusters, model: NBCEModel) -> tuple[CountedClusters, NBCEModel]:
        """Clusters merged as long as that raises the joint, and alpha0 and beta of these clusters."""
        for _ in range(_ESTIMATES):
            found = merge_clusters(clusters, nbce_value(model, self.K))
            before, model = model, estimate_parameters(self.occupancy(found), model, *self.settings.estimate)
            if model[2:] == before[2:]:
                break
        return found, model

    def occupancy(self, clusters: CountedClusters) -> Occupancy:
        """The same with the sizes of all K clusters."""
        return Occupancy(np.pad(clusters.size, (0, self.K - len(clusters.size))), clusters.mass)

    def state(self, clusters: CountedClusters, model: NBCEModel) -> VBState:
        """The best xi and rho for hard clusters (eq. N28)."""
        missing = ((0, 0), (0, self.K - len(clusters.size)))
        size, mass = self.occupancy(clusters).size, np.pad(clusters.mass, missing)
        return VBState(model.alpha0 / self.K + size, model.beta + mass, model)


def fit(sites: Sites, estimator: Any, layout: Ensemble) -> Model:
    """Clusters of the sites, merged; then splits and merges as long as the bound rises."""
    if estimator.inference != "vb":
        raise ValueError(_SEQUENTIAL.format(estimator.inference))
    warn_one_clustering(estimator, layout)
    prior, estimate = estimator._prior_model(layout)
    settings = estimator._variational(estimate)
    n = float(sites.total("count", {}, {"n": (1,)})["n"][0])
    K, seed = int(min(settings.truncation, max(1.0, n))), int(draw_seeds(estimator.random_state, 1)[0])
    problem = NBCEFit(sites, layout, settings, n, K)
    best = _improve(problem, problem.climb(_first(problem, prior, seed)), seed)
    if not best.converged:
        warn_not_converged("NBCE with inference='vb'", settings.max_iter)
    state = values_of(best.state)
    used = np.flatnonzero(sites.total("nbce.use", state, {"size": (K,)})["size"] > 0)
    model = {**state, "used": used, "history": list(best.history), "converged": best.converged}
    return {**model, "n_clusters": len(used)}


def _first(problem: NBCEFit, prior: NBCEModel, seed: int) -> VBState:
    """The clusters that the sites found, merged; one cluster if they told none."""
    searched = search_sites(problem.sites, problem.layout, min(MOST, problem.K), seed, "nbce")
    if not len(searched.size):
        share = (
            np.full((problem.layout.n_cells, 1), problem.n)
            / problem.layout.n_labels[problem.layout.cell_clustering, None]
        )
        searched = CountedClusters(np.array([problem.n]), share)
    return problem.state(*problem.merge(searched, prior))


def _improve(problem: NBCEFit, best: EMRun, seed: int) -> EMRun:
    """Split the clusters where that raises the joint, merge, and climb again; as long as that helps."""
    in_vain = 0
    for number in range(_ROUNDS):
        clusters = _split_all(problem, best, seed + number)
        again = problem.climb(problem.state(*problem.merge(clusters, best.state.model)))
        if again.history[-1] > best.history[-1] + problem.settings.tol * abs(best.history[-1]):
            best, in_vain = again, 0
        else:
            in_vain += 1
        if in_vain == _IN_VAIN:
            break
    return best


def _split_all(problem: NBCEFit, best: EMRun, seed: int) -> CountedClusters:
    """The clusters, or parts of them where these have the higher joint."""
    value = nbce_value(best.state.model, problem.K)
    proposed = split_sites(problem.sites, *expected_logs(best.state), seed)
    return side_by_side([merge_clusters(parts, value) for parts in proposed], problem.K)


def restore(estimator: Any, rows: LabelledRows, model: Model, memory: SiteMemory) -> Consensus:
    """A fitted estimator of the site's rows."""
    state, k = state_from(model, rows.ensemble.layout), number_of(model, "n_clusters", 1, MOST_CLUSTERS)
    used = whole_numbers_of(model, "used", 0, len(state.xi) - 1, k)
    run = EMRun(state, None, array_of(model, "history", None).tolist(), bool(model["converged"]))
    found: Consensus = estimator._keep(rows, summarise(rows.ensemble, run, used))
    return found


METHOD = RowMethod(fit, restore)
