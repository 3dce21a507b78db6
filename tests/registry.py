"""Every public estimator and metric, with the properties it promises.

A new method is tested by adding a line here. The generic tests (test_invariances.py, test_estimator_checks.py,
test_api.py, metrics/test_properties.py) run over these tables, and fail when a public name, or a row of
partita.consensus._methods, is not listed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import partita
from partita import metrics
from partita.testing import PROMISES

# Promises that not every estimator makes, by the names of partita.testing.PROMISES, which says what they mean; the
# others of that table hold for all:
DUPLICATE_IS_WEIGHT = "clustering twice"
REPEAT_IS_WEIGHT = "object twice"
RELABELLING = "relabelling"
COLUMN_ORDER = "column order"
ROW_ORDER = "row order"
MONOTONE = "history falls"
RISES = "history rises"
SOFT = "membership"
PREDICTS = "predicts training"
FINDS_K = "finds k"
PLACES = "places training"
ACCURATE = "accurate"
OPTIONAL = frozenset(
    {
        DUPLICATE_IS_WEIGHT,
        REPEAT_IS_WEIGHT,
        RELABELLING,
        COLUMN_ORDER,
        ROW_ORDER,
        MONOTONE,
        RISES,
        SOFT,
        PREDICTS,
        FINDS_K,
        PLACES,
        ACCURATE,
    }
)

# and those that only tests of our own know:
TAKES_K = "has n_clusters"
REFUSES_K = "refuses more clusters than there are distinct rows"
TIES_BY_INDEX = "names of labels and order of clusterings do not matter even where rows tie"
MODEL = "is a model of the labels: score_samples, perplexity, a prior that is not uniform"

LABELS_ONLY = frozenset({DUPLICATE_IS_WEIGHT, REPEAT_IS_WEIGHT, RELABELLING, COLUMN_ORDER, ROW_ORDER})


class Entry(NamedTuple):
    """One configuration of an estimator."""

    make: Callable[..., Any]  # called with n_clusters (or without) and further parameters
    promises: frozenset[str]
    breaks: frozenset[str] = frozenset()  # public checks that it fails by its nature

    @property
    def takes_k(self) -> bool:
        return TAKES_K in self.promises

    @property
    def checks(self) -> list[str]:
        """Names of the public checks that it must pass."""
        asked = [name for name in PROMISES if name not in OPTIONAL or name in self.promises]
        return [name for name in asked if name not in self.breaks]


def _eac(**fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: partita.EAC(**{**fixed, **parameters})


def _label_kmeans(**fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: partita.LabelKMeans(**{"n_clusters": 3, "random_state": 0, **fixed, **parameters})


def _soft(name: str, **fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: getattr(partita, name)(**{"n_clusters": 3, "random_state": 0, **fixed, **parameters})


def _finds_k(name: str) -> Callable[..., Any]:
    return lambda **parameters: getattr(partita, name)(**{"random_state": 0, **parameters})


def _median(**fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: partita.MedianPartition(**{"random_state": 0, **fixed, **parameters})


def _nbce(inference: str, prior: str = "tsb", **fixed: Any) -> Callable[..., Any]:
    return lambda **parameters: partita.NBCE(inference, prior, **{"random_state": 0, **fixed, **parameters})


_EAC = LABELS_ONLY | {TAKES_K, REFUSES_K, FINDS_K, TIES_BY_INDEX, PREDICTS}

_PCC = frozenset({RELABELLING, DUPLICATE_IS_WEIGHT, TAKES_K, MONOTONE, SOFT, ACCURATE})
_PAIRS = _PCC | {REPEAT_IS_WEIGHT, COLUMN_ORDER, PREDICTS, PLACES}  # all pairs of distinct rows: equal rows share all

_GRAPH = LABELS_ONLY | {TAKES_K, ACCURATE}
_MODEL = LABELS_ONLY | {TAKES_K, RISES, SOFT, PREDICTS, PLACES, ACCURATE, MODEL}
_NBCE = LABELS_ONLY | {FINDS_K, SOFT, PREDICTS, ACCURATE, MODEL}
_MEDIAN = LABELS_ONLY | {TAKES_K, FINDS_K, MONOTONE, PREDICTS, ACCURATE}

ESTIMATORS: dict[str, Entry] = {
    "EAC-average": Entry(_eac(), _EAC | {ACCURATE}),
    "EAC-complete": Entry(_eac(linkage="complete"), _EAC),
    "EAC-ward": Entry(_eac(linkage="ward"), _EAC | {ACCURATE}),
    "EAC-ward-exact": Entry(_eac(linkage="ward", ward="exact"), _EAC | {ACCURATE}),
    "EAC-single": Entry(_eac(linkage="single"), _EAC),
    "EAC-single-threshold": Entry(
        _eac(linkage="single", cut="threshold", threshold=0.6),
        LABELS_ONLY | {ACCURATE, TIES_BY_INDEX, PREDICTS},
        frozenset({"number of clusters"}),  # the threshold decides
    ),
    "LabelKMeans": Entry(_label_kmeans(), LABELS_ONLY | {TAKES_K, MONOTONE, PREDICTS, ACCURATE}),
    "PCC-kl": Entry(_soft("PCC"), _PAIRS),
    "PCC-l2": Entry(_soft("PCC", divergence="l2"), _PAIRS),
    "PCC-kl-pairs": Entry(_soft("PCC", pairs=0.6), _PCC),
    "PCC-l2-greedy": Entry(_soft("PCC", divergence="l2", solver="greedy", n_init=2), _PCC),
    "PEACE": Entry(_soft("PEACE", n_init=3), _PCC),
    "BaumEagon": Entry(_soft("BaumEagon", n_init=2), _PAIRS),
    "AspectModel": Entry(_soft("AspectModel", n_init=2, tol=1e-7), (_PAIRS | {RISES}) - {MONOTONE}),
    "MultinomialMixture": Entry(_soft("MultinomialMixture"), _MODEL),
    "MultinomialMixture-impute": Entry(_soft("MultinomialMixture", missing="impute", init="random"), _MODEL),
    "QMI": Entry(_soft("QMI"), LABELS_ONLY | {TAKES_K, MONOTONE, PREDICTS, ACCURATE}),
    "BCE": Entry(_soft("BCE"), _MODEL),
    "BCE-gibbs": Entry(
        _soft("BCE", inference="gibbs", alpha=0.1, beta=0.1, n_sweeps=100), (_NBCE | {TAKES_K, PLACES}) - {FINDS_K}
    ),
    "InformationBottleneck": Entry(_soft("InformationBottleneck"), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "InformationBottleneck-soft": Entry(_soft("InformationBottleneck", beta=5.0), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "GBCE": Entry(_soft("GBCE", n_init=4), _MODEL),
    "NBCE-gibbs": Entry(_nbce("gibbs", n_sweeps=60), _NBCE | {PLACES}),
    "NBCE-gibbs-fsd-vi": Entry(
        _nbce("gibbs", "fsd", n_sweeps=60, consensus="vi", alpha0="auto"), _NBCE - {SOFT, REPEAT_IS_WEIGHT}
    ),  # draws
    "NBCE-vb": Entry(_nbce("vb", n_init=4), _NBCE | {RISES, PLACES}),
    "NBCE-cvb": Entry(_nbce("cvb", n_init=4), _NBCE),
    "NBCE-cvb-second-order": Entry(_nbce("cvb", "fsd", n_init=4, second_order=True), _NBCE),
    "BCE-smooth": Entry(_soft("BCE", smoothing=0.01, init="random"), _MODEL),
    "CSPA": Entry(_soft("CSPA"), _GRAPH),
    "CSPA-pairs": Entry(_soft("CSPA", pairs=20, partitioner="spectral"), _GRAPH - {REPEAT_IS_WEIGHT, ROW_ORDER}),
    "CSPA-metis": Entry(_soft("CSPA", partitioner="metis"), _GRAPH),
    "HGPA": Entry(_soft("HGPA"), _GRAPH),
    "HGPA-clique": Entry(_soft("HGPA", partitioner="clique"), _GRAPH),
    "MCLA": Entry(_soft("MCLA"), _GRAPH),
    "HBGF": Entry(_soft("HBGF"), _GRAPH),
    "HBGF-spectral": Entry(_soft("HBGF", partitioner="spectral"), _GRAPH),
    "CumulativeVoting": Entry(_soft("CumulativeVoting"), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "CumulativeVoting-acv": Entry(_soft("CumulativeVoting", scheme="acv"), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "MatchedVoting": Entry(_soft("MatchedVoting"), _GRAPH | {SOFT, PREDICTS, PLACES, MONOTONE}),
    "MatchedVoting-hard": Entry(_soft("MatchedVoting", output="hard"), _GRAPH | {SOFT, PREDICTS, PLACES, MONOTONE}),
    "NMFConsensus": Entry(_soft("NMFConsensus", n_init=2), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "ConstrainedNMF": Entry(_soft("ConstrainedNMF", n_init=2), _GRAPH | {SOFT, PREDICTS, PLACES}),
    "FuzzyKMeans": Entry(_soft("FuzzyKMeans"), _GRAPH | {MONOTONE, SOFT, PREDICTS, PLACES}),
    "FuzzyKMedoids": Entry(_soft("FuzzyKMedoids"), _GRAPH | {MONOTONE, SOFT, PREDICTS, PLACES}),
    "RobustClusters": Entry(
        lambda **parameters: partita.RobustClusters(**parameters), LABELS_ONLY | {FINDS_K, PREDICTS}
    ),
    "RobustClusters-most": Entry(
        lambda **parameters: partita.RobustClusters(**{"agreement": 0.6, **parameters}),
        LABELS_ONLY | {FINDS_K, ACCURATE, TIES_BY_INDEX, PREDICTS},
    ),
    "MultiEAC": Entry(
        lambda **parameters: partita.MultiEAC(**parameters),
        LABELS_ONLY | {TAKES_K, REFUSES_K, FINDS_K, ACCURATE, PREDICTS},
    ),
    "LWGP": Entry(_finds_k("LWGP"), _GRAPH | {PREDICTS, FINDS_K}),
    "USENC": Entry(_soft("USENC"), _GRAPH | {PREDICTS}),
    "LWEA": Entry(
        lambda **parameters: partita.LWEA(**parameters), LABELS_ONLY | {TAKES_K, FINDS_K, ACCURATE, PREDICTS}
    ),
    # its walks go from a cluster to its copy, but never stay at a cluster of weight 2
    "ECPCS": Entry(_soft("ECPCS"), (_GRAPH | {PREDICTS}) - {DUPLICATE_IS_WEIGHT}),
    "ECPCS-tree": Entry(_soft("ECPCS", output="tree"), (_GRAPH | {PREDICTS}) - {DUPLICATE_IS_WEIGHT}),
    "MedianPartition-vi": Entry(_median(loss="vi"), _MEDIAN),
    "MedianPartition-binder": Entry(_median(loss="binder"), _MEDIAN),
    "LCE": Entry(_soft("LCE"), _GRAPH | {PREDICTS}),
    "LCE-complete": Entry(_soft("LCE", linkage="complete"), (_GRAPH | {PREDICTS}) - {ACCURATE}),
    # SimRank and its approximation compare labels of different clusterings too: a copy of a cluster is another cluster
    "LCE-srs": Entry(_soft("LCE", similarity="srs"), (_GRAPH | {PREDICTS}) - {DUPLICATE_IS_WEIGHT}),
    "LCE-asrs": Entry(_soft("LCE", similarity="asrs"), (_GRAPH | {PREDICTS}) - {DUPLICATE_IS_WEIGHT}),
    "LCE-cut": Entry(_soft("LCE", output="cut"), _GRAPH | {PREDICTS}),
    # weights of clusterings are scaled to a mean of 1, so that lam keeps its meaning: a copy changes this mean
    "DREC": Entry(_soft("DREC"), (_GRAPH | {PREDICTS}) - {DUPLICATE_IS_WEIGHT}),
    "PTA": Entry(
        _soft("PTA"), _GRAPH | {PREDICTS}, frozenset({"missing labels"})
    ),  # six rows are too few for its walks
    "PTGP": Entry(_soft("PTGP"), _GRAPH | {PREDICTS}),
    "SoftCSPA": Entry(_soft("SoftCSPA"), _GRAPH),
    "SoftMCLA": Entry(_soft("SoftMCLA"), _GRAPH),
    "SoftHBGF": Entry(_soft("SoftHBGF"), _GRAPH),
    "SoftHGPA": Entry(_soft("SoftHGPA"), _GRAPH),
    "SoftLWGP": Entry(_finds_k("SoftLWGP"), _GRAPH | {FINDS_K}),
    "ITK": Entry(_soft("ITK"), _GRAPH | {MONOTONE}),
    "LabelKMeans-coordinate": Entry(
        _label_kmeans(solver="coordinate"), LABELS_ONLY | {TAKES_K, MONOTONE, PREDICTS, ACCURATE}
    ),
    "KCC-c": Entry(_soft("KCC"), _GRAPH | {MONOTONE, PREDICTS}),
    "KCC-h": Entry(_soft("KCC", utility="h"), _GRAPH | {MONOTONE, PREDICTS}),
    "KCC-cos": Entry(_soft("KCC", utility="cos"), _GRAPH | {MONOTONE, PREDICTS}),
    "KCC-lp-normalized": Entry(_soft("KCC", utility="lp", normalized=True), _GRAPH | {MONOTONE, PREDICTS}),
    "KCC-coordinate": Entry(_soft("KCC", solver="coordinate"), _GRAPH | {MONOTONE, PREDICTS}),
    "KModes": Entry(_soft("KModes"), _GRAPH | {MONOTONE}),
    # the numbers of the labels are its data, so renaming them changes the answer
    "LabelKMeans-raw": Entry(
        _label_kmeans(coding="raw"),
        frozenset({DUPLICATE_IS_WEIGHT, TAKES_K, MONOTONE, PREDICTS}),
        frozenset({"missing labels"}),  # they are replaced by the mean of the numbers
    ),
}

# Estimators that do not take a label matrix, and where they are tested, scikit-learn's checks among the rest.
OTHER_ESTIMATORS = {
    "AnchorEnsemble": "generation/test_anchor_ensemble.py",
    "ConsensusClustering": "test_consensus_clustering.py",
    "DPGaussianMixture": "dirichlet_process/test_dp_gaussian_mixture.py",
    "DPMeans": "dirichlet_process/test_dp_means.py",
    "KMeansEnsemble": "generation/test_feature_ensemble.py",
    "MixedEnsemble": "generation/test_feature_ensemble.py",
    "NoisyEnsemble": "generation/test_noisy_ensemble.py",
    "ProjectionEnsemble": "generation/test_projection_ensemble.py",
    "SampledEnsemble": "generation/test_sampled_ensemble.py",
    "USpecEnsemble": "generation/test_uspec_ensemble.py",
    "WeakEnsemble": "generation/test_weak_ensemble.py",
}

# Why an estimator of label matrices cannot pass this check of scikit-learn:
EXPECTED_FAILED_CHECKS = {
    "check_clustering": "feeds scaled features, and as a list of rows; a list is a list of columns here",
}

# In data of 15 objects that have no label in common, every partition into clusters of given sizes is as good as any
# other: rounding decides. test_object_twice_is_weight_two tests the same on data with structure.
WEIGHTS_CHECK = "check_sample_weight_equivalence_on_dense_data"

# They fit two or three columns of random labels. The groups of clusters of ECPCS are then the clusterings, in which
# every object has one label each: all tie and go to one group, and the warning of empty clusters is an error here.
TWO_RANDOM_CLUSTERINGS = (
    "check_estimators_overwrite_params",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_sample_weights_list",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
)


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Checks of scikit-learn that this estimator fails, with the reason."""
    one_row_per_object = isinstance(estimator, partita.PCC) and estimator._one_row_per_object()
    rounding_decides = (
        isinstance(estimator, partita.NBCE)
        or one_row_per_object
        or (isinstance(estimator, partita.EAC) and estimator.cut == "threshold")
    )
    groups_tie = isinstance(estimator, partita.ECPCS) and estimator.output == "meta"
    return (
        EXPECTED_FAILED_CHECKS
        | ({WEIGHTS_CHECK: "all partitions of its data are equally good"} if rounding_decides else {})
        | (dict.fromkeys(TWO_RANDOM_CLUSTERINGS, "every object ties, and a warning tells it") if groups_tie else {})
    )


class MetricEntry(NamedTuple):
    """One metric of two partitions (or, if ``of_ensemble``, of an ensemble and a partition)."""

    function: Callable[..., float]
    symmetric: bool
    low: float = 0.0
    best: float = 1.0  # value for two equal partitions
    equal_only: bool = True  # the best value means equal partitions
    of_ensemble: bool = False


METRICS: dict[str, MetricEntry] = {
    "adjusted_rand_score": MetricEntry(metrics.adjusted_rand_score, symmetric=True, low=-0.5),
    "average_nmi_score": MetricEntry(metrics.average_nmi_score, symmetric=False, of_ensemble=True),
    "class_weighted_f1_score": MetricEntry(metrics.class_weighted_f1_score, symmetric=False),
    "consistency_index": MetricEntry(metrics.consistency_index, symmetric=True),
    "f1_score": MetricEntry(metrics.f1_score, symmetric=False),
    "fowlkes_mallows_score": MetricEntry(metrics.fowlkes_mallows_score, symmetric=True),
    "jaccard_score": MetricEntry(metrics.jaccard_score, symmetric=True),
    "jensen_shannon_distance": MetricEntry(metrics.jensen_shannon_distance, symmetric=True, best=0.0),
    "micro_precision": MetricEntry(metrics.micro_precision, symmetric=False, equal_only=False),
    "normalized_mutual_info_score": MetricEntry(metrics.normalized_mutual_info_score, symmetric=True),
    "pair_f1_score": MetricEntry(metrics.pair_f1_score, symmetric=True),
    "rand_score": MetricEntry(metrics.rand_score, symmetric=True),
}


class InternalEntry(NamedTuple):
    """One internal index: a function of features and a partition."""

    name: str  # the public function
    options: dict[str, Any]
    better: str = "higher"
    scale_free: bool = True  # the unit of the features does not matter
    threads: bool = False  # takes n_jobs

    def __call__(self, X: Any, labels: Any, **more: Any) -> float:
        return getattr(metrics, self.name)(X, labels, **self.options, **more)


_SEPARATIONS = ("single", "complete", "average", "centroid", "hybrid", "hausdorff")
_VARIANTS = {"original": True, "simplified": True, "alternative": False, "hybrid": False}

# All are NaN for one cluster.
INTERNAL: dict[str, InternalEntry] = {
    "calinski_harabasz": InternalEntry("calinski_harabasz_score", {}),
    "davies_bouldin": InternalEntry("davies_bouldin_score", {}, better="lower"),
    **{
        f"dunn_{s}_{d}": InternalEntry("dunn_score", {"separation": s, "diameter": d}, threads=True)
        for s in _SEPARATIONS
        for d in ("max", "mean", "centroid")
    },
    **{
        f"silhouette_{v}": InternalEntry("silhouette_score", {"variant": v}, scale_free=free, threads=True)
        for v, free in _VARIANTS.items()
    },
}

# Scores of other things than partitions, and where they are tested.
OTHER_SCORES = {
    "goodman_kruskal_score": "metrics/test_correlation.py",
    "weighted_goodman_kruskal_score": "metrics/test_correlation.py",
    "pac_score": "metrics/test_ensemble_quality.py",
}
