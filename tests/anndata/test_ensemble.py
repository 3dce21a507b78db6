"""Ensembles of cells: k-means without scanpy, Leiden where it is installed."""

import importlib.util

import anndata
import numpy as np
import pytest

import partita.anndata as pan
from partita.metrics import adjusted_rand_score

HAS_LEIDEN = all(importlib.util.find_spec(name) for name in ("scanpy", "igraph"))


def test_kmeans_gives_a_table_that_consensus_takes(cells, tmp_path):
    pan.ensemble(cells, method="kmeans", n_clusterings=12, n_clusters=(2, 6))
    assert cells.obsm["ensemble"].shape == (150, 12)
    assert len(cells.uns["ensemble"]["table"]) == 12
    pan.consensus(cells, "ensemble")
    assert adjusted_rand_score(cells.obs["type"], cells.obs["consensus"]) > 0.95
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obsm["ensemble"].astype(str).equals(cells.obsm["ensemble"].astype(str))
    assert np.array_equal(pan.result(again).labels, pan.result(cells).labels)


def test_the_same_seed_gives_the_same_clusterings(cells):
    made = [
        pan.ensemble(cells, method="kmeans", n_clusterings=4, n_clusters=3, random_state=seed, copy=True).obsm[
            "ensemble"
        ]
        for seed in (1, 1, 2)
    ]
    assert made[0].equals(made[1])
    assert not made[0].equals(made[2])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "dbscan"}, "dbscan"),
        ({"method": "kmeans", "use_rep": "X_none"}, "X_none"),
        ({"method": "kmeans", "key_added": "type"}, "key_added"),
        ({"method": "kmeans", "n_clusterings": 0}, "n_clusterings"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(cells, options, words):
    with pytest.raises((KeyError, ValueError, TypeError), match=words):
        pan.ensemble(cells, **options)
    assert "ensemble" not in cells.obsm
    assert not cells.uns


def test_what_others_keep_under_the_name_is_not_lost(cells):
    cells.uns["pca"] = {"params": {}, "variance": np.ones(3)}
    options = {"method": "kmeans", "n_clusterings": 3, "n_clusters": 3}
    with pytest.raises(ValueError, match="uns\\['pca'\\] holds something else"):
        pan.ensemble(cells, **options, key_added="pca")
    with pytest.raises(ValueError, match="obsm\\['X_pca'\\] holds no ensemble"):
        pan.ensemble(cells, **options, key_added="X_pca")
    assert cells.obsm["X_pca"].shape == (150, 10)
    pan.ensemble(cells, **options)
    with pytest.raises(ValueError, match="uns\\['ensemble'\\] holds something else"):
        pan.consensus(cells, "ensemble", key_added="ensemble")
    pan.ensemble(cells, **{**options, "n_clusterings": 4})  # one of ours is replaced
    assert cells.obsm["ensemble"].shape == (150, 4)


def test_resolutions_that_are_nearly_the_same_are_two_clusterings(monkeypatch):
    from partita.anndata import _leiden

    monkeypatch.setattr(_leiden, "cluster", lambda task: np.arange(4) % round(2 + task.resolution))
    labels, table = _leiden.leiden_table(
        {"own": None}, [0.5, 0.50000001], [0], flavor="igraph", n_jobs=None, verbose=False
    )
    assert labels.shape == (4, 2)
    assert table.index.is_unique


@pytest.mark.skipif(not HAS_LEIDEN, reason="scanpy and igraph are not installed")
@pytest.mark.filterwarnings("ignore")  # of scanpy's own dependencies
def test_leiden_over_resolutions_is_at_least_as_good_as_its_middle_clustering(cells):
    pan.ensemble(cells, resolutions=(0.3, 1.0, 2.0), n_neighbors=(10, 20), n_seeds=1)
    assert cells.obsm["ensemble"].shape == (150, 6)
    assert "neighbors" not in cells.uns
    scores = [adjusted_rand_score(cells.obs["type"], column) for _, column in cells.obsm["ensemble"].items()]
    pan.consensus(cells, "ensemble")
    assert adjusted_rand_score(cells.obs["type"], cells.obs["consensus"]) >= np.median(scores)


@pytest.mark.skipif(HAS_LEIDEN, reason="scanpy and igraph are installed")
def test_without_scanpy_the_error_names_what_to_install(cells):
    with pytest.raises(ImportError, match="pip install"):
        pan.ensemble(cells)
