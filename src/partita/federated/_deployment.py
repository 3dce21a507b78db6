"""What runs at the server and at a site of a federation between machines: the same code as in a simulation.

``run_federation`` and ``join_federation`` are called by the command line; ``coordinate``, ``lead`` and ``answerer`` run
in the processes of the engine. Settings are plain values; each party has its own, and the server's are the method, its
parameters and nothing of any site.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from partita import consensus
from partita._labels.validation import LabelMatrix
from partita._typing import FloatArray
from partita.exceptions import DisclosureError
from partita.federated._checkpoint import Checkpoint
from partita.federated._engine import Engine, Values
from partita.federated._methods import HEURISTIC, ROW_METHODS
from partita.federated._private_files import save_arrays
from partita.federated._sites import PlainSites, Sites
from partita.federated.columns._disclosure import check_disclosure
from partita.federated.columns._fit import fit_columns
from partita.federated.columns._site import ColumnSite
from partita.federated.encryption._keys import read_keys
from partita.federated.encryption._sealed_sites import SealedSite, SealedSites
from partita.federated.rows._dictionary import as_array
from partita.federated.rows._fit import fit_rows, parameters_of
from partita.federated.rows._noise import NoisySite, fit_noisy_rows
from partita.federated.rows._site import Site

_HERE = "partita.federated._deployment"
_RESULTS = "results.npz"
_CONSENT = (
    "a site by columns shows others how it clusters the objects (docs/federation-trust.md says whom); pass "
    "accept_disclosure=True if its owner agrees."
)
_COMBINE = "partita.federated.encryption._sealed_sites:combine"


# ------------------------------------------------------------------------------------------------------ at the server
def server_settings(estimator: Any, **options: Any) -> dict[str, Any]:
    """What the server runs: the method, its parameters and seed, and "by", "heuristic" and the like."""
    seed = estimator.get_params(deep=False).get("random_state")
    settings = {"method": type(estimator).__name__, "parameters": parameters_of(estimator), "seed": seed}
    return settings | options


def run_federation(kit: Any, settings: Mapping[str, Any], *, encrypted: bool, **options: Any) -> dict[str, Any]:
    """Wait for the sites and run the fit; returns what the coordinator may tell, nothing if a site leads."""
    from partita.federated.flare._certificates import read_kit
    from partita.federated.flare._server import run_server

    if encrypted and settings["checkpoint"] is not None:
        raise ValueError(
            "checkpoint is of no use at a server that cannot read the sums; the first site keeps them if it has state, "
            "and so must all sites."
        )
    if settings["by"] == "columns":
        names = read_kit(kit, "server").sites
        check_disclosure(names, encrypted=encrypted, paper=False, accepted=bool(settings["accept_disclosure"]))
    modes = {"by": settings["by"], "encrypted": encrypted, "noise": settings["with_noise"]}
    combine = _COMBINE if encrypted else None
    found: dict[str, Any] = run_server(kit, f"{_HERE}:coordinate", settings, combine=combine, modes=modes, **options)
    return found


def coordinate(settings: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """The coordinator's part at the server."""
    folder = settings["checkpoint"]
    stored = None if folder is None else Checkpoint(folder, {**settings, "checkpoint": None, "names": engine.names})
    return _fit(settings, PlainSites(engine, stored), encrypted=False)


def _fit(settings: Mapping[str, Any], sites: Sites, *, encrypted: bool) -> dict[str, Any]:
    """Fit, and tell sizes and figures of the model."""
    estimator = getattr(consensus, settings["method"])(**settings["parameters"])
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=settings["seed"])
    if settings["by"] == "columns":
        options = {"paper": False, "accept_disclosure": bool(settings["accept_disclosure"])}
        model = fit_columns(sites, estimator, encrypted=encrypted, **options)
        sizes: FloatArray = np.bincount(np.asarray(model["membership"]).argmax(axis=1)).astype(np.float64)
    else:
        method = (HEURISTIC if settings["heuristic"] else ROW_METHODS)[settings["method"]]
        fit = fit_noisy_rows if settings["with_noise"] else fit_rows
        model, totals = fit(sites, estimator, method)
        sizes = totals.counts.sizes
    largest = np.sort(sizes)[::-1]
    return {
        "cluster_sizes": [round(float(size), 6) for size in largest if size > 0],
        "history": [float(value) for value in model.get("history", [])],
        "n_exchanges": len(sites.exchanges),
        "seconds_exchanging": float(sum(exchange.seconds for exchange in sites.exchanges)),
    }


# --------------------------------------------------------------------------------------------------------- at a site
def site_settings(
    folder: str | Path,
    matrix: LabelMatrix,
    *,
    secret_key: str | None = None,
    ids: list[str] | None = None,
    keys: Any = None,
    state: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """What a site runs: its labels and its own key in a private folder, and what it allows."""
    inside = Path(folder).resolve()
    write_labels(inside, matrix)
    (inside / "private.json").write_text(json.dumps({"secret_key": secret_key, "ids": ids}), encoding="utf-8")
    paths = {"keys": keys, "state": state}
    absolute = {name: None if path is None else str(Path(path).resolve()) for name, path in paths.items()}
    return {"inside": str(inside), "hashed": secret_key is not None, **absolute, **options}


def join_federation(kit: Any, settings: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """Take part until the fit ends; returns "labels", "membership" (or votes) and more of the site's objects."""
    from partita.federated.flare._site import run_site

    answerer(settings)  # what is wrong with the site's own settings is told here, and to nobody else
    modes = {name: settings[name] for name in ("by", "hashed")}
    modes |= {"encrypted": settings["keys"] is not None, "noise": settings["epsilon"] is not None}
    run_site(kit, f"{_HERE}:answerer", settings, algorithm=f"{_HERE}:lead", modes=modes, **options)
    with np.load(Path(settings["inside"]) / _RESULTS, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def lead(settings: Mapping[str, Any], engine: Any) -> dict[str, Any]:
    """The coordinator's part at the first site of an encrypted fit; the key is that of the site's own settings."""
    path = engine.own_settings["keys"]
    if path is None:
        raise ValueError("the server runs an encrypted fit, and this site has no key; pass keys")
    state = engine.own_settings["state"]  # never a path that the server names
    stored = None if state is None else Checkpoint(Path(state) / "sums", {**settings, "names": engine.names})
    return _fit(settings, SealedSites(engine, read_keys(path), stored), encrypted=True)


def answerer(settings: Mapping[str, Any]) -> Any:
    """The site as its operator set it up; nothing of it comes from the server."""
    inside = Path(settings["inside"])
    matrix, private = read_labels(inside), json.loads((inside / "private.json").read_text(encoding="utf-8"))
    options = {"name": settings["name"], "secret_key": private["secret_key"], "folder": settings["state"]}
    site: Any
    if settings["by"] == "columns":
        disclosure = {"accept_disclosure": settings["accept_disclosure"], "encrypted": settings["keys"] is not None}
        if not settings["accept_disclosure"]:
            raise DisclosureError(_CONSENT)
        site = ColumnSite(matrix, ids=private["ids"], **options, **disclosure)
    else:
        limits = {"min_objects": settings["min_objects"], "min_count": settings["min_count"]}
        site = Site(matrix, **options, **limits)
    folder = settings["state"] or inside / "released"
    answering = site if settings["epsilon"] is None else NoisySite(site, settings["epsilon"], folder)
    kept = KeepsResults(answering, lambda: results_of(site), inside / _RESULTS)
    return kept if settings["keys"] is None else SealedSite(kept, read_keys(settings["keys"]), settings["name"])


def write_labels(folder: Path, matrix: LabelMatrix) -> None:
    """Write a label matrix for the process that answers."""
    np.save(folder / "codes.npy", matrix.codes)
    about = {
        "labels": [labels.tolist() for labels in matrix.labels],
        "names": matrix.names,
        "kept": matrix.kept.tolist(),
        "n_columns_in": matrix.n_columns_in,
        "noise": matrix.noise,
    }
    (folder / "labels.json").write_text(json.dumps(about), encoding="utf-8")


def read_labels(folder: Path) -> LabelMatrix:
    """Read what ``write_labels`` wrote."""
    about = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    labels = [as_array(found) for found in about.pop("labels")]
    kept = np.array(about.pop("kept"), dtype=np.int64)
    return LabelMatrix(np.load(folder / "codes.npy", allow_pickle=False), labels, kept=kept, **about)


class KeepsResults:
    """A site whose consensus is written down once the fit is closed."""

    def __init__(self, site: Any, results: Callable[[], dict[str, Any]], path: Path) -> None:
        self._site, self._results, self._path = site, results, path

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question."""
        reply: dict[str, Any] = self._site.answer(question, values)
        if question == "close":
            save_arrays(self._path, self._results())
        return reply


def results_of(site: Any) -> dict[str, Any]:
    """The consensus of a site's own objects."""
    if isinstance(site, ColumnSite):
        return {"labels": site.labels_, "membership": site.membership_}
    fitted = site.estimator
    membership = fitted.membership_ if hasattr(fitted, "membership_") else fitted.votes_
    return {"labels": fitted.labels_, "confidence": fitted.confidence_, "membership": membership}
