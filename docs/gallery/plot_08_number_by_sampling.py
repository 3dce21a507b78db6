"""
A posterior of the number of clusters
=====================================

NBCE is a Bayesian model of the labels with an unknown number of clusters. Its sampler walks through partitions, in
several chains from distant starts, and so gives a distribution of the number instead of one answer. This example looks
at the chains before believing them.
"""

# %%
# Fit
# ---
# Four chains of 250 sweeps; the first half of each is not used.
import matplotlib.pyplot as plt
import numpy as np

from partita import NBCE
from partita.datasets import load_wine_ensemble
from partita.metrics import adjusted_rand_score
from partita.plotting import MembershipDisplay

wine = load_wine_ensemble()
model = NBCE(random_state=0).fit(wine.labels)

# %%
# Do the chains agree?
# --------------------
# They start far apart and should end in the same band. R-hat compares the spread between
# the chains with that within them: 1 if they agree, and above 1.2 there would be a warning. ``ess_`` is the number of
# independent draws that the correlated ones are worth.
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", width_ratios=[2, 1])
for chain, trace in enumerate(model.n_clusters_trace_):
    left.plot(trace, linewidth=1, label=f"chain {chain + 1}")
left.axvspan(0, 125, color="0.92", zorder=0)
left.set(xlabel="sweep (grey: not used)", ylabel="number of clusters", ylim=(0, None))
left.legend(frameon=False, ncols=2)
numbers, counts = np.unique(model.n_clusters_trace_[:, 125:], return_counts=True)
right.bar(numbers, counts / counts.sum(), color="0.4")
right.set(xlabel="number of clusters", ylabel="posterior probability", xticks=numbers)
print("R-hat", {name: round(float(value), 3) for name, value in model.r_hat_.items()})
print("effective draws", {name: round(float(value)) for name, value in model.ess_.items()})

# %%
# The consensus and its probabilities
# -----------------------------------
membership = MembershipDisplay.from_estimator(model).plot()

# %%
# How to read it
# --------------
# The posterior is about the model's clusters, groups of objects with alike labels, and it is sure of itself because 30
# clusterings of one algorithm count as 30 independent witnesses. More clusters than cultivars is the usual outcome: the
# ensemble has clusterings of up to 10 clusters, and they agree on parts of the cultivars, too.
print(f"{model.n_clusters_} clusters of sizes {np.bincount(model.labels_).tolist()}")
print(f"adjusted Rand index with the three cultivars: {adjusted_rand_score(wine.target, model.labels_):.2f}")
