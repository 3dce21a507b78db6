"""``python -m benchmarks ensembles --output FOLDER``: make the frozen ensembles of the leaderboard.

Every table of the data folder with at most 20,000 objects, the synthetic data and the papers' selections, three recipes
each (pcc-2 up to 2,500 objects; not of texts). A file that is there with the right hash of its content is not made
again.

Where distances tie, the last bit of a product decides, and this depends on the processor: 5 of 147 ensembles were not
the same with AVX-512 as with AVX2. The stored results are of ensembles made with AVX2. To make these on a processor
with AVX-512, set ``OPENBLAS_CORETYPE=Haswell`` and ``NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL"``. Ensembles with
different hashes are never compared.
"""

import argparse
import gzip
import os
import sys
import time
from pathlib import Path

from benchmarks._frozen_recipes import MOST_OBJECTS, OF_PAPERS, RECIPES, REPLACED, SYNTHETIC, made, recipes_for
from partita.datasets import dataset_names, load
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
    if arguments.names:
        make_all(arguments.output, arguments.names, arguments.recipes, arguments.jobs)
    else:
        freeze_all(arguments.output, arguments.jobs, arguments.recipes)


def freeze_all(folder, jobs, recipes=RECIPES):
    """Make what is not there of all data sets."""
    if data_folder() is None:
        raise SystemExit(f"no data folder; pass --data FOLDER or set {VARIABLE}")
    make_all(folder, leaderboard_names(), recipes, jobs)


def leaderboard_names():
    """The data sets of the leaderboard: drawn ones, tables of the folder, and the papers' selections from it."""
    known = set(dataset_names())
    tables = [name for name in table_names() if name not in REPLACED]
    return [*SYNTHETIC, *tables, *(name for name in OF_PAPERS if name in known)]


def table_names():
    """Tables of the data folder that are not too large, small files first."""
    tables = {name: path for name, path in stored_files(data_folder()).items() if path.name.endswith(".csv.gz")}
    sized = [(path.stat().st_size, name) for name, path in tables.items() if n_lines(path) <= MOST_OBJECTS + 1]
    return [name for _, name in sorted(sized)]


def n_lines(path):
    """Lines of a table, which cost less to count than the table to read."""
    with gzip.open(path) as lines:
        return sum(1 for _ in lines)


def make_all(folder, names, recipes, jobs):
    """Make and save, and say what was done."""
    folder.mkdir(parents=True, exist_ok=True)
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
