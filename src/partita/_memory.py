"""How much memory may be used, so that a step can be refused before it starts."""

import os
import re
from pathlib import Path

import psutil

from partita.exceptions import NotEnoughMemoryError

LIMIT_VARIABLE = "PARTITA_MAX_MEMORY"
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def format_bytes(n_bytes: float) -> str:
    """Write a number of bytes for people.

    >>> format_bytes(2.5 * 2**30)
    '2.5 GiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} TiB"


def parse_bytes(text: str) -> int:
    """Read a size such as ``"4GiB"``, ``"500 MB"`` or ``"1e9"``.

    >>> parse_bytes("4GiB") == 4 * 2**30
    True
    """
    match = re.fullmatch(r"\s*([\d.]+(?:e\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if match is None:
        raise ValueError(f"{LIMIT_VARIABLE}={text!r} is not a size; write it like 4GiB or 500MB.")
    return int(float(match[1]) * _UNITS[match[2]])


def available_memory() -> int:
    """Bytes that can be used now; the environment variable ``PARTITA_MAX_MEMORY`` sets it by hand."""
    by_hand = os.environ.get(LIMIT_VARIABLE)
    if by_hand:
        return parse_bytes(by_hand)
    free = int(psutil.virtual_memory().available)
    in_container = _free_in_container()
    return free if in_container is None else min(free, in_container)


def ensure_memory(n_bytes: int, *, purpose: str, instead: str) -> None:
    """Raise NotEnoughMemoryError, with what to do instead, if ``n_bytes`` will not fit."""
    available = available_memory()
    if n_bytes > available:
        raise NotEnoughMemoryError(
            f"{purpose} needs {format_bytes(n_bytes)} of memory and {format_bytes(available)} are available; {instead}"
        )


def _free_in_container() -> int | None:
    """Memory left below the limit of a Linux control group, which psutil does not know."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        stat = (group / "memory.stat").read_text().split()
    except (OSError, ValueError):
        return None
    if limit == "max":
        return None
    cache = int(stat[stat.index("inactive_file") + 1]) if "inactive_file" in stat else 0  # released when needed
    return max(int(limit) - used + cache, 0)
