"""``partita consensus`` on a folder: one consensus of all files, and one output file per input file."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from partita.cli._choice_words import choice_facts
from partita.cli._dask_client import dask_client
from partita.cli._file_options import STANDARD, is_spreadsheet_safe
from partita.cli._methods import Named, Task, build, fit, plan, upper_bound
from partita.cli._part_folder import CONFIDENCE, LABELS, MEMBERSHIP, ResultFolder, result_folders
from partita.cli._part_options import PartOptions
from partita.cli._part_results import Results, parts_of, write_all
from partita.cli._python_lines import part_lines
from partita.cli._say import shows_progress
from partita.cli._stages import Stopwatch, stage
from partita.cli._words import option_of
from partita.consensus._methods import METHODS
from partita.consensus._registered import find_method

_COUNTED = 1 << 22  # labels that are counted at once: NumPy widens them to 8 bytes
_LOOKED_AT = 2000  # objects by which features are told from labels
_CHANGE_NOTHING = ("n_jobs", "verbose")
_FLAGS = {"missing_words": "--no-missing-words"}


def run_parts(
    file: str,
    output: str | None,
    method: str,
    parameters: dict[str, Any],
    reading: dict[str, Any],
    options: PartOptions,
    *,
    noise: Any = "missing",
    membership: str | None = None,
    confidence: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    force: bool = False,
) -> dict[str, Any]:
    """Read, fit and write file by file; returns a summary of plain values."""
    paths = find_parts(file)
    if output is None:
        raise click.UsageError(f"{file!r} is read in parts, and its results go to a folder; pass -o FOLDER.")
    task = plan(method, parameters, seed=seed, jobs=jobs)
    estimator = _build_for_parts(task, membership)
    about = _describe_fit(method, parameters, reading, noise, seed, options)
    targets = {LABELS: output, MEMBERSHIP: membership, CONFIDENCE: confidence}
    folders = _open_folders(paths, targets, about, options)
    how = without_dropped(paths, reading)
    seconds = {"seconds": 0.0, "seconds_compiling": 0.0}
    if not all(folder.is_finished for folder in folders):
        seconds = _fit_and_write(paths, folders, task, estimator, how, noise, options, force=force)
    return {
        "file": file,
        "method": task.method,
        "seed": seed,
        **folders[0].summary,
        **seconds,
        "output": output,
        "membership_output": membership,
        "confidence_output": confidence,
        "files": _list_files(paths, folders[0]),
        "python": part_lines(task, file, how, noise, options),
    }


def find_parts(file: str) -> list[Path]:
    """Files of a folder or a pattern, or the one file; refuses what is none."""
    from partita.blocks._label_blocks import find_files
    from partita.io._source import PipedFile

    if file == STANDARD or isinstance(file, PipedFile):
        raise click.UsageError("a pipe cannot be read in parts, since each is read more than once; name a file.")
    paths = find_files(file)
    for path in paths:
        if not path.exists():
            kind = "folder" if file.endswith("/") else "file or folder"
            raise FileNotFoundError(f"there is no {kind} {file!r}.")
    return paths


def _build_for_parts(task: Task, membership: str | None) -> Any:
    """The estimator; what it cannot give of parts is refused before any work."""
    from partita.blocks._fit import check_estimator

    estimator = build(task.asked, task.parameters)
    if membership is not None and not find_method(task.method).soft:
        soft = ", ".join(row.name for row in METHODS.values() if row.soft and not row.for_soft)
        raise click.UsageError(
            f"method {task.method!r} gives no probabilities, and votes are written of a single file only; leave out "
            f"--membership, or pass --method {soft}."
        )
    check_estimator(estimator, None)
    return estimator


def _open_folders(
    paths: Sequence[Path], targets: dict[str, str | None], about: dict[str, Any], options: PartOptions
) -> list[ResultFolder]:
    """Folders of the results, that of the labels first; refuses those that cannot be written to."""
    folders = result_folders(paths, **targets)
    if options.resume is not None and Path(options.resume).resolve() in (folder.folder.resolve() for folder in folders):
        raise click.UsageError(f"--resume needs a folder of its own, and {options.resume!r} is for results.")
    for folder in folders:
        folder.open(about, overwrite=options.overwrite)
    return folders


def _describe_fit(
    method: str, parameters: dict[str, Any], reading: dict[str, Any], noise: Any, seed: int, options: PartOptions
) -> dict[str, Any]:
    """What tells one fit from another, by the names of the options."""
    from partita import __version__

    given = {"random_state": seed, **parameters, "noise": noise, **reading}
    named = {_FLAGS.get(name) or option_of(name): given[name] for name in given if name not in _CHANGE_NOTHING}
    about = {"version": __version__, "--method": method, **named}
    about |= {} if options.block_rows is None else {"--block-rows": options.block_rows}
    return about | ({"--spreadsheet-safe": True} if is_spreadsheet_safe() else {})


# ------------------------------------------------------------------------------------------------------------- reading
def without_dropped(paths: Sequence[Path], reading: dict[str, Any]) -> dict[str, Any]:
    """How files are read, with the columns that are left after ``--drop`` instead of those to leave out."""
    how = {name: value for name, value in reading.items() if name != "drop"}
    if "drop" not in reading:
        return how
    from partita.blocks import LabelBlocks
    from partita.exceptions import FileFormatError
    from partita.io._formats import listing

    first = LabelBlocks.from_files(paths[:1], **how)
    names, of_ids = first.names or [], next(iter(first.blocks())).reading.id_column  # type: ignore[attr-defined]
    unknown = [name for name in reading["drop"] if name not in (*names, of_ids)]
    if unknown:
        raise FileFormatError(f"{paths[0].name!r} has no column {listing(unknown)}; it has {listing(names)}.")
    left = [name for name in names if name not in reading["drop"]]
    if not left:
        raise FileFormatError(f"{paths[0].name!r} has no column of labels left; leave out fewer columns.")
    return how | {"columns": left} | ({"id_column": False} if of_ids in reading["drop"] else {})


def open_blocks(
    paths: Sequence[Path], how: dict[str, Any], noise: Any, options: PartOptions, client: Any, *, force: bool
) -> Any:
    """The labels; columns that look like features are refused, unless forced."""
    from partita.blocks import LabelBlocks

    with stage(f"looking at {len(paths)} files"):
        blocks = LabelBlocks.from_files(
            paths, rows=options.block_rows, noise=noise, client=client, resume=options.resume, **how
        )
        if not force:
            _refuse_features(next(iter(blocks.blocks())))
    return blocks


def _refuse_features(block: Any) -> None:
    """Look at the first objects of the first file."""
    import shlex
    from dataclasses import replace

    import pandas as pd

    from partita.io import LabelTable
    from partita.io._formats import listing
    from partita.io._looks_like_features import feature_like_columns

    piece = next(replace(block, n_rows=_LOOKED_AT).pieces())
    ids = None if piece.ids is None else pd.Series(piece.ids, name=piece.id_name)
    found = feature_like_columns(LabelTable(pd.DataFrame(piece.labels), ids, block.reading.header is not False))
    if found:
        raise ValueError(
            f"{listing(found)} of {block.path.name!r} looks like measurements, not like a clustering; leave it out by "
            f"--drop {shlex.quote(','.join(found))}, or pass --force if it holds labels."
        )


# ------------------------------------------------------------------------------------------------------- fit and write
def _fit_and_write(
    paths: Sequence[Path],
    folders: Sequence[ResultFolder],
    task: Task,
    estimator: Any,
    how: dict[str, Any],
    noise: Any,
    options: PartOptions,
    *,
    force: bool,
) -> dict[str, float]:
    """Fit all files, and write what is not finished; returns how long the fit took."""
    with dask_client(options) as client:
        blocks = open_blocks(paths, how, noise, options, client, force=force)
        for folder in folders:
            folder.make()
        watch = Stopwatch()
        result = fit(task, estimator, blocks, Named(None, "object", blocks.names))
        seconds = watch.read()
        found = _summarise(task, result)
        results = Results(result.estimator, [folder.content for folder in folders])
        digest = zlib.crc32(result.labels)
        for folder in folders:
            folder.begin(found, digest)
        write_all(parts_of(paths, blocks), folders, results, show=shows_progress())
    return seconds


def _summarise(task: Task, result: Any) -> dict[str, Any]:
    """Numbers of the consensus, as plain values: those that need no table with a row per object."""
    estimator, labels = result.estimator, result.labels
    n_unlabelled, sizes = _count_labels(labels, int(estimator.n_clusters_))
    n_components = int(getattr(estimator, "n_components_", estimator.n_clusters_))
    return {
        "n_objects": len(labels),
        "n_clusterings": int(estimator.n_features_in_),
        "n_clusters": len(sizes),
        **({"n_components": n_components} if n_components != len(sizes) else {}),
        "cluster_sizes": sizes,
        "choice": choice_facts(result.choice),
        "upper_bound": upper_bound(task.method, estimator),
        "n_unlabelled": n_unlabelled,
    }


def _count_labels(labels: Any, n_clusters: int) -> tuple[int, list[int]]:
    """Objects without a label, and those of each cluster that has one."""
    import numpy as np

    counts = np.zeros(n_clusters + 1, dtype=np.int64)
    for lo in range(0, len(labels), _COUNTED):
        counts += np.bincount(labels[lo : lo + _COUNTED] + 1, minlength=n_clusters + 1)
    return int(counts[0]), [size for size in counts[1:].tolist() if size]


def _list_files(paths: Sequence[Path], folder: ResultFolder) -> list[dict[str, Any]]:
    return [
        {
            "input": str(path),
            "output": str(folder.path_of(path.name)),
            "n_objects": folder.n_objects(path.name),
            "written": path.name in folder.written,
        }
        for path in paths
    ]
