"""The time of compilation is known, and asking for it does not load numba."""

import os
import subprocess
import sys

CODE = """
import sys
from partita._kernels._compile_time import compile_seconds
print(compile_seconds() == 0, "numba" in sys.modules)
from kernel import double
print(compile_seconds() == 0)
print(double(3.0), compile_seconds() > 0)
once = compile_seconds()
print(double(4.0), compile_seconds() == once)
"""
KERNEL = """
from partita._kernels._jit import jit

@jit
def twice(x):
    return x + x

@jit
def double(x):
    return twice(x)
"""


def test_compilations_are_counted_once_and_only_when_they_happen(tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False", "True", "6.0", "True", "8.0", "True"]
