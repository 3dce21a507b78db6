"""
What goes with the clusters, and a report to hand on
====================================================

Clusters are useful if they go with something that was not used to make them. This example tests annotations of the
objects against the clusters, with corrected p-values, checks how stable the clusters are, and writes all of it into one
HTML file.
"""

# %%
# Clusters of part of the measurements
# ------------------------------------
# The wines are clustered by nine measurements. Four others, the cultivar, and a random number are annotations.
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from partita import KMeansEnsemble, combine

wine = load_wine(as_frame=True)
apart = ["alcohol", "color_intensity", "magnesium", "ash"]
features = StandardScaler().fit_transform(wine.data.drop(columns=apart))
labels = KMeansEnsemble(40, (3, 10), random_state=0).fit_transform(features)
result = combine(labels, random_state=0)
annotations = wine.data[apart].assign(
    cultivar=wine.target_names[wine.target],
    random=np.random.default_rng(0).normal(size=len(wine.data)),
)

# %%
# The tests
# ---------
# Chi-squared for categories, Kruskal-Wallis for numbers; ``effect`` is from 0 to 1, ``p_corrected`` counts that several
# annotations were tested. Never test what was used to make the clusters: it would always be significant.
tests = result.test_annotations(annotations)
print(tests[["annotation", "kind", "effect", "p_corrected"]].round(4).to_string(index=False))

# %%
# In words, and in the picture beside the clusters. The random number goes with nothing, as it should.
for row in tests[tests["p_corrected"] < 0.05].itertuples():
    print(f"{row.annotation:>15}: {row.words}")
heatmap = result.plot.coassociation(annotations=annotations[["cultivar", "alcohol", "random"]])

# %%
# Is it stable?
# -------------
# The clusterings are drawn again with replacement and combined.
stability = result.stability(n_resamples=10)
for words in stability.words:
    print("-", words)

# %%
# The report
# ----------
# One HTML file with all of this, which opens offline. ``compare=True`` would add other methods, and without
# ``n_resamples=0`` it would measure the stability, as above.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "wines.html"
    result.report(path, title="Wines", annotations=annotations, n_resamples=0)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
