"""The partition of least expected distance from the clusterings: the estimator.

    L(z) = sum_m v_m d(pi_m, z) / sum_m v_m,    d = variation of information, or Binder's loss (eqs. V1 to V4)

The loss of a partition is a sum over its clusters and the search lowers it cluster by cluster and row by row
(``partita/_partition_search``).
"""

from typing import Any, ClassVar, Literal

import numpy as np

from partita._labels.tables import label_sums
from partita._parameters import Interval, StrOptions, common
from partita._partition_search.descent import Limits
from partita._partition_search.problem import Loss
from partita._partition_search.search import SearchSettings, cell_costs, search_partition
from partita._runs import draw_seeds, progress, warn_not_converged
from partita._typing import Array, Codes
from partita.base import BaseConsensus, Consensus, LabelledRows


class MedianPartition(BaseConsensus):
    """The partition of least mean distance from the clusterings (median partition).

    For samples of a posterior this is the Bayes estimate of the partition, under the variation of information or under
    Binder's loss. The number of clusters is found unless it is given. On ensembles whose clusterings have many clusters
    the median has many, too: it is the centre of the ensemble, and no attempt at the number of true groups. With very
    noisy clusterings one cluster can have the least variation of information; "binder" does not behave like that.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters, at most the number of distinct rows of labels: the best partition into exactly so many.
        None leaves the number to the loss.
    loss : {"auto", "vi", "binder"}, default="auto"
        "vi" is the variation of information in bits, "binder" the share of pairs of objects that one of two partitions
        joins and the other separates. "auto" takes "binder" if the number of clusters is given or limited, else "vi".
    a : float in [0, 2], default=1.0
        Cost of separating what a clustering joins; joining what it separates costs 2 - a. Less than 1 makes more and
        smaller clusters. With 0 all rows apart have loss 0, with 2 one cluster has; where labels are missing, other
        partitions can have it too.
    max_clusters : int, optional
        Largest number of clusters, where ``n_clusters`` is None; None sets no limit.
    n_init : int, default=10
        Number of runs that are kept of all starts: cuts of the tree of evidence accumulation, the ``n_init``
        clusterings nearest to all others, and ``n_init`` allocations of the rows in random order. Then children, each
        from what is together in two runs, compete with them, until ``2 * n_init`` in a row improve nothing (at most
        ``6 * n_init``); there are none if all runs end alike. With at most 12 distinct rows ``5 * n_init`` random
        partitions are starts, too. With more than 3,000 distinct rows all this happens on a sample of 3,000 objects,
        and the best partition is improved on all.
    max_iter : int, default=300
        Largest number of sweeps over the rows in each run.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering.
    random_state : int, RandomState, Generator or None
        Seed of the search.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects without any label.
    n_clusters_ : int
        Number of clusters that have objects.
    loss_ : {"vi", "binder"}
        The loss that was used.
    objective_ : float
        Expected loss of ``labels_``, the same as :func:`partita.metrics.expected_loss`.
    history_ : list of float
        Expected loss after each sweep of the last run, on all rows; it never rises.
    n_iter_ : int
        Number of sweeps of the last run; the length of ``history_``.
    converged_ : bool
        Whether the last run converged within ``max_iter``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    partita.metrics.expected_loss : The loss of any partition.

    Notes
    -----
    Cost O(r m k) per sweep for r distinct rows, m clusterings and k clusters; O(t k) numbers, t labels in all, and
    r^2 of 4 bytes for at most 3,000 rows. "binder" without a limit can keep thousands of very small clusters of noisy
    objects apart, and its cost grows with them: ``max_clusters`` avoids that.

    Missing labels are exact: each clustering is compared on the objects that it labels. Binder's loss weighs
    clusterings, not pairs: with missing labels it is not the loss of the matrix of co-association shares. Equal rows
    stay together: with the number of clusters free no partition is better for separating them, and with
    ``n_clusters`` this is part of what is searched for, partitions of the distinct rows.

    New objects join the cluster in which they add least to the loss; they open no cluster. Where ``n_clusters`` is more
    than the loss would have, some fitted objects are in clusters that they would leave, but may not as these would be
    empty; ``predict`` places them elsewhere than ``labels_``.

    References
    ----------
    D. A. Binder, Bayesian cluster analysis, Biometrika 65 (1978) 31-38.

    S. Wade, Z. Ghahramani, Bayesian cluster analysis: point estimation and credible balls, Bayesian Analysis 13 (2018)
    559-626.

    D. B. Dahl, D. J. Johnson, P. Müller, Search algorithms and loss functions for Bayesian clustering, Journal of
    Computational and Graphical Statistics 31 (2022) 1189-1201.

    Examples
    --------
    >>> from partita import MedianPartition
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> model = MedianPartition(random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> round(model.objective_, 4)
    0.3333
    """

    _ties_by_codes: ClassVar[bool] = True  # so that the search does not depend on the order of the objects

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval("int", 1, None), None],
        "loss": [StrOptions({"auto", "vi", "binder"})],
        "a": [Interval("real", 0, 2)],
        "max_clusters": [Interval("int", 1, None), None],
        **common("n_init", "max_iter", "weights", "random_state", "n_jobs", "verbose"),
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        loss: Literal["auto", "vi", "binder"] = "auto",
        a: float = 1.0,
        max_clusters: int | None = None,
        n_init: int = 10,
        max_iter: int = 300,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.loss = loss
        self.a = a
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows) -> Consensus:
        limits = self._limits(rows)
        self.loss_ = self._loss()
        settings = SearchSettings(self.loss_, float(self.a), limits, int(self.n_init), int(self.max_iter), self.n_jobs)
        seed = int(draw_seeds(self.random_state, 1)[0])
        with progress(None, "median partition", show=bool(self.verbose)) as bar:
            found = search_partition(rows.ensemble, settings, seed, bar)
        if not found.converged:
            warn_not_converged(type(self).__name__, self.max_iter, unit="sweeps", advice="raise max_iter")
        self.history_, self.n_iter_, self.converged_ = found.history, len(found.history), found.converged
        self.objective_ = found.loss
        self._layout = rows.ensemble.layout
        self._cell_costs = cell_costs(rows.ensemble, found.labels, self.loss_, float(self.a))
        return Consensus(found.labels)

    def _limits(self, rows: LabelledRows) -> Limits:
        """Numbers of clusters that are allowed."""
        n_rows = rows.ensemble.n_rows
        if self.n_clusters is None:
            return Limits(1, n_rows if self.max_clusters is None else min(int(self.max_clusters), n_rows))
        if self.max_clusters is not None:
            raise ValueError(
                f"n_clusters={self.n_clusters} and max_clusters={self.max_clusters} are both given; pass n_clusters "
                "for exactly so many clusters, or max_clusters for at most so many."
            )
        return Limits(rows.n_clusters, rows.n_clusters)

    def _loss(self) -> Loss:
        """The loss that is used (eq. V4)."""
        if self.loss != "auto":
            return self.loss
        return "vi" if self.n_clusters is None and self.max_clusters is None else "binder"

    def _label_rows(self, codes: Codes) -> Array:
        costs = label_sums(self._layout.with_rows(codes), self._cell_costs)
        return np.asarray(costs.argmin(axis=1), dtype=np.int64)
