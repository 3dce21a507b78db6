"""Whether a kernel is ready, asked without loading numba.

Small problems have NumPy twins of some kernels, which give the same bits. A twin is used where compiling the kernel, or
only loading numba (about a second), would take longer than the whole problem; a kernel that is ready is always faster.
"""

import sys


def is_ready(module: str, kernel: str) -> bool:
    """Whether a kernel has been compiled, or read from the cache, in this process."""
    loaded = sys.modules.get(f"partita._kernels.{module}")
    compiled = getattr(loaded, kernel, None)  # None also while another thread is importing the module
    return compiled is not None and bool(compiled.signatures)
