"""A consensus in an AnnData: what is written, what is refused, and that files keep it."""

import anndata
import numpy as np
import pandas as pd
import pytest

import partita
import partita.anndata as pan
from partita.metrics import adjusted_rand_score

KEYS = [f"leiden_{number}" for number in range(8)]


def test_it_is_the_consensus_of_the_same_columns(cells):
    found = partita.combine(cells.obs[KEYS], random_state=0)
    assert pan.consensus(cells, KEYS) is None
    assert cells.obs["consensus"].tolist() == [str(label) for label in found.labels]
    assert np.array_equal(cells.obs["consensus_confidence"], found.confidence)
    assert np.allclose(cells.obsm["consensus_membership"], found.membership, atol=1e-6)
    assert cells.uns["consensus"]["choice"]["n_clusters"] == found.n_clusters
    assert len(cells.uns["consensus_colors"]) == found.n_clusters
    assert adjusted_rand_score(cells.obs["type"], cells.obs["consensus"]) > 0.95


def test_clusters_are_categories_by_size(cells):
    pan.consensus(cells, KEYS, n_clusters=3)
    column = cells.obs["consensus"]
    assert column.cat.categories.tolist() == ["0", "1", "2"]
    assert column.value_counts(sort=False).is_monotonic_decreasing


def test_a_pattern_names_the_same_columns(cells):
    pan.consensus(cells, "leiden_*", key_added="by_pattern")
    pan.consensus(cells, KEYS, key_added="by_name")
    assert cells.obs["by_pattern"].tolist() == cells.obs["by_name"].tolist()


def test_a_copy_leaves_the_object_as_it_is(cells):
    before = set(cells.obs), set(cells.obsm), set(cells.uns)
    made = pan.consensus(cells, KEYS, copy=True)
    assert (set(cells.obs), set(cells.obsm), set(cells.uns)) == before
    assert "consensus" in made.obs


def test_a_cell_without_labels_has_no_cluster(cells):
    for key in KEYS:
        cells.obs.loc["cell-3", key] = None
    with pytest.warns(partita.exceptions.UnlabelledObjectsWarning):
        pan.consensus(cells, KEYS)
    assert pd.isna(cells.obs.loc["cell-3", "consensus"])
    assert cells.obs["consensus"].notna().sum() == 149


@pytest.mark.parametrize("method", ["auto", "pcc", "bce"])
def test_a_file_keeps_everything(cells, tmp_path, method):
    pan.consensus(cells, KEYS, method=method, n_clusters=3)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["consensus"].tolist() == cells.obs["consensus"].tolist()
    assert np.array_equal(again.obs["consensus_confidence"], cells.obs["consensus_confidence"])
    assert np.array_equal(again.obsm["consensus_membership"], cells.obsm["consensus_membership"])
    before, after = pan.result(cells), pan.result(again)
    assert after.summary == before.summary
    assert np.array_equal(after.labels, before.labels)
    assert np.allclose(after.membership, before.membership)
    assert after.method == {"auto": "lwgp"}.get(method, method)


def test_the_result_is_that_of_combine(cells):
    found = partita.combine(cells.obs[KEYS], random_state=0)
    pan.consensus(cells, KEYS)
    again = pan.result(cells)
    assert again.clusters["size"].tolist() == found.clusters["size"].tolist()
    assert np.allclose(again.confidence, found.confidence)
    assert again.choice.reasons == found.choice.reasons
    assert again.ids.tolist() == cells.obs_names.tolist()


@pytest.mark.parametrize(
    ("keys", "options", "words"),
    [
        (["leiden_9"], {}, "leiden_9"),
        ("louvain_*", {}, "louvain_"),
        ([], {}, "keys"),
        (KEYS, {"key_added": "leiden_0"}, "leiden_0"),
        (KEYS, {"key_added": ""}, "key_added"),
        (KEYS, {"method": "no-such"}, "no-such"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(cells, keys, options, words):
    before = set(cells.obs), set(cells.obsm), set(cells.uns)
    with pytest.raises((KeyError, ValueError, TypeError), match=words):
        pan.consensus(cells, keys, **options)
    assert (set(cells.obs), set(cells.obsm), set(cells.uns)) == before


def test_what_is_no_anndata_is_refused(cells):
    with pytest.raises(TypeError, match="AnnData"):
        pan.consensus(cells.obs, KEYS)


def test_a_result_needs_a_consensus(cells):
    with pytest.raises(KeyError, match="consensus first"):
        pan.result(cells)


def test_what_others_keep_under_the_name_is_not_lost(cells):
    cells.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 15}}
    with pytest.raises(ValueError, match="uns\\['neighbors'\\] holds something else"):
        pan.consensus(cells, KEYS, key_added="neighbors")
    assert cells.uns["neighbors"]["params"] == {"n_neighbors": 15}
    assert "neighbors" not in cells.obs
    for n_clusters in (2, 3):  # one of ours is replaced
        pan.consensus(cells, KEYS, n_clusters=n_clusters)
    assert cells.uns["consensus"]["params"]["n_clusters"] == 3


def test_a_consensus_whose_clusterings_are_gone_says_which(cells):
    cells.obsm["many"] = cells.obs[KEYS].astype("category")
    pan.consensus(cells, "many")
    cells.obsm["many"] = cells.obsm["many"].drop(columns=KEYS[:2])
    with pytest.raises(KeyError, match="no longer in adata \\(there is no 'leiden_0', 'leiden_1'\\)"):
        pan.result(cells)
    del cells.obsm["many"]
    with pytest.raises(KeyError, match="no longer in adata \\('many' is neither"):
        pan.result(cells)
