"""Write the report: check what is asked for, make the sections, keep the page small, and replace the old file."""

import base64
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import partita
from partita._optional import require
from partita._runs import as_random_state, check_run, progress
from partita.exceptions import Stopped
from partita.io import check_file, check_output, replacing
from partita.io._write import without_formulas
from partita.report._material import Material, collecting, failed
from partita.report._names import PAGES, table_path
from partita.report._parts import Section, Words, clean
from partita.report._sections import SECTIONS
from partita.results import ConsensusResult
from partita.results._annotations import read_annotations
from partita.results._comparison import check_methods

MAX_BYTES = 3_000_000  # of the page: it opens at once, and can be sent by mail
_ROWS = (500, 200, 50, 10)  # rows of a table, fewer and fewer until the page is small enough
_PRINTED_ROWS = 40  # as in page.css
_PURPOSE = "writing a report"


def write_report(
    result: ConsensusResult,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    compare: Any = None,
    annotations: Any = None,
    n_resamples: int = 30,
    tables: bool = False,
    spreadsheet_safe: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    calls: dict[str, str] | None = None,
) -> None:
    """Write a result as one page of HTML that opens in any browser, without a network, and can be printed.

    The page holds the verdict and its reasons, pictures, the least certain objects, clusters, base clusterings,
    stability, and how all was made. It has at most 3 MB, whatever the size of the data. What cannot be made, such as
    a picture, is replaced by a sentence that says why.

    Parameters
    ----------
    result : ConsensusResult
        From :func:`partita.combine`, or ``ConsensusResult.from_estimator`` of a fitted estimator.
    path : path
        File to write; its name ends in ".html". A failure leaves an old file as it was.
    title : str, optional
        Title of the page.
    compare : bool or list of str, optional
        Other methods to run on the same labels: True for the usual ones, or their names.
    annotations : DataFrame, optional
        What is known of the objects, one row per object: each column is tested against the clusters.
    n_resamples : int, default=30
        Resamples for the stability; 0 leaves it out.
    tables : bool, default=False
        Write the full tables beside the page, such as ``report.objects.csv`` beside ``report.html``.
    spreadsheet_safe : bool, default=False
        In these tables, begin text that a spreadsheet would compute (``=...``) with an apostrophe.
    random_state : int, RandomState, Generator or None, default=0
        Seed of resamples and methods.
    n_jobs : int, optional
        Threads for resamples and methods.
    verbose : bool, default=False
        Show progress.
    calls : dict, optional
        The call that made the result, to be shown: "python" and "shell".

    Notes
    -----
    Most of the time goes into the resamples and, where asked for, into the other methods.

    Examples
    --------
    >>> from partita import combine
    >>> from partita.datasets import load_wine_ensemble
    >>> from partita.report import write_report
    >>> result = combine(load_wine_ensemble().labels, random_state=0)
    >>> write_report(result, "wine.html", title="Wines")  # doctest: +SKIP
    """
    target = check_path(path)
    check_run(n_jobs, verbose)
    material = _material(result, compare, annotations, n_resamples, random_state, calls)
    material.n_jobs, material.verbose = n_jobs, bool(verbose)
    for name in ("jinja2", "matplotlib"):
        require(name, extra="report", purpose=_PURPOSE)
    if tables:
        material.files = _files_beside(target, material)
    sections = make_sections(material)
    page = _small_page(sections, _title(title, result))
    with ExitStack() as files:  # all are written beside their targets before the first takes its place
        for name in sorted(material.files.keys() & material.tables.keys()):
            beside = files.enter_context(replacing(table_path(target, name)))
            table = material.tables[name]
            (without_formulas(table) if spreadsheet_safe else table).to_csv(beside, index=False, lineterminator="\n")
        files.enter_context(replacing(target)).write_bytes(page)


# -------------------------------------------------------------------------------------------------------------- checks
def check_path(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, a path to which no page can be written."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path={path!r:.60} is no path; pass the name of a file, such as 'report.html'.")
    return check_file(path, PAGES)


def _material(result: Any, compare: Any, annotations: Any, n_resamples: Any, random_state: Any, calls: Any) -> Material:
    """What is asked for, refused where it cannot be given."""
    if not isinstance(result, ConsensusResult):
        raise TypeError(
            f"result={result!r:.60} is no ConsensusResult; pass that of partita.combine(X), or "
            "partita.ConsensusResult.from_estimator(estimator) of a fitted estimator."
        )
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int | np.integer) or n_resamples < 0:
        raise ValueError(f"n_resamples={n_resamples!r:.60} is not allowed; pass a whole number, or 0 for none.")
    as_random_state(random_state)
    known = calls or {}
    if not isinstance(known, dict) or not all(isinstance(value, str) for value in known.values()):
        raise TypeError(f'calls={calls!r:.60} is not allowed; pass a dict such as {{"python": "...", "shell": "..."}}.')
    chosen = compare if compare is None or isinstance(compare, bool) else check_methods(compare)
    frame = None if annotations is None else _read_annotations(result, annotations)
    return Material(result, chosen or None, frame, int(n_resamples), random_state, calls=known)


def _read_annotations(result: ConsensusResult, annotations: Any) -> pd.DataFrame:
    return read_annotations(annotations, len(result.labels), getattr(result.estimator, "index_", None))


def _files_beside(target: Path, material: Material) -> dict[str, str]:
    """Names of the tables beside the page, each of a file that can be written."""
    asked = {"stability": bool(material.n_resamples), **_asked(material)}
    wanted = ["objects", "clusters", "clusterings", *(name for name in asked if asked[name])]
    paths = {name: table_path(target, name) for name in wanted}
    for path in paths.values():
        check_output(path)
    return {name: path.name for name, path in paths.items()}


# ------------------------------------------------------------------------------------------------------------ sections
def make_sections(material: Material) -> list[Section]:
    """All sections that were asked for, in their order."""
    asked = _asked(material)
    names = [name for name in SECTIONS if asked.get(name, True)]
    made = []
    with progress(len(names) + 1, "report", show=material.verbose) as bar:
        with _timing(material, "the resamples"), collecting():
            _ = material.stability  # several sections show it
        bar.update(1)
        for name in names:
            with _timing(material, SECTIONS[name][0]):
                made.append(_make_section(material, name))
            bar.update(1)
    return made


def _asked(material: Material) -> dict[str, bool]:
    """Whether the sections that are not in every report were asked for."""
    return {"methods": material.compare is not None, "annotations": material.annotations is not None}


@contextmanager
def _timing(material: Material, step: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    material.seconds[step] = time.perf_counter() - started


def _make_section(material: Material, name: str) -> Section:
    title, make = SECTIONS[name]
    with collecting() as said:
        try:
            parts = make(material)
        except Stopped:
            raise
        except Exception as error:
            parts = [failed("This section", error)]
    notes = [Words(f"Note: {words}", "note") for words in dict.fromkeys(said)]
    return Section(name, title, [*parts, *notes[:10]])


# ---------------------------------------------------------------------------------------------------------------- page
def _small_page(sections: list[Section], title: str) -> bytes:
    """The page, with fewer rows in its tables where it would be too large."""
    for max_rows in _ROWS:
        page = render(sections, title, max_rows)
        if len(page) <= MAX_BYTES:
            return page
    raise ValueError(f"the page would have {len(page):,} bytes, and {MAX_BYTES:,} are allowed; shorten the title.")


def render(sections: list[Section], title: str, max_rows: int) -> bytes:
    """The page as bytes."""
    jinja2 = require("jinja2", extra="report", purpose=_PURPOSE)
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    script = _own_file("page.js")
    page = environment.from_string(_own_file("page.html.j2")).render(
        sections=sections,
        title=title,
        max_rows=max_rows,
        print_rows=_PRINTED_ROWS,
        policy=_policy(script),
        style=_own_file("page.css"),
        script=script,
        version=partita.__version__,
        date=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
    )
    return str(page).lstrip().encode("utf-8", errors="replace")


def _policy(script: str) -> str:
    """What a browser lets the page do: show what is in it, run this one script, ask nobody for anything."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _own_file(name: str) -> str:
    """A file of this package; a browser reads every line end as a line feed, and so does the hash of the script."""
    text = files("partita.report").joinpath(name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _title(title: Any, result: ConsensusResult) -> str:
    number = "one cluster" if result.n_clusters == 1 else f"{result.n_clusters:,} clusters"
    n = len(result.labels)
    usual = f"{number[:1].upper()}{number[1:]} of {n:,} object{'s' if n != 1 else ''}"
    return usual if title is None else clean(title, 200) or usual
