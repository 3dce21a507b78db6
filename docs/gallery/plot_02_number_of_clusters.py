"""
How many clusters, and why
==========================

Four views of the same question: halves of the clusterings that should agree, the distribution of the co-association
(CDF, PAC), the lifetimes of a tree, and what happens to the objects when the number grows. They need not agree, and it
is worth looking at more than one.
"""

# %%
# What the consensus says itself
# ------------------------------
# The clusterings are cut into random halves, each half gets a consensus, and the number is taken on which the halves
# agree best. ``choice.table`` has the figures behind it: what two halves share counts for a number, what they do not
# share counts four times as much against it.
from partita import combine
from partita.datasets import load_wine_ensemble
from partita.plotting import CurveDisplay, DendrogramDisplay

labels = load_wine_ensemble().labels
result = combine(labels, random_state=0)
print(result.choice)

table = result.choice.table
curves = CurveDisplay(
    table["n_clusters"],
    [table["shared"], table["apart"]],
    names=["shared by two halves", "not shared"],
    x_label="number of clusters",
    y_label="nats",
    title="What two halves of the clusterings agree on",
).plot()

# %%
# The distribution of the co-association
# --------------------------------------
# The clusterings are resampled for each number. A good number has pairs that are always together or never: a flat curve
# and a low proportion of ambiguous pairs (PAC).
cdf = result.plot.cdf(numbers=(2, 8))

# %%
# A tree and its lifetimes
# ------------------------
# Evidence accumulation builds a tree of the wines. The number of clusters that survives the longest way up the tree has
# the longest lifetime.
tree = DendrogramDisplay.from_labels(labels).plot()

# %%
# What happens to the objects
# ---------------------------
# One row per number of clusters, one column per wine. From 2 to 3 one block splits; every further number cuts one of
# these three blocks, and none brings a group that reaches over two of them.
tracking = result.plot.tracking(numbers=(2, 8))

# %%
# Is there anything at all?
# -------------------------
# :func:`partita.choose_n_clusters` compares the ensemble with shuffled ones, and one cluster can be its answer. Here all
# criteria propose 3. Of 19 shuffled ensembles none comes near, and p = 1 / 20 is the least that 19 can show.
from partita import choose_n_clusters

choice = choose_n_clusters(labels, (2, 8), random_state=0)
print(choice)
