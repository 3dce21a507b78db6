"""Whether a kernel is ready is known without loading anything."""

import subprocess
import sys

from partita._kernels._ready import is_ready

CODE = """
import sys
from partita._kernels._ready import is_ready
print(is_ready("linkage", "merge_tree"), "numba" in sys.modules)
import partita._kernels.linkage
print(is_ready("linkage", "merge_tree"))
"""


def test_kernels_are_not_ready_before_they_are_used():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]


def test_kernels_are_ready_once_they_are_compiled():
    assert is_ready("linkage", "merge_tree")  # all tests begin with warm_up
    assert not is_ready("linkage", "no_such_kernel")
    assert not is_ready("no_such_module", "merge_tree")
