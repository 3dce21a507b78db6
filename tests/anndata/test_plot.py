"""Cells on an embedding."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import partita.anndata as pan


@pytest.fixture
def placed(cells):
    cells.obsm["X_umap"] = cells.obsm["X_pca"][:, :2]
    pan.consensus(cells, "leiden_*", n_clusters=3)
    yield cells
    plt.close("all")


@pytest.mark.parametrize("color", ["label", "confidence", "1"])
def test_cells_are_drawn_where_they_are(placed, color):
    display = pan.plot(placed, color=color)
    assert display.figure_ is not None
    assert display.axis_labels == ("UMAP 1", "UMAP 2")
    assert np.allclose(np.sort(display.coordinates, axis=0), np.sort(placed.obsm["X_umap"], axis=0))


def test_of_many_cells_a_sample_is_drawn_and_said(placed):
    display = pan.plot(placed, max_cells=50)
    assert len(display.coordinates) == 50
    assert display.note


@pytest.mark.parametrize(("options", "words"), [({"basis": "tsne"}, "umap"), ({"color": "9"}, "label")])
def test_what_is_not_there_is_refused_with_what_is(placed, options, words):
    with pytest.raises((KeyError, ValueError), match=words):
        pan.plot(placed, **options)
