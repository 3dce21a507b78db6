"""Run one method of another package on one frozen ensemble: ``python _peer_methods.py FILE PACKAGE METHOD K``.

It runs in an environment of the peer's own, without partita, because peers need older libraries. Prints JSON: the
labels and the seconds that the method took.
"""

import json
import sys
import time

import numpy as np


def ensembleclustering(labels, method, k):
    """CSPA, HGPA, MCLA, HBGF and NMF of the package of that name; its labellings are rows."""
    import ensembleclustering as peer

    return peer.cluster_ensembles(labels.T.astype(float), nclass=k, solver=method, random_state=0)


def kmodes(labels, method, k):
    """k-modes with the starts of Huang or Cao."""
    from kmodes.kmodes import KModes

    return KModes(n_clusters=k, init=method, n_init=10, random_state=0).fit_predict(labels)


def stepmix(labels, method, k):
    """Latent class analysis."""
    from stepmix.stepmix import StepMix

    model = StepMix(n_components=k, measurement=method, n_init=10, random_state=0, verbose=0, progress_bar=0)
    return model.fit(labels).predict(labels)


def scipy(labels, method, k):
    """Linkage of the dense co-association, by hand."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    return fcluster(linkage(pdist(labels, "hamming"), method), k, "maxclust")


def main(path, package, method, k):
    """Run and print."""
    with np.load(path, allow_pickle=False) as stored:
        labels = stored["labels"]
    start = time.perf_counter()
    found = globals()[package](labels, method, int(k))
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "labels": np.asarray(found).tolist()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
