"""numba's cache: what cannot be read is forgotten, what cannot be written is compiled each time, with one warning."""

import os
import subprocess
import sys

import pytest

KERNEL = """
from typing import Any, NamedTuple

from partita._kernels._jit import jit


class {name}(NamedTuple):
    value: Any


@jit
def double(box):
    return 2 * box.value


@jit
def triple(box):
    return 3 * box.value


print(double({name}(3)), triple({name}(3)), len(double.stats.cache_hits))
"""


def run(folder, name, *, before="", warned="", **environment):
    file, text = folder / "kernel.py", KERNEL.format(name=name)
    if not file.exists() or file.read_text() != text:  # older versions of numba go by the time of the last change
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", f"{before}import kernel"],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if not warned:
        assert done.stderr == ""
    assert done.stderr.count("KernelCacheWarning") == done.stderr.count("NUMBA_CACHE_DIR") == bool(warned)
    assert warned in done.stderr
    return done.stdout.split()


def test_a_renamed_argument_type_does_not_break_the_cache(tmp_path):
    assert run(tmp_path, "Box") == ["6", "9", "0"]
    assert run(tmp_path, "Box") == ["6", "9", "1"]  # from the cache
    assert run(tmp_path, "Crate") == ["6", "9", "0"]  # compiled anew; without the guard an AttributeError
    assert run(tmp_path, "Crate") == ["6", "9", "1"]


def test_a_damaged_cache_is_forgotten(tmp_path):
    run(tmp_path, "Box")
    for file in (tmp_path / "cache").rglob("*.nbi"):
        file.write_bytes(file.read_bytes()[:-20])
    assert run(tmp_path, "Box") == ["6", "9", "0"]
    assert run(tmp_path, "Box") == ["6", "9", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_full_disk_is_survived_with_one_warning(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    assert run(tmp_path, "Box", before=full, warned="cannot be written (File too large)") == ["6", "9", "0"]
    assert run(tmp_path, "Box") == ["6", "9", "0"]  # with room again
    assert run(tmp_path, "Box") == ["6", "9", "1"]


def test_a_damaged_cache_on_a_full_disk_is_survived(tmp_path):
    """The types of the entry are gone, and the entry cannot be removed."""
    run(tmp_path, "Box")
    no_space = "import errno; from numba.core import caching\n"
    no_space += "def fail(*_): raise OSError(errno.ENOSPC, 'No space left on device')\n"
    no_space += "caching.IndexDataCacheFile._open_for_write = fail\n"
    assert run(tmp_path, "Crate", before=no_space, warned="No space left on device") == ["6", "9", "0"]


def test_no_folder_to_write_to_is_survived_with_one_warning(tmp_path):
    """Folders cannot be made where a file is, not even by an administrator."""
    blocked = tmp_path / "__pycache__"
    blocked.write_text("a file")
    nowhere = str(blocked / "below")
    places = {"NUMBA_CACHE_DIR": nowhere, "HOME": nowhere, "XDG_CACHE_HOME": nowhere, "LOCALAPPDATA": nowhere}
    assert run(tmp_path, "Box", warned="neither the folder", **places) == ["6", "9", "0"]
    assert run(tmp_path, "Box", PARTITA_NUMBA_CACHE="0", **places) == ["6", "9", "0"]
