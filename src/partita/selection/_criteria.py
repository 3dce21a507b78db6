"""What speaks for each number of clusters, as columns of a table."""

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

_FLOOR = 1e-3  # added to PAC before its logarithm: below, differences mean nothing
_MANY_FEATURES = 20  # from here on the Gaussian mixture has diagonal covariances


def ambiguity(resampled: Sequence[IntArray]) -> FloatArray:
    """PAC of the co-association of each (n, n_samples) label matrix."""
    return np.array([pac_score(labels) for labels in resampled])


def pac_columns(resampled: Sequence[IntArray]) -> dict[str, Any]:
    """PAC by both conventions, the area under the CDF and how much the area grows from one number to the next."""
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

    def mean(labels: IntArray, of_all: IntArray) -> float:
        seen = labels >= 0
        return float(np.mean([adjusted_rand_score(of_all[s], one[s]) for one, s in zip(labels.T, seen.T, strict=True)]))

    return np.array([mean(labels, of_all) for labels, of_all in zip(resampled, consensus, strict=True)])


def lifetimes(X: Array, numbers: Sequence[int]) -> FloatArray:
    """Lifetime of each number of clusters in evidence accumulation with average linkage."""
    lives = EAC().fit(X).lifetimes_
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [GaussianMixture(k, covariance_type=kind, n_init=3, random_state=seed).fit(F) for k in numbers]
    return np.array([model.bic(F) for model in models])


def lower_bounds(consensus: Any, X: Codes, numbers: Sequence[int], seed: int) -> FloatArray | None:
    """Variational bound of a consensus that is a model of the labels; None of others and of the mixture model."""
    if isinstance(consensus, MultinomialMixture) or not hasattr(consensus, "score_samples"):
        return None
    models = [clone(consensus).set_params(n_clusters=k, random_state=seed).fit(X) for k in numbers]
    return np.array([model.lower_bound_ for model in models])


def against_references(pac: FloatArray, reference: FloatArray) -> dict[str, FloatArray]:
    """How much less ambiguous the data are than (n_references, n_numbers) data without clusters.

    rcsi is the mean log of the references' PAC minus that of the data (relative cluster stability index); the p-value
    of a number is the share of the data sets, the given one among them, that are not more ambiguous there.
    """
    log_pac, log_reference = np.log(pac + _FLOOR), np.log(reference + _FLOOR)
    return {
        "reference_pac": reference.mean(axis=0),
        "rcsi": log_reference.mean(axis=0) - log_pac,
        "p_value": (1 + (reference <= pac).sum(axis=0)) / (len(reference) + 1),
    }


def p_value_of_clusters(pac: FloatArray, reference: FloatArray) -> float:
    """Exact p-value for all numbers together: the place of the data among the references.

    Without clusters all data sets are alike, so that each is as likely as any other to have the largest
    max over k of (mean - log PAC), where the mean of every k is over all of them.
    """
    logs = np.log(np.vstack([pac, reference]) + _FLOOR)
    largest = (logs.mean(axis=0) - logs).max(axis=1)
    return float(np.mean(largest >= largest[0]))
