"""Frozen ensembles: canonical codes, hashes that tell them apart, files that are whole or refused."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from partita.exceptions import FileFormatError
from partita.experiments import check_same_ensembles, ensemble_hash, freeze, half_of, load_frozen, save_frozen

LABELS = np.array([[5, 1], [5, -1], [2, 0], [7, 0]])
TRUTH = ["b", "b", None, "a"]


def frozen(labels=LABELS, truth=TRUTH, **options):
    return freeze(labels, truth, **{"data": "toy", "recipe": "by-hand", "seed": 3, **options})


def test_codes_are_numbered_by_first_appearance():
    made = frozen(options={"k": (2, 5)}, preparation="none")
    assert made.labels.tolist() == [[0, 0], [0, -1], [1, 1], [2, 1]]
    assert made.truth.tolist() == [0, 0, -1, 1]
    assert made.labels.dtype == made.truth.dtype == np.int32
    assert made.n_classes == 2
    about = made.about
    assert (about["data"], about["recipe"], about["seed"], about["half"]) == ("toy", "by-hand", 3, half_of("toy"))
    assert about["versions"]["numpy"] == np.__version__


def test_the_hash_is_that_of_the_partitions():
    base = frozen()
    renamed = np.array([[0, 8], [0, -1], [9, 3], [4, 3]])
    assert frozen(renamed, ["x", "x", None, "y"]).hash == base.hash
    assert frozen(seed=4, preparation="other words").hash == base.hash
    moved = LABELS.copy()
    moved[2, 0] = 5
    others = [frozen(moved), frozen(truth=["b", "b", "a", "a"]), frozen(LABELS[:, ::-1]), frozen(LABELS[:, :1])]
    assert len({base.hash, *(other.hash for other in others)}) == 5


def test_the_hash_is_sha256_of_shape_and_codes():
    made = frozen()
    content = b"4 x 2\n" + made.labels.astype("<i4").tobytes() + made.truth.astype("<i4").tobytes()
    assert made.hash == hashlib.sha256(content).hexdigest()[:12]
    assert made.hash == ensemble_hash(np.asfortranarray(made.labels.astype(np.int64)), made.truth)


def test_files_come_back_as_they_were(tmp_path):
    made = frozen(options={"n_clusters": (2, 20)})
    path = save_frozen(made, tmp_path)
    assert path.name == f"toy.by-hand.{made.hash}.npz"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    back = load_frozen(path)
    np.testing.assert_array_equal(back.labels, made.labels)
    np.testing.assert_array_equal(back.truth, made.truth)
    assert back.hash == made.hash
    assert back.about == json.loads(json.dumps(made.about))


def test_changed_content_is_refused(tmp_path):
    path = save_frozen(frozen(), tmp_path)
    with np.load(path) as stored:
        parts = dict(stored)
    parts["truth"][0] = 1
    with path.open("wb") as file:
        np.savez_compressed(file, **parts)
    with pytest.raises(FileFormatError, match="labels or classes were changed"):
        load_frozen(path)


def test_a_renamed_file_is_refused(tmp_path):
    path = save_frozen(frozen(), tmp_path)
    renamed = path.rename(path.with_name(path.name.replace("toy", "iris")))
    with pytest.raises(FileFormatError, match="renamed"):
        load_frozen(renamed)


@pytest.mark.parametrize("damage", [lambda old: old[: len(old) // 2], lambda old: b"", lambda old: b"text"])
def test_damaged_files_are_refused(tmp_path, damage):
    path = save_frozen(frozen(), tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FileFormatError, match="make it again"):
        load_frozen(path)


def test_other_npz_files_are_refused(tmp_path):
    np.savez(tmp_path / "a.b.c.npz", labels=LABELS)
    with pytest.raises(FileFormatError, match="not a frozen ensemble"):
        load_frozen(tmp_path / "a.b.c.npz")
    with pytest.raises(FileNotFoundError):
        load_frozen(tmp_path / "nowhere.npz")


@pytest.mark.parametrize("wrong", [{"data": "a.b"}, {"recipe": "a/b"}, {"data": ""}, {"truth": ["a", "b"]}])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        frozen(**wrong)


def test_results_of_different_ensembles_are_not_compared():
    check_same_ensembles({"wine.a": "1", "iris.a": "2"}, {"wine.a": "1", "glass.a": "3"})
    with pytest.raises(ValueError, match=r"wine\.a come from different ensembles \(1 and 2\)"):
        check_same_ensembles({"wine.a": "1"}, {"wine.a": "2"})


def test_halves_go_by_the_md5_of_the_name():
    for name in ("wine", "Iris", "sipu_r15"):
        last = hashlib.md5(name.lower().encode()).digest()[-1]
        assert half_of(name) == ["development", "test"][last % 2]
    assert {half_of(f"{number}") for number in range(20)} == {"development", "test"}


def test_names_are_paths_of_one_folder(tmp_path):
    assert Path(save_frozen(frozen(), tmp_path)).parent == tmp_path
