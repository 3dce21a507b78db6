"""What speaks for each number of clusters, as columns of a table."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

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
    """Variational bound of a consensus that is a model of the labels; None of others and of the mixture model."""
    if isinstance(consensus, MultinomialMixture) or not hasattr(consensus, "score_samples"):
        return None
    models = [clone(consensus).set_params(n_clusters=k, random_state=seed).fit(X) for k in numbers]
    return np.array([model.lower_bound_ for model in models])


class Profile(NamedTuple):
    """What is compared with references, one value a number of clusters; low where there are so many clusters."""

    pac: FloatArray
    scatter: FloatArray | None = None  # of features


def scatter(F: FloatArray, clusterings: Sequence[IntArray]) -> FloatArray:
    """Sum of squares within the clusters of each clustering, as a share of that of all objects."""
    total = float(((F - F.mean(axis=0)) ** 2).sum())
    within = [total - _between(F - F.mean(axis=0), labels) for labels in clusterings]
    return np.array(within).clip(0) / (total or 1.0)


def _between(centred: FloatArray, labels: IntArray) -> float:
    sums = np.zeros((int(labels.max()) + 1, centred.shape[1]))
    np.add.at(sums, labels[labels >= 0], centred[labels >= 0])
    size = np.maximum(np.bincount(labels[labels >= 0], minlength=len(sums)), 1)
    return float(((sums**2).sum(axis=1) / size).sum())


class Comparison(NamedTuple):
    """The data among the references."""

    columns: dict[str, FloatArray]  # of the table
    p_value: float  # for all numbers together


def compare(data: Profile, references: Sequence[Profile]) -> Comparison:
    """How much less ambiguous, and more compact, the data are than references without clusters.

    rcsi (relative cluster stability index) and gap are the references' mean log PAC and log scatter minus those of the
    data. Where there are no clusters all data sets are alike, so each is as likely as any other to stand out most. With
    z = (mean - value) / s over all of them, the data among them, the p-value of a number is the share of data sets
    whose sum of the two z there is at least that of the data; for all numbers together it is the sum of the two largest
    z that is compared.
    """
    logs = {"rcsi": np.log(np.array([profile.pac for profile in (data, *references)]) + _FLOOR)}
    if data.scatter is not None:
        logs["gap"] = np.log(np.array([profile.scatter for profile in (data, *references)]) + _FLOOR)
    z = np.array([_standardise(values) for values in logs.values()])
    at_number, over_all = z.sum(axis=0), z.max(axis=2).sum(axis=0)
    columns = {name: values[1:].mean(axis=0) - values[0] for name, values in logs.items()}
    columns["reference_pac"] = np.mean([profile.pac for profile in references], axis=0)
    columns["p_value"] = np.mean(at_number >= at_number[0], axis=0)
    return Comparison(columns, float(np.mean(over_all >= over_all[0])))


def weakest(comparisons: Sequence[Comparison]) -> Comparison:
    """For each number what speaks least for it, and the largest p-value."""
    names = comparisons[0].columns
    smallest = {name: np.min([one.columns[name] for one in comparisons], axis=0) for name in names}
    smallest["p_value"] = np.max([one.columns["p_value"] for one in comparisons], axis=0)
    return Comparison(smallest, max(one.p_value for one in comparisons))


def _standardise(values: FloatArray) -> FloatArray:
    """How far each data set is below the mean of all."""
    spread = values.std(axis=0, ddof=1)
    return np.asarray((values.mean(axis=0) - values) / np.where(spread > 0, spread, 1.0))
