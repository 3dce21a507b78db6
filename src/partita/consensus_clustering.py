"""From features to a consensus in one call: an ensemble is generated, then combined (eq. R24)."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from partita._checks import check_instance
from partita._features import check_points
from partita._parameters import common
from partita._runs import draw_seeds
from partita._stopping import whole_or_nothing
from partita._typing import FloatArray, IntArray
from partita.base import check_consensus
from partita.consensus import LWGP
from partita.generation._estimator_clusterer import set_seeds
from partita.generation._feature_ensemble import FeatureEnsemble
from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble


def _can_predict(model: "ConsensusClustering") -> bool:
    return hasattr(model._fitted_or_new_consensus(), "predict")


def _has_probabilities(model: "ConsensusClustering") -> bool:
    return hasattr(model._fitted_or_new_consensus(), "predict_proba")


class ConsensusClustering(ClusterMixin, BaseEstimator):
    """Cluster features by a consensus of many clusterings of them.

    Parameters
    ----------
    base : generator, clusterer or list, optional
        How the clusterings are made: by a generator such as :class:`KMeansEnsemble` or :class:`MixedEnsemble`, by a
        clusterer in the manner of scikit-learn, or by a list of names and clusterers, each with 2 to 10 clusters, as in
        :class:`MixedEnsemble`. Default: 100 k-means clusterings with random numbers of clusters.
    consensus : estimator, optional
        How they are combined: any consensus estimator of partita. Default: :class:`LWGP`, which finds the number of
        clusters unless ``n_clusters`` is given.
    n_clusters : int, optional
        Number of clusters. Sets the parameter of that name of ``consensus``.
    random_state : int, RandomState, Generator or None
        Seed of ``base`` and ``consensus``, unless they have their own.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it. Of ``base`` and ``consensus``, unless
        they have their own.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
        Number of clusters that have objects.
    membership_ : ndarray of shape (n_samples, n_components_)
        Probabilities, where the consensus gives them.
    n_components_ : int
        Number of columns of ``membership_``, where the consensus gives probabilities.
    choice_ : ClusterNumber
        How the number of clusters was found, where the consensus is :class:`LWGP` and the number was not given.
        ``ConsensusResult.from_estimator(model)`` puts it into words.
    confidence_ : ndarray of shape (n_samples,)
        Log-odds of each object's cluster, by the clusterings: how to rank objects, not a probability of being right.
    votes_ : ndarray of shape (n_samples, n_clusters_)
        Votes of the clusterings for the clusters of each object.
    index_ : pandas Index
        Index of the frame, after a fit on a pandas frame only.
    label_matrix_ : ndarray of shape (n_samples, n_clusterings)
        Labels of all clusterings.
    base_, consensus_
        The fitted parts; ``base_.manifest_`` lists the clusterings.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``predict`` and ``predict_proba`` exist if the consensus has them: new objects are placed in every clustering, and
    the consensus places their rows of labels. Features are used as they are; scale them first, for instance by
    ``make_pipeline(StandardScaler(), ConsensusClustering())``.

    The number of clusters is the one on which halves of the clusterings agree best. On 26 tables that the leaderboard
    does not report, that was nearer to the classes than the number of :func:`choose_n_clusters` (mean adjusted Rand
    index .64 against .42), in less time. It hardly ever finds a single cluster: on one cloud of points there
    is a :class:`WeakStructureWarning`, mostly, and :func:`choose_n_clusters`, which compares the features with data
    without clusters, answers 1. The default has votes but no probabilities; ``consensus=PCC(k)`` has ``membership_``.

    Examples
    --------
    >>> import numpy as np
    >>> from partita import ConsensusClustering
    >>> F = np.r_[np.linspace(0, 1, 12), np.linspace(5, 6, 8)][:, None]
    >>> ConsensusClustering(n_clusters=2, random_state=0).fit_predict(F)
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "base": "no_validation",
        "consensus": "no_validation",
        "n_clusters": [*common("n_clusters")["n_clusters"], None],
        **common("random_state", "n_jobs", "verbose"),
    }

    labels_: IntArray
    membership_: FloatArray
    n_components_: int
    choice_: Any  # where LWGP found the number
    index_: Any  # after a fit on a pandas frame only

    def __init__(
        self,
        base: Any = None,
        consensus: Any = None,
        *,
        n_clusters: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.base = base
        self.consensus = consensus
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Generate an ensemble and find its consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        self.__dict__.pop("index_", None)
        if isinstance(X, pd.DataFrame):
            self.index_ = X.index
        X = self._check(X, reset=True)
        seeds = draw_seeds(self.random_state, 2).tolist()
        self.base_ = _prepare(self._new_base(), seeds[0], n_jobs=self.n_jobs, verbose=self.verbose)
        self.consensus_ = _prepare(self._new_consensus(), seeds[1], n_jobs=self.n_jobs, verbose=self.verbose)
        if self.n_clusters is not None:
            _set_n_clusters(self.consensus_, self.n_clusters, X.shape[0])
        # only ours are known not to write to X, which may be the user's array
        self.label_matrix_ = np.asarray(self.base_.fit_transform(X if self._is_ours else X.copy()))
        if self.label_matrix_.dtype.kind == "f" and (self.label_matrix_ % 1 != 0).any():
            raise TypeError(f"base={self.base!r:.60} makes fractions, not labels; pass a generator or a clusterer.")
        self.consensus_.fit(self.label_matrix_)
        self.labels_, self.n_clusters_ = self.consensus_.labels_, self.consensus_.n_clusters_
        for name in ("membership_", "n_components_", "choice_"):
            self.__dict__.pop(name, None)
            if hasattr(self.consensus_, name):
                setattr(self, name, getattr(self.consensus_, name))
        return self

    @property
    def confidence_(self) -> FloatArray:
        """Log-odds of each object's cluster, those of ``consensus_``: a ranking, not a probability of being right."""
        check_is_fitted(self, "consensus_")
        return np.asarray(self.consensus_.confidence_)

    @property
    def votes_(self) -> FloatArray:
        """Votes of the clusterings for each object's clusters, those of ``consensus_``; no probabilities either."""
        check_is_fitted(self, "consensus_")
        return np.asarray(self.consensus_.votes_)

    def _new_base(self) -> Any:
        if self.base is None:
            return KMeansEnsemble()
        if isinstance(self.base, list | tuple | dict):
            return MixedEnsemble(self.base)
        makes = "fit_predict" if hasattr(self.base, "fit_predict") else "fit_transform"
        check_instance(
            self.base,
            "base",
            needs=makes,
            example="a generator such as KMeansEnsemble(), a clusterer or a list of names",
        )
        return MixedEnsemble([self.base]) if makes == "fit_predict" else clone(self.base)

    def _new_consensus(self) -> Any:
        if self.consensus is None:
            return LWGP(self.n_clusters)
        check_consensus(self.consensus)
        return clone(self.consensus)

    def _fitted_or_new_consensus(self) -> Any:
        if hasattr(self, "consensus_"):
            return self.consensus_
        return self._new_consensus() if self.consensus is None else self.consensus

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> IntArray:
        """Cluster of new objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        labels = self._label_new(X)
        return np.asarray(self.consensus_.predict(labels))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each cluster for new objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        labels = self._label_new(X)
        return np.asarray(self.consensus_.predict_proba(labels))

    @available_if(_can_predict)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any = None) -> float:
        """Mean normalised mutual information between the clusters of these objects and their base clusterings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored
            Present by convention.

        Returns
        -------
        score : float in [0, 1]
        """
        return float(self.consensus_.score(self._label_new(X)))

    def to_series(self) -> "pd.Series[int]":
        """``labels_`` as a pandas Series, with the index of the frame that was fitted.

        Returns
        -------
        labels : Series of shape (n_samples,), named "label"
            Its index is ``index_``, or 0, 1, 2, ... if X was no pandas frame.
        """
        check_is_fitted(self, "labels_")
        return pd.Series(self.labels_, index=getattr(self, "index_", None), name="label")

    def _label_new(self, X: Any) -> IntArray:
        """Labels of new objects in all clusterings."""
        check_is_fitted(self, "consensus_")
        points = self._check(X, reset=False)
        return np.asarray(self.base_.transform(points if self._is_ours else points.copy()))

    @property
    def _is_ours(self) -> bool:
        return isinstance(self.base_, FeatureEnsemble)

    def _check(self, X: Any, *, reset: bool) -> Any:
        return check_points(X, self, reset=reset, sparse=self._takes_sparse, dtype=[np.float64, np.float32])

    @property
    def _takes_sparse(self) -> bool:
        return self.base is None or isinstance(self.base, KMeansEnsemble)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags


def _prepare(estimator: Any, seed: int, **settings: Any) -> Any:
    """Set the seed and the other settings of a part, unless it has its own."""
    known = estimator.get_params(deep=False)
    unset = {name: value for name, value in settings.items() if value and name in known and not known[name]}
    return set_seeds(estimator, seed).set_params(**unset)


def _set_n_clusters(consensus: Any, n_clusters: int, n_objects: int) -> None:
    if n_clusters > n_objects:
        raise ValueError(f"n_clusters={n_clusters} exceeds the {n_objects} objects; pass a smaller number.")
    if "n_clusters" not in consensus.get_params(deep=False):
        raise ValueError(
            f"n_clusters={n_clusters} was given, but {type(consensus).__name__} finds the number of clusters itself; "
            "leave it out or choose another consensus."
        )
    consensus.set_params(n_clusters=n_clusters)
