"""
Noise: what does -1 mean?
=========================

DBSCAN and HDBSCAN give the label -1 to points that belong to no cluster. In partita -1 is by default a missing label:
the clustering says nothing about the point. It can also be a statement, that the point is noise. This example shows
that the two readings lead to different results, so that you can choose.
"""

# %%
# Ten clusterings with noise
# --------------------------
# Two clouds and some outliers, clustered by HDBSCAN with different settings.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN

from partita import check_label_matrix, combine
from partita.datasets import load
from partita.exceptions import UnlabelledObjectsWarning
from partita.plotting import ScatterDisplay

points = load("two_clusters_outliers").features.to_numpy()
labels = np.column_stack(
    [
        HDBSCAN(min_cluster_size=size, min_samples=samples, copy=True).fit_predict(points)
        for size in (5, 8, 12, 20, 30)
        for samples in (3, 8)
    ]
)
share = (labels == -1).mean(axis=1)
print(f"{(share == 1).sum()} points are noise in all clusterings, {((share > 0) & (share < 1)).sum()} in some")

# %%
# Three readings
# --------------
# ``check_label_matrix`` reads labels with one of three meanings of -1. The result can be passed wherever labels are
# taken; on the command line the same is ``--noise``. Points without any label get no cluster, and a warning that we
# expect.
warnings.simplefilter("ignore", UnlabelledObjectsWarning)
readings = {"missing": 2, "cluster": 3, "singleton": 18}
figure, axes = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained", sharey=True)
for ax, (noise, n_clusters) in zip(axes, readings.items(), strict=True):
    result = combine(check_label_matrix(labels, noise=noise), method="eac", n_clusters=n_clusters)
    ScatterDisplay.from_result(result, coordinates=points).plot(ax)
    ax.set_title(f'noise="{noise}"', fontsize=10, loc="left", pad=20)
    ax.set(xlabel="", ylabel="")
    if ax.get_legend():
        ax.get_legend().remove()
    print(f"{noise:>9}: clusters of {np.bincount(result.labels[result.labels >= 0]).tolist()[:8]} ...")

# %%
# How to choose
# -------------
# - ``"missing"``, the default: points that are noise everywhere get no cluster, those that are noise in some clusterings
#   are placed by the others. Take it if noise means "not assigned this time".
# - ``"cluster"``: noise is a statement, and points that are often noise become a cluster of their own, although they
#   have nothing in common. Take it to find the points that the clusterings agree to leave out.
# - ``"singleton"``: every such point is a cluster of one object in that clustering. It separates noise from all, so the
#   number of clusters must count it: here 2 clouds and 16 single points.
