"""From the options of a command to an estimator with its parameters."""

import sys
from typing import Any

import click

from partita.consensus._methods import METHODS


def check_usage(method: str, parameters: dict[str, Any], membership: str | None, features: str | None = None) -> None:
    """Refuse options that the method cannot use, and a missing one that it needs."""
    row = METHODS[method]
    if membership is not None and not row.soft:
        raise click.UsageError(f"method {method!r} gives no probabilities; see `partita methods` for those that do.")
    if features is not None and method != "gbce":
        raise click.UsageError(f"method {method!r} uses labels only; features are for --method gbce.")
    if not (row.finds_k or row.upper_bound or "n_clusters" in parameters):
        raise click.UsageError(
            f"method {method!r} needs the number of clusters; pass --n-clusters (`partita choose` proposes one)."
        )


def fill_in(
    method: str, parameters: dict[str, Any], *, seed: int, jobs: int, n_clusters: int | None = None
) -> dict[str, Any]:
    """The parameters, with what the command knows beside them where the estimator has a place for it."""
    import partita

    known = getattr(partita, METHODS[method].estimator)().get_params(deep=False)
    common = {"n_clusters": n_clusters, "random_state": seed, "n_jobs": None if jobs == 1 else jobs}
    present = {name: value for name, value in common.items() if name in known and value is not None}
    return parameters | {name: value for name, value in present.items() if name not in parameters}


def build(method: str, parameters: dict[str, Any]) -> Any:
    """The estimator of a method; parameters that it does not have are refused by name.

    Its progress bars are shown in a terminal.
    """
    import partita

    estimator = getattr(partita, METHODS[method].estimator)()
    known = estimator.get_params(deep=False)
    unknown = [name for name in parameters if name not in known]
    if "n_clusters" in unknown and METHODS[method].finds_k:
        limit = " ({} has --set truncation=... as an upper limit)" if "truncation" in known else ""
        raise click.UsageError(
            f"{method} finds the number of clusters itself; leave out --n-clusters"
            f"{limit.format(METHODS[method].estimator)}."
        )
    if unknown:
        raise click.UsageError(f"method {method!r} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    show = {"verbose": sys.stderr.isatty()} if "verbose" in known else {}
    return estimator.set_params(**{**show, **parameters})


def upper_bound(method: str, estimator: Any) -> int | None:
    """The largest number of clusters allowed, for methods that take ``n_clusters`` so."""
    return int(estimator.n_clusters) if METHODS[method].upper_bound else None
