"""
Labels that their owners do not pool
====================================

Three hospitals have grouped their own patients with the same ten procedures and may not hand over the labels. They can
still find one consensus, by exchanging sums. This example simulates it in one process, with the messages that real
sites would send, and compares it with what pooled labels would give.
"""

# %%
# Three sites
# -----------
# The patients are those of the breast cancer data, with ten k-means clusterings of their measurements. Each site holds
# the labels of its own patients, and the sites are not alike: all tumours of Rome
# happen to be benign.
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from partita import BCE, KMeansEnsemble
from partita.federated import simulate
from partita.metrics import adjusted_rand_score
from partita.plotting import MembershipDisplay

cancer = load_breast_cancer()
labels = KMeansEnsemble(10, (2, 6), random_state=0).fit_transform(StandardScaler().fit_transform(cancer.data))
benign, malignant = np.flatnonzero(cancer.target == 1), np.flatnonzero(cancer.target == 0)
patients = {
    "berlin": np.concatenate([benign[:150], malignant[:140]]),
    "paris": np.concatenate([benign[150:210], malignant[140:]]),
    "rome": benign[210:],
}
diagnosis = cancer.target[np.concatenate(list(patients.values()))]
sites = {name: labels[who] for name, who in patients.items()}
for name, who in patients.items():
    print(f"{name:>6}: {len(who)} patients, {(cancer.target[who] == 0).sum()} of them with a malignant tumour")

# %%
# One consensus
# -------------
# What travels are the parameters of the model, and sums over the rows of a site. ``exchanges_`` lists the messages.
federated = simulate(BCE(2, random_state=0), sites)
pooled = BCE(2, random_state=0).fit(np.vstack(list(sites.values())))
print(f"{len(federated.exchanges_)} exchanges with the sites")
print(f"federated and pooled agree: {adjusted_rand_score(federated.labels_, pooled.labels_):.3f}")

# %%
# The memberships of all patients. In a real federation each site gets those of its own patients only.
membership = MembershipDisplay.from_membership(federated.membership_).plot()

# %%
# Why not each site alone?
# ------------------------
# A site can fit its own labels, but its cluster 0 need not be the others' cluster 0, and two clusters are found whether
# or not it has two kinds of patients. Alone, Rome divides its benign tumours; together with the others it hardly does.
ends = np.cumsum([len(part) for part in sites.values()])[:-1]
shares = np.split(federated.labels_, ends)
for (name, part), share in zip(sites.items(), shares, strict=True):
    alone = BCE(2, random_state=0).fit_predict(part)
    sizes = [np.bincount(found, minlength=2).tolist() for found in (alone, share)]
    print(f"{name:>6}: patients in the two clusters, alone {sizes[0]}, federated {sizes[1]}")
print(f"adjusted Rand index with the diagnosis: {adjusted_rand_score(diagnosis, federated.labels_):.2f}")

# %%
# What this does not give
# -----------------------
# Sums can reveal something about single patients where a site is small or a label is rare. Encryption of the sums
# (``encrypted=True``) hides them from the server, not from the result. The page about federation and trust says who
# learns what.
