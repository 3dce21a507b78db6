"""
Soft memberships where clusters overlap
=======================================

Four clouds of points overlap. For a point between two of them the honest answer is a probability, and since the points
are drawn from known Gaussians the true probability is known. This example compares the memberships of two probabilistic
methods, and of plain votes, with it.
"""

# %%
# The points, and the truth
# -------------------------
# 200 points of each of four Gaussians. The entropy of the true probabilities is high where clouds overlap.
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from scipy.stats import spearmanr

from partita import BCE, PCC, ConsensusResult, KMeansEnsemble, membership_entropy
from partita.datasets import load
from partita.plotting import RelationDisplay

data = load("four_gaussians")
points, component = data.features.to_numpy(), data.target.astype(int).to_numpy() - 1
means = np.array([points[component == k].mean(axis=0) for k in range(4)])
truth = softmax(-0.5 * ((points[:, None] - means) ** 2).sum(axis=2), axis=1)
labels = KMeansEnsemble(100, (4, 12), random_state=0).fit_transform(points)

# %%
# Three answers
# -------------
# PCC fits probabilities to the pairs of objects, BCE a mixture of clusters to the labels. Votes are what any method
# has: the share of clusterings that speak for each cluster. The colour of a point is its entropy in bits.
pcc = PCC(n_clusters=4, random_state=0).fit(labels)
bce = BCE(n_clusters=4, random_state=0).fit(labels)
memberships = {"truth": truth, "PCC": pcc.membership_, "BCE": bce.membership_, "votes (of PCC)": pcc.votes_}

figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained", sharex=True, sharey=True)
for ax, (name, membership) in zip(axes, memberships.items(), strict=True):
    entropy = membership_entropy(membership)
    shown = ax.scatter(*points.T, c=entropy, cmap="viridis", vmin=0, vmax=2, s=6)
    ax.set(title=name, xticks=[], yticks=[], aspect="equal")
colours = figure.colorbar(shown, ax=axes, label="entropy in bits")


# %%
# How near to the truth
# ---------------------
# Clusters have no names, so those of each method are first given the names of the Gaussians they match best.
def error(membership):
    """Mean absolute difference of the probabilities from the true ones."""
    found = membership.argmax(axis=1)
    names = [np.bincount(component[found == k], minlength=4).argmax() for k in range(4)]
    return np.abs(membership[:, np.argsort(names)] - truth).mean()


for name, membership in memberships.items():
    entropy = membership_entropy(membership)
    rank = spearmanr(entropy, membership_entropy(truth)).statistic
    print(
        f"{name:>14}: mean error {error(membership):.3f}, mean entropy {entropy.mean():.2f}, ranks like truth {rank:.2f}"
    )

# %%
# The reading is sober. Plain votes come nearest to the truth here. PCC finds where the clouds overlap, but is too
# uncertain about the middle of each cloud, since clusterings of up to 12 clusters cut through it. BCE is sure of nearly
# all points: a hundred clusterings of the same points are to the model a hundred independent witnesses, and what is
# left of its entropy inside a cloud ranks nothing. All three say which points lie between clusters; none of them is a
# calibrated probability.

# %%
# How clusters overlap
# --------------------
# An arrow from one cluster to another is the share of the first that lies in the second.
graph = RelationDisplay.from_result(ConsensusResult.from_estimator(pcc)).plot()
