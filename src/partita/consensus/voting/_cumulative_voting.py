"""Cumulative voting (Ayad and Kamel, 2008): every clustering votes for the clusters of a reference.

With n_lq the objects of the voter's cluster l and the reference's cluster q, an object of cluster l votes for q with

    URCV  n_lq / n_l                        RCV  n_lq / n_q, normalised over q.

The votes of all voters (and of the reference) are averaged. The fixed reference is the clustering of the largest
entropy; the adaptive scheme (ACV) takes the clusterings by decreasing entropy and lets each vote change the reference.
The votes V, read as p(q | x), are reduced to k clusters by merging the two whose merger loses the least information
about x,

    (p_a + p_b) JS(p(x | a), p(x | b)).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import xlogy

from partita._labels.ensemble import Ensemble
from partita._parameters import Interval, StrOptions
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows


class CumulativeVoting(BaseConsensus):
    """Cumulative voting.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; fewer if the reference, the clustering of the largest entropy, has fewer.
    scheme : {"rcv", "urcv", "acv"}, default="rcv"
        Votes normalised by the sizes of the reference's clusters, which is fair to small ones, or not; or votes that
        are not, with a reference that adapts.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering's vote.
    random_state : Ignored
        Present by convention; nothing is drawn at random.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Mean vote for each cluster; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of most votes, by decreasing size; -1 for objects without any label.
    n_clusters_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Made for clusterings alike in their numbers of clusters; from ensembles that split a large cluster in many ways the
    mergers need not find it again.

    A clustering that does not label an object has no vote on it. Cost with r distinct rows, m clusterings and a
    reference of q clusters: r m q for the votes, r q^2 for the mergers.

    References
    ----------
    H. G. Ayad, M. S. Kamel, Cumulative voting consensus method for partitions with variable number of clusters, IEEE
    TPAMI 30 (2008) 160-173.

    Examples
    --------
    >>> from partita import CumulativeVoting
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> CumulativeVoting(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _ties_by_codes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None)],
        "scheme": [StrOptions({"acv", "urcv", "rcv"})],
        "weights": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        scheme: Literal["rcv", "urcv", "acv"] = "rcv",
        weights: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.scheme = scheme
        self.weights = weights
        self.random_state = random_state

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble = rows.ensemble
        votes, self._votes_of = cumulative_votes(ensemble, self.scheme)
        self._merged = merge_clusters(votes, ensemble.row_weights, self.n_clusters)
        membership = _normalise(votes @ np.eye(int(self._merged.max()) + 1)[self._merged])
        k = membership.shape[1]
        return Consensus(membership.argmax(axis=1), membership, np.full(k, 1 / k))

    def _label_rows(self, codes: Codes) -> Array:
        votes = np.zeros((len(codes), self._votes_of[0].shape[1]))
        for column, weight, table in zip(
            codes.T, self._placement.encoder.clustering_weights, self._votes_of, strict=True
        ):
            votes[column >= 0] += weight * table[column[column >= 0]]
        return _normalise(votes @ np.eye(int(self._merged.max()) + 1)[self._merged])


def cumulative_votes(ensemble: Ensemble, scheme: str) -> tuple[FloatArray, list[FloatArray]]:
    """Mean vote of each row for each cluster of the reference, and the vote of each label of each clustering."""
    order = np.argsort([-_entropy(column, ensemble.row_weights) for column in ensemble.codes.T], kind="stable")
    n_reference = int(ensemble.n_labels[order[0]])
    tables: list[FloatArray] = [np.empty(0)] * len(order)
    reference = _one_hot(ensemble.codes[:, order[0]], n_reference)
    total = np.zeros_like(reference)
    weight = np.zeros(len(reference))
    for place, j in enumerate(order):
        column = ensemble.codes[:, j]
        seen = column >= 0
        if scheme == "acv" and place > 0:  # 0 for rows that nobody has voted on yet
            reference = np.divide(total, weight[:, None], out=np.zeros_like(total), where=weight[:, None] > 0)
        tables[j] = (
            np.eye(n_reference)
            if place == 0
            else vote_table(
                column, int(ensemble.n_labels[j]), reference, ensemble.row_weights, normalised=scheme == "rcv"
            )
        )
        total[seen] += ensemble.clustering_weights[j] * tables[j][column[seen]]
        weight[seen] += ensemble.clustering_weights[j]
    return total / weight[:, None], tables


def vote_table(
    column: Array, n_labels: int, reference: FloatArray, counts: FloatArray, *, normalised: bool
) -> FloatArray:
    """Vote of each cluster of a voter for each cluster of the reference; rows sum to 1."""
    seen = column >= 0
    overlap = np.zeros((n_labels, reference.shape[1]))
    np.add.at(overlap, column[seen], counts[seen, None] * reference[seen])
    if normalised:
        size = counts @ reference
        overlap = np.divide(overlap, size, out=np.zeros_like(overlap), where=size > 0)
    return _normalise(overlap)


def merge_clusters(votes: FloatArray, counts: FloatArray, n_clusters: int) -> IntArray:
    """Cluster of each column of the votes after merging, two at a time, those that lose the least information."""
    joint = votes * (counts / counts.sum())[:, None]  # p(x, q)
    groups = [[q] for q in range(joint.shape[1])]
    own = list(joint.T)
    loss = {(a, b): _loss(own[a], own[b]) for a in range(len(own)) for b in range(a)}
    alive = set(range(len(own)))
    while len(alive) > n_clusters:
        a, b = min((pair for pair in loss if alive.issuperset(pair)), key=lambda pair: loss[pair])
        alive -= {a, b}
        groups.append(groups[a] + groups[b])
        own.append(own[a] + own[b])
        loss |= {(len(own) - 1, other): _loss(own[-1], own[other]) for other in alive}
        alive.add(len(own) - 1)
    merged = np.empty(joint.shape[1], dtype=np.int64)
    for number, group in enumerate(sorted(alive)):
        merged[groups[group]] = number
    return merged


def _loss(a: FloatArray, b: FloatArray) -> float:
    """Information about x that is lost when the clusters of joint probabilities a and b become one."""
    of_objects = xlogy(a, a).sum() + xlogy(b, b).sum() - xlogy(a + b, a + b).sum()
    p, q = a.sum(), b.sum()
    return float(of_objects - xlogy(p, p) - xlogy(q, q) + xlogy(p + q, p + q))


def _entropy(column: Array, counts: FloatArray) -> float:
    mass = np.bincount(column[column >= 0], weights=counts[column >= 0])
    share = mass / mass.sum()
    return -float(xlogy(share, share).sum())


def _one_hot(column: Array, width: int) -> FloatArray:
    return np.asarray((column[:, None] == np.arange(width)).astype(np.float64))


def _normalise(table: FloatArray) -> FloatArray:
    """Rows that sum to 1; uniform where there is nothing."""
    total = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, total, out=np.full(table.shape, 1 / table.shape[1]), where=total > 0))
