"""numba's cache: an entry that a former version wrote with types that no longer exist is forgotten, not fatal."""

import os
import subprocess
import sys

KERNEL = """
from typing import Any, NamedTuple

from partita._kernels._jit import jit


class {name}(NamedTuple):
    value: Any


@jit
def double(box):
    return 2 * box.value


print(double({name}(3)), len(double.stats.cache_hits))
"""


def run(folder, name):
    (folder / "kernel.py").write_text(KERNEL.format(name=name))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", "import kernel"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_a_renamed_argument_type_does_not_break_the_cache(tmp_path):
    assert run(tmp_path, "Box") == ["6", "0"]
    assert run(tmp_path, "Box") == ["6", "1"]  # from the cache
    assert run(tmp_path, "Crate") == ["6", "0"]  # compiled anew; without the guard an AttributeError
    assert run(tmp_path, "Crate") == ["6", "1"]
