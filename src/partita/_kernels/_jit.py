"""The one place that knows numba's options.

Kernels are compiled once and kept in numba's cache. ``PARTITA_NUMBA_CACHE=0`` turns
the cache off; where no folder can be written it is off by itself. No kernel draws
from a hidden generator, none uses threads of its own, all release the GIL.
"""

import logging
import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from partita._kernels._compile_time import clock

_CACHE = os.environ.get("PARTITA_NUMBA_CACHE", "1") != "0"
_log = logging.getLogger("partita")


# Sums may be reordered, so that they run in SIMD; NaN and infinity keep their meaning.
_SUMS = {"reassoc", "contract", "nsz"}


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel on first use: cached where possible, without the GIL."""
    return _compile(function)


def jit_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for kernels whose time goes into long sums of floats."""
    return _compile(function, fastmath=_SUMS)


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    try:
        kernel = numba.njit(function, cache=_CACHE, nogil=True, **options)
    except RuntimeError:  # numba found no folder that it may write its cache to
        return numba.njit(function, cache=False, nogil=True, **options)  # type: ignore[no-any-return]
    if _CACHE:
        _forget_what_cannot_be_read(kernel._cache)
    return kernel  # type: ignore[no-any-return]


def _forget_what_cannot_be_read(cache: Any) -> None:
    """Empty a kernel's cache if an older version wrote it with types that this version does not have.

    numba unpickles the types of the arguments before it compares the cache with the source, so a named tuple that was
    renamed would raise AttributeError at every call.
    """
    load = cache.load_overload

    def load_overload(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except (AttributeError, ImportError):
            cache.flush()
            return None

    cache.load_overload = load_overload


class _Compilations(event.Listener):
    """Measures compilations and logs that the first one has begun; a kernel from the cache is silent."""

    said = False

    def on_start(self, event: Any) -> None:
        clock.start()
        if not self.said:
            self.said = True
            _log.info("compiling numba kernels (only once; later runs start faster)")

    def on_end(self, event: Any) -> None:
        clock.stop()


event.register("numba:compile", _Compilations())
