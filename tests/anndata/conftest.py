"""Simulated cells of known types."""

import numpy as np
import pytest

anndata = pytest.importorskip("anndata")


@pytest.fixture
def cells():
    """150 cells of three types in ten dimensions, with eight clusterings; the last has not seen the first ten cells."""
    rng = np.random.default_rng(0)
    types = np.repeat(["B", "NK", "T"], [70, 50, 30])
    centres = {"B": 0.0, "NK": 4.0, "T": -4.0}
    adata = anndata.AnnData(np.zeros((150, 3), dtype=np.float32))
    adata.obs_names = [f"cell-{number}" for number in range(150)]
    adata.obs["type"] = types
    adata.obsm["X_pca"] = np.array([rng.normal(centres[name], 1.0, size=10) for name in types])
    codes = np.unique(types, return_inverse=True)[1]
    for number in range(8):
        noisy = codes.copy()
        noisy[rng.choice(150, 5, replace=False)] = rng.integers(0, 3, size=5)
        adata.obs[f"leiden_{number}"] = [f"c{code}" for code in noisy]
    adata.obs.loc[adata.obs_names[:10], "leiden_7"] = None
    return adata
