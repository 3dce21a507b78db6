"""The methods of the papers' experiments, under the papers' names, with the settings of the papers.

Graph methods balance their parts within 5 %, as METIS does by default and the papers ran it; the library's own default
is more generous. All else is as the library fits it: its starts are better than single random ones, so that the spread
over seeds is smaller than in the papers.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import partita.consensus as methods

_STRICT = 0.05  # imbalance of the papers' graph partitions


class Problem(NamedTuple):
    """An ensemble to be combined."""

    labels: Any
    n_clusters: int
    seed: int
    features: Any = None
    options: dict[str, Any] = {}  # noqa: RUF012 (never changed): what the experiment varies


Contestant = Callable[[Problem], Any]  # to a fitted estimator, or what has labels_


def _of(name: str, **settings: Any) -> Contestant:
    """A method that gets the number of clusters, a seed, and what the experiment varies; imported when it is fitted."""

    def fit(problem: Problem) -> Any:
        chosen = settings | problem.options
        model = getattr(methods, name)(n_clusters=problem.n_clusters, random_state=problem.seed, **chosen)
        fitted = model.fit(problem.labels)
        wanted = settings.get("partitioner")
        if wanted is not None and fitted.partitioner_ not in (wanted, "none"):  # "none": nothing was to be partitioned
            raise ImportError(
                f"{name} of the paper needs {wanted}, and ran by {fitted.partitioner_} instead; pip install "
                "'partita[graph]' where there are wheels for it."
            )
        return fitted

    return fit


def _nbce(inference: Any, prior: Any, **settings: Any) -> Contestant:
    """NBCE, which finds the number of clusters."""

    def fit(problem: Problem) -> Any:
        return methods.NBCE(inference, prior, random_state=problem.seed, **settings).fit(problem.labels)

    return fit


def _gbce(problem: Problem) -> Any:
    """Labels and features; a label counts as much as all features (eq. R48), unless the experiment says otherwise."""
    n_features = problem.features.shape[1]
    settings: dict[str, Any] = {"families": "gaussian", "label_weights": float(n_features)} | problem.options
    model = methods.GBCE(problem.n_clusters, random_state=problem.seed, **settings)
    return model.fit(problem.labels, features=problem.features)


CONTESTANTS: dict[str, Contestant] = {
    "EAC-SL": _of("EAC", linkage="single"),
    "EAC-AL": _of("EAC", linkage="average"),
    "EAC-WL": _of("EAC", linkage="ward"),
    "CSPA": _of("CSPA", partitioner="metis", imbalance=_STRICT),
    "HGPA": _of("HGPA", partitioner="kahypar", imbalance=_STRICT),
    "MCLA": _of("MCLA", partitioner="metis", imbalance=_STRICT),
    "HBGF": _of("HBGF", partitioner="spectral"),
    "MM": _of("MultinomialMixture"),
    "QMI": _of("QMI"),
    "k-means": _of("LabelKMeans"),
    "PCC-l2": _of("PCC", divergence="l2"),
    "PCC-KL": _of("PCC", divergence="kl"),
    "PEACE": _of("PEACE"),
    "BE": _of("BaumEagon"),
    "BCE": _of("BCE"),
    "GBCE": _gbce,
    "NBCE": _nbce("gibbs", "tsb"),
    "NBCE-FSD": _nbce("gibbs", "fsd"),
    "NBCE-CVB": _nbce("cvb", "tsb"),
    "NBCE-VB": _nbce("vb", "fsd"),
    "NBCE-VB, fixed": _nbce("vb", "fsd", alpha0=1.0, beta=0.5),
}
ONE_CLUSTER = "one cluster"  # the trivial partition, beside every method
