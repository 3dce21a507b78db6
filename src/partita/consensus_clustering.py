"""From features to a consensus in one call: an ensemble is generated, then combined."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from partita._parameters import Interval
from partita._runs import draw_seeds
from partita._typing import FloatArray, IntArray
from partita.consensus import EAC, PCC
from partita.generation._base_clusterers import set_seeds
from partita.generation._kmeans_ensemble import KMeansEnsemble
from partita.generation._mixed_ensemble import MixedEnsemble


def _consensus_has(method: str) -> Any:
    def check(model: Any) -> bool:
        given = model.consensus_ if hasattr(model, "consensus_") else model._default_consensus()
        return hasattr(given, method)

    return check


class ConsensusClustering(ClusterMixin, BaseEstimator):
    """Cluster features by a consensus of many clusterings of them.

    Parameters
    ----------
    base : generator, clusterer or list, optional
        What makes the clusterings: a generator such as :class:`KMeansEnsemble` or :class:`MixedEnsemble`; a clusterer
        in the manner of scikit-learn, or a list of names and clusterers, each with 2 to 10 clusters, as in
        :class:`MixedEnsemble`. Default: 100 k-means clusterings with random numbers of clusters.
    consensus : estimator, optional
        What combines them: any consensus estimator of partita. Default: :class:`EAC`, which finds the number of
        clusters, or :class:`PCC` with squared errors if ``n_clusters`` is given.
    n_clusters : int, optional
        Number of clusters of the consensus; sets the parameter of that name of ``consensus``.
    random_state : int, RandomState or None
        Seed of ``base`` and ``consensus``, where they have none of their own.
    n_jobs : int, optional
        Number of threads of ``base``, where it has none of its own.
    verbose : int, default=0
        Show progress bars on what takes more than two seconds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters by decreasing size; -1 for objects that no clustering saw.
    n_clusters_ : int
    membership_ : ndarray of shape (n_samples, n_clusters_)
        Probabilities, where the consensus gives them.
    label_matrix_ : ndarray of shape (n_samples, n_clusterings)
        Labels of all clusterings.
    base_, consensus_
        The fitted parts; ``base_.manifest_`` tells what was run.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    ``predict`` and ``predict_proba`` are there if the consensus is a model of labels, such as
    :class:`MultinomialMixture`, :class:`BCE` or :class:`LabelKMeans`: new objects are placed in every clustering, and
    the consensus places their labels. Features are taken as they are; scale them first, for instance by
    ``make_pipeline(StandardScaler(), ConsensusClustering())``.

    Average linkage, EAC's default, holds all pairs of distinct rows of labels; for more than some 20,000 objects pass
    ``n_clusters`` or another consensus.

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
        "n_clusters": [Interval("int", 1, None), None],
        "random_state": ["random_state"],
        "n_jobs": [None, Interval("int", None, None)],
        "verbose": ["verbose"],
    }

    labels_: IntArray
    membership_: FloatArray

    def __init__(
        self,
        base: Any = None,
        consensus: Any = None,
        *,
        n_clusters: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.base = base
        self.consensus = consensus
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Generate an ensemble and find its consensus.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : Ignored

        Returns
        -------
        self
        """
        X = self._check(X, reset=True)
        seeds = draw_seeds(self.random_state, 2).tolist()
        self.base_ = _prepare(self._generator(), seeds[0], n_jobs=self.n_jobs, verbose=self.verbose)
        self.consensus_ = _prepare(self._default_consensus(), seeds[1], verbose=self.verbose)
        if self.n_clusters is not None:
            if "n_clusters" not in self.consensus_.get_params(deep=False):
                raise ValueError(
                    f"n_clusters={self.n_clusters} was given, but {type(self.consensus_).__name__} finds the number of "
                    "clusters itself; leave it out or choose another consensus."
                )
            self.consensus_.set_params(n_clusters=self.n_clusters)
        self.label_matrix_ = np.asarray(self.base_.fit_transform(X))
        if self.label_matrix_.dtype.kind == "f" and (self.label_matrix_ % 1 != 0).any():
            raise TypeError(f"base={self.base!r:.60} makes fractions, not labels; pass a generator or a clusterer.")
        self.consensus_.fit(self.label_matrix_)
        self.labels_, self.n_clusters_ = self.consensus_.labels_, self.consensus_.n_clusters_
        self.__dict__.pop("membership_", None)
        if hasattr(self.consensus_, "membership_"):
            self.membership_ = self.consensus_.membership_
        return self

    def _generator(self) -> Any:
        if self.base is None:
            return KMeansEnsemble()
        if isinstance(self.base, list | tuple | dict):
            return MixedEnsemble(self.base)
        if hasattr(self.base, "fit_predict"):
            return MixedEnsemble([self.base])
        if hasattr(self.base, "fit_transform"):
            return clone(self.base)
        raise TypeError(
            f"base={self.base!r:.60} makes no clusterings; pass a generator such as KMeansEnsemble(), a clusterer or a "
            "list of names."
        )

    def _default_consensus(self) -> Any:
        if self.consensus is not None:
            if isinstance(self.consensus, str | type) or not hasattr(self.consensus, "fit_predict"):
                raise TypeError(f"consensus={self.consensus!r:.60} is no estimator; pass one such as EAC() or PCC(5).")
            return clone(self.consensus)
        return EAC() if self.n_clusters is None else PCC(self.n_clusters, divergence="l2")

    @available_if(_consensus_has("predict"))  # type: ignore[untyped-decorator]
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
        labels = self._place(X)
        return np.asarray(self.consensus_.predict(labels))

    @available_if(_consensus_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each cluster for new objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters_)
        """
        labels = self._place(X)
        return np.asarray(self.consensus_.predict_proba(labels))

    def _place(self, X: Any) -> IntArray:
        check_is_fitted(self, "consensus_")
        return np.asarray(self.base_.transform(self._check(X, reset=False)))

    def _check(self, X: Any, *, reset: bool) -> Any:
        accepted = "csr" if self._takes_sparse else False
        return validate_data(self, X, reset=reset, accept_sparse=accepted, dtype=[np.float64, np.float32])

    @property
    def _takes_sparse(self) -> bool:
        return self.base is None or isinstance(self.base, KMeansEnsemble)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags


def _prepare(estimator: Any, seed: int, **settings: Any) -> Any:
    """Give a part seeds and what else was set, unless it has its own."""
    known = estimator.get_params(deep=False)
    wanted = {name: value for name, value in settings.items() if value and name in known and not known[name]}
    return set_seeds(estimator, seed).set_params(**wanted)
