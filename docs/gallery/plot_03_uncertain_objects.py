"""
Which objects are uncertain
===========================

A clustering puts every object somewhere, also those between two clusters. An ensemble knows better: where clusterings
disagree about an object, nobody should rely on its cluster. This example finds such objects in three ways and checks
that the consensus is indeed wrong more often among them.
"""

# %%
# Confidence
# ----------
# The confidence of an object is the log-odds of its own cluster against the best other one. At 0 or below its labels
# speak at least as much for the other cluster. It ranks the objects; it is not a probability of being right.
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from partita import PCC, combine, membership_entropy
from partita.datasets import load_wine_ensemble

wine = load_wine_ensemble()
result = combine(wine.labels, random_state=0)
profile = result.plot.uncertainty()

# %%
# Where they lie
# --------------
# Faint points are uncertain. On the first two principal components of the 13 measurements, which the consensus never
# saw, they lie between the clusters.
components = PCA(2).fit_transform(StandardScaler().fit_transform(load_wine().data))
scatter = result.plot.scatter(coordinates=components)
axis_names = scatter.ax_.set(xlabel="first principal component", ylabel="second principal component")

# %%
# The list to look at first
# -------------------------
# ``second`` is the cluster that the object might belong to instead, ``vote`` the share of votes of its own.
doubtful = result.objects.sort_values("confidence").head(8)
print(doubtful[["id", "cluster", "second", "vote", "confidence"]].round(2).to_string(index=False))

# %%
# Probabilities
# -------------
# :class:`~partita.PCC` gives every object a distribution over clusters. Its entropy, in bits, is another measure of
# doubt.
soft = PCC(n_clusters=3, random_state=0).fit(wine.labels)
entropy = membership_entropy(soft.membership_)
from partita.plotting import MembershipDisplay

membership = MembershipDisplay.from_estimator(soft).plot()

# %%
# Does it mean anything?
# ----------------------
# The cultivars are known here. Each cluster is named after its most frequent cultivar, and wines of another one are
# errors.
names = [wine.target[result.labels == cluster].mode()[0] for cluster in range(result.n_clusters)]
wrong = np.array(names)[result.labels] != wine.target.to_numpy()
for words, doubt in [("least confident", -result.confidence), ("highest entropy", entropy)]:
    first = np.argsort(-doubt, kind="stable")[:18]
    print(f"errors among the 18 wines of {words:<16}: {wrong[first].sum():>2} of {wrong.sum()}")
print(f"errors among 18 wines at random, on average  : {18 * wrong.mean():.1f}")
