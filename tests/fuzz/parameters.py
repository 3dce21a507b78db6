"""Random parameters, as expressions: of estimators from their declared constraints, of functions from their types.

A value is inside the constraint, often at its border; one parameter, in some of the calls, is anything at all.
"""

import inspect
import typing
from numbers import Integral
from typing import Any, Literal

from sklearn.utils._param_validation import Interval, StrOptions, make_constraint

from tests.fuzz.draws import NAMES, WRONG, Rng, chance, draw_weights, pick
from tests.fuzz.examples import LOOPS, PARAMETERS

_SLOW_DEFAULTS = ("n_init", "n_sweeps", "n_clusterings", "n_resamples", "n_repeats")


def parameters_of(of: Any) -> list[str]:
    """Names of the parameters of a function or of a constructor."""
    return list(inspect.signature(of).parameters)


def needed_by(of: Any) -> list[str]:
    """Those without a default."""
    known = inspect.signature(of).parameters
    return [name for name in known if known[name].default is inspect.Parameter.empty]


def written(parameters: dict[str, str]) -> str:
    """Parameters as they stand in a call."""
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def example(rng: Rng, examples: tuple[str, ...], n: int, m: int) -> str:
    """One of the examples for n objects and m columns."""
    return str(pick(rng, *examples)).replace("{n}", str(n)).replace("{m}", str(m))


def draw_parameters(rng: Rng, of: Any, n: int, m: int, *, skip: tuple[str, ...] = ()) -> dict[str, str]:
    """Some of the parameters; the others keep their defaults."""
    known = [name for name in parameters_of(of) if name not in skip]
    share = pick(rng, 0.1, 0.3, 0.6)
    always = (*needed_by(of), *_SLOW_DEFAULTS)
    drawn = {name: _draw_value(rng, of, name, n, m) for name in known if name in always or chance(rng, share)}
    if "random_state" in known and ("random_state" not in drawn or chance(rng, 0.7)):
        drawn["random_state"] = "0"
    if "n_clusters" in known and chance(rng, 0.7):  # the default of 8 is too many for few objects
        drawn["n_clusters"] = str(rng.integers(1, min(n, 6) + 1))
    if known and chance(rng, 0.2):
        name = pick(rng, *known)
        # a loop of 10**30 steps takes as long as it is asked to
        drawn[name] = pick(rng, *(value for value in WRONG if not (name in LOOPS and value == "10**30")))
    return drawn


def _draw_value(rng: Rng, of: Any, name: str, n: int, m: int) -> str:
    """A value, in most cases one that the declared constraints allow."""
    constraints = getattr(of, "_parameter_constraints", {}).get(name)
    text = _draw_any_value(rng, of, name, n, m)
    for _ in range(4):
        if not isinstance(constraints, list) or _allowed(constraints, text):
            break
        text = _draw_any_value(rng, of, name, n, m)
    return text


def _allowed(constraints: list[Any], text: str) -> bool:
    value = eval(text, dict(NAMES))
    return any(make_constraint(constraint).is_satisfied_by(value) for constraint in constraints)


def _draw_any_value(rng: Rng, of: Any, name: str, n: int, m: int) -> str:
    if name == "weights" or (name in ("feature_weights", "label_weights") and chance(rng, 0.5)):
        return draw_weights(rng, m)
    if name in ("consensus", "alpha", "noise", "init") and chance(rng, 0.5):  # several meanings
        return _by_declaration(rng, of, name)
    examples = {**PARAMETERS, **LOOPS}.get(name)
    return _by_declaration(rng, of, name) if examples is None else example(rng, examples, n, m)


def _by_declaration(rng: Rng, of: Any, name: str) -> str:
    constraints = getattr(of, "_parameter_constraints", {}).get(name)
    if isinstance(constraints, list):
        return _inside(rng, make_constraint(pick(rng, *constraints)))
    return _of_type(rng, typing.get_type_hints(of).get(name, Any) if inspect.isfunction(of) else Any)


def _inside(rng: Rng, constraint: Any) -> str:
    """A value that the constraint allows, often at its border."""
    if isinstance(constraint, StrOptions):
        return repr(pick(rng, *sorted(constraint.options)))
    if not isinstance(constraint, Interval):
        return str(pick(rng, "True", "False", "None"))
    low = -3 if constraint.left is None else constraint.left
    high = low + 4 if constraint.right is None else constraint.right
    if constraint.type is Integral:
        return repr(int(pick(rng, low, high, rng.integers(low, high + 1))))
    inner = low + float(rng.random()) * (high - low)
    tiny, small = (5e-324, 1e-9) if low == 0 else (low, high)
    return repr(float(pick(rng, low, high, inner, tiny, small)))


_FLOATS = ("0.0", "0.05", "0.5", "1.0", "2.0", "-1.0", "None", "1e-300", "1e300", "(0.1, 0.9)", "[0.1, 0.5]", "nan")


def _of_type(rng: Rng, hint: Any) -> str:
    """A value of an annotated type: one of the literals, a number, a truth value."""
    options = [hint, *typing.get_args(hint)]
    literals = [text for option in options if typing.get_origin(option) is Literal for text in typing.get_args(option)]
    if literals:
        return repr(pick(rng, *literals))
    if bool in options:
        return str(pick(rng, "True", "False"))
    if int in options:
        return str(pick(rng, "1", "2", "3", "5", "0", "-1", "None", "np.int64(2)", "100", "10**30"))
    return str(pick(rng, *_FLOATS, "(2, 4)"))
