"""PCC with KL on the papers' own data, with both kinds of ensemble; skipped if the data are not installed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from partita import PCC

DATA = Path(__file__).parents[3] / "shared" / "data"
SMALL = ("iris", "wine", "glass", "ecoli", "ionosphere", "yeast_cellcycle_384_std", "house_votes_84")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the papers' data are not here")


def features_of(name):
    table = pd.read_csv(DATA / f"{name}.csv.gz").dropna()
    features = pd.get_dummies(table.drop(columns="label")).to_numpy(float)
    return StandardScaler().fit_transform(features), table["label"].nunique()


def split_and_merge(F, rng, n_clusterings=20):
    """Ensemble 1: k-means with many clusters."""
    root = np.sqrt(len(F))
    sizes = rng.integers(int(np.ceil(root / 2)), int(root) + 1, size=n_clusterings)
    return np.column_stack(
        [KMeans(int(k), n_init=1, init="random", random_state=m).fit_predict(F) for m, k in enumerate(sizes)]
    )


def many_algorithms(F, rng, sizes=(3, 5, 8, 12)):
    """Ensemble 2: linkages and k-means, each on nine tenths of the objects."""
    columns = []
    for k in sizes:
        for method in ("single", "average", "ward", "centroid", "kmeans"):
            part = rng.choice(len(F), size=int(0.9 * len(F)), replace=False)
            column = np.full(len(F), -1)
            if method == "kmeans":
                column[part] = KMeans(k, n_init=1, random_state=k).fit_predict(F[part])
            else:
                column[part] = fcluster(linkage(F[part], method), k, "maxclust")
            columns.append(column)
    return np.column_stack(columns)


@pytest.mark.parametrize("make", [split_and_merge, many_algorithms])
@pytest.mark.parametrize("name", SMALL)
def test_kl_is_never_nan(name, make, rng):
    F, n_classes = features_of(name)
    X = make(F, rng)
    for k in (n_classes, 2 * n_classes):
        model = PCC(k, n_init=1, random_state=0).fit(X)
        assert np.isfinite(model.membership_).all()
        assert np.isfinite(model.objective_)
        assert model.converged_
