"""One consensus of clusterings that are in several sources: the sums of federation by columns, with one owner."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.base import clone
from threadpoolctl import threadpool_limits

from partita._labels.validation import LabelMatrix
from partita._memory import ensure_memory
from partita._runs import Progress, progress
from partita._typing import FloatArray
from partita.base import check_consensus, warn_fewer_clusters
from partita.blocks.columns._dask_sites import DaskSites
from partita.blocks.columns._sources import load_site, name_sources
from partita.federated._checkpoint import Checkpoint, seed_of
from partita.federated._engine import InProcess
from partita.federated._methods import COLUMN_METHODS
from partita.federated._simulate import check_fit
from partita.federated._sites import PlainSites
from partita.federated.columns._fit import open_columns, restore_columns
from partita.federated.columns._nbce import check_inference
from partita.federated.rows._fit import parameters_of

_BYTES_PER_LABEL = 12  # codes as they come, all of them side by side, and those of the distinct rows


def fit_columns(estimator: Any, sources: Any, *, client: Any = None, resume: str | Path | None = None) -> Any:
    """Fit a consensus to clusterings that are in several sources, each with some of the columns of the same objects.

    Parameters
    ----------
    estimator : consensus estimator
        BCE, MultinomialMixture or NBCE(inference="vb").
    sources : list of label matrices or paths, or dict of them by name
        Clusterings of the same objects in the same order: arrays, frames, or paths of files that
        :func:`partita.io.read_labels` reads. If several sources name their objects (ids of a file, the index of a
        frame), the names must be the same.
    client : dask.distributed.Client, optional
        Every source is then read by a worker of its cluster, and answers there. The workers must be able to read the
        paths; labels that are given in memory travel to them. Without it everything is in this process, with the same
        result.
    resume : path, optional
        Folder that keeps the sums, and what the sources know in between: the same fit, interrupted, goes on from there
        to the same result. It needs a whole number as ``random_state``, and can be deleted after the fit.

    Returns
    -------
    estimator : a fitted clone
        ``labels_``, ``membership_`` and parameters such as ``beta_`` are those of all columns, the sources one after
        another. ``exchanges_`` lists the messages with their sizes and times.

    Raises
    ------
    SiteError
        A source could not be read, has other objects than the first one, or failed; it is named.
    ClusterError
        The Dask cluster is gone.

    Notes
    -----
    The sums are those of :func:`partita.federated.simulate` with ``by="columns"``: from the same first parameters every
    iteration is that of all columns in one place, and the starts come from sums alone (docs/theory/federated.md, eqs.
    S21 to S29). Messages have n x k numbers each way, and 3 k ``n_init`` for k in those of the starts; they do not grow
    with the number of columns. A worker that dies costs time and changes no bit.

    At the end all labels come to this process, as codes: a fitted model keeps its distinct rows. If all labels fit in
    one place from the beginning, an ordinary fit is much faster.

    Examples
    --------
    >>> from partita import BCE
    >>> from partita.blocks import fit_columns
    >>> one = {"a": [0, 0, 0, 1, 1, 1], "b": ["u", "u", "v", "v", "v", "v"]}
    >>> two = {"c": [5, 5, 5, 6, 6, None]}
    >>> fit_columns(BCE(n_clusters=2, random_state=0), [one, two]).labels_
    array([0, 0, 0, 1, 1, 1])
    """
    check_consensus(estimator, "estimator")
    named = name_sources(sources)
    estimator = clone(estimator)
    check_fit(estimator, by="columns", heuristic=False, noisy=False)
    if type(estimator).__name__ == "NBCE":
        check_inference(estimator)
    stored = None if resume is None else Checkpoint(resume, _about(estimator, list(named)))
    folders = {name: None if resume is None else Path(resume) / name for name in named}
    with threadpool_limits(limits=1), progress(None, "exchanges", show=bool(estimator.verbose)) as bar:
        engine = _Here(named, folders, bar) if client is None else DaskSites(client, named, folders, bar)
        _fit(estimator, engine, PlainSites(engine, stored))
    asked = int(getattr(estimator, "n_clusters", None) or 0)
    warn_fewer_clusters(type(estimator).__name__, asked, estimator.n_clusters_)
    return estimator


def _about(estimator: Any, names: list[str]) -> dict[str, Any]:
    """What tells one fit from another; the sources compare their labels themselves."""
    settings = {"method": type(estimator).__name__, "parameters": parameters_of(estimator), "seed": seed_of(estimator)}
    return {"by": "columns", "names": names, **settings}


class _Here(InProcess):
    """Sources in this process, asked one after the other."""

    def __init__(self, sources: Mapping[str, Any], folders: Mapping[str, Path | None], bar: Progress) -> None:
        super().__init__({name: load_site(name, source, folders[name]) for name, source in sources.items()}, bar)

    def results(self, place: int, number: int) -> tuple[list[LabelMatrix], list[FloatArray]]:
        """Labels of all sources, and their parameters after so many exchanges."""
        sites: list[Any] = list(self._sites.values())
        for site in sites:
            site.memory.go_to(number)  # all sums may have been stored, and nothing asked
        return [site.matrix for site in sites], [site.table(place) for site in sites]


def _fit(estimator: Any, engine: _Here | DaskSites, sites: PlainSites) -> None:
    """Ask for sums, and set what a fit sets."""
    _ensure_labels_fit(sites)
    common = open_columns(sites, estimator)
    model = COLUMN_METHODS[type(estimator).__name__].fit(sites, estimator, common)
    restore_columns(estimator, *engine.results(model["place"], sites.n_totals), model)
    estimator.exchanges_ = sites.exchanges


def _ensure_labels_fit(sites: PlainSites) -> None:
    """Refuse before the fit what could not be kept after it."""
    described = sites.each("describe", {}).values()
    n_labels = sum(int(about["n_objects"]) * int(about["n_columns"]) for about in described)
    instead = "fit fewer columns or a sample of the objects, or set PARTITA_MAX_MEMORY."
    ensure_memory(_BYTES_PER_LABEL * n_labels, purpose="keeping the labels of all sources", instead=instead)
