"""
Two hundred thousand objects
============================

The methods of partita work on distinct rows of labels: objects with the same labels in all clusterings are one row with
a weight. With few clusterings of few clusters there are far fewer rows than objects, and time depends on rows. This
example measures it, and shows how labels that do not fit in memory are passed.
"""

# %%
# The labels
# ----------
# 200,000 objects in 5 clusters, seen by 12 clusterings, each with 10 % of the labels wrong.
import time

import numpy as np

from partita import LabelBlocks, NoisyEnsemble, combine
from partita.metrics import adjusted_rand_score
from partita.plotting import CurveDisplay

truth = np.random.default_rng(0).choice(5, size=200_000, p=[0.4, 0.25, 0.2, 0.1, 0.05])
labels = NoisyEnsemble(12, noise=0.1, random_state=0).fit_transform(truth).astype("int8")
print(f"{labels.nbytes / 1e6:.0f} MB of labels, {len(np.unique(labels, axis=0)):,} distinct rows")

# %%
# The consensus
# -------------
# With the default method. The number of clusters is found, too.
start = time.perf_counter()
result = combine(labels, random_state=0)
seconds = time.perf_counter() - start
print(f"{result.n_clusters} clusters in {seconds:.1f} s")
print(f"adjusted Rand index with the truth: {adjusted_rand_score(truth, result.labels):.4f}")

# %%
# A picture shows a sample in which every cluster is present, and says so.
profile = result.plot.uncertainty()
heatmap = result.plot.coassociation(max_objects=800)

# %%
# In blocks
# ---------
# Labels may come in blocks: slices of a memory-mapped array, files, or a Dask collection. Each block is reduced to its
# distinct rows, so that all labels are never in memory together. The result is the same.
blocks = LabelBlocks.from_array(labels, rows=50_000)
again = combine(blocks, random_state=0)
print(f"{blocks.n_blocks} blocks, the same labels: {np.array_equal(result.labels, again.labels)}")

# %%
# Time over the number of objects
# -------------------------------
# Ten times as many objects do not take ten times as long, because most of their rows are known already. Confidence and
# tables are computed when they are asked for, and are not in these times.
sizes = [2_000, 10_000, 50_000, 200_000]
times = []
for size in sizes:
    start = time.perf_counter()
    combine(labels[:size], n_clusters=5, random_state=0)
    times.append(1000 * (time.perf_counter() - start))
curve = CurveDisplay(
    sizes, times, x_label="objects", y_label="milliseconds", title="Time of a consensus of 12 clusterings"
)
picture = curve.plot()
picture.ax_.set(ylim=(0, None))
picture.ax_.xaxis.set_major_formatter("{x:,.0f}")
