"""Make the ensemble of clusterings that is part of the package.

    python tools/make_wine_ensemble.py

Made with scikit-learn 1.9.1 and numpy 2.4.6; other versions may number the clusters differently.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

N_CLUSTERINGS = 30
TARGET = Path(__file__).parents[1] / "src" / "partita" / "datasets" / "wine_ensemble.csv"


def main() -> None:
    """Write the table: id, cultivar, one column per clustering, empty where a wine was left out."""
    wine = load_wine()
    features = StandardScaler().fit_transform(wine.data)
    n = len(features)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"wine": [f"wine-{i + 1:03d}" for i in range(n)]})
    table["cultivar"] = [f"cultivar {c + 1}" for c in wine.target]
    for seed in range(N_CLUSTERINGS):
        sample = rng.choice(n, size=round(0.8 * n), replace=False)
        n_clusters = int(rng.integers(2, 11))
        model = KMeans(n_clusters, n_init=1, init="random", random_state=seed).fit(features[sample])
        labels = pd.array([pd.NA] * n, dtype="Int64")
        labels[sample] = model.labels_
        table[f"kmeans_k{n_clusters}_s{seed}"] = labels
    table.to_csv(TARGET, index=False)


if __name__ == "__main__":
    main()
