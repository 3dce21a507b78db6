"""
Clusters over resolutions
=========================

Clusterings of growing resolution are often made and hard to choose from. A tree shows which clusters persist, where
they split, and where objects jump between them, which is a sign of too many clusters. This example draws it for images
of digits.
"""

# %%
# One consensus per resolution
# ----------------------------
# For each number of clusters the consensus of the same 60 k-means clusterings of 400 images of the digits 0 to 4.
import pandas as pd
from sklearn.datasets import load_digits

from partita import KMeansEnsemble, combine, resolution_tree
from partita.plotting import RelationDisplay, ResolutionTreeDisplay

images, digit = load_digits(n_class=5, return_X_y=True)
images, digit = images[:400], digit[:400]
ensemble = KMeansEnsemble(60, (10, 20), random_state=0).fit_transform(images)
levels = {f"{k} clusters": combine(ensemble, n_clusters=k, random_state=0).labels for k in range(2, 9)}
labels = pd.DataFrame(levels)

# %%
# The tree
# --------
# One row per resolution. Dark nodes are clusters that the other resolutions have as well; a dashed edge brings objects
# from a cluster that is not the main parent.
tree = ResolutionTreeDisplay.from_labels(labels).plot()

# %%
# The same as a table: the most stable cluster of each resolution, and the least. One cluster is the same on all levels
# (which digit it is, the next picture shows); from 6 clusters on there are some that hardly any other level knows.
nodes = resolution_tree(labels).nodes
print(nodes.groupby("clustering", sort=False)["stability"].agg(["min", "max"]).round(2).to_string())

# %%
# What the clusters are
# ---------------------
# The clusters at the resolution of 5, each with its mean image, and how far they overlap by the votes.
five = combine(ensemble, n_clusters=5, random_state=0)
means = [images[five.labels == cluster].mean(axis=0).reshape(8, 8) for cluster in range(5)]
graph = RelationDisplay.from_result(five, images=means, threshold=0.02).plot()
print(pd.crosstab(five.labels, digit, rownames=["cluster"], colnames=["digit"]))
