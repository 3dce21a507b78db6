"""Consensus by factorisation with pairs that must be together or apart (after Li, Ding and Jordan, 2007).

    minimise || S + L - Y Y' ||^2   over   Y >= 0                                                            (eq. P76)

with L > 0 for pairs that must be together and L < 0 for pairs that must be apart (``_links.py``). Up to a constant that
is the error of the factorisation of S less 2 tr(Y' L Y): a reward for pairs that are together as they must be, and a
penalty for those that must not. The eigenvalues of L are at most a share of the k-th one of S (eq. P75), so that a
group of linked objects is no cluster of its own beside those of the labels. Steps are those of NMFConsensus, which need
a symmetric matrix and nothing else, so that the objective never rises. The paper's updates are multiplicative, with
orthogonal columns.
"""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import _fit_context

from partita._labels.blocks import as_blocks
from partita._labels.validation import check_label_matrix, check_sample_weight
from partita._parameters import Interval
from partita._stopping import whole_or_nothing
from partita._typing import FloatArray
from partita.base import LabelledRows, remember_columns
from partita.consensus.pairwise._links import LinkMatrix, Links, link_matrix, read_links
from partita.consensus.pairwise._nmf_consensus import (
    NMFConsensus,
    Similarity,
    Symmetric,
    best_factor,
    rotated_eigenvectors,
    similarity_of,
)

_NOTHING = 1e-6  # eigenvalues below this share of the largest: labels of fewer than n_clusters kinds of objects


class LinkedSimilarity(NamedTuple):
    """S + L between rows that are objects."""

    of_labels: Similarity
    of_links: LinkMatrix

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row."""
        return self.of_labels.row_weights

    def times(self, Y: FloatArray) -> FloatArray:
        """(S + L) Y over all objects."""
        return self.of_labels.times(Y) + self.of_links.times(self.row_weights[:, None] * Y)

    def squared_norm(self) -> float:
        """|| S ||^2 + 2 <S, L> + || L ||^2 over all pairs of objects."""
        S, (E, K), w = self.of_labels, self.of_links, self.row_weights
        weighted = E * w[:, None]
        if S.A is None:
            inner = (K * (weighted.T @ S.S @ weighted)).sum()
        else:
            Z = weighted.T @ S.A
            inner = Z.multiply(K @ Z).sum()
        return float(S.squared_norm() + 2 * inner + self.of_links.squared_norm(w))

    def lowest(self) -> float:
        """A bound of the negative eigenvalues: those of the pairs that must be apart."""
        return self.of_links.lowest(self.row_weights)


class ConstrainedNMF(NMFConsensus):
    """Consensus by factorisation, with pairs of objects that must be together or apart.

    Without such pairs it is :class:`NMFConsensus`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. Some may end without objects.
    penalty : float >= 0, default=0.5
        How much the pairs count: with 1 a group of linked objects weighs as much as the weakest of ``n_clusters``
        clusters. Pairs are wishes: a larger penalty makes fewer exceptions, but near 1 and above groups of linked
        objects may become clusters of their own, and real clusters are joined for that.
    n_init : int, default=1
        Number of starts, each run to its end; the best one is kept. See :class:`NMFConsensus`; with pairs the first
        begins twice, with their eigenvectors and without.
    keep_starts : bool, default=False
        Keep what each start found in ``starts_``.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-5
        Relative fall of the error, in one iteration, below which a start has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_, n_components_
        As in :class:`NMFConsensus`.
    n_violated_ : int
        How many of the pairs that were passed ``labels_`` violates.
    objective_ : float
        || S + L - Y Y' ||^2 over all pairs of objects, each with itself included; L is what the pairs add.
    history_ : list of float
        Objective after each iteration of the kept start; it never rises.
    n_iter_ : int
        Number of iterations of the kept start; the length of ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Pairs that must be together join objects to groups, and a pair that must be apart keeps their groups apart: what
    follows from the pairs counts like the pairs. Contradictions are refused.

    With pairs every object is a row of its own, as objects with equal labels may have to be apart: cost O(n m k) per
    iteration without missing labels; with them O(n^2 k) and n^2 numbers up to 4,000 objects, see
    :class:`NMFConsensus`. Pairs are numbers of rows: a method that fits parts of the data, such as ``GridSearchCV``,
    cannot hand them on.

    A new object is placed by its labels. If objects with equal labels are in different clusters, it gets the mean of
    their memberships.

    References
    ----------
    T. Li, C. Ding, M. I. Jordan, Solving consensus and semi-supervised clustering problems using nonnegative matrix
    factorization, ICDM 2007, 577-582.

    Examples
    --------
    Two clusterings that contradict each other, and one pair that decides between them:

    >>> from partita import ConstrainedNMF
    >>> X = {"a": [0, 0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 1, 1, 0, 0, 1, 1]}
    >>> ConstrainedNMF(n_clusters=2).fit(X, must_link=[(0, 2)], cannot_link=[(0, 4)]).labels_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> ConstrainedNMF(n_clusters=2).fit(X, must_link=[(0, 4)], cannot_link=[(0, 2)]).labels_
    array([0, 0, 1, 1, 0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **NMFConsensus._parameter_constraints,
        "penalty": [Interval("real", 0, None)],
    }
    _links: Links | None = None

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        penalty: float = 0.5,
        n_init: int = 1,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-5,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            n_clusters,
            n_init=n_init,
            keep_starts=keep_starts,
            max_iter=max_iter,
            tol=tol,
            weights=weights,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.penalty = penalty

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, must_link: Any = None, cannot_link: Any = None
    ) -> Self:
        """Find the consensus of the clusterings in the columns of X and of the pairs.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object. A pair counts with the product of the weights of its objects.
        must_link : array-like of shape (n_pairs, 2), optional
            Numbers of rows of X, from 0: pairs of objects that must be together.
        cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of objects that must be apart.

        Returns
        -------
        self
        """
        self._links = None
        if as_blocks(X) is not None:
            if must_link is not None or cannot_link is not None:
                raise ValueError(
                    "ConstrainedNMF with pairs needs labels in memory; pass an array or a frame, not blocks."
                )
            super().fit(X, y, sample_weight)
            self.n_violated_ = 0
            return self
        matrix = check_label_matrix(X)
        weight = check_sample_weight(sample_weight, len(matrix.codes))
        links = read_links(must_link, cannot_link, len(matrix.codes))
        if links.has_any:
            self._links = links
        remember_columns(self, X, matrix, reset=True)
        self._fit_matrix(matrix, weight)
        self.n_violated_ = links.n_violated(self.labels_)
        return self

    def _one_row_per_object(self) -> bool:
        return self._links is not None

    def _matrix(self, rows: LabelledRows) -> Symmetric:
        similarity = similarity_of(rows)
        if self._links is None:
            return similarity
        strength = float(self.penalty) * weakest_cluster(similarity, rows.n_clusters)
        return LinkedSimilarity(similarity, link_matrix(self._links, rows, strength))

    def _first_starts(self, similarity: Symmetric, n_clusters: int) -> list[FloatArray]:
        first = super()._first_starts(similarity, n_clusters)
        if isinstance(similarity, LinkedSimilarity):  # from the clusters without pairs, which change little by few
            first.append(rotated_eigenvectors(similarity.of_labels, n_clusters))
        return first


def weakest_cluster(similarity: Similarity, n_clusters: int) -> float:
    """The k-th eigenvalue of W^1/2 S W^1/2, or the last one that is not rounding (eq. P75).

    A group of linked objects that had a larger one would take the place of a cluster.
    """
    B = best_factor(similarity, np.sqrt(similarity.row_weights)[:, None], n_clusters)
    values = np.square(B).sum(axis=0)
    return float(values[values > _NOTHING * values.max()].min())
