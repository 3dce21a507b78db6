"""Random parameters, as Python expressions: of estimators from their declared constraints, of functions from their types.

A value is inside the constraint, at its border, or (for one parameter in some of the calls) anything at all.
"""

import inspect
import typing
from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

from sklearn.utils._param_validation import Interval, StrOptions, make_constraint

from tests.fuzz.draws import NAMES, WRONG, Rng, chance, draw_partition, draw_weights, pick

# What a long loop would only take time for. Larger numbers are drawn as wrong values where no loop would follow them.
_LOOPS: dict[str, tuple[str, ...]] = {
    "n_init": ("1", "2", "3", "np.int64(2)"),
    "max_iter": ("1", "2", "7", "100", "None"),
    "n_sweeps": ("1", "2", "5", "20", "60"),
    "n_chains": ("1", "2", "3"),
    "burn_in": ("0", "1", "3", "None", "100"),
    "thin": ("1", "2", "7"),
    "truncation": ("1", "2", "5", "30", "100"),
    "n_clusterings": ("1", "2", "5", "None"),
    "n_repeats": ("1", "2", "{'kmeans': 2}"),
    "n_resamples": ("2", "3", "2", "1"),
    "n_references": ("19", "19", "4"),
    "alpha": ("0.05", "0.5", "0.2", "0.5", "0.2", "1e-6", "1e6", "'auto'", "1.0"),
    "max_objects": ("1000", "20", "4", "1"),
    "n_draws": ("1", "2", "0"),
    "n_ensembles": ("1", "2"),
    "size": ("1", "2", "3"),
    "n_runs": ("1", "2"),
    "n_max": ("1", "3", "8"),
    "n_pairs": ("10", "1", "500"),
    "n_per_cluster": ("1", "5"),
}
_ENDLESS = frozenset(_LOOPS) | {"n_clusterings"}  # 10**30 of them is a loop, or a refusal; never 2**31


def _n_clusters(rng: Rng, n: int, m: int) -> str:
    return str(pick(rng, "1", "2", "3", "4", "8", str(n), str(n + 1), "61", "200", "np.int64(3)", "10**5"))


def _pairs(rng: Rng, n: int, m: int) -> str:
    return str(
        pick(
            rng, "'all'", "'auto'", "0.5", "1.0", "0.0", "1e-9", "1", "20", "10**9", "5", f"sp.random({n}, {n}, 0.5, 'csr', random_state=0)",
            f"sp.csr_matrix(({n}, {n}))", "sp.csr_matrix((2, 3))", "np.array([[0, 1]])", f"np.ones(({n}, {n}))", "[[0, 0]]", f"[[0, {n}]]",
            "np.array([[-1, 0]])", "np.array([[0.5, 1]])", f"sp.csr_matrix(np.full(({n}, {n}), nan))",
        )
    )  # fmt: skip


def _start(rng: Rng, n: int, m: int) -> str:
    of_objects = (
        draw_partition(rng, n),
        f"np.full(({n}, 2), 0.5)",
        f"np.ones(({n}, 2))",
        f"np.zeros({n}, dtype=int)",
        f"np.full({n}, -1)",
    )
    return str(pick(rng, "'auto'", "'random'", "'insertion'", "'l2'", "'eac'", "'kmeans'", "'k-means++'", *of_objects))


def _column_weights(rng: Rng, n: int, m: int) -> str:
    return str(pick(rng, draw_weights(rng, m), "1.0", "0.0", "1e6", "1e-300", "1e300", "None"))


_DIVERGENCE = "type('Squared', (), {'value': staticmethod(lambda x, y: (x - y) ** 2), 'derivative': staticmethod(lambda x, y: 2 * (y - x))})()"
# Parameters whose constraint does not say enough; (rng, objects, columns) gives an expression.
_BY_NAME: dict[str, Callable[[Rng, int, int], str]] = {
    "weights": lambda rng, n, m: draw_weights(rng, m),
    "n_clusters": _n_clusters,
    "pairs": _pairs,
    "init": _start,
    "feature_weights": _column_weights,
    "label_weights": _column_weights,
    "groups": lambda rng, n, m: pick(rng, "None", f"['a', 'b'] * {m // 2} + ['c'] * {m % 2}", f"[0] * {m}", "[0]", f"[nan] * {m}", f"[None] * {m}", f"[{{}}] * {m}"),
    "families": lambda rng, n, m: pick(rng, "None", "'gaussian'", "'poisson'", "'bernoulli'", "'categorical'", "['gaussian']", "{'f0': 'poisson'}", "{'zz': 'gaussian'}", "'x'", "[1]", "{'f0': []}"),
    "prior_mean": lambda rng, n, m: pick(rng, "'data'", "'zero'", f"[0.0] * {m}", f"[1e200] * {m}", f"[nan] * {m}", "[0.0]", f"['a'] * {m}", f"[1e70] * {m}"),
    "divergence": lambda rng, n, m: pick(rng, "'kl'", "'l2'", "'i-divergence'", "'mahalanobis'", _DIVERGENCE, "object()", "5"),
    "random_state": lambda rng, n, m: pick(rng, "0", "7", "np.random.RandomState(3)", "np.random.default_rng(3)", "np.int64(5)", "2**32 - 1", "None"),
    "verbose": lambda rng, n, m: pick(rng, "False", "True", "1", "0"),
    "n_jobs": lambda rng, n, m: pick(rng, "None", "1", "2", "-1", "0", "-9", "np.int64(2)", "10**30"),
    "noise": lambda rng, n, m: pick(rng, "0.0", "0.1", "1.0", "[0.1, 0.5]", "(0.0, 1.0)", "[]", "[2.0]", "['a']", "[nan]"),
}  # fmt: skip


def draw_parameters(
    rng: Rng, of: Any, n: int, m: int, *, skip: tuple[str, ...] = (), n_clusters: Any = None
) -> dict[str, str]:
    """Parameters of an estimator's constructor or of a function: some of them, the others keep their defaults."""
    known = [name for name in inspect.signature(of).parameters if name not in skip]
    share = pick(rng, 0.1, 0.3, 0.6)
    signature = inspect.signature(of).parameters
    needed = [name for name in known if signature[name].default is inspect.Parameter.empty]
    drawn = {name: _draw_value(rng, of, name, n, m) for name in known if name in needed or chance(rng, share)}
    for name in ("n_init", "n_sweeps", "n_clusterings", "n_resamples", "n_repeats"):  # the defaults take long
        if name in known:
            drawn.setdefault(name, _draw_value(rng, of, name, n, m))
    if "random_state" in known and chance(rng, 0.9):
        drawn["random_state"] = "0"
    if "n_clusters" in known and chance(rng, 0.7):  # the default of 8 is refused for few objects
        drawn["n_clusters"] = str(rng.integers(1, min(n, 6) + 1))
    if known and chance(rng, 0.2):
        name = pick(rng, *known)
        drawn[name] = pick(rng, *(value for value in WRONG if not (name in _ENDLESS and value == "10**30")))
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
    if name in _LOOPS:
        return str(pick(rng, *_LOOPS[name]))
    if name in _BY_NAME:
        return str(_BY_NAME[name](rng, n, m))
    constraints = getattr(of, "_parameter_constraints", {}).get(name)
    if isinstance(constraints, list):
        return _inside(rng, make_constraint(pick(rng, *constraints)))
    return _of_type(rng, typing.get_type_hints(of).get(name, Any) if inspect.isfunction(of) else Any)


def _inside(rng: Rng, constraint: Any) -> str:
    """A value that the constraint allows, often at its border."""
    if isinstance(constraint, StrOptions):
        return repr(pick(rng, *sorted(constraint.options)))
    if isinstance(constraint, Interval):
        low = -3 if constraint.left is None else constraint.left
        high = low + 4 if constraint.right is None else constraint.right
        if constraint.type is Integral:
            return repr(int(pick(rng, low, high, rng.integers(low, high + 1))))
        share = float(rng.random())
        return repr(
            float(
                pick(
                    rng, low, high, low + share * (high - low), 5e-324 if low == 0 else low, 1e-9 if low == 0 else high
                )
            )
        )
    return str(pick(rng, "True", "False", "None"))


def _of_type(rng: Rng, hint: Any) -> str:
    """A value of an annotated type: one of the literals, a number, a truth value."""
    options = [hint, *typing.get_args(hint)]
    literals = [
        value for option in options if typing.get_origin(option) is Literal for value in typing.get_args(option)
    ]
    if literals:
        return repr(pick(rng, *literals))
    if bool in options:
        return str(pick(rng, "True", "False"))
    if int in options:
        return str(pick(rng, "1", "2", "3", "5", "0", "-1", "None", "np.int64(2)", "100", "10**30"))
    return str(
        pick(
            rng,
            "0.0",
            "0.05",
            "0.5",
            "1.0",
            "2.0",
            "-1.0",
            "None",
            "1e-300",
            "1e300",
            "(0.1, 0.9)",
            "[0.1, 0.5]",
            "nan",
            "(2, 4)",
        )
    )
