"""NBCE by variational Bayes on clusterings of several sites: exact (eqs. S27, S28).

It is EM of the mixture with expected logs for logs. What is added are the divergence of the sites' rho, one number per
site, and Newton's method for beta, the prior of the labels: both slopes are sums over columns, and each of its few
steps is an exchange of two numbers.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import psi

from partita._labels.ensemble import layout_of
from partita._runs import draw_seeds, warn_not_converged
from partita._typing import FloatArray, IntArray
from partita.base import Consensus, LabelledRows
from partita.consensus.models._em import EMRun, climb, column_sums, minus_bound
from partita.consensus.models._starts import label_mass
from partita.consensus.nbce._hyperparameters import NOTHING, estimate_beta, estimate_parameters, slopes_of_labels
from partita.consensus.nbce._joint import NBCEModel, Occupancy, log_label_likelihood
from partita.consensus.nbce._variational_starts import VariationalSettings
from partita.consensus.nbce._vb import VBState, divergence_of_labels, divergence_of_weights, summarise
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, array_of, kept, number_of, real_of, whole_numbers_of
from partita.federated._sites import Sites
from partita.federated.columns._bce_steps import clusters_from
from partita.federated.columns._fit import ColumnMethod, CommonObjects
from partita.federated.columns._starts import annealed_starts, merge_path, soften
from partita.federated.rows._fit import Model

NO_CLUSTERINGS = layout_of(np.empty(0, dtype=np.int64))  # where the coordinator needs a model of the weights alone
_MOST = 64  # clusters of a start; the prior closes those that are not needed
_SEQUENTIAL = (
    "NBCE(inference={!r}) updates one object after another, which would take an exchange between the sites for each; "
    "pass NBCE(inference='vb')."
)


# -------------------------------------------------------------------------------------------------------- at a site
def _model(site: Any, beta: float) -> NBCEModel:
    return NBCEModel(site.ensemble.layout, "fsd", 1.0, beta)  # alpha0 is the coordinator's


def _count(site: Any, values: Values) -> dict[str, Any]:
    """Expected number of objects with each label in each cluster: kept here; what leaves is their sum over labels."""
    ensemble = site.ensemble
    if "labels" in values:
        counts = label_mass(ensemble, *clusters_from(values, ensemble.n_rows))
    else:
        k = kept(site.memory, "counts").shape[1]  # a run begins with labels
        counts = ensemble.indicator.T @ array_of(values, "membership", ensemble.n_rows, k)
    site.memory["counts"] = counts
    return {"seen": counts.sum(axis=0)}


def _slopes(site: Any, values: Values) -> dict[str, Any]:
    """The site's part of the likelihood of beta, and of its first two derivatives."""
    model, counts = _model(site, real_of(values, "beta")), kept(site.memory, "counts")
    counts = counts[:, whole_numbers_of(values, "used", 0, counts.shape[1] - 1, None)]
    first, second = slopes_of_labels(counts, model, model.beta)
    likelihood = log_label_likelihood(Occupancy(np.empty(0), counts), model)
    return {"slopes": np.array([first, second]), "likelihood": np.array([likelihood])}


def _expect(site: Any, values: Values) -> dict[str, Any]:
    """Rho of the site's labels, expected logs of the labels of each object, and the divergence of rho."""
    ensemble, model = site.ensemble, _model(site, real_of(values, "beta"))
    rho = model.beta + kept(site.memory, "counts")
    site.set_table(number_of(values, "place", 0, LAST_PLACE), rho)
    log_table = np.asarray(psi(rho) - psi(column_sums(rho, ensemble))[ensemble.cell_clustering])
    divergence = divergence_of_labels(VBState(np.empty(0), rho, model), log_table)
    logs = ensemble.sum_over_labels(log_table * ensemble.cell_weights[:, None])
    return {"logs": logs, "divergence": np.array([divergence])}


ANSWERS = {"nbce.count": _count, "nbce.slopes": _slopes, "nbce.columns": _expect}


# ------------------------------------------------------------------------------------------------ at the coordinator
class ColumnVB(NamedTuple):
    """Variational parameters of the weights, and those of the priors; rho is at the sites."""

    xi: FloatArray
    alpha0: float
    beta: float

    @property
    def logs(self) -> FloatArray:
        """E[log pi]."""
        return np.asarray(psi(self.xi) - psi(self.xi.sum()))

    @property
    def prior(self) -> NBCEModel:
        """The model without clusterings."""
        return NBCEModel(NO_CLUSTERINGS, "fsd", self.alpha0, self.beta)


class ColumnVBRun(NamedTuple):
    """A run, and the place where the sites have its rho."""

    run: EMRun
    place: int


class ColumnSteps:
    """E-step and M-step over the columns of all sites."""

    def __init__(self, sites: Sites, common: CommonObjects, estimate: tuple[bool, bool], place: int) -> None:
        self.sites, self.common = sites, common
        self.estimate, self.place = estimate, place

    def begin(self, labels: IntArray, K: int, alpha0: float, beta: float) -> ColumnVB:
        """The best xi and rho for hard clusters."""
        self.sites.total("nbce.count", {"labels": labels, "n_clusters": K}, {"seen": (K,)})
        size: FloatArray = np.bincount(labels, minlength=K).astype(np.float64)
        return ColumnVB(alpha0 / K + size, alpha0, beta)

    def expect(self, state: ColumnVB) -> tuple[FloatArray, float]:
        """Memberships, and the bound."""
        K = len(state.xi)
        shapes = {"logs": (self.common.n, K), "divergence": (1,)}
        total = self.sites.total("nbce.columns", {"beta": state.beta, "place": self.place}, shapes)
        membership, log_sums = soften(total["logs"] + state.logs)
        of_weights = divergence_of_weights(VBState(state.xi, np.empty(0), state.prior), state.logs)
        return membership, float(log_sums.sum() - total["divergence"][0]) - of_weights

    def update(self, state: ColumnVB, membership: FloatArray) -> ColumnVB:
        """Xi here, rho at the sites before the next E-step; alpha0 and beta if they are to be estimated."""
        size, K = membership.sum(axis=0), len(state.xi)
        seen = self.sites.total("nbce.count", {"membership": membership}, {"seen": (K,)})["seen"]
        model = estimate_parameters(Occupancy(size, np.empty((0, K))), state.prior, self.estimate[0], False)
        if self.estimate[1]:
            model = self._with_beta(model, np.flatnonzero(seen > NOTHING))
        return ColumnVB(model.alpha0 / K + size, model.alpha0, model.beta)

    def _with_beta(self, model: NBCEModel, used: IntArray) -> NBCEModel:
        """Newton's method, every value from sums over columns."""
        known: dict[float, dict[str, FloatArray]] = {}

        def ask(beta: float) -> dict[str, FloatArray]:
            if beta not in known:
                shapes = {"slopes": (2,), "likelihood": (1,)}
                known[beta] = self.sites.total("nbce.slopes", {"beta": beta, "used": used}, shapes)
            return known[beta]

        def slopes(beta: float) -> tuple[float, float]:
            first, second = ask(beta)["slopes"].tolist()
            return first, second

        return estimate_beta(model, slopes, lambda beta: float(ask(beta)["likelihood"][0]))


def run_columns(
    sites: Sites,
    labels: IntArray,
    *,
    common: CommonObjects,
    settings: VariationalSettings,
    prior: NBCEModel,
    place: int = 0,
) -> ColumnVBRun:
    """Variational Bayes from hard clusters to its end; the statistics of the run are the memberships."""
    K = min(settings.truncation, common.n)
    steps = ColumnSteps(sites, common, settings.estimate, place)
    first = steps.begin(labels, K, prior.alpha0, prior.beta)
    end = climb(steps.expect, steps.update, first, tol=settings.tol, max_iter=settings.max_iter, n=common.n)
    return ColumnVBRun(end, place)


def fit(sites: Sites, estimator: Any, common: CommonObjects) -> Model:
    """The best of starts with different numbers of clusters: doubled ones first, then some near the best of them."""
    check_inference(estimator)
    prior, estimate = estimator._prior_model(NO_CLUSTERINGS)
    settings, seed = estimator._variational(estimate), int(draw_seeds(estimator.random_state, 1)[0])
    most = min(settings.truncation, common.n, _MOST)
    path = merge_path(sites, annealed_starts(sites, common, [most], seed)[0])
    run = partial(run_columns, sites, common=common, settings=settings, prior=prior)
    best = run(path[1])
    for size in first_sizes(max(path)):
        best = _better(best, run(path[size], place=1 - best.place))
    for size in near_sizes(n_used(best), int(estimator.n_init) + 2, max(path)):
        best = _better(best, run(path[size], place=1 - best.place))
    if not best.run.converged:
        warn_not_converged("NBCE with inference='vb'", settings.max_iter)
    return as_model(best)


def check_inference(estimator: Any) -> None:
    """Refuse inference that goes from object to object."""
    if estimator.inference != "vb":
        raise ValueError(_SEQUENTIAL.format(estimator.inference))


def _better(best: ColumnVBRun, end: ColumnVBRun) -> ColumnVBRun:
    return min(best, end, key=lambda one: minus_bound(one.run))


def first_sizes(most: int) -> list[int]:
    """2, 4, 8, ... clusters: a start opens none, and closes few."""
    return [*(2**power for power in range(1, (most - 1).bit_length())), most]


def n_used(best: ColumnVBRun) -> int:
    """Clusters that are the most probable ones of an object."""
    return len(np.unique(best.run.stats.argmax(axis=1)))


def near_sizes(n_clusters: int, n_sizes: int, most: int) -> list[int]:
    """Numbers of clusters from n / sqrt(2) to n sqrt(2)."""
    sizes = np.rint(n_clusters * np.geomspace(2**-0.5, 2**0.5, n_sizes))
    return sorted({int(size) for size in np.clip(sizes, 1, most)})


# ---------------------------------------------------------------------------------------------------------- the model
def as_model(best: ColumnVBRun) -> Model:
    """What the coordinator has: the clusters that are the most probable ones of an object."""
    state, membership = best.run.state, best.run.stats
    used = np.unique(membership.argmax(axis=1))
    inside = membership[:, used] / membership[:, used].sum(axis=1, keepdims=True)
    pi = state.xi[used] / state.xi.sum()
    ends = {"history": list(best.run.history), "converged": best.run.converged, "place": best.place}
    values = {"xi": state.xi, "alpha0": state.alpha0, "beta": state.beta}
    return {**ends, **values, "membership": inside, "prior": pi / pi.sum(), "clusters": used}


def restore(estimator: Any, rows: LabelledRows, model: Model, table: FloatArray, of_row: IntArray) -> Consensus:
    """A fitted estimator of the distinct rows of all clusterings."""
    prior = NBCEModel(rows.ensemble.layout, "fsd", model["alpha0"], model["beta"])
    run = EMRun(VBState(model["xi"], table, prior), None, model["history"], model["converged"])
    found: Consensus = estimator._keep(rows, summarise(rows.ensemble, run, model["clusters"]))
    return found


METHOD = ColumnMethod(fit, restore)
