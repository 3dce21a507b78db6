"""What the benchmark of optima runs: every method with starts or chains, and what each of them improves."""

from collections.abc import Callable
from typing import Any, NamedTuple

import partita


class Searched(NamedTuple):
    """A method, how it is made, and the value that its search improves."""

    make: Callable[[int, int], Any]  # number of clusters, seed -> estimator
    value: str  # attribute
    rises: bool  # the larger the value, the better
    for_nbce: bool = False  # runs on the ensembles of the paper of NBCE, and its gap is in nats


def _given(estimator: str, value: str, *, rises: bool = False, **options: Any) -> Searched:
    def make(k: int, seed: int) -> Any:
        return getattr(partita, estimator)(k, random_state=seed, **options)

    return Searched(make, value, rises)


def _nbce(value: str, **options: Any) -> Searched:
    return Searched(lambda k, seed: partita.NBCE(random_state=seed, **options), value, rises=True, for_nbce=True)


METHODS = {
    "LabelKMeans": _given("LabelKMeans", "objective_"),
    "QMI": _given("QMI", "objective_"),
    "KCC-h": _given("KCC", "objective_", utility="h"),
    "KCC-cos": _given("KCC", "objective_", utility="cos"),
    "KModes": _given("KModes", "objective_"),
    "MultinomialMixture": _given("MultinomialMixture", "lower_bound_", rises=True),
    "BCE": _given("BCE", "lower_bound_", rises=True),
    "MedianPartition-vi": _given("MedianPartition", "objective_", loss="vi"),
    "MedianPartition-binder": _given("MedianPartition", "objective_", loss="binder"),
    "ITK": _given("ITK", "objective_"),
    "PCC-kl": _given("PCC", "objective_"),
    "PCC-l2": _given("PCC", "objective_", divergence="l2"),
    "NMFConsensus": _given("NMFConsensus", "objective_"),
    "ConstrainedNMF": _given("ConstrainedNMF", "objective_"),
    "FuzzyKMeans": _given("FuzzyKMeans", "objective_"),
    "FuzzyKMedoids": _given("FuzzyKMedoids", "objective_"),
    "InformationBottleneck": _given("InformationBottleneck", "objective_", rises=True),
    "MatchedVoting": _given("MatchedVoting", "objective_"),
    "PEACE": _given("PEACE", "objective_"),
    "BaumEagon": _given("BaumEagon", "objective_"),
    "AspectModel": _given("AspectModel", "lower_bound_", rises=True),
    "NBCE-gibbs-tsb": _nbce("log_joint_"),
    "NBCE-gibbs-fsd": _nbce("log_joint_", prior="fsd"),
    "NBCE-vb": _nbce("lower_bound_", inference="vb"),
    "NBCE-cvb": _nbce("lower_bound_", inference="cvb"),
}
