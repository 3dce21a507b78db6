"""What all displays share."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from partita import EAC, combine, plotting
from partita.exceptions import MissingExtraError
from partita.plotting import MembershipDisplay, UncertaintyDisplay
from partita.plotting._display import Display, ResultDisplay, draw_objects, say, set_title, shorten, split
from partita.plotting._fitting import caption, fit_in, legend_beside, step_that_fits
from partita.results import ConsensusResult
from tests.plotting.overlap import assert_legible


class _Empty(Display):
    def plot(self, ax=None):
        self._begin(ax, (3.0, 2.0))
        return self


def test_plot_makes_a_figure_or_uses_the_given_axes():
    made = _Empty().plot()
    assert made.ax_.figure is made.figure_
    assert made.figure_.get_size_inches().tolist() == [3.0, 2.0]
    _, ax = pyplot.subplots()
    given = _Empty().plot(ax)
    assert given.ax_ is ax
    assert given.figure_ is ax.figure


def test_without_matplotlib_the_data_are_computed_and_drawing_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "import numpy as np\n"
        "from partita import BCE, plotting\n"
        "from partita.results import ConsensusResult\n"
        "X = np.repeat([[0, 0, 1], [1, 1, 0], [0, 1, 1]], 5, axis=0)\n"
        "result = ConsensusResult.from_estimator(BCE(2, random_state=0).fit(X))\n"
        "names = ('Membership', 'Uncertainty', 'Relation', 'Scatter', 'Convergence')\n"
        "made = [getattr(plotting, name + 'Display').from_result(result) for name in names]\n"
        "made.append(plotting.RankDisplay.from_scores({'a': [1, 2], 'b': [2, 1]}))\n"
        "made.append(plotting.CurveDisplay.from_table({'x': [1, 2], 'y': [2, 1]}, x='x', y='y'))\n"
        "for display in made:\n"
        "    try:\n        display.plot()\n"
        "    except ImportError as error:\n        print(type(error).__name__, 'partita[plot]' in str(error))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [f"{MissingExtraError.__name__} True"] * 7


def test_the_three_ways_to_a_display_agree(X):
    estimator = EAC(3).fit(X)
    by_estimator = UncertaintyDisplay.from_estimator(estimator)
    by_result = UncertaintyDisplay.from_result(ConsensusResult.from_estimator(estimator))
    by_labels = UncertaintyDisplay.from_labels(X, method="eac", n_clusters=3)
    given = UncertaintyDisplay.from_labels(X, estimator.labels_)
    for other in (by_result, by_labels, given):
        assert other.sizes.tolist() == by_estimator.sizes.tolist()
        np.testing.assert_allclose(np.concatenate(other.profiles), np.concatenate(by_estimator.profiles))


def test_from_labels_combines_as_combine_does(X):
    display = MembershipDisplay.from_labels(X, n_clusters=3)
    result = combine(X, n_clusters=3, random_state=0)
    np.testing.assert_array_equal(display.labels, result.labels[display.order])


def test_a_base_class_says_what_is_missing():
    with pytest.raises(NotImplementedError, match="ResultDisplay must implement from_result"):
        ResultDisplay.from_result(None)


# ------------------------------------------------------------------------------------------------------------- samples
def test_a_sample_has_every_cluster_and_says_so():
    labels = np.repeat([0, 1, -1], [9000, 20, 5])
    chosen, note = draw_objects(labels, 100)
    assert len(chosen) == 100
    assert set(labels[chosen]) == {0, 1, -1}
    assert note == "a sample of 100 of 9,025 objects, by cluster"


@pytest.mark.parametrize("limit", [None, 5, 6])
def test_all_objects_have_no_note(limit):
    chosen, note = draw_objects(np.array([1, 0, 0, 1, -1]), limit)
    assert chosen.tolist() == [0, 1, 2, 3, 4]
    assert note == ""


@pytest.mark.parametrize("limit", [0, -1, 2.5, "all"])
def test_a_wrong_limit_is_refused(limit):
    with pytest.raises(ValueError, match="pass a whole number from 1, or None"):
        draw_objects(np.zeros(3, dtype=int), limit)


# --------------------------------------------------------------------------------------------------------------- words
def test_names_are_cut_and_dollars_are_no_formulas():
    assert shorten("a  b\nc") == "a b c"
    assert shorten("kmeans with 7 clusters, seed 12", 12) == "kmeans…ed 12"
    _, ax = pyplot.subplots()
    ax.set_title(shorten("$\\frac{$"))
    ax.figure.canvas.draw()  # a broken formula would raise


def test_title_and_wrapped_notes_do_not_overlap():
    figure, ax = pyplot.subplots(figsize=(3, 2), layout="constrained")
    caption(ax, "Title", ["a note of many words that does not fit into one line", "", "and another one"])
    texts = dict(assert_legible(figure))
    assert any("\n" in words and "; and" in words.replace("\n", " ") for words in texts)
    ax.clear()
    set_title(ax, "Title", "one line")
    assert_legible(figure)


def test_empty_axes_say_why():
    _, ax = pyplot.subplots()
    say(ax, "nothing")
    assert [text.get_text() for text in ax.texts] == ["nothing"]
    assert not ax.axison


def test_axes_are_split_by_shares():
    _, ax = pyplot.subplots()
    left, right = split(ax, [(0, 0, 0.5, 1), (0.5, 0, 0.5, 1)])
    whole = ax.get_window_extent()
    assert left.get_window_extent().width == pytest.approx(whole.width / 2)
    assert right.get_window_extent().x0 == pytest.approx(whole.x0 + whole.width / 2)


# ---------------------------------------------------------------------------------------------------------- what fits
@pytest.mark.parametrize(
    ("n", "room", "each", "step"), [(10, 100, 10, 1), (11, 100, 10, 2), (25, 100, 10, 3), (3, 0, 9, 27)]
)
def test_labels_are_thinned_out_to_their_room(n, room, each, step):
    assert step_that_fits(n, room, each) == step


def test_boxes_that_touch_do_not_fit():
    from matplotlib.transforms import Bbox

    box = Bbox([[0, 0], [10, 10]])
    assert not fit_in(Bbox([[9, 9], [20, 20]]), [box])
    assert fit_in(Bbox([[12, 0], [20, 10]]), [box])


def test_a_long_legend_has_several_columns_inside_the_figure():
    figure, ax = pyplot.subplots(figsize=(6, 3), layout="constrained")
    lines = [ax.plot([0, 1], [k, k], label=f"_{k}")[0] for k in range(30)]
    legend_beside(ax, lines)
    words = [text for text, _ in assert_legible(figure)]
    assert sum(text.startswith(" _") for text in words) == 30


def test_all_names_of_the_room_are_there():
    for name in plotting.__all__:
        assert issubclass(getattr(plotting, name), Display)


def test_an_index_names_the_objects(X):
    frame = pd.DataFrame(X[:20], index=[f"id {i}" for i in range(20)])
    display = MembershipDisplay.from_labels(frame, np.arange(20) % 2)
    assert display.ids == [f"id {i}" for i in display.order]
