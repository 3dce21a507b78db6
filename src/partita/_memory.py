"""How much memory may be used, so that a step can be refused before it starts."""

import os
import re
from pathlib import Path

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


def available_memory() -> int | None:
    """Bytes that can be used now, or None where the system does not tell.

    The environment variable ``PARTITA_MAX_MEMORY`` sets it by hand.
    """
    by_hand = os.environ.get(LIMIT_VARIABLE)
    if by_hand:
        return parse_bytes(by_hand)
    known = [size for size in (_free_of_machine(), _free_of_container()) if size is not None]
    return min(known, default=None)


def ensure_memory(n_bytes: int, *, purpose: str, instead: str) -> None:
    """Raise NotEnoughMemoryError, with what to do instead, if ``n_bytes`` will not fit."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise NotEnoughMemoryError(
            f"{purpose} needs {format_bytes(n_bytes)} of memory and {format_bytes(available)} are available; {instead}"
        )


def _free_of_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:  # other Unix systems tell the size of the machine only; half of it is a careful guess
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None


def _free_of_container() -> int | None:
    """Room below the limit of a Linux control group, where there is one."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        told = (group / "memory.stat").read_text().split()
    except (OSError, ValueError):
        return None
    if limit == "max":
        return None
    cache = int(told[told.index("inactive_file") + 1]) if "inactive_file" in told else 0  # given back when needed
    return max(int(limit) - used + cache, 0)
