"""What a site reads from a message: arrays of the shapes that it expects, and numbers within limits.

A message comes from outside. Kernels do not check the arrays that they read, so that one of another shape would make
them read memory that is not the array's: nothing of a message reaches them that was not checked here.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from partita._typing import Array, FloatArray, IntArray

# Sites reserve memory for these numbers before they have seen as much data: far above use, far below what fills memory.
MOST_CLUSTERS = 10_000  # a table of 1,200 labels takes 96 MB
MOST_CLUSTERINGS = 10_000  # of features: 80 kB for each object of a site
MOST_SITES = 1_000  # federations have a few dozen; encrypted sums are of 64 at most
MOST_STARTS = 1_000  # of k-means that run side by side: 4 kB for each object
MOST_STEPS = 1_000  # of a fixed point in one exchange, which stops after 50
MOST_OBJECTS = 2**53  # whole numbers up to here are exact as float64
LAST_PLACE = 1  # sites keep the state of two runs: that of the best one, and that of the present one
LARGEST_SEED = 2**63 - 1  # of an int64

_KINDS = "biuf"  # truth values and real numbers


def array_of(values: Mapping[str, Any], name: str, *shape: int | None) -> FloatArray:
    """An array of a message, C-contiguous and finite; where the shape has None, any length from 1 on is allowed."""
    array = _read(values, name, shape)
    if array.dtype.kind not in _KINDS:
        raise ValueError(f"the message has {name!r} that is not made of real numbers, and {_words(shape)} is needed")
    fits = array.ndim == len(shape) and all(map(_fits, array.shape, shape))
    if not fits:
        raise ValueError(f"the message has {name!r} of shape {array.shape}, and {_words(shape)} is needed")
    found: FloatArray = np.asarray(array, dtype=np.float64, order="C")
    if not np.isfinite(found).all():
        raise ValueError(f"the message has {name!r} with values that are not finite; all must be numbers")
    return found


def whole_numbers_of(values: Mapping[str, Any], name: str, low: int, high: int, *shape: int | None) -> IntArray:
    """The same of whole numbers from ``low`` to ``high``, both included: indices and labels."""
    array = array_of(values, name, *shape)
    if not ((array >= low) & (array <= high) & (array == np.floor(array))).all():
        raise ValueError(f"the message has {name!r} with other values than whole numbers from {low} to {high}")
    return array.astype(np.int64)


def number_of(values: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """A whole number of a message, from ``low`` to ``high``, both included."""
    value = values.get(name) if isinstance(values, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"the message has {name}={value!r:.60}, and a whole number from {low} to {high} is needed")
    return int(value)


def real_of(values: Mapping[str, Any], name: str) -> float:
    """A finite number of a message."""
    return float(array_of(values, name))


def place_among_sites(values: Mapping[str, Any], name: str) -> tuple[int, int]:
    """Place of a site among the names of all sites, and how many there are."""
    names = values.get("names")
    if not isinstance(names, list | tuple) or len(names) > MOST_SITES or name not in names:
        raise ValueError(
            f"the message has other 'names' than those of at most {MOST_SITES} sites with {name!r} in them"
        )
    return names.index(name), len(names)


def kept(memory: Mapping[str, Array], name: str, *shape: int) -> Array:
    """What the site kept under a name, itself and not a copy; of this shape, if one is given."""
    if name not in memory or (shape and memory[name].shape != shape):
        wanted = f" of shape {shape}" if shape else ""
        raise ValueError(f"{name!r}{wanted} was asked for before the site had it; questions come in another order.")
    return memory[name]


def _read(values: Mapping[str, Any], name: str, shape: tuple[int | None, ...]) -> Array:
    """What a message has under a name, as an array."""
    if not isinstance(values, Mapping) or values.get(name) is None:
        raise ValueError(f"the message has no {name!r}, and {_words(shape)} is needed")
    try:
        return np.asarray(values[name])
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"the message has {name!r} that is no array, and {_words(shape)} is needed") from error


def _fits(length: int, wanted: int | None) -> bool:
    return length >= 1 if wanted is None else length == wanted


def _words(shape: tuple[int | None, ...]) -> str:
    """A shape, with a star for any length."""
    if not shape:
        return "one number"
    return f"({', '.join('*' if n is None else str(n) for n in shape)}{',' * (len(shape) == 1)})"
