"""Methods of other packages beside ours: registered at run time, or found by the entry points of their packages.

``METHODS`` is the table of our methods; what takes the name of a method asks here. Nothing heavy is imported, and the
estimator of a method only when it is used, so that ``partita methods`` and ``--help`` answer at once.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import cleandoc, isclass, signature
from typing import Any

from partita.consensus._methods import METHODS, Method
from partita.exceptions import MethodWarning

GROUP = "partita.methods"  # of entry points
_NOT_TOLD = "not given"
_WORDS = ("auto", "given", "default")  # they mean something else where a method is named
_TEXTS, _FLAGS = ("summary", "source", "cost", "missing"), ("soft", "finds_k", "upper_bound")
_NEEDED = ("fit", "get_params", "set_params")

_registered: dict[str, Method] = {}
_classes: dict[str, Any] = {}  # of registered methods, as far as they were given or imported


def register_method(
    name: str,
    estimator: Any,
    *,
    summary: str | None = None,
    source: str = _NOT_TOLD,
    cost: str = _NOT_TOLD,
    missing: str = _NOT_TOLD,
    soft: bool | None = None,
    finds_k: bool | None = None,
    upper_bound: bool = False,
) -> None:
    """Make a consensus method of your own known by a name, in this process.

    ``combine(X, method=name)`` and everything else that takes names of methods then take it. A package offers its
    methods for good, also to the command line and to worker processes, by entry points of the group
    ``partita.methods``; docs/add-a-method.md shows both.

    Parameters
    ----------
    name : str
        Small letters, digits and hyphens; no name of a method of partita. A name that you registered before is
        registered again.
    estimator : class or str
        Class of estimators in the manner of scikit-learn (``get_params``, ``set_params``, ``fit`` on a label matrix,
        ``labels_``), or where it is, as "package.module:Class", to be imported when it is used. Unless it derives from
        ``partita.base.BaseConsensus``, it is fitted to whole numbers from 0, -1 for a missing label, without objects
        and clusterings that have no label; ``predict``, ``membership_`` and the parameters ``n_clusters``, ``weights``,
        ``random_state``, ``n_jobs`` and ``verbose`` are used where it has them.
    summary : str, optional
        What it does, in one line; by default the first line of the docstring of a class.
    source : str
        Authors and year.
    cost : str
        How the time grows, in the symbols of ``partita methods --long``.
    missing : str
        What a missing label means to it.
    soft : bool, optional
        Whether it gives probabilities; by default whether a class has ``predict_proba``.
    finds_k : bool, optional
        Whether it finds the number of clusters where none is given; by default whether a class has no parameter
        ``n_clusters``, or None as its default.
    upper_bound : bool, default=False
        Whether ``n_clusters`` is an upper bound: fewer clusters may be used.

    Examples
    --------
    >>> from partita import EAC, combine, register_method
    >>> class Complete(EAC):
    ...     '''Evidence accumulation with complete linkage.'''
    ...
    ...     def __init__(self, n_clusters=None, *, weights=None):
    ...         super().__init__(n_clusters, linkage="complete", weights=weights)
    >>> register_method("complete", Complete, source="an example")
    >>> combine([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]], method="complete", n_clusters=2).labels
    array([0, 0, 1, 1])
    """
    facts = {"summary": summary, "source": source, "cost": cost, "missing": missing}
    row = _row(name, estimator, {**facts, "soft": soft, "finds_k": finds_k, "upper_bound": upper_bound})
    _registered[name] = row
    _classes.pop(name, None)
    if isclass(estimator):
        _classes[name] = estimator


def all_methods() -> dict[str, Method]:
    """Our methods, then those of other packages, then those registered in this process."""
    return {**METHODS, **_of_packages(), **_registered}


def find_method(name: str) -> Method:
    """Row of a method; other packages are looked at only if the name is not ours."""
    if name in METHODS:
        return METHODS[name]
    found = all_methods()
    if name not in found:
        raise ValueError(f"there is no method {name!r:.60}; pass some of {', '.join(found)}.")
    return found[name]


def named_method(name: str) -> Method | None:
    """Row of a method by its name or the name of its class, in small or large letters."""
    for rows in (METHODS, all_methods()):
        known = {called.lower(): row for row in rows.values() for called in (row.name, row.estimator)}
        if name.lower() in known:
            return known[name.lower()]
    return None


def row_of(estimator: Any) -> Method | None:
    """Row of the method behind an estimator, None if it has none."""
    kind = getattr(estimator, "outside", type(estimator))
    for rows in (METHODS, {**_registered, **(_of_packages() if _package(kind.__module__) != "partita" else {})}):
        for row in rows.values():
            if row.estimator == kind.__name__ and _package(row.home) == _package(kind.__module__):
                return row
    return None


def new_estimator(name: str) -> Any:
    """An estimator of the method, with default parameters."""
    if name in METHODS:
        import partita

        return getattr(partita, METHODS[name].estimator)()
    from partita.consensus._outside import as_consensus

    kind = as_consensus(_class_of(find_method(name)))
    try:
        return kind()
    except Exception as error:  # whatever another package does, the others go on
        raise TypeError(f"method {name!r} cannot be made ({type(error).__name__}: {error}).") from error


# ----------------------------------------------------------------------------------------------------- the rows
def _row(name: Any, estimator: Any, facts: Mapping[str, Any]) -> Method:
    """A row of the table, or an error that says what is wrong with it."""
    _check_name(name)
    _check_facts(facts)
    if isclass(estimator):
        check_class(estimator)
        module, kind = estimator.__module__, estimator.__name__
    elif isinstance(estimator, str) and re.fullmatch(r"[\w.]+:\w+", estimator):
        module, kind = estimator.split(":")
    else:
        raise TypeError(f"estimator={estimator!r:.60} is neither a class nor a name such as 'package.module:Class'.")
    told = {key: value for key, value in facts.items() if value is not None}
    known = {"summary": kind, "source": _NOT_TOLD, "cost": _NOT_TOLD, "missing": _NOT_TOLD}
    known |= _facts_of_class(estimator) if isclass(estimator) else {}
    return Method(name=name, estimator=kind, module=module, home=module, **{**known, **told})


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"name={name!r:.60} is not allowed; pass small letters, digits and hyphens, as 'my-vote'.")
    ours = {called.lower() for row in METHODS.values() for called in (row.name, row.estimator)}
    if name in ours or name in _WORDS:
        raise ValueError(f"the name {name!r} is taken by partita; pass another one.")


def _check_facts(facts: Mapping[str, Any]) -> None:
    """Texts are texts, and what is true or false is one of the two."""
    for name, value in facts.items():
        if name not in _TEXTS + _FLAGS:
            known = ", ".join(_TEXTS + _FLAGS)
            raise TypeError(f"{name!r:.60} is not known of a method; pass some of {known}.")
        if value is not None and not isinstance(value, str if name in _TEXTS else bool):
            allowed = "text" if name in _TEXTS else "True or False"
            raise TypeError(f"{name}={value!r:.60} is not allowed; pass {allowed}.")


def check_class(kind: Any) -> None:
    """Refuse a class that is no estimator, or that cannot be made without arguments."""
    lacking = [name for name in _NEEDED if not callable(getattr(kind, name, None))]
    if lacking:
        raise TypeError(
            f"{kind.__module__}.{kind.__name__} has no {lacking[0]}, so it is no estimator; derive it from "
            "sklearn.base.BaseEstimator."
        )
    required = [
        name
        for name, one in _parameters(kind).items()
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if required:
        raise TypeError(
            f"the parameter {required[0]!r} of {kind.__module__}.{kind.__name__} has no default; give it one, as all "
            "parameters of estimators have."
        )


def _parameters(kind: Any) -> Mapping[str, Any]:
    """Parameters of the constructor."""
    try:
        return signature(kind).parameters
    except ValueError:  # some classes of compiled libraries tell none
        return {}


def _facts_of_class(kind: Any) -> dict[str, Any]:
    """What the class itself tells of a method."""
    parameters = _parameters(kind)
    given = parameters["n_clusters"].default if "n_clusters" in parameters else None
    own = cleandoc(vars(kind).get("__doc__") or "")  # not that of a base class
    first = (own or kind.__name__).splitlines()[0].strip().rstrip(".")
    return {"summary": first, "soft": hasattr(kind, "predict_proba"), "finds_k": given is None}


def _class_of(row: Method) -> Any:
    """The class of a method of another package, imported now if it was not before."""
    if row.name not in _classes:
        try:
            _classes[row.name] = getattr(import_module(row.home), row.estimator)
        except Exception as error:
            raise ImportError(
                f"method {row.name!r} cannot be loaded from {row.home}:{row.estimator} ({type(error).__name__}: "
                f"{error}); update or remove its package."
            ) from error
    return _classes[row.name]


def _package(module: str) -> str:
    return module.split(".")[0]


# ----------------------------------------------------------------------------------------------- entry points
@cache
def _of_packages() -> dict[str, Method]:
    """Methods that installed packages offer; one that cannot be used is named by a warning."""
    found: dict[str, Method] = {}
    for point in entry_points(group=GROUP):
        try:
            row = _offered(point)
        except Exception as error:  # whatever another package does, ours goes on
            _warn(point, f"{type(error).__name__}: {error}")
            continue
        if point.name in found and found[point.name] != row:
            _warn(point, f"{found[point.name].home} offers a method of the same name")
            continue
        found[point.name] = row
    return found


def _offered(point: EntryPoint) -> Method:
    """Row of an entry point, which names a class, or a dict of the arguments of ``register_method``."""
    offered = point.load()
    if isclass(offered):
        row = _row(point.name, offered, {})
        _classes.setdefault(point.name, offered)
        return row
    if not isinstance(offered, Mapping) or "estimator" not in offered:
        raise TypeError(f"{point.value} is neither a class nor a dict with 'estimator'")
    facts = dict(offered)
    return _row(point.name, facts.pop("estimator"), facts)


def _warn(point: EntryPoint, reason: str) -> None:
    from partita._runs import warn

    package = "a package" if point.dist is None else f"the package {point.dist.name!r}"
    warn(f"the method {point.name!r} of {package} is left out: {reason.rstrip('.')}.", MethodWarning)
