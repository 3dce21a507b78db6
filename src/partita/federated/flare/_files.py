"""Small files by which the processes of one party tell each other what happened. They lie in its workspace.

One process writes a file, others read it. A write replaces the whole file, so that no reader sees half of it.
"""

import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from partita.federated._messages import pack, unpack

RUN = "run.json"  # what to run, written by the parent process
STATUS = "status.json"  # who is connected and who was lost, written by NVFlare's parent process
PROGRESS = "progress.json"  # how many exchanges there were, written by the process of the job
OUTCOME = "outcome.json"  # how the run ended, written by the process of the job
RESULT = "result.bin"  # what the algorithm returned


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a dict."""
    _replace(path, json.dumps(content).encode())


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the dict of a file, or None if there is none yet."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return content if isinstance(content, dict) else None


def write_result(folder: Path, result: Any) -> None:
    """Write what an algorithm returned."""
    _replace(folder / RESULT, pack(result))


def read_result(folder: Path) -> Any:
    """Return what an algorithm returned."""
    return unpack((folder / RESULT).read_bytes())


def installed(name: str) -> Callable[..., Any]:
    """Return the function "module:function", which the party itself named and installed."""
    module, _, function = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name!r} is not a function")
    checked: Callable[..., Any] = found
    return checked


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    os.replace(beside, path)
