"""What the page asks of a result: a summary, pages of objects, one object, selections, tables."""

from collections.abc import Callable
from typing import Any

import numpy as np

from partita._typing import Array, IntArray
from partita.app._datasets import methods
from partita.app._errors import NotFoundError, RequestError
from partita.app._plain import plain, plain_list, text_of
from partita.app._prepared import Prepared
from partita.app._runs import Run
from partita.app._scripts import command_of, python_of
from partita.app._tables import table_of
from partita.app._words import in_page_words
from partita.plotting._colors import cluster_colors
from partita.results._comparison import USUAL, check_methods

_SORTS = ("confidence", "id", "cluster", "vote", "second", "row")
_USUAL_LIMIT, _MOST = 50, 500
_IN_DOUBT = (
    "An object is in doubt if its labels speak for another cluster as much as for its own, or more (confidence at most "
    "0). Confidence ranks the objects; it is not a probability of being right."
)
_NO_ANNOTATIONS = (
    "There are no annotations: use a column of the file as an annotation, such as a known class or an age, and run "
    "again."
)


def summary(run: Run, prepared: Prepared, k: int | None) -> dict[str, Any]:
    """What was found and how sure it is."""
    result, choice = prepared.result, prepared.result.choice
    labels = prepared.labels
    other = None if prepared is run.own else k
    nmi = result.clusterings["nmi"].to_numpy()
    return {
        "summary": result.summary,
        "verdict": choice.verdict,
        "method": result.method,
        "n_clusters": result.n_clusters,
        "k": result.n_clusters if other is None else other,
        "k_chosen": run.own.result.n_clusters,
        "sizes": np.bincount(labels[labels >= 0], minlength=result.n_clusters).tolist(),
        "reasons": [in_page_words(reason) for reason in choice.reasons],
        "runner_up": choice.runner_up,
        "p_value": plain(choice.p_value),
        "membership_kind": result.membership_kind,
        "n_objects": len(labels),
        "n_clusterings": prepared.matrix.shape[1],
        "n_in_doubt": int(prepared.in_doubt.sum()),
        "doubt_words": _IN_DOUBT,
        "n_unlabelled": int((labels < 0).sum()),
        "seconds": round(prepared.seconds, 3),
        "average_nmi": plain(float(np.nanmean(nmi))) if np.isfinite(nmi).any() else None,
        "choice_table": table_of(choice.table),
        "ks": run.numbers,
        "colors": cluster_colors(max(result.n_clusters, prepared.result.membership.shape[1])),
        "annotations": prepared.found.having("annotation"),
        "python": python_of(run.found, run.asked, other, run.file),
        "command": command_of(run.found, run.asked, other, run.file),
    }


# ------------------------------------------------------------------------------------------------------------- objects
def objects(run: Run, prepared: Prepared, asked: dict[str, str]) -> dict[str, Any]:
    """One page of the table of objects."""
    column = _sort(prepared, asked.get("sort", "confidence"))
    order = prepared.order_by(column, descending=asked.get("descending") == "1")
    inside = _filter(run, prepared, asked)
    rows = order if inside is None else order[inside[order]]
    offset, limit = _number(asked, "offset", 0), min(_number(asked, "limit", _USUAL_LIMIT), _MOST)
    shown = rows[offset : offset + limit]
    mark = run.mask(asked["mark"])[shown].tolist() if asked.get("mark") else None
    return {
        "total": len(rows),
        "annotations": prepared.found.having("annotation"),
        "rows": _rows(prepared, shown, mark, with_labels=asked.get("labels") == "1"),
    }


def _rows(prepared: Prepared, shown: IntArray, mark: list[bool] | None, *, with_labels: bool) -> list[dict[str, Any]]:
    confidence, vote = plain_list(prepared.confidence[shown], 4), plain_list(prepared.vote[shown], 4)
    second, clusters = prepared.second[shown].tolist(), prepared.labels[shown].tolist()
    doubt = prepared.in_doubt[shown].tolist()
    found = []
    for place, row in enumerate(shown.tolist()):
        one = {
            "row": row,
            "id": prepared.ids[row],
            "cluster": clusters[place],
            "confidence": confidence[place],
            "vote": vote[place],
            "second": second[place] if second[place] >= 0 else None,
            "in_doubt": doubt[place],
            "annotations": _annotations(prepared, row),
        }
        one |= {} if mark is None else {"selected": mark[place]}
        one |= {"labels": [label for _, label in _labels(prepared, row)]} if with_labels else {}
        found.append(one)
    return found


def _annotations(prepared: Prepared, row: int) -> dict[str, Any]:
    frame = prepared.annotations
    if frame is None:
        return {}
    return {str(name): plain(frame[name].iat[row]) for name in frame.columns}


def _labels(prepared: Prepared, row: int) -> list[tuple[str, str | None]]:
    matrix = prepared.matrix
    codes = matrix.codes[row].tolist()
    texts = [None if code < 0 else text_of(matrix.labels[j][code]) for j, code in enumerate(codes)]
    return list(zip(matrix.names, texts, strict=True))


def _sort(prepared: Prepared, column: str) -> str:
    known = [*_SORTS, *(f"annotation:{name}" for name in prepared.found.having("annotation"))]
    if column not in known:
        raise RequestError(f"Objects cannot be sorted by {column!r:.60}; they can by {', '.join(known)}.")
    return column


def _filter(run: Run, prepared: Prepared, asked: dict[str, Any]) -> Array | None:
    """Which rows are asked for, None for all."""
    parts: list[Array] = []
    if asked.get("cluster") not in (None, ""):
        parts.append(prepared.labels == _number(asked, "cluster", 0, least=-1))
    if str(asked.get("doubt", "")).lower() in ("1", "true"):
        parts.append(prepared.in_doubt)
    if asked.get("selection"):
        parts.append(run.mask(str(asked["selection"])))
    if search := str(asked.get("search") or "").strip().lower():
        names = prepared.lower_ids
        parts.append(np.fromiter((search in name for name in names), dtype=bool, count=len(names)))
    return np.logical_and.reduce(parts) if parts else None


def _number(asked: dict[str, Any], name: str, usual: int, least: int = 0) -> int:
    value = asked.get(name, usual)
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise RequestError(f"{name} cannot be {value!r:.60}; it is a whole number.") from None
    if not least <= number < 2**53:
        raise RequestError(f"{name} cannot be {number}; it is at least {least}.")
    return number


def one_object(prepared: Prepared, row: int) -> dict[str, Any]:
    """All that is known of an object."""
    if not 0 <= row < len(prepared.labels):
        raise NotFoundError(f"Object {row}")
    (facts,) = _rows(prepared, np.array([row]), None, with_labels=False)
    return {
        **facts,
        "labels": [{"clustering": name, "label": label} for name, label in _labels(prepared, row)],
        "membership": plain_list(prepared.result.membership[row], 6),
        "membership_kind": prepared.result.membership_kind,
        "position": prepared.position.get(row),
    }


# ---------------------------------------------------------------------------------------------------------- selections
def select(run: Run, prepared: Prepared, asked: Any) -> dict[str, Any]:
    """Keep a selection: rows, a cluster, or what a search finds; alone, or together with another selection."""
    if not isinstance(asked, dict):
        raise RequestError("A selection is an object of rows, cluster or where.")
    chosen = _chosen(run, prepared, asked)
    mode, inside = asked.get("mode", "replace"), np.zeros(len(prepared.labels), dtype=bool)
    if mode not in _MODES:
        raise RequestError(f"mode cannot be {mode!r:.60}; it is one of {', '.join(_MODES)}.")
    base = run.mask(str(asked["base"])) if asked.get("base") else inside
    return selection(run, prepared, run.keep(np.flatnonzero(_MODES[mode](base, chosen))))


_MODES: dict[str, Callable[[Array, Array], Array]] = {
    "replace": lambda base, chosen: chosen,
    "add": np.logical_or,
    "remove": lambda base, chosen: base & ~chosen,
    "toggle": np.logical_xor,
}


def _chosen(run: Run, prepared: Prepared, asked: dict[str, Any]) -> Array:
    n = len(prepared.labels)
    rows = asked.get("rows", asked.get("tree"))
    if rows is not None:
        wrong = not isinstance(rows, list) or any(type(row) is not int or not 0 <= row < n for row in rows)
        if wrong:
            raise RequestError(f"rows is a list of whole numbers from 0 to {n - 1}.")
        inside = np.zeros(n, dtype=bool)
        inside[np.array(rows, dtype=np.int64)] = True
        return inside
    if "cluster" in asked:
        return np.asarray(prepared.labels == _number(asked, "cluster", 0, least=-1))
    if isinstance(asked.get("where"), dict):
        found = _filter(run, prepared, asked["where"])
        return np.ones(n, dtype=bool) if found is None else found
    raise RequestError("A selection is an object of rows, cluster or where.")


def selection(run: Run, prepared: Prepared, key: str) -> dict[str, Any]:
    """A selection, by the clusters of a result."""
    rows = run.selected(key)
    clusters, sizes = np.unique(prepared.labels[rows], return_counts=True)
    inside = run.mask(key)
    drawn = prepared.drawn[inside[prepared.drawn]]
    by_cluster = [list(pair) for pair in zip(clusters.tolist(), sizes.tolist(), strict=True)]
    return {"id": key, "n": len(rows), "by_cluster": by_cluster, "drawn": drawn.tolist()}


# -------------------------------------------------------------------------------------------------------------- tables
def annotations(prepared: Prepared) -> dict[str, Any]:
    """Whether what is known of the objects goes with their clusters."""
    known = prepared.annotations
    if known is None:
        return {"columns": [], "rows": [], "note": _NO_ANNOTATIONS}
    note = "Do not test what was used to make the clusterings: it goes with them in any case."
    return {**table_of(prepared.result.test_annotations(known.to_dict("series"))), "note": note}


def comparison(run: Run) -> dict[str, Any]:
    """Other methods beside this result, as far as they are."""
    known = [(row["name"], row["words"]) for row in methods()]
    told: dict[str, Any] = {
        "methods": [{"name": name, "title": words, "default": name in USUAL} for name, words in known]
    }
    job = run.comparison
    if job is None:
        return {"state": "none", **told}
    told |= {"state": job.state, "progress": job.progress(), "error": job.error}
    found = run.compared
    if found is not None:
        names = [str(name) for name in found.agreement.columns]
        values = [plain_list(row, 4) for row in found.agreement.to_numpy(dtype=np.float64)]
        agreement = {"methods": names, "values": values, "measure": "adjusted Rand index"}
        told |= {"table": table_of(found.table), "agreement": agreement, "n_objects": found.n_objects}
    return told


def start_comparison(run: Run, asked: Any) -> dict[str, Any]:
    """Begin a comparison."""
    names = asked.get("methods") if isinstance(asked, dict) else None
    if names is not None and not isinstance(names, list):
        raise RequestError("methods is a list of names, or null for the usual ones.")
    run.compare(check_methods(names))
    return comparison(run)
