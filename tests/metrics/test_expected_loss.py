"""Expected loss against its definition over pairs and conditional entropies (eqs. V1 to V3), and numbers of salso."""

import pytest

from partita.exceptions import LeftOutWarning
from partita.metrics import expected_loss
from tests.consensus.label_space.fixed_ensembles import E16
from tests.consensus.median.reference import slow_loss

# salso 0.3.35: VI(a = 0.5), binder(a = 0.5) and binder(a = 1) of these partitions
SALSO = [
    ("0000111100022222", "vi", 0.5, 0.8477040),
    ("0000111100022222", "vi", 1.0, 0.8706915),
    ("0000111100022222", "binder", 0.5, 0.1614583),
    ("0011111100022222", "binder", 0.5, 0.1588542),
    ("0000111100022222", "binder", 1.0, 0.171875),
]


@pytest.mark.parametrize(("labels", "loss", "a", "value"), SALSO)
def test_numbers_of_salso(labels, loss, a, value):
    assert expected_loss(E16, list(labels), loss=loss, a=a) == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("loss", ["vi", "binder"])
@pytest.mark.parametrize("a", [0.0, 0.7, 1.0, 2.0])
def test_definition_with_holes_and_weights(loss, a, rng):
    for _ in range(4):
        X, z = rng.integers(-1, 4, size=(15, 5)), rng.integers(3, size=15)
        X[:2] = rng.integers(4, size=(2, 5))
        w, v = rng.integers(0, 4, size=15) + 0.5, rng.random(5) + 0.1
        expected = slow_loss(X, z, loss, a, w, v)
        assert expected_loss(X, z, loss=loss, a=a, weights=v, sample_weight=w) == pytest.approx(expected, abs=1e-12)
        huge = expected_loss(X, z, loss=loss, a=a, weights=v * 1e200, sample_weight=w * 1e-200)
        assert huge == pytest.approx(expected, abs=1e-12)


def test_unlabelled_objects_are_left_out():
    X = {"a": [0, 0, 1, 1, 2], "b": [0, 1, 1, None, 0]}
    with pytest.warns(LeftOutWarning, match="1 of 5 objects have no label in the partition"):
        value = expected_loss(X, [0, 0, 1, 1, -1])
    assert value == pytest.approx(expected_loss({"a": [0, 0, 1, 1], "b": [0, 1, 1, None]}, [0, 0, 1, 1]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "rand"}, "loss='rand' is not known; choose 'vi' or 'binder'"),
        ({"a": 2.5}, "a=2.5 is not allowed; pass a number from 0 to 2"),
        ({"a": True}, "a=True is not allowed"),
        ({"labels": [0, 1]}, "pass one label per object"),
        ({"labels": [-1, -1, 0], "X": [[0, 1, -1]]}, "no object with a weight has both"),
    ],
)
@pytest.mark.filterwarnings("ignore:2 of 3 objects have no label")
def test_wrong_values_are_refused(parameters, message):
    call = {"X": [[0, 0, 1]], "labels": [0, 0, 1], **parameters}
    with pytest.raises(ValueError, match=message):
        expected_loss(call.pop("X"), call.pop("labels"), **call)
