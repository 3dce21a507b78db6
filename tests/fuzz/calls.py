"""Random calls of everything public: statements with their arguments, the same for the same seed and number."""

import pickle
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.fuzz.draws import NAMES, Rng
from tests.fuzz.estimators import CONSENSUS, OTHER_ESTIMATORS, Drawn
from tests.fuzz.files import FILES
from tests.fuzz.functions import FUNCTIONS, METRICS
from tests.fuzz.model_files import MODEL_FILES

TARGETS: dict[str, Callable[[Rng], Drawn]] = {
    **CONSENSUS,
    **OTHER_ESTIMATORS,
    **FUNCTIONS,
    **METRICS,
    **FILES,
    **MODEL_FILES,
}
_FOLDER = tempfile.TemporaryDirectory(prefix="fuzz")  # for the files of calls


class Call(NamedTuple):
    """Arguments by name, and the statements that use them; each argument and each statement is Python."""

    target: str
    arguments: dict[str, str]
    steps: list[str]

    def as_python(self) -> str:
        """The call as a script."""
        return "\n".join([*(f"{name} = {text}" for name, text in self.arguments.items()), *self.steps])


def names() -> dict[str, Any]:
    """What the statements of a call may use."""
    return {**NAMES, "pickle": pickle, "folder": Path(_FOLDER.name)}


def draw_call(target: str, seed: int, number: int) -> Call:
    """The call of this number."""
    rng = np.random.default_rng([seed, zlib.crc32(target.encode()), number])
    return Call(target, *TARGETS[target](rng))
