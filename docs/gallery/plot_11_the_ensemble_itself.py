"""
The ensemble itself: diverse, outlying, enough?
===============================================

A consensus is as good as its clusterings. Before combining them it is worth asking whether they differ at all, whether
one of them stands apart, whether a part of them would do, and whether more would help.
"""

# %%
# Two bad clusterings
# -------------------
# We add two columns to the clusterings of the wines: one is noise, one a copy with other names of the labels.
import numpy as np

from partita import diversity, enough_clusterings, select_clusterings
from partita.datasets import load_wine_ensemble
from partita.metrics import adjusted_rand_score
from partita.plotting import AgreementDisplay, CurveDisplay
from partita.results import combine

wine = load_wine_ensemble()
labels = wine.labels.iloc[:, :14].copy()
labels["noise"] = np.random.default_rng(0).integers(5, size=len(labels))
labels["copy"] = labels.iloc[:, 0].map(lambda label: 10 - label)

# %%
# How much they differ
# --------------------
# Redundant clusterings are found, and so are those that agree with the consensus far less than most do.
found = diversity(labels)
print(found)
heatmap = AgreementDisplay.from_labels(labels).plot()

# %%
# Which to keep
# -------------
# "outliers" leaves out what stands apart; "cas" keeps a number of clusterings that are good and differ from each other.
# One column of noise among 16 does the consensus no harm: it is the mass of clusterings that counts.
for method, number in [("outliers", None), ("cas", 8)]:
    selection = select_clusterings(labels, number, method=method)
    part = combine(labels.iloc[:, selection.positions], n_clusters=3, random_state=0)
    score = adjusted_rand_score(wine.target, part.labels)
    print(f"{method:>8}: {len(selection.names):>2} clusterings, adjusted Rand index with the cultivars {score:.2f}")
score = adjusted_rand_score(wine.target, combine(labels, n_clusters=3, random_state=0).labels)
print(f"     all: {labels.shape[1]:>2} clusterings, adjusted Rand index with the cultivars {score:.2f}")

# %%
# Would more help?
# ----------------
# Parts of the ensemble that share no clustering are combined: if they agree, a new ensemble of this size would lead to
# the same answer, and there are enough. Here with all 30 clusterings.
enough = enough_clusterings(wine.labels)
curve = CurveDisplay.from_table(enough.measurements, x="n_clusterings", y="agreement", by="compared_with")
curve.title = "Consensus of a part of the clusterings"
curve.x_label, curve.y_label = "clusterings in the part", "adjusted Rand index"
picture = curve.plot()
print(enough)
