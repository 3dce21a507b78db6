"""The agreement display: against scikit-learn, and its pictures against overlap."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partita import combine
from partita.plotting import AgreementDisplay
from tests.ensembles import noisy_ensemble
from tests.plotting.cases import RESULTS, result_of
from tests.plotting.overlap import assert_legible


@pytest.mark.parametrize("order", ["similarity", "given"])
@pytest.mark.parametrize("measure", ["adjusted_rand", "nmi"])
def test_agreement_is_that_of_scikit_learn_with_the_consensus_first(X, measure, order):
    score = adjusted_rand_score if measure == "adjusted_rand" else _geometric_nmi
    result = combine(X, n_clusters=3, random_state=0)
    display = AgreementDisplay.from_result(result, measure=measure, order=order)
    columns = [result.labels, *(X[:, place] for place in display.order)]
    for i, first in enumerate(columns):
        for j, second in enumerate(columns):
            both = (first >= 0) & (second >= 0)
            assert display.agreement[i, j] == pytest.approx(score(first[both], second[both]))
    assert sorted(display.order.tolist()) == list(range(X.shape[1]))


def _geometric_nmi(a, b):
    return normalized_mutual_info_score(a, b, average_method="geometric")


def test_objects_count_and_not_their_weights(X):
    weight = np.random.default_rng(0).integers(0, 5, len(X))
    result = combine(X, n_clusters=3, sample_weight=weight, random_state=0)
    display = AgreementDisplay.from_result(result, order="given")
    both = (X[:, 0] >= 0) & (X[:, 1] >= 0)
    assert display.agreement[1, 2] == pytest.approx(adjusted_rand_score(X[both, 0], X[both, 1]))


def test_similar_clusterings_stand_side_by_side(rng):
    one, other = rng.integers(0, 3, (2, 60))
    X = np.column_stack([one, other, one, other])
    display = AgreementDisplay.from_labels(X, one)
    assert sorted(display.order[:2].tolist()) == [0, 2]  # they agree with the partition
    assert sorted(display.order[2:].tolist()) == [1, 3]


def test_names_follow_the_order():
    X = pd.DataFrame(noisy_ensemble(n_clusterings=5).X, columns=list("vwxyz"))
    display = AgreementDisplay.from_labels(X, n_clusters=3)
    assert list(display.names) == ["vwxyz"[place] for place in display.order]


def test_clusterings_without_common_objects_are_unknown():
    X = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]])
    display = AgreementDisplay.from_labels(X, [0, 1, 0, 1])
    assert np.isnan(display.agreement[1, 2])
    words = [text for text, _ in assert_legible(display.plot().figure_)]
    assert "no object in common" in words


def test_unknown_options_are_refused(X, truth):
    with pytest.raises(ValueError, match="measure='rand' is not known"):
        AgreementDisplay.from_labels(X, truth, measure="rand")
    with pytest.raises(ValueError, match="order='size' is not known"):
        AgreementDisplay.from_labels(X, truth, order="size")


@pytest.mark.parametrize("name", RESULTS)
def test_pictures_are_legible(name):
    display = AgreementDisplay.from_result(result_of(name)).plot()
    assert_legible(display.figure_)
    assert all(image.get_rasterized() for image in display.ax_.images)


def test_numbers_are_written_where_they_have_room(X, truth):
    few = AgreementDisplay.from_labels(X[:, :5], truth, order="given").plot()
    words = [text for text, _ in assert_legible(few.figure_)]
    assert f"{few.agreement[1, 2]:.2f}" in words
    many = AgreementDisplay.from_labels(X, truth, order="given").plot()
    assert f"{many.agreement[1, 2]:.2f}" not in [text for text, _ in assert_legible(many.figure_)]


@pytest.mark.parametrize("n_clusterings", [5, 12, 40, 60])
def test_given_axes_and_long_names_are_legible(n_clusterings):
    from matplotlib import pyplot

    made = noisy_ensemble(n_clusterings=n_clusterings)
    names = [f"method {m} with a $long$ name" for m in range(n_clusterings)]
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    X = pd.DataFrame(made.X, columns=names)
    display = AgreementDisplay.from_labels(X, made.truth).plot(axes[1])
    assert display.ax_ is axes[1]
    assert_legible(figure)
