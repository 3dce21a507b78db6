"""Histories of estimators that iterate."""

import numpy as np
import pytest
from matplotlib import pyplot

from partita import (
    BCE,
    EAC,
    KCC,
    NBCE,
    PCC,
    PEACE,
    ConsensusClustering,
    InformationBottleneck,
    LabelKMeans,
    MultinomialMixture,
)
from partita.consensus._methods import METHODS
from partita.dirichlet_process import DPMeans
from partita.plotting import ConvergenceDisplay
from partita.plotting._convergence import _HAVE_ONE
from partita.results import ConsensusResult
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


@pytest.fixture
def X():
    return noisy_ensemble((20, 15, 10), 10).X


def test_path_is_the_history(X):
    model = BCE(3, random_state=0).fit(X)
    (path,) = ConvergenceDisplay.from_estimator(model, name="mine").paths
    assert path.values.tolist() == model.history_
    assert (path.name, path.n_iter, path.converged) == ("mine", model.n_iter_, model.converged_)
    (same,) = ConvergenceDisplay.from_result(ConsensusResult.from_estimator(model)).paths
    assert same.values.tolist() == model.history_
    assert same.name == "bce"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BCE(3, random_state=0), "lower bound of the log-likelihood (rises)"),
        (lambda: MultinomialMixture(3, random_state=0), "log-likelihood (rises)"),
        (lambda: PCC(3, random_state=0), "objective (falls)"),
        (lambda: KCC(3, random_state=0), "objective (falls)"),
        (lambda: InformationBottleneck(3, random_state=0), "objective (rises)"),
        (
            lambda: BCE(3, inference="gibbs", n_sweeps=50, random_state=0),
            "log-probability of labels and clusters (sampled)",
        ),
        (lambda: NBCE("vb", random_state=0), "lower bound of the log-likelihood (rises)"),
        (lambda: NBCE("cvb", random_state=0), "lower bound of the log-likelihood (may fall)"),
    ],
)
def test_quantity_and_its_direction_are_named(X, make, words):
    (path,) = ConvergenceDisplay.from_estimator(make().fit(X)).paths
    assert path.quantity == words
    if "(rises)" in words:
        assert (np.diff(path.values) >= -1e-9).all()
    if "(falls)" in words:
        assert (np.diff(path.values) <= 1e-9).all()


def test_only_what_can_be_compared_shares_a_panel(X):
    models = {
        "three": BCE(3, random_state=0).fit(X),
        "four": BCE(4, random_state=0).fit(X),
        "smooth": BCE(3, smoothing=0.5, random_state=0).fit(X),
        "fewer objects": BCE(3, random_state=0).fit(X[:30]),
        "pcc": PCC(3, random_state=0).fit(X),
        "peace": PEACE(3, random_state=0).fit(X),
        "l2": PCC(3, divergence="l2", random_state=0).fit(X),
    }
    panels = [[path.name for path in panel] for panel in ConvergenceDisplay.from_estimators(models).panels]
    assert panels == [["three", "four"], ["smooth"], ["fewer objects"], ["pcc", "peace"], ["l2"]]


def test_equal_names_are_numbered(X):
    models = [BCE(2, random_state=0).fit(X), LabelKMeans(2, random_state=0).fit(X), BCE(3, random_state=0).fit(X)]
    assert [path.name for path in ConvergenceDisplay.from_estimators(models).paths] == [
        "bce 1",
        "label-kmeans",
        "bce 2",
    ]


def test_methods_are_fitted_to_labels(X):
    display = ConvergenceDisplay.from_labels(X, ["mm", "qmi"], n_clusters=3, random_state=1)
    expected = MultinomialMixture(3, random_state=1).fit(X)
    assert display.paths[0].values.tolist() == expected.history_
    assert [path.name for path in display.paths] == ["mm", "qmi"]


def test_features_are_possible_too(rng):
    F = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 6])
    clustering = ConsensusClustering(consensus=BCE(2, random_state=0), random_state=0).fit(F)
    assert ConvergenceDisplay.from_estimator(clustering).paths[0].values.tolist() == clustering.consensus_.history_
    means = DPMeans(20.0, random_state=0).fit(F)
    assert ConvergenceDisplay.from_estimator(means).paths[0].quantity == "objective (falls)"


def test_list_of_methods_with_a_history_is_right(X):
    """Every method of the table is in the list of the error exactly if a fit of it has history_."""
    listed = set(_HAVE_ONE.replace(" and ", ", ").split(", "))
    import partita

    for row in METHODS.values():
        if row.estimator not in ("GBCE",):  # it needs features beside the labels
            known = getattr(partita, row.estimator)().get_params()
            options = {"n_clusters": 3} if "n_clusters" in known else {}
            fitted = getattr(partita, row.estimator)(
                **options, **({"random_state": 0} if "random_state" in known else {})
            )
            assert hasattr(fitted.fit(X), "history_") == (row.estimator in listed), row.estimator
    assert {"GBCE", "DPMeans", "DPGaussianMixture"} <= listed


@pytest.mark.parametrize("n", [1, 2, 5])
def test_panels_are_legible(X, n):
    display = ConvergenceDisplay.from_labels(X, ["mm", "bce", "qmi", "pcc", "nmf"][:n], n_clusters=3).plot()
    assert_legible(display.figure_)
    lines = [line for ax in [display.ax_, *display.ax_.child_axes] for line in ax.lines]
    assert len(lines) == n
    for line, path in zip(lines, display.paths, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), path.values)
        np.testing.assert_array_equal(line.get_xdata(), 1 + np.arange(len(path.values)))


def test_values_at_some_iterations_only_are_called_so(X):
    display = ConvergenceDisplay.from_estimator(PEACE(3, random_state=0).fit(X)).plot()
    assert len(display.paths[0].values) < display.paths[0].n_iter
    assert "some of the iterations" in display.ax_.get_xlabel()


def test_infinite_objective_is_said(X):
    display = ConvergenceDisplay.from_estimator(PCC(1).fit(X)).plot()
    assert any("finite" in text for text, _ in assert_legible(display.figure_))


def test_given_axes_are_used(X):
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 4), layout="constrained")
    ConvergenceDisplay.from_labels(X, n_clusters=3).plot(axes[0])
    ConvergenceDisplay.from_labels(X, ["mm"], n_clusters=3).plot(axes[1])
    assert_legible(figure)


def test_estimators_without_history_are_refused_with_those_that_have_one(X):
    for call in (
        lambda: ConvergenceDisplay.from_estimator(EAC(3).fit(X)),
        lambda: ConvergenceDisplay.from_labels(X, ["eac"]),
    ):
        with pytest.raises(ValueError, match=r"EAC keeps no history.*PCC, PEACE"):
            call()


def test_wrong_estimators_are_refused(X):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        ConvergenceDisplay.from_estimator(BCE(3))
    with pytest.raises(TypeError, match="no estimator"):
        ConvergenceDisplay.from_estimator("bce")
    with pytest.raises(ValueError, match="at least one"):
        ConvergenceDisplay.from_estimators([])
    with pytest.raises(TypeError, match="pass a list"):
        ConvergenceDisplay.from_estimators(BCE(3))
    with pytest.raises(ValueError, match="no method 'no'"):
        ConvergenceDisplay.from_labels(X, ["no"])
    with pytest.raises(TypeError, match="is no list"):
        ConvergenceDisplay.from_labels(X, "mm")
