"""Limits of memory: read from the machine, set by hand, and written for people."""

import pytest

from partita import _memory
from partita.exceptions import NotEnoughMemoryError


@pytest.mark.parametrize(
    ("text", "expected"), [("4GiB", 2**32), ("4 gb", 2**32), ("500M", 500 * 2**20), ("1e9", 10**9), ("2.5k", 2560)]
)
def test_sizes_are_read(text, expected):
    assert _memory.parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["lots", "4 XB", "", "-1"])
def test_sizes_are_refused(text):
    with pytest.raises(ValueError, match="write it like 4GiB"):
        _memory.parse_bytes(text)


@pytest.mark.parametrize(("n", "text"), [(10, "10 B"), (1536, "1.5 KiB"), (3 * 2**30, "3.0 GiB"), (2**42, "4.0 TiB")])
def test_sizes_are_written(n, text):
    assert _memory.format_bytes(n) == text


def test_the_limit_is_the_machine_or_by_hand(monkeypatch):
    monkeypatch.delenv("PARTITA_MAX_MEMORY", raising=False)
    known = _memory.available_memory()
    assert known > 0
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "1MiB")
    assert _memory.available_memory() == 2**20
    _memory.ensure_memory(2**20, purpose="this", instead="that")
    with pytest.raises(NotEnoughMemoryError, match=r"this needs 2.0 MiB of memory and 1.0 MiB are available; do that"):
        _memory.ensure_memory(2**21, purpose="this", instead="do that")


def test_a_control_group_lowers_the_limit(monkeypatch):
    monkeypatch.delenv("PARTITA_MAX_MEMORY", raising=False)
    monkeypatch.setattr(_memory, "_free_in_container", lambda: 12345)
    assert _memory.available_memory() == 12345
    monkeypatch.setattr(_memory, "_free_in_container", lambda: None)
    assert _memory.available_memory() > 12345
