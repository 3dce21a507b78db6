"""The federated fit in one process: to try it, to test it, and to see what it costs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from partita._checks import check_choice
from partita._labels.validation import check_label_matrix
from partita._runs import progress
from partita.base import check_consensus, remember_columns
from partita.federated._checkpoint import Checkpoint, seed_of
from partita.federated._engine import InProcess
from partita.federated._methods import COLUMN_METHODS, HEURISTIC, NOISY, ROW_METHODS
from partita.federated._sites import PlainSites, Sites
from partita.federated.columns._fit import simulate_columns
from partita.federated.encryption._sealed_sites import sealed_sites
from partita.federated.rows._fit import RowMethod, fit_rows, join_rows, parameters_of
from partita.federated.rows._noise import NoisySite, fit_noisy_rows
from partita.federated.rows._site import Site


def simulate(
    estimator: Any,
    sites: Sequence[Any] | Mapping[str, Any],
    *,
    by: Literal["rows", "columns"] = "rows",
    heuristic: bool = False,
    encrypted: bool = False,
    paper: bool = False,
    accept_disclosure: bool = False,
    secret_key: Any = None,
    epsilon: float | None = None,
    checkpoint: str | Path | None = None,
) -> Any:
    """Fit a consensus to label matrices of several sites, with the messages that sites on different machines exchange.

    Parameters
    ----------
    estimator : consensus estimator
        By rows: BCE, MultinomialMixture, NBCE(inference="vb"), LWGP, USENC, HBGF, ECPCS, MCLA or LabelKMeans. By
        columns: BCE, MultinomialMixture or NBCE(inference="vb").
    sites : list of label matrices, or dict of them by the name of the site
        By rows: different objects, the same clusterings in the same order. By columns: different clusterings of the
        same objects in the same order.
    by : {"rows", "columns"}, default="rows"
        What the sites do not share.
    heuristic : bool, default=False
        By rows, BCE only: the sequential heuristic of the paper instead of exact EM.
    encrypted : bool, default=False
        Add up encrypted sums (CKKS), which the server cannot read; needs the extra ``federated``.
    paper : bool, default=False
        By columns, BCE only: the messages of the paper, which show every clustering to the server.
    accept_disclosure : bool, default=False
        By columns: go on although messages show to others how a site clusters the objects; without it, such a fit
        is refused.
    secret_key : str or bytes, optional
        By rows: labels are sent as hashes under this key, which the sites have and the server has not.
    epsilon : float, optional
        By rows, ECPCS and MCLA only: each site adds noise to its tables, for differential privacy of its objects; needs
        the extra ``privacy``.
    checkpoint : path, optional
        By rows: folder that keeps the sums; a fit that was interrupted goes on from there.

    Returns
    -------
    estimator : a fitted clone
        ``labels_`` is that of the sites one after another (rows), or of the common objects (columns). ``exchanges_``
        lists the messages, with their sizes and the time of the slowest site.

    Raises
    ------
    SiteError
        A site failed or sent something else than it was asked for; no site is left out of a sum.
    DisclosureError
        Messages would show what a site may want to keep, and ``accept_disclosure`` was not given.

    Notes
    -----
    Models start from sums alone, so that the parameters may be those of another local optimum than a pooled fit's; from
    the same first parameters every iteration is the same (docs/theory/federated.md). Who learns what is on the page
    docs/federation-trust.md.

    Examples
    --------
    >>> from partita import BCE
    >>> from partita.federated import simulate
    >>> one = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"], "c": [5, 5, 5, 6, 6, None]}
    >>> two = {"a": [0, 0, 0, 1], "b": ["u", "u", "w", "v"], "c": [5, 5, 5, 6]}
    >>> simulate(BCE(n_clusters=2, random_state=0), [one, two]).labels_
    array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1])
    """
    check_consensus(estimator, "estimator")
    check_choice("by", by, ("rows", "columns"))
    parts = _by_name(sites)
    estimator = clone(estimator)
    check_fit(estimator, by=by, heuristic=heuristic and by == "rows", noisy=epsilon is not None and by == "rows")
    if heuristic and checkpoint is not None:
        raise ValueError("the heuristic cannot be resumed, because its messages are no sums; pass no checkpoint.")
    if by == "columns":
        _refuse(by, heuristic=heuristic, secret_key=secret_key, epsilon=epsilon, checkpoint=checkpoint)
        return simulate_columns(estimator, parts, encrypted=encrypted, paper=paper, accept_disclosure=accept_disclosure)
    _refuse(by, paper=paper)
    method = (HEURISTIC if heuristic else ROW_METHODS)[type(estimator).__name__]
    return _simulate_rows(estimator, parts, method, encrypted, epsilon, secret_key, checkpoint)


def check_fit(estimator: Any, *, by: str, heuristic: bool, noisy: bool) -> None:
    """Refuse, before anything is sent, what cannot be fitted in this way."""
    name = type(estimator).__name__
    known, how = (COLUMN_METHODS, "by columns") if by == "columns" else (ROW_METHODS, "by rows")
    if heuristic:
        known, how = HEURISTIC, "by the heuristic"
    if noisy:
        known, how = NOISY, "from noisy tables"
    if name not in known:
        raise ValueError(f"{name} cannot be fitted {how} of several sites; pass one of {', '.join(known)}.")
    if (heuristic or noisy) and by == "columns":
        raise ValueError(f"a fit {how} is one by rows; pass by='rows'.")
    estimator._validate_params()
    if getattr(estimator, "keep_starts", False):
        raise ValueError("keep_starts=True has no meaning where starts come from sums; leave it out.")


def _by_name(sites: Any) -> dict[str, Any]:
    """The label matrices by the name of their site."""
    if isinstance(sites, Mapping):
        found = {str(name): part for name, part in sites.items()}
    elif isinstance(sites, Sequence) and not isinstance(sites, str):
        found = {f"site-{i + 1}": part for i, part in enumerate(sites)}
    else:
        raise TypeError(f"sites is a {type(sites).__name__}; pass a list of label matrices, one per site.")
    if not found:
        raise ValueError("sites is empty; pass one label matrix per site.")
    return found


def _refuse(by: str, **given: Any) -> None:
    """Refuse options that have no meaning in this direction."""
    for name, value in given.items():
        if value is not None and value is not False:
            given_as = f"{name}={value if value is True else '...'}"
            raise ValueError(f"{given_as} has no meaning with by={by!r}; leave it out.")


def _simulate_rows(
    estimator: Any,
    parts: dict[str, Any],
    method: RowMethod,
    encrypted: bool,
    epsilon: float | None,
    secret_key: Any,
    checkpoint: str | Path | None,
) -> Any:
    """Sites in this process; at the end their rows are put one after another."""
    folders = {name: None if checkpoint is None else Path(checkpoint) / name for name in parts}
    owners = {
        name: Site(part, name=name, secret_key=secret_key, min_objects=1, folder=folders[name])
        for name, part in parts.items()
    }
    stored = None
    if checkpoint is not None:
        about = {"method": type(estimator).__name__, "parameters": parameters_of(estimator), "names": list(parts)}
        stored = Checkpoint(checkpoint, about | {"seed": seed_of(estimator), "epsilon": epsilon})
    answering: dict[str, Any] = dict(owners)
    if epsilon is not None:
        answering = {name: NoisySite(owner, epsilon, folders[name]) for name, owner in owners.items()}
    with progress(None, "exchanges", show=bool(getattr(estimator, "verbose", False))) as bar:
        asked: Sites = PlainSites(InProcess(answering, bar), stored)
        if encrypted:
            asked = sealed_sites(answering, checkpoint=stored, bar=bar)
        model, totals = (fit_rows if epsilon is None else fit_noisy_rows)(asked, estimator, method)
    rows = join_rows([owner.rows for owner in owners.values()])
    first = next(iter(owners.values()))
    memory: Any = {key: np.concatenate([owner.memory[key] for owner in owners.values()]) for key in first.memory}
    first_part = next(iter(parts.values()))
    remember_columns(estimator, first_part, check_label_matrix(first_part, allow_unlabelled=True), reset=True)
    estimator.__dict__.pop("index_", None)  # of one site only
    estimator._close(rows, method.restore(estimator, rows, model, memory), totals)
    if method.finish is not None:
        method.finish(estimator, rows, totals)
    estimator.exchanges_ = asked.exchanges
    return estimator
