"""CDF of the co-association over the number of clusters: as choose_n_clusters computes it, and legible."""

import numpy as np
import pytest

from partita import EAC, choose_n_clusters, combine
from partita.plotting import ConsensusCDFDisplay
from tests.ensembles import noisy_ensemble
from tests.plotting.cases import RESULTS, result_of
from tests.plotting.overlap import assert_legible


@pytest.fixture(scope="module")
def choice():
    return choose_n_clusters(noisy_ensemble().X, (2, 5), n_resamples=6, max_objects=50, random_state=3)


def test_values_are_those_of_choose_n_clusters(choice, X):
    display = ConsensusCDFDisplay.from_labels(X, (2, 5), n_resamples=6, max_objects=50, random_state=3)
    assert display.numbers == [2, 3, 4, 5]
    np.testing.assert_array_equal(display.cdf, choice.cdf.to_numpy().T)
    np.testing.assert_array_equal(display.grid, choice.cdf.index)
    for name, column in {"pac": "pac", "area": "cdf_area", "delta_area": "delta_area"}.items():
        np.testing.assert_array_equal(getattr(display, name), choice.table[column])
    assert display.note == "6 samples combined by EAC with Ward linkage; a sample of 50 of 62 objects"
    assert display.chosen is None


def test_a_choice_is_shown_as_it_is(choice):
    display = ConsensusCDFDisplay.from_choice(choice)
    assert display.chosen == choice.n_clusters == 3
    np.testing.assert_array_equal(display.cdf[1], choice.cdf[3])
    np.testing.assert_array_equal(display.pac, choice.table["pac"])
    np.testing.assert_allclose(display.area[:1], display.delta_area[:1])
    assert_legible(display.plot().figure_)


def test_the_area_is_that_under_the_curve(X):
    display = ConsensusCDFDisplay.from_labels(X, [2, 3], n_resamples=5)
    steps = (display.cdf[:, :-1] * np.diff(display.grid)).sum(axis=1)
    np.testing.assert_allclose(display.area, steps, atol=0.02)
    assert display.delta_area[1] == pytest.approx(display.area[1] / display.area[0] - 1)


def test_threads_do_not_change_the_values(X):
    one, two = (ConsensusCDFDisplay.from_labels(X, [2, 3], n_resamples=4, n_jobs=jobs).cdf for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_the_number_of_the_result_is_marked_and_reached(X):
    display = ConsensusCDFDisplay.from_result(combine(X, n_clusters=12, random_state=0), n_resamples=3)
    assert display.chosen == 12
    assert display.numbers == list(range(2, 15))


def test_an_estimator_and_another_consensus(X):
    display = ConsensusCDFDisplay.from_estimator(
        EAC(3).fit(X), [3, 4], consensus=EAC(linkage="complete"), n_resamples=3
    )
    assert display.numbers == [3, 4]
    assert display.note == "3 samples combined by EAC"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": (2, 60)}, "from 2 to 48"),
        ({"numbers": [1]}, "numbers="),
        ({"n_resamples": 1}, "n_resamples=1 is too few"),
        ({"max_objects": 0}, "max_objects=0"),
    ],
)
def test_wrong_values_are_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        ConsensusCDFDisplay.from_labels(X, **options)


def test_only_a_choice_is_a_choice():
    with pytest.raises(TypeError, match="choose_n_clusters"):
        ConsensusCDFDisplay.from_choice({"n_clusters": 3})


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_are_legible(name):
    display = ConsensusCDFDisplay.from_result(result_of(name), n_resamples=3, max_objects=300).plot()
    words = " ".join(text for text, _ in assert_legible(display.figure_))
    assert ("a sample of 300 of 100,000 objects" in words) == (name == "100,000 objects")
    assert ("the result has 1 cluster" in words) == (name == "1 cluster")


def test_given_axes_are_used(X):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 3.5), layout="constrained")
    display = ConsensusCDFDisplay.from_labels(X, [2, 4], n_resamples=3).plot(axes[0])
    ConsensusCDFDisplay.from_labels(X, n_resamples=3).plot(axes[1])
    assert display.ax_ is axes[0]
    assert_legible(figure)
