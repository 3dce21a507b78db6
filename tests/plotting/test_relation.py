"""Graph of the relations of clusters."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.patches import Circle, FancyArrowPatch

from partita import PCC
from partita.metrics import relation_matrix
from partita.plotting import RelationDisplay
from partita.results import ConsensusResult
from tests.ensembles import noisy_ensemble
from tests.plotting.overlap import assert_legible


def _memberships(n, k, alpha=0.2, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(k, alpha), n)


def _nodes(display):
    return [patch for patch in display.ax_.patches if isinstance(patch, Circle)]


def test_edges_are_the_relations_from_the_threshold_on():
    Y = _memberships(200, 5)
    M = relation_matrix(Y)
    display = RelationDisplay.from_membership(Y, threshold=0.08)
    expected = {(k, m): M[k, m] for k in range(5) for m in range(5) if k != m and M[k, m] >= 0.08}
    assert 0 < len(expected) < 20
    assert {(edge.source, edge.target): edge.weight for edge in display.edges} == expected
    weights = [edge.weight for edge in display.edges]
    assert weights == sorted(weights, reverse=True)


def test_result_leaves_out_objects_without_a_cluster():
    X = noisy_ensemble(flip=0.3).X.copy()
    X[:5] = -1
    with pytest.warns(UserWarning, match="5 of"):
        fitted = PCC(3, random_state=0).fit(X)
    result = ConsensusResult.from_estimator(fitted)
    display = RelationDisplay.from_result(result)
    np.testing.assert_allclose(display.relations, relation_matrix(fitted.membership_[5:]))
    assert display.sizes[:3].tolist() == result.clusters["size"].tolist()


def test_clusters_without_mass_and_isolated_ones_are_drawn():
    Y = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0.4, 0.6, 0]])
    display = RelationDisplay.from_membership(Y).plot()
    assert np.isnan(display.relations[3]).all()
    assert display.sizes.tolist() == [1, 1, 1, 0]
    assert len(_nodes(display)) == 4
    assert {(edge.source, edge.target) for edge in display.edges} == {(1, 2), (2, 1)}
    assert_legible(display.figure_)


def test_related_clusters_are_neighbours():
    order = np.random.default_rng(3).permutation(8)
    Y = np.zeros((80, 8))  # a chain: each cluster shares objects with the next one
    for place in range(7):
        Y[10 * place : 10 * place + 10, order[place]] = 0.6
        Y[10 * place : 10 * place + 10, order[place + 1]] = 0.4
    Y[70:, order[7]] = 1.0
    display = RelationDisplay.from_membership(Y)
    angles = np.arctan2(*display.positions.T)
    steps = np.abs(np.angle(np.exp(1j * np.diff(angles[order]))))
    np.testing.assert_allclose(steps, 2 * np.pi / 8, atol=1e-9)
    np.testing.assert_allclose(np.hypot(*display.positions.T), 1.0)


def test_areas_follow_sizes_and_nodes_do_not_touch():
    sizes = np.array([100, 64, 49, 81, 100, 36])
    display = RelationDisplay(np.eye(6), sizes).plot()
    radii = np.array([node.radius for node in _nodes(display)])
    np.testing.assert_allclose((radii / radii[0]) ** 2, sizes / 100)
    apart = np.linalg.norm(display.positions[:, None] - display.positions[None], axis=2)
    between = radii[:, None] + radii[None]
    assert (apart > between)[~np.eye(6, dtype=bool)].all()


def test_both_directions_are_arrows_with_their_own_numbers():
    display = RelationDisplay.from_membership([[1, 0], [1, 0], [1, 0], [0.5, 0.5]]).plot()
    arrows = [patch for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 2
    words = [text for text, _ in assert_legible(display.figure_)]
    assert {f"{edge.weight:.2f}" for edge in display.edges} <= set(words)
    assert display.edges[0].weight > display.edges[1].weight
    assert arrows[0].get_linewidth() > arrows[1].get_linewidth()


@pytest.mark.parametrize("k", [1, 2, 3, 8, 12, 25, 40])
def test_every_number_of_clusters_is_legible(k):
    display = RelationDisplay.from_membership(_memberships(60 * k, k, 1.2 / k)).plot()
    assert len(_nodes(display)) == k
    assert_legible(display.figure_)


@pytest.mark.parametrize("k", [2, 6, 8])
def test_names_and_images_are_legible(k):
    names = [f"a $name_{{{i}}} that is far too long to be written" for i in range(k)]
    images = [np.full((8, 6), i) for i in range(k)]
    Y = _memberships(50 * k, k, 1.2 / k)
    both = RelationDisplay.from_membership(Y, names=names, images=images).plot()
    assert len(both.ax_.images) == k
    assert_legible(both.figure_)
    assert_legible(RelationDisplay.from_membership(Y, images=images).plot().figure_)


def test_many_long_names_are_written_along_the_rays():
    """Boxes of slanted texts overlap although the texts do not: lines must be farther apart than they are high."""
    names = [f"the name of cluster {i}" for i in range(25)]
    display = RelationDisplay(np.eye(25), np.arange(1, 26), names=names).plot()
    display.figure_.canvas.draw()
    texts = [text for text in display.ax_.texts if text.get_text().startswith("the name")]
    places = display.ax_.transData.transform([text.get_position() for text in texts])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(25)
    assert apart.min() > 1.5 * texts[0].get_fontsize() * display.figure_.dpi / 72
    middle, page = display.ax_.transData.transform((0, 0)), display.figure_.bbox
    for text, place in zip(texts, places, strict=True):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert (np.array([box.x0 + box.x1, box.y0 + box.y1]) / 2 - place) @ (place - middle) > 0  # away from the middle


def test_images_keep_their_shape_inside_the_nodes():
    display = RelationDisplay.from_membership(_memberships(50, 3), images=[np.zeros((10, 5))] * 3).plot()
    for image, node in zip(display.ax_.images, _nodes(display), strict=True):
        left, right, bottom, top = image.get_extent()
        assert (top - bottom) / (right - left) == pytest.approx(2.0)
        corner = np.hypot((right - left) / 2, (top - bottom) / 2)
        assert corner < node.radius


def test_given_axes_are_used():
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    RelationDisplay.from_membership(_memberships(100, 25, 0.05)).plot(axes[0])
    RelationDisplay.from_membership(_memberships(100, 4)).plot(axes[1])
    assert_legible(figure)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 1.0}, r"must be in \[0, 1\)"),
        ({"threshold": "low"}, r"must be in \[0, 1\)"),
        ({"names": ["a"]}, "names has 1 entries; pass one per cluster, 2"),
        ({"images": [1, 2, 3]}, "images has 3 entries"),
        ({"sizes": [1.0, -1.0]}, "0 or more"),
        ({"sizes": [1.0]}, "sizes has 1 entries"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        RelationDisplay.from_membership([[1.0, 0.0], [0.5, 0.5]], **options)
