"""From the options of a command to an estimator with its parameters, and to a fitted one."""

from typing import Any, NamedTuple

import click

from partita.cli._say import shows_progress
from partita.consensus._methods import METHODS
from partita.consensus._registered import all_methods, find_method, new_estimator

AUTO = "auto"  # of --method and of --n-clusters
DEFAULT = "lwgp"  # the method of `combine(labels)`, and the rule that finds the number of clusters
NAMES = [AUTO, *METHODS]  # those of other packages are looked up when a name is none of these
_HAVE_THE_RULE = (DEFAULT, "soft-lwgp")
_OF_ALL = ("weights", "random_state", "n_jobs")  # what the rule takes over from the method


class Task(NamedTuple):
    """A method as the options ask for it."""

    asked: str  # --method
    parameters: dict[str, Any]  # of the estimator
    rule: dict[str, Any] | None = None  # parameters of the rule that finds the number first, None if it is not asked

    @property
    def method(self) -> str:
        """Name of the method, also where the choice was left to us."""
        return DEFAULT if self.asked == AUTO else self.asked

    @property
    def estimator(self) -> str:
        """Its public name in Python."""
        return find_method(self.method).estimator

    @property
    def home(self) -> str:
        """The module that it is imported from."""
        return find_method(self.method).home


class MethodName(click.Choice[str]):
    """The name of a method, ours or of another package."""

    def __init__(self) -> None:
        super().__init__(NAMES)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name; other packages are asked only if it is none of ours."""
        known = NAMES if value in NAMES else [AUTO, *all_methods()]
        return click.Choice(known).convert(value, param, ctx)


# ------------------------------------------------------------------------------------------------ from the options
def check_usage(asked: str, parameters: dict[str, Any], features: str | None = None) -> None:
    """Refuse options that the method cannot use, and a missing one that it needs."""
    if features is not None and asked != "gbce":
        raise click.UsageError(f"method {asked!r} uses labels only; features are for --method gbce.")
    row = find_method(Task(asked, parameters).method)
    if not (row.finds_k or row.upper_bound or "n_clusters" in parameters):
        raise click.UsageError(
            f"method {asked!r} needs the number of clusters; pass --n-clusters NUMBER, or --n-clusters auto to have it "
            "found."
        )


def plan(asked: str, parameters: dict[str, Any], *, seed: int, jobs: int) -> Task:
    """The task, with what the command knows beside the parameters; --n-clusters auto is left to the rule."""
    given = {name: value for name, value in parameters.items() if (name, value) != ("n_clusters", AUTO)}
    method = Task(asked, given).method
    rule = None
    if len(given) < len(parameters) and method not in _HAVE_THE_RULE and "n_clusters" in _defaults(method):
        rule = fill_in(DEFAULT, {name: given[name] for name in _OF_ALL if name in given}, seed=seed, jobs=jobs)
    return Task(asked, fill_in(method, given, seed=seed, jobs=jobs), rule)


def fill_in(
    method: str, parameters: dict[str, Any], *, seed: int, jobs: int, n_clusters: int | None = None
) -> dict[str, Any]:
    """The parameters, with what the command knows beside them where the estimator has a place for it."""
    known = _defaults(method)
    common = {"n_clusters": n_clusters, "random_state": seed, "n_jobs": None if jobs == 1 else jobs}
    present = {name: value for name, value in common.items() if name in known and value is not None}
    return parameters | {name: value for name, value in present.items() if name not in parameters}


def _defaults(method: str) -> dict[str, Any]:
    return new_estimator(method).get_params(deep=False)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------- to an estimator
def build(asked: str, parameters: dict[str, Any]) -> Any:
    """The estimator of a method; parameters that it does not have are refused by name.

    Its progress bars are shown in a terminal.
    """
    method = Task(asked, parameters).method
    row, estimator = find_method(method), new_estimator(method)
    known = estimator.get_params(deep=False)
    unknown = [name for name in parameters if name not in known]
    if "n_clusters" in unknown and row.finds_k:
        limit = " ({} has --set truncation=... as an upper limit)" if "truncation" in known else ""
        raise click.UsageError(
            f"{method} finds the number of clusters itself; leave out --n-clusters{limit.format(row.estimator)}."
        )
    if unknown:
        called = f"method {method!r}" + (" (auto)" if asked == AUTO else "")
        raise click.UsageError(f"{called} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    show = {"verbose": shows_progress()} if "verbose" in known else {}
    return estimator.set_params(**{**show, **parameters})


class Named(NamedTuple):
    """What the objects and the clusterings are called."""

    ids: Any
    id_name: str
    clusterings: list[str]


def fit(task: Task, estimator: Any, X: Any, named: Named, **beside: Any) -> Any:
    """The ``ConsensusResult``; the rule finds the number of clusters first, if it is asked."""
    from partita.results._choice import choice_of
    from partita.results._result import ConsensusResult

    chosen = None
    if task.rule is not None:
        chosen = build(DEFAULT, task.rule).fit(X).choice_
        estimator.set_params(n_clusters=chosen.n_clusters)
    estimator.fit(X, **beside)
    choice = choice_of(estimator, task.method, chosen, by_default=task.asked == AUTO)
    return ConsensusResult(estimator, choice, ids=named.ids, id_name=named.id_name, names=named.clusterings)


def upper_bound(method: str, estimator: Any) -> int | None:
    """The largest number of clusters allowed, for methods that take ``n_clusters`` so."""
    return int(estimator.n_clusters) if find_method(method).upper_bound else None
