"""
Features beside labels
======================

Sometimes there are labels of several clusterings and also measurements that no clustering has used. GBCE models both
together. This example gives it two measurements of the wines beside a small and poor ensemble, and compares labels
alone, features alone, and both.
"""

# %%
# A poor ensemble
# ---------------
# Six k-means clusterings, each of two measurements drawn at random. Two further measurements, proline and flavanoids,
# are kept apart: no clustering has seen them.
import numpy as np
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from partita import BCE, GBCE, ConsensusResult, KMeansEnsemble
from partita.metrics import adjusted_rand_score
from partita.plotting import ScatterDisplay

wine = load_wine(as_frame=True)
kept = ["proline", "flavanoids"]
others = StandardScaler().fit_transform(wine.data.drop(columns=kept))
rng = np.random.default_rng(1)
columns = [
    KMeansEnsemble(1, 3, random_state=seed).fit_transform(others[:, rng.choice(11, 2, replace=False)])
    for seed in range(6)
]
labels = np.hstack(columns)

# %%
# Three fits
# ----------
# Every feature has a family of distributions, here Gaussian. By default each clustering weighs as much as all features
# together; ``feature_weights`` and ``label_weights`` change that.
features = wine.data[kept]
scaled = StandardScaler().fit_transform(features)
both = GBCE(3, families="gaussian", random_state=0).fit(labels, features=features)
partitions = {
    "labels alone (BCE)": BCE(3, random_state=0).fit_predict(labels),
    "features alone (Gaussian mixture)": GaussianMixture(3, random_state=0).fit_predict(scaled),
    "both (GBCE)": both.labels_,
}
for name, found in partitions.items():
    print(f"{name:<34} adjusted Rand index with the cultivars {adjusted_rand_score(wine.target, found):.2f}")

# %%
# Where the clusters are
# ----------------------
# In the plane of the two measurements. Faint wines are those that the labels place elsewhere than the model does.
result = ConsensusResult.from_estimator(both)
scatter = ScatterDisplay.from_result(result, coordinates=features).plot()

# %%
# What the model has learned of the features
# ------------------------------------------
# In the units of the measurements, so that the clusters can be described in words.
for feature in both.feature_parameters_:
    spread = np.sqrt(feature["variance"])
    told = ", ".join(f"{mean:.1f} ± {one:.1f}" for mean, one in zip(feature["mean"], spread, strict=True))
    print(f"{feature['name']:<11} in clusters 0, 1, 2: {told}")
