"""A plain rule that finds the number of clusters and the partition from labels alone, as a row of the leaderboard.

Clusters count by how little the other clusterings split them; one cut of the bipartite graph of rows and clusters gives
an embedding. The number of clusters is where three things agree: the singular values have a gap, and the embeddings of
two random halves of the clusterings give partitions that tell much about each other. It is slow NumPy on purpose, and
shares no code with the library, so that it stays what it was measured as.

D. Huang, C.-D. Wang, J.-H. Lai, Locally weighted ensemble clustering, IEEE Transactions on Cybernetics 48 (2018).
Z. Li, X.-M. Wu, S.-F. Chang, Segmentation using superpixels: a bipartite graph partitioning approach, CVPR 2012.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix

THETA = 0.4  # of the weights of clusters, as in the experiments of the paper
MOST_CLUSTERS = 30
N_OF_HALVES = 500  # objects on which halves are compared
N_SPLITS = 4
N_OF_PARTITION = 2000  # objects on which the centres of the partition are sought
STARTS_OF_HALVES, STARTS_OF_PARTITION = 2, 10


class Answer(NamedTuple):
    """A partition, and its number of clusters."""

    labels: np.ndarray
    n_clusters: int


class Rows(NamedTuple):
    """Distinct rows of labels."""

    indicator: csr_matrix  # (rows, clusters of all clusterings)
    clustering: np.ndarray  # of each cluster
    weights: np.ndarray  # objects of each row
    row_of: np.ndarray  # of each object


# ---------------------------------------------------------------------------------------- the rule, and LWGP beside it
def reference_rule(labels, random_state=0):
    """The number of clusters and the partition."""
    rng = np.random.default_rng(random_state)
    rows, n = distinct(labels), len(labels)
    n_rows = len(rows.weights)
    if n_rows < 3:
        return Answer(rows.row_of, n_rows)
    entropies, seen = split_entropies(rows)
    largest = max(2, min(MOST_CLUSTERS, int(np.sqrt(n)), n_rows))
    values, vectors = embedding(rows.indicator, rows.weights, weights_of_clusters(entropies, seen), largest + 1)
    below = values[1:]  # s_{k+1}
    gaps = np.divide(values[:-1] - below, 1 - below, out=np.zeros(largest), where=below < 1 - 1e-10)
    information, agreement = compare_halves(rows, entropies, seen, largest, rng)
    # k = argmax z(J) + z(G) + z(A) over 2..K
    score = standard(information[1:]) + standard(gaps[1:]) + standard(agreement[1:])
    k = 2 + int(np.argmax(score))
    found = partition(vectors[:, :k], rows, rng)
    return Answer(found[rows.row_of], len(np.unique(found)))


def weighted_cut(labels, n_clusters, random_state=0):
    """The partition of the rule for a number of clusters that is given: locally weighted graph partitioning."""
    rows = distinct(labels)
    k = min(n_clusters, len(rows.weights))
    _, vectors = embedding(rows.indicator, rows.weights, weights_of_clusters(*split_entropies(rows)), k)
    found = partition(vectors, rows, np.random.default_rng(random_state))
    return Answer(found[rows.row_of], len(np.unique(found)))


# --------------------------------------------------------------------------------------------------- 1. the embedding
def distinct(labels):
    """Distinct rows, their numbers of objects and their clusters; -1 is no cluster."""
    codes, row_of, weights = np.unique(np.asarray(labels), axis=0, return_inverse=True, return_counts=True)
    sizes = codes.max(axis=0) + 1
    cells = codes + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    places, columns = np.nonzero(codes >= 0)
    shape = (len(codes), int(sizes.sum()))
    indicator = csr_matrix((np.ones(len(places)), (places, cells[places, columns])), shape=shape)
    return Rows(indicator, np.repeat(np.arange(len(sizes)), sizes), weights.astype(float), row_of.ravel())


def split_entropies(rows):
    """H_m(c) in bits: how the clustering m splits the cluster c; and whether it sees the cluster at all."""
    weighted = rows.indicator.multiply(rows.weights[:, None]).tocsr()
    common = (weighted.T @ rows.indicator).toarray()  # objects of c and d
    n_clusterings = rows.clustering.max() + 1
    owner = np.zeros((len(rows.clustering), n_clusterings))
    owner[np.arange(len(rows.clustering)), rows.clustering] = 1
    observed = common @ owner  # objects of c that m labels
    share = common / np.maximum(observed @ owner.T, 1e-300)
    terms = np.zeros_like(share)
    np.log2(share, out=terms, where=share > 0)
    return -(share * terms) @ owner, observed > 0


def weights_of_clusters(entropies, seen, chosen=slice(None)):
    """exp(-sum_m H_m(c) / (theta M)) over the chosen clusterings that see the cluster."""
    number = np.maximum(seen[:, chosen].sum(axis=1), 1)
    return np.exp(-entropies[:, chosen].sum(axis=1) / (THETA * number))


def embedding(indicator, weights, cluster_weights, n_vectors):
    """The leading singular values and vectors f_j = s_j Dx^-1/2 u_j of the bipartite graph; zeros beyond its rank."""
    graph = indicator.multiply(cluster_weights[None, :]).tocsr()  # B
    degrees = np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1e-300)
    sizes = np.maximum(graph.T @ weights, 1e-300)  # D = B' w
    scaled = graph.multiply(np.sqrt(weights / degrees)[:, None]).multiply(1 / np.sqrt(sizes)[None, :]).tocsr()
    by_rows = scaled.shape[0] < scaled.shape[1]
    gram = (scaled @ scaled.T if by_rows else scaled.T @ scaled).toarray()
    n_found = min(n_vectors, len(gram))
    squares, found = eigh(gram, subset_by_index=[len(gram) - n_found, len(gram) - 1])
    squares, found = squares[::-1], found[:, ::-1]
    values = np.sqrt(np.clip(squares, 0, 1))
    if by_rows:
        vectors = values * found / np.sqrt(weights * degrees)[:, None]
    else:
        vectors = (graph @ (found / np.sqrt(sizes)[:, None])) / degrees[:, None]
    missing = n_vectors - n_found
    return np.pad(values, (0, missing)), np.pad(vectors, ((0, 0), (0, missing)))


# ----------------------------------------------------------------------------------------- 2. halves of the clusterings
def compare_halves(rows, entropies, seen, largest, rng):
    """J(k) and A(k) for k = 1..largest, means over random splits of the clusterings."""
    n = len(rows.row_of)
    sample = rows.row_of[rng.choice(n, size=min(N_OF_HALVES, n), replace=False)]
    places, objects = np.unique(sample, return_counts=True)
    n_clusterings = entropies.shape[1]
    totals = np.zeros((2, largest))
    for _ in range(N_SPLITS):
        order = rng.permutation(n_clusterings)
        halves = (order[: n_clusterings // 2], order[n_clusterings // 2 :])
        vectors = [_of_half(rows, places, objects, entropies, seen, half, largest) for half in halves]
        for k in range(2, largest + 1):
            pair = [kmeans(unit(found[:, :k]), objects.astype(float), k, STARTS_OF_HALVES, rng)[0] for found in vectors]
            totals[:, k - 1] += agreement_of(*pair, objects)
    return totals / N_SPLITS


def _of_half(rows, places, objects, entropies, seen, half, largest):
    chosen = np.isin(rows.clustering, half)
    cluster_weights = weights_of_clusters(entropies, seen, half)[chosen]
    return embedding(rows.indicator[places][:, chosen], objects.astype(float), cluster_weights, largest)[1]


def agreement_of(first, second, weights):
    """J = 3 I' - 2 H and A = I' / (H - E) of two partitions: I' is their information without what chance gives, E."""
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), weights)
    m = table.sum()
    sides = [table.sum(axis=1), table.sum(axis=0)]
    entropy = np.mean([entropy_of(side / m) for side in sides])
    information = 2 * entropy - entropy_of(table.ravel() / m)
    k1, k2 = (np.count_nonzero(side) for side in sides)
    by_chance = (k1 - 1) * (k2 - 1) / (2 * m)
    left = information - by_chance
    return np.array([3 * left - 2 * entropy, left / (entropy - by_chance) if entropy > by_chance else 0.0])


def entropy_of(shares):
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def standard(values):
    """Mean 0 and standard deviation 1; zeros where all are equal."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros_like(values)


# --------------------------------------------------------------------------------------------------- 4. the partition
def partition(vectors, rows, rng):
    """Labels of rows: centres from a sample of the objects, then a few rounds on all rows."""
    points, n = unit(vectors), len(rows.row_of)
    sample = rows.row_of if n <= N_OF_PARTITION else rows.row_of[rng.choice(n, size=N_OF_PARTITION, replace=False)]
    places, objects = np.unique(sample, return_counts=True)
    k = min(vectors.shape[1], len(places))
    _, centres = kmeans(points[places], objects.astype(float), k, STARTS_OF_PARTITION, rng)
    return lloyd(points, rows.weights, centres)[0]


def unit(vectors):
    """Rows of length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)


def kmeans(points, weights, k, n_starts, rng):
    """Labels and centres of the best of several starts by weighted k-means++."""
    runs = [lloyd(points, weights, plus_plus(points, weights, min(k, len(points)), rng)) for _ in range(n_starts)]
    labels, centres, _ = min(runs, key=lambda run: run[2])
    return labels, centres


def plus_plus(points, weights, k, rng):
    """Centres drawn with probability proportional to weight times squared distance to those drawn before."""
    chance, nearest, places = weights, np.full(len(points), np.inf), []
    for _ in range(k):
        total = np.cumsum(chance)
        # all points are centres already: any of them will do
        place = int(np.searchsorted(total, rng.random() * total[-1], side="right")) if total[-1] > 0 else 0
        places.append(min(place, len(points) - 1))
        nearest = np.minimum(nearest, ((points - points[places[-1]]) ** 2).sum(axis=1))
        chance = weights * nearest
    return points[places]


def lloyd(points, weights, centres, max_iter=100):
    """Labels, centres and squared error once labels no longer change; a centre without points stays where it is."""
    labels, lengths = np.full(len(points), -1), (points**2).sum(axis=1)
    for _ in range(max_iter):
        squared = lengths[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)
        new = squared.argmin(axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        member = csr_matrix((weights, (labels, np.arange(len(points)))), shape=(len(centres), len(points)))
        masses = np.asarray(member.sum(axis=1)).ravel()
        centres = np.where(masses[:, None] > 0, (member @ points) / np.maximum(masses, 1e-300)[:, None], centres)
    error = float((weights * np.maximum(squared[np.arange(len(points)), labels], 0)).sum())
    return labels, centres, error
