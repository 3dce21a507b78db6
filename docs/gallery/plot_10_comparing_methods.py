"""
Do the methods agree, and which one to believe
==============================================

partita has more than forty consensus methods. If they agree on your data, the choice hardly matters; if they do not,
that is worth knowing. This example compares some of them on one ensemble, then ranks them over several data sets with
a test that says which differences mean anything.
"""

# %%
# On one ensemble
# ---------------
# ``compare`` runs methods on the labels of a result. ``average_nmi`` is the mean agreement with the clusterings, which
# can be computed without knowing the truth.
import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from partita import KMeansEnsemble, combine
from partita.datasets import load, load_wine_ensemble
from partita.metrics import adjusted_rand_score
from partita.plotting import AgreementDisplay, RankDisplay

methods = ["lwgp", "eac", "mcla", "hbgf", "kcc", "pcc", "bce", "median"]
result = combine(load_wine_ensemble().labels, random_state=0)
comparison = result.compare(methods)
print(comparison.table[["method", "n_clusters", "average_nmi", "agreement"]].round(3).to_string(index=False))

# %%
# Every two methods: all of them find nearly the same three clusters.
display = AgreementDisplay(
    agreement=comparison.agreement.to_numpy(),
    order=np.arange(len(comparison.agreement) - 1),
    names=list(comparison.agreement.columns[1:]),
    reference=comparison.agreement.columns[0],
)
heatmap = display.plot()

# %%
# Over several data sets
# ----------------------
# On labelled data the methods can be ranked. Each gets the same 30 clusterings of each data set, of at most 300 objects,
# and the number of classes.
scores = {method: [] for method in methods}
for name in ["iris", "wine", "wdbc", "four_gaussians", "two_clusters_outliers", "image_1"]:
    data = load(name)
    every = -(-len(data.target) // 300)
    points = StandardScaler().fit_transform(data.numbers())[::every]
    labels = KMeansEnsemble(30, (2, 15), random_state=0).fit_transform(points)
    for method in methods:
        found = combine(labels, method=method, n_clusters=data.n_classes, random_state=0).labels
        scores[method].append(adjusted_rand_score(data.target[::every], found))
table = pd.DataFrame(scores)
print(table.round(2).to_string())
ranks = RankDisplay.from_scores(table).plot()

# %%
# How to read it
# --------------
# Methods that a bar joins are not shown to differ, and here one bar joins them all. Six data sets are few: the critical difference is wide, and the
# order within a bar says nothing. The leaderboard of the documentation has 74 ensembles and all methods.
print(f"critical difference of mean ranks: {ranks.critical_difference:.1f}; test of Friedman: p = {ranks.p_value:.2f}")
print("groups that are not shown to differ:", [ranks.names[first : last + 1] for first, last in ranks.groups])
