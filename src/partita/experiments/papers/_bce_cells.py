"""What the cells of the BCE paper's distributed figures compute, on the in-process engine of the federation."""

import time
from typing import Any

import numpy as np

from partita._typing import IntArray
from partita.consensus import BCE, LabelKMeans
from partita.experiments._cells import Measured, Row, words_of
from partita.experiments._contestants import Problem
from partita.experiments._recipes import ensemble_recipe
from partita.experiments._scoring import ensemble_of, measured, points, scores, trivial
from partita.federated import simulate

METRICS = ("MP", "H")
MAX_ITER = 200  # of the timed fits


# ------------------------------------------------------------------------------------------------------------- figure 5
def rows_of_parties(*, data: str, shown: str, seed: int, parties: list[int]) -> Measured:
    """Exact and heuristic row-distributed BCE and distributed k-means, for several numbers of parties."""
    given = points(data)
    pool: dict[str, Any] = {"n_classes": given.n_classes, "n_clusterings": 20, "n_ensembles": 1, "size": 20}
    labels = ensemble_of(data, "bce", seed, **pool).labels
    order = np.random.default_rng(seed).permutation(len(labels))  # files are sorted by class: parties are not
    made = ensemble_recipe("bce-rows", labels[order], n_parties=parties, random_state=seed)
    k, rows = given.n_classes, list[Row]()
    methods: dict[str, tuple[Any, dict[str, Any]]] = {
        "BCE, exact": (BCE, {}),
        "BCE, heuristic": (BCE, {"heuristic": True}),
        "k-means": (LabelKMeans, {}),
    }
    for draw in made.draws:
        for method, (estimator, options) in methods.items():
            sites = [made.labels[block] for block in draw.blocks]
            head = {"data": shown, "seed": seed, "n_parties": int(draw.setting["n_parties"]), "method": method}
            rows.append(_federated(estimator(k, random_state=seed), sites, given.classes[order], head, options))
    rows.append(trivial(given.classes, METRICS, data=shown, seed=seed))
    return Measured(rows)


def _federated(estimator: Any, sites: Any, classes: Any, head: Row, options: dict[str, Any]) -> Row:
    begun = time.perf_counter()
    try:
        fitted = simulate(estimator, sites, **options)
        return {**head, **measured(classes, fitted.labels_, METRICS), "seconds": time.perf_counter() - begun}
    except Exception as error:
        return {**head, "error": words_of(error)}


# ------------------------------------------------------------------------------------------------------------- figure 6
def time_of_columns(*, data: str, n_clusterings: int, seed: int) -> Measured:
    """Time of a fit with one clustering per party, and in one place; parties work at the same time."""
    given = points(data)
    pool: dict[str, Any] = {"n_clusterings": n_clusterings, "n_ensembles": 1, "size": n_clusterings}
    labels = ensemble_of(data, "bce", seed, n_classes=given.n_classes, **pool).labels
    alone, in_one_place = _in_one_place(labels, given.n_classes)
    by_paper, _ = _by_columns(labels, given.n_classes, paper=True)
    by_us, distributed = _by_columns(labels, given.n_classes, paper=False)
    same = float(distributed.lower_bound_ / in_one_place.lower_bound_ - 1)
    row = {
        "n_clusterings": n_clusterings,
        "one place, seconds": alone,
        "distributed, seconds": by_us,
        "distributed, paper's messages, seconds": by_paper,
        "one place / distributed": alone / by_us,
        "one place / paper's messages": alone / by_paper,
        "MP, one place": measured(given.classes, in_one_place.labels_, ["MP"])["MP"],
        "MP, distributed": measured(given.classes, distributed.labels_, ["MP"])["MP"],
        "difference of bounds": same,
    }
    return Measured([row])


def _timed_model(k: int) -> BCE:
    return BCE(k, n_init=1, max_iter=MAX_ITER, random_state=0)


def _in_one_place(labels: IntArray, k: int) -> tuple[float, Any]:
    """Seconds and model, the second of two fits: the first one compiles."""
    _timed_model(k).fit(labels)
    begun = time.perf_counter()
    model = _timed_model(k).fit(labels)
    return time.perf_counter() - begun, model


def _by_columns(labels: IntArray, k: int, *, paper: bool) -> tuple[float, Any]:
    """Seconds of the coordinator and of the slowest party of every exchange, and the model."""
    sites = [labels[:, [column]] for column in range(labels.shape[1])]
    begun = time.perf_counter()
    found = simulate(_timed_model(k), sites, by="columns", accept_disclosure=True, paper=paper)
    wall = time.perf_counter() - begun
    # in this process parties answer one after the other; on machines of their own, at the same time
    return wall - sum(one.elapsed - one.seconds for one in found.exchanges_), found


# ------------------------------------------------------------------------------------------------------------- figure 8
def weights_of_labels(*, data: str, shown: str, sizes: list[int], draws: int, weights: list[float]) -> Measured:
    """GBCE with several weights of a label against the features, on random sets of clusterings."""
    given = points(data, True)
    options: dict[str, Any] = {"n_classes": given.n_classes, "sizes": tuple(sizes), "n_draws": draws}
    made = ensemble_of(data, "gbce", 0, standardise=True, **options)
    rows: list[Row] = []
    for number, (draw, labels) in enumerate(made.ensembles()):
        head = {"data": shown, "draw": number, "n_clusterings": int(draw.setting["n_clusterings"])}
        for weight in weights:
            varied = {"label_weights": weight * given.features.shape[1]}
            problem = Problem(labels, given.n_classes, number, given.features, varied)
            rows += scores(problem, given.classes, ["GBCE"], METRICS, **head, weight=weight)
    rows.append(trivial(given.classes, METRICS, data=shown))
    return Measured(rows)
