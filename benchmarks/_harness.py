"""Run contestants one after another, each in a process of its own, and report seconds, peak memory and ratios.

A contestant is prepared (data made, kernels compiled) untimed, then run ``repeat`` times; the best time counts.
Threads are pinned to one, so that every contestant has the same core. Contestants of a case must give the same
answer, or the table says so.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

_POOLS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
PINNED = {f"{pool}_NUM_THREADS": "1" for pool in _POOLS}


class Contestant(NamedTuple):
    """One way to do a job."""

    name: str
    run: Callable[[Any], Any]  # data -> result, timed
    repeat: int = 3


class Case(NamedTuple):
    """One job on one size of data; the first contestant is ours, ratios are the others' time over it."""

    name: str
    prepare: Callable[[], Any]
    contestants: list[Contestant]
    answer: Callable[[Any], Any]  # result -> something small that must be equal, e.g. a checksum
    agree: bool = True  # whether contestants must agree
    compiled: bool = True  # whether kernels are compiled before anything is timed


Benchmark = list[Case]


def run_child(case: Case, contestant: Contestant) -> None:
    """Measure one contestant in this process and print the figures as JSON."""
    import partita

    if case.compiled:
        partita.warm_up()
    data = case.prepare()
    seconds, result = [], None
    _reset_peak()
    before = _peak_mib()
    for _ in range(contestant.repeat):
        result = None
        start = time.perf_counter()
        result = contestant.run(data)
        seconds.append(time.perf_counter() - start)
    figures = {"seconds": min(seconds), "peak_mib": _peak_mib(), "added_mib": _peak_mib() - before}
    print(json.dumps({**figures, "answer": case.answer(result)}))


def run_case(benchmark: str, case: Case) -> list[dict[str, Any]]:
    """Run all contestants of a case, each in a child, and return their rows."""
    rows: list[dict[str, Any]] = []
    for contestant in case.contestants:
        print(f"  {case.name}: {contestant.name} ...", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "benchmarks", "--child", benchmark, case.name, contestant.name]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **PINNED})
        row = {"benchmark": benchmark, "case": case.name, "contestant": contestant.name}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["killed"])[-1]
            rows.append({**row, "error": last})
        else:
            rows.append({**row, **json.loads(done.stdout.strip().splitlines()[-1])})
    _compare(case, rows)
    return rows


def _compare(case: Case, rows: list[dict[str, Any]]) -> None:
    ours = rows[0]
    for row in rows:
        if "error" in row or "error" in ours:
            continue
        row["ratio"] = row["seconds"] / ours["seconds"]
        row["agrees"] = row["answer"] == ours["answer"] if case.agree else None


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print rows as a table for people."""
    print(f"{'case':<34} {'contestant':<34} {'seconds':>9} {'peak MiB':>9} {'added MiB':>9} {'ratio':>7}")
    for row in rows:
        head = f"{row['case']:<34} {row['contestant']:<34}"
        if "error" in row:
            print(f"{head} failed: {row['error']}")
            continue
        other = "" if row.get("agrees") in (True, None) else "  another answer!"
        if isinstance(row["answer"], dict):  # scores that may differ
            other += "".join(f"  {name} {value}" for name, value in row["answer"].items())
        print(
            f"{head} {row['seconds']:>9.3f} {row['peak_mib']:>9.0f} {row['added_mib']:>9.0f} "
            f"{row.get('ratio', float('nan')):>7.1f}{other}"
        )


def write_json(rows: list[dict[str, Any]], path: Path) -> None:
    """Keep rows beside the machine and the versions that made them."""
    from importlib.metadata import version

    versions = {name: version(name) for name in ("partita", "numpy", "scipy", "scikit-learn", "numba")}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"python": sys.version.split()[0], "versions": versions, "rows": rows}, indent=2))


def _reset_peak() -> None:
    """Forget the peak so far (Linux); elsewhere the peak includes the preparation."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mib() -> float:
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
