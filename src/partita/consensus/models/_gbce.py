"""Generalised Bayesian cluster ensembles: features of the objects beside their labels, every column with a weight.

    theta_i ~ Dirichlet(alpha);  for every column j that object i has:  z_ij ~ theta_i,  x_ij ~ p_j(. | z_ij)

with p_j a distribution over labels, or Gaussian, Poisson, Bernoulli or categorical for features; column j counts u_j
times (eqs. M39, M40). The steps are those of BCE (``_bce_steps.py``); u = 1 for labels and 0 for features is BCE
(eq. M44).
"""

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._features import FeatureColumns, FeatureValues, check_column_weights, read_feature_columns
from partita._kernels.families import BERNOULLI, GAUSSIAN
from partita._labels.blocks import as_blocks
from partita._labels.ensemble import Ensemble, layout_of
from partita._labels.validation import LabelMatrix, check_label_matrix, check_sample_weight
from partita._parameters import Interval
from partita._stopping import whole_or_nothing
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import FoundRows, LabelledRows, remember_columns
from partita.consensus.models._bce import BCE
from partita.consensus.models._bce_steps import TINY, BCEColumns, BCEProblem, BCEState
from partita.consensus.models._em import SHARE, START_NOISE, by_clustering
from partita.consensus.models._label_model import UNSEEN

_MOVED = ("families", "feature_weights", "label_weights")  # arguments of fit that are now those of the constructor


def start_features(problem: BCEProblem, labels: Array, n_clusters: int) -> tuple[FloatArray, FloatArray]:
    """Mean of every feature in the clusters of a start, mixed with the mean of all; variance of all.

    Both are NaN for a feature that no row has.
    """
    families = problem.columns.families
    seen = ~np.isnan(problem.features)
    values = np.where(seen, problem.features, 0.0)
    weight = seen * problem.row_weights[:, None]
    location = np.empty((values.shape[1], n_clusters))
    spread = np.ones_like(location)
    for d in range(values.shape[1]):
        mass = np.bincount(labels, weights=weight[:, d], minlength=n_clusters)
        if not mass.any():
            location[d] = spread[d] = np.nan
            continue
        total = np.bincount(labels, weights=weight[:, d] * values[:, d], minlength=n_clusters)
        mean = total.sum() / mass.sum()
        means = np.divide(total, mass, out=np.full(n_clusters, mean), where=mass > 0)
        location[d] = (1 - START_NOISE) * means + START_NOISE * mean
        if families[d] == GAUSSIAN:
            spread[d] = weight[:, d] @ (values[:, d] - mean) ** 2 / mass.sum()
        else:
            location[d] = np.maximum(location[d], TINY)
    spread = np.maximum(spread, problem.columns.smallest_variance[:, None])
    location[families == BERNOULLI] = np.minimum(location[families == BERNOULLI], 1 - TINY)
    return location, spread


class GBCE(BCE):
    """Generalised Bayesian cluster ensemble: labels and features together.

    Without features it is :class:`BCE`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    families : str, sequence or dict, optional
        "gaussian", "poisson", "bernoulli" or "categorical": one for all features, one per feature, or by name. By
        default numbers are Gaussian, truth values Bernoulli and text categorical.
    feature_weights : float or array-like of shape (n_features,), optional
        u of the features; default 1. A feature of weight 0 is ignored.
    label_weights : float or array-like of shape (n_clusterings,), optional
        u of the clusterings; default their ``weights`` times the number of features that count.
    standardize : bool, default=True
        Give Gaussian features mean 0 and variance 1 first. The lower bound is then that of the standardised features.
    smoothing : float, default=0.0
        Pseudo-count of every label (and category) in every cluster; see :class:`BCE`.
    init : {"kmeans", "random"}, default="kmeans"
        How starts are made; see :class:`BCE`.
    n_init : int, default=4
        Number of starts that are run to the end; the best one is kept. They are chosen as in :class:`BCE`, on
        the same samples.
    keep_starts : bool, default=False
        Run every one of the ``n_init`` starts to its end, without a competition before, and keep what each found in
        ``starts_``.
    max_iter : int, default=500
        Largest number of iterations of each start.
    tol : float, default=1e-6
        Relative rise of the lower bound below which a start has converged.
    weights : array-like of shape (n_clusterings,), optional
        Weight of each clustering, relative to the others; ``fit`` multiplies it by the number of features.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.

    Attributes
    ----------
    membership_, labels_, n_clusters_, n_components_, alpha_, beta_, gamma_
        As in :class:`BCE`. An object with features and no label takes part; only one without either is -1.
    feature_parameters_ : list of dict
        For every feature its "name", "family" and the parameters of each cluster, in the units of the features: "mean"
        and "variance", "rate", "probability", or "categories" and "probability"; NaN for a feature without weight.
    lower_bound_ : float
        Lower bound of the weighted log-likelihood.
    history_ : list of float
        Lower bound after each iteration of the kept start; it never falls.
    n_iter_ : int
        Number of iterations of the kept start (on all objects, if starts competed on a sample); the length of
        ``history_``.
    converged_ : bool
        Whether the kept start converged within ``max_iter``.
    starts_ : list of StartResult
        With ``keep_starts``: ``objective``, ``seed``, ``n_iter`` and ``labels`` of each start.
    n_features_in_, feature_names_in_
        Of the label matrix, as in scikit-learn.

    Notes
    -----
    Two features of one object may come from different clusters, so this is not a Gaussian mixture even without labels.

    With features every object is a row of its own: cost O(n (m + d) k) per inner step. Variances do not go below 1e-6
    of the feature's variance. The fitted model keeps labels and features of the fitted objects, to recognise them.

    ``GridSearchCV`` hands features that are passed to its ``fit`` on to ``fit`` of this class, but not to ``score``: it
    compares parameters by the labels alone.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BCE._parameter_constraints,
        "families": [str, "array-like", dict, None],
        "feature_weights": [Interval("real", 0, None), "array-like", None],
        "label_weights": [Interval("real", 0, None), "array-like", None],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        families: Any = None,
        feature_weights: Any = None,
        label_weights: Any = None,
        standardize: bool = True,
        smoothing: float = 0.0,
        init: Literal["kmeans", "random"] = "kmeans",
        n_init: int = 4,
        keep_starts: bool = False,
        max_iter: int = 500,
        tol: float = 1e-6,
        weights: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            n_clusters,
            smoothing=smoothing,
            init=init,
            n_init=n_init,
            keep_starts=keep_starts,
            max_iter=max_iter,
            tol=tol,
            weights=weights,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.families = families
        self.feature_weights = feature_weights
        self.label_weights = label_weights
        self.standardize = standardize

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, features: Any = None, **moved: Any) -> Self:
        """Find the consensus of the clusterings in the columns of X and of the features.

        Parameters
        ----------
        X : label matrix of shape (n_samples, n_clusterings)
        y : Ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each object.
        features : array or frame of shape (n_samples, n_features), optional
            NaN or None where missing.
        **moved
            Refused: ``families``, ``feature_weights`` and ``label_weights`` are parameters of the constructor.

        Returns
        -------
        self
        """
        _refuse(moved)
        blocks = as_blocks(X)
        if blocks is not None:
            if features is not None:
                raise ValueError("GBCE with features needs labels in memory; pass an array or a frame, not blocks.")
            self._features, self._values = self._read(None, np.empty(0))
            blocks.fit_estimator(self, sample_weight)
            del self._values
            return self
        matrix = check_label_matrix(X)
        weight = check_sample_weight(sample_weight, len(matrix.codes))
        self._features, self._values = self._read(features, weight)
        try:
            remember_columns(self, X, matrix, reset=True)
            self._fit_matrix(matrix, weight)
        finally:
            del self._values  # what a fitted model needs of them is in self._fitted
        return self

    @whole_or_nothing
    def extend(self, X: Any) -> Self:
        """Not available: a fitted model does not keep the features of its objects.

        Parameters
        ----------
        X : Ignored

        Raises
        ------
        NotImplementedError
        """
        raise NotImplementedError("GBCE does not keep the features of its objects; fit all clusterings again.")

    def _read(self, features: Any, weight: FloatArray) -> tuple[FeatureColumns | None, FeatureValues | None]:
        """Features that count, and their values of all objects."""
        if features is None:
            for name in ("families", "feature_weights"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"{name}={getattr(self, name)!r:.60} was set, but fit received no features; pass "
                        "fit(X, features=...), one row per object."
                    )
            return None, None
        found = read_feature_columns(
            features, self.families, self.feature_weights, weight, standardize=self.standardize
        )
        return found if found[0].n_used else (None, None)

    # ------------------------------------------------------------------------------------------------ the steps of fit
    def _clustering_weights(self, matrix: LabelMatrix) -> FloatArray:
        weights = super()._clustering_weights(matrix)
        if self.label_weights is not None:
            if self.weights is not None:
                raise ValueError("weights and label_weights were both passed; label_weights alone is enough.")
            given = check_column_weights("label_weights", self.label_weights, matrix.n_columns_in, default=1.0)
            if not (given[matrix.kept] > 0).any():
                raise ValueError("label_weights is zero everywhere; at least one clustering must count.")
            return given[matrix.kept]
        with np.errstate(over="ignore"):  # sums beyond 1e12 are refused by the base class
            return weights if self._features is None else weights * self._features.n_used

    def _one_row_per_object(self) -> bool:
        return self._features is not None

    def _have_evidence(self, codes: Codes) -> Array:
        labelled = super()._have_evidence(codes)
        if self._features is None or self._values is None:
            return labelled
        return np.asarray(labelled | (self._features.observed_weight(self._values) > 0))

    def _problem(self, rows: LabelledRows) -> BCEProblem:
        if self._features is None or self._values is None:
            return super()._problem(rows)
        values = self._values.take(rows.row_of_object >= 0)
        ensemble = self._beside(rows.ensemble, self._features, values.codes)
        columns = BCEColumns(
            ensemble.layout,
            self.smoothing,
            self._features.family_codes,
            self._features.weights[self._features.numeric],
            self._features.smallest_variance,
        )
        return BCEProblem(ensemble, np.ascontiguousarray(values.numbers), columns)

    def _start_features(self, problem: BCEProblem, labels: Array, n_clusters: int) -> tuple[FloatArray, FloatArray]:
        return start_features(problem, labels, n_clusters)

    def _for_all(self, problem: BCEProblem, state: BCEState, share: float = SHARE) -> BCEState:
        """A feature that the sample lacks starts with the mean and variance of all objects in every cluster."""
        first = super()._for_all(problem, state, share)
        location, spread = start_features(problem, np.zeros(problem.ensemble.n_rows, dtype=np.int64), 1)
        known = np.isfinite(first.location)
        return first._replace(
            location=np.where(known, first.location, location), spread=np.where(known, first.spread, spread)
        )

    @staticmethod
    def _beside(labels: Ensemble, features: FeatureColumns, codes: Codes) -> Ensemble:
        """Categorical features are columns like those of labels."""
        return Ensemble(
            np.ascontiguousarray(np.hstack([labels.codes, codes])),
            np.concatenate([labels.n_labels, features.n_categories]),
            np.concatenate([labels.clustering_weights, features.weights[features.categorical]]),
            labels.row_weights,
        )

    def _weigh_observed(self, matrix: LabelMatrix) -> FloatArray:
        weight = super()._weigh_observed(matrix)
        if self._features is None or self._values is None:
            return weight
        return np.asarray(weight + self._features.observed_weight(self._values))

    def _find_weightless(self, rows: LabelledRows) -> FoundRows:
        """Objects without weight are placed by their features too; with features every object is a row."""
        if self._features is None or self._values is None:
            return super()._find_weightless(rows)
        values = self._values.take(np.flatnonzero(rows.weightless_row >= 0))
        return self._find_with_features(rows.weightless_codes, self._features, values)

    # ---------------------------------------------------------------------------------------------------- new objects
    def _new_problem(self, codes: Codes, values: FeatureValues | None = None) -> BCEProblem:
        """New rows of labels, in the codes of the fit, and of features."""
        if self._features is None:
            return super()._new_problem(codes)
        values = self._features.none_of(len(codes)) if values is None else values
        labels = self._placement.encoder.ensemble(codes)
        ensemble = self._beside(labels, self._features, np.maximum(values.codes, -1))
        return BCEProblem(ensemble, np.ascontiguousarray(values.numbers), self._columns)

    def _find_with_features(self, codes: Codes, features: FeatureColumns, values: FeatureValues) -> FoundRows:
        """Memberships of objects by their labels and features."""
        known = self._placement.encoder.known(codes)
        there = (known >= 0).any(axis=1) | (features.observed_weight(values) > 0)
        gamma = np.empty((0, len(self._placement.rank)))
        if there.any():
            gamma = self._place(self._new_problem(known[there], values.take(there)))[0]
        return FoundRows(there, gamma.argmax(axis=1), gamma / gamma.sum(axis=1, keepdims=True))

    def _place_new(self, X: Any, features: Any) -> tuple[IntArray, FloatArray]:
        check_is_fitted(self, "labels_")
        codes = self._encode_new(X)
        if features is None or self._features is None:
            labels, membership = self._place_objects(codes)
            assert membership is not None
            return labels, membership
        values = self._features.read_new(features, len(codes))
        labels, membership = self._number_found(self._find_with_features(codes, self._features, values))
        assert membership is not None
        return labels, membership

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
        if features is None and as_blocks(X) is not None:
            return super().predict(X)
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
        membership : ndarray of shape (n_samples, n_components_)
        """
        if features is None and as_blocks(X) is not None:
            return super().predict_proba(X)
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
        fitted: FeatureColumns | None = getattr(self, "_features", None)
        if features is None or fitted is None:
            return super().score_samples(X)
        codes = self._encode_new(X, unseen=-2)
        values = fitted.read_new(features, len(codes))
        bounds = self._place(self._new_problem(self._placement.encoder.known(codes), values))[1]
        new = (values.codes == -2) @ fitted.weights[fitted.categorical]
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
        """Probability of each label in each cluster, one array per clustering."""
        return self._by_clustering(self._state.table[: int(self._placement.encoder.n_labels.sum())])

    @property
    def feature_parameters_(self) -> list[dict[str, Any]]:
        """Parameters of each feature in each cluster, in the units of the features."""
        check_is_fitted(self, "labels_")
        if self._features is None:
            return []
        features, state, order = self._features, self._state, self._placement.order
        blank = np.full(len(order), np.nan)
        found = [_named(features, j, blank, blank) for j in range(len(features.names))]
        for place, j in enumerate(features.numeric):
            location = state.location[place, order] * features.scale[place] + features.shift[place]
            found[j] = _named(features, int(j), location, state.spread[place, order] * features.scale[place] ** 2)
        if len(features.categorical):
            own = state.table[int(self._placement.encoder.n_labels.sum()) :]
            parts = by_clustering(own, layout_of(features.n_categories), order)
            for j, part, categories in zip(features.categorical, parts, features.categories, strict=True):
                found[j] = {**found[j], "categories": categories, "probability": part}
        return found


def _named(features: FeatureColumns, j: int, location: FloatArray, spread: FloatArray) -> dict[str, Any]:
    """Parameters of a feature by the names of its family."""
    family = features.families[j]
    names = {"gaussian": "mean", "poisson": "rate"}
    values = {names.get(family, "probability"): location} | ({"variance": spread} if family == "gaussian" else {})
    return {"name": features.names[j], "family": family, **values}


def _refuse(arguments: dict[str, Any]) -> None:
    """Say where arguments of fit have moved."""
    for name in arguments:
        if name in _MOVED:
            raise TypeError(f"{name} is a parameter of the constructor now: GBCE({name}=...).")
        raise TypeError(f"GBCE.fit() got an unexpected keyword argument {name!r}")
