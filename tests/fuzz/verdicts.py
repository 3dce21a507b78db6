"""Run a call and judge it: a result that holds, a clear refusal, or a fault.

A refusal is an error that partita (or, for parameters and features, scikit-learn's validation) raises on purpose: its
innermost frame executes a ``raise``. Errors of NumPy and others that pass through have foreign words, and are faults.
"""

import dis
import os
import pickle
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import partita
from partita import exceptions
from tests.fuzz.calls import Call, names
from tests.fuzz.results import BrokenResultError, check_results

_OURS = str(Path(partita.__file__).parent)
_DOORS = (
    "sklearn/utils/validation.py",
    "sklearn/utils/_param_validation.py",
)  # partita leaves these checks to scikit-learn
_REFUSALS = (
    ValueError,
    TypeError,
    OSError,
    *(e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception)),
)
# Methods of ratios of sample weights alone. Others are models of counts, or count the pairs of an object's copies.
_SCALE_FREE = ("EAC", "MultiEAC", "CSPA", "MCLA", "HGPA", "HBGF", "CumulativeVoting", "LabelKMeans", "QMI", "ITK")
_SEEDED_ELSEWHERE = ("supra_consensus",)  # methods that the user gives have seeds of their own, or none
_RAISE = dis.opmap["RAISE_VARARGS"]
_CALL = "<call>"  # file name of the statements of a call; warnings of partita point there


class Verdict(NamedTuple):
    """How a call ended; ``cause`` is the same for faults that are alike."""

    kind: str  # "result", "refusal" or "fault"
    cause: str = ""
    details: str = ""


def judge(call: Call, *, twice: bool = False) -> Verdict:
    """Run the call, and ``twice`` to see that the same seed gives the same bits."""
    first = _run(call)
    if first.fault is not None:
        return first.fault
    if first.refusal is not None:
        return Verdict("refusal", first.refusal)
    if twice and call.target not in _SEEDED_ELSEWHERE and "None" not in _seed(call) and "iter(" not in call.as_python():
        second = _run(call).results
        different = [name for name in first.results if not _same(first.results[name], second.get(name))]
        if different:
            return Verdict("fault", f"another result on a repeat: {', '.join(different)}")
        if call.target in _SCALE_FREE and call.arguments["sample_weight"] != "None":
            return _judge_scaled(call, first.results["model"])
    return Verdict("result")


def _judge_scaled(call: Call, model: Any) -> Verdict:
    """Weights four times as large give the same clusters; a power of two changes no digit."""
    larger = f"4.0 * np.asarray({call.arguments['sample_weight']}, dtype=float)"
    scaled = _run(call._replace(arguments={**call.arguments, "sample_weight": larger}))
    if scaled.results and not np.array_equal(model.labels_, scaled.results["model"].labels_):
        return Verdict("fault", "other labels_ for sample_weight times four")
    return scaled.fault or Verdict("result")


class _Run(NamedTuple):
    results: dict[str, Any]
    refusal: str | None = None
    fault: Verdict | None = None


def _seed(call: Call) -> str:
    found = re.findall(r"random_state=([^,()]*)", call.as_python())
    return found[-1] if found else "0"


def _run(call: Call) -> _Run:
    space = names()
    try:
        for name, text in call.arguments.items():
            space[name] = _evaluate(text, space)
    except Exception as error:  # an argument that cannot be made: such as a container that refuses the values
        return _Run({}, refusal=f"argument: {type(error).__name__}")
    before = {name: _bits(space[name]) for name in call.arguments}
    with _captured_stdout() as printed, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        error = _execute(call, space)
    fault = _fault_of_error(error) or _fault_of_warnings(warned)
    if fault is None and printed:
        fault = Verdict("fault", "printed to stdout", printed[0])
    changed = [name for name, bits in before.items() if bits is not None and bits != _bits(space[name])]
    if fault is None and changed:
        fault = Verdict("fault", f"changed its argument {changed[0]}")
    if fault is None and error is not None:
        late = _known_refused(call, error)
        return _Run({}, fault=late) if late else _Run({}, refusal=f"{type(error[1]).__name__}: {error[1]}")
    return _Run({}, fault=fault) if fault else _checked(call, space)


def _evaluate(text: str, space: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, dict(space))


def _execute(call: Call, space: dict[str, Any]) -> tuple[str, BaseException] | None:
    for step in call.steps:
        try:
            exec(compile(step, _CALL, "exec"), space)
        except (Exception, SystemExit) as error:
            return step, error
    return None


def _checked(call: Call, space: dict[str, Any]) -> _Run:
    results = {
        name: value
        for name, value in space.items()
        if name not in names() and name not in call.arguments and not name.startswith("__")
    }
    try:
        check_results(call, results, {name: space[name] for name in call.arguments})
    except BrokenResultError as broken:
        return _Run({}, fault=Verdict("fault", str(broken)))
    return _Run(results)


# ------------------------------------------------------------------------------------------------------------- faults
def _fault_of_error(error: tuple[str, BaseException] | None) -> Verdict | None:
    if error is None:
        return None
    raised = error[1]
    frame = _innermost(raised.__traceback__)
    file = frame.tb_frame.f_code.co_filename
    on_purpose = frame.tb_frame.f_code.co_code[frame.tb_lasti] == _RAISE
    ours = file.startswith(_OURS) or file.endswith(_DOORS)
    if isinstance(raised, _REFUSALS) and ours and on_purpose and len(str(raised)) > 10:
        return None
    text = "".join(traceback.format_exception(raised)[-6:])
    message = re.sub(r"'[^']*'|-?\d[\d.e+-]*|0x[0-9a-f]+", "#", str(raised).split("\n")[0])[:90]
    return Verdict("fault", f"{type(raised).__name__}: {message} [{_place(raised.__traceback__)}]", text)


def _innermost(trace: TracebackType | None) -> TracebackType:
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _place(trace: TracebackType | None) -> str:
    """The innermost line of partita."""
    ours = [frame for frame in traceback.extract_tb(trace) if frame.filename.startswith(_OURS)]
    if not ours:
        return "outside partita"
    return f"{Path(ours[-1].filename).relative_to(_OURS)}:{ours[-1].lineno} {ours[-1].name}"


def _fault_of_warnings(warned: list[warnings.WarningMessage]) -> Verdict | None:
    for warning in warned:
        if warning.filename.endswith(_DOORS) or issubclass(warning.category, ResourceWarning):
            continue  # a warning of scikit-learn on names of features, by its convention; a file of an earlier call
        if warning.filename != _CALL or issubclass(
            warning.category, RuntimeWarning | DeprecationWarning | FutureWarning
        ):
            text = re.sub(r"\d[\d.e+-]*", "#", str(warning.message).split("\n")[0])[:90]
            place = "/".join(Path(warning.filename).parts[-3:])
            return Verdict("fault", f"{warning.category.__name__}: {text} [{place}:{warning.lineno}]")
    return None


def _known_refused(call: Call, error: tuple[str, BaseException]) -> Verdict | None:
    """What ``fit`` has taken, the fitted model must take too; new objects may be refused."""
    step, raised = error
    if "_of_X = " in step:
        return Verdict("fault", f"{step.split(' = ')[0]} is refused, but fit took X: {str(raised)[:80]}")
    return None


# ------------------------------------------------------------------------------------------- what a call leaves behind
@contextmanager
def _captured_stdout() -> Iterator[list[str]]:
    """What is written to file descriptor 1, by C libraries too; the list has the text when the block is left."""
    printed: list[str] = []
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield printed
        finally:
            sys.stdout.flush()
            os.dup2(saved, 1)
            os.close(saved)
            text = os.pread(file.fileno(), 2000, 0).decode(errors="replace")
            printed.extend([text] if text else [])


def _bits(value: Any) -> bytes | None:
    """The bytes of a value; None if it cannot be written, or is used up by reading."""
    if hasattr(value, "__next__"):
        return None
    if hasattr(value, "to_numpy"):  # frames and series keep things beside their values
        return repr(np.asarray(value, dtype=object).tolist()).encode()
    if sp.issparse(value):  # SciPy keeps what it has found out about a matrix beside its values
        return pickle.dumps((value.shape, *(part.tobytes() for part in sp.find(value))))
    if isinstance(value, list | tuple | dict):
        items = [*value.items()] if isinstance(value, dict) else value
        return b",".join(_bits(item) or b"?" for item in items)
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def _same(a: Any, b: Any) -> bool:
    """Whether two results are equal to the bit: arrays, frames, fitted models, tuples of them."""
    if type(a) is not type(b):
        return False
    if sp.issparse(a):
        return bool((a != b).nnz == 0)
    if hasattr(a, "get_params"):
        fitted = {name: value for name, value in vars(a).items() if name.endswith("_") and not name.startswith("_")}
        return all(_same(value, getattr(b, name, None)) for name, value in fitted.items())
    if hasattr(a, "_asdict"):  # a named tuple; its time is never the same
        a, b = ([value for name, value in part._asdict().items() if name != "seconds"] for part in (a, b))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if hasattr(a, "equals"):
        shown = [name for name in getattr(a, "columns", []) if name != "seconds"]
        return bool(a[shown].equals(b[shown])) if shown else bool(a.equals(b))
    if isinstance(a, np.ndarray) and a.dtype != object:
        return a.tobytes() == b.tobytes()
    return True if isinstance(a, float) and a != a else _bits(a) == _bits(b)
