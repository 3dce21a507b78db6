"""The first minutes: CPU seconds of processes of their own, with an empty or a filled cache of kernels.

The column of seconds is wall time; "CPU s" is user and system time of the process, which other jobs disturb less.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks._ensembles import noisy_ensemble
from benchmarks._harness import Benchmark, Case, Contestant

# 2,500 objects with more distinct rows than the NumPy twins of the kernels take
_FIT = "import numpy as np, partita; X = np.load('labels.npy'); partita.{}.fit(X)"
_COLD = {
    "EAC by kernels": _FIT.format("EAC(8)"),
    "PCC": _FIT.format("PCC(4, max_iter=1, n_init=1, random_state=0)").replace("(X)", "(X[:300])"),
    "PEACE": _FIT.format("PEACE(4, max_iter=1, n_init=1, random_state=0)").replace("(X)", "(X[:300])"),
    "NBCE": _FIT.format("NBCE(n_sweeps=20, n_init=1, random_state=0)").replace("(X)", "(X[:300])"),
    "BCE": _FIT.format("BCE(4, max_iter=1, n_init=1, random_state=0)").replace("(X)", "(X[:300])"),
    "all kernels": "import partita; partita.warm_up()",
}
_COMMAND = "import sys; from partita.cli.main import main; main({})"
_WARM = {
    "import partita": "import partita",
    "partita --help": _COMMAND.format(["--help"]),
    "partita methods": _COMMAND.format(["methods"]),
    "partita check, 200 objects": _COMMAND.format(["check", "labels.csv"]),
    "partita consensus, 200 objects": _COMMAND.format(["consensus", "labels.csv"]),
}


def _prepare() -> Path:
    """A folder with labels of 2,500 objects, and of the first 200 as a CSV file."""
    folder = Path(tempfile.mkdtemp())
    X = noisy_ensemble(2500, 20)
    np.save(folder / "labels.npy", X)
    np.savetxt(folder / "labels.csv", X[:200], fmt="%d", delimiter=",")
    return folder


def _run(code: str, *, cold: bool):
    def run(folder: Path) -> float:
        """CPU seconds of the code in a new process."""
        before = os.times()
        with tempfile.TemporaryDirectory() as cache:
            chosen = {"NUMBA_CACHE_DIR": cache} if cold else {}
            subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code],
                cwd=folder,
                env={**os.environ, **chosen},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return run


def _case(name: str, code: str, *, cold: bool) -> Case:
    contestant = Contestant("empty cache" if cold else "filled cache", _run(code, cold=cold), repeat=1 if cold else 3)
    return Case(name, _prepare, [contestant], answer=lambda seconds: {"CPU s": round(seconds, 2)}, compiled=False)


BENCHMARK: Benchmark = [
    *(_case(name, code, cold=False) for name, code in _WARM.items()),
    *(_case(name, code, cold=True) for name, code in _COLD.items()),
]
