"""NPY and NPZ files: plain arrays are read, nothing is unpickled."""

import zipfile

import numpy as np
import pytest

from partita.exceptions import FileContentWarning, FileFormatError
from partita.io import read_labels


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle was loaded')",)


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_pickles_are_never_loaded(tmp_path, name):
    array = np.array([[Bomb(), 1]], dtype=object)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", labels=array)
    with pytest.raises(FileFormatError, match="does not hold plain number or string arrays"):
        read_labels(tmp_path / name)


@pytest.mark.parametrize("member", ["labels.npy", "labels.txt", "labels"])
def test_text_in_an_archive_is_refused(tmp_path, member):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr(member, "a,b\n1,2\n")
    with pytest.raises(FileFormatError, match=r"'a.npz' must hold one 2-D array.*it holds labels.*no array"):
        read_labels(tmp_path / "a.npz")


@pytest.mark.parametrize("array", [np.eye(2) + 1j, np.array([["2020-01-01"]], dtype="M8[D]")])
def test_other_kinds_of_values_are_refused(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(FileFormatError, match="holds values of the type"):
        read_labels(tmp_path / "a.npy")


def test_text_is_read_as_in_other_files(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[b"x", b"?"], [b"y", b"x"]]))
    with pytest.warns(FileContentWarning, match="'c1': 1 of '[?]'"):
        assert read_labels(tmp_path / "a.npy").labels["c0"].tolist() == ["x", "y"]


@pytest.mark.parametrize("code", [0xD800, 0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("dtype", ["<U2", ">U2"])
def test_codes_of_no_character_are_damage(code, dtype, tmp_path):
    array = np.array([["a", "é"], ["\U0010ffff", ""]], dtype=dtype)
    np.save(tmp_path / "a.npy", array)
    assert read_labels(tmp_path / "a.npy").labels.shape == (2, 2)
    array.view(dtype.replace("U2", "u4"))[1, 0] = code
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(FileFormatError, match=r"'a\.npy' is damaged: it holds numbers that stand for no character"):
        read_labels(tmp_path / "a.npy")
