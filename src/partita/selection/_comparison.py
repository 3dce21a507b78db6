"""The data among references without clusters: how far they stand out, at each number and overall (eqs. I58 to I62)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from partita._typing import FloatArray

_FLOOR = 1e-3  # added before the logarithm: smaller differences of PAC are a few pairs, and mean nothing


class Profile(NamedTuple):
    """What is compared with references, one value per number of clusters; low if the data have that many."""

    pac: FloatArray
    scatter: FloatArray | None = None  # of features only


class Comparison(NamedTuple):
    """The data among the references."""

    columns: dict[str, FloatArray]  # of the table, one value per number
    p_value: float  # for all numbers together


def compare_with_references(data: Profile, references: Sequence[Profile]) -> Comparison:
    """How much less ambiguous, and more compact, the data are than references without clusters.

    rcsi (relative cluster stability index) and gap are the references' mean log PAC and log scatter minus those of the
    data (eq. I58). Without clusters the data are one more reference; each is equally likely to stand out most. With
    z = (mean - value) / s over all data sets, the given one included (eq. I59), the p-value of a number is the share of
    data sets whose sum of the two z is at least that of the data (eq. I60); for all numbers together the sums of the
    two largest z are compared (eq. I61).
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
    """For each number the smallest rcsi and gap, and the largest p-values (eq. I62)."""
    names = comparisons[0].columns
    smallest = {name: np.min([one.columns[name] for one in comparisons], axis=0) for name in names}
    smallest["p_value"] = np.max([one.columns["p_value"] for one in comparisons], axis=0)
    return Comparison(smallest, max(one.p_value for one in comparisons))


def _standardise(values: FloatArray) -> FloatArray:
    """How far each data set is below the mean of all."""
    spread = values.std(axis=0, ddof=1)
    return np.asarray((values.mean(axis=0) - values) / np.where(spread > 0, spread, 1.0))
