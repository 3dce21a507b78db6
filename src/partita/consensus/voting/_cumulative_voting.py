"""Cumulative voting (Ayad and Kamel, 2008): every clustering votes for the clusters of a reference.

With n_lq the objects in cluster l of the voter and cluster q of the reference, an object of cluster l votes for q with

    URCV  n_lq / n_l                        RCV  n_lq / n_q, normalised over q                             (eq. G30).

The votes of all voters (and of the reference) are averaged (eq. G31). The fixed reference is the clustering of the
largest entropy (eq. G29); the adaptive scheme (ACV, eq. G32) takes the clusterings by decreasing entropy and lets each
vote change the reference. The votes V, read as p(q | x), are reduced to k clusters by merging the two whose merger
loses the least information about x,

    (p_a + p_b) JS(p(x | a), p(x | b))                                                                     (eq. G34).
"""

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import xlogy

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._parameters import StrOptions, common
from partita._runs import progress
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import BaseConsensus, Consensus, LabelledRows, SoftConsensusMixin


class CumulativeVoting(SoftConsensusMixin, BaseConsensus):
    """Cumulative voting.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Fewer are returned if the reference, the clustering of the largest entropy, has fewer.
    scheme : {"rcv", "urcv", "acv"}, default="rcv"
        "rcv": votes normalised by the sizes of the reference's clusters, which is fair to small ones. "urcv": votes
        that are not normalised. "acv": the same, with a reference that adapts to each vote.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : Ignored
        Present by convention; nothing is drawn at random.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_ : ndarray of shape (n_samples, n_components_)
        Mean vote for each cluster; uniform for objects without any label.
    labels_ : ndarray of shape (n_samples,)
        Cluster of the most votes, numbered by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    n_components_ : int
        Number of columns of ``membership_``; clusters without an object of their own come last.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The method suits clusterings with similar numbers of clusters. Where the clusterings split a large cluster in many
    ways, the mergers may fail to find it again.

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
        **common("n_clusters", "weights", "random_state", "verbose"),
        "scheme": [StrOptions({"acv", "urcv", "rcv"})],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        scheme: Literal["rcv", "urcv", "acv"] = "rcv",
        weights: Any = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.scheme = scheme
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        ensemble, show = rows.ensemble, bool(self.verbose)
        votes, self._vote_tables = cumulative_votes(ensemble, self.scheme, show=show)
        self._merged = merge_clusters(votes, ensemble.row_weights, rows.n_clusters, show=show)
        membership = self._merge(votes)
        k = membership.shape[1]
        return Consensus(membership.argmax(axis=1), membership, np.full(k, 1 / k))

    def _label_rows(self, codes: Codes) -> Array:
        votes = np.zeros((len(codes), self._vote_tables[0].shape[1]))
        clustering_weights = self._placement.encoder.clustering_weights
        for column, weight, table in zip(codes.T, clustering_weights, self._vote_tables, strict=True):
            votes[column >= 0] += weight * table[column[column >= 0]]
        return self._merge(votes)

    def _merge(self, votes: FloatArray) -> FloatArray:
        """Membership (n_rows, k): votes for the clusters of the reference, summed over those that were merged."""
        return _normalise(votes @ one_hot(self._merged, int(self._merged.max()) + 1))


def cumulative_votes(ensemble: Ensemble, scheme: str, *, show: bool = False) -> tuple[FloatArray, list[FloatArray]]:
    """Mean vote of each row for each cluster of the reference, and the vote of each label of each clustering."""
    row_weights, clustering_weights = ensemble.row_weights, ensemble.clustering_weights
    order = np.argsort([-_entropy(column, row_weights) for column in ensemble.codes.T], kind="stable")
    n_reference = int(ensemble.n_labels[order[0]])
    reference = one_hot(ensemble.codes[:, order[0]], n_reference)
    tables: list[FloatArray] = [np.empty(0)] * len(order)
    total, weight = np.zeros_like(reference), np.zeros(len(reference))
    with progress(len(order), "votes", show=show) as bar:
        for place, j in enumerate(order):
            column = ensemble.codes[:, j]
            seen = column >= 0
            if place == 0:
                tables[j] = np.eye(n_reference)
            else:
                if scheme == "acv":  # 0 for rows that no clustering has voted on yet
                    reference = np.divide(total, weight[:, None], out=np.zeros_like(total), where=weight[:, None] > 0)
                n_labels = int(ensemble.n_labels[j])
                tables[j] = vote_table(column, n_labels, reference, row_weights, normalised=scheme == "rcv")
            total[seen] += clustering_weights[j] * tables[j][column[seen]]
            weight[seen] += clustering_weights[j]
            bar.update(1)
    return total / weight[:, None], tables


def vote_table(
    column: Array, n_labels: int, reference: FloatArray, row_weights: FloatArray, *, normalised: bool
) -> FloatArray:
    """Vote of each cluster of a voter for each cluster of the reference; rows sum to 1."""
    seen = column >= 0
    overlap = np.zeros((n_labels, reference.shape[1]))
    np.add.at(overlap, column[seen], row_weights[seen, None] * reference[seen])
    if normalised:
        size = row_weights @ reference
        overlap = np.divide(overlap, size, out=np.zeros_like(overlap), where=size > 0)
    return _normalise(overlap)


def merge_clusters(votes: FloatArray, row_weights: FloatArray, n_clusters: int, *, show: bool = False) -> IntArray:
    """Cluster of each column of the votes after merging, two at a time, those that lose the least information."""
    joint = votes * (row_weights / row_weights.sum())[:, None]  # p(x, q)
    n_columns = joint.shape[1]
    groups = [[q] for q in range(n_columns)]
    own = list(joint.T)
    loss: dict[tuple[int, int], float] = {}
    alive = set(range(n_columns))
    with progress(n_columns + max(n_columns - n_clusters, 0), "mergers", show=show) as bar:
        for a in range(n_columns):
            loss |= {(a, b): _merger_loss(own[a], own[b]) for b in range(a)}
            bar.update(1)
        while len(alive) > n_clusters:
            a, b = min((pair for pair in loss if alive.issuperset(pair)), key=lambda pair: loss[pair])
            alive -= {a, b}
            groups.append(groups[a] + groups[b])
            own.append(own[a] + own[b])
            loss |= {(len(own) - 1, other): _merger_loss(own[-1], own[other]) for other in alive}
            alive.add(len(own) - 1)
            bar.update(1)
    merged = np.empty(n_columns, dtype=np.int64)
    for number, group in enumerate(sorted(alive)):
        merged[groups[group]] = number
    return merged


def _merger_loss(a: FloatArray, b: FloatArray) -> float:
    """Information about x that is lost when the clusters of joint probabilities a and b become one."""
    of_objects = xlogy(a, a).sum() + xlogy(b, b).sum() - xlogy(a + b, a + b).sum()
    p, q = a.sum(), b.sum()
    return float(of_objects - xlogy(p, p) - xlogy(q, q) + xlogy(p + q, p + q))


def _entropy(column: Array, row_weights: FloatArray) -> float:
    """Entropy of the labels of one clustering, over the rows that it labels."""
    mass = np.bincount(column[column >= 0], weights=row_weights[column >= 0])
    share = mass / mass.sum()
    return -float(xlogy(share, share).sum())


def _normalise(table: FloatArray) -> FloatArray:
    """Rows that sum to 1; uniform where there is nothing."""
    total = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, total, out=np.full(table.shape, 1 / table.shape[1]), where=total > 0))
