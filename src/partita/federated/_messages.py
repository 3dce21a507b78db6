"""Messages as bytes: a JSON description, then the contents of the arrays one after the other. Nothing is pickled.

NVFlare carries these bytes as they are. Its own encoding of arrays would fetch large ones by further requests, and what
it builds from a message depends on the classes that are registered; this one builds arrays, numbers and text only.
"""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

MAX_MESSAGE = 1 << 30  # 1 GiB: a reply of 20,000 x 10 numbers has 1.6 MB
_LENGTH = struct.Struct("<Q")
_KINDS = "biufc"  # numbers and truth values; objects and text in arrays could hide anything


def pack(value: Any) -> bytes:
    """Return a value as bytes: arrays, numbers, text, bytes, None, and lists and dicts of these."""
    contents: list[bytes | memoryview] = []
    described = json.dumps(_describe(value, contents), separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(described)), described, *contents])


def unpack(message: Any) -> Any:
    """Return the value of a message, or raise ValueError if it is not one."""
    if not isinstance(message, bytes | bytearray | memoryview):
        raise ValueError(f"expected bytes, received {type(message).__name__}")
    rest = memoryview(message)
    try:
        (length,) = _LENGTH.unpack(rest[: _LENGTH.size])
        start = _LENGTH.size + length
        described = json.loads(bytes(rest[_LENGTH.size : start]))
        value, end = _build(described, rest, start)
    except (struct.error, KeyError, TypeError, IndexError, RecursionError, OverflowError) as error:
        raise ValueError(f"not a message of partita ({error})") from error
    if end != len(rest):
        raise ValueError(f"the message has {len(rest)} bytes instead of {end}")
    return value


def _describe(value: Any, contents: list[bytes | memoryview]) -> Any:
    """Return what JSON can hold of a value, and append the rest to the contents."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        contents.append(value)
        return {"bytes": len(value)}
    if isinstance(value, np.ndarray):
        return _describe_array(value, contents)
    if isinstance(value, list | tuple):
        return {"list": [_describe(item, contents) for item in value]}
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a message can hold dicts with names of type str only")
        return {"dict": {name: _describe(item, contents) for name, item in value.items()}}
    raise TypeError(f"a message cannot hold {type(value).__name__}")


def _describe_array(array: np.ndarray[Any, Any], contents: list[bytes | memoryview]) -> Any:
    if array.dtype.kind not in _KINDS:
        raise TypeError(f"a message cannot hold arrays of type {array.dtype}")
    # Little-endian whatever the machine, so that both sides read the same numbers.
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    contents.append(plain.reshape(-1).view(np.uint8).data)
    return {"array": [plain.dtype.str, list(array.shape)]}


def _build(described: Any, rest: memoryview, start: int) -> tuple[Any, int]:
    """Return the value that was described, and where its contents end."""
    if not isinstance(described, dict):
        if isinstance(described, list):
            raise ValueError("not a message of partita (bare list)")
        return described, start
    ((kind, content),) = described.items()
    if kind == "bytes":
        return bytes(_part(rest, start, content)), start + content
    if kind == "array":
        return _build_array(content, rest, start)
    if kind == "list":
        items = []
        for item in content:
            value, start = _build(item, rest, start)
            items.append(value)
        return items, start
    if kind == "dict":
        named = {}
        for name, item in content.items():
            named[name], start = _build(item, rest, start)
        return named, start
    raise ValueError(f"not a message of partita (kind {kind!r})")


def _build_array(content: Any, rest: memoryview, start: int) -> tuple[np.ndarray[Any, Any], int]:
    name, shape = content
    dtype = np.dtype(str(name))
    if dtype.kind not in _KINDS or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"not a message of partita (array of {name!r})")
    size = math.prod(shape) * dtype.itemsize
    part = _part(rest, start, size)
    # A copy: arrays of a message can be written to, and do not keep the whole message in memory.
    return np.frombuffer(part, dtype=dtype).reshape(shape).astype(dtype.newbyteorder("=")), start + size


def _part(rest: memoryview, start: int, size: int) -> memoryview:
    if type(size) is not int or size < 0 or start + size > len(rest):
        raise ValueError("the message is cut off")
    return rest[start : start + size]
