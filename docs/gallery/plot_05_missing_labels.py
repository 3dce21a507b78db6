"""
Missing labels
==============

Clusterings of subsamples, clusterings by different people, clusterings that failed for some objects: real label
matrices have holes. partita compares two objects only by the clusterings that saw both, and fills nothing in. This
example takes more and more labels away and looks at what is left of the consensus.
"""

# %%
# Clusterings of subsamples
# -------------------------
# Each of 60 clusterings of the irises sees a random half of the flowers. The others get -1: not seen.
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from partita import KMeansEnsemble, combine
from partita.exceptions import UnlabelledObjectsWarning
from partita.metrics import adjusted_rand_score
from partita.plotting import CurveDisplay

features, species = load_iris(return_X_y=True)
features = StandardScaler().fit_transform(features)
labels = KMeansEnsemble(60, (3, 8), sample_fraction=0.5, random_state=0).fit_transform(features)
print(f"{np.mean(labels == -1):.0%} of {labels.size:,} labels are missing")

# %%
# Two objects that half of the clusterings saw were seen together by a quarter of them, still 15 clusterings. The
# heatmap is the share among those, so a hole is neither agreement nor disagreement.
result = combine(labels, n_clusters=3, random_state=0)
heatmap = result.plot.coassociation(annotations={"species": load_iris().target_names[species]})

# %%
# More holes
# ----------
# Of the labels that there are, we lose 20 to 90 % at random and combine the rest. Every method is compared with its own
# consensus of all labels; ``eac`` is evidence accumulation with average linkage. Objects that lose all their labels get
# cluster -1 and a warning, which we expect here.
warnings.simplefilter("ignore", UnlabelledObjectsWarning)
rng = np.random.default_rng(0)
rows = []
for method in ["lwgp", "eac", "bce"]:
    whole = combine(labels, method=method, n_clusters=3, random_state=0)
    for lost in [0, 20, 40, 60, 80, 90]:
        for _ in range(3):
            holes = np.where(100 * rng.random(labels.shape) < lost, -1, labels)
            part = combine(holes, method=method, n_clusters=3, random_state=0)
            seen = part.labels >= 0
            score = adjusted_rand_score(whole.labels[seen], part.labels[seen])
            rows.append({"lost": lost, "agreement": score, "method": method})
table = pd.DataFrame(rows)
curve = CurveDisplay.from_table(table, x="lost", y="agreement", by="method")
curve.title = "Consensus of what is left"
curve.x_label = "labels lost, in % of those that there are"
curve.y_label = "adjusted Rand index with the consensus of all"
picture = curve.plot()

# %%
# What to take from it
# --------------------
# The consensus bears large holes as long as every two objects are seen together now and then. Evidence accumulation,
# which needs pairs, breaks first; a model of the labels such as BCE, which needs every object to have some, last. What it cannot bear are
# holes that follow a rule, such as a clustering that never sees a whole group: look at ``partita check`` or
# ``result.clusterings["n_objects"]`` first.
print(table.pivot_table(index="lost", columns="method", values="agreement").round(2))
