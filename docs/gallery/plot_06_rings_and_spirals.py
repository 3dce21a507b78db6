"""
Rings and spirals: what k-means cannot do, and many k-means can
===============================================================

k-means cuts the plane into convex pieces, so it can find neither a ring around a disc nor a spiral. Many k-means
clusterings with many small clusters each can: neighbours along a ring are often together, and single linkage follows
the chain. That is evidence accumulation (Fred and Jain 2005).
"""

# %%
# One k-means
# -----------
# Two sets of points. k-means is told the right number of clusters, and cuts straight through.
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans

from partita import EAC, ConsensusResult, KMeansEnsemble
from partita.datasets import load
from partita.metrics import adjusted_rand_score
from partita.plotting import ScatterDisplay

sets = {name: load(name) for name in ["rings", "spiral"]}
figure, axes = plt.subplots(2, 3, figsize=(9.5, 7), layout="constrained")
print("adjusted Rand index with the shapes")
for row, (name, data) in zip(axes, sets.items(), strict=True):
    points = data.features.to_numpy()
    labels = KMeansEnsemble(200, (20, 30), random_state=0).fit_transform(points)
    partitions = {
        "one k-means": KMeans(data.n_classes, n_init=10, random_state=0).fit_predict(points),
        "EAC, average linkage": EAC(data.n_classes, linkage="average").fit(labels).labels_,
        "EAC, single linkage": EAC(data.n_classes, linkage="single").fit(labels).labels_,
    }
    for ax, (title, found) in zip(row, partitions.items(), strict=True):
        result = ConsensusResult.from_labels(labels, found)
        ScatterDisplay.from_result(result, coordinates=points).plot(ax)
        score = adjusted_rand_score(data.target, found)
        ax.set_title(f"{name}: {title}", fontsize=10, loc="left", pad=20)
        if ax.get_legend():
            ax.get_legend().remove()  # the numbers in the picture say the same
        ax.set(xticks=[], yticks=[], xlabel=f"adjusted Rand index {score:z.2f}", ylabel="", aspect="equal")
        print(f"{name:>7}, {title:<21}: {score:z.2f}")

# %%
# How many shapes
# ---------------
# Nobody has to say the number: the tree has a long gap where the shapes are separate. Here it is the spirals'.
from partita.plotting import DendrogramDisplay

labels = KMeansEnsemble(200, (20, 30), random_state=0).fit_transform(sets["spiral"].features.to_numpy())
model = EAC(linkage="single").fit(labels)
tree = DendrogramDisplay.from_estimator(model).plot()

# %%
# The other side
# --------------
# Single linkage pays for this: one bridge of points between two clusters joins them, and one point far away becomes a
# cluster. On round clusters that touch, such as the wines of the other examples, average linkage and the default
# method are the better choice.
from partita.datasets import load_wine_ensemble

wine = load_wine_ensemble()
for linkage in ["single", "average"]:
    found = EAC(3, linkage=linkage).fit_predict(wine.labels)
    sizes = sorted(map(int, ConsensusResult.from_labels(wine.labels, found).clusters["size"]), reverse=True)
    print(f"wines, {linkage:>7} linkage: clusters of {sizes}, {adjusted_rand_score(wine.target, found):z.2f}")
print(f"spirals, number found by lifetime: {model.n_clusters_}")
