"""Print the files of partita that run Python code during one fit, in the order in which they are first entered.

    python tools/path_of_a_fit.py

Each estimator is fitted once before, so that imports and the compilation of kernels do not count. Calls inside compiled
kernels are not seen; the file of a kernel appears if its Python functions or named tuples are used.
"""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import partita

ROOT = str(Path(partita.__file__).parent)


def files_of(fit: Any) -> list[str]:
    """Files entered during a call, by first entry."""
    seen: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            seen.setdefault(name[len(ROOT) + 1 :])

    sys.setprofile(note)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return list(seen)


def main() -> None:
    """Fit the default and four estimators on a small ensemble."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [30, 20, 12])
    X = np.column_stack([np.where(rng.random(62) < 0.1, rng.integers(3, size=62), truth) for _ in range(12)])
    partita.combine(X, random_state=0)
    show("combine", files_of(lambda: partita.combine(X, random_state=0)))
    estimators = {
        "EAC": partita.EAC(),
        "PCC, l2": partita.PCC(3, divergence="l2", random_state=0),
        "BCE": partita.BCE(3, random_state=0),
        "NBCE, Gibbs": partita.NBCE(n_sweeps=50, random_state=0),
    }
    for name, estimator in estimators.items():
        estimator.fit(X)
        show(name, files_of(lambda estimator=estimator: estimator.fit(X)))


def show(name: str, path: list[str]) -> None:
    """Print a path."""
    print(f"{name}: {len(path)} files\n  " + "\n  ".join(path))


if __name__ == "__main__":
    main()
