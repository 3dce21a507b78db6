"""``python -m benchmarks optima --ensembles FOLDER``: how near the default fit of every method is to its optimum.

Every method with starts or chains is fitted from many seeds on frozen ensembles. A seed's gap is the distance of its
objective from the best one ever found for that ensemble by any run of any version, which is stored with the results.
Ensembles that are not in the folder are made first; cells of the same run that are stored are not run again.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import partita
from benchmarks._harness import PINNED
from benchmarks._optima_cells import read_results, run_cell, with_cell, write_results
from benchmarks._optima_ensembles import ALL, NBCE, made
from benchmarks._optima_methods import METHODS
from benchmarks._optima_table import page, table
from benchmarks.ensembles import existing
from partita.experiments import load_frozen, save_frozen

RESULTS, PAGE = Path("docs/results/optima.json"), Path("docs/optima.md")


def main(words):
    """Parse the command line and run, or render."""
    arguments = _parser().parse_args(words)
    if arguments.cell:
        path, method = arguments.cell
        print(json.dumps(run_cell(load_frozen(path), method, arguments.seeds, arguments.budget)))
        return
    if arguments.table:
        arguments.page.write_text(page(read_results(arguments.output)), encoding="utf-8")
        print(f"written: {arguments.page}")
        return
    if arguments.ensembles is None:
        raise SystemExit("pass --ensembles FOLDER; those that are not there are made")
    run(arguments)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m benchmarks optima", description=__doc__.splitlines()[0])
    parser.add_argument("--ensembles", type=Path, help="folder of the frozen ensembles")
    parser.add_argument("--output", type=Path, default=RESULTS, help="results and best values")
    parser.add_argument("--run", default=partita.__version__, help="name under which results are stored")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--names", nargs="+", choices=ALL, default=list(ALL), help="ensembles")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--budget", type=float, default=600.0, help="CPU seconds per cell, after which no seed begins")
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each")
    parser.add_argument("--again", action="store_true", help="run stored cells again")
    parser.add_argument("--table", action="store_true", help="write the page from the stored results, and run nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page that --table writes")
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    return parser


def run(arguments):
    """Run what is missing, one process per cell; every cell is stored when it is done."""
    results = read_results(arguments.output)
    tasks = tasks_of(arguments, {(cell["run"], cell["ensemble"], cell["method"]) for cell in results["cells"]})
    with ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = {pool.submit(in_process, arguments, *task): task for task in tasks}
        for number, done in enumerate(as_completed(waiting), 1):
            path, method = waiting[done]
            cell = {"run": arguments.run, "ensemble": path.stem, "method": method, **done.result()}
            if "error" not in cell:
                results = with_cell(results, cell)
                write_results(arguments.output, results)
            words = cell.get("error") or f"{len(cell['values'])} seeds, {cell['seconds']} s each"
            print(f"{number}/{len(tasks)} {path.stem} {method}: {words}", file=sys.stderr, flush=True)
    print(table(results, arguments.run))
    print(f"kept in {arguments.output}; python -m benchmarks optima --table writes {PAGE}")


def tasks_of(arguments, stored):
    """Files and methods of the cells to run."""
    arguments.ensembles.mkdir(parents=True, exist_ok=True)
    paths = {name: frozen_file(arguments.ensembles, name) for name in arguments.names}
    return [
        (path, method)
        for name, path in paths.items()
        for method in arguments.methods
        if path is not None
        and METHODS[method].for_nbce == (name in NBCE)
        and (arguments.again or (arguments.run, path.stem, method) not in stored)
    ]


def frozen_file(folder, name):
    """The file of an ensemble, made if it is not there; None if its data are not at hand."""
    path = existing(folder, name, "optima")
    if path is not None:
        return path
    try:
        return save_frozen(made(name), folder)
    except (FileNotFoundError, ValueError) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


def in_process(arguments, path, method):
    """The figures of a cell, from a process of its own with one thread."""
    command = [sys.executable, "-m", "benchmarks", "optima", "--cell", str(path), method]
    command += ["--seeds", str(arguments.seeds), "--budget", str(arguments.budget)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **PINNED})
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["killed"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])
