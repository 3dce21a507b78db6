"""What the cells of the PCC paper's figures compute."""

import time
from functools import lru_cache
from typing import Any

import numpy as np

from partita._typing import FloatArray, IntArray
from partita.consensus import PCC
from partita.experiments._cells import Measured, Row
from partita.experiments._contestants import Problem
from partita.experiments._recipes import ensemble_recipe
from partita.experiments._scoring import ensemble_of, points, scores, trivial
from partita.metrics import (
    coassociation,
    effective_n_clusters,
    jensen_shannon_distance,
    relation_matrix,
    soft_centroids,
    vat,
)

SHOWN = 200  # objects of a stored co-association: a picture of more would not show more
DIVERGENCES = {"PCC-KL": "kl", "PCC-l2": "l2"}


# ------------------------------------------------------------------------------------------------------ figures 1 and 2
def simulated(*, seed: int, n_clusters: int) -> Measured:
    """Recover the posterior of four Gaussians from partitions drawn from it."""
    made = ensemble_recipe("pcc-simulated", random_state=seed)
    truth = np.asarray(made.truth)
    rows: list[Row] = []
    found = {}
    for method, divergence in DIVERGENCES.items():
        begun = time.perf_counter()
        model = PCC(n_clusters, divergence=divergence, random_state=seed).fit(made.labels)
        found[method] = model.membership_
        rows.append(
            {
                "layout": seed,
                "method": method,
                "J": jensen_shannon_distance(truth, model.membership_),
                "clusters": effective_n_clusters(model.membership_),
                "seconds": time.perf_counter() - begun,
            }
        )
    arrays: dict[str, Any] = {}
    if seed == 0:
        places, similarity = sampled_similarity(made.labels, truth.argmax(axis=1))
        arrays = {
            "points": np.asarray(made.features, dtype=np.float32),
            "truth": as_bytes(truth),
            **{method: as_bytes(membership) for method, membership in found.items()},
            "similarity": as_bytes(similarity),
            "classes": truth.argmax(axis=1)[places].astype(np.uint8),
        }
    return Measured(rows, arrays)


# ------------------------------------------------------------------------------------------- figures 3 and 4, and PEACE
def picture(*, data: str, shown: str, recipe: str, seed: int, drawn: bool = True) -> Measured:
    """How far the co-association of a set separates the classes; its points and its picture, if they are drawn."""
    given = points(data)
    options: dict[str, Any] = {"dataset": shown} if recipe.endswith("-2") else {}
    labels = ensemble_of(data, recipe, seed, **options).labels
    row = {"data": shown, "recipe": recipe, **contrast(labels, given.classes)}
    if not drawn:
        return Measured([row])
    places, similarity = sampled_similarity(labels, given.classes)
    classes = given.classes[places]
    order = vat(1 - similarity).order
    arrays = {
        "vat": as_bytes(similarity[np.ix_(order, order)]),
        "vat classes": classes[order].astype(np.uint8),
        "ordered": as_bytes(similarity[np.ix_(np.argsort(classes, kind="stable"), np.argsort(classes, kind="stable"))]),
        "ordered classes": np.sort(classes).astype(np.uint8),
    }
    if given.features.shape[1] == 2:
        arrays |= {"points": given.features.astype(np.float32), "classes": given.classes.astype(np.uint8)}
    return Measured([row], arrays)


def contrast(labels: IntArray, classes: IntArray) -> Row:
    """Mean co-association of pairs of one class, of pairs of two classes, and the difference."""
    counts, totals = coassociation(labels)
    upper = np.triu_indices(len(classes), 1)
    known = totals[upper] > 0
    share = counts[upper][known] / totals[upper][known]
    same = (classes[upper[0]] == classes[upper[1]])[known]
    within, between = float(share[same].mean()), float(share[~same].mean())
    return {"within classes": within, "between classes": between, "contrast": within - between}


def sampled_similarity(labels: IntArray, classes: IntArray) -> tuple[IntArray, FloatArray]:
    """Some objects, every class in proportion, and their co-association; 0 where no clustering has both."""
    rng = np.random.default_rng(0)
    share = min(1.0, SHOWN / len(classes))
    drawn = [
        rng.choice(members, max(1, round(share * len(members))), replace=False)
        for members in (np.flatnonzero(classes == one) for one in np.unique(classes))
    ]
    places = np.sort(np.concatenate(drawn))
    counts, totals = coassociation(labels[places])
    return places, np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)


def as_bytes(shares: Any) -> Any:
    """Numbers from 0 to 1 in steps of 1/255: enough for a picture."""
    return np.rint(255 * np.asarray(shares)).astype(np.uint8)


# ------------------------------------------------------------------------------------------------------ figures 5 and 6
@lru_cache(maxsize=1)
def _kdd(n_objects: int | None, n_clusterings: int, seed: int) -> tuple[IntArray, IntArray]:
    """Labels of the large experiment, and the classes; kept, as all cells use the same."""
    given = points("kddcup99_pcc")
    n = len(given.classes)
    drawn = np.arange(n)
    if n_objects is not None:
        drawn = np.sort(np.random.default_rng(seed).choice(n, n_objects, replace=False))
    made = ensemble_recipe("pcc-large", given.features[drawn], n_clusterings=n_clusterings, random_state=seed)
    return made.labels, given.classes[drawn]


def kdd(
    *, n_objects: int | None, n_clusterings: int, seed: int, n_clusters: int, pairs: float, starts: int
) -> Measured:
    """PCC and CSPA on a sample of the pairs of the KDD data, from several seeds; each draws pairs of its own."""
    labels, classes = _kdd(n_objects, n_clusterings, seed)
    head = {"K": n_clusters, "pairs": pairs}
    rows: list[Row] = []
    for start in range(starts):
        problem = Problem(labels, n_clusters, start, options={"pairs": pairs})
        rows += scores(problem, classes, ["PCC-KL", "PCC-l2", "CSPA"], ["H"], **head, start=start)
    rows.append(trivial(classes, ["H"], **head, start=0))
    return Measured(rows)


# ------------------------------------------------------------------------------------------------------ figures 7 and 8
def digit(*, n_clusters: int, seed: int) -> Measured:
    """Clusters of one handwritten digit, how they are related, and their mean curves."""
    given = points("pendigits_2")
    labels = ensemble_of("pendigits_2", "pcc-1", seed).labels
    model = PCC(n_clusters, random_state=seed).fit(labels)
    places, similarity = sampled_similarity(labels, model.labels_)
    order = np.lexsort((-model.membership_[places].max(axis=1), model.labels_[places]))
    Y = model.membership_[:, : model.n_clusters_]
    row = {
        "K": n_clusters,
        "clusters": int(model.n_clusters_),
        "mean largest probability": float(model.membership_.max(axis=1).mean()),
        "sizes": ", ".join(map(str, np.bincount(model.labels_))),
    }
    arrays = {
        "similarity": as_bytes(similarity[np.ix_(order, order)]),
        "similarity labels": model.labels_[places][order].astype(np.uint8),
        "membership": as_bytes(model.membership_),
        "relations": relation_matrix(Y),
        "centroids": soft_centroids(Y, given.features),
        "sizes": np.bincount(model.labels_),
    }
    return Measured([row], arrays)
