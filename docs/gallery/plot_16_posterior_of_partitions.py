"""
The middle of many partitions
=============================

A Bayesian sampler gives hundreds of partitions, not one. Which one should be reported, and how far are the samples from
it? The median partition has the least mean distance from all of them. This example takes the samples of a Dirichlet
process mixture of Gaussians and finds their median under two distances.
"""

# %%
# Samples of a posterior
# ----------------------
# Points of four overlapping Gaussians. Each kept sweep of the sampler is one partition, with its own number of clusters.
import matplotlib.pyplot as plt
import numpy as np

from partita import DPGaussianMixture, MedianPartition
from partita.datasets import load
from partita.metrics import adjusted_rand_score, expected_loss
from partita.plotting import CoassociationDisplay

data = load("four_gaussians")
points, component = data.features.to_numpy()[::4], data.target[::4]
model = DPGaussianMixture(n_sweeps=1000, thin=5, random_state=0).fit(points)
samples = model.samples_.T  # one column per partition, as in any label matrix
numbers, counts = np.unique([len(np.unique(sample)) for sample in samples.T], return_counts=True)
print(f"{samples.shape[1]} partitions with {numbers.min()} to {numbers.max()} clusters")
print("R-hat", {name: round(float(value), 2) for name, value in model.r_hat_.items()})

# %%
# Four candidates
# ---------------
# The most probable sample, the last one, and the medians under the variation of information and under Binder's loss.
# Each is best at what it was made for.
candidates = {
    "highest probability": model.labels_,
    "last sample": samples[:, -1],
    "median, vi": MedianPartition(loss="vi", random_state=0).fit_predict(samples),
    "median, binder": MedianPartition(loss="binder", random_state=0).fit_predict(samples),
}
print(f"{'':>20} clusters  vi (bits)  binder  with truth")
for name, found in candidates.items():
    vi, binder = (expected_loss(samples, found, loss=loss) for loss in ("vi", "binder"))
    score = adjusted_rand_score(component, found)
    print(f"{name:>20} {len(np.unique(found)):>8} {vi:>10.3f} {binder:>7.4f} {score:>11.2f}")

# %%
# How sure is the posterior?
# --------------------------
# The heatmap is the posterior probability that two points are in one cluster, with the clusters of the median.
heatmap = CoassociationDisplay.from_labels(samples, candidates["median, vi"]).plot()

# %%
# The number of clusters of the samples, and that of the medians.
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar(numbers, counts / counts.sum(), color="0.6", label="samples")
for name, marker in [("median, vi", "o"), ("median, binder", "s")]:
    ax.plot(len(np.unique(candidates[name])), 0.02, marker, markersize=9, label=name)
ax.set(xlabel="number of clusters", ylabel="share of the samples", xticks=numbers)
legend = ax.legend(frameon=False)
