"""The methods of the papers' experiments, and what cells do with them."""

import numpy as np
import pandas as pd
import pytest

import partita.consensus as methods
from partita.experiments._contestants import CONTESTANTS, Problem
from partita.experiments._protocols import on_draws, on_ensembles
from partita.experiments._recipe_ensemble import Draw, RecipeEnsemble
from partita.experiments._scoring import fit_and_score, left_out, of_base, points, trivial
from partita.metrics import consistency_index

CLASSES = np.repeat([0, 1], 6)
LABELS = np.column_stack([CLASSES, CLASSES, np.tile([0, 1], 6)])


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_contestant_finds_two_plain_clusters(name):
    features = CLASSES[:, None] + 0.01 * np.arange(12)[:, None]
    fitted = CONTESTANTS[name](Problem(LABELS[:, :2], 2, 0, features))
    assert consistency_index(CLASSES, fitted.labels_) == 1.0


def test_another_partitioner_than_the_papers_is_an_error(monkeypatch):
    class Spectral:
        partitioner_ = "spectral"

        def __init__(self, **_):
            pass

        def fit(self, _):
            return self

    monkeypatch.setattr(methods, "CSPA", Spectral, raising=False)
    fitted, row = fit_and_score("CSPA", Problem(LABELS, 2, 0), CLASSES, ("H",), data="toy")
    assert fitted is None
    assert "needs metis, and ran by spectral instead; pip install" in row["error"]
    assert (row["data"], row["method"]) == ("toy", "CSPA")


@pytest.mark.filterwarnings("ignore:.*label")
def test_objects_without_a_label_are_counted():
    labels = LABELS.copy()
    labels[:3] = -1
    _, row = fit_and_score("MM", Problem(labels, 2, 0), CLASSES, ("H", "MP"))
    assert row["unlabelled"] == pytest.approx(3 / 12)
    assert row["H"] == 1.0  # of the others
    assert row["largest"] == pytest.approx(6 / 9)


def test_trivial_partition_and_base_clusterings():
    one = trivial(CLASSES, ["H", "ARI"], data="toy")
    assert (one["method"], one["H"], one["ARI"]) == ("one cluster", 0.5, 0.0)
    best, mean = of_base(LABELS, CLASSES, ["H"])
    assert (best["H"], mean["H"]) == (1.0, pytest.approx((1 + 1 + 0.5) / 3))


def test_clusterings_that_were_left_out_are_noted_or_refused():
    manifest = pd.DataFrame({"algorithm": ["kmeans", "kmeans"]})
    skipped = pd.DataFrame({"algorithm": ["kmeans"], "message": ["did not converge"]})
    made = RecipeEnsemble(LABELS, manifest, [Draw({})], skipped=skipped)
    assert left_out(made) == ("1 clusterings by kmeans failed and were left out",)
    gone = RecipeEnsemble(LABELS, manifest, [Draw({})], skipped=skipped.assign(algorithm="metis", message="no METIS"))
    with pytest.raises(ValueError, match="no clustering by metis: no METIS"):
        left_out(gone)


def test_cell_on_ensembles_has_every_method_and_seed():
    made = on_ensembles(
        data="iris", shown="iris", recipe="pcc-1", options={"n_clusterings": 5}, ensemble=0, starts=2,
        methods=["EAC-AL", "MM"], metrics=["H"],
    )  # fmt: skip
    found = {(row["method"], row["start"]) for row in made.rows}
    assert found == {("EAC-AL", 0), ("EAC-AL", 1), ("MM", 0), ("MM", 1), ("one cluster", 0)}


def test_cell_on_draws_takes_the_draws_it_is_given():
    pool = {"recipe": "bce", "n_clusterings": 6, "n_ensembles": 1, "size": 6}
    settings = {
        "data": "iris", "shown": "iris", "pool": pool, "recipe": "bce-columns", "seed": 0, "methods": ["k-means"],
        "options": {"sizes": [1, 3], "n_draws": 2}, "metrics": ["MP"], "base": False,
    }  # fmt: skip
    whole = on_draws(**settings, draws=[0, 4]).rows[:-1]
    parts = [row for draws in ([0, 2], [2, 4]) for row in on_draws(**settings, draws=draws).rows[:-1]]
    assert [row["n_clusterings"] for row in whole] == [1, 1, 3, 3]
    for row in (*whole, *parts):
        del row["seconds"]
    assert whole == parts


def test_points_have_classes_by_number():
    given = points("iris")
    assert given.features.shape == (150, 4)
    assert np.bincount(given.classes).tolist() == [50, 50, 50]
