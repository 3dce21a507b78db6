"""Damaged files of every format are read or refused, never more."""

import zlib

import numpy as np
import pytest

from partita.io import read_feature_table, read_labels
from tests.io.damage import damaged, read_or_refuse, whole_files

FILES = whole_files()


@pytest.mark.parametrize("name", FILES)
def test_whole_files_are_read(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    table = read_labels(tmp_path / name)
    assert table.labels.shape == (40, 2 if "np" in name else 3)
    assert (table.ids is None) == ("np" in name)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused_by_their_name(tmp_path, name):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    refused = 0
    for _ in range(100):
        (tmp_path / name).write_bytes(damaged(FILES[name], rng))
        refused += read_or_refuse(read_labels, tmp_path / name) is not None
        read_or_refuse(read_feature_table, tmp_path / name)
    assert refused > (5 if name.endswith((".csv", ".npy")) else 30)
