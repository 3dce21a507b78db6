"""
A first consensus
=================

You have several clusterings of the same objects and want one. This example takes 30 clusterings of 178 wines, combines
them in one call, and reads what comes out: the clusters, the reasons, and a picture of how far the clusterings agree.
"""

# %%
# The labels
# ----------
# One row per object, one column per clustering. The names of the labels mean nothing across columns: cluster 0 of the
# first column has nothing to do with cluster 0 of the second. Empty fields are wines that a clustering did not see.
from partita import combine
from partita.datasets import load_wine_ensemble

wine = load_wine_ensemble()
print(wine.labels.iloc[:5, :6].to_string())

# %%
# The consensus
# -------------
# :func:`partita.combine` chooses the number of clusters and says why.
result = combine(wine.labels, random_state=0)
print(result)

# %%
# The picture
# -----------
# The heatmap shows, for every two wines, the share of clusterings that put them together. Dark blocks are clusters;
# pale stripes between two blocks are wines on which the clusterings disagree. The cultivar of each wine, which no
# clustering was given, is the bar beside the clusters.
heatmap = result.plot.coassociation(annotations={"cultivar": wine.target})

# %%
# What was found
# --------------
# ``result.labels`` is the consensus, ``result.clusters`` one row per cluster. ``consensus`` is the mean share of
# clusterings in which two of its wines are together, ``in_doubt`` counts wines that might belong elsewhere.
print(result.summary)
print(result.clusters[["cluster", "size", "consensus", "closest", "in_doubt"]].round(2).to_string(index=False))

# %%
# Here the truth is known, so the clusters can be compared with it. With your own data you will not have this table.
import pandas as pd

from partita.metrics import adjusted_rand_score

print(pd.crosstab(wine.target, result.labels, colnames=["cluster"]))
print(f"adjusted Rand index with the cultivars: {adjusted_rand_score(wine.target, result.labels):.2f}")
