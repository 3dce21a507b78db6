"""The one place that knows numba's options.

Kernels are compiled once and kept in numba's cache. ``PARTITA_NUMBA_CACHE=0`` turns
the cache off; where it cannot be written a warning says how to choose a folder. No kernel draws
from a hidden generator, none uses threads of its own, all release the GIL.
"""

import gc
import logging
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
from numba.core import event
from numba.extending import register_jitable

from partita._kernels._compile_time import clock
from partita._runs import warn
from partita.exceptions import KernelCacheWarning

_CACHE = os.environ.get("PARTITA_NUMBA_CACHE", "1") != "0"
_log = logging.getLogger("partita")


# Every option is given: a helper would inherit those left out from the kernel that happens to call it first.
# Kernels raise nothing: x / 0 is an infinity or NaN.
_PLAIN = {"error_model": "numpy", "fastmath": False, "no_cfunc_wrapper": True}
# Sums may be reordered, so that they run in SIMD; NaN and infinity keep their meaning. Python's model of errors checks
# each divisor, which also keeps LLVM from reordering sums of quotients; without it their last bits would change.
_SUMS = {"error_model": "python", "fastmath": {"reassoc", "contract", "nsz"}, "no_cfunc_wrapper": True}

# The same where quotients are summed in SIMD: divisors are never 0, and nothing checks them.
_QUOTIENTS = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}, "no_cfunc_wrapper": True}


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel on first use: cached where possible, without the GIL."""
    return _compile(function, _PLAIN)


def jit_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for kernels whose time goes into long sums of floats."""
    return _compile(function, _SUMS)


def jit_over(*modules: ModuleType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same for kernels with helpers in other files: a change of these makes what the cache holds old, too."""

    def compile_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        kernel: Any = _compile(function, _PLAIN)
        stored = getattr(kernel._cache, "_cache_file", None)
        if stored is not None:
            files = [os.stat(module.__file__ or "") for module in modules]
            stored._source_stamp = (stored._source_stamp, *((file.st_mtime, file.st_size) for file in files))
        return kernel  # type: ignore[no-any-return]

    return compile_kernel


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels of the same file call a function; called from Python, it runs in Python.

    Nothing makes it callable or cached by itself, and a literal argument does not compile it once more: together that
    is a third of the compilation of a kernel with helpers.
    """
    return register_jitable(**_PLAIN)(function)


def helper_inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for small functions in innermost loops that take many arrays: a call would copy all their fields."""
    return register_jitable(**_PLAIN, forceinline=True)(function)


def helper_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for functions with long sums of floats."""
    return register_jitable(**_SUMS)(function)


def jit_quotients(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for kernels whose time goes into long sums of quotients with divisors above 0."""
    return _compile(function, _QUOTIENTS)


def helper_quotients(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for functions with long sums of quotients."""
    return register_jitable(**_QUOTIENTS)(function)


def _compile(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    try:
        kernel = numba.njit(function, cache=_CACHE, nogil=True, **options)
    except RuntimeError:  # numba found no folder that it may write its cache to
        kernel = numba.njit(function, cache=False, nogil=True, **options)
        kernel._cache.save_overload = _say_that_no_folder_can_be_written
        return kernel  # type: ignore[no-any-return]
    if _CACHE:
        _survive_faults(kernel._cache)
    return kernel  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------- faults of the cache
def _survive_faults(cache: Any) -> None:
    """Make a kernel's cache forget what it cannot read, and give up with a warning what it cannot write.

    numba unpickles the types of the arguments before it compares the cache with the source, so a named tuple that an
    older version wrote and this one renamed would raise AttributeError at every call. A full disk would raise OSError.
    """
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:  # whatever a damaged file makes pickle or numba raise, the remedy is to compile again
            _forget(cache)
            return None

    def save_overload(*arguments: Any) -> None:
        try:
            save(*arguments)
        except OSError as error:
            _give_up(cache, error)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def _forget(cache: Any) -> None:
    try:
        cache.flush()
    except OSError as error:
        _give_up(cache, error)


def _give_up(cache: Any, error: OSError) -> None:
    cache.disable()
    _warn_once(f"{cache.cache_path!r} cannot be written ({error.strerror or error})")


def _say_that_no_folder_can_be_written(*_: Any) -> None:
    _warn_once("neither the folder of the package nor that of the user for caches can be written")


def _warn_once(reason: str) -> None:
    if _compilations.kept:
        _compilations.kept = False
        warn(
            f"compiled kernels cannot be kept: {reason}; every session compiles them again, which takes some seconds. "
            "Set the environment variable NUMBA_CACHE_DIR to a folder with free space that you may write to.",
            KernelCacheWarning,
        )


class _Compilations(event.Listener):
    """Measures compilations and logs that the first one has begun; a kernel from the cache is silent.

    Meanwhile no garbage is collected: numba makes millions of objects that live as long as the compilation, and looking
    through them again and again is a tenth of its time.
    """

    said = False
    kept = True  # so far; False once a warning has told that kernels are compiled in every session
    collect = False  # whether to collect garbage again afterwards

    def on_start(self, event: Any) -> None:
        if clock.start():
            self.collect = gc.isenabled()
            gc.disable()
        if not self.said:
            self.said = True
            _log.info("compiling numba kernels (only once; later runs start faster)")

    def on_end(self, event: Any) -> None:
        if clock.stop() and self.collect:
            gc.enable()


_compilations = _Compilations()
event.register("numba:compile", _compilations)
