"""Reading soft clusterings: what is accepted, what is refused and why."""

import numpy as np
import pytest

from partita import ITK, SoftHBGF, SoftMCLA
from partita.consensus.soft._soft_input import is_soft, read_clusterings, stack_clusterings
from tests.consensus.soft.soft_clusterings import posteriors


def test_matrices_are_soft_and_label_matrices_are_not(X):
    blocks = posteriors()[0]
    for soft in (blocks, tuple(blocks), dict(enumerate(blocks)), [block.tolist() for block in blocks]):
        assert is_soft(soft)
    for labels in (X, X.tolist(), list(X.T), {"a": X[:, 0], "b": X[:, 1]}, []):
        assert not is_soft(labels)


def test_clusterings_are_put_side_by_side_without_those_of_weight_zero():
    a = np.array([[0.3, 0.7], [np.nan, np.nan]])
    b = np.array([[1.0], [1.0]])
    c = np.array([[0.2, 0.2, 0.6], [1, 0, 0]])
    cells = stack_clusterings(read_clusterings([a, b, c]), np.array([2.0, 0.0, 1.0]), np.ones(2))
    assert cells.H.tolist() == [[0.3, 0.7, 0.2, 0.2, 0.6], [0, 0, 1, 0, 0]]
    assert cells.seen.tolist() == [[True, True], [False, True]]
    assert cells.cell_clustering.tolist() == [0, 0, 1, 1, 1]
    assert cells.cell_weights.tolist() == [2, 2, 1, 1, 1]


@pytest.mark.parametrize("method", [SoftHBGF, ITK])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: [b[0], b[1][:-1]], r"clustering 1 has shape \(61, 3\), but clustering 0 has 62 rows"),
        (lambda b: [b[0], b[1][:, :0]], "clustering 1 has shape"),
        (lambda b: [b[0], b[1] * 1.01], "row 0 of clustering 1"),
        (lambda b: [b[0], b[1] + [[-0.5, 0.5, 0]] * 62], "must not be negative"),
        (
            lambda b: [np.where(np.arange(3) == 1, np.nan, b[0]), b[1]],
            "row 0 of clustering 0 is .*may be NaN throughout",
        ),
        (lambda b: [b[0], np.full(b[1].shape, "x")], "clustering 1 must be numbers"),
        (lambda b: [b[0], b[1][:, 0]], "item 1 of X is not a matrix of probabilities"),
        (lambda b: [b[0], [[0.5, 0.5], [1.0]]], "item 1 of X is not a matrix of probabilities"),
        (lambda b: [b[0] * np.nan, b[1] * np.nan], "no object"),
    ],
)
@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_what_is_not_a_soft_clustering_is_refused(method, change, message):
    with pytest.raises(ValueError, match=message):
        method(3).fit(change(posteriors(n_clusterings=2)[0]))


@pytest.mark.parametrize("weights", [[1], [0, 0], [1, -1], [1, np.nan], ["a", 1]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        SoftMCLA(3, weights=weights).fit(posteriors(n_clusterings=2)[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b[:-1], "X has 1 clusterings, but 2 were fitted; pass the same"),
        (lambda b: [b[0], b[1][:, :2] + b[1][:, 2:] / 2], "clustering 1 has 2 clusters, but 3 were fitted"),
        (lambda b: [b[0], b[1] * 2], "row 0 of clustering 1"),
    ],
)
def test_new_objects_of_other_clusterings_are_refused(change, message):
    blocks = posteriors(n_clusterings=2)[0]
    with pytest.raises(ValueError, match=message):
        SoftMCLA(3, random_state=0).fit(blocks).predict(change(blocks))
