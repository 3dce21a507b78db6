"""One API: the same parameters in the same order everywhere, the same attributes, and tables that say so."""

import inspect
import re
from functools import cache

import numpy as np
import pytest
from tools import write_tables

import partita
from partita.base import BaseConsensus
from partita.consensus._methods import METHODS
from tests.ensembles import noisy_ensemble, same_partition
from tests.registry import ESTIMATORS, FINDS_K, OTHER_ESTIMATORS, SOFT

ALL = write_tables.public_estimators()
METHODS_BY_CLASS = {method.estimator: method for method in METHODS.values()}

# Parameters that may be passed by position; all others by name only.
BY_POSITION = {
    "AnchorEnsemble": ["n_clusterings", "n_clusters"],
    "ConsensusClustering": ["base", "consensus"],
    "DPGaussianMixture": ["alpha", "sigma", "rho"],
    "DPMeans": ["lam", "n_clusters"],
    "KMeansEnsemble": ["n_clusterings", "n_clusters"],
    "MixedEnsemble": ["clusterers", "n_clusters"],
    "NBCE": ["inference", "prior", "truncation"],
    "NoisyEnsemble": ["n_clusterings"],
    "ProjectionEnsemble": ["n_clusterings", "n_clusters"],
    "RobustClusters": [],
    "SampledEnsemble": ["n_clusterings"],
    "USpecEnsemble": ["n_clusterings", "n_clusters"],
    "WeakEnsemble": ["n_clusterings", "n_clusters"],
}
CLUSTERERS = sorted(name for name in ALL if "Ensemble" not in name)

# A value of their objective costs more than an iteration, so that history_ has fewer entries than n_iter_ counts;
# LabelKMeans(coding="raw") is scikit-learn's k-means, which gives the last value only.
FEWER_VALUES = {"PCC-kl", "PCC-l2", "PCC-kl-pairs", "PCC-l2-greedy", "PEACE", "NBCE-cvb", "NBCE-cvb-second-order"} | {
    "LabelKMeans-raw"
}


def parameters_of(name):
    return inspect.signature(ALL[name]).parameters


# ----------------------------------------------------------------------------------------------------- constructors
@pytest.mark.parametrize("name", ALL)
def test_first_parameters_by_position_the_others_by_name(name):
    kinds = {key: parameter.kind for key, parameter in parameters_of(name).items()}
    by_position = [key for key, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert by_position == BY_POSITION.get(name, ["n_clusters"])
    assert all(kind is inspect.Parameter.KEYWORD_ONLY for key, kind in kinds.items() if key not in by_position)


@pytest.mark.parametrize("name", ALL)
def test_shared_parameters_come_last_and_in_one_order(name):
    names = list(parameters_of(name))
    shared = [key for key in write_tables.SHARED if key in names]
    assert names[len(names) - len(shared) :] == shared


@pytest.mark.parametrize("name", ALL)
def test_shared_parameters_have_one_default(name):
    defaults = {key: parameter.default for key, parameter in parameters_of(name).items()}
    for key in ("weights", "random_state", "n_jobs"):
        assert defaults.get(key) is None
    assert not defaults.get("verbose", False)
    if name in METHODS_BY_CLASS and "n_clusters" in defaults:
        assert defaults["n_clusters"] == (None if METHODS_BY_CLASS[name].finds_k else 8)


@pytest.mark.parametrize("name", ALL)
def test_several_starts_or_chains_run_in_threads_and_show_progress(name):
    parameters = parameters_of(name)
    many = "n_chains" in parameters or ("n_init" in parameters and parameters["n_init"].default > 1)
    if many:
        assert {"n_jobs", "verbose"} <= set(parameters)


# ------------------------------------------------------------------------------------------------ fitted attributes
@cache
def fitted(name):
    entry = ESTIMATORS[name]
    model = entry.make(n_clusters=3) if entry.takes_k else entry.make()
    return model.fit(noisy_ensemble().X)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_iterations_are_counted_alike(name):
    model = fitted(name)
    iterates = {"max_iter", "n_sweeps"} & set(model.get_params())
    assert hasattr(model, "history_") == bool(iterates)
    if iterates:
        assert "verbose" in model.get_params()
        assert isinstance(model.converged_, bool | np.bool_)
        assert len(model.history_) >= 1
        if name in FEWER_VALUES:
            assert model.n_iter_ >= 1
        else:
            assert model.n_iter_ == len(model.history_)


NARROW = {"n_clusters": 3, "n_init": 2, "max_iter": 120, "n_sweeps": 40, "n_chains": 2, "truncation": 9, "steps": 20}


@pytest.mark.parametrize("name", METHODS_BY_CLASS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_narrow_numpy_integers_are_numbers_like_any_other(name):
    estimator = getattr(partita, name)
    taken = {key: value for key, value in NARROW.items() if key in inspect.signature(estimator).parameters}
    X = noisy_ensemble(n_clusterings=6)[0]
    wide = estimator(**taken, random_state=0).fit(X)
    narrow = estimator(**{key: np.int8(value) for key, value in taken.items()}, random_state=0).fit(X)
    assert (narrow.labels_ == wide.labels_).all()


@pytest.mark.parametrize("name", ["DPMeans", "DPGaussianMixture"])
def test_iterations_of_models_of_features_are_counted_alike(name, rng):
    own = {"n_sweeps": 20} if name == "DPGaussianMixture" else {"n_clusters": 3}
    model = ALL[name](random_state=0, **own).fit(rng.standard_normal((40, 2)))
    assert model.n_iter_ == len(model.history_)
    assert isinstance(model.converged_, bool | np.bool_)


def described_attributes(estimator):
    """Attributes with a description in the section Attributes of the docstring."""
    sections = re.split(r"\n(\w[^\n]*)\n-{3,}\n", inspect.cleandoc(estimator.__doc__))
    text = dict(zip(sections[1::2], sections[2::2], strict=True)).get("Attributes", "")
    entries = re.findall(r"^(\w[^\n]*)\n((?:[ ]+[^\n]*\n)*)", text + "\n", re.MULTILINE)
    return {name.strip() for names, below in entries if below for name in names.split(":")[0].split(",")}


def told_of_itself(model):
    return {name for name in ("n_iter_", "converged_", "n_clusters_", "history_") if hasattr(model, name)}


@pytest.mark.parametrize("name", METHODS_BY_CLASS)
def test_what_a_fit_tells_of_itself_is_described(name):
    told = set().union(*(told_of_itself(fitted(entry)) for entry in entries_of(name)))
    assert "n_clusters_" in told
    assert not sorted(told - described_attributes(ALL[name]))


@pytest.mark.parametrize("name", ["DPMeans", "DPGaussianMixture", "ConsensusClustering"])
def test_what_a_fit_of_features_tells_of_itself_is_described(name, rng):
    few = {"DPGaussianMixture": {"n_sweeps": 20}, "DPMeans": {"n_clusters": 3}}.get(name, {})
    model = ALL[name](random_state=0, **few).fit(rng.standard_normal((40, 2)))
    assert not sorted(told_of_itself(model) - described_attributes(ALL[name]))


@pytest.mark.parametrize("name", CLUSTERERS)
def test_every_clusterer_places_new_objects(name):
    assert callable(ALL[name].predict)


@pytest.mark.parametrize("name", [method.estimator for method in METHODS.values() if method.soft])
def test_every_soft_method_gives_new_objects_probabilities(name):
    assert callable(getattr(ALL[name], "predict_proba", None))


# ------------------------------------------------------------------------------------------------ the one table
def entries_of(estimator):
    return {name: entry for name, entry in ESTIMATORS.items() if type(entry.make()).__name__ == estimator}


def test_every_public_consensus_estimator_has_one_row():
    public = {name for name, value in ALL.items() if issubclass(value, BaseConsensus)}
    assert public == set(METHODS_BY_CLASS)
    assert len(METHODS_BY_CLASS) == len(METHODS)
    assert set(ALL) - public == set(OTHER_ESTIMATORS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_the_registry_with_what_its_row_says(name):
    method = METHODS[name]
    entries = entries_of(method.estimator)
    assert entries, f"tests/registry.py has no entry for {method.estimator}"
    assert method.soft == any(SOFT in entry.promises for entry in entries.values())
    assert method.finds_k == any(FINDS_K in entry.promises for entry in entries.values())
    assert not (method.finds_k and method.upper_bound)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.upper_bound])
def test_an_upper_bound_leaves_clusters_without_objects(name):
    truth = noisy_ensemble().truth
    model = getattr(partita, METHODS[name].estimator)(n_clusters=6, random_state=0)
    assert same_partition(model.fit_predict(np.repeat(truth[:, None], 4, axis=1)), truth)


def test_the_docstring_lists_every_method():
    lines = partita.consensus.__doc__.splitlines()
    rows = [line.split()[1] for line in lines if line.startswith("| ") and line.split()[1] != "|"]
    assert not [method.estimator for method in METHODS.values() if method.estimator not in rows]
    assert max(map(len, lines)) < 120


def test_the_stubs_are_up_to_date():
    text = write_tables.STUB.read_text(encoding="utf-8")
    assert text == write_tables.with_methods(text), "run `make tables`"
    assert write_tables.CONSENSUS_STUB.read_text(encoding="utf-8") == write_tables.consensus_stub(), "run `make tables`"


def test_the_page_of_methods_is_up_to_date():
    assert write_tables.METHODS_PAGE.read_text(encoding="utf-8") == write_tables.methods_page(), "run `make tables`"


def test_the_table_of_parameters_is_up_to_date():
    text = write_tables.CONTRIBUTING.read_text(encoding="utf-8")
    assert text == write_tables.with_parameters(text), "run `make tables`"


def test_the_page_on_python_names_every_method():
    page = (write_tables.ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    missing = [method.estimator for method in METHODS.values() if f"`{method.estimator}`" not in page]
    assert not missing, f"docs/python.md does not name {', '.join(missing)}"


@pytest.mark.parametrize("name", ["DPMeans", "DPGaussianMixture", "ConsensusClustering"])
def test_n_clusters_of_models_of_features_counts_the_labels(name, rng):
    few = {"DPGaussianMixture": {"n_sweeps": 20}, "DPMeans": {"n_clusters": 3}}.get(name, {"n_clusters": 6})
    model = ALL[name](random_state=0, **few).fit(rng.standard_normal((40, 2)))
    assert np.array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    assert not hasattr(model, "n_components_")


@pytest.mark.parametrize("name", METHODS_BY_CLASS)
def test_the_table_says_where_n_clusters_is_a_bound(name):
    assert ALL[name]._n_clusters_is_bound == METHODS_BY_CLASS[name].upper_bound
