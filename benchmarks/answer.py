"""``python -m benchmarks answer --ensembles FOLDER``: every method and the default on frozen ensembles.

Cells that are stored, here or in the committed results, are not run again, so that a new method costs its own cells
only; an interrupted run goes on where it was. ``--table`` writes the page of the leaderboard and its diagrams from the
stored results, ``--compare FILE`` shows what changed since other stored results.

    PARTITA_DATA=DATA python -m benchmarks answer --all --ensembles FOLDER

does all in one go: it freezes the ensembles that are not in the folder, runs the cells that are missing, and writes the
compact results, the page and the diagrams.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import partita
from benchmarks._answer_cells import Store, hashes_of, key, read_cells, read_compact, write_compact
from benchmarks._answer_figure import write_pictures
from benchmarks._answer_run import CONTESTANTS, run_tasks, tasks_of
from benchmarks._answer_summary import lines, newest, paired, select
from benchmarks._answer_table import PICTURES, page, table
from benchmarks.ensembles import freeze_all
from partita.experiments import check_same_ensembles

PAGE = Path("docs/leaderboard.md")


def main(words):
    """Parse the command line and run, or render."""
    arguments = _parser().parse_args(words)
    if arguments.limit <= 0 or arguments.jobs < 1:
        raise SystemExit("--limit and --jobs must be positive")
    if arguments.compare:
        compare(read_compact(arguments.output)[0], read_compact(arguments.compare)[0])
        return
    if not arguments.table and arguments.ensembles is None:
        raise SystemExit("pass --ensembles FOLDER, made by python -m benchmarks ensembles; or --table")
    if arguments.all:
        freeze_all(arguments.ensembles, arguments.jobs)
    if not arguments.table:
        run(arguments)
    if arguments.table or arguments.all:
        write_page(arguments.output, arguments.page)


def write_page(results, path):
    """Write the page and its diagrams from compact results."""
    cells, about = read_compact(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(cells, about, results.as_posix()), encoding="utf-8")
    for written in (path, *write_pictures(cells, path.parent / PICTURES)):
        print(f"written: {written}")


def _parser():
    parser = argparse.ArgumentParser(prog="python -m benchmarks answer", description=__doc__.splitlines()[0])
    parser.add_argument("--ensembles", type=Path, help="folder of frozen ensembles")
    parser.add_argument("--output", type=Path, default=Path("docs/results/answer.json"), help="compact results")
    parser.add_argument(
        "--cells", type=Path, default=Path("benchmarks/results/answer.jsonl"), help="results as they come, one per line"
    )
    parser.add_argument("--methods", nargs="+", help="names of methods; default all")
    parser.add_argument("--again", nargs="+", default=[], help="methods whose stored cells are run again")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per cell")
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page that --table and --all write")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help="freeze ensembles, run, write the page: all in one go")
    what.add_argument("--table", action="store_true", help="write page and diagrams from the compact results only")
    what.add_argument("--compare", type=Path, help="older compact results; run nothing")
    return parser


def run(arguments, module=CONTESTANTS):
    """Run what is missing, and write the compact results of the ensembles of the folder."""
    tasks = tasks_of(arguments.ensembles, module, arguments.methods)
    stored = known_cells(arguments)
    check_same_ensembles(hashes_of(stored.values()), hashes_of(task.head for task in tasks))
    cells = {name: cell for name, cell in stored.items() if cell["method"] not in arguments.again}
    store = Store(arguments.cells)
    try:
        run_tasks(tasks, cells, store, limit=arguments.limit, jobs=arguments.jobs, module=module)
    finally:
        store.close()
        # cells of the folder's ensembles, of other methods too; those of an older version only where there is no other
        folder = {task.head["hash"] for task in tasks}
        kept = newest(sorted((c for c in cells.values() if c["hash"] in folder), key=_is_current(tasks)))
        write_compact(kept, arguments.output, about(arguments.limit))
    report(kept)
    print(f"kept in {arguments.output}; python -m benchmarks answer --table writes {PAGE}")


def known_cells(arguments):
    """The stored cells by key: those of the committed results, and what was run here since."""
    committed = read_compact(arguments.output)[0] if arguments.output.exists() else []
    return {**{key(cell): cell for cell in committed}, **read_cells(arguments.cells)}


def _is_current(tasks):
    current = {key(task.head) for task in tasks}
    return lambda cell: key(cell) in current


def about(limit):
    """What made the results."""
    libraries = ("numpy", "scipy", "scikit-learn", "numba")
    versions = {"partita": partita.__version__, "python": sys.version.split()[0]}
    return {"limit": limit, "versions": versions | {name: version(name) for name in libraries}}


def report(cells):
    """Print both tables of each half."""
    for half in sorted({cell["half"] for cell in cells}):
        for mode in sorted({cell["mode"] for cell in cells}):
            chosen = select(cells, half=half, mode=mode)
            print(f"\n{half} half, k {mode}\n{table(lines(chosen), with_k=mode == 'found')}")


def compare(now, before):
    """Print, for each half, method and mode, how much the ARI changed; refused if no ensemble is the same."""
    ours, theirs = hashes_of(now), hashes_of(before)
    if not set(ours.values()) & set(theirs.values()):
        check_same_ensembles(ours, theirs)
    other = sorted(name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name])
    if other:
        print(f"left out, because the labels are not the same: {', '.join(other)}")
    heads = sorted({(cell["half"], cell["mode"], cell["method"]) for cell in now})
    for half, mode, method in heads:
        first, second = (
            [cell for cell in select(of, half=half, mode=mode) if cell["method"] == method] for of in (now, before)
        )
        made = paired(first, second)
        if made is not None:
            print(f"{half}, k {mode}, {method}: {made.mean:+.4f} ({made.low:+.4f} to {made.high:+.4f})")
