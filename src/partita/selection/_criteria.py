"""Criteria for each number of clusters, as columns of a table (eqs. I55, I64, I65, I66, I67)."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from partita._typing import Array, Codes, FloatArray, IntArray
from partita.consensus import EAC, MultinomialMixture
from partita.exceptions import IdentifiabilityWarning
from partita.metrics import adjusted_rand_score, consensus_cdf, pac_score

_MANY_FEATURES = 20  # beyond this number a full covariance has more parameters than small data can estimate


def ambiguity(resampled: Sequence[IntArray]) -> FloatArray:
    """PAC of the co-association of each (n, n_samples) label matrix."""
    return np.array([pac_score(labels) for labels in resampled])


def pac_columns(resampled: Sequence[IntArray]) -> dict[str, Any]:
    """PAC by both conventions, the area under the CDF, and its relative growth from one number to the next."""
    area = np.array([consensus_cdf(labels).area for labels in resampled])
    growth = np.diff(area) / np.maximum(area[:-1], np.finfo(float).tiny)
    return {
        "pac": ambiguity(resampled),
        "pac_strict": np.array([pac_score(labels, "strict") for labels in resampled]),
        "cdf_area": area,
        "delta_area": np.concatenate([area[:1], growth]),  # Monti et al.: the first is the area itself
    }


def stability(resampled: Sequence[IntArray], consensus: Sequence[IntArray]) -> FloatArray:
    """Mean adjusted Rand index between the clustering of a sample and the consensus of all."""
    return np.array([_mean_agreement(labels, of_all) for labels, of_all in zip(resampled, consensus, strict=True)])


def _mean_agreement(labels: IntArray, of_all: IntArray) -> float:
    scores = [adjusted_rand_score(of_all[one >= 0], one[one >= 0]) for one in labels.T]
    return float(np.mean(scores))


def eac_lifetimes(X: Array, numbers: Sequence[int]) -> FloatArray:
    """Lifetime of each number of clusters in evidence accumulation with average linkage."""
    lives = EAC(1).fit(X).lifetimes_  # of the whole tree, wherever it is cut
    return np.array([lives[k - 2] if 0 <= k - 2 < len(lives) else np.nan for k in numbers])


def bic_of_labels(X: Codes, numbers: Sequence[int], seed: int) -> FloatArray:
    """BIC of the mixture model of labels, k - 1 + k sum_j (k_j - 1) parameters; lower is better."""
    values = []
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, IdentifiabilityWarning):
            warnings.simplefilter("ignore", kind)
        for k in numbers:
            model = MultinomialMixture(k, n_init=3, random_state=seed).fit(X)
            n_parameters = k - 1 + k * sum(table.shape[1] - 1 for table in model.theta_)
            values.append(n_parameters * np.log(len(X)) - 2 * model.lower_bound_)
    return np.array(values)


def bic_of_features(F: FloatArray, numbers: Sequence[int], seed: int) -> FloatArray:
    """BIC of the Gaussian mixture, by scikit-learn; lower is better."""
    kind = "full" if F.shape[1] <= _MANY_FEATURES else "diag"
    spread = F.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    scaled, unit = (F - F.mean(axis=0)) / spread, 2 * len(F) * float(np.log(spread).sum())  # unit: log density of F

    def bic(k: int) -> float:
        try:
            model = GaussianMixture(k, covariance_type=kind, random_state=seed).fit(scaled)
        except ValueError:  # a covariance that cannot be inverted
            return np.nan
        return float(model.bic(scaled)) + unit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.array([bic(k) for k in numbers])


def lower_bounds(consensus: Any, X: Codes, numbers: Sequence[int], seed: int) -> FloatArray | None:
    """Variational bound of a consensus that is a model of the labels; None for others and for the mixture model."""
    if isinstance(consensus, MultinomialMixture) or not hasattr(consensus, "score_samples"):
        return None
    models = [clone(consensus).set_params(n_clusters=k, random_state=seed).fit(X) for k in numbers]
    return np.array([model.lower_bound_ for model in models])


def scatter(F: FloatArray, clusterings: Sequence[IntArray]) -> FloatArray:
    """Sum of squares within the clusters of each clustering, as a share of that of all objects."""
    total = float(((F - F.mean(axis=0)) ** 2).sum())
    within = [total - _between(F - F.mean(axis=0), labels) for labels in clusterings]
    return np.array(within).clip(0) / (total or 1.0)


def _between(centered: FloatArray, labels: IntArray) -> float:
    sums = np.zeros((int(labels.max()) + 1, centered.shape[1]))
    np.add.at(sums, labels[labels >= 0], centered[labels >= 0])
    size = np.maximum(np.bincount(labels[labels >= 0], minlength=len(sums)), 1)
    return float(((sums**2).sum(axis=1) / size).sum())
