"""``python -m benchmarks ensembles --output FOLDER``: make the frozen ensembles of the leaderboard.

Every table of the data folder with at most 20,000 objects, three recipes each (pcc-2 up to 2,500 objects), and two sets
of texts. A file that is there with the right hash of its content is not made again.
"""

import argparse
import gzip
import os
import sys
import time
from pathlib import Path

from benchmarks._frozen_recipes import MOST_OBJECTS, RECIPES, TEXTS, made, recipes_for
from partita.datasets import load
from partita.datasets._folder import VARIABLE, data_folder, stored_files
from partita.exceptions import FileFormatError
from partita.experiments import load_frozen, save_frozen


def main(words):
    """Parse the command line and make what is not there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ensembles", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="folder of the frozen ensembles")
    parser.add_argument("--data", type=Path, help=f"folder of the data; default: the variable {VARIABLE}")
    parser.add_argument("--names", nargs="+", help="data sets; default all")
    parser.add_argument("--recipes", nargs="+", choices=RECIPES, default=RECIPES)
    parser.add_argument("--jobs", type=int, default=1, help="threads")
    arguments = parser.parse_args(words)
    if arguments.data:
        os.environ[VARIABLE] = str(arguments.data)
    if not arguments.names and data_folder() is None:
        parser.error(f"no data folder; pass --data FOLDER or set {VARIABLE}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    make_all(arguments.output, arguments.names or table_names(), arguments.recipes, arguments.jobs)


def table_names():
    """The data sets of the leaderboard, small files first."""
    files = stored_files(data_folder())
    tables = {name: path for name, path in files.items() if path.name.endswith(".csv.gz") or name in TEXTS}
    sized = [(path.stat().st_size, name) for name, path in tables.items() if n_lines(path) <= MOST_OBJECTS + 1]
    return [name for _, name in sorted(sized)]


def n_lines(path):
    """Lines of a table, which cost less to count than the table to read; 0 for texts, which are chosen by name."""
    if not path.name.endswith(".csv.gz"):
        return 0
    with gzip.open(path) as lines:
        return sum(1 for _ in lines)


def make_all(folder, names, recipes, jobs):
    """Make and save, and say what was done."""
    begun = time.perf_counter()
    for place, name in enumerate(names, start=1):
        possible = recipes_for(name, load(name).features.shape[0])
        for recipe in (recipe for recipe in possible if recipe in recipes):
            start = time.perf_counter()
            path = existing(folder, name, recipe)
            word = "there"
            if path is None:
                path, word = save_frozen(made(name, recipe, jobs), folder), "made"
            seconds, whole = time.perf_counter() - start, time.perf_counter() - begun
            print(f"{place}/{len(names)} {path.name} {word}, {seconds:.1f} s ({whole:.0f} s in all)", flush=True)


def existing(folder, name, recipe):
    """The one sound file of this name and recipe; None if there is none. A damaged file is removed."""
    sound = []
    for path in sorted(folder.glob(f"{name}.{recipe}.*.npz")):
        try:
            load_frozen(path)
        except FileFormatError as error:
            print(f"removed: {error}", file=sys.stderr)
            path.unlink()
        else:
            sound.append(path)
    if len(sound) > 1:
        raise SystemExit(
            f"{name} by {recipe} is there {len(sound)} times; remove all but one: {', '.join(map(str, sound))}"
        )
    return sound[0] if sound else None
