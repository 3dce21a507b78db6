"""Generalised Bayesian cluster ensembles: features of the objects beside their labels, every column with a weight.

    theta_i ~ Dirichlet(alpha);  for every column j that object i has:  z_ij ~ theta_i,  x_ij ~ p_j(. | z_ij)

with p_j a distribution over labels, or Gaussian, Poisson, Bernoulli or categorical for features; column j counts u_j
times. The steps are those of BCE (``_bce_steps.py``); u = 1 for labels and 0 for features is BCE.
"""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._features import FeatureColumns, check_column_weights, read_features
from partita._labels.ensemble import Ensemble, layout_of
from partita._labels.validation import LabelMatrix, check_label_matrix, check_sample_weight
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import LabelledRows, remember_columns
from partita.consensus.models._bce import BCE, settle
from partita.consensus.models._bce_steps import BCEProblem, as_rows, label_columns
from partita.consensus.models._label_model import UNSEEN
from partita.consensus.models._label_tables import by_clustering


class GBCE(BCE):
    """Generalised Bayesian cluster ensemble: labels and features together.

    Without features it is :class:`BCE`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of consensus clusters.
    standardize : bool, default=True
        Give Gaussian features mean 0 and variance 1 first. The lower bound is then that of the standardised features.
    init : {"kmeans", "random"}, default="kmeans"
        Start at the clusters of a short k-means on the labels, or at label probabilities from Dirichlet(1).
    smoothing : float, default=0.0
        Pseudo-count of every label (and category) in every cluster.
    n_init : int, default=10
        Starts; the one with the highest lower bound is kept. With more than 3,000 rows the starts compete on a sample
        of 3,000 objects, and the best goes on with all.
    tol : float, default=1e-6
        Relative rise of the lower bound below which a run has converged.
    max_iter : int, default=500
        EM iterations a start.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering, relative to the others; ``fit`` multiplies it by the number of features.
    random_state : int, RandomState or None
        Seed of the starts.
    n_jobs : int, optional
        Threads. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_, alpha_, beta_, gamma_
        As of :class:`BCE`. An object with features and no label takes part; only one without either is -1.
    feature_parameters_ : list of dict
        For every feature its "name", "family" and the parameters of each cluster, in the units of the features: "mean"
        and "variance", "rate", "probability", or "categories" and "probability"; NaN for a feature without weight.
    lower_bound_ : float
        Lower bound of the weighted log-likelihood.
    history_ : list of float
        Lower bound of every iteration; it never falls, unless a variance stops at its floor.
    n_iter_ : int
    converged_ : bool
    n_features_in_, feature_names_in_
        Of the label matrix, as in scikit-learn.

    Notes
    -----
    Two features of one object may come from different clusters, so this is no Gaussian mixture even without labels.

    With features every object is a row of its own: cost O(n (m + d) k) an inner step. Variances do not go below 1e-6 of
    the feature's variance.

    References
    ----------
    H. Wang, H. Shan, A. Banerjee, Bayesian cluster ensembles, Statistical Analysis and Data Mining 4 (2011) 54-70.

    Examples
    --------
    >>> from partita import GBCE
    >>> X = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"]}
    >>> height = [[1.0], [1.1], [0.9], [2.1], [2.0], [None]]
    >>> model = GBCE(n_clusters=2, random_state=0).fit(X, features=height)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict({"a": [None], "b": ["v"]}, features=[[0.95]])
    array([0])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {**BCE._parameter_constraints, "standardize": ["boolean"]}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        standardize: bool = True,
        init: Literal["kmeans", "random"] = "kmeans",
        smoothing: float = 0.0,
        n_init: int = 10,
        tol: float = 1e-6,
        max_iter: int = 500,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            n_clusters,
            init=init,
            smoothing=smoothing,
            n_init=n_init,
            tol=tol,
            max_iter=max_iter,
            weights=weights,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.standardize = standardize

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        features: Any = None,
        feature_weights: Any = None,
        label_weights: Any = None,
        families: Any = None,
    ) -> Self:
        """Find the consensus of the clusterings in the columns of X and of the features.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object.
        features : array or frame of shape (n_samples, n_features), optional
            NaN or None where missing.
        feature_weights : float or array-like of shape (n_features,), optional
            u of the features; default 1. A feature of weight 0 is as absent.
        label_weights : float or array-like of shape (n_clusterings,), optional
            u of the clusterings; default their ``weights`` times the number of features that count.
        families : str, sequence or dict, optional
            "gaussian", "poisson", "bernoulli" or "categorical": one for all features, one a feature, or by name. By
            default numbers are Gaussian, truth values Bernoulli and text categorical.

        Returns
        -------
        self
        """
        matrix = check_label_matrix(X)
        weight = check_sample_weight(sample_weight, len(matrix.codes))
        self._table = self._read(features, families, feature_weights, weight)
        self._label_weights = label_weights
        remember_columns(self, X, matrix, reset=True)
        self._fit_matrix(matrix, weight)
        idle = np.flatnonzero(weight == 0)
        if self._table is not None and len(idle):
            used = np.isin(matrix.kept, self._placement.encoder.columns)
            self._place_idle(matrix.codes[np.ix_(idle, used)], idle)
        return self

    def _read(self, features: Any, families: Any, feature_weights: Any, weight: FloatArray) -> FeatureColumns | None:
        if features is None:
            for name, value in {"families": families, "feature_weights": feature_weights}.items():
                if value is not None:
                    raise ValueError(f"{name} was passed without features; pass features=..., one row an object.")
            return None
        table = read_features(features, families, feature_weights, weight, standardize=self.standardize)
        return table if len(table.used) else None

    def _clustering_weights(self, matrix: LabelMatrix) -> FloatArray:
        weights = super()._clustering_weights(matrix)
        if self._label_weights is not None:
            if self.weights is not None:
                raise ValueError("weights and label_weights were both passed; label_weights alone is enough.")
            given = check_column_weights("label_weights", self._label_weights, matrix.n_columns_in, default=1.0)
            if not (given[matrix.kept] > 0).any():
                raise ValueError("label_weights is zero everywhere; at least one clustering must count.")
            return given[matrix.kept]
        return weights if self._table is None else weights * len(self._table.used)

    def _one_row_per_object(self) -> bool:
        return self._table is not None

    def _have_evidence(self, codes: Codes) -> Array:
        labelled = super()._have_evidence(codes)
        if self._table is None:
            return labelled
        return np.asarray(labelled | (self._feature_weight_of(self._table.numbers, self._table.codes) > 0))

    def _feature_weight_of(self, numbers: FloatArray, codes: Codes) -> FloatArray:
        """Weight of the features that each object has."""
        assert self._table is not None
        of_numbers = ~np.isnan(numbers) @ self._table.weights[self._table.numeric]
        return np.asarray(of_numbers + (codes >= 0) @ self._table.weights[self._table.categorical])

    def _problem(self, rows: LabelledRows) -> tuple[Ensemble, BCEProblem]:
        if self._table is None:
            return super()._problem(rows)
        there = rows.row_of_object >= 0
        ensemble = self._beside(rows.ensemble, self._table.codes[there])
        columns = label_columns(ensemble, self.smoothing)._replace(
            families=self._table.family_codes,
            feature_weight=self._table.weights[self._table.numeric],
            smallest_variance=self._table.smallest_variance,
        )
        return ensemble, BCEProblem(as_rows(ensemble, self._table.numbers[there]), columns)

    def _beside(self, labels: Ensemble, codes: Codes) -> Ensemble:
        """Categorical features are columns like those of labels."""
        assert self._table is not None
        return Ensemble(
            np.ascontiguousarray(np.hstack([labels.codes, codes])),
            np.concatenate([labels.n_labels, self._table.n_categories]),
            np.concatenate([labels.clustering_weights, self._table.weights[self._table.categorical]]),
            labels.row_weights,
        )

    def _place(self, codes: Codes, numbers: FloatArray | None = None, categories: Codes | None = None) -> Any:
        """Gamma and lower bounds of rows that took no part in the fit."""
        if self._table is None:
            return super()._place(codes)
        n, table = len(codes), self._table
        numbers = np.full((n, len(table.numeric)), np.nan) if numbers is None else numbers
        categories = np.full((n, len(table.categorical)), -1, dtype=np.int32) if categories is None else categories
        labels = self._placement.encoder.ensemble(codes)
        together = self._beside(labels, categories)
        problem = BCEProblem(as_rows(together, numbers), self._columns)
        return settle(problem, self._state, self._start_at(problem, together.codes, numbers))

    def _place_with_features(self, codes: Codes, numbers: FloatArray, categories: Codes) -> tuple[IntArray, FloatArray]:
        """Labels and memberships of objects with features; those without evidence get -1 and the prior."""
        known = self._placement.encoder.known(codes)
        there = (known >= 0).any(axis=1) | (self._feature_weight_of(numbers, categories) > 0)
        prior = self._placement.prior
        assert prior is not None
        membership = np.tile(prior, (len(codes), 1))
        labels = np.full(len(codes), -1, dtype=np.int64)
        if there.any():
            gamma = self._place(known[there], numbers[there], categories[there])[0][:, self._placement.order]
            membership[there] = gamma / gamma.sum(axis=1, keepdims=True)
            labels[there] = membership[there].argmax(axis=1)
        return labels, membership

    def _place_idle(self, codes: Codes, idle: IntArray) -> None:
        """Objects without weight are placed by their features too."""
        assert self._table is not None
        used = np.ascontiguousarray(codes)
        placed = self._place_with_features(used, self._table.numbers[idle], self._table.codes[idle])
        self.labels_[idle], self.membership_[idle] = placed

    def _place_new(self, X: Any, features: Any) -> tuple[IntArray, FloatArray]:
        check_is_fitted(self, "labels_")
        codes = self._encode_new(X)
        if features is None or self._table is None:
            labels, membership = self._place_objects(codes)
            assert membership is not None
            return labels, membership
        numbers, categories = self._table.read_new(features, len(codes))
        return self._place_with_features(codes, numbers, np.maximum(categories, -1))

    def predict(self, X: Any, features: Any = None) -> IntArray:
        """Most probable cluster of new objects, -1 for those without labels and features.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
            The same clusterings, in the same order, as in ``fit``.
        features : array or frame of shape (n_samples, n_features), optional
            The same features as in ``fit``; without them, labels alone are used.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._place_new(X, features)[0]

    def predict_proba(self, X: Any, features: Any = None) -> FloatArray:
        """Membership of new objects.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        features : array or frame of shape (n_samples, n_features), optional
            As in ``predict``.

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters_)
        """
        return self._place_new(X, features)[1]

    def score_samples(self, X: Any, features: Any = None) -> FloatArray:
        """Lower bound of the weighted log probability of each row of labels and features.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        features : array or frame of shape (n_samples, n_features), optional
            As in ``predict``; without them, that of the labels alone.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        if features is None or not hasattr(self, "_table") or self._table is None:
            return super().score_samples(X)
        codes = self._encode_new(X, unseen=-2)
        numbers, categories = self._table.read_new(features, len(codes))
        bounds = self._place(self._placement.encoder.known(codes), numbers, np.maximum(categories, -1))[1]
        new = (categories == -2) @ self._table.weights[self._table.categorical]
        return np.asarray(bounds + self._penalty_of_unseen(codes) + np.log(UNSEEN) * new)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, features: Any = None) -> float:
        """Mean of ``score_samples``.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
        features : array or frame of shape (n_samples, n_features), optional

        Returns
        -------
        score : float
        """
        values = self.score_samples(X, features)
        return float(np.average(values, weights=check_sample_weight(sample_weight, len(values))))

    @property
    def beta_(self) -> list[FloatArray]:
        """Probability of each label in each cluster, one array a clustering."""
        return self._by_clustering(self._state.table[: int(self._placement.encoder.n_labels.sum())])

    def _weigh_observed(self, matrix: LabelMatrix) -> FloatArray:
        weight = super()._weigh_observed(matrix)
        if self._table is None:
            return weight
        return np.asarray(weight + self._feature_weight_of(self._table.numbers, self._table.codes))

    @property
    def feature_parameters_(self) -> list[dict[str, Any]]:
        """Parameters of each feature in each cluster, in the units of the features."""
        check_is_fitted(self, "labels_")
        table = self._table
        if table is None:
            return []
        blank = np.full(len(self._placement.order), np.nan)
        found = [self._named(j, blank, blank) for j in range(len(table.names))]
        for place, j in enumerate(table.numeric):
            location = self._state.location[place, self._placement.order] * table.scale[place] + table.shift[place]
            spread = self._state.spread[place, self._placement.order] * table.scale[place] ** 2
            found[j] = self._named(int(j), location, spread)
        own = self._state.table[int(self._placement.encoder.n_labels.sum()) :]
        if len(table.categorical):
            parts = by_clustering(own, layout_of(table.n_categories), self._placement.order)
            for j, part, categories in zip(table.categorical, parts, table.categories, strict=True):
                found[j] = {**found[j], "categories": categories, "probability": part}
        return found

    def _named(self, j: int, location: FloatArray, spread: FloatArray) -> dict[str, Any]:
        """Parameters of a feature by the names of its family."""
        assert self._table is not None
        family = self._table.families[j]
        names = {"gaussian": "mean", "poisson": "rate"}
        values = {names.get(family, "probability"): location} | ({"variance": spread} if family == "gaussian" else {})
        return {"name": self._table.names[j], "family": family, **values}
