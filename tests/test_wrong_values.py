"""Every parameter of what takes features or judges partitions: a wrong value gives a result, or a refusal in our words.

A refusal is ours if a statement of partita raises it (or scikit-learn's checks of parameters and arrays do), as a
ValueError, TypeError or MemoryError. Anything else, such as a comparison that Python cannot make, is a foreign error.
"""

import inspect
import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from tools import write_tables

import partita
from partita import dirichlet_process, experiments, metrics
from tests.registry import OTHER_ESTIMATORS

Y = np.arange(12) % 3
F = np.random.default_rng(0).normal(size=(12, 2)) + 4 * np.eye(3, 2)[Y]
X = np.column_stack([Y, (Y + 1) % 3, np.minimum(Y, 1)])
MEMBERSHIP = np.eye(3)[Y]

WRONG = [
    None, "x", 0, -1, 1.5, True, np.nan, np.inf, 10**30, [], [[]], np.empty((0, 3)), np.ones((1, 1)), np.ones(12),
    np.full((12, 2), np.nan), np.full((12, 2), None), np.full((12, 2), "q", dtype=object), np.ones((3, 2, 2)),
    np.array(3), {}, object(), KMeans, KMeans(3), sparse.eye_array(12, format="csr"), pd.DataFrame(), (3, 1), 1e200 * F,
    pd.DataFrame(np.ones((12, 2)), columns=["a", "a"]),
]  # fmt: skip

_TWO = {"labels_true": Y, "labels_pred": 2 - Y}
_SERIES = {"a": F[:, 0], "b": F[:, 1]}
KNOWN = {"X": X, "labels": Y, "membership": MEMBERSHIP, "y": Y, "features": F}
GIVEN = {
    **dict.fromkeys(["goodman_kruskal_score", "weighted_goodman_kruskal_score", "paired_t_test"], _SERIES),
    **{name: {"X": F} for name in ("rank_features", "validity_report", "dunn_scores", "silhouette_samples")},
    **{
        name: {"X": F} for name in ("calinski_harabasz_score", "davies_bouldin_score", "dunn_score", "silhouette_score")
    },
    "jensen_shannon_distance": {"membership_true": MEMBERSHIP, "membership_pred": MEMBERSHIP},
    "mann_whitney_test": {"x": F[:, 0], "y": F[:, 1]},
    "perplexity": {"log_likelihood": -np.ones(12)},
    "vat": {"dissimilarity": (Y[:, None] != Y).astype(float)},
}


def of_metric(name):
    function = getattr(metrics, name)
    names = list(inspect.signature(function).parameters)
    needed = {**_TWO, **KNOWN, **GIVEN.get(name, {})}
    return function, {key: needed[key] for key in names if key in needed}, names


SMALL = {
    "KMeansEnsemble": {"n_clusterings": 2, "n_clusters": 2},
    "MixedEnsemble": {"clusterers": ["ward", KMeans(n_init=1)], "n_clusters": [2], "n_repeats": 1},
    "ConsensusClustering": {"base": partita.KMeansEnsemble(2, 2)},
    "DPGaussianMixture": {"n_sweeps": 4},
    "NoisyEnsemble": {"n_clusterings": 2},
    "SampledEnsemble": {"n_clusterings": 2},
}


def of_estimator(name):
    kind = write_tables.public_estimators()[name]
    data = {"NoisyEnsemble": X, "SampledEnsemble": MEMBERSHIP}.get(name, F)

    def run(data, **parameters):
        return kind(**{**SMALL.get(name, {}), **parameters}).fit(data)

    return run, {"data": data}, ["data", *inspect.signature(kind).parameters]


def features_of_gbce(features, new=F, **parameters):
    model = partita.GBCE(3, n_init=1, max_iter=5, tol=1.0, random_state=0, **parameters).fit(X, features=features)
    return model.predict_proba(X, features=new)


def text_of(documents, **parameters):
    return partita.make_text_features(**{"min_documents": 1, "stem": False, **parameters}).fit_transform(documents)


CASES = {
    **{name: of_metric(name) for name in metrics.__all__ if name[0].islower()},
    **{name: of_estimator(name) for name in OTHER_ESTIMATORS},
    "choose_n_clusters": (
        partita.choose_n_clusters,
        {"X": X, "n_clusters": [2], "n_resamples": 2, "n_references": 1, "alpha": 0.5},
        list(inspect.signature(partita.choose_n_clusters).parameters),
    ),
    "dp_means_path": (
        dirichlet_process.dp_means_path,
        {"X": F, "n_clusters": (1, 3)},
        list(inspect.signature(dirichlet_process.dp_means_path).parameters),
    ),
    "farthest_first_lambda": (dirichlet_process.farthest_first_lambda, {"X": F}, ["X", "n_clusters"]),
    "mann_whitney_critical_value": (
        experiments.mann_whitney_critical_value,
        {"n1": 3, "n2": 4},
        ["n1", "n2", "alpha", "alternative"],
    ),
    "mann_whitney_critical_table": (experiments.mann_whitney_critical_table, {"n_max": 3}, ["n_max", "alpha"]),
    "GBCE": (features_of_gbce, {"features": F}, ["features", "new", "families", "feature_weights", "label_weights"]),
    "make_text_features": (
        text_of,
        {"documents": ["two words", "words again"]},
        ["documents", "n_terms", "min_documents", "stem", "stop_words"],
    ),
}


def is_ours(error):
    """Whether a statement of ours raised the error, or a check of scikit-learn's."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = str(Path(partita.__file__).parent)
    checks = ("sklearn/utils/validation.py", "sklearn/utils/_param_validation.py", "sklearn/utils/_array_api.py")
    place = last.filename.replace("\\", "/")
    said = (last.line or "").startswith("raise")
    return isinstance(error, ValueError | TypeError | MemoryError) and said and (
        last.filename.startswith(ours) or place.endswith(checks)
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_value_gives_a_result_or_a_refusal_in_our_words(name, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1GiB")
    function, given, names = CASES[name]
    foreign = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for parameter in names:
            for wrong in WRONG:
                if parameter == "random_state" and not isinstance(wrong, str | list | dict):
                    continue  # seeds are scikit-learn's and NumPy's
                try:
                    function(**{**given, parameter: wrong})
                except Exception as error:
                    if not is_ours(error):
                        foreign.append(f"{parameter}={wrong!r:.40}: {type(error).__name__}: {error!s:.80}")
    assert not foreign


@pytest.mark.parametrize("name", write_tables.public_estimators())
def test_whole_numbers_are_neither_fractions_nor_truth_values(name):
    kind = write_tables.public_estimators()[name]
    data = {"NoisyEnsemble": X, "SampledEnsemble": MEMBERSHIP}.get(name, F if name in OTHER_ESTIMATORS else X)
    parameters = inspect.signature(kind).parameters
    whole = [key for key, p in parameters.items() if type(p.default) is int or key in ("n_jobs", "n_clusters")]
    for key in whole:
        for wrong in (1.5, True, 0 if key == "n_jobs" else -1, "x"):
            with pytest.raises((ValueError, TypeError), match=f"'{key}' parameter of {name} must be"):
                kind(**{key: wrong}).fit(data)
